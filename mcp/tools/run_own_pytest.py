"""`run_own_pytest`: runs the project's own `pytest` on staged test files, before they join the project."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import PurePosixPath

from ...gate.verify.earlier_tests import earlier_test_files
from ...gate.verify.own_pytest import run_own_pytest
from ...store.files.superseded import superseded_files
from ..toolbox.json_schema import COUNT, TEXTS, array, closed_object, open_object, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec
from .run_tests import module_of, staged_files
from .verify_suite import read_specs


async def _run(services: ToolServices, /, test_paths: list[str]) -> Json:
    """Runs the project's own `pytest`, with its settings, plugins and import mode, on staged test files, and tells
    whether it collects and passes them, and which line of settings is missing where it does not; and on the tests that
    earlier runs wrote for the same modules, also where these are about to be written anew.
    """
    files = await asyncio.to_thread(staged_files, services, test_paths, "pytest")
    specs = await asyncio.to_thread(read_specs, services)
    roots = sorted({root for spec in specs.values() for root in _import_roots(spec)})
    target = await services.python_target()
    modules = {path for spec in specs.values() for path in _tested_files(spec)}
    replaced = await asyncio.to_thread(
        superseded_files, services.run_folder.plan_json, target.snapshot.path, list(files)
    )
    earlier = await asyncio.to_thread(
        earlier_test_files, target.snapshot.path, modules, written=files, replaced=set(replaced)
    )
    return (await run_own_pytest(target, files, roots or list(target.import_roots), earlier)).to_dict()


def _tested_files(spec: Json) -> Iterator[str]:
    """Yield the paths that the headers of a spec's test files may name."""
    target = spec.get("target") or {}
    for part in (target, target.get("description") or {}, module_of(target), *(target.get("components") or ())):
        if part.get("path"):
            yield str(part["path"])


def _import_roots(spec: Json) -> list[str]:
    """The folders below which a spec's modules have their names."""
    target = spec.get("target") or {}
    parts = target.get("components") or [module_of(target)]
    found = []
    for part in parts:
        path, module = str(part.get("path") or ""), str(part.get("module") or "")
        names = PurePosixPath(path).with_suffix("").parts
        names = names[:-1] if names[-1:] == ("__init__",) else names
        depth = len(module.split("."))
        if module and ".".join(names[-depth:]) == module:
            found.append(PurePosixPath(*names[:-depth]).as_posix())
    return found


_EARLIER = array(open_object(["nodeid", "message", "module"], **strings("nodeid", "message", "module")))

TOOL = ToolSpec(
    name="run_own_pytest",
    input_schema=closed_object(
        test_paths=array(string(minLength=1), minItems=1, description="Paths in the project, as staged.")
    ),
    output_schema=open_object(
        ["outcome", "passed", "failing", "reason", "settings"],
        outcome=string(enum=["passed", "needs_setting", "failed", "not_collected", "not_started"]),
        passed={**COUNT, "description": "Tests that pass, with the settings where some are needed."},
        failing=array(open_object(["nodeid", "message"], **strings("nodeid", "message"))),
        reason=string(),
        settings=array(open_object(["file", "section", "key", "line"])),
        earlier=open_object(
            ["files", "passed", "failing", "outdated", "reason"],
            files=TEXTS,
            passed=COUNT,
            failing=_EARLIER,
            outdated={**_EARLIER, "description": "Of files that the run writes anew."},
            reason={**string(), "description": "Why they could not be run."},
        ),
    ),
    run=_run,
    timeout_seconds=1800.0,
)
