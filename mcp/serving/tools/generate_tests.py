"""`generate_tests`: executes a whole run for a request in plain words; its tests stay staged."""

from __future__ import annotations

from ...toolbox.json_schema import closed_object, integer, string
from ...toolbox.tool_spec import ToolAnswer, client_tool
from ..context import FRAMEWORK, ROOT, TEST_TYPE, ClientCall
from ..handles import HANDLE_SCHEMA, report_answer
from ..jobs import run_job, without_none


async def _run(
    call: ClientCall,
    /,
    request: str,
    framework: str | None = None,
    test_type: str | None = None,
    fuzz: bool | None = None,
    fuzz_seed: int | None = None,
    root: str | None = None,
) -> ToolAnswer:
    """Writes tests for what a request in plain words names, runs them in a sandbox and keeps those that hold in every
    order. This is the tool for 'cover this module' or 'test what has no tests'; use generate_test_spec when only the
    plan of test cases is wanted, plan_tests to see cheaply what a request would cover. Name files, packages or symbols
    in the request ('unit tests for src/shop/cart.py', 'only what has no tests except src/shop/cli.py'). Comes back with
    a run id, counts, suspected defects and resource URIs; nothing is added to the project: apply_tests does that. Costs
    a minute or so of computation for each module, and tokens where a model is configured; progress is reported, and
    cancelling ends it.
    """
    project = call.server.roots.named(root)
    options = without_none(framework=framework, test_type=test_type, fuzz=fuzz, fuzz_seed=fuzz_seed)
    run_id, report = await run_job(
        call, project, "generate_tests", lambda job: call.server.backend.generate_tests(job, request, options)
    )
    return report_answer(run_id, project.name, report)


TOOL = client_tool(
    name="generate_tests",
    title="Generate tests from a request",
    input_schema=closed_object(
        ["request"],
        request=string(
            minLength=1,
            maxLength=10_000,
            description="What to test, in plain words, with files, packages or symbols named.",
        ),
        framework=FRAMEWORK,
        test_type={**TEST_TYPE, "description": "The type of tests; read from the request without it."},
        fuzz={
            "type": "boolean",
            "description": "Have Schemathesis look for server errors in API tests as well; it must be installed beside "
            "testwright.",
        },
        fuzz_seed=integer(minimum=0, maximum=2**32 - 1, description="What its random values begin with; 1 without it."),
        root=ROOT,
    ),
    output_schema=HANDLE_SCHEMA,
    run=_run,
    is_long=True,
)
