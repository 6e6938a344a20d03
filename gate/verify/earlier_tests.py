"""Finds the tests that earlier runs wrote for some modules, and holds what became of them.

They pin what a module did when they were written, so they are what a change of it breaks first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import InterpreterError
from ...sandbox.target import PythonTarget
from ...utils.benchmark_tests import uses_benchmarks
from ...utils.generated_header import generated_from, is_untouched
from ...utils.untrusted_files import read_source
from ..runner.baseline import all_test_files


@dataclass(frozen=True, slots=True)
class EarlierTests:
    """What the project's own `pytest` makes of tests that earlier runs wrote.

    Attributes:
        files: their test files, POSIX, relative to the project.
        passed: tests that pass.
        failing: {nodeid, message, module} of tests that fail, and of files that cannot be loaded; `module` is the path
            of the tested file.
        outdated: the same of tests in files that the run writes anew.
        reason: why they could not be run; empty where they were.
        lacking: those of the files that need pytest-benchmark, where the project's environment lacks it.
        lent: whether it was lent to `lacking`; else they were not run.
    """

    files: tuple[str, ...]
    passed: int = 0
    failing: tuple[dict[str, str], ...] = ()
    outdated: tuple[dict[str, str], ...] = ()
    reason: str = ""
    lacking: tuple[str, ...] = ()
    lent: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "files": list(self.files),
            "passed": self.passed,
            "failing": list(self.failing),
            "outdated": list(self.outdated),
            "reason": self.reason,
            "lacking": list(self.lacking),
            "lent": self.lent,
        }


@dataclass(frozen=True, slots=True)
class EarlierFile:
    """A test file that an earlier run wrote, and that nobody has changed since.

    Attributes:
        module: path of the tested file.
        rewritten: its text, where the run is about to write it anew or to delete it; else None.
    """

    module: str
    rewritten: str | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkTools:
    """pytest-benchmark for test files of earlier runs: `lacking` are files that need it and would not find it.

    Attributes:
        overlay: folders that have it; empty where it cannot be provided.
    """

    lacking: tuple[str, ...] = ()
    overlay: tuple[Path, ...] = ()


async def benchmark_tools(target: PythonTarget, project: Path, earlier: Mapping[str, EarlierFile]) -> BenchmarkTools:
    """What tests of earlier runs need of pytest-benchmark: without the plugin, they would look like changed code.

    Args:
        project: a copy of the project that no program has written to.
    """
    using = await asyncio.to_thread(_using_benchmarks, project, earlier)
    if not using:
        return BenchmarkTools()
    try:
        equipped = await target.with_benchmark_tools()
    except InterpreterError:
        return BenchmarkTools(using)
    overlay = tuple(folder for folder in equipped.overlay if folder not in target.overlay)
    return BenchmarkTools(using if overlay else (), overlay)


def _using_benchmarks(project: Path, earlier: Mapping[str, EarlierFile]) -> tuple[str, ...]:
    found = []
    for path, one in earlier.items():
        try:
            text = one.rewritten if one.rewritten is not None else read_source(project, path)
        except (OSError, UnicodeDecodeError):
            continue
        found += [path] if uses_benchmarks(text) else []
    return tuple(found)


def earlier_test_files(
    project: Path, modules: Collection[str], *, written: Mapping[str, str], replaced: Collection[str] = ()
) -> dict[str, EarlierFile]:
    """Map the test files that earlier runs wrote for modules to what is known of them; sorted by path.

    Args:
        project: a copy of the project that no program can write.
        modules: paths of tested files; all paths are POSIX, relative to the project.
        written: test files that are about to be written, with their text; one that stays as it is is left out.
        replaced: test files that are about to be deleted.
    """
    found = {}
    for path in all_test_files(project):
        try:
            text = read_source(project, path)
        except (OSError, UnicodeDecodeError):
            # What cannot be read was not written here.
            continue
        module = generated_from(text)
        # A copy that a person has changed is theirs, like any test of the project.
        if module in modules and is_untouched(text) and written.get(path) != text:
            goes = path in written or path in replaced
            found[path] = EarlierFile(str(module), text if goes else None)
    return found
