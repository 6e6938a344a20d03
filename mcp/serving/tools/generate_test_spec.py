"""`generate_test_spec(test_type, target, context)`: the spec half of a run (T-11)."""

from __future__ import annotations

import json
from typing import Any

from ....core.errors import ToolFailure
from ...toolbox.definition import closed_object
from ..backend import Json
from ..handles import Link, run_uri
from ..jobs import worked
from ..tool_definition import FRAMEWORK, ROOT, RUN_ID, Answer, Call, Desk, ServedTool
from .generate_tests import TEST_TYPE

INLINE_CHARS = 16_000
"""A spec of at most this many characters comes back whole."""


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    root = desk.roots.named(arguments.get("root"))
    run_id, made = await worked(
        desk,
        call,
        root,
        "generate_test_spec",
        lambda job: desk.application.generate_spec(
            job,
            test_type=arguments["test_type"],
            target=arguments["target"],
            context=arguments["context"],
            framework=arguments.get("framework"),
        ),
    )
    if made["status"] != "spec_ready":
        raise ToolFailure(
            f"no valid spec for {arguments['target']!r} came of run {run_id}: {made['message']}",
            advice="name another target, or give the missing knowledge in context",
            details={"run_id": run_id, "status": made["status"], "errors": made["errors"][:20]},
        )
    uri = run_uri(run_id, made["spec_path"])
    return Answer(
        _handle(run_id, root.name, made, uri), (Link(uri, made["spec_path"], "The test spec", "application/json"),)
    )


def _handle(run_id: str, root: str, made: Json, uri: str) -> Json:
    spec = made["spec"]
    small = len(json.dumps(spec, ensure_ascii=False)) <= INLINE_CHARS
    return {
        "run_id": run_id,
        "root": root,
        "target": made["target"],
        "framework": made["framework"],
        "spec_path": uri,
        "test_path": made["test_path"],
        "counts": {
            "cases": len(spec.get("cases") or ()),
            "suspected_defects": len(spec.get("suspected_defects") or ()),
            "not_reached": len(spec.get("not_reached") or ()),
        },
        "spec_json": spec if small else None,
        "next": [f"generate_tests_from_spec(spec_path={uri!r}) writes and runs its tests, in the same run"],
    }


TOOL = ServedTool(
    name="generate_test_spec",
    title="Generate a test spec",
    description="Writes a validated test spec (cases with arrange, act, expectations and their evidence) for one"
    " module or symbol, without writing test code. Use it when the cases are to be reviewed or "
    "edited before code exists; generate_tests does everything at once. Comes back with spec_path, a"
    " URI for generate_tests_from_spec and for reading, and the spec itself when it is small. The "
    "code under test is executed in a sandbox to learn what it does: up to a minute or so, and "
    "tokens where a model is configured.",
    input_schema=closed_object(
        {
            "test_type": {**TEST_TYPE, "description": "The type of tests."},
            "target": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "One module or symbol: 'src/shop/cart.py', 'shop.cart', 'shop.cart:Cart.add'.",
            },
            "context": {
                "type": "string",
                "maxLength": 20_000,
                "default": "",
                "description": "What the tests should know or aim at, in plain words.",
            },
            "framework": FRAMEWORK,
            "root": ROOT,
        },
        ["test_type", "target"],
    ),
    output_schema={
        "type": "object",
        "required": ["run_id", "root", "target", "framework", "spec_path", "test_path", "counts", "spec_json", "next"],
        "properties": {
            "run_id": RUN_ID,
            "root": {"type": "string"},
            "target": {"type": "string"},
            "framework": {"type": "string"},
            "spec_path": {"type": "string", "description": "URI of the spec."},
            "test_path": {"type": "string", "description": "Where its tests would go in the project."},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "spec_json": {"type": ["object", "null"], "description": "The spec, null when it is large."},
            "next": {"type": "array", "items": {"type": "string"}},
        },
    },
    serve=_serve,
)
