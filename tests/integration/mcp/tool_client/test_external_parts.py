"""Parts of the client for external servers: templates, variables, cleaning of texts, processes (T-12)."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
import time

import pytest

from testwright.config.variables import Variables, has_reference
from testwright.core.errors import SettingsError
from testwright.mcp.tool_client.external.diagnostics import ServerDiagnostics
from testwright.mcp.tool_client.external.process import ServerCommand, server_environment, stdio_streams
from testwright.mcp.tool_client.external.routing import MissingValue, fill, referenced_names
from testwright.mcp.tool_client.external.server import UntrustedText
from testwright.tests.support.mcp.external_servers import SERVER, is_released

SCOPE = {
    "query": "half",
    "limit": 3,
    "paths": ["a.py", "b.py"],
    "answer": {"hits": [{"n": 1}, {"n": 2}], "none": None, "x-y": True},
}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{query}", "half"),
        ("{limit}", 3),
        ("{answer.none}", None),
        ("{answer.x-y}", True),
        ("about {query}, {limit} of {paths}", 'about half, 3 of ["a.py", "b.py"]'),
        ("{paths.1}", "b.py"),
        ("{{query}} {{", "{query} {"),
        ({"a": ["{limit}", 7, None]}, {"a": [3, 7, None]}),
        ({"$each": "{answer.hits}", "$as": {"line": "{item.n}", "of": "{query}"}}, [
            {"line": 1, "of": "half"}, {"line": 2, "of": "half"}]),
        ({"$each": "{paths}", "$as": "{item}!"}, ["a.py!", "b.py!"]),
    ],
)  # fmt: skip
def test_a_template_is_json_with_values_in_the_places_of_references(template, value):
    assert fill(template, SCOPE) == value


@pytest.mark.parametrize("template", ["{nowhere}", "{paths.2}", "{query.0}", "{answer.hits.x}", "{paths.-1}"])
def test_a_reference_without_a_value_is_missing(template):
    with pytest.raises(MissingValue, match="there is no"):
        fill(template, SCOPE)
    with pytest.raises(MissingValue, match="is no list"):
        fill({"$each": "{query}", "$as": 1}, SCOPE)


def test_a_value_is_not_read_as_a_template_itself():
    assert fill("{query}: {limit}", {"query": "{limit}", "limit": "{query}"}) == "{limit}: {query}"


@pytest.mark.parametrize("template", ["{", "a } b", "{1x}", {"$each": "{a}"}, {"$each": "{a}", "$as": 1, "more": 2}])
def test_a_malformed_template_is_refused_before_it_is_used(template):
    with pytest.raises(ValueError, match=r"brace|\$each"):
        list(referenced_names(template))


def test_the_names_that_a_template_refers_to_are_found():
    template = {"a": "{answer.x} {{no}} {text}", "b": [{"$each": "{answer.hits}", "$as": "{item.n}"}], "c": 4}
    assert set(referenced_names(template)) == {"answer", "text", "item"}


def test_variables_come_from_the_environment_or_their_default():
    variables = Variables({"A": "one", "EMPTY": "", "API_TOKEN": "secret-value"})
    assert variables.filled("${A}/${B:-two}/${EMPTY:-three}/${EMPTY}/$A/${A") == "one/two/three//$A/${A"
    assert variables.filled("x ${API_TOKEN}") == "x secret-value"
    assert variables.secrets == {"secret-value"}
    assert variables.filled("Bearer ${A}", secret=True) == "Bearer one"
    assert variables.secrets == {"secret-value", "one", "Bearer one"}
    variables.require("it")
    assert variables.filled("${C} ${D} ${C}") == "  "
    with pytest.raises(SettingsError, match="It needs C, D from the environment"):
        variables.require("It")


@pytest.mark.parametrize(
    ("text", "yes"), [("${A}", True), ("x${A:-}y", True), ("$A", False), ("{A}", False), ("${}", False)]
)
def test_variable_references_are_distinguished_from_other_text(text, yes):
    assert has_reference(text) is yes


def test_a_text_that_is_shown_is_short_printable_and_without_secrets():
    untrusted = UntrustedText({"SHOP_API_KEY": "shop-key-123456"}, ["hand-over-123"])
    text = "a\x1b[2Jb\u202ec shop-key-123456 hand-over-123 " + "x" * 5000
    shown = untrusted.clean(text)
    assert shown.startswith("a�[2Jb�c [redacted] [redacted] xxx")
    assert len(shown) == 2000


def test_an_answer_loses_the_secrets_of_its_server_and_nothing_else():
    untrusted = UntrustedText({"SHOP_API_KEY": "shop-key-123456"}, ["hand-over-123", "ab"])
    value = {"hand-over-123": ["<hand-over-123>", "API_KEY=abcdef123456 ab", 7, None]}
    assert untrusted.without_secrets(value) == {"[redacted]": ["<[redacted]>", "API_KEY=abcdef123456 ab", 7, None]}
    assert UntrustedText({}).without_secrets(value) is value


def test_diagnostics_are_bounded_however_much_a_server_writes():
    diagnostics, too_much = ServerDiagnostics(), False
    for number in range(5000):
        diagnostics.add_stderr(b"line %d " % number + b"x" * 10_000)
        too_much = diagnostics.add_invalid_line(b"noise" * 1000)
    assert too_much
    told = diagnostics.describe()
    assert len(told) < 8000
    assert "line 4999" in told
    assert "line 1 " not in told


async def test_a_transport_that_is_cancelled_again_while_it_ends_a_process_kills_it(tmp_path):
    ready, traces = asyncio.Event(), tmp_path
    argv = (sys.executable, "-I", "-S", str(SERVER), "stubborn", str(traces))

    async def work() -> None:
        async with stdio_streams(
            ServerCommand(argv, server_environment(os.environ, {}), tmp_path), ServerDiagnostics()
        ):
            while not (traces / "held").exists():  # noqa: ASYNC110 - the process says so in a file
                await asyncio.sleep(0.01)
            ready.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.wait({task, asyncio.create_task(ready.wait())}, return_when=asyncio.FIRST_COMPLETED)
    for _ in range(20):
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.wait({task})
    assert task.cancelled()
    assert is_released(traces / "held")


_HOST = """
import asyncio, os, sys
from pathlib import Path
from testwright.mcp.tool_client.external.diagnostics import ServerDiagnostics
from testwright.mcp.tool_client.external.process import ServerCommand, server_environment, stdio_streams

async def main():
    argv = (sys.executable, "-I", "-S", sys.argv[1], "stubborn", sys.argv[2])
    command = ServerCommand(argv, server_environment(os.environ, {}), Path(sys.argv[2]))
    async with stdio_streams(command, ServerDiagnostics()):
        await asyncio.Event().wait()

asyncio.run(main())
"""


def test_when_testwright_is_killed_its_servers_die_with_it(tmp_path):
    with subprocess.Popen([sys.executable, "-c", _HOST, str(SERVER), str(tmp_path)]) as host:
        while not (tmp_path / "held").exists() and host.poll() is None:
            time.sleep(0.01)
        host.kill()
    assert is_released(tmp_path / "held")


@pytest.mark.parametrize(("code", "told"), [("raise SystemExit(7)", 7), ("import os; os.abort()", -6)])
async def test_the_guard_ends_as_the_command_does(tmp_path, code, told):
    diagnostics = ServerDiagnostics()
    launch = ServerCommand((sys.executable, "-I", "-S", "-c", code), server_environment(os.environ, {}), tmp_path)
    async with stdio_streams(launch, diagnostics) as (answers, _):
        assert [answer async for answer in answers] == []
    assert diagnostics.exit_code == told


async def test_a_command_that_cannot_run_raises_the_error_of_the_system(tmp_path):
    (tmp_path / "script").write_text("no program")
    for command, number in (("no-such-program", errno.ENOENT), ("./script", errno.EACCES)):
        with pytest.raises(OSError, match=re.escape(command)) as caught:
            async with stdio_streams(ServerCommand((command,), {"PATH": "/bin"}, tmp_path), ServerDiagnostics()):
                pass
        assert caught.value.errno == number


def test_a_process_gets_basic_variables_and_those_of_its_entry():
    ours = {"PATH": "/bin", "HOME": "/home/a", "OPENAI_API_KEY": "k", "PYTHONPATH": "x", "LD_PRELOAD": "y"}
    assert server_environment(ours, {"A": "1", "HOME": "/tmp"}) == {"PATH": "/bin", "HOME": "/tmp", "A": "1"}
    assert json.dumps(server_environment({}, {})) == "{}"
