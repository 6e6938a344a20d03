"""Derives values that may expose a mutant from constants near its position.

Keys of a table are looked up, patterns are matched, numbers are met exactly and one off. Default arguments are passed
explicitly: mutants in a sum of fields only show where no field is zero.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ....mutation.model import Mutant
from ....mutation.sites import SourceText
from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, parse_expression, parse_or_none, parse_python
from ....utils.regex_examples import is_pattern, samples
from ..model.model import CallableFacts, ModuleFacts, Parameter, Trial
from ..source.literals import ACT, literal_places, plain, with_source
from ..source.written_literals import written_literals

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
_MOST = 6
_NUMBERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "11")


class MutantValues:
    """Finds such values in one module.

    Raises:
        SyntaxError: the source is not Python.
    """

    def __init__(self, source: bytes) -> None:
        self._text = SourceText(source)
        self._tree = parse_python(self._text.data)
        self._written = written_literals([self._tree], patterns=False)

    def near(self, mutant: Mutant, *, early: bool) -> list[Word]:
        """Returns values for a mutant, the likeliest first; `early`: whether its line runs at import."""
        above = self._above(mutant)
        holder = next((one for one in reversed(above) if isinstance(one, _FUNCTIONS)), None)
        found: list[Word] = []
        if early and holder is not None and mutant.line >= holder.body[0].lineno:
            found = [_value(constant) for call in self._calls(holder.name) for constant in self._constants(call)]
        for row in reversed([one for one in above if isinstance(one, _ROWS)]):
            found += (
                self._pair(row, mutant) if isinstance(row, ast.Dict) else self._nearest(self._constants(row), mutant)
            )
            if found or isinstance(row, ast.stmt):
                break
        found += self._places(above)
        words = dict.fromkeys((type(word), word) for value in dict.fromkeys(found) for word in _derived_values(value))
        return [*self._letters(above), *(derived for _, derived in words)][:_MOST_WORDS]

    def _letters(self, above: list[ast.AST]) -> list[Word]:
        """Returns all keys of a table of letters as one text, which looks up every entry."""
        table = next((one for one in reversed(above) if isinstance(one, ast.Dict)), None)
        keys = [_letter(key.value) for key in table.keys if isinstance(key, ast.Constant)] if table is not None else []
        letters = [key for key in keys if key is not None]
        if table is None or len(letters) < max(_FEW_LETTERS, len(table.keys)) or len(letters) > _MOST_LETTERS:
            return []
        return ["".join(letters)]

    def _above(self, mutant: Mutant) -> list[ast.AST]:
        """Returns the nodes around the mutant's position, the module first."""
        above: list[ast.AST] = [self._tree]
        while True:
            inner = next((child for child in _children(above[-1]) if self._holds(child, mutant)), None)
            if inner is None:
                return above
            above.append(inner)

    def _holds(self, node: ast.AST, mutant: Mutant) -> bool:
        start, end = self._text.span(node)
        return start <= mutant.start and mutant.end <= end

    def _places(self, above: list[ast.AST]) -> list[Word]:
        """Returns the position's indexes in the sequences around it, for lookups by number."""
        chain = list(itertools.pairwise(above))
        tables = [(outer.elts, inner) for outer, inner in chain if isinstance(outer, ast.Tuple | ast.List)]
        return [items.index(inner) for items, inner in tables if len(items) > 2 and isinstance(inner, ast.expr)]

    def _nearest(self, constants: list[ast.Constant], mutant: Mutant) -> list[Word]:
        """Returns the values closest to the mutant's position, the changed one first."""
        places = [(abs(self._text.span(constant)[0] - mutant.start), at) for at, constant in enumerate(constants)]
        return [_value(constants[at]) for _, at in sorted(places)[:_MOST_BESIDE]]

    def _pair(self, row: ast.Dict, mutant: Mutant) -> list[Word]:
        """Returns the constants of the changed key or value and its counterpart."""
        for key, value in zip(row.keys, row.values, strict=True):
            if self._holds(value, mutant) or (key is not None and self._holds(key, mutant)):
                pair = [*(self._constants(key) if key is not None else []), *self._constants(value)]
                return [_value(one) for one in pair][:_MOST_BESIDE]
        return []

    def _constants(self, node: ast.AST) -> list[ast.Constant]:
        """Returns the text and number constants in a node, in order; no templates and messages, which are no input."""
        walked = [one for one in ast.walk(node) if isinstance(one, ast.Constant) and one not in self._written]
        kept = [one for one in walked if type(one.value) in (str, bytes, int, float)]
        return sorted(kept, key=lambda one: (one.lineno, one.col_offset))

    def _calls(self, name: str) -> Iterator[ast.Call]:
        for statement in self._tree.body:
            if isinstance(statement, ast.Expr | ast.Assign):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                        yield node


def with_values(trial: Trial, words: Iterable[Word]) -> list[Trial]:
    """Returns variants of the trial with each value in place of literals of its type."""
    places = literal_places(trial)
    found: list[Trial] = []
    for word in words:
        # Without a literal of the type, replace the first one: a table with text keys may have been tried with numbers.
        fitting = [place for place in places if _fits(place.value, word)][:_MOST_PLACES] or places[:1]
        for place in fitting:
            source = _source(word)
            if source is not None and word != place.value:
                found.append(with_source(trial, place, source))
    return found


def _source(word: Word) -> str | None:
    """Returns the value's source; large powers of ten are written as powers."""
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


def _derived_values(value: Word) -> Iterator[Word]:
    """Generates values to pass for a constant."""
    if isinstance(value, str):
        yield from _values_of_text(value)
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
    """Returns a one-letter text, or the letter with a number's code point; None for other values."""
    if isinstance(value, str):
        return value if len(value) == 1 and value.isprintable() else None
    if type(value) is int and 0x80 <= value < 0x110000 and chr(value).isprintable():
        return chr(value)
    return None


def _values_of_text(value: str) -> Iterator[Word]:
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


def _value(constant: ast.Constant) -> Word:
    value = constant.value
    assert isinstance(value, str | bytes | int | float)
    return value


def _children(node: ast.AST) -> list[ast.AST]:
    """Returns child nodes with a position; a node without one is replaced by its children."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        found += [child] if hasattr(child, "end_col_offset") else _children(child)
    return found


def with_explicit_defaults(trial: Trial, facts: ModuleFacts) -> list[Trial]:
    """Returns variants of the trial: all plain parameters passed in all calls, then in one call, then one at a time."""
    known = {item.name: item for item in facts.callables() if item.kind in ("function", "constructor", "classmethod")}
    known |= {callable_.qualname: callable_ for callable_ in facts.callables() if callable_.kind == "constructor"}
    found: list[Trial | None] = [_everywhere(trial, known)]
    for statement in (ACT, *range(len(trial.arrange))):
        text = trial.act if statement == ACT else trial.arrange[statement]
        tree = expression_or_none(text) if statement == ACT else parse_or_none(text)
        if tree is not None:
            calls = _calls(tree, known)
            found += [_changed(trial, statement, tree) for call, callee in calls for _ in _given(call, callee)]
    return list(dict.fromkeys(one for one in found if one is not None))[:_MOST]


def _everywhere(trial: Trial, known: Mapping[str, CallableFacts]) -> Trial | None:
    """Passes all parameters in every call, with other values in each, so that two objects of a call differ."""
    changed, count = trial, 0
    for statement in (*range(len(trial.arrange)), ACT):
        text = trial.act if statement == ACT else trial.arrange[statement]
        tree = expression_or_none(text) if statement == ACT else parse_or_none(text)
        if tree is None:
            return None
        more = 0
        for node, facts in _calls(tree, known):
            free = _free(node, facts, count + more)
            node.keywords += [ast.keyword(one.name, parse_expression(value)) for one, value in free]
            more += bool(free)
        count += more
        made = _changed(changed, statement, tree) if more else changed
        if made is None:
            return None
        changed = made
    return changed if count > 1 else None


def _calls(tree: ast.AST, known: Mapping[str, CallableFacts]) -> list[tuple[ast.Call, CallableFacts]]:
    """Returns the calls of the module's callables, in the order of the tree."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(call, known[name]) for call in calls if (name := last_name(call.func)) in known]


def _given(call: ast.Call, facts: CallableFacts) -> Iterator[None]:
    """Changes the call in place once for each variant, and restores it at the end."""
    free = _free(call, facts, 0)
    before = list(call.keywords)
    ways = [free, *([one] for one in free)] if len(free) > 1 else [[one] for one in free]
    for way in ways:
        call.keywords = [*before, *(ast.keyword(one.name, parse_expression(value)) for one, value in way)]
        yield
    call.keywords = before


def _free(call: ast.Call, facts: CallableFacts, shift: int) -> list[tuple[Parameter, str]]:
    """Returns plain parameters that a call leaves to their defaults, each with a value that depends on `shift`."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return []
    places = [parameter for parameter in facts.parameters if parameter.is_positional]
    taken = {place.name for place in places[: len(call.args)]} | {keyword.arg for keyword in call.keywords}
    return [
        (parameter, value)
        for number, parameter in enumerate(facts.parameters)
        if parameter.name not in taken and parameter.kind in ("positional_or_keyword", "keyword_only")
        for value in [_other(parameter, number + 3 * shift)]
        if value
    ]


def _other(parameter: Parameter, number: int) -> str:
    """Returns a value unlike the default, which must be a number or a boolean; else an empty string."""
    if parameter.default in ("True", "False"):
        return "False" if parameter.default == "True" else "True"
    try:
        float(parameter.default or "")
    except ValueError:
        return ""
    return _NUMBERS[number % len(_NUMBERS)]


def _changed(trial: Trial, statement: int, tree: ast.AST) -> Trial | None:
    text = ast.unparse(tree)
    if statement == ACT:
        return replace(trial, act=text, source="mutation", wanted=None, wanted_line=0)
    if "\n" in text:
        return None
    arrange = (*trial.arrange[:statement], text, *trial.arrange[statement + 1 :])
    return replace(trial, arrange=arrange, source="mutation", wanted=None, wanted_line=0)
