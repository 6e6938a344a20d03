"""External servers as real processes: routing, checks, and servers that misbehave (T-12)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import pytest

from testwright.core.errors import EnvironmentFault, SettingsError, ToolFailure, ToolInputError, ToolTimeout
from testwright.tests.support.mcp.external_servers import entry, is_held, is_released, opened
from testwright.tests.support.mcp.npm_tools import SERVER_EVERYTHING, SERVER_FILESYSTEM, npm_tool
from testwright.tests.support.mcp.tool_session import make_services
from testwright.tests.support.projects.files import ROOT

pytestmark = pytest.mark.waits

CONTEXT = "get_codebase_context"
ASKED = {"query": "half of a number", "file_paths": ["src/shop/cart.py"]}


@pytest.fixture
def services(tmp_path):
    return make_services(tmp_path)


@pytest.fixture
def traces(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


@pytest.mark.feature("T-12")
async def test_a_server_serves_tools_with_our_names_and_built_in_tools_serve_the_rest(services):
    async with opened(services, {"search": entry("good")}) as client:
        answer = await client.call(CONTEXT, ASKED)
        analysis = await client.call("get_ast_analysis", {"file_path": "src/shop/cart.py"})
        [server] = client.servers()
    assert [snippet["path"] for snippet in answer["snippets"]] == ["docs/help.md"]
    assert analysis["module"] == "shop.cart"
    assert [(call.tool, call.served_by, call.outcome) for call in client.calls()] == [
        (CONTEXT, "search", "ok"),
        ("get_ast_analysis", "built-in", "ok"),
    ]
    assert (server.name, server.transport, server.tools, server.restarts, server.state) == (
        "search",
        "stdio",
        (CONTEXT,),
        0,
        "ready",
    )


@pytest.mark.feature("T-12")
async def test_a_session_is_opened_once_and_reused_by_calls_at_the_same_time(services, traces):
    async with opened(services, {"search": entry("good", traces)}) as client:
        answers = await asyncio.gather(*(client.call(CONTEXT, {"query": f"q{n}"}) for n in range(8)))
    assert len({json.dumps(answer) for answer in answers}) == 1
    assert sorted((traces / "calls").read_text().split()) == [f"q{n}" for n in range(8)]


async def test_servers_are_started_concurrently(services, traces):
    entries = {name: entry("meets-another", traces, startTimeout=120) for name in ("one", "other")}
    async with opened(services, entries) as client:
        assert [server.state for server in client.servers()] == ["ready", "ready"]


@pytest.mark.feature("T-12")
async def test_a_tool_with_other_arguments_and_another_answer_is_mapped(services):
    mapping = {
        "name": "search",
        "arguments": {
            "term": "{query}",
            "most": "{limit}",
            "where": "{root}/{file_paths.0}",
            "missing": "{file_paths.9}",
        },
        "answer": {
            "snippets": {
                "$each": "{answer.hits}",
                "$as": {
                    "path": "{item.file}",
                    "lines": ["{item.line}", "{item.line}"],
                    "score": 1,
                    "text": "{item.code} for {arguments.query}",
                    "kind": "text",
                },
            },
            "files_indexed": 0,
        },
    }
    async with opened(services, {"search": entry("good", tools={CONTEXT: mapping})}) as client:
        answer = await client.call(CONTEXT, {"query": "half", "file_paths": ["src/a"], "limit": 1})
    assert answer["snippets"] == [
        {"path": f"{services.root}/src/a0.py", "lines": [1, 1], "score": 1, "text": "half_0 for half", "kind": "text"}
    ]


@pytest.mark.feature("T-12")
async def test_a_tool_that_a_server_lacks_is_served_by_the_built_in_one_with_a_warning(services):
    told: list[str] = []
    entries = {"search": entry("good", tools=[CONTEXT, "lint_code", "check_syntax"])}
    async with opened(services, entries, warn=told.append) as client:
        assert await client.call("lint_code", {"file_path": "src/shop/cart.py"}) == {"errors": []}
    assert told == list(client.warnings())
    assert told == [
        f"{tool} is not served by the tool server 'search': {why}; the built-in one serves."
        for tool, why in (
            ("lint_code", "a schema it declares is no JSON Schema"),
            ("check_syntax", "it does not offer it"),
        )
    ]
    assert client.calls()[0].served_by == "built-in"


async def test_a_server_that_names_a_tool_goes_before_one_that_only_offers_it(services):
    named = entry(
        "good",
        tools={
            CONTEXT: {
                "name": "text_only",
                "arguments": {"term": "{query}"},
                "answer": {"snippets": [], "files_indexed": 7},
            }
        },
    )
    async with opened(services, {"first": entry("good"), "second": named}) as client:
        answer = await client.call(CONTEXT, ASKED)
    assert answer["files_indexed"] == 7
    assert client.calls()[0].served_by == "second"


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        (["run_tests"], "no tool of this name can be served by others"),
        (["validate_test_spec"], "no tool of this name can be served by others"),
        ({CONTEXT: {"arguments": {"q": "{qury}"}}}, r"\{qury\} is not known there"),
        ({CONTEXT: {"answer": {"snippets": "{answers}"}}}, r"\{answers\} is not known there"),
        ({CONTEXT: {"answer": "{answer"}}, "single brace"),
    ],
)
async def test_a_mapping_that_cannot_work_is_a_settings_error_before_anything_starts(services, tools, said):
    with pytest.raises(SettingsError, match=said):
        async with opened(services, {"search": entry("exits", tools=tools)}):
            pass


@pytest.mark.feature("T-12")
async def test_an_answer_outside_its_declared_schema_or_ours_is_a_failure_that_names_the_server(services):
    async with opened(services, {"search": entry("misfit")}) as client:
        with pytest.raises(ToolFailure, match="'search' answered what does not fit get_codebase_context") as caught:
            await client.call(CONTEXT, ASKED)
        mapped = {"search": entry("misfit", tools={CONTEXT: {"name": "liar", "arguments": {}}})}
        async with opened(services, mapped) as other:
            with pytest.raises(ToolFailure, match="'search' answered outside its contract"):
                await other.call(CONTEXT, ASKED)
    assert "$.snippets[0].lines" in caught.value.message
    assert caught.value.details["server"] == "search"
    assert client.calls()[0].outcome == "failed"


async def test_an_answer_of_two_megabytes_is_a_failure_and_the_session_goes_on(services):
    async with opened(services, {"search": entry("large")}) as client:
        with pytest.raises(ToolFailure, match="more than the 1048576 that it may"):
            await client.call(CONTEXT, ASKED)
        with pytest.raises(ToolFailure, match="more than the 1048576 that it may"):
            await client.call(CONTEXT, ASKED)
        assert client.servers()[0].restarts == 0


async def test_an_error_of_a_server_is_shown_without_control_characters(services):
    async with opened(services, {"search": entry("error")}) as client:
        with pytest.raises(ToolFailure, match=r"'search' failed: .*no index") as caught:
            await client.call(CONTEXT, ASKED)
    assert "\x1b" not in caught.value.message


async def test_our_arguments_are_checked_before_a_server_sees_them(services, traces):
    async with opened(services, {"search": entry("good", traces)}) as client:
        with pytest.raises(ToolInputError):
            await client.call(CONTEXT, {"qury": "half"})
    assert not (traces / "calls").exists()


@pytest.mark.feature("T-12")
async def test_a_call_that_takes_too_long_times_out_and_the_server_is_named(services):
    async with opened(services, {"search": entry("slow", timeout=0.2)}) as client:
        with pytest.raises(ToolTimeout, match=r"'search' did not answer within 0.2 s"):
            await client.call(CONTEXT, ASKED)
    assert client.calls()[0].outcome == "timed_out"


@pytest.mark.feature("T-12")
async def test_a_server_that_hangs_is_given_up_after_two_calls_and_built_in_tools_serve(services):
    async with opened(services, {"search": entry("slow", timeout=0.2)}) as client:
        with pytest.raises(ToolTimeout):
            await client.call(CONTEXT, ASKED)
        answers = [await client.call(CONTEXT, ASKED) for _ in range(2)]
        [server] = client.servers()
    assert [answer["snippets"][0]["path"] for answer in answers] == ["src/shop/cart.py"] * 2
    assert server.state == "given up"
    assert "'search' was given up: it did not answer within 0.2 s, 2 times in a row" in client.warnings()[-1]


async def test_an_error_with_the_code_of_a_lost_connection_is_no_death(services):
    async with opened(services, {"search": entry("code-of-a-lost-connection")}) as client:
        for _ in range(3):
            with pytest.raises(ToolFailure, match="the index is being made"):
                await client.call(CONTEXT, ASKED)
        [server] = client.servers()
    assert (server.restarts, server.state) == (0, "ready")


async def test_the_patterns_of_a_servers_schemas_keep_nobody_busy(services):
    async with opened(services, {"search": entry("endless-patterns")}) as client:
        answer = await client.call(CONTEXT, {**ASKED, "query": "a" * 60 + "!"})
    assert answer["snippets"][0]["text"] == "a" * 60 + "!"


@pytest.mark.feature("T-12")
async def test_a_server_that_dies_in_a_call_is_started_again_once_and_the_call_repeated(services, traces):
    async with opened(services, {"search": entry("dies-once", traces)}) as client:
        answer = await client.call(CONTEXT, ASKED)
        [server] = client.servers()
    assert answer["snippets"][0]["path"] == "docs/help.md"
    assert (server.restarts, server.state) == (1, "ready")
    assert [(call.served_by, call.outcome) for call in client.calls()] == [("search", "ok")]


@pytest.mark.feature("T-12")
async def test_a_server_that_dies_again_is_given_up_and_built_in_tools_serve(services, traces):
    async with opened(services, {"search": entry("dies", traces)}) as client:
        first = await client.call(CONTEXT, ASKED)
        second = await client.call(CONTEXT, ASKED)
        [server] = client.servers()
    assert first == second
    assert first["snippets"][0]["path"] == "src/shop/cart.py"
    assert (server.restarts, server.state) == (1, "given up")
    assert [(call.served_by, call.outcome) for call in client.calls()] == [
        ("search", "failed"),
        ("built-in", "ok"),
        ("built-in", "ok"),
    ]
    warning = client.warnings()[-1]
    assert "'search' was given up: it died again" in warning
    assert "signal 9" in warning
    assert (traces / "died").read_text().count("\n") == 2


async def test_concurrent_calls_to_a_dead_server_restart_it_once(services, traces):
    async with opened(services, {"search": entry("dies-once", traces)}) as client:
        answers = await asyncio.gather(*(client.call(CONTEXT, ASKED) for _ in range(5)))
        assert client.servers()[0].restarts == 1
    assert len(answers) == 5


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("exits", "its process ended with code 3; its stderr ends with:\ncannot find the licence"),
        ("silent", "it was not ready within 3 s.*waiting for a database"),
        ("chatter", "it was not ready within 3 s.*2 lines of its stdout are no messages, the first is 'Server is"),
        ("babble", "it writes too much on stdout that is no message"),
        ("endless-line", "it wrote a line of more than 4 MiB"),
    ],
)
@pytest.mark.feature("T-12")
async def test_a_program_that_is_no_server_is_an_environment_fault_with_its_output(services, mode, said):
    seconds = 3 if "3 s" in said else 60
    with pytest.raises(EnvironmentFault, match=f"(?s)'search' cannot be used: .*{said}") as caught:
        async with opened(services, {"search": entry(mode, startTimeout=seconds)}):
            pass
    assert caught.value.advice
    assert "abcdef123456" not in caught.value.message


async def test_a_missing_command_is_an_environment_fault(services, tmp_path):
    with pytest.raises(EnvironmentFault, match="'search' cannot be used: No such file or directory"):
        async with opened(services, {"search": {"command": str(tmp_path / "nowhere")}}):
            pass


async def test_built_in_tools_replace_an_optional_server_that_does_not_start(services):
    async with opened(services, {"search": entry("exits", optional=True)}) as client:
        answer = await client.call(CONTEXT, ASKED)
        [server] = client.servers()
    assert answer["snippets"][0]["path"] == "src/shop/cart.py"
    assert server.state == "not started"
    [warning] = client.warnings()
    assert "It is optional: the built-in tools serve." in warning


async def test_one_server_that_does_not_start_ends_those_that_did(services, traces):
    entries = {"good": entry("stubborn", traces), "bad": entry("exits-after-another", traces)}
    with pytest.raises(EnvironmentFault, match="'bad'"):
        async with opened(services, entries):
            pass
    assert is_released(traces / "held")


async def test_a_server_that_floods_stderr_is_not_blocked(services):
    async with opened(services, {"search": entry("flood")}) as client:
        for _ in range(2):
            assert (await client.call(CONTEXT, ASKED))["files_indexed"] == 1


@pytest.mark.feature("T-12")
async def test_a_server_and_its_children_have_ended_when_the_client_closes(services, traces):
    async with opened(services, {"search": entry("stubborn", traces)}) as client:
        await client.call(CONTEXT, ASKED)
        assert is_held(traces / "held")
    assert is_released(traces / "held")


async def test_a_client_that_is_cancelled_while_it_closes_still_ends_its_servers(services, traces):
    async def work() -> None:
        async with opened(services, {"search": entry("stubborn", traces)}) as client:
            await client.call(CONTEXT, ASKED)
            ready.set()
            await asyncio.Event().wait()

    ready = asyncio.Event()
    task = asyncio.create_task(work())
    waiting = asyncio.create_task(ready.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert is_released(traces / "held")


@pytest.mark.feature("T-12")
async def test_a_server_gets_the_variables_of_its_entry_and_none_of_our_keys(services):
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "sk-ours-and-nobody-elses-1234",
        "SEARCH_TOKEN": "given-to-the-server-only",
        "PLAIN": "seen",
    }
    names = {"API_TOKEN": "${SEARCH_TOKEN}", "WHERE": "${PLAIN}", "LEVEL": "${LEVEL_OF_LOGS:-info}"}
    async with opened(services, {"search": entry("environment", env=names)}, environment=environment) as client:
        answer = await client.call(CONTEXT, ASKED)
    seen = json.loads(answer["snippets"][0]["text"])
    assert seen["PATH"] == os.environ["PATH"]
    assert (seen["WHERE"], seen["LEVEL"]) == ("seen", "info")
    # It had the token; its answers do not carry it on.
    assert seen["API_TOKEN"] == "[redacted]"
    assert not {"OPENAI_API_KEY", "SEARCH_TOKEN", "PLAIN"} & set(seen)


async def test_a_missing_variable_is_named_before_anything_starts(services):
    entries = {"search": entry("good", env={"API_TOKEN": "${NO_SUCH_TOKEN}", "OTHER": "${NO_OTHER}"})}
    with pytest.raises(SettingsError, match="'search' needs NO_SUCH_TOKEN, NO_OTHER from the environment"):
        async with opened(services, entries, environment={}):
            pass


@pytest.mark.feature("T-12")
async def test_the_reference_file_server_gives_context_from_the_project(services):
    program, *args = npm_tool(SERVER_FILESYSTEM)
    mapping: dict[str, Any] = {
        "name": "read_text_file",
        "arguments": {"path": "{root}/{file_paths.0}"},
        "answer": {
            "snippets": [
                {
                    "path": "{arguments.file_paths.0}",
                    "lines": [1, 1],
                    "score": 1.0,
                    "text": "{answer.content}",
                    "kind": "module",
                }
            ],
            "files_indexed": 1,
        },
    }
    files = {"command": program, "args": [*args, str(services.root)], "tools": {CONTEXT: mapping}, "startTimeout": 120}
    async with opened(services, {"files": files}) as client:
        answer = await client.call(CONTEXT, ASKED)
        with pytest.raises(ToolFailure, match=r"read_text_file of the tool server 'files' failed: .*denied"):
            await client.call(CONTEXT, {"query": "x", "file_paths": ["../../etc/passwd"]})
    assert answer["snippets"][0]["text"] == (services.root / "src/shop/cart.py").read_text()
    assert [(call.served_by, call.outcome) for call in client.calls()] == [("files", "ok"), ("files", "failed")]


@pytest.mark.feature("T-12")
async def test_the_reference_server_of_everything_answers_in_its_own_shape_and_in_text(services):
    program, *args = npm_tool(SERVER_EVERYTHING)
    snippet = {"path": "weather", "lines": [1, 1], "score": "{answer.temperature}", "kind": "text"}
    weather = {
        "name": "get-structured-content",
        "arguments": {"location": "{query}"},
        "answer": {"snippets": [{**snippet, "text": "{answer.conditions} in {arguments.query}"}], "files_indexed": 0},
    }
    syntax = {
        "name": "echo",
        "arguments": {"message": "{language}"},
        "answer": {"valid": True, "errors": [{"line": 1, "column": 1, "message": "{text}"}]},
    }
    everything = {
        "command": program,
        "args": [*args, "stdio"],
        "tools": {CONTEXT: weather, "check_syntax": syntax},
        "startTimeout": 120,
    }
    async with opened(services, {"everything": everything}) as client:
        found, checked = await client.call_all(
            [
                (CONTEXT, {"query": "New York"}),
                ("check_syntax", {"file_path": "src/shop/cart.py", "language": "python"}),
            ]
        )
        with pytest.raises(ToolFailure, match="does not take the arguments that were mapped for it"):
            await client.call(CONTEXT, {"query": "Nowhere"})
    assert isinstance(found, dict)
    assert found["snippets"][0]["text"] == "Cloudy in New York"
    assert isinstance(found["snippets"][0]["score"], int)
    assert checked == {"valid": True, "errors": [{"line": 1, "column": 1, "message": "Echo: python"}]}


@pytest.mark.feature("T-12")
async def test_testwrights_own_server_works_as_an_external_server(services, tmp_path):
    other = make_services(tmp_path / "other").root
    own = {"command": sys.executable, "args": [str(ROOT / "main.py"), "mcp", "serve", "--root", str(other)]}
    tools = ["get_codebase_context", "get_ast_analysis"]
    async with opened(services, {"own": {**own, "tools": tools, "startTimeout": 120}}) as client:
        theirs = await client.call("get_ast_analysis", {"file_path": "src/shop/cart.py"})
        found = await client.call(CONTEXT, ASKED)
        served = {call.served_by for call in client.calls()}
    async with opened(services, {}) as client:
        assert theirs == await client.call("get_ast_analysis", {"file_path": "src/shop/cart.py"})
        assert found == await client.call(CONTEXT, ASKED)
    assert served == {"own"}
