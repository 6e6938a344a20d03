"""`run_tests`: runs a staged test file in the sandbox, repeatedly, and reports which of its tests hold."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...core.background import background_task
from ...core.errors import ToolFailure
from ...gate.evidence.additions import redundant_tests
from ...gate.evidence.application_files import application_files
from ...gate.evidence.asked_lines import lines_asked_for
from ...gate.evidence.evidence import EvidenceRecord, evidence_of
from ...gate.evidence.summary import tool_result
from ...gate.evidence.unasserting import unasserting_tests
from ...gate.model.options import Framework
from ...gate.model.strictness import VerifyOptions
from ...gate.runner.baseline import CoverageBaseline
from ...gate.verify.verify import verify_files
from ...sandbox.target import PythonTarget
from ...utils.confined_paths import read_text
from ...utils.untrusted_files import decoded_json, decoded_source, read_source_bytes, write_file
from ..toolbox.browser_runs import BROWSER_SCRIPT_FRAMEWORKS, run_browser_scripts
from ..toolbox.json_schema import COUNT, TEXTS, array, closed_object, integer, open_object, string
from ..toolbox.script_runs import SCRIPT_FRAMEWORKS, run_script_tests
from ..toolbox.services import ToolServices
from ..toolbox.staged_files import with_dependencies
from ..toolbox.tool_spec import Json, ToolSpec

FRAMEWORKS: tuple[Framework, ...] = ("pytest", "unittest", "locust")
ALL_FRAMEWORKS = (*FRAMEWORKS, *SCRIPT_FRAMEWORKS, *BROWSER_SCRIPT_FRAMEWORKS)
SERVED = ("api", "e2e")
"""Types of tests that start an application in a process of its own."""
_PICTURES = "browser"
BROWSER_TEST_SECONDS = 60.0
BROWSER_WALL_SECONDS = 900.0
SERVER_TEST_SECONDS = 60.0
SERVER_WALL_SECONDS = 600.0
_SERVER_SECONDS_EACH = 2.0
"""For one test of many: a machine may be busy, and a sound test that is not reached would be thrown away."""
OPTIONS: Json = {
    "framework": string(enum=list(ALL_FRAMEWORKS)),
    "test_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 600, "description": "For one test."},
    "wall_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 3600, "description": "For one run of all."},
}
TIMED_TEST_SECONDS = 30.0
LOAD_TEST_SECONDS = 60.0
LOAD_WALL_SECONDS = 900.0
LOAD_REPEATS = 2
"""Runs of a load test after the first; nothing but the order of the profiles is varied."""
RESULT_SCHEMA: Json = open_object(
    ["framework", "passed", "failed", "kept", "dropped", "tests", "coverage", "repeats", "sandbox"],
    framework=string(),
    passed={**COUNT, "description": "Tests that hold."},
    failed={**COUNT, "description": "Tests that do not."},
    kept={**TEXTS, "description": "Cases all of whose tests hold."},
    dropped=array(open_object(["case_id", "nodeid", "class", "reason", "message"], nodeid=string(), reason=string())),
    idle=array(
        open_object(["nodeid", "case_id", "reason", "class"]),
        description="Tests that hold and add nothing; only where mutants were tried.",
    ),
    tests=array(open_object(["nodeid", "case_id", "outcome"])),
    coverage={"type": ["object", "null"]},
    mutation={"type": ["object", "null"], "description": "Counts and survivors, where mutants were tried."},
    trivial={
        "type": ["object", "null"],
        "description": "Functions whose tests pass with a trivial implementation, where mutants were tried.",
    },
    repeats=COUNT,
    notes=TEXTS,
    sandbox=string(),
    seconds={"type": "number"},
)


async def _run(services: ToolServices, /, test_path: str, options: Json) -> Json:
    """Runs a staged test file in the sandbox, repeats it shuffled, under other hash seeds, on another day, and tells
    case by case what holds, with branch coverage.
    """
    spec = await asyncio.to_thread(read_spec, services, options.get("spec_path"))
    measured = await asyncio.to_thread(measured_files, services, spec, options.get("target"))
    framework = _framework(options, spec)
    files = await asyncio.to_thread(staged_files, services, [test_path], framework)
    if framework in (*SCRIPT_FRAMEWORKS, *BROWSER_SCRIPT_FRAMEWORKS):
        if spec is None:
            raise ToolFailure("tests of scripts are run with their spec", advice="give spec_path in the options")
        return await _run_scripts(services, files, spec, framework, options)
    target = await services.python_target()
    limits = _limits(services, spec, framework, options)
    if framework == "locust":
        # The server runs in a process of its own, where nothing is measured.
        measured = []
    # API and integration tests run the code in processes of its own, where mutants are not installed; what performance
    # tests are for, a mutant does not show.
    in_process = (spec or {}).get("test_type", "unit") == "unit"
    limits["mutants"] = options.get("mutants", services.mutants if in_process else 0)
    quick_passwords = (spec or {}).get("test_type") == "api"
    strictness = VerifyOptions(measure=tuple(measured), quick_passwords=quick_passwords, **limits)
    # The coverage of before is measured while the tests run.
    compared = measured if options.get("baseline", True) else []
    async with background_task(_baseline(services, target, spec, compared)) as baseline:
        verification = await verify_files(
            target, files, framework=python_framework(framework), spec=spec, options=strictness
        )
        before = await baseline
    earlier = before.coverage if before else None
    evidence = evidence_of(verification, spec=spec, before=earlier)
    tried = verification.mutation is not None and verification.mutation.tried > 0
    idle: tuple[EvidenceRecord, ...] = ()
    silent = unasserting_tests(verification)
    # Tests that notice no mutant the others miss, and add no coverage, are idle.
    if tried and in_process:
        idle = redundant_tests(evidence, verification.mutation, notices=options.get("notices"), before=earlier)
        idle = (*idle, *(record for record in evidence if record.nodeid in silent and record not in idle))
    shown = measured[0] if len(measured) == 1 else None
    sources = await asyncio.to_thread(_sources, target, [shown] if shown and in_process else [])
    shown_pictures = await asyncio.to_thread(keep_pictures, services, verification.pictures)
    answer = tool_result(
        verification,
        evidence=evidence,
        idle=idle,
        reasons=silent,
        before=before,
        target_path=shown,
        sources=sources,
        asked=_asked(options.get("target"), sources),
    )
    return {**answer, "notes": [*answer["notes"], *shown_pictures]}


def server_wall_seconds(specs: Iterable[Json]) -> float:
    """Return how long one run of API tests may take: the more there are, the longer."""
    cases = sum(len(spec.get("cases") or ()) for spec in specs)
    return max(SERVER_WALL_SECONDS, cases * _SERVER_SECONDS_EACH)


def _limits(services: ToolServices, spec: Json | None, framework: str, options: Json) -> Json:
    """The limits of a verification that go by what is run, unless the options say others."""
    limits: Json = {key: options[key] for key in ("test_seconds", "wall_seconds", "mutant_seconds") if key in options}
    if is_browser(spec):
        # The first test waits for a browser to start, and each for pages.
        limits = {"test_seconds": BROWSER_TEST_SECONDS, "wall_seconds": BROWSER_WALL_SECONDS, **limits}
    if is_api(spec):
        # The first test waits until the application has started and its users have signed in.
        limits = {"test_seconds": SERVER_TEST_SECONDS, "wall_seconds": server_wall_seconds([spec or {}]), **limits}
    if (spec or {}).get("test_type") == "performance":
        # A call that is timed is repeated for a while; a much slower one is to fail by its limit, not by this one.
        limits.setdefault("test_seconds", TIMED_TEST_SECONDS)
    if framework == "locust":
        # A profile is pressed into seconds, and its server runs in a process of its own.
        limits = {"test_seconds": LOAD_TEST_SECONDS, "wall_seconds": LOAD_WALL_SECONDS, **limits, "beside": False}
    limits["acting"] = _acting(services, spec)
    limits["repeats"] = options.get("repeats", services.repeats if framework != "locust" else LOAD_REPEATS)
    return limits


async def _run_scripts(
    services: ToolServices, files: Mapping[str, str], spec: Json, framework: str, options: Json
) -> Json:
    """The answer for tests that Node runs."""
    if framework in SCRIPT_FRAMEWORKS:
        return await run_script_tests(services, files, spec, options)
    answer, pictures = await run_browser_scripts(services, files, spec, options)
    return {**answer, "notes": [*answer["notes"], *await asyncio.to_thread(keep_pictures, services, pictures)]}


def keep_pictures(services: ToolServices, pictures: Mapping[str, bytes]) -> list[str]:
    """Write screenshots and traces of browser tests that failed to the run's folder; the notes name them."""
    for path, contents in pictures.items():
        write_file(services.run_folder.path, f"{_PICTURES}/{path}", contents)
    folders = dict.fromkeys(path.partition("/")[0] for path in pictures)
    return [
        f"{folder} failed: {' and '.join(f'{_PICTURES}/{path}' for path in pictures if path.startswith(f'{folder}/'))}"
        for folder in folders
    ]


async def _baseline(
    services: ToolServices, target: PythonTarget, spec: Json | None, paths: Sequence[str]
) -> CoverageBaseline | None:
    """Measures the coverage there was before, of modules by their paths; None without paths."""
    modules = {path: module_name(spec, path, target.import_roots) for path in paths}
    return await services.baselines.of(target, modules) if modules else None


def _sources(target: PythonTarget, paths: list[str]) -> dict[str, str]:
    """The texts of files in the tested copy; unreadable ones are left out."""
    found: dict[str, str] = {}
    for path in paths:
        with suppress(OSError, UnicodeDecodeError):
            found[path] = decoded_source(read_source_bytes(target.snapshot.path, path))
    return found


def _asked(target: Any, sources: Mapping[str, str]) -> dict[str, frozenset[int]] | None:
    """The lines of the functions that are asked for, by file; None where whole modules are."""
    symbols = target.get("symbols") if isinstance(target, dict) else None
    if not isinstance(symbols, list) or not symbols:
        return None
    found = {path: lines_asked_for(source, symbols) for path, source in sources.items()}
    return {path: lines for path, lines in found.items() if lines is not None}


def read_spec(services: ToolServices, path: str | None) -> Json | None:
    """Reads a spec of the run; None when no path is given. Raises ToolFailure."""
    if not path:
        return None
    try:
        spec = decoded_json(read_text(services.run_file(path), path, (services.run_folder.path,)))
    except ValueError as error:
        raise ToolFailure(f"the spec {path!r} is not JSON: {error}", advice="write it again") from error
    if not isinstance(spec, dict):
        raise ToolFailure(f"the spec {path!r} is not an object", advice="write it again")
    return spec


def staged_files(services: ToolServices, paths: list[str], framework: str) -> dict[str, str]:
    """Reads staged test files by their path in the project, with the staged conftest.py files and helpers they need.

    Raises:
        ToolFailure: one is not staged, or not readable.
    """
    files: dict[str, str] = {}
    for path in paths:
        test_path = services.test_path(path)
        files |= with_dependencies(services.run_folder.staged, test_path, conftest=framework == "pytest")
    return files


def _acting(services: ToolServices, spec: Json | None) -> frozenset[str] | None:
    """Ids of the cases that a model wrote; None for every test, where a model writes the files.

    API and browser tests start the application themselves, and a model gives them data only, no code.
    """
    if spec is not None and (spec.get("test_type") in SERVED or spec.get("framework") == "locust"):
        return frozenset()
    if services.model_writes:
        return None
    return frozenset(str(case["id"]) for case in (spec or {}).get("cases") or () if case.get("written_by") == "model")


def is_browser(spec: Json | None) -> bool:
    """Whether the tests of a spec drive a browser."""
    return spec is not None and spec.get("test_type") == "e2e"


def is_api(spec: Json | None) -> bool:
    """Whether the tests of a spec start an application and send it requests."""
    return spec is not None and spec.get("test_type") == "api"


def _framework(options: Json, spec: Json | None) -> str:
    name = options.get("framework") or (spec or {}).get("framework") or "pytest"
    if name in ALL_FRAMEWORKS:
        return str(name)
    raise ToolFailure(
        f"tests for {name} cannot be run: it is not part of this version",
        advice=f"frameworks that can be run: {', '.join(ALL_FRAMEWORKS)}",
    )


def python_framework(name: str) -> Framework:
    """The framework of Python tests that has this name, else pytest."""
    for framework in FRAMEWORKS:
        if framework == name:
            return framework
    return "pytest"


def measured_files(services: ToolServices, spec: Json | None, target: Any = None) -> list[str]:
    """Selects the files whose coverage counts: the spec's target or all its components, else the target in the options.

    Raises:
        ToolFailure: one lies outside the project.
    """
    # Tests of an application measure the whole of it, not one module.
    if spec is not None and spec.get("test_type") in SERVED:
        return application_files(services.root, spec)
    for candidate in ((spec or {}).get("target"), target):
        components = candidate.get("components") if isinstance(candidate, dict) else None
        candidate = module_of(candidate) if isinstance(candidate, dict) else candidate
        found = [path for part in (components or [candidate]) if (path := _project_path(services, part)) is not None]
        if found:
            return list(dict.fromkeys(found))
    return []


def _project_path(services: ToolServices, target: Any) -> str | None:
    path = target.get("path") if isinstance(target, dict) else target
    if not isinstance(path, str) or not path or not (services.root / path).is_file():
        return None
    return services.project_file(path).resolve().relative_to(services.root.resolve()).as_posix()


def module_of(target: Json) -> Json:
    """The part of a spec's target that names a Python module: performance specs have it beside a service."""
    module = target.get("module")
    return module if isinstance(module, dict) else target


def module_name(spec: Json | None, path: str, import_roots: Sequence[str]) -> str:
    """The name that a spec has for the module of a file, else the one by which a folder of `sys.path` imports it."""
    target = (spec or {}).get("target") or {}
    for part in (module_of(target), *(target.get("components") or ())):
        if isinstance(part.get("module"), str) and part.get("path", path) == path:
            return part["module"]
    root = max((root for root in import_roots if path.startswith(f"{root}/")), key=len, default="")
    return path.removeprefix(f"{root}/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


TOOL = ToolSpec(
    name="run_tests",
    input_schema=closed_object(
        ["test_path"],
        test_path=string(minLength=1, description="Path in the project, as staged."),
        options={
            **closed_object(
                [],
                **OPTIONS,
                spec_path=string(description="The spec, relative to the run's folder."),
                target={"type": ["string", "object", "null"], "description": "The file that is tested."},
                repeats=integer(minimum=0, maximum=20),
                mutants=integer(
                    minimum=0,
                    maximum=10000,
                    description="Mutants of the target that the kept tests are measured by.",
                ),
                mutant_seconds={
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "description": "For how long mutants are tried; those left count as untried.",
                },
                baseline={"type": "boolean", "description": "Whether coverage before is measured."},
                notices={
                    "type": "object",
                    "additionalProperties": array(integer()),
                    "description": "Mutants that cases are known to notice, numbers by the cases' ids: of "
                    "those that notice the same ones, some stay.",
                },
            ),
            "default": {},
        },
    ),
    output_schema=RESULT_SCHEMA,
    run=_run,
    timeout_seconds=3600.0,
)
