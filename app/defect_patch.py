"""Writes the tests that suspected defects fail as a patch beside the report; none becomes a test that passes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..core.errors import TestwrightError
from ..engine.python.judge.defect_cases import defect_case
from ..engine.python.model.spec_case import Case
from ..engine.python.write.render import render_cases
from ..utils.python_names import unique_name
from ..utils.untrusted_files import source_or_empty

PATCH_FILE = "suspected_defects.patch"
_TEST = re.compile(r"^(?P<indent> *)(?:async )?def test_\w+\(", re.MULTILINE)
_UNRENDERABLE = (TestwrightError, SyntaxError, KeyError, TypeError, ValueError)
_MARKS = {
    "pytest": ('@pytest.mark.xfail(strict=True, reason="suspected defect")', "import pytest"),
    "unittest": ("@unittest.expectedFailure", "import unittest"),
}


def defect_patch(results: Iterable[Mapping[str, Any]], root: Path, *, xfail: bool = False) -> tuple[str, list[str]]:
    """A patch that adds the failing documented tests of each target ("" where there are none), and what it lacks.

    Args:
        results: of the generate steps.
        root: the project's folder.
        xfail: whether the tests are marked as failing as long as the defect is there.
    """
    parts: list[str] = []
    notes: list[str] = []
    for result in results:
        text, lacking = _part(result, root, xfail=xfail)
        parts.append(text)
        notes += lacking
    return "".join(parts), notes


@dataclass(frozen=True, slots=True)
class _Failing:
    """A case that the code fails, and the imports of its own."""

    name: str
    case: Case
    imports: tuple[str, ...] = ()


def _part(result: Mapping[str, Any], root: Path, *, xfail: bool) -> tuple[str, list[str]]:
    spec, framework = result.get("spec_json") or {}, str(result.get("framework") or "pytest")
    if spec.get("test_type") != "unit" or framework not in _MARKS:
        return "", []
    rendered: list[_Failing] = []
    notes: list[str] = []
    target = (spec.get("target") or {}).get("path") or "a target"
    for name, given in _failing(spec, result, root):
        try:
            one = _Failing(name, *given) if isinstance(given, tuple) else _Failing(name, Case.from_json(given))
            _rendered([one], spec, framework)
            rendered.append(one)
        except _UNRENDERABLE as error:
            why = " ".join(str(error).split()) or type(error).__name__
            notes.append(f"{target}: the test that shows {name} is not in {PATCH_FILE}: {why}")
    try:
        text = _rendered(_told_apart(rendered), spec, framework) if rendered else ""
    except _UNRENDERABLE as error:
        return "", [*notes, f"{target}: there is no {PATCH_FILE} for it: {error}"]
    if not text:
        return "", notes
    place = PurePosixPath(str(result.get("test_path") or "tests/test_x.py"))
    path = place.with_name(f"{place.stem}_defects.py").as_posix()
    written = _marked(text, framework) if xfail else text
    lines = [f"{line}\n" for line in written.removesuffix("\n").split("\n")]  # as git reads them: U+2028 ends none
    return "".join(difflib.unified_diff([], lines, "/dev/null", f"b/{path}")), notes


def _rendered(failing: Sequence[_Failing], spec: Mapping[str, Any], framework: str) -> str:
    imports = dict.fromkeys([*(spec.get("imports") or ()), *(line for one in failing for line in one.imports)])
    module = str(spec["target"]["module"])
    return render_cases([one.case for one in failing], framework, imports=imports, module=module)


def _told_apart(failing: Iterable[_Failing]) -> list[_Failing]:
    """The same with ids of their own: several defects may be about one function."""
    used: set[str] = set()
    apart: list[_Failing] = []
    for one in failing:
        identifier = unique_name(one.case.id, used)
        used.add(identifier)
        apart.append(replace(one, case=replace(one.case, id=identifier)))
    return apart


def _failing(spec: Mapping[str, Any], result: Mapping[str, Any], root: Path) -> Iterator[tuple[str, Any]]:
    """What a document promises and the code fails, by its name: dropped cases, and cases of defects without one."""
    defects = {str(defect.get("id")): defect for defect in result.get("suspected_defects") or ()}
    target = spec["target"]
    dropped = {str(row.get("case_id")) for row in result.get("dropped") or ()}
    for case in spec.get("cases") or ():
        defect = f"sd_{str(case['id']).removeprefix('tc_')}"
        is_promised = any(row.get("origin") == "documented" for row in case.get("expect") or ())
        if case["id"] in dropped and defect in defects and is_promised:
            del defects[defect]
            yield str(case["id"]), case
    # The engine makes no case of what it saw to fail.
    shown = {name: defect for name, defect in defects.items() if defect.get("reproduce")}
    source = source_or_empty(root, str(target["path"])) if shown else ""
    for name, defect in shown.items():
        made = defect_case(defect, str(target["module"]), str(target["path"]), source)
        if made is not None:
            yield name, made


def _marked(text: str, framework: str) -> str:
    mark, statement = _MARKS[framework]
    marked = _TEST.sub(lambda found: f"{found['indent']}{mark}\n{found.group()}", text)
    if re.search(rf"^{statement}$", marked, re.MULTILINE):
        return marked
    head = re.search(r"^(?:import|from) ", marked, re.MULTILINE)
    at = head.start() if head is not None else 0
    return f"{marked[:at]}{statement}\n\n{marked[at:]}"
