"""Runs staged test files of scripts with Jest, and verifies several of them together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping

from ...engine.javascript.render import rendered_tests
from ...gate.evidence.evidence import EvidenceRecord, evidence_of
from ...gate.evidence.summary import tool_result
from ...gate.model.strictness import VerifyOptions
from ...gate.verify.scripts import verify_scripts
from .services import ToolServices
from .tool_spec import Json

SCRIPT_FRAMEWORKS = ("jest",)
_WALL_SECONDS = 300.0
_FIRST_TESTS = 2
"""The example of a function, and what differs most from it."""


async def run_script_tests(services: ToolServices, files: Mapping[str, str], spec: Json, options: Json) -> Json:
    """Run the test file of one spec, and give the answer of `run_tests`.

    Raises:
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: see `verify_scripts`.
    """
    target = await services.python_target()
    limits = {key: options[key] for key in ("test_seconds", "mutant_seconds") if key in options}
    strictness = VerifyOptions(
        repeats=options.get("repeats", services.repeats),
        mutants=options.get("mutants", services.mutants),
        wall_seconds=options.get("wall_seconds", _WALL_SECONDS),
        **limits,
    )
    path = str(spec["target"]["path"])
    verification = await verify_scripts(
        target,
        files,
        measured=(path,),
        cases=await asyncio.to_thread(_cases, {next(iter(files)): spec}),
        documented=documented_cases([spec]),
        options=strictness,
    )
    evidence = evidence_of(verification, spec=spec)
    measured = verification.mutation is not None and verification.mutation.tried > 0
    idle = idle_tests(evidence, spec) if measured else []
    return tool_result(verification, evidence=evidence, idle=idle, target_path=path)


def idle_tests(evidence: Iterable[EvidenceRecord], spec: Json) -> list[EvidenceRecord]:
    """The tests that add nothing by themselves, but for the first ones of a function that has no others.

    A function of one line runs no line that loading its module does not run, and may have nothing to mutate.
    """
    subjects = {str(case["id"]): str(case["subject"]) for case in spec["cases"]}
    rows = list(evidence)
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
        spec = next((one for one in own if f"from {one['target']['path']}\n" in text), None)
        if spec is not None:
            by_path[path] = spec
    measured = tuple(dict.fromkeys(str(spec["target"]["path"]) for spec in by_path.values()))
    verification = await verify_scripts(
        target,
        files,
        measured=measured,
        cases=await asyncio.to_thread(_cases, by_path),
        documented=documented_cases(own),
        options=VerifyOptions(repeats=2, wall_seconds=_WALL_SECONDS),
    )
    return tool_result(verification)


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
    return {(path, one.name): one.case_id for path, spec in specs.items() for one in rendered_tests(spec)}
