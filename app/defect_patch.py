"""Writes the tests that suspected defects fail as a patch beside the report; none becomes a test that passes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ..core.errors import TestwrightError
from ..engine.python.model.spec_case import Case
from ..engine.python.write.render import render_cases

PATCH_FILE = "suspected_defects.patch"
_TEST = re.compile(r"^(?P<indent> *)(?:async )?def test_\w+\(", re.MULTILINE)
_UNRENDERABLE = (TestwrightError, SyntaxError, KeyError, TypeError, ValueError)
_MARKS = {
    "pytest": ('@pytest.mark.xfail(strict=True, reason="suspected defect")', "import pytest"),
    "unittest": ("@unittest.expectedFailure", "import unittest"),
}


def defect_patch(results: Iterable[Mapping[str, Any]], *, xfail: bool = False) -> tuple[str, list[str]]:
    """A patch that adds the failing documented tests of each target ("" where there are none), and what it lacks.

    Args:
        results: of the generate steps.
        xfail: whether the tests are marked as failing as long as the defect is there.
    """
    parts: list[str] = []
    notes: list[str] = []
    for result in results:
        text, lacking = _part(result, xfail=xfail)
        parts.append(text)
        notes += lacking
    return "".join(parts), notes


def _part(result: Mapping[str, Any], *, xfail: bool) -> tuple[str, list[str]]:
    spec, framework = result.get("spec_json") or {}, str(result.get("framework") or "pytest")
    cases = _failing(spec, result)
    if not cases or spec.get("test_type") != "unit":
        return "", []
    rendered: list[Mapping[str, Any]] = []
    notes: list[str] = []
    for case in cases:
        try:
            _rendered([case], spec, framework)
            rendered.append(case)
        except _UNRENDERABLE as error:
            target = (spec.get("target") or {}).get("path") or "a target"
            why = " ".join(str(error).split()) or type(error).__name__
            notes.append(f"{target}: the test that shows {case.get('id')} is not in {PATCH_FILE}: {why}")
    try:
        text = _rendered(rendered, spec, framework) if rendered else ""
    except _UNRENDERABLE as error:
        return "", [*notes, f"{(spec.get('target') or {}).get('path')}: there is no {PATCH_FILE} for it: {error}"]
    if not text:
        return "", notes
    place = PurePosixPath(str(result.get("test_path") or "tests/test_x.py"))
    path = place.with_name(f"{place.stem}_defects.py").as_posix()
    written = _marked(text, framework) if xfail else text
    lines = [f"{line}\n" for line in written.removesuffix("\n").split("\n")]  # as git reads them: U+2028 ends none
    return "".join(difflib.unified_diff([], lines, "/dev/null", f"b/{path}")), notes


def _rendered(cases: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], framework: str) -> str:
    imports, module = spec.get("imports") or (), str(spec["target"]["module"])
    return render_cases([Case.from_json(case) for case in cases], framework, imports=imports, module=module)


def _failing(spec: Mapping[str, Any], result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Dropped cases that a document promises and that a suspected defect is about."""
    defects = {str(defect.get("id")) for defect in result.get("suspected_defects") or ()}
    dropped = {str(row.get("case_id")) for row in result.get("dropped") or ()}
    return [
        case
        for case in spec.get("cases") or ()
        if case["id"] in dropped
        and f"sd_{str(case['id']).removeprefix('tc_')}" in defects
        and any(row.get("origin") == "documented" for row in case.get("expect") or ())
    ]


def _marked(text: str, framework: str) -> str:
    mark, statement = _MARKS[framework]
    marked = _TEST.sub(lambda found: f"{found['indent']}{mark}\n{found.group()}", text)
    if re.search(rf"^{statement}$", marked, re.MULTILINE):
        return marked
    head = re.search(r"^(?:import|from) ", marked, re.MULTILINE)
    at = head.start() if head is not None else 0
    return f"{marked[:at]}{statement}\n\n{marked[at:]}"
