"""Names the rows of a table by what sets each apart: `smaller_width`, `months_later`, `unchanged`, `number_as_start`.

Digits of values are no reasons: a row is named by them only where nothing else tells it from the others.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from .....utils.names.case_names import snake_case
from .....utils.python_names import last_name
from .....utils.python_source import literal_or
from ...inputs.plain_texts import is_sample
from ...source.message_words import phrase_of
from ...source.moments import moment_words
from ...source.titles import cut_slug, has_digit
from ..value_features import (
    METASYNTACTIC,
    distinct_words,
    feature_beside,
    is_unsorted,
    item_count,
    made_words,
    number_of,
    with_feature,
)
from .moment_rows import between_moments, is_moment, words_of_moments
from .search_words import index_words, search_words

LONGEST_ROW = 40
_LETTER_OR_TWO = 2
_KEY = "key"
_ITEMS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
# Names that say nothing of a number.
_NAMELESS = frozenset({"value", "number", "n", "x", "val", "item"})
_RANKS = {2: ("smaller", "larger"), 3: ("smallest", "middle", "largest")}
_RELATIONS = {-1: "smaller", 0: "equal", 1: "larger"}
_ORDERS = {-1: "ascending", 0: "equal", 1: "descending"}
_SIZES = {2: ("shorter", "longer"), 3: ("shortest", "middle", "longest")}


def words_of_rows(
    given: Mapping[str, Sequence[ast.expr]],
    expected: Mapping[str, Sequence[ast.expr]],
    *,
    clock: str = "",
    beside: float | None = None,
    searched: bool = True,
) -> list[str]:
    """Names each row by the values of as few columns as tell all rows apart; what is expected only where it must.

    Args:
        given: the values of a table's columns, by their names; without any, what is expected counts.
        expected: values of the columns that hold what is expected.
        clock: the column that holds the moment at which the clock stands still; empty without one.
        beside: the only number that all rows share; None without one.
        searched: whether a value may be looked for in a list; else a number may be an index of it.
    """
    cells = given or expected
    if beside is not None and len(cells) == 1 and (ranked := _beside(next(iter(cells.values())), beside)):
        return ranked
    if sought := search_words(cells) if searched else index_words(cells):
        return sought
    count = len(next(iter(cells.values())))
    reasons = {name: _reasons(name, nodes, expected, alone=len(cells) == 1) for name, nodes in cells.items()}
    if related := between_moments(cells, clock):
        return related
    if clock in reasons:
        reasons[clock] = [moment_words(node) for node in cells[clock]]
    if odd := _of_odd_kinds(cells, count):
        return odd
    if order := _in_order(cells):
        return order
    found = _joined(reasons, cells, count)
    plain = {name: distinct_words(nodes) for name, nodes in cells.items()}
    # Where what goes in looks alike in words, what comes out tells rows apart.
    outcomes = {name: _of_outcomes(name, nodes) for name, nodes in expected.items()}
    return (
        found
        or _joined(plain, cells, count)
        or _joined(outcomes, expected, count)
        or _parted(list(plain.values()), list(outcomes.values()))
    )


def _beside(nodes: Sequence[ast.expr], shared: float) -> list[str]:
    """Names numbers by how they stand to the one that all rows share; nothing unless one is equal to it."""
    found = _compared([(number_of(node), shared) for node in nodes], _RELATIONS)
    return found if "equal" in found else []


def _in_order(cells: Mapping[str, Sequence[ast.expr]]) -> list[str]:
    """Names rows of `first` and `second` number by which is larger; nothing unless that tells all rows apart."""
    if set(cells) != {"first", "second"}:
        return []
    firsts, seconds = map(number_of, cells["first"]), map(number_of, cells["second"])
    return _compared(list(zip(firsts, seconds, strict=True)), _ORDERS)


def _compared(pairs: Sequence[tuple[float | None, float | None]], words: Mapping[int, str]) -> list[str]:
    """Says of each pair which number is larger; nothing unless all are numbers, and that tells all pairs apart."""
    found = [words[(one > two) - (one < two)] for one, two in pairs if one is not None and two is not None]
    return found if len(set(found)) == len(pairs) else []


def _parted(plain: Sequence[Sequence[str]], outcomes: Sequence[Sequence[str]]) -> list[str]:
    """Joins the words of all columns; by `and`, and with what comes out, where a row is like another one otherwise."""
    found = [cut_slug("_".join(row), LONGEST_ROW) for row in zip(*plain, strict=True)]
    for columns, joint in ((plain, "_and_"), ((*plain, *outcomes), "_")):
        parted = ([part for part in row if part] for row in zip(*columns, strict=True))
        other = [cut_slug(joint.join(row), LONGEST_ROW) for row in parted]
        alike = [word for word in found if found.count(word) > 1]
        told = [mine if word in alike else word for word, mine in zip(found, other, strict=True)]
        found = told if len(set(told)) > len(set(found)) else found
    return found


def _of_outcomes(name: str, nodes: Sequence[ast.expr]) -> list[str]:
    """Describes what is expected by what it is of: `path_apple`, `empty_path`; `gives_apple` of the result itself."""
    if name == "message":  # a phrase that is cut would say something else
        return [phrase_of(said) if isinstance(said := literal_or(node, ""), str) else "" for node in nodes]
    noun = name.removeprefix("expected").strip("_")
    found = [word.removesuffix("_string") for word in distinct_words(nodes)]
    if not noun:
        return [f"gives_{word if word != 'empty' else 'nothing'}" for word in found]
    return [f"{word}_{noun}" if word == "empty" else f"{noun}_{word}" for word in found]


def _joined(words: Mapping[str, Sequence[str]], cells: Mapping[str, Sequence[ast.expr]], count: int) -> list[str]:
    """Joins the words of as few columns as tell all rows apart, those without digits first; nothing where none do."""
    order = list(words)
    varied = sorted(
        words,
        key=lambda name: (
            len({ast.dump(node) for node in cells[name]}) == 1,
            len(set(words[name])) < count or any(map(has_digit, words[name])),
            name == _KEY,  # where the result is looked at tells less than what went in
            not any(word.startswith("empty") for word in words[name]),  # that one is empty is what sets it apart
            -len({ast.dump(node) for node in cells[name]}),
            order.index(name),
        ),
    )
    for number in range(1, len(varied) + 1):
        chosen = sorted(varied[:number], key=order.index)
        found = [
            cut_slug("_".join(words[name][row] for name in chosen).strip("_"), LONGEST_ROW) for row in range(count)
        ]
        if len(set(found)) == count and all(found):
            return found
    return []


def _reasons(
    name: str, nodes: Sequence[ast.expr], expected: Mapping[str, Sequence[ast.expr]], *, alone: bool
) -> list[str]:
    """Says of each value of a column what sets it apart from the others; in digits where nothing else does."""
    words = distinct_words(nodes)
    kinds = [_kind(node) for node in nodes]
    noun = _noun(name)
    if len(set(kinds)) > 1:
        return [_of_kind(node, kinds, noun) or word for node, word in zip(nodes, words, strict=True)]
    if kinds[0] == "number":
        return _ranked(nodes, words, "" if alone or noun in _NAMELESS else noun)
    if kinds[0] == "moment":
        return words_of_moments(nodes) or words
    if kinds[0] == "items":
        return _sized(nodes, words)
    return _of_texts(nodes, words, expected if alone else {}) if kinds[0] == "text" else words


def _noun(name: str) -> str:
    return snake_case(name.removesuffix("_value")) or "value"


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or node.value is None:
            return str(node.value)
        return "text" if isinstance(node.value, str) else "number" if isinstance(node.value, int | float) else "other"
    if number_of(node) is not None:
        return "number"
    if isinstance(node, _ITEMS):
        return "items"
    if isinstance(node, ast.Call):
        return "moment" if is_moment(node) else last_name(node.func)
    return "other"


def _of_kind(node: ast.expr, kinds: Sequence[str], noun: str) -> str:
    """Names the only value of its kind by the kind, as `number_as_start`; empty for others."""
    kind = _kind(node)
    if kinds.count(kind) > 1:
        return ""
    brief = len(noun) <= _LETTER_OR_TWO  # `number_as_v` says no more than `number`
    if kind in ("True", "False"):
        return kind.lower() if brief or noun in _NAMELESS else noun if kind == "True" else f"not_{noun}"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Constant)
    ):
        return made_words(noun, node)
    number = number_of(node)
    if kind == "slice":
        return kind
    if "slice" in kinds and kind == "number" and number is not None:
        return f"negative_{noun}" if number < 0 else noun
    if kind == "None":
        return "none" if brief else f"no_{noun}"
    if len(kinds) == 2 and noun in _NAMELESS and (kind == "number" or is_filler(node)):
        return kind
    if kind == "text" or (kind == "items" and item_count(node)):
        return "" if len(kinds) == 2 else kind if brief else f"{kind}_as_{noun}"
    if kind == "number" and number:
        return f"negative_{kind if brief else noun}" if number < 0 else kind if brief else f"number_as_{noun}"
    return ""


def _of_odd_kinds(cells: Mapping[str, Sequence[ast.expr]], count: int) -> list[str]:
    """Names each row by its one argument of another kind than in other rows; nothing unless each has such a one."""
    found: list[str] = []
    for row in range(count):
        words = [
            word
            for name, nodes in cells.items()
            if _kind(nodes[row]) in ("number", "None", "slice")
            and (word := _of_kind(nodes[row], [_kind(node) for node in nodes], _noun(name)))
        ]
        found += words[:1]
    return found if len(set(found)) == count else []


def _ranked(nodes: Sequence[ast.expr], words: list[str], noun: str) -> list[str]:
    """Describes numbers by what they are alone, else by their order; without a noun where there is but one column."""
    numbers = [number_of(node) or 0 for node in nodes]
    distinct = sorted(set(numbers))
    ranks = _RANKS.get(len(distinct))
    found: list[str] = []
    for at, node in enumerate(nodes):
        others = [other for number, other in enumerate(nodes) if numbers[number] != numbers[at]]
        feature = feature_beside(node, others) if others else ""
        if feature:
            found.append(with_feature(feature, noun) if noun else feature)
        elif ranks:
            rank = ranks[distinct.index(numbers[at])]
            found.append(f"{rank}_{noun}" if noun else rank)
        else:
            found.append(words[at])
    return found


def _sized(nodes: Sequence[ast.expr], words: list[str]) -> list[str]:
    """Describes containers of which values and features are no words by their size."""
    digits = [at for at, word in enumerate(words) if has_digit(word)]
    if len(digits) == 1 and is_unsorted(nodes[digits[0]]) and sum(map(is_unsorted, nodes)) == 1:
        return [*words[: digits[0]], "unsorted", *words[digits[0] + 1 :]]
    sizes = [item_count(node) for node in nodes]
    names = _SIZES.get(len(nodes))
    if names is None or len(set(sizes)) < len(nodes):
        return words
    if not any(has_digit(word) or "_of_" in word for word in words):
        return words
    ordered = sorted(sizes)
    return [names[ordered.index(size)] for size in sizes]


def _of_texts(nodes: Sequence[ast.expr], words: list[str], expected: Mapping[str, Sequence[ast.expr]]) -> list[str]:
    """Describes texts: a word for a word's sake by what it is, one of digits by its features or its letters."""
    results = next(iter(expected.values()), ())
    kept = [at for at, node in enumerate(nodes) if at < len(results) and ast.dump(results[at]) == ast.dump(node)]
    found: list[str] = []
    for at, (node, word) in enumerate(zip(nodes, words, strict=True)):
        filler = is_filler(node)
        if kept == [at] and len(nodes) > 1 and (filler or has_digit(word)):
            found.append("unchanged")
        elif filler and not any(_is_word(other) for other in nodes if other is not node):
            found.append("plain_word")
        elif has_digit(word):
            others = [other for number, other in enumerate(nodes) if number != at]
            letters = "_".join(part for part in word.split("_") if part.isalpha())
            found.append(feature_beside(node, others) or (letters if len(letters) > 2 else word))
        else:
            found.append(word)
    return found if len(set(found)) == len(found) else words


def is_filler(node: ast.expr) -> bool:
    """Whether a text is a word for the sake of a word."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return (is_sample(text) and text.isalpha()) or text in METASYNTACTIC


def _is_word(node: ast.expr) -> bool:
    """Whether a text is made of letters only, so that it is told by itself."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isalpha()
