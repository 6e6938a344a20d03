"""Cases that share a shape become the rows of one table (a parametrised test).

Two cases share a shape when their code differs only in values: arguments of the same call, right-hand sides of the same
assignments, expected values.
A group reads `test_name__column__column`, so that whoever renders it knows what to call the test and its columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ....utils.python_source import parse_expression
from ..model.spec_case import Case
from ..source.case_shapes import NAMELESS, CaseShape, ParameterName
from ..source.polish import LONG_TEXT

MOST_ROWS = 24
MOST_COLUMNS = 5
LONGEST_CELL = 160
FEWEST_TOGETHER = 3
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
_ORDER = ("first", "second", "third", "fourth", "fifth")
_WORD = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*$")
_TEXTS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_NAMES = re.compile(r"(?<![.\w'\"])[A-Za-z_]\w*(?!\w|=[^=])")


@dataclass(frozen=True, slots=True)
class Hole:
    """A place of the shape where rows may differ. `name` is what a reader would call it."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseTable:
    """Cases as one template and rows: `template` has the columns' names where `rows` (in case order) have values."""

    template: Case
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A spec's `group` taken apart: the test's name without `test_`, and what its columns are called."""

    name: str
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The group as it stands in the spec: `intcomma__value__ndigits`."""
        return "__".join((self.name, *(one for one in self.columns if _WORD.match(one))))


def read_group(text: str) -> Group:
    """A group from a spec."""
    name, *columns = text.split("__")
    return Group(name, tuple(columns))


def shape_key(case: Case) -> str | None:
    """A key that is equal for cases of one shape; None where a case has to stand alone."""
    try:
        form = CaseShape(case)
    except SyntaxError:
        return None
    if any(len(value) > LONGEST_CELL or "\n" in value or _in_lines(value) for value in form.values):
        return None
    return form.key


def _in_lines(value: str) -> bool:
    """Whether a text would be written a line at a time, which needs more room than a row has."""
    return r"\n" in value and len(value) > LONG_TEXT


def tabulate(
    cases: Sequence[Case], names: Sequence[str] = (), parameter_name: ParameterName | None = None
) -> CaseTable | None:
    """The table of cases of one shape, or None when they have none in common.

    Args:
        names: what to call the columns; ignored unless there is one for each.
        parameter_name: what the parameter is called that a call's positional argument goes to, None where unknown.
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
    holes = [Hole(forms[0].names[at], tuple(form.values[at] for form in forms)) for at in range(width)]
    varying = [at for at, hole in enumerate(holes) if len(set(hole.values)) > 1]
    same = _echoes(holes, varying)
    varying = [at for at in varying if at not in same]
    if not varying or len(varying) > MOST_COLUMNS:
        return None
    taken = _names_read(forms[0].key) | forms[0].locals
    taken |= {name for at in range(width) if at not in varying for name in _names_read(holes[at].values[0])}
    given = len(names) == len(varying) and len(set(names)) == len(names) and not taken & set(names)
    columns = tuple(names) if given else _distinct(_in_order([holes[at].name for at in varying]), taken)
    filling = {at: holes[at].values[0] for at in range(width)}
    filling.update(zip(varying, columns, strict=True))
    filling.update({at: filling[origin] for at, origin in same.items()})
    rows = tuple(tuple(form.values[at] for at in varying) for form in forms)
    if len(set(rows)) != len(rows):
        return None
    return CaseTable(forms[0].filled(filling), columns, rows, tuple(cases))


def _echoes(holes: Sequence[Hole], varying: Sequence[int]) -> dict[int, int]:
    """Expected values of an attribute that are, in every row, what was given for a parameter of the same name."""
    found: dict[int, int] = {}
    for at in varying:
        for other in varying:
            if holes[at].name == f"expected_{holes[other].name}" and holes[at].values == holes[other].values:
                found[at] = other
    return found


def cases_by_shape(cases: Iterable[Case]) -> list[list[Case]]:
    """Cases by subject and shape, each in order, at most `MOST_ROWS` together; cases that stand alone come alone.

    Of more than that, those with one outcome stand together.
    """
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
    """Cases with one outcome together, those with a rare one in one rest."""
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
    """What all cases come to, in slug words: `as_documented`, `unchanged`, `gives_a_list`; empty where they differ."""
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
    if kind is str and isinstance(act, ast.Call) and any(_is_text(given) for given in act.args):
        return "gives_other_text"
    return _KINDS.get(kind, "")


def _names_read(text: str) -> set[str]:
    code = _TEXTS.sub("''", text)
    return {name for name in _NAMES.findall(code) if not name.startswith("__testwright")}


def _in_order(names: Sequence[str]) -> list[str]:
    """Names with `first`, `second` for what several nameless arguments are given."""
    if names.count(NAMELESS) < 2:
        return list(names)
    order = iter(_ORDER)
    return [next(order) if one == NAMELESS else one for one in names]


def _distinct(names: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Names made different from each other and from those the code reads already."""
    used = set(taken)
    found: list[str] = []
    for name in names:
        base = name if name.isidentifier() else "value"
        choice, number = base, 2
        if choice in used:
            choice = f"{base}_value"
        while choice in used:
            choice, number = f"{base}_{number}", number + 1
        used.add(choice)
        found.append(choice)
    return tuple(found)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


_NUMBER = re.compile(r"_\d+$")


def merge_tables(blocks: Sequence[list[Case]]) -> list[list[Case]]:
    """The tests of one section, each a list of rows, in order of appearance.

    A table of which one row is left joins one of the same shape, and so do the parts of one that was too long.
    """
    found: list[list[Case]] = []
    shapes: list[tuple[str, str] | None] = []
    for block in blocks:
        key = _shape(block)
        at = next((at for at, one in enumerate(shapes) if one == key and _fits(found[at], block)), None)
        if key is None or at is None:
            found.append(list(block))
            shapes.append(key)
            continue
        group = _joint(found[at], block)
        found[at] = [replace(case, group=group) for case in (*found[at], *block)]
    return found


def _shape(block: Sequence[Case]) -> tuple[str, str] | None:
    """What all rows have in common; None for a test that belongs to no table."""
    if not all(case.group for case in block):
        return None
    keys = {(case.subject, shape_key(case)) for case in block}
    subject, key = keys.pop()
    return (subject, key) if key is not None and not keys else None


def _fits(host: Sequence[Case], block: Sequence[Case]) -> bool:
    if len(host) + len(block) > MOST_ROWS:
        return False
    return len(host) == 1 or len(block) == 1 or _stem(host) == _stem(block)


def _group(block: Sequence[Case]) -> Group:
    return read_group(block[0].group or "")


def _stem(block: Sequence[Case]) -> str:
    return _NUMBER.sub("", _group(block).name)


def _joint(host: Sequence[Case], block: Sequence[Case]) -> str:
    """The name of the larger one, the shorter where they are parts of one; its columns."""
    larger = _group(block if len(block) > len(host) else host)
    names = [_group(one).name for one in (host, block)]
    name = min(names, key=len) if _stem(host) == _stem(block) else larger.name
    return Group(name, larger.columns).text
