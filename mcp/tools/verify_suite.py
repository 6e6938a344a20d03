"""`verify_suite`: runs all staged test files together, in several orders, until the rest passes in company."""

from __future__ import annotations

import asyncio
from typing import Any

from ...gate.evidence.summary import tool_result
from ...gate.verify.suite_verification import SuiteVerificationOptions, verify_suite
from ..toolbox.browser_runs import BROWSER_SCRIPT_FRAMEWORKS, verify_browser_suite
from ..toolbox.json_schema import array, closed_object, string
from ..toolbox.script_runs import SCRIPT_FRAMEWORKS, verify_script_suite
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec
from .run_tests import (
    BROWSER_TEST_SECONDS,
    BROWSER_WALL_SECONDS,
    OPTIONS,
    RESULT_SCHEMA,
    SERVER_TEST_SECONDS,
    TIMED_TEST_SECONDS,
    is_api,
    is_browser,
    measured_files,
    python_framework,
    read_spec,
    server_wall_seconds,
    staged_files,
)


async def _run(services: ToolServices, /, test_paths: list[str], options: Json) -> Json:
    """Runs staged test files together in the sandbox, in several orders, and tells which tests do not hold in the
    company of the others.
    """
    framework = options.get("framework") or "pytest"
    files = await asyncio.to_thread(staged_files, services, test_paths, framework)
    specs = await asyncio.to_thread(read_specs, services)
    if framework in SCRIPT_FRAMEWORKS:
        return await verify_script_suite(services, files, specs.values())
    if framework in BROWSER_SCRIPT_FRAMEWORKS:
        return await verify_browser_suite(services, files, specs.values())
    measured = await asyncio.to_thread(
        lambda: sorted({path for spec in specs.values() for path in measured_files(services, spec)})
    )
    target = await services.python_target()
    before = await services.baselines.of_project(target) if measured else None
    limits: dict[str, Any] = {key: options[key] for key in ("test_seconds", "wall_seconds") if key in options}
    if any(map(is_browser, specs.values())):
        # Each order costs as many seconds as there are tests, which have been repeated one file at a time already.
        slow = {"test_seconds": BROWSER_TEST_SECONDS, "wall_seconds": BROWSER_WALL_SECONDS, "seeds": (11,)}
        limits = {**slow, **limits}
    if any(map(is_api, specs.values())):
        limits = {"test_seconds": SERVER_TEST_SECONDS, "wall_seconds": server_wall_seconds(specs.values()), **limits}
        if len(test_paths) == 1 and all(map(is_api, specs.values())):
            limits["seeds"] = (11,)  # its one file was shuffled by itself before
    if any(spec.get("test_type") == "performance" for spec in specs.values()):
        limits.setdefault("test_seconds", TIMED_TEST_SECONDS)
    together = SuiteVerificationOptions(measure=tuple(measured), **limits)
    verification = await verify_suite(
        target, files, framework=python_framework(framework), specs=specs, options=together
    )
    return tool_result(verification, before=before)


def read_specs(services: ToolServices) -> dict[str, Json]:
    """Read the run's specs, without those that were given up (`.rejected.json`)."""
    folder = services.run_folder.specs
    paths = sorted(folder.rglob("*.json")) if folder.is_dir() else []
    names = [path.relative_to(services.run_folder.path).as_posix() for path in paths if not path.is_symlink()]
    return {name: spec for name in names if not name.endswith(".rejected.json") and (spec := read_spec(services, name))}


TOOL = ToolSpec(
    name="verify_suite",
    input_schema=closed_object(
        ["test_paths"],
        test_paths=array(string(minLength=1), minItems=1, description="Paths in the project, as staged."),
        options={**closed_object([], **OPTIONS), "default": {}},
    ),
    output_schema=RESULT_SCHEMA,
    run=_run,
    timeout_seconds=3600.0,
)
