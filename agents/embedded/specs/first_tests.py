"""The first tests of a run, shown long before the run has ended: what already passes, in a file of its own.

They are made from what exploring has seen after a moment, and have been run once. The suite that the run keeps is made
without them: they are a look ahead, and as deterministic as anything that has been cut off by nothing but trials.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from ....engine.python.write.repair import unrenderable_cases, without_cases
from ....engine.rendering import render_files
from ....gate.model.options import Framework, SuiteOptions
from ....gate.runner.suite import open_suite
from ....sandbox.target import PythonTarget
from ....store.files.files import write_file

TEST_SECONDS = 5.0
WALL_SECONDS = 20.0
_BESIDE = "testwright_first_tests"  # a folder that no project has

Told = Callable[[str, int], None]
"""(path of the file, how many tests pass)."""


class FirstTests:
    """Writes the first tests of a run, once; whoever comes later finds it done.

    Args:
        python_target: the project made ready to run.
        folder: where the file is written, below the run's folder.
        told: told of it.
    """

    def __init__(self, python_target: Callable[[], Awaitable[PythonTarget]], folder: Path, told: Told) -> None:
        self._python_target = python_target
        self._folder = folder
        self._told = told
        self._begun = False
        self._working: asyncio.Task[None] | None = None

    @property
    def wanted(self) -> bool:
        """Whether nobody has begun with them yet."""
        return not self._begun

    def take(self, composed: Callable[[], Mapping[str, Any]]) -> None:
        """Begin, with what gives a spec of what has been seen so far; the work goes on beside the caller's."""
        if not self._begun:
            self._begun = True
            self._working = asyncio.ensure_future(self._tried(composed))

    async def close(self) -> None:
        """Give up what is not done."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait((self._working,))

    async def _tried(self, composed: Callable[[], Mapping[str, Any]]) -> None:
        try:
            await self._written(await asyncio.to_thread(composed))
        except Exception:  # noqa: BLE001 - a look ahead must not end the run, which will tell what is wrong
            return

    async def _written(self, spec: Mapping[str, Any]) -> None:
        framework: Framework = "unittest" if spec["framework"] == "unittest" else "pytest"
        name = f"test_{spec['target']['module'].replace('.', '_')}.py"
        left = await asyncio.to_thread(_renderable, spec, framework)
        if not left["cases"]:
            return
        passing = await self._passing(left, framework, name)
        kept = without_cases(left, {case["id"] for case in left["cases"]} - passing)
        if kept["cases"]:
            path = self._folder / name
            await asyncio.to_thread(_write, path, kept, framework)
            self._told(str(path), len(kept["cases"]))

    async def _passing(self, spec: Mapping[str, Any], framework: Framework, name: str) -> set[str]:
        """Ids of the cases all of whose tests pass."""
        place = f"{_BESIDE}/{name}"
        files = {one.path: one.contents for one in await asyncio.to_thread(render_files, spec, framework, place)}
        options = SuiteOptions(test_seconds=TEST_SECONDS, wall_seconds=WALL_SECONDS)
        async with open_suite(await self._python_target(), files, framework) as suite:
            result = await suite.run(options)
        failed = {test.case_id for test in result.tests if test.outcome != "passed"}
        return {test.case_id for test in result.tests if test.case_id} - failed


def _renderable(spec: Mapping[str, Any], framework: str) -> dict[str, Any]:
    return without_cases(spec, unrenderable_cases(spec, framework))


def _write(path: Path, spec: Mapping[str, Any], framework: str) -> None:
    write_file(path, render_files(spec, framework, path.name)[0].contents)
