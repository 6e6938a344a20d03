"""Runs staged test files of scripts with Jest, and verifies several of them together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping

from ...engine.javascript.render import rendered_tests
from ...engine.rendering import render_files
from ...gate.evidence.application_files import application_files
from ...gate.evidence.evidence import EvidenceRecord, evidence_of
from ...gate.evidence.summary import tool_result
from ...gate.model.strictness import VerifyOptions
from ...gate.verify.scripts import verify_scripts
from .services import ToolServices
from .tool_spec import Json

SCRIPT_FRAMEWORKS = ("jest",)
_WALL_SECONDS = 300.0
_TEST_SECONDS = 10.0
_SERVED_SECONDS = 60.0
"""The first test of a file waits until the application has started."""
_SERVED_WALL_SECONDS = 900.0
_FIRST_TESTS = 2
"""The example of a function, and what differs most from it."""


async def run_script_tests(services: ToolServices, files: Mapping[str, str], spec: Json, options: Json) -> Json:
    """Run the test file of one spec, and give the answer of `run_tests`.

    Raises:
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: see `verify_scripts`.
    """
    if spec.get("test_type") == "api":
        return await _run_api_tests(services, files, spec, options)
    target = await services.python_target()
    limits = {key: options[key] for key in ("test_seconds", "mutant_seconds") if key in options}
    # What a program does in its own process is neither measured nor mutated.
    apart = _of_programs(spec)
    inside = any(str(case["id"]) not in apart for case in spec["cases"])
    strictness = VerifyOptions(
        repeats=options.get("repeats", services.repeats),
        mutants=options.get("mutants", services.mutants) if inside else 0,
        wall_seconds=options.get("wall_seconds", _WALL_SECONDS),
        **limits,
    )
    path = str(spec["target"]["path"])
    verification = await verify_scripts(
        target,
        files,
        measured=_measured(spec),
        cases=await asyncio.to_thread(_cases, {next(iter(files)): spec}),
        documented=documented_cases([spec]),
        options=strictness,
    )
    evidence = evidence_of(verification, spec=spec)
    measured = verification.mutation is not None and verification.mutation.tried > 0
    idle = idle_tests(evidence, spec) if measured else []
    return tool_result(verification, evidence=evidence, idle=idle, target_path=path)


async def _run_api_tests(services: ToolServices, files: Mapping[str, str], spec: Json, options: Json) -> Json:
    """Run tests that start an application. What each of them proves, coverage and repeats say: it is not mutated."""
    target = await services.python_target()
    path = next(iter(files))
    verification = await verify_scripts(
        target,
        files,
        measured=tuple(await asyncio.to_thread(application_files, services.root, spec)),
        cases=await asyncio.to_thread(_cases, {path: spec}),
        documented=documented_cases([spec]),
        options=VerifyOptions(
            repeats=options.get("repeats", services.repeats),
            test_seconds=options.get("test_seconds", _SERVED_SECONDS),
            wall_seconds=options.get("wall_seconds", _SERVED_WALL_SECONDS),
        ),
        served=True,
    )
    return tool_result(verification, evidence=evidence_of(verification, spec=spec))


def idle_tests(evidence: Iterable[EvidenceRecord], spec: Json) -> list[EvidenceRecord]:
    """The tests that add nothing by themselves, but for the first ones of a function that has no others.

    A function of one line runs no line that loading its module does not run, and may have nothing to mutate.
    """
    subjects = {str(case["id"]): str(case["subject"]) for case in spec["cases"]}
    apart = _of_programs(spec)
    rows = [one for one in evidence if one.case_id not in apart]
    idle = [one for one in rows if not one.adds and "documented" not in one.origins]
    kept = {subjects.get(one.case_id or "") for one in rows if one not in idle}
    left = Counter[str]()
    found = []
    for one in idle:
        subject = subjects.get(one.case_id or "", "")
        left[subject] += 1
        if subject in kept or left[subject] > _FIRST_TESTS:
            found.append(one)
    return found


async def verify_script_suite(services: ToolServices, files: Mapping[str, str], specs: Iterable[Json]) -> Json:
    """Run the test files of several specs together, and give the answer of `verify_suite`. Raises as above."""
    target = await services.python_target()
    own = [spec for spec in specs if spec.get("framework") in SCRIPT_FRAMEWORKS]
    by_path: dict[str, Json] = {}
    for path, text in files.items():
        spec = await asyncio.to_thread(_spec_of, own, path, text)
        if spec is not None:
            by_path[path] = spec
    served = any(spec.get("test_type") == "api" for spec in own)
    measured = tuple(dict.fromkeys(path for spec in by_path.values() for path in _measured(spec)))
    if served:
        found = [path for spec in own for path in await asyncio.to_thread(application_files, services.root, spec)]
        measured = tuple(dict.fromkeys(found))
    verification = await verify_scripts(
        target,
        files,
        measured=measured,
        cases=await asyncio.to_thread(_cases, by_path),
        documented=documented_cases(own),
        options=VerifyOptions(
            repeats=2,
            wall_seconds=_SERVED_WALL_SECONDS if served else _WALL_SECONDS,
            test_seconds=_SERVED_SECONDS if served else _TEST_SECONDS,
        ),
        served=served,
    )
    return tool_result(verification)


def _of_programs(spec: Json) -> frozenset[str]:
    """Ids of the cases that run a program of the package."""
    return frozenset(
        str(case["id"]) for case in spec["cases"] if any(one["to"] == "program" for one in case.get("crosses", ()))
    )


def _measured(spec: Json) -> tuple[str, ...]:
    """The scripts whose coverage counts: the tested module, or all components."""
    parts = spec["target"].get("components") or [spec["target"]]
    return tuple(str(one["path"]) for one in parts if one.get("path"))


def _spec_of(specs: Iterable[Json], path: str, text: str) -> Json | None:
    """The spec of a test file: of several for one module, the one that renders to it."""
    found = [one for one in specs if f"from {_origin(one)}\n" in text]
    if len(found) > 1:
        found = [one for one in found if render_files(one, "jest", path)[0].contents == text] or found
    return found[0] if found else None


def _origin(spec: Json) -> str:
    """What the head of a test file says it is generated from."""
    target = spec["target"]
    return str(target.get("path") or (target.get("description") or {}).get("path") or target["name"])


def documented_cases(specs: Iterable[Json]) -> frozenset[str]:
    """Ids of cases whose expectation stands in the documentation."""
    return frozenset(
        str(case["id"])
        for spec in specs
        for case in spec.get("cases") or ()
        if any(one.get("origin") == "documented" for one in case["expect"])
    )


def _cases(specs: Mapping[str, Json]) -> dict[tuple[str, str], str]:
    """Ids of cases by test file and full name of the test."""
    # Loaded where there are such tests only: it brings checks of JSON schemas along.
    from ...engine.api.write.scripts.render_scripts import rendered_api_tests

    found: dict[tuple[str, str], str] = {}
    for path, spec in specs.items():
        tests = rendered_api_tests(spec) if spec.get("test_type") == "api" else rendered_tests(spec)
        found |= {(path, one.name): one.case_id for one in tests}
    return found
