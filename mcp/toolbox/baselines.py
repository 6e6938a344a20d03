"""Measures the coverage before a run: the project's own tests run once for all targets, not once per target."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...gate.runner.baseline import CoverageBaseline
    from ...sandbox.target import PythonTarget


class Baselines:
    """Measures on first use and caches; one measurement at a time.

    Args:
        root: the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = asyncio.Lock()
        self._own_tests: CoverageBaseline | None = None
        self._by_import: dict[tuple[str, ...], CoverageBaseline] = {}

    async def of(self, target: PythonTarget, modules: Mapping[str, str]) -> CoverageBaseline:
        """Returns the coverage of files by the project's own tests, or by importing them where no own test covers them.

        Args:
            modules: import names by POSIX path relative to the project; a `__main__` module is not imported.

        Raises:
            SandboxFailure: the sandbox itself failed.
        """
        from ...gate.runner.baseline import measure_baseline

        own = await self.of_project(target)
        paths = tuple(modules)
        # One run of the project's own tests serves every target it covers.
        if own.source == "own_tests" and all(path in own.coverage.files for path in paths):
            return replace(own, coverage=own.coverage.only(paths))
        async with self._lock:
            if paths not in self._by_import:
                # Importing a `__main__` module would run the program.
                imported = [name for name in modules.values() if name.rpartition(".")[2] != "__main__"]
                found = await measure_baseline(target, paths, modules=imported, tests=())
                self._by_import[paths] = replace(found, notes=(*own.notes, *found.notes))
            return self._by_import[paths]

    async def of_project(self, target: PythonTarget) -> CoverageBaseline:
        """Returns the coverage of all modules by the project's own tests; without passing ones `source` differs.

        Raises:
            SandboxFailure: the sandbox itself failed.
        """
        from ...engine.python.project.layout import find_layout
        from ...gate.runner.baseline import CoverageBaseline, CoverageData, measure_baseline, own_test_files

        async with self._lock:
            if self._own_tests is None:
                tests = await asyncio.to_thread(own_test_files, target.snapshot.path)
                if tests:
                    layout = await asyncio.to_thread(find_layout, self._root)
                    measured = [module.path for module in layout.modules]
                    self._own_tests = await measure_baseline(target, measured, tests=tests)
                else:
                    self._own_tests = CoverageBaseline(CoverageData(), "nothing")
            return self._own_tests
