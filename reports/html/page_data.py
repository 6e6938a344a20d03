"""Computes what the page's script shows on request: tests with their code and evidence, sources with what runs them.

Texts are encoded for readers here: the script puts them into the page as text only, never as markup.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from ...utils.outgoing_text import json_text, visible_text
from ..model import Mutation, ReportEvidence, ReportPlace, ReportTarget
from .inputs import PageInputs

Places = Mapping[str, tuple[int, int]]
"""First and last line of functions by their qualified names (`TestCart::test_add`), decorators included."""


def function_places(text: str) -> Places:
    """The places of a file's functions and of its classes' methods; none for text that is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = _functions(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{name}": place for name, place in _functions(node.body).items()}
    return found


def place_of(nodeid: str, places: Places) -> tuple[int, int] | None:
    """The lines of a test; rows of a parametrised test share those of its function. None when they are not known."""
    return places.get(nodeid.partition("::")[2].partition("[")[0])


def _functions(body: list[ast.stmt]) -> dict[str, tuple[int, int]]:
    return {
        node.name: (min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno or 0)
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


Json = dict[str, Any]


def script_json(inputs: PageInputs) -> str:
    """The page's data as JSON that can stand inside a `script` element: no character of it can end the element."""
    text = json_text(_visible(page_data(inputs)), separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_data(inputs: PageInputs) -> Json:
    """The page's data.

    {"targets": [{path, type, missing, noticed, survivors}], "sources": {path: text}, "files": {path: text},
    "tests": [{id, target, title, …}]}; `target` is a place in `targets`, lines are written as ranges ("1-3,5").
    """
    report = inputs.report
    places = {path: function_places(text) for path, text in inputs.tests.items()}
    tests = [
        _test(number, target, evidence, places.get(target.test_path, {}))
        for number, target in enumerate(report.targets)
        for evidence in target.evidence
    ]
    return {
        "targets": [_target(target) for target in report.targets],
        "sources": dict(sorted(inputs.sources.items())),
        "files": dict(sorted(inputs.tests.items())),
        "tests": tests,
    }


def line_ranges(lines: Iterable[int]) -> str:
    """Line numbers as ranges: "1-3,5"."""
    found: list[list[int]] = []
    for line in sorted(set(lines)):
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def _target(target: ReportTarget) -> Json:
    mutation = target.mutation or Mutation(found=0, sampled=0)
    return {
        "path": target.path,
        "type": target.test_type,
        "file": target.test_path,
        "missing": line_ranges(target.missing_lines),
        "survivors": [
            {"line": one.line, "operator": one.operator, "before": one.before, "after": one.after, "status": one.status}
            for one in mutation.survivors
            if one.path == target.path
        ],
        "noticed": [
            {"line": one.line, "operator": one.operator, "after": one.after, "by": one.noticed_by, "tests": one.tests}
            for one in mutation.noticed
            if one.path == target.path
        ],
    }


def _test(number: int, target: ReportTarget, evidence: ReportEvidence, places: Places) -> Json:
    found = next((place for nodeid in evidence.tests if (place := place_of(nodeid, places))), None)
    origins = sorted({expectation.origin for expectation in evidence.expectations})
    return {
        "id": evidence.case_id,
        "target": number,
        "title": evidence.title or evidence.case_id,
        "subject": evidence.subject,
        "priority": evidence.priority,
        "nodes": evidence.tests,
        "code": found,
        "lines": line_ranges(evidence.lines),
        "count": len(evidence.lines),
        "branches": evidence.branches,
        "mutants": evidence.mutants_killed,
        "reruns": evidence.reruns,
        "origins": origins,
        "expects": [[one.kind, one.origin, _place(one.evidence)] for one in evidence.expectations],
        "crosses": evidence.crosses,
        "statuses": evidence.statuses,
        "executed": target.execution == "executed",
    }


def _place(place: ReportPlace | None) -> list[Any] | None:
    return None if place is None else [place.path, *place.lines]


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible_text(value)
    if isinstance(value, Mapping):
        return {visible_text(str(key)): _visible(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(part) for part in value]
    return value
