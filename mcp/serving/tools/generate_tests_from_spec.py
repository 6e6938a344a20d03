"""`generate_tests_from_spec(spec_path, framework)`: the code half of a run, from a spec that is there (T-11)."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import Any

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ...toolbox.definition import closed_object
from ...tools.validate_spec import check_spec
from ..backend import Json
from ..handles import HANDLE_SCHEMA, RUNS, report_handle, report_links, run_part
from ..jobs import found_run, worked
from ..roots import Root
from ..tool_definition import FRAMEWORK, ROOT, Answer, Call, Desk, ServedTool
from .run_files import folder_of, json_file, parsed_object


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    given, framework = arguments["spec_path"], arguments.get("framework")
    if given.startswith(RUNS):
        run_id, part = run_part(given)
        root, run = await found_run(desk, run_id)
        spec = await asyncio.to_thread(_spec_of_run, desk, root, run_id, part)
        if run["resumable"] and framework in (None, spec.get("framework")):
            return await _written(desk, call, root, None, run_id, framework)
    else:
        place = await desk.roots.file(given, root=arguments.get("root"), what="spec")
        root, part = place.root, place.relative
        spec = parsed_object(await asyncio.to_thread(read_text, place.path, given), given)
        spec = await _completed(desk, root, spec)
    await _refuse_invalid(spec, framework, given)
    return await _written(desk, call, root, spec, PurePosixPath(part).stem, framework)


async def _completed(desk: Desk, root: Root, spec: Json) -> Json:
    """The spec with what the project says of its target, where a person wrote its path only."""
    target = spec.get("target")
    if not isinstance(target, dict) or not isinstance(target.get("path"), str) or "digest" in target:
        return spec
    place = await desk.roots.file(target["path"], root=root.name, what="target of the spec")
    found = await desk.application.call_tool(root.path, "get_ast_analysis", {"file_path": place.relative})
    said = {name: found[name] for name in ("module", "import_root", "digest")}
    return {**spec, "target": {**said, **target, "path": place.relative}}


async def _written(desk: Desk, call: Call, root: Root, spec: Json | None, name: str, framework: str | None) -> Answer:
    """The tests of a spec of a name; without one, those of the run of that id, which wrote it."""
    application = desk.application
    run_id, report = await worked(
        desk,
        call,
        root,
        "generate_tests_from_spec",
        lambda job: (
            application.resume(job)
            if spec is None
            else application.generate_from_spec(job, spec=spec, name=name, framework=framework)
        ),
        run_id=name if spec is None else None,
    )
    return Answer(report_handle(run_id, root.name, report), report_links(run_id))


def _spec_of_run(desk: Desk, root: Root, run_id: str, part: str) -> Json:
    if not part.startswith("specs/"):
        raise ToolInputError(
            f"{part!r} of run {run_id} is no spec", advice="give the spec_path that generate_test_spec answered"
        )
    return json_file(folder_of(desk.application.state(root.path), run_id), part)


async def _refuse_invalid(spec: Json, framework: str | None, given: str) -> None:
    wanted = {**spec, "framework": framework} if framework else spec
    test_type = spec.get("test_type")
    if not isinstance(test_type, str):
        raise ToolInputError(f"{given!r} does not say its test_type", advice='add "test_type": "unit", for example')
    result = await asyncio.to_thread(check_spec, wanted, test_type)
    if not result["valid"]:
        first = result["errors"][0]
        raise ToolInputError(
            f"the spec {given!r} is not valid: {first['path']} {first['message']} ({len(result['errors'])} errors)",
            advice="mend it until validate_test_spec finds no error",
            details={"errors": result["errors"][:20], "suggestions": result["suggestions"][:20]},
        )


TOOL = ServedTool(
    name="generate_tests_from_spec",
    title="Generate tests from a spec",
    description="Writes the test file for a valid test spec, runs it in a sandbox and keeps the cases that hold."
    " Use it after generate_test_spec (give its spec_path: the same run goes on), or with a spec "
    "that a person wrote or edited (a JSON file below a root; a run of its own, and the spec's cases"
    " are never rewritten). validate_test_spec checks a spec beforehand. Comes back with a run id, "
    "counts and URIs; the tests are staged, apply_tests adds them. Takes seconds to a minute.",
    input_schema=closed_object(
        {
            "spec_path": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
                "description": "A testwright://runs/… URI of a spec, or the path of a JSON file below a root.",
            },
            "framework": {**FRAMEWORK, "description": "What to write for; the spec's own framework without it."},
            "root": ROOT,
        },
        ["spec_path"],
    ),
    output_schema=HANDLE_SCHEMA,
    serve=_serve,
)
