"""Repairs specs, and removes cases from specs and test files, according to validation errors.

The same errors give the same repair.
A case is kept or removed as a whole: no expectation is dropped or weakened to remove an error.
"""

from __future__ import annotations

import ast
import copy
import re
import subprocess
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from ....core.errors import AgentFailure, EnvironmentFault
from ....utils.names.case_names import TestNode, cases_of_test, owned_tests, row_case, rows_of
from ....utils.python_names import unique_name
from ....utils.python_source import parse_or_none
from ..model.spec_case import Case
from .compose import SCHEMA_VERSION
from .render import file_source
from .unused_helpers import left_behind

_PLACE = re.compile(r"^\$\.(?P<section>\w+)(?:\[(?P<index>\d+)\])?(?P<rest>.*)$")
_LISTS = ("imports", "suspected_defects", "not_reached")
_CUTTABLE = re.compile(r"^\.(title|expected|preconditions\[\d+\]|steps\[\d+\])$")
_CUT_LENGTH = 280
_OTHER_TYPES = ("api", "integration", "e2e", "performance")
_UNUSED_IMPORTS = ("check", "--isolated", "--select", "F401", "--fix", "--quiet", "--exit-zero", "-")
_SECONDS = 60


@dataclass(slots=True)
class Repair:
    """A repaired spec; `dropped` maps removed case ids to reasons, `changes` describes the other changes."""

    spec: dict[str, Any]
    dropped: dict[str, str] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)


def repair_spec(spec: Mapping[str, Any], errors: Iterable[Mapping[str, Any]]) -> Repair:
    """Repairs or removes the parts of a spec that errors refer to. Warnings change nothing.

    Args:
        errors: of `validate_test_spec`: `path`, `message`, `severity`, and `rule` where there is one.
    """
    repair = Repair(copy.deepcopy(dict(spec)))
    removals: dict[str, dict[int, str]] = {name: {} for name in ("cases", *_LISTS)}
    for error in errors:
        if error.get("severity", "error") != "error":
            continue
        place = _PLACE.match(str(error.get("path", "")))
        if place is None:
            continue
        section, index = place["section"], place["index"]
        if index is None:
            _repair_property(repair, section, error)
        elif section == "cases":
            if not _repair_case(repair, int(index), place["rest"], error):
                removals["cases"].setdefault(int(index), str(error.get("message", "")))
        elif section in removals:
            removals[section].setdefault(int(index), str(error.get("message", "")))
    _remove(repair, removals)
    return repair


def without_cases(spec: Mapping[str, Any], case_ids: Iterable[str]) -> dict[str, Any]:
    """Returns the spec without some cases; a group with a single row left stays a group."""
    left_out = set(case_ids)
    kept = [case for case in spec.get("cases", ()) if case.get("id") not in left_out]
    return {**spec, "cases": copy.deepcopy(kept)}


def unrenderable_cases(spec: Mapping[str, Any], framework: str) -> dict[str, str]:
    """Returns ids of cases that do not render as a test, with the reason."""
    cases: list[Case] = []
    broken: dict[str, str] = {}
    for at, data in enumerate(spec.get("cases", ())):
        try:
            cases.append(Case.from_json(data))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            name = str(data.get("id") or f"cases[{at}]") if isinstance(data, Mapping) else f"cases[{at}]"
            broken[name] = f"the case is incomplete: {error}"
    if not _problem(cases, spec, framework):
        return broken
    for case in cases:
        problem = _problem([case], spec, framework)
        if problem:
            broken[case.id] = problem
    return broken


def offending_cases(source: str, errors: Iterable[Mapping[str, Any]], known: Container[str] = ()) -> dict[str, str]:
    """Returns ids of the cases that errors of a test file refer to, with the first message for each.

    An error outside every test, or in a file that does not parse, refers to no case.

    Args:
        known: case ids that test names may encode.
    """
    ranges = case_ranges(source, known)
    found: dict[str, str] = {}
    for error in errors:
        line = int(error.get("line") or 0)
        around = [range_ for range_ in ranges if range_.first <= line <= range_.last]
        if not around:
            continue
        nearest = min(around, key=lambda one: one.last - one.first)
        for case_id in nearest.case_ids:
            found.setdefault(case_id, str(error.get("message", "")))
    return found


@dataclass(frozen=True, slots=True)
class CaseRange:
    """The lines of a test, or of one row of it, and the ids of the cases there."""

    first: int
    last: int
    case_ids: tuple[str, ...]


def case_ranges(source: str, known: Container[str] = ()) -> list[CaseRange]:
    """Returns the line range of each case in a test file; none for a file that does not parse.

    Args:
        known: case ids that test names may encode; see `utils/case_names.py`.
    """
    tree = parse_or_none(source)
    found: list[CaseRange] = []
    for test, owner in owned_tests(tree) if tree else ():
        for node, row in rows_of(test):
            name = row_case(owner, test, row, known)
            found.append(CaseRange(node.lineno, node.end_lineno or node.lineno, (name,) if name else ()))
        first = min([test.lineno, *(decorator.lineno for decorator in test.decorator_list)])
        found.append(CaseRange(first, test.end_lineno or test.lineno, cases_of_test(test, owner, known)))
    return found


def _problem(cases: Sequence[Case], spec: Mapping[str, Any], framework: str) -> str:
    """Returns why cases do not render as a file; empty if they do."""
    if not cases:
        return ""
    target = spec.get("target") or {}
    try:
        file_source(cases, framework, imports=spec.get("imports") or (), module=str(target.get("module") or ""))
    except AgentFailure as failure:
        return failure.message
    return ""


def _repair_property(repair: Repair, section: str, error: Mapping[str, Any]) -> None:
    spec = repair.spec
    is_unit = spec.get("test_type") not in _OTHER_TYPES
    fixed = {"schema_version": SCHEMA_VERSION, "test_type": "unit", "language": "python"} if is_unit else {}
    if section in fixed and spec.get(section) != fixed[section]:
        spec[section] = fixed[section]
        repair.changes.append(f"{section} set to {fixed[section]}")
    elif section == "title":
        spec["title"] = " ".join(str(spec.get("title") or "Unit tests").split())[:_CUT_LENGTH]
        repair.changes.append("title rewritten")
    elif section == "imports" and error.get("rule") == "target_not_imported":
        module = str((spec.get("target") or {}).get("module") or "")
        if module:
            spec["imports"] = sorted({*(spec.get("imports") or ()), f"import {module}"})
            repair.changes.append(f"import of {module} added")
    elif section == "imports" and error.get("rule") == "uniqueItems":
        spec["imports"] = list(dict.fromkeys(spec.get("imports") or ()))
        repair.changes.append("repeated imports removed")
    elif error.get("rule") == "unknown" and section in spec:
        del spec[section]
        repair.changes.append(f"unknown property {section} removed")


def _repair_case(repair: Repair, index: int, rest: str, error: Mapping[str, Any]) -> bool:
    """Repairs a case without changing its expectations; False if the case must be removed."""
    cases = repair.spec.get("cases") or []
    if index >= len(cases) or not isinstance(cases[index], dict):
        return False
    case, rule = cases[index], error.get("rule")
    if rule == "duplicate_id":
        taken = {one.get("id") for one in cases if isinstance(one, dict)}
        case["id"] = unique_name(str(case.get("id")), taken)
        repair.changes.append(f"cases[{index}] renamed to {case['id']}")
        return True
    if rule == "unknown" and re.fullmatch(r"\.\w+", rest) and rest[1:] in case:
        del case[rest[1:]]
        repair.changes.append(f"unknown property {rest[1:]} of cases[{index}] removed")
        return True
    if rule == "maxLength" and _CUTTABLE.match(rest):
        _cut(case, rest)
        repair.changes.append(f"cases[{index}]{rest} shortened")
        return True
    return _repair_evidence(repair, case, index, rest, rule)


def _repair_evidence(repair: Repair, case: dict[str, Any], index: int, rest: str, rule: Any) -> bool:
    found = re.match(r"^\.expect\[(\d+)\]", rest)
    expect = case.get("expect")
    if found is None or not isinstance(expect, list) or int(found[1]) >= len(expect):
        return False
    one = expect[int(found[1])]
    if not isinstance(one, dict):
        return False
    if rule == "lines_reversed":
        one["evidence"]["lines"] = sorted(one["evidence"]["lines"])
        repair.changes.append(f"lines of cases[{index}] put in order")
        return True
    if rule == "no_evidence":
        path = (repair.spec.get("target") or {}).get("path")
        one["evidence"] = {"path": path, "lines": [1, 1]}
        repair.changes.append(f"evidence added to cases[{index}]")
        return bool(path)
    return False


def _cut(case: dict[str, Any], rest: str) -> None:
    name, _, position = rest[1:].rstrip("]").partition("[")
    if position:
        case[name][int(position)] = str(case[name][int(position)])[:_CUT_LENGTH]
    else:
        case[name] = str(case[name])[:_CUT_LENGTH]


def _remove(repair: Repair, removals: Mapping[str, Mapping[int, str]]) -> None:
    spec = repair.spec
    for name in _LISTS:
        items = spec.get(name)
        if isinstance(items, list) and removals[name]:
            spec[name] = [item for at, item in enumerate(items) if at not in removals[name]]
            repair.changes.append(f"{len(items) - len(spec[name])} of {name} left out")
    cases = spec.get("cases")
    if not isinstance(cases, list):
        return
    for at in sorted(removals["cases"]):
        if at < len(cases):
            data = cases[at]
            name = str(data.get("id") or f"cases[{at}]") if isinstance(data, dict) else f"cases[{at}]"
            repair.dropped[name] = removals["cases"][at]
    spec["cases"] = [case for at, case in enumerate(cases) if at not in removals["cases"]]


def without_tests(source: str, drop: Collection[str]) -> str:
    """Removes the tests, or the parametrised rows, of some cases.

    A test of several cases is removed only with all of them. Classes without tests, unused imports, and
    functions and constants that only removed tests used are removed too.
    A file that does not parse is returned unchanged.

    Raises:
        EnvironmentFault: ruff, which removes the imports, cannot be run.
    """
    tree = parse_or_none(source)
    spans = list(_spans(tree.body, set(drop))) if tree else []
    if not spans:
        return source
    cut = _without(source, spans)
    return _without_unused_imports(_without(cut, left_behind(source, cut)))


def _without(source: str, nodes: Sequence[ast.AST]) -> str:
    data = source.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for first, last in sorted({_bytes(node, starts, data) for node in nodes}, reverse=True):
        data = data[:first] + data[last:]
    return data.decode()


def proven_cases(source: str, known: Container[str] = ()) -> set[str]:
    """Returns ids of all cases in a test file.

    Args:
        known: case ids that test names may encode; see `utils/case_names.py`.
    """
    return {name for range_ in case_ranges(source, known) for name in range_.case_ids}


def _spans(body: list[ast.stmt], drop: set[str], owner: str | None = None) -> Iterator[ast.AST]:
    """Generates the nodes to remove."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            tests = [statement for statement in node.body if _is_test(statement)]
            dropped = [test for test in tests if _is_dropped(test, node.name, drop)]
            if tests and len(dropped) == len(tests):
                yield node
            else:
                yield from _spans(node.body, drop, node.name)
        elif _is_test(node):
            if _is_dropped(node, owner, drop):
                yield node
            else:
                yield from (row for row, name in rows_of(node) if row_case(owner, node, name, drop) in drop)


def _is_test(node: ast.stmt) -> TypeGuard[TestNode]:
    return isinstance(node, TestNode) and node.name.startswith("test")


def _is_dropped(node: ast.stmt, owner: str | None, drop: set[str]) -> bool:
    ids = set(cases_of_test(node, owner, drop)) if _is_test(node) else set()
    return bool(ids) and ids <= drop


def _bytes(node: ast.AST, starts: list[int], data: bytes) -> tuple[int, int]:
    """Returns a node's byte range: whole lines for a definition, up to the comma for a row."""
    line, last_line = node.lineno, node.end_lineno  # pyrefly: ignore[missing-attribute]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign):
        line = min([line, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        return starts[line - 1], min(starts[last_line], len(data))
    first, last = starts[line - 1] + node.col_offset, starts[last_line - 1] + node.end_col_offset  # pyrefly: ignore[missing-attribute]
    after = data[last:].lstrip()
    if after.startswith(b","):
        last = len(data) - len(after) + 1
    return first, last


def _without_unused_imports(source: str) -> str:
    try:
        done = subprocess.run(
            [find_ruff_bin(), *_UNUSED_IMPORTS],
            input=source.encode(),
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFault(f"ruff cannot be run: {error}", advice="pip install ruff") from error
    return done.stdout.decode() if done.returncode == 0 and done.stdout else source
