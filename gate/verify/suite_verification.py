"""Verifies all kept files of a run in one process, shuffled several times, until all of it passes.

Files that pass one by one may still disturb each other through the state of the code they test. Each failure is traced
to the test that causes it, which is left out; the rest then passes in every order tried.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...sandbox.target import PythonTarget
from ..model.classify import cases_by_id
from ..model.options import Framework, RunOrder
from ..model.strictness import VerifyOptions
from ..model.verdicts import Verification
from ..runner.suite import open_suite
from .examination import Examination, own_modules
from .stabilize import passed, stabilize


@dataclass(frozen=True, slots=True)
class SuiteVerificationOptions:
    """How strictly the whole suite is verified.

    Attributes:
        seeds: seeds of the shuffled orders: by turns all tests mixed, and file by file; one more is backwards.
        measure: files whose branch coverage the first run measures.
        test_seconds, wall_seconds: limits for one test and one run.
    """

    seeds: tuple[int, ...] = (11, 12, 13)
    measure: tuple[str, ...] = ()
    test_seconds: float = 10.0
    wall_seconds: float = 600.0

    def orders(self) -> list[RunOrder]:
        """The orders besides the given one."""
        mixed = [RunOrder(seed, "test" if turn % 2 == 0 else "module") for turn, seed in enumerate(self.seeds)]
        return [*mixed, RunOrder(0, "reversed")]


async def verify_suite(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    framework: Framework,
    specs: Mapping[str, Mapping[str, Any]] | None = None,
    options: SuiteVerificationOptions | None = None,
) -> Verification:
    """Run all files in one process, in the given order and shuffled, and leave out what does not hold in company.

    Args:
        files: contents by POSIX path relative to the project.
        specs: the spec of each file by its path, for classifying tests that fail by themselves.

    Raises:
        TargetImportError, EnvironmentFault, SandboxFailure, UsageError: as `verify_files`.
    """
    began = time.monotonic()
    options = options or SuiteVerificationOptions()
    strictness = VerifyOptions(
        repeats=0,
        measure=options.measure,
        test_seconds=options.test_seconds,
        wall_seconds=options.wall_seconds,
        # Tests of other types were made with passwords hashed at their full cost.
        quick_passwords=bool(specs) and all(spec["test_type"] == "api" for spec in specs.values()),
    )
    cases = {case_id: case for spec in (specs or {}).values() for case_id, case in cases_by_id(spec).items()}
    async with open_suite(target, files, framework) as suite:
        examination = Examination(suite, strictness, cases, own_modules(target), one_target=len(files) == 1)
        first = await examination.first_run([order.asked(strictness.base()) for order in options.orders()])
        await examination.see_again()
        disturbed = await _pass_in_other_company(examination)
        orders = options.orders()[examination.ahead :]
        orders = [RunOrder(0, "given"), *orders] if disturbed else orders
        settlement = await stabilize(suite, examination.passing, orders, strictness.base())
        for expelled in settlement.expelled:
            examination.expel(expelled)
        await examination.beside_itself()
    for nodeid in examination.passing:
        examination.verdicts[nodeid] = replace(examination.verdicts[nodeid], runs=1 + len(options.orders()))
    return Verification(
        framework=framework,
        contents=dict(files),
        verdicts=tuple(examination.verdicts.values()),
        coverage=first.coverage,
        repeats=len(options.orders()) if examination.passing else 0,
        notes=first.notes,
        sandbox=first.sandbox,
        runner_version=first.runner_version,
        seconds=round(time.monotonic() - began, 3),
        launches=suite.starts,
    )


async def _pass_in_other_company(examination: Examination) -> bool:
    """Tests that failed in the first run and pass without those that passed are victims, not culprits."""
    failing = tuple(
        nodeid
        for nodeid, verdict in examination.verdicts.items()
        if verdict.verdict in ("failed", "error") and "::" in nodeid
    )
    if not failing or not examination.passing:
        return False
    result = await examination.suite.run(replace(examination.options.base(), select=failing))
    outcomes = result.by_nodeid()
    for nodeid in failing:
        if passed(outcomes, nodeid):
            examination.verdicts[nodeid] = replace(
                examination.verdicts[nodeid],
                verdict="kept",
                failure_class=None,
                reason="",
                message="",
                trace="",
                seconds=outcomes[nodeid].seconds,
            )
    before = len(examination.passing)
    examination.passing[:] = [name for name, verdict in examination.verdicts.items() if verdict.verdict == "kept"]
    return len(examination.passing) > before
