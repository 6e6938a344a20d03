"""`run_own_pytest`: runs the project's own `pytest` on staged test files, before they join the project."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from ...gate.verify.earlier_tests import earlier_test_files
from ...gate.verify.own_pytest import run_own_pytest
from ...gate.verify.variables_conftest import unwritten, variables_conftest
from ...sandbox.target import PythonTarget
from ...store.files.project_files import project_path
from ...store.files.staging import Staging
from ...store.files.superseded import superseded_files
from ...utils.generated_header import is_untouched
from ...utils.untrusted_files import read_source
from ..toolbox.json_schema import COUNT, TEXTS, array, closed_object, open_object, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import Json, ToolSpec
from .run_tests import module_of, staged_files
from .verify_suite import read_specs


async def _run(services: ToolServices, /, test_paths: list[str], tests_dir: str = "tests/generated") -> Json:
    """Runs the project's own `pytest`, with its settings, plugins and import mode, on staged test files, and tells
    whether it collects and passes them, and which line of settings is missing where it does not; and on the tests that
    earlier runs wrote for the same modules, also where these are about to be written anew. Where the tests need
    variables of the settings, a conftest.py that sets them is staged as well.
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
    conftest = await asyncio.to_thread(_conftest, target, project_path(tests_dir))
    found = await run_own_pytest(target, files, roots or list(target.import_roots), earlier, conftest)
    found = replace(found, lent=target.lends("pytest"))
    if conftest is not None and found.needs_conftest:
        await asyncio.to_thread(Staging(services.run_folder, services.root).stage, *conftest)
        return {**found.to_dict(), "variables": _variables(conftest[0], target)}
    if target.variables and found.outcome == "failed":
        names = ", ".join(sorted(target.variables))
        reason = (
            f"{found.reason} (the tests were made with {names} of the setting env, which your pytest does not have)"
        )
        return {**found.to_dict(), "reason": reason}
    return found.to_dict()


def _variables(path: str, target: PythonTarget) -> Json:
    return {"file": path, "names": sorted(target.variables), "taken": unwritten(target.variables, target.taken)}


def _conftest(target: PythonTarget, folder: str) -> tuple[str, str] | None:
    """The conftest.py for the tests' folder; None where no variables are set, or a person's file is there."""
    place = PurePosixPath(folder, "conftest.py").as_posix()
    if not target.variables:
        return None
    if os.path.lexists(target.snapshot.path / place):
        try:
            if not is_untouched(read_source(target.snapshot.path, place)):
                return None
        except (OSError, UnicodeDecodeError):
            return None
    return place, variables_conftest(target.variables, target.taken)


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
        if not (path and module):
            continue  # a site that a command starts, or a folder of pages
        names = PurePosixPath(path).with_suffix("").parts
        names = names[:-1] if names[-1:] == ("__init__",) else names
        depth = len(module.split("."))
        if ".".join(names[-depth:]) == module:
            found.append(PurePosixPath(*names[:-depth]).as_posix())
    return found


_EARLIER = array(open_object(["nodeid", "message", "module"], **strings("nodeid", "message", "module")))

TOOL = ToolSpec(
    name="run_own_pytest",
    input_schema=closed_object(
        test_paths=array(string(minLength=1), minItems=1, description="Paths in the project, as staged."),
        tests_dir=string(minLength=1, description="The folder of all generated tests. Default: tests/generated."),
    ),
    output_schema=open_object(
        ["outcome", "passed", "failing", "reason", "settings"],
        outcome=string(enum=["passed", "needs_setting", "failed", "not_collected", "not_started"]),
        passed={**COUNT, "description": "Tests that pass, with the settings where some are needed."},
        failing=array(open_object(["nodeid", "message"], **strings("nodeid", "message"))),
        reason=string(),
        settings=array(open_object(["file", "section", "key", "line"])),
        lent={"type": "boolean", "description": "The project's environment has no pytest; testwright's was lent."},
        variables=open_object(
            ["file", "names"],
            file={**string(), "description": "The staged conftest.py that sets them."},
            names=TEXTS,
            taken={
                **TEXTS,
                "description": "Those that it takes from the environment: no file has their values.",
            },
        ),
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
    read_only=False,
)
