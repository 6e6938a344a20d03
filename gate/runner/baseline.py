"""Measures coverage before generated tests: by the project's own tests, or by importing the targets if it has none.

A project's own tests may fail, hang or not start; the measurement is bounded and says what happened. Tests that were
generated earlier never count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...core.errors import EnvironmentFault
from ...sandbox.target import PythonTarget
from ...utils.canonical import attributes
from ...utils.generated_header import is_untouched
from ...utils.untrusted_files import read_source
from ..model.coverage_data import CoverageData
from ..model.options import SuiteOptions
from .suite import run_suite

_HEADER_CHARACTERS = 2000
WALL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class CoverageBaseline:
    """Coverage there was before.

    Attributes:
        source: the project's own tests, only the import of the targets, or nothing at all.
        passed, failed: outcomes of the project's own tests.
        notes: what a reader must know: tests failed, time was up, …
    """

    coverage: CoverageData
    source: Literal["own_tests", "imports", "nothing"]
    files: int = 0
    passed: int = 0
    failed: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form: totals, and where they come from."""
        return {
            **self.coverage.totals(),
            **attributes(self, "source", "files", "passed", "failed", "notes"),
        }


async def measure_baseline(
    target: PythonTarget,
    measure: Sequence[str],
    *,
    modules: Sequence[str] = (),
    tests: Sequence[str] | None = None,
    wall_seconds: float = WALL_SECONDS,
) -> CoverageBaseline:
    """Measure what is covered without generated tests.

    Args:
        measure: files relative to the project.
        modules: their import names, imported where the project has no tests that run.
        tests: the project's own test files; looked for when None.
        wall_seconds: how long the project's own tests may run.

    Raises:
        SandboxFailure: the sandbox itself broke. What the project does wrong ends up in `notes`.
    """
    own = await asyncio.to_thread(own_test_files, target.snapshot.path) if tests is None else tuple(tests)
    notes: list[str] = []
    if own:
        options = SuiteOptions(measure=tuple(measure), wall_seconds=wall_seconds, restarts=2, project_plugins=True)
        try:
            result = await run_suite(target, [Path(path) for path in own], framework="pytest", options=options)
        except EnvironmentFault as fault:
            notes.append(f"the project's own tests do not run, so they count for nothing: {fault.message}")
        else:
            counts = result.counts()
            passed = counts.get("passed", 0)
            failed = sum(counts.get(name, 0) for name in ("failed", "error", "timeout", "crashed"))
            notes += [*result.notes, *_remarks(failed, counts.get("not_run", 0), len(result.collect_errors))]
            if passed and result.coverage is not None and result.coverage.files:
                return CoverageBaseline(result.coverage, "own_tests", len(own), passed, failed, tuple(notes))
            notes.append("none of the project's own tests passes, so importing alone counts as covered")
    return await _by_import(target, measure, modules, len(own), notes)


def own_test_files(project: Path) -> tuple[str, ...]:
    """Test files of a project that were not generated here, as POSIX paths relative to it, sorted."""
    return tuple(path for path in all_test_files(project) if not _generated(project / path))


def all_test_files(project: Path) -> tuple[str, ...]:
    """Test files of a copy of a project, generated ones too, as POSIX paths relative to it, sorted."""
    found = {path for pattern in ("test_*.py", "*_test.py") for path in project.rglob(pattern)}
    return tuple(
        sorted(path.relative_to(project).as_posix() for path in found if path.is_file() and not path.is_symlink())
    )


async def _by_import(
    target: PythonTarget, measure: Sequence[str], modules: Sequence[str], files: int, notes: list[str]
) -> CoverageBaseline:
    options = SuiteOptions(measure=tuple(measure), imports=tuple(modules))
    try:
        result = await run_suite(target, {}, framework="unittest", options=options)
    except EnvironmentFault as fault:
        notes.append(f"importing the targets failed: {fault.message}")
        return CoverageBaseline(CoverageData(), "nothing", files, notes=tuple(notes))
    return CoverageBaseline(result.coverage or CoverageData(), "imports", files, notes=tuple(notes))


def _remarks(failed: int, not_run: int, broken: int) -> list[str]:
    remarks = []
    if failed:
        remarks.append(f"{failed} of the project's own tests did not pass; what they ran counts as covered")
    if not_run:
        remarks.append(f"{not_run} of the project's own tests were not run, because the time for them was up")
    if broken:
        remarks.append(f"{broken} of the project's own test files could not be collected")
    return remarks


def _generated(path: Path) -> bool:
    try:
        return is_untouched(read_source(path.parent, path.name)[:_HEADER_CHARACTERS]) is not None
    except (OSError, UnicodeDecodeError):
        return False
