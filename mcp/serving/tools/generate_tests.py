"""`generate_tests`: a whole run from a request in plain words; its tests wait, staged (T-01, B-09, B-10)."""

from __future__ import annotations

from typing import Any

from ...toolbox.definition import closed_object
from ..handles import HANDLE_SCHEMA, report_handle, report_links
from ..jobs import said, worked
from ..tool_definition import FRAMEWORK, ROOT, Answer, Call, Desk, ServedTool

TEST_TYPE = {"type": "string", "enum": ["unit", "api", "integration", "e2e", "performance"]}


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    root = desk.roots.named(arguments.get("root"))
    options = said(framework=arguments.get("framework"), test_type=arguments.get("test_type"))
    run_id, report = await worked(
        desk,
        call,
        root,
        "generate_tests",
        lambda job: desk.application.generate_tests(job, arguments["request"], options),
    )
    return Answer(report_handle(run_id, root.name, report), report_links(run_id))


TOOL = ServedTool(
    name="generate_tests",
    title="Generate tests from a request",
    description="Writes tests for what a request in plain words names, runs them in a sandbox and keeps those "
    "that hold in every order. This is the tool for 'cover this module' or 'test what has no tests';"
    " use generate_test_spec when only the plan of test cases is wanted, plan_tests to see cheaply "
    "what a request would cover. Name files, packages or symbols in the request ('unit tests for "
    "src/shop/cart.py', 'only what has no tests except src/shop/cli.py'). Comes back with a run id, "
    "counts, suspected defects and resource URIs; nothing is added to the project: apply_tests does "
    "that. Costs a minute or so of computation for each module, and tokens where a model is "
    "configured; progress is reported, and cancelling ends it.",
    input_schema=closed_object(
        {
            "request": {
                "type": "string",
                "minLength": 1,
                "maxLength": 10_000,
                "description": "What to test, in plain words, with files, packages or symbols named.",
            },
            "framework": FRAMEWORK,
            "test_type": {**TEST_TYPE, "description": "The type of tests; read from the request without it."},
            "root": ROOT,
        },
        ["request"],
    ),
    output_schema=HANDLE_SCHEMA,
    serve=_serve,
)
