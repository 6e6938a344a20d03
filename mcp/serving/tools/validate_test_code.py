"""`validate_test_code`: the seed's schemas, for a test file below a root (T-10)."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import Any

from ....core.errors import ToolInputError
from ...tools.validate_code import INPUT_SCHEMA, OUTPUT_SCHEMA
from ..backend import Json
from ..progress import apart
from ..roots import Place
from ..tool_definition import Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    place = await _place(desk, arguments["code_path"])
    given = {**arguments, "code_path": place.relative}

    async def validated() -> Json:
        return await desk.application.call_tool(place.root.path, "validate_test_code", given)

    return Answer(await apart(validated()))


async def _place(desk: Desk, given: str) -> Place:
    """Where the file is. The seed's signature has no `root`: with several of them the path has to be absolute."""
    roots = list(desk.roots)
    if len(roots) == 1 or PurePosixPath(given).is_absolute():
        return await desk.roots.file(given, what="test file")
    places = [desk.roots.place(given, root=one.name) for one in roots]
    near = [str(one.path) for one in places if await asyncio.to_thread(one.path.is_file)]
    raise ToolInputError(
        f"several roots are served ({', '.join(one.name for one in roots)}), and {given!r} names none",
        advice="call again with the absolute path" + (f": {', '.join(near)}" if near else ""),
    )


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
