"""Whatever a tool raises, its caller reads what happened and what to do."""

import errno
import json

import pytest
from mcp import Client

from testwright.core.errors import ToolFailure
from testwright.mcp.sdk import text_of
from testwright.mcp.toolbox.json_schema import closed_object, integer
from testwright.mcp.toolbox.tool_spec import ERROR_META, ToolSpec
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services


async def called(tmp_path, run, schema=None, arguments=None):
    spec = ToolSpec("odd", schema or {"type": "object"}, closed_object(a=integer()), run, "Does odd things.")
    async with Client(build_toolbox(make_services(tmp_path), [spec])) as client:
        return await client.call_tool("odd", arguments or {})


def raising(error):
    def run(_):
        raise error

    return run


def recurse(_):
    return recurse(_)


@pytest.mark.parametrize(
    ("run", "kind", "words"),
    [
        (raising(ToolFailure("no such thing", advice="name another")), "ToolFailure", "name another"),
        (recurse, "ToolInputError", "nested too deeply"),
        (raising(MemoryError()), "ToolInputError", "memory"),
        (raising(OSError(errno.ENAMETOOLONG, "File name too long")), "ToolInputError", "File name too long"),
        (raising(OSError(errno.ENOSPC, "No space left")), "StoreFull", "make room"),
        (raising(PermissionError(errno.EACCES, "Permission denied")), "ToolFailure", "Permission denied"),
        (lambda _: int("9" * 5000), "ToolInputError", "digits"),
        (lambda _: {"a": {}["secret"]}, "ToolFailure", "fault of testwright's own (KeyError)"),
        (lambda _: {"a": json.loads("[" * 300 + "]" * 300)}, "ToolFailure", "nested too deeply"),
    ],
)
async def test_each_error_is_typed_and_says_what_to_do(tmp_path, run, kind, words):
    result = await called(tmp_path, run)
    assert result.is_error
    assert result.structured_content is None
    assert (result.meta or {})[ERROR_META]["type"] == kind
    text = text_of(result)
    assert words in text
    assert "What to do: " in text
    assert "secret" not in text


async def test_a_whole_number_may_be_written_with_a_point(tmp_path):
    inner = closed_object([], limit=integer())
    schema = closed_object([], limit=integer(), options=inner)
    result = await called(
        tmp_path,
        lambda _, limit, options: {"a": [0] * limit and options["limit"]},
        schema,
        {"limit": 2.0, "options": {"limit": 3.0}},
    )
    assert json.loads(text_of(result)) == {"a": 3}
    assert isinstance((result.structured_content or {})["a"], int)
