"""Starts the mutant measurement of generated tests while they are still being verified."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ..model.mutant_results import MutationReport
from ..model.results import SuiteResult
from ..model.strictness import VerifyOptions
from ..runner.suite import Suite
from .measurement import MutationOptions, measure_mutants, measure_on_plan
from .planning import JudgingTests


class BackgroundMeasurement:
    """The measurement of a suite, in a workspace of its own.

    In a sandbox of namespaces nothing is shared with the runs of the tests, so a process is made ready at once: while
    the first run goes on, it starts and imports. Most often nothing is left out after the first run, so the mutants
    are tried from then on. In the weak sandbox that waits for the first run; where tests use what other processes could
    use, too, for all of them.

    Args:
        options: `mutants` 0 is for none.
    """

    def __init__(self, suite: Suite, options: VerifyOptions) -> None:
        self._suite = suite
        self._run = options.base()
        self._size = MutationOptions(size=options.mutants, thorough=False, wall_seconds=options.mutant_seconds)
        self._weak = suite.sandbox_kind == "weak"
        self._watched = options.beside
        self._judging: tuple[str, ...] = ()
        self._work: asyncio.Task[MutationReport] | None = None
        self._told: asyncio.Future[JudgingTests] = asyncio.get_running_loop().create_future()
        self._sources = [path for path in options.measure if _is_file(suite.workspace.project / path)]
        if options.mutants and not self._weak and self._sources == list(options.measure):
            self._work = suite.begin(self._when_told())

    async def begin(self, first: SuiteResult, passing: Sequence[str]) -> None:
        """After the first run: go on with the tests that pass, as long as there is no reason to wait."""
        self._judging = tuple(passing)
        judges = self._judges(first, passing)
        ready = self._work is not None and not self._work.done() and self._suite.starts_as_usual
        if ready and judges is not None and sorted(judges.coverage.files) == sorted(self._sources):
            self._told.set_result(judges)
            return
        await self._break_off()
        alone = self._watched and not any(test.things for test in first.tests)
        if judges is not None and (alone or not self._weak):
            self._work = self._suite.begin(self._now(judges))

    async def measured(self, first: SuiteResult, passing: Sequence[str]) -> MutationReport | None:
        """What came of it with the tests that pass in the end; None where nothing was to be measured, or cannot be."""
        if self._work is not None and tuple(passing) == self._judging:
            return await self._work
        await self._break_off()
        judges = self._judges(first, passing)
        return None if judges is None else await self._now(judges)

    def _judges(self, first: SuiteResult, passing: Sequence[str]) -> JudgingTests | None:
        if not self._size.size or not passing or first.coverage is None or not first.coverage.files:
            return None
        chosen = set(passing)
        return JudgingTests([test.nodeid for test in first.tests if test.nodeid in chosen], first.coverage)

    async def _when_told(self) -> MutationReport:
        async with self._suite.fresh() as suite:
            told = asyncio.shield(self._told)
            return await measure_on_plan(suite, sorted(self._sources), told, self._size, run=self._run)

    async def _now(self, judges: JudgingTests) -> MutationReport:
        async with self._suite.fresh() as suite:
            return await measure_mutants(suite, judges.passing, judges.coverage, self._size, run=self._run)

    async def _break_off(self) -> None:
        if self._work is not None and not self._work.done():
            self._work.cancel()
            await asyncio.wait((self._work,))
        self._work = None


def _is_file(path: Path) -> bool:
    return path.suffix == ".py" and path.is_file()
