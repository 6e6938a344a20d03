"""`validate_test_code`: the seed's schemas, for a test file below a root (T-10)."""

from __future__ import annotations

from typing import Any

from ..offering import Json
from ..tools.validate_code import INPUT_SCHEMA, OUTPUT_SCHEMA
from ..work import apart
from .definition import Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    place = await desk.roots.file(arguments["code_path"], what="test file")
    given = {**arguments, "code_path": place.relative}

    async def validated() -> Json:
        return await desk.application.call_tool(place.root.path, "validate_test_code", given)

    return Answer(await apart(validated()))


TOOL = ServedTool(
    name="validate_test_code",
    title="Validate a test file",
    description="Validates a test file without running it: syntax, linting, and the structure the framework asks"
    " for (names, assertions, fixtures that resolve, no sleeping, no network), each error with line "
    "and suggestion. Use it for test files written or edited by hand; run_tests tells whether they "
    "hold. code_path is relative to the root, or absolute when several roots are served. Takes about"
    " a second.",
    input_schema=INPUT_SCHEMA,
    output_schema=OUTPUT_SCHEMA,
    serve=_serve,
    read_only=True,
    idempotent=True,
)
