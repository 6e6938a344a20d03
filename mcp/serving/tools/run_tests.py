"""`run_tests(test_path, options)`: a test file in the sandbox, repeated until it is clear which tests hold (T-11)."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ...toolbox.definition import closed_object
from ...tools.run_tests import OPTIONS
from ..backend import Json, TestFiles
from ..handles import RUNS, Link, run_part, run_uri
from ..jobs import found_run, worked
from ..roots import Place, Root, files_below
from ..tool_definition import ROOT, Answer, Call, Desk, ServedTool
from .run_files import folder_of, json_file, specs_by_test, staged_texts

_LISTED = 20
_MOST_FILES = 200
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_MESSAGE = 600


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    given, options = arguments["test_path"], dict(arguments["options"])
    if given.startswith(RUNS):
        run_id, part = run_part(given)
        root, run = await found_run(desk, run_id)
        tests = await asyncio.to_thread(_tests_of_run, desk, root, run_id, part, run)
    else:
        place = desk.roots.place(given, root=arguments.get("root"))
        if place.path.is_dir():
            tests = await asyncio.to_thread(_tests_of_folder, place)
            _refuse_for_folders(options)
        else:
            place = await desk.roots.file(given, root=arguments.get("root"), what="test file")
            tests = await asyncio.to_thread(_tests_of_project, place)
        root = place.root
    if options.get("target"):
        options["target"] = (await desk.roots.file(options["target"], root=root.name, what="target")).relative
    run_id, result = await worked(
        desk, call, root, "run_tests", lambda job: desk.application.run_tests(job, tests, options)
    )
    uri = run_uri(run_id, "results.json")
    return Answer(
        _handle(run_id, root.name, tests.test_path, result, uri),
        (Link(uri, "results.json", "Every test, with coverage", "application/json"),),
    )


def _tests_of_project(place: Place) -> TestFiles:
    return TestFiles(place.relative, {place.relative: read_text(place.path, place.relative)})


def _tests_of_folder(place: Place) -> TestFiles:
    found = [one for one in files_below(place) if _TEST_FILE.search(one)]
    if not found or len(found) > _MOST_FILES:
        raise ToolInputError(
            f"the folder {place.relative!r} holds {len(found)} test files; 1 to {_MOST_FILES} can be run together",
            advice="name a folder with test_*.py files, or one file",
        )
    texts = {one: read_text(place.root.path / one, one) for one in found}
    return TestFiles(place.relative, texts, together=tuple(found))


def _refuse_for_folders(options: Json) -> None:
    unfit = sorted({"target", "repeats", "baseline"} & set(options))
    if unfit:
        raise ToolInputError(
            f"{', '.join(unfit)} cannot be asked of a folder", advice="leave them out, or name one test file"
        )


def _tests_of_run(desk: Desk, root: Root, run_id: str, part: str, run: Json) -> TestFiles:
    kind, _, path = part.partition("/")
    folder = folder_of(desk.application.state(root.path), run_id)
    files = staged_texts(folder, root)
    if kind != "tests" or path not in files:
        known = ", ".join(run_uri(run_id, "tests", one) for one in list(files)[:5])
        raise ToolInputError(f"run {run_id} has no staged test {path!r}", advice=f"it has: {known or 'none'}")
    spec_path = specs_by_test(run).get(path)
    spec = json_file(folder, spec_path) if spec_path else None
    return TestFiles(path, files, spec)


def _handle(run_id: str, root: str, path: str, result: Json, uri: str) -> Json:
    coverage = result.get("coverage") or {}
    return {
        "run_id": run_id,
        "root": root,
        "test_path": path,
        "framework": result["framework"],
        "passed": result["passed"],
        "failed": result["failed"],
        "failures": [_failure(one) for one in result["dropped"][:_LISTED]],
        "coverage": {"before": coverage.get("before"), "after": coverage.get("after")} if coverage else None,
        "repeats": result["repeats"],
        "sandbox": result["sandbox"],
        "notes": [*(result.get("notes") or []), *_nothing_found(result, path)],
        "results_path": uri,
        "next": [f"analyze_test_results(results_path={uri!r}) says what the failures mean"] if result["failed"] else [],
    }


def _nothing_found(result: Json, path: str) -> list[str]:
    if result["passed"] or result["failed"]:
        return []
    collected = "methods test_* of TestCase classes"
    if result["framework"] == "pytest":
        collected = "functions test_* and methods test_* of classes Test*"
    return [f"no test was found in {path}: {result['framework']} collects {collected}"]


def _failure(one: Json) -> Json:
    return {
        "nodeid": one["nodeid"],
        "class": one["class"],
        "reason": str(one["reason"])[:_MESSAGE],
        "message": str(one["message"])[:_MESSAGE],
    }


TOOL = ServedTool(
    name="run_tests",
    title="Run a test file in the sandbox",
    description="Runs a test file in an isolated copy of the project, several times in different orders, "
    "processes and days, and tells test by test what holds and why the others do not, with branch "
    "coverage of options.target. All files of a folder are run together, which also shows tests that"
    " disturb each other. Use it for tests of the project, or for a staged file by its "
    "testwright://runs/…/tests/… URI; generate_tests has run its own tests already. The project is "
    "not changed, the network is not reachable. Comes back with counts, the first failures and "
    "results_path for analyze_test_results. Takes as long as the tests, times the repeats.",
    input_schema=closed_object(
        {
            "test_path": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
                "description": "A test file or a folder of them, relative to the root, or the URI of a staged file.",
            },
            "options": {
                **closed_object(
                    {
                        **OPTIONS,
                        "target": {"type": "string", "description": "The file whose coverage is measured."},
                        "repeats": {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 20,
                            "description": "Runs after the first.",
                        },
                        "baseline": {"type": "boolean", "description": "Whether coverage before is measured too."},
                    },
                    [],
                ),
                "default": {},
            },
            "root": ROOT,
        },
        ["test_path"],
    ),
    output_schema={
        "type": "object",
        "required": ["run_id", "root", "test_path", "passed", "failed", "failures", "coverage", "results_path", "next"],
        "properties": {
            "run_id": {"type": "string"},
            "root": {"type": "string"},
            "test_path": {"type": "string"},
            "framework": {"type": "string"},
            "passed": {"type": "integer", "minimum": 0, "description": "Tests that hold every time."},
            "failed": {"type": "integer", "minimum": 0},
            "failures": {"type": "array", "items": {"type": "object", "required": ["nodeid", "class", "reason"]}},
            "coverage": {"type": ["object", "null"]},
            "repeats": {"type": "integer"},
            "sandbox": {"type": "string"},
            "notes": {"type": "array", "items": {"type": "string"}},
            "results_path": {"type": "string", "description": "URI of the whole results."},
            "next": {"type": "array", "items": {"type": "string"}},
        },
    },
    serve=_serve,
)
