"""`generate_tests_from_spec`: executes the code half of a run, from a stored spec."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath

from ....core.errors import ToolInputError
from ....utils.confined_paths import read_text
from ....utils.names.counted import counted
from ...toolbox.json_schema import closed_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ...tools.validate_spec import check_spec
from ..context import FRAMEWORK, ROOT, ClientCall, ServerContext
from ..handles import HANDLE_SCHEMA, RUNS, parse_run_uri, report_answer
from ..jobs import find_run, run_job
from ..roots import Root
from ..run_files import parse_object, read_json, run_folder


async def _run(
    call: ClientCall, /, spec_path: str, framework: str | None = None, root: str | None = None
) -> ToolAnswer:
    """Writes the test file for a valid test spec, runs it in a sandbox and keeps the cases that hold. Use it after
    generate_test_spec (give its spec_path: the same run goes on), or with a spec that a person wrote or edited (a JSON
    file below a root; a run of its own, and the spec's cases are never rewritten). validate_test_spec checks a spec
    beforehand. Comes back with a run id, counts and URIs; the tests are staged, apply_tests adds them. Takes seconds to
    a minute.
    """
    server = call.server
    if spec_path.startswith(RUNS):
        run_id, part = parse_run_uri(spec_path)
        project, run = await find_run(server, run_id)
        spec = await asyncio.to_thread(_spec_of_run, server, project, run_id, part)
        if run["resumable"] and framework in (None, spec.get("framework")):
            # The run stopped after its spec: the same run goes on.
            _, report = await run_job(call, project, "generate_tests_from_spec", server.backend.resume, run_id=run_id)
            return report_answer(run_id, project.name, report)
    else:
        file = await server.roots.file(spec_path, root=root, what="spec")
        project, part = file.root, file.relative
        spec = parse_object(await asyncio.to_thread(read_text, file.path, spec_path, (project.path,)), spec_path)
        spec = await _complete_target(server, project, spec)
    await asyncio.to_thread(_refuse_invalid, spec, framework, spec_path)
    name = PurePosixPath(part).stem
    run_id, report = await run_job(
        call,
        project,
        "generate_tests_from_spec",
        lambda job: server.backend.generate_from_spec(job, spec=spec, name=name, framework=framework),
    )
    return report_answer(run_id, project.name, report)


async def _complete_target(server: ServerContext, root: Root, spec: Json) -> Json:
    """Completes a spec's target from the project, where a person wrote its path only."""
    target = spec.get("target")
    if not isinstance(target, dict) or not isinstance(target.get("path"), str) or "digest" in target:
        return spec
    file = await server.roots.file(target["path"], root=root.name, what="target of the spec")
    analysis = await server.backend.call_tool(root.path, "get_ast_analysis", {"file_path": file.relative})
    known = {name: analysis[name] for name in ("module", "import_root", "digest")}
    return {**spec, "target": {**known, **target, "path": file.relative}}


def _spec_of_run(server: ServerContext, root: Root, run_id: str, part: str) -> Json:
    if not part.startswith("specs/"):
        raise ToolInputError(
            f"{part!r} of run {run_id} is no spec", advice="give the spec_path that generate_test_spec answered"
        )
    return read_json(run_folder(server, root, run_id), part)


def _refuse_invalid(spec: Json, framework: str | None, path: str) -> None:
    test_type = spec.get("test_type")
    if not isinstance(test_type, str):
        raise ToolInputError(f"{path!r} does not say its test_type", advice='add "test_type": "unit", for example')
    result = check_spec({**spec, "framework": framework} if framework else spec, test_type)
    if not result["valid"]:
        first = result["errors"][0]
        errors = counted(len(result["errors"]), "error")
        raise ToolInputError(
            f"the spec {path!r} is not valid: {first['path']} {first['message']} ({errors})",
            advice="mend it until validate_test_spec finds no error",
            details={"errors": result["errors"][:20], "suggestions": result["suggestions"][:20]},
        )


TOOL = client_tool(
    name="generate_tests_from_spec",
    title="Generate tests from a spec",
    input_schema=closed_object(
        ["spec_path"],
        spec_path=string(
            minLength=1,
            maxLength=4096,
            description="A testwright://runs/… URI of a spec, or the path of a JSON file below a root.",
        ),
        framework={**FRAMEWORK, "description": "What to write for; the spec's own framework without it."},
        root=ROOT,
    ),
    output_schema=HANDLE_SCHEMA,
    run=_run,
    is_long=True,
)
