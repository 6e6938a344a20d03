"""Groups cases that share a shape into tables, which become parametrised tests.

Two cases share a shape if their code differs only in values: arguments of the same call, right-hand sides of the same
assignments, expected values. A group's text is `test_name__column__column`: the names of the test and its columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ....utils.names.case_names import snake_case
from ....utils.python_names import unique_name
from ....utils.python_source import parse_expression
from ..model.spec_case import Case, SpecExpectation
from ..source.case_shapes import NAMELESS, CaseShape, ParameterName
from ..source.polish import LONG_TEXT

MOST_ROWS = 24
MOST_COLUMNS = 5
LONGEST_CELL = 160
FEWEST_TOGETHER = 3
_MANY = 4
_KINDS: dict[type, str] = {
    str: "gives_text",
    bytes: "gives_bytes",
    int: "gives_a_number",
    float: "gives_a_number",
    bool: "gives_yes_or_no",
    type(None): "gives_none",
    ast.List: "gives_a_list",
    ast.Tuple: "gives_a_tuple",
    ast.Dict: "gives_a_dict",
    ast.Set: "gives_a_set",
}
_SHORTEST_ECHO = 6
_ORDER = ("first", "second", "third", "fourth", "fifth")
_TELLING_NOTHING = frozenset({NAMELESS, *"val item element elem key k v x n obj data".split()})
_RESERVED = frozenset({"request", "self", "cls", "capsys", "tmp_path", "monkeypatch"})
_WORD = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*$")
_TEXTS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_NAMES = re.compile(r"(?<![.\w'\"])[A-Za-z_]\w*(?!\w|=[^=])")


@dataclass(frozen=True, slots=True)
class Hole:
    """A position of the shape where rows may differ: `name` is a readable one, `taker` what is called with it."""

    name: str
    values: tuple[str, ...]
    taker: str = ""


@dataclass(frozen=True, slots=True)
class ParameterTable:
    """Cases as a template and rows: `template` has column names in place of the values of `rows` (in case order)."""

    template: Case
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The parts of a spec's `group`: the test's name without `test_`, and the names of its columns."""

    name: str
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The group as written in the spec: `intcomma__value__ndigits`."""
        return "__".join((self.name, *(column for column in self.columns if _WORD.match(column))))


def read_group(text: str) -> Group:
    """Parses the `group` of a spec."""
    name, *columns = text.split("__")
    return Group(name, tuple(columns))


def shape_key(case: Case) -> str | None:
    """Returns a key that is equal for cases of one shape; None if the case cannot join a table."""
    try:
        form = CaseShape(case)
    except SyntaxError:
        return None
    # A long text with line ends would be rendered over several lines, which do not fit into a row.
    longest = [LONG_TEXT if r"\n" in value else LONGEST_CELL for value in form.values]
    unfit = any(len(value) > most or "\n" in value for value, most in zip(form.values, longest, strict=True))
    return None if unfit else form.key


def tabulate(
    cases: Sequence[Case], names: Sequence[str] = (), parameter_name: ParameterName | None = None
) -> ParameterTable | None:
    """Returns the table of cases of one shape, or None if their shapes differ.

    Args:
        names: names of the columns; ignored unless there is one for each.
        parameter_name: returns the name of the parameter that receives a call's positional argument, or None.
    """
    if len(cases) < 2:
        return None
    try:
        forms = [CaseShape(case, parameter_name) for case in cases]
    except SyntaxError:
        return None
    if len({form.key for form in forms}) != 1:
        return None
    width = len(forms[0].values)
    first = forms[0]
    holes = [Hole(first.names[at], tuple(form.values[at] for form in forms), first.takers[at]) for at in range(width)]
    varying = [at for at, hole in enumerate(holes) if len(set(hole.values)) > 1]
    same = _echoes(holes, varying)
    varying = [at for at in varying if at not in same]
    if not varying or len(varying) > MOST_COLUMNS or _lifts_parts(holes, varying):
        return None
    taken = (_names_read(forms[0].read) | forms[0].locals) - forms[0].columns
    taken |= {name for at in range(width) if at not in varying for name in _names_read(holes[at].values[0])}
    given = len(names) == len(varying) and len(set(names)) == len(names) and not taken & set(names)
    columns = tuple(names) if given else _distinct(_in_order(_by_taker([holes[at] for at in varying])), taken)
    filling = {at: holes[at].values[0] for at in range(width)}
    filling.update(zip(varying, columns, strict=True))
    filling.update({at: filling[origin] for at, origin in same.items()})
    rows = tuple(tuple(form.values[at] for at in varying) for form in forms)
    if len(set(rows)) != len(rows) or any(_names_read(value) & forms[0].locals for row in rows for value in row):
        return None  # two rows alike, or a row that expects what only the test's body builds
    template, columns = _with_named_columns(forms[0].filled(filling), columns)
    return ParameterTable(template, columns, rows, tuple(cases))


def _lifts_parts(holes: Sequence[Hole], varying: Sequence[int]) -> bool:
    """Whether columns would be some of the many nameless arguments of one call, and the rest of these stay behind."""
    nameless = [at for at, hole in enumerate(holes) if hole.name == NAMELESS and hole.taker]
    for taker in {holes[at].taker for at in nameless}:
        own = [at for at in nameless if holes[at].taker == taker]
        lifted = sum(at in varying for at in own)
        if len(own) >= _MANY and 1 < lifted < len(own):
            return True
    return False


def _with_named_columns(template: Case, columns: tuple[str, ...]) -> tuple[Case, tuple[str, ...]]:
    """Takes a variable's name for the column that is only assigned to it: `year`, not `year = year_value`."""
    statements = list(template.statements)
    names = list(columns)
    for at, column in enumerate(columns):
        texts = [*statements, template.expression, *(part for one in template.expect for part in _parts(one))]
        assigned = [
            one for one in statements if one.endswith(f" = {column}") and one.partition(" = ")[0].isidentifier()
        ]
        if len(assigned) != 1 or sum(text.count(column) for text in texts) != assigned[0].count(column):
            continue
        variable = assigned[0].partition(" = ")[0]
        # pytest passes some names itself: they are no columns.
        if (
            variable in (*names, *template.fixtures, *_RESERVED)
            or sum(one.startswith(f"{variable} ") for one in statements) != 1
        ):
            continue
        statements.remove(assigned[0])
        names[at] = variable
    return replace(template, statements=tuple(statements)), tuple(names)


def _parts(one: SpecExpectation) -> tuple[str, ...]:
    return one.actual, one.value or "", one.match or ""


def _echoes(holes: Sequence[Hole], varying: Sequence[int]) -> dict[int, int]:
    """Finds columns that repeat another one in every row: of expected attributes the argument of the same name, a text
    that is passed or an expected value before it, and of texts that stand in several places."""
    found: dict[int, int] = {}
    given = [at for at in varying if not holes[at].name.startswith("expected")]
    for at in varying:
        for other in given:
            name = holes[at].name
            if at == other or name == "expected" or holes[at].values != holes[other].values:
                continue
            texts = all(value.startswith(("'", '"')) for value in holes[at].values)
            again = texts and other < at and other not in found
            if (texts and name.startswith("expected_")) or name == f"expected_{holes[other].name}" or again:
                found.setdefault(at, other)
    shown: dict[tuple[str, ...], int] = {}
    for at in varying:
        # Small numbers and flags are alike by chance.
        if at not in given and at not in found and min(map(len, holes[at].values)) >= _SHORTEST_ECHO:
            first = shown.setdefault(holes[at].values, at)
            found.update({at: first} if first != at else {})
    return found


def cases_by_shape(cases: Iterable[Case]) -> list[list[Case]]:
    """Groups cases by subject and shape, at most `MOST_ROWS` together; larger groups are split by outcome first."""
    found: dict[tuple[str, str], list[Case]] = {}
    for number, case in enumerate(cases):
        key = shape_key(case)
        found.setdefault((case.subject, key if key is not None else f"alone {number}"), []).append(case)
    split: list[list[Case]] = []
    for members in found.values():
        for part in _by_outcome(members) if len(members) > MOST_ROWS else [members]:
            count = -(-len(part) // MOST_ROWS)
            size = -(-len(part) // count)
            split += [part[start : start + size] for start in range(0, len(part), size)]
    return split


def _by_outcome(cases: Sequence[Case]) -> list[list[Case]]:
    """Groups cases by outcome; those with a rare outcome form one rest."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(common_outcome([case]), []).append(case)
    often = {name for name, members in found.items() if len(members) >= FEWEST_TOGETHER}
    together = [members for name, members in found.items() if name in often]
    rest = [case for case in cases if common_outcome([case]) not in often]
    if together and 0 < len(rest) < FEWEST_TOGETHER:
        together[-1] = [case for case in cases if case in together[-1] or case in rest]
        return together
    return [*together, rest] if rest else together


def common_outcome(cases: Sequence[Case]) -> str:
    """Returns the common outcome in words: `as_documented`, `unchanged`, `gives_a_list`; empty if they differ."""
    words = {_outcome(case) for case in cases}
    return words.pop() if len(words) == 1 else ""


def _outcome(case: Case) -> str:
    if case.documented:
        return "as_documented"
    one = case.expect[0]
    if one.kind not in ("equals", "approx", "is") or one.actual != "result" or one.value is None:
        return ""
    act, value = parse_expression(case.expression), parse_expression(one.value)
    if isinstance(act, ast.Call) and any(ast.dump(given) == ast.dump(value) for given in act.args):
        return "unchanged"
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    kind = type(value.value) if isinstance(value, ast.Constant) else type(value)
    given = act.args if isinstance(act, ast.Call) else []
    if kind is str and any(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in given):
        return "gives_other_text"
    return _KINDS.get(kind, "")


def _names_read(text: str) -> set[str]:
    code = _TEXTS.sub("''", text)
    return {name for name in _NAMES.findall(code) if not name.startswith("__testwright")}


def _by_taker(holes: Sequence[Hole]) -> list[str]:
    """Names several nameless columns by the calls that take them, where these differ: `value_to_add`, `value_to_count`.

    They stand in no order to each other.
    """
    names = [hole.name for hole in holes]
    found = list(names)
    for name in _TELLING_NOTHING:
        at = [number for number, other in enumerate(names) if other == name]
        takers = [holes[number].taker for number in at]
        if len(set(takers)) > 1 and all(taker.startswith(".") or taker[:1].isupper() for taker in takers):
            for number, taker in zip(at, takers, strict=True):
                word = snake_case(taker.strip("._"))
                found[number] = f"{name}_to_{word}" if taker.startswith(".") else f"initial_{name}"
    return found


def _in_order(names: Sequence[str]) -> list[str]:
    """Names several columns of one name by their order: `first`, `second` of nameless ones, else `first_side`."""
    found = list(names)
    again = [name for name in dict.fromkeys(names) if names.count(name) > 1 and not name.startswith("expected")]
    nameless = next((name for name in again if name in _TELLING_NOTHING), NAMELESS)
    for name in again:
        at = [number for number, other in enumerate(names) if other == name]
        for number, word in zip(at, _ORDER, strict=False):
            found[number] = word if name == nameless else f"{word}_{name}"
    return found


def _distinct(names: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Makes names distinct from each other and from names that the code reads."""
    used = set(taken)
    found: list[str] = []
    for name in names:
        base = name if name.isidentifier() else "value"
        # What the object holds afterwards, beside what the call returns.
        other = "expected_state" if base == "expected" else f"{base}_value"
        plain = [choice for choice in (base, other) if choice not in used]
        found.append(plain[0] if plain else unique_name(base, used))
        used.add(found[-1])
    return tuple(found)


_NUMBER = re.compile(r"_\d+$")


def merge_tables(blocks: Sequence[list[Case]]) -> list[list[Case]]:
    """Merges tables of one shape after cases were dropped; returns lists of rows in order of appearance.

    A table with a single row left joins another of its shape; parts of a split table are joined where they fit.
    """
    found: list[list[Case]] = []
    shapes: list[tuple[str, str] | None] = []
    for block in blocks:
        key = _shape(block)
        at = next((at for at, shape in enumerate(shapes) if shape == key and _can_merge(found[at], block)), None)
        if key is None or at is None:
            found.append(list(block))
            shapes.append(key)
            continue
        group = _merged_group(found[at], block)
        found[at] = [replace(case, group=group) for case in (*found[at], *block)]
    return found


def _shape(block: Sequence[Case]) -> tuple[str, str] | None:
    """Returns subject and shape of the rows; None for a test outside tables."""
    if not all(case.group for case in block):
        return None
    keys = {(case.subject, shape_key(case)) for case in block}
    subject, key = keys.pop()
    return (subject, key) if key is not None and not keys else None


def _can_merge(host: Sequence[Case], block: Sequence[Case]) -> bool:
    alike = len(host) == 1 or len(block) == 1 or _name_without_number(host) == _name_without_number(block)
    return alike and len(host) + len(block) <= MOST_ROWS


def _group_of(block: Sequence[Case]) -> Group:
    return read_group(block[0].group or "")


def _name_without_number(block: Sequence[Case]) -> str:
    return _NUMBER.sub("", _group_of(block).name)


def _merged_group(host: Sequence[Case], block: Sequence[Case]) -> str:
    """Returns the group of two merged tables: the larger one's, or the shorter name if both are parts of one table.

    Of two that are equally large, it is the one that the ids of the most rows begin with.
    """
    larger = _group_of(block if len(block) > len(host) else host)
    names = [_group_of(one).name for one in (host, block)]
    if _name_without_number(host) == _name_without_number(block):
        return Group(min(names, key=len), larger.columns).text
    if len(block) == len(host):
        ids = [case.id for case in (*host, *block)]
        name = max(names, key=lambda one: (sum(text.startswith(f"tc_{one}_") for text in ids), len(one)))
        return Group(name, larger.columns).text
    return larger.text
