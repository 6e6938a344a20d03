"""Runs staged test files with Playwright Test, and verifies several of them together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from ...gate.evidence.application_files import application_files
from ...gate.evidence.evidence import evidence_of
from ...gate.evidence.summary import tool_result
from ...gate.model.strictness import VerifyOptions
from ...gate.verify.browser_scripts import SUFFIX, verify_browser_scripts
from .script_runs import documented_cases
from .services import ToolServices
from .tool_spec import Json

BROWSER_SCRIPT_FRAMEWORKS = ("playwright",)
_SUITE_REPEATS = 2
_TEST_SECONDS = 60.0
_WALL_SECONDS = 900.0


async def run_browser_scripts(
    services: ToolServices, files: Mapping[str, str], spec: Json, options: Json
) -> tuple[Json, Mapping[str, bytes]]:
    """Run the test file of one spec: the answer of `run_tests`, and screenshots and traces of tests that failed.

    Raises:
        EnvironmentFault: there is no Node, Playwright Test or Chromium.
        SandboxFailure, TargetRunError: see `verify_browser_scripts`.
    """
    # What renders is loaded only where such tests are run: it brings checks of JSON schemas along.
    from ...engine.browser.write.render_playwright import render_refutations

    target = await services.python_target()
    path = next(iter(files))
    refuted: dict[str, str] = {}
    # What an API answers is a value that is compared; whether a page shows a thing may hold as well as its opposite.
    if spec.get("test_type") != "api":
        refuted[_beside(path)] = await asyncio.to_thread(render_refutations, spec, path)
    verification = await verify_browser_scripts(
        target,
        files,
        refuted=refuted,
        documented=documented_cases([spec]),
        cases=_cases([spec]),
        browser=spec.get("test_type") != "api",
        options=VerifyOptions(
            repeats=options.get("repeats", services.repeats),
            measure=tuple(await asyncio.to_thread(application_files, services.root, spec)),
            test_seconds=options.get("test_seconds", _TEST_SECONDS),
            wall_seconds=options.get("wall_seconds", _WALL_SECONDS),
        ),
    )
    return tool_result(verification, evidence=evidence_of(verification, spec=spec)), verification.pictures


async def verify_browser_suite(services: ToolServices, files: Mapping[str, str], specs: Iterable[Json]) -> Json:
    """Run the test files of several specs together, and give the answer of `verify_suite`. Raises as above."""
    target = await services.python_target()
    own: Sequence[Json] = [spec for spec in specs if spec.get("framework") in BROWSER_SCRIPT_FRAMEWORKS]
    measured = [path for spec in own for path in await asyncio.to_thread(application_files, services.root, spec)]
    alone = sum(path.endswith(SUFFIX) for path in files) == 1
    verification = await verify_browser_scripts(
        target,
        files,
        refuted={},
        documented=documented_cases(own),
        cases=_cases(own),
        browser=any(spec.get("test_type") != "api" for spec in own),
        # One file alone has been repeated already.
        options=VerifyOptions(
            repeats=0 if alone else _SUITE_REPEATS,
            measure=tuple(dict.fromkeys(measured)),
            test_seconds=_TEST_SECONDS,
            wall_seconds=_WALL_SECONDS,
        ),
    )
    return tool_result(verification)


def _cases(specs: Iterable[Json]) -> frozenset[str]:
    return frozenset(str(case["id"]) for spec in specs for case in spec.get("cases") or ())


def _beside(path: str) -> str:
    place = PurePosixPath(path)
    return place.with_name(f"refuted.{place.name}").as_posix()
