"""`validate_test_spec`: the seed's schemas; one validation of one spec, however many ask (T-09)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...toolbox.cache import content_key
from ...tools.validate_spec import INPUT_SCHEMA, OUTPUT_SCHEMA, check_spec
from ..backend import Json
from ..tool_definition import Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    async def validated() -> Json:
        return await asyncio.to_thread(
            check_spec, arguments["spec_json"], arguments["schema_type"], arguments["strict"]
        )

    key = content_key("validate_test_spec", arguments)
    result, cached = await desk.shared.get(key, validated)
    return Answer(result, cached=cached)


TOOL = ServedTool(
    name="validate_test_spec",
    title="Validate a test spec",
    description="Validates a test specification JSON against its schema, and against the rules of good specs: "
    "every error with its JSON path, and what to do about it. Use it for specs that were written or "
    "edited by hand; those of generate_test_spec are valid already. strict=false turns broken "
    "quality rules into warnings. Nothing is run or written; takes milliseconds.",
    input_schema=INPUT_SCHEMA,
    output_schema=OUTPUT_SCHEMA,
    serve=_serve,
    read_only=True,
    idempotent=True,
)
