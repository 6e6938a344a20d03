"""`generate_test_spec`: executes the spec half of a run."""

from __future__ import annotations

import json

from ....core.errors import ToolFailure
from ...toolbox.json_schema import TEXTS, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import Json, Link, ToolAnswer, client_tool
from ..context import FRAMEWORK, ROOT, RUN_ID, TEST_TYPE, ClientCall
from ..handles import run_uri
from ..jobs import run_job

INLINE_CHARS = 16_000
"""The largest spec that is part of the answer."""


async def _run(
    call: ClientCall,
    /,
    test_type: str,
    target: str,
    context: str,
    framework: str | None = None,
    root: str | None = None,
) -> ToolAnswer:
    """Writes a validated test spec (cases with arrange, act, expectations and their evidence) for one module or symbol,
    without writing test code. Use it when the cases are to be reviewed or edited before code exists; generate_tests
    does everything at once. Comes back with spec_path, a URI for generate_tests_from_spec and for reading, and the spec
    itself when it is small. The code under test is executed in a sandbox to learn what it does: up to a minute or so,
    and tokens where a model is configured.
    """
    project = call.server.roots.named(root)
    run_id, result = await run_job(
        call,
        project,
        "generate_test_spec",
        lambda job: call.server.backend.generate_spec(
            job, test_type=test_type, target=target, context=context, framework=framework
        ),
    )
    if result["status"] != "spec_ready":
        raise ToolFailure(
            f"no valid spec for {target!r} came of run {run_id}: {result['message']}",
            advice="name another target, or give the missing knowledge in context",
            details={"run_id": run_id, "status": result["status"], "errors": result["errors"][:20]},
        )
    uri, spec = run_uri(run_id, result["spec_path"]), result["spec"]
    # Large specs are read as a resource: answers of tools fill the context of a model.
    is_small = len(json.dumps(spec, ensure_ascii=False)) <= INLINE_CHARS
    answer: Json = {
        "run_id": run_id,
        "root": project.name,
        "target": result["target"],
        "framework": result["framework"],
        "spec_path": uri,
        "test_path": result["test_path"],
        "counts": {name: len(spec.get(name) or ()) for name in ("cases", "suspected_defects", "not_reached")},
        "spec_json": spec if is_small else None,
        "next": [f"generate_tests_from_spec(spec_path={uri!r}) writes and runs its tests, in the same run"],
    }
    return ToolAnswer(answer, (Link(uri, result["spec_path"], "The test spec", "application/json"),))


TOOL = client_tool(
    name="generate_test_spec",
    title="Generate a test spec",
    input_schema=closed_object(
        ["test_type", "target"],
        test_type={**TEST_TYPE, "description": "The type of tests."},
        target=string(
            minLength=1,
            maxLength=500,
            description="One module or symbol: 'src/shop/cart.py', 'shop.cart', 'shop.cart:Cart.add'.",
        ),
        context=string(
            maxLength=20_000, default="", description="What the tests should know or aim at, in plain words."
        ),
        framework=FRAMEWORK,
        root=ROOT,
    ),
    output_schema=open_object(
        ["run_id", "root", "target", "framework", "spec_path", "test_path", "counts", "spec_json", "next"],
        run_id=RUN_ID,
        **strings("root", "target", "framework"),
        spec_path=string(description="URI of the spec."),
        test_path=string(description="Where its tests would go in the project."),
        counts={"type": "object", "additionalProperties": integer()},
        spec_json={"type": ["object", "null"], "description": "The spec, null when it is large."},
        next=TEXTS,
    ),
    run=_run,
    is_long=True,
)
