"""`run_tests`: a staged test file runs in the sandbox until it is clear which of its tests hold (T-11, B-11)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ...core.errors import ToolFailure
from ...gate.evidence.additions import redundant
from ...gate.evidence.application_files import application_files
from ...gate.evidence.evidence import EvidenceRecord, evidence_of
from ...gate.evidence.summary import tool_result
from ...gate.model.options import Framework
from ...gate.model.strictness import VerifyOptions
from ...gate.runner.baseline import Baseline
from ...gate.runner.launch import working
from ...gate.verify.verify import verify_files
from ...sandbox.target import PythonTarget
from ...utils.confined_paths import read_text
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices
from ..toolbox.staged import with_needed

FRAMEWORKS: tuple[Framework, ...] = ("pytest", "unittest")
OPTIONS: dict[str, Any] = {
    "framework": {"type": "string", "enum": list(FRAMEWORKS)},
    "test_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 600, "description": "For one test."},
    "wall_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 3600, "description": "For one run of all."},
}
RESULT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["framework", "passed", "failed", "kept", "dropped", "tests", "coverage", "repeats", "sandbox"],
    "properties": {
        "framework": {"type": "string"},
        "passed": {"type": "integer", "minimum": 0, "description": "Tests that hold."},
        "failed": {"type": "integer", "minimum": 0, "description": "Tests that do not."},
        "kept": {"type": "array", "items": {"type": "string"}, "description": "Cases all of whose tests hold."},
        "dropped": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["case_id", "nodeid", "class", "reason", "message"],
                "properties": {"nodeid": {"type": "string"}, "reason": {"type": "string"}},
            },
        },
        "idle": {
            "type": "array",
            "items": {"type": "object", "required": ["nodeid", "case_id", "reason", "class"]},
            "description": "Tests that hold and add nothing; only where mutants were tried.",
        },
        "tests": {"type": "array", "items": {"type": "object", "required": ["nodeid", "case_id", "outcome"]}},
        "coverage": {"type": ["object", "null"]},
        "mutation": {"type": ["object", "null"], "description": "Counts and survivors, where mutants were tried."},
        "repeats": {"type": "integer", "minimum": 0},
        "notes": {"type": "array", "items": {"type": "string"}},
        "sandbox": {"type": "string"},
        "seconds": {"type": "number"},
    },
}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    options = arguments["options"]
    spec = await asyncio.to_thread(read_spec, services, options.get("spec_path"))
    measured = await asyncio.to_thread(measured_files, services, spec, options.get("target"))
    framework = _framework(options, spec)
    files = await asyncio.to_thread(staged_files, services, [arguments["test_path"]], framework)
    target = await services.python_target()
    limits = {key: options[key] for key in ("test_seconds", "wall_seconds", "mutant_seconds") if key in options}
    limits["repeats"] = options.get("repeats", services.repeats)
    # Tests of an application or of programs meet the code in processes of its own, where no mutant is.
    in_process = (spec or {}).get("test_type", "unit") == "unit"
    limits["mutants"] = options.get("mutants", services.mutants if in_process else 0)
    strictness = VerifyOptions(measure=tuple(measured), **limits)
    modules = {path: _module(spec, path) for path in measured} if options.get("baseline", True) else {}
    async with working(_before(services, target, modules)) as baseline:
        verification = await verify_files(target, files, framework=framework, spec=spec, options=strictness)
        before = await baseline
    earlier = before.coverage if before else None
    evidence = evidence_of(verification, spec=spec, before=earlier)
    tried = verification.mutation is not None and verification.mutation.tried > 0
    idle: tuple[EvidenceRecord, ...] = ()
    if tried and in_process:
        idle = redundant(evidence, verification.mutation, notices=options.get("notices"), before=earlier)
    shown = measured[0] if len(measured) == 1 else None
    sources = await asyncio.to_thread(_sources, target, [shown] if shown and in_process else [])
    return tool_result(verification, evidence=evidence, idle=idle, before=before, target_path=shown, sources=sources)


async def _before(services: ToolServices, target: PythonTarget, modules: Mapping[str, str]) -> Baseline | None:
    """What was covered before, of some modules by their paths; None of none."""
    return await services.baselines.of(target, modules) if modules else None


def _sources(target: PythonTarget, paths: list[str]) -> dict[str, str]:
    """Texts of files as the tests met them; those that do not read are left out."""
    found: dict[str, str] = {}
    for path in paths:
        with suppress(OSError, UnicodeDecodeError):
            found[path] = (target.snapshot.path / path).read_text(encoding="utf-8-sig")
    return found


def read_spec(services: ToolServices, given: str | None) -> dict[str, Any] | None:
    """A spec of the run, or None when none is named. Raises ToolFailure."""
    if not given:
        return None
    try:
        spec = json.loads(read_text(services.run_file(given), given))
    except ValueError as error:
        raise ToolFailure(f"the spec {given!r} is not JSON: {error}", advice="write it again") from error
    if not isinstance(spec, dict):
        raise ToolFailure(f"the spec {given!r} is not an object", advice="write it again")
    return spec


def staged_files(services: ToolServices, paths: list[str], framework: str) -> dict[str, str]:
    """Staged test files by their path in the project, with the staged conftest.py files and helpers that they need.

    Raises:
        ToolFailure: one is not staged, or does not read.
    """
    staged = services.run_folder.staged
    files: dict[str, str] = {}
    for given in paths:
        path = services.test_path(given)
        files |= with_needed(staged, path, conftest=framework == "pytest")
    return files


def _framework(options: dict[str, Any], spec: dict[str, Any] | None) -> Framework:
    named = options.get("framework") or (spec or {}).get("framework") or "pytest"
    for one in FRAMEWORKS:
        if one == named:
            return one
    raise ToolFailure(
        f"tests for {named} cannot be run: it is not part of this version",
        advice=f"frameworks that can be run: {', '.join(FRAMEWORKS)}",
    )


def measured_files(services: ToolServices, spec: dict[str, Any] | None, target: Any = None) -> list[str]:
    """The files whose coverage counts: the spec's target or all its components, else the target in the options.

    Raises:
        ToolFailure: one lies outside the project.
    """
    if spec is not None and spec.get("test_type") == "api":
        return application_files(services.root, spec)
    for given in ((spec or {}).get("target"), target):
        components = given.get("components") if isinstance(given, dict) else None
        found = [one for each in (components or [given]) if (one := _project_path(services, each)) is not None]
        if found:
            return list(dict.fromkeys(found))
    return []


def _project_path(services: ToolServices, given: Any) -> str | None:
    path = given.get("path") if isinstance(given, dict) else given
    if not isinstance(path, str) or not path or not (services.root / path).is_file():
        return None
    return services.project_file(path).resolve().relative_to(services.root.resolve()).as_posix()


def _module(spec: dict[str, Any] | None, path: str) -> str:
    target = (spec or {}).get("target") or {}
    for one in (target, *(target.get("components") or ())):
        if isinstance(one.get("module"), str) and one.get("path", path) == path:
            return one["module"]
    return path.removesuffix(".py").replace("/", ".")


TOOL = ToolDefinition(
    name="run_tests",
    description="Runs a staged test file in the sandbox, repeats it shuffled, under other hash seeds, on another day, "
    "and tells case by case what holds, with branch coverage.",
    input_schema=closed_object(
        {
            "test_path": {"type": "string", "minLength": 1, "description": "Path in the project, as staged."},
            "options": {
                **closed_object(
                    {
                        **OPTIONS,
                        "spec_path": {"type": "string", "description": "The spec, relative to the run's folder."},
                        "target": {"type": ["string", "object", "null"], "description": "The file that is tested."},
                        "repeats": {"type": "integer", "minimum": 0, "maximum": 20},
                        "mutants": {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 10000,
                            "description": "Mutants of the target that the kept tests are measured by.",
                        },
                        "mutant_seconds": {
                            "type": "number",
                            "exclusiveMinimum": 0,
                            "description": "For how long mutants are tried; those left count as untried.",
                        },
                        "baseline": {"type": "boolean", "description": "Whether coverage before is measured."},
                        "notices": {
                            "type": "object",
                            "additionalProperties": {"type": "array", "items": {"type": "integer"}},
                            "description": "Mutants that cases are known to notice, numbers by the cases' ids: of "
                            "those that notice the same ones, some stay.",
                        },
                    },
                    [],
                ),
                "default": {},
            },
        },
        ["test_path"],
    ),
    output_schema=RESULT_SCHEMA,
    run=_run,
    timeout_seconds=3600.0,
)
