"""Values that may make a mutant show: what stands beside the changed place, and values near it (B-11).

A word of a table is asked for, a pattern is met, a number is met, passed and missed by one.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator

from ....mutation.model import Mutant
from ....mutation.text import SourceText
from ....utils.python_source import parse_python
from ....utils.regex_examples import is_pattern, samples
from ..model.model import Trial
from ..source.literals import literal_places, plain, with_source

_MOST_BESIDE = 4
_MOST_WORDS = 32
_MOST_PLACES = 3
_LONGEST_WORD = 40
_FEW_LETTERS = 3
_MOST_LETTERS = 80
_LARGEST_POWER = 40
_LONG_NUMBER = 9
_ROWS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Call, ast.Compare, ast.BinOp, ast.stmt)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Word = str | bytes | int | float


class MutantValues:
    """Finds the values in one module.

    Raises:
        SyntaxError: the source is no Python.
    """

    def __init__(self, source: bytes) -> None:
        self._text = SourceText(source)
        self._tree = parse_python(self._text.data)

    def near(self, mutant: Mutant, *, early: bool) -> list[Word]:
        """Values for a mutant, the likeliest first; `early` says that its line runs at import."""
        above = self._above(mutant)
        holder = next((one for one in reversed(above) if isinstance(one, _FUNCTIONS)), None)
        found: list[Word] = []
        if early and holder is not None and mutant.line >= holder.body[0].lineno:
            found = [_value(one) for call in self._calls(holder.name) for one in _constants(call)]
        for row in reversed([one for one in above if isinstance(one, _ROWS)]):
            found += self._pair(row, mutant) if isinstance(row, ast.Dict) else self._nearest(_constants(row), mutant)
            if found or isinstance(row, ast.stmt):
                break
        found += self._places(above)
        words = dict.fromkeys((type(made), made) for value in dict.fromkeys(found) for made in _made(value))
        return [*self._letters(above), *(made for _, made in words)][:_MOST_WORDS]

    def _letters(self, above: list[ast.AST]) -> list[Word]:
        """All keys of a table of letters, one after another: one text that asks for every entry."""
        table = next((one for one in reversed(above) if isinstance(one, ast.Dict)), None)
        keys = [_letter(one.value) for one in table.keys if isinstance(one, ast.Constant)] if table is not None else []
        letters = [one for one in keys if one is not None]
        if table is None or len(letters) < max(_FEW_LETTERS, len(table.keys)) or len(letters) > _MOST_LETTERS:
            return []
        return ["".join(letters)]

    def _above(self, mutant: Mutant) -> list[ast.AST]:
        """The nodes around the changed place, the module first."""
        above: list[ast.AST] = [self._tree]
        while True:
            inner = next((one for one in _children(above[-1]) if self._holds(one, mutant)), None)
            if inner is None:
                return above
            above.append(inner)

    def _holds(self, node: ast.AST, mutant: Mutant) -> bool:
        start, end = self._text.span(node)
        return start <= mutant.start and mutant.end <= end

    def _places(self, above: list[ast.AST]) -> list[Word]:
        """Where the changed place stands in the tables around it: what is looked up by number."""
        chain = list(itertools.pairwise(above))
        tables = [(outer.elts, inner) for outer, inner in chain if isinstance(outer, ast.Tuple | ast.List)]
        return [items.index(inner) for items, inner in tables if len(items) > 2 and isinstance(inner, ast.expr)]

    def _nearest(self, constants: list[ast.Constant], mutant: Mutant) -> list[Word]:
        """The values that stand closest to the changed place; the changed one first."""
        places = [(abs(self._text.span(one)[0] - mutant.start), at) for at, one in enumerate(constants)]
        return [_value(constants[at]) for _, at in sorted(places)[:_MOST_BESIDE]]

    def _pair(self, row: ast.Dict, mutant: Mutant) -> list[Word]:
        """The constants of the changed key or value and its partner."""
        for key, value in zip(row.keys, row.values, strict=True):
            if self._holds(value, mutant) or (key is not None and self._holds(key, mutant)):
                pair = [*(_constants(key) if key is not None else []), *_constants(value)]
                return [_value(one) for one in pair][:_MOST_BESIDE]
        return []

    def _calls(self, name: str) -> Iterator[ast.Call]:
        for statement in self._tree.body:
            if isinstance(statement, ast.Expr | ast.Assign):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                        yield node


def with_values(trial: Trial, words: Iterable[Word]) -> list[Trial]:
    """The trial with each word in the place of its literals of that type, and texts in it as well."""
    places = literal_places(trial)
    found: list[Trial] = []
    for word in words:
        # Where nothing of its kind is given, it may still be what is meant: a text for a key tried with numbers.
        fitting = [place for place in places if _fits(place.value, word)][:_MOST_PLACES] or places[:1]
        for place in fitting:
            source = _source(word)
            if source is not None and word != place.value:
                found.append(with_source(trial, place, source))
    return found


def _source(word: Word) -> str | None:
    """The word as people write it: a large power as one."""
    digits = str(word)
    if isinstance(word, int) and len(digits) > _LONG_NUMBER and digits.rstrip("0") == "1":
        return f"10**{len(digits) - 1}"
    return plain(word)


def _fits(value: object, word: Word) -> bool:
    if isinstance(value, bool) or isinstance(word, bool):
        return False
    if isinstance(value, int | float):
        return isinstance(word, int | float)
    return isinstance(value, str | bytes) and type(value) is type(word)


def _made(value: Word) -> Iterator[Word]:
    """A constant as values to give."""
    if isinstance(value, str):
        yield from _of_text(value)
    elif isinstance(value, bytes):
        yield value
    elif isinstance(value, int):
        yield from (value, value + 1, value - 1)
        if 2 < value <= _LARGEST_POWER:
            yield 10**value
        if value > 1:
            yield 2 * value
        letter = _letter(value)
        if letter is not None:
            yield f"a{letter}"
    else:
        yield from (value, value + 1, value - 1)


def _letter(value: object) -> str | None:
    """A text of one letter, or the letter that a number stands for; None for any other value."""
    if isinstance(value, str):
        return value if len(value) == 1 and value.isprintable() else None
    if type(value) is int and 0x80 <= value < 0x110000 and chr(value).isprintable():
        return chr(value)
    return None


def _of_text(value: str) -> Iterator[Word]:
    if is_pattern(value):
        yield from samples(value)
        return
    if 0 < len(value) <= _LONGEST_WORD:
        yield value
        if value.isalpha() and len(value) > 1:
            yield value.capitalize() if value.islower() else value.lower()
        elif not value.isalnum():
            yield f"a{value}b"
        if value.isascii() and value.isdigit():
            yield int(value)


def _constants(node: ast.AST) -> list[ast.Constant]:
    """The texts and numbers in a node, in order."""
    walked = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
    kept = [one for one in walked if type(one.value) in (str, bytes, int, float)]
    return sorted(kept, key=lambda one: (one.lineno, one.col_offset))


def _value(constant: ast.Constant) -> Word:
    value = constant.value
    assert isinstance(value, str | bytes | int | float)
    return value


def _children(node: ast.AST) -> list[ast.AST]:
    """Child nodes that have a place in the text; those of what has none in their stead."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        found += [child] if hasattr(child, "end_col_offset") else _children(child)
    return found
