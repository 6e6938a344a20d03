"""Verifies generated test files.

A test is kept when it passes, passes again in shuffled orders and backwards, in fresh processes, under every condition
of `gate/model/conditions.py`, and beside itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ...sandbox.target import PythonTarget
from ..model.classify import cases_by_id
from ..model.options import Framework
from ..model.strictness import VerifyOptions
from ..model.verdicts import Verification
from ..runner.suite import open_suite
from .examination import Examination, own_modules


async def verify_files(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    framework: Framework,
    spec: Mapping[str, Any] | None = None,
    options: VerifyOptions | None = None,
) -> Verification:
    """Run generated files and give a verdict for each of their tests.

    Args:
        files: contents by POSIX path relative to the project.
        spec: the spec they were written from: it decides whether a failure is the test's or the product's.

    Raises:
        TargetImportError: the target or a module it needs does not import; that is no test's failure.
        EnvironmentFault, SandboxFailure, UsageError: see `Suite.run` and `open_suite`.
    """
    began = time.monotonic()
    options = options or VerifyOptions()
    async with open_suite(target, files, framework) as suite:
        examination = Examination(suite, options, cases_by_id(spec), own_modules(target))
        measuring = examination.measuring()
        first = await examination.first_run(examination.options.same_start())
        await measuring.begin(first, examination.passing)
        await examination.repeat()
        await examination.beside_itself()
        mutation = await measuring.measured(first, examination.passing)
        for expectation in mutation.unproven if mutation else ():
            examination.refuse(expectation.tests, expectation.reason)
    return Verification(
        framework=framework,
        contents=dict(files),
        verdicts=tuple(examination.verdicts.values()),
        coverage=first.coverage,
        mutation=mutation,
        repeats=options.repeats if examination.passing else 0,
        notes=tuple(dict.fromkeys([*first.notes, *examination.notes])),
        sandbox=first.sandbox,
        runner_version=first.runner_version,
        seconds=round(time.monotonic() - began, 3),
        launches=suite.starts,
        pictures=first.pictures,
    )
