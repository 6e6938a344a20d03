"""`run_tests`: runs test files in the sandbox, repeatedly, and reports which tests hold."""

from __future__ import annotations

import asyncio
import re

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ...toolbox.json_schema import TEXTS, array, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import Json, Link, ToolAnswer, client_tool
from ...tools.run_tests import OPTIONS
from ..backend import TestFiles
from ..context import ROOT, ClientCall, ServerContext
from ..handles import RUNS, parse_run_uri, run_uri
from ..jobs import find_run, run_job
from ..roots import Root, RootPath, files_below
from ..run_files import read_json, run_folder, staged_texts

_MAX_LISTED = 20
_MAX_FILES = 200
_MAX_MESSAGE_CHARS = 600
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")


async def _run(call: ClientCall, /, test_path: str, options: Json, root: str | None = None) -> ToolAnswer:
    """Runs a test file in an isolated copy of the project, several times in different orders, processes and days, and
    tells test by test what holds and why the others do not, with branch coverage of options.target. All files of a
    folder are run together, which also shows tests that disturb each other. Use it for tests of the project, or for a
    staged file by its testwright://runs/…/tests/… URI; generate_tests has run its own tests already. The project is not
    changed, the network is not reachable. Comes back with counts, the first failures and results_path for
    analyze_test_results. Takes as long as the tests, times the repeats.
    """
    server, options = call.server, dict(options)
    if test_path.startswith(RUNS):
        run_id, part = parse_run_uri(test_path)
        project, run = await find_run(server, run_id)
        tests = await asyncio.to_thread(_staged_test, server, project, run_id, part, run)
    else:
        file = server.roots.resolve(test_path, root=root)
        # The files of a folder run together, to find tests that disturb each other.
        if file.path.is_dir():
            tests = await asyncio.to_thread(_tests_of_folder, file)
            _refuse_for_folders(options)
        else:
            file = await server.roots.file(test_path, root=root, what="test file")
            text = await asyncio.to_thread(read_text, file.path, file.relative, (file.root.path,))
            tests = TestFiles(file.relative, {file.relative: text})
        project = file.root
    if options.get("target"):
        target = await server.roots.file(options["target"], root=project.name, what="target")
        options["target"] = target.relative
    run_id, result = await run_job(
        call, project, "run_tests", lambda job: server.backend.run_tests(job, tests, options)
    )
    uri = run_uri(run_id, "results.json")
    link = Link(uri, "results.json", "Every test, with coverage", "application/json")
    return ToolAnswer(_handle(run_id, project.name, tests.test_path, result, uri), (link,))


def _tests_of_folder(folder: RootPath) -> TestFiles:
    paths = [path for path in files_below(folder) if _TEST_FILE.search(path)]
    if not paths or len(paths) > _MAX_FILES:
        raise ToolInputError(
            f"the folder {folder.relative!r} holds {len(paths)} test files; 1 to {_MAX_FILES} can be run together",
            advice="name a folder with test_*.py files, or one file",
        )
    texts = {path: read_text(folder.root.path / path, path, (folder.root.path,)) for path in paths}
    return TestFiles(folder.relative, texts, together=tuple(paths))


def _refuse_for_folders(options: Json) -> None:
    unfit = sorted({"target", "repeats", "baseline"} & set(options))
    if unfit:
        raise ToolInputError(
            f"{', '.join(unfit)} cannot be used with a folder", advice="leave them out, or name one test file"
        )


def _staged_test(server: ServerContext, root: Root, run_id: str, part: str, run: Json) -> TestFiles:
    kind, _, path = part.partition("/")
    folder = run_folder(server, root, run_id)
    files = staged_texts(folder, root)
    if kind != "tests" or path not in files:
        known = ", ".join(run_uri(run_id, "tests", staged) for staged in list(files)[:5])
        raise ToolInputError(f"run {run_id} has no staged test {path!r}", advice=f"it has: {known or 'none'}")
    targets = (run["report"] or {}).get("targets") or ()
    specs = {row["test_path"]: row["spec_path"] for row in targets if row["test_path"] and row["spec_path"]}
    return TestFiles(path, files, read_json(folder, specs[path]) if path in specs else None)


def _handle(run_id: str, root: str, path: str, result: Json, uri: str) -> Json:
    coverage = result.get("coverage") or {}
    return {
        "run_id": run_id,
        "root": root,
        "test_path": path,
        "framework": result["framework"],
        "passed": result["passed"],
        "failed": result["failed"],
        "failures": [_failure(dropped) for dropped in result["dropped"][:_MAX_LISTED]],
        "coverage": {"before": coverage.get("before"), "after": coverage.get("after")} if coverage else None,
        "repeats": result["repeats"],
        "sandbox": result["sandbox"],
        "notes": [*(result.get("notes") or []), *_note_on_no_tests(result, path)],
        "results_path": uri,
        "next": [f"analyze_test_results(results_path={uri!r}) says what the failures mean"] if result["failed"] else [],
    }


def _note_on_no_tests(result: Json, path: str) -> list[str]:
    if result["passed"] or result["failed"]:
        return []
    collected = "methods test_* of TestCase classes"
    if result["framework"] == "pytest":
        collected = "functions test_* and methods test_* of classes Test*"
    return [f"no test was found in {path}: {result['framework']} collects {collected}"]


def _failure(dropped: Json) -> Json:
    return {
        "nodeid": dropped["nodeid"],
        "class": dropped["class"],
        "reason": str(dropped["reason"])[:_MAX_MESSAGE_CHARS],
        "message": str(dropped["message"])[:_MAX_MESSAGE_CHARS],
    }


TOOL = client_tool(
    name="run_tests",
    title="Run a test file in the sandbox",
    input_schema=closed_object(
        ["test_path"],
        test_path=string(
            minLength=1,
            maxLength=4096,
            description="A test file or a folder of them, relative to the root, or the URI of a staged file.",
        ),
        options={
            **closed_object(
                [],
                **OPTIONS,
                target=string(description="The file whose coverage is measured."),
                repeats=integer(minimum=0, maximum=20, description="Runs after the first."),
                baseline={"type": "boolean", "description": "Whether coverage before is measured too."},
            ),
            "default": {},
        },
        root=ROOT,
    ),
    output_schema=open_object(
        ["run_id", "root", "test_path", "passed", "failed", "failures", "coverage", "results_path", "next"],
        **strings("run_id", "root", "test_path", "framework"),
        passed=integer(minimum=0, description="Tests that hold every time."),
        failed=integer(minimum=0),
        failures=array(open_object(["nodeid", "class", "reason"])),
        coverage={"type": ["object", "null"]},
        repeats=integer(),
        sandbox=string(),
        notes=TEXTS,
        results_path=string(description="URI of the whole results."),
        next=TEXTS,
    ),
    run=_run,
    is_long=True,
)
