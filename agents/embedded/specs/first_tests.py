"""Writes the first passing tests of a run to a preview file, long before the run has ended.

They come from an early state of the exploration and have been run once. The final suite is made without them. The early
state is bounded by trials, not by time, so the preview is deterministic.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ....engine.python.write.repair import without_cases
from ....engine.rendering import render_files, unrenderable_cases
from ....gate.model.options import Framework, SuiteOptions
from ....gate.runner.suite import open_suite
from ....sandbox.target import ProvideTarget
from ....store.files.files import write_file

TEST_SECONDS = 5.0
WALL_SECONDS = 120.0
_FOLDER = "testwright_first_tests"  # a folder that no project has

OnFirstTests = Callable[[str, int], None]
"""(path of the file, how many tests pass)."""


class FirstTests:
    """Writes the first tests of a run, once; later calls do nothing.

    Args:
        python_target: prepares the project.
        root: the project's root.
        folder: where the file and its helpers are written, below the run's folder.
        on_first_tests: called with the written file.
    """

    def __init__(self, python_target: ProvideTarget, root: Path, folder: Path, on_first_tests: OnFirstTests) -> None:
        self._python_target = python_target
        self._root = root
        self._folder = folder
        self._on_first_tests = on_first_tests
        self._started = False
        self._task: asyncio.Task[None] | None = None

    @property
    def wanted(self) -> bool:
        """Whether they have not been started yet."""
        return not self._started

    def take(self, composed: Callable[[], Mapping[str, Any]]) -> None:
        """Start in the background; `composed` returns a spec of what has been explored so far."""
        if not self._started:
            self._started = True
            self._task = asyncio.ensure_future(self._try_to_write(composed))

    async def close(self) -> None:
        """Cancel unfinished work."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _try_to_write(self, composed: Callable[[], Mapping[str, Any]]) -> None:
        try:
            await self._write_passing(await asyncio.to_thread(composed))
        except Exception:  # noqa: BLE001 - a preview must not end the run, which reports the fault itself
            return

    async def _write_passing(self, spec: Mapping[str, Any]) -> None:
        framework: Framework = "unittest" if spec["framework"] == "unittest" else "pytest"
        name = _file_name(spec)
        renderable = await asyncio.to_thread(_renderable, spec, framework, name)
        if not renderable["cases"]:
            return
        passing = await self._passing(renderable, framework, name)
        kept = without_cases(renderable, {case["id"] for case in renderable["cases"]} - passing)
        if kept["cases"]:
            path = self._folder / name
            await asyncio.to_thread(self._write, path, kept, framework)
            self._on_first_tests(str(path), len(kept["cases"]))

    def _write(self, path: Path, spec: Mapping[str, Any], framework: str) -> None:
        # Tests of an application look for the project from where they are.
        is_inside = path.is_relative_to(self._root)
        place = path.relative_to(self._root).as_posix() if is_inside else path.name
        for file in render_files(spec, framework, place):
            write_file(path.parent / PurePosixPath(file.path).name, file.contents)

    async def _passing(self, spec: Mapping[str, Any], framework: Framework, name: str) -> set[str]:
        """Run the tests and return the ids of the cases whose tests all pass."""
        place = f"{_FOLDER}/{name}"
        files = {file.path: file.contents for file in await asyncio.to_thread(render_files, spec, framework, place)}
        options = SuiteOptions(test_seconds=TEST_SECONDS, wall_seconds=WALL_SECONDS)
        async with open_suite(await self._python_target(), files, framework) as suite:
            result = await suite.run(options)
        failed = {test.case_id for test in result.tests if test.outcome != "passed"}
        return {test.case_id for test in result.tests if test.case_id} - failed


def _file_name(spec: Mapping[str, Any]) -> str:
    module = str(spec["target"].get("module") or spec.get("test_type") or "unit")
    return f"test_{module.replace('.', '_')}.py"


def _renderable(spec: Mapping[str, Any], framework: str, name: str) -> dict[str, Any]:
    return without_cases(spec, unrenderable_cases(spec, framework, name))
