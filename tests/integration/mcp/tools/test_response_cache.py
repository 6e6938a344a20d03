"""Answers are computed once: in a run, by concurrent calls, and across runs (T-16, A-09)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from testwright.app.tool_factory import cache_kind, kept_answers
from testwright.config.settings import load_settings
from testwright.core.errors import SettingsError, ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox import toolbox
from testwright.mcp.toolbox.content_cache import ContentCache, SingleFlight
from testwright.mcp.toolbox.json_schema import closed_object
from testwright.mcp.toolbox.registry import tools_for
from testwright.mcp.toolbox.services import ToolServices
from testwright.mcp.toolbox.tool_spec import ToolSpec
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.store.cache.responses import ResponsesLost
from testwright.store.cache.sqlite_responses import SqliteResponses
from testwright.tests.support.mcp.cache_server import cache_server
from testwright.tests.support.mcp.tool_session import make_services, no_target, unit_spec, write_files

NUMBER = closed_object(number={"type": "integer"})
GOOD_TEST = "from shop.cart import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
ASKED = [
    ("get_codebase_context", {"query": "half of a number"}),
    ("get_ast_analysis", {"file_path": "src/shop/cart.py"}),
    ("check_syntax", {"file_path": "src/shop/cart.py", "language": "python"}),
    ("validate_test_spec", {"spec_json": unit_spec(), "schema_type": "unit"}),
    ("validate_test_code", {"code_path": "tests/test_half.py", "framework": "pytest"}),
    ("lint_code", {"file_path": "tests/test_half.py"}),
    ("repo.tree", {}),
    ("repo.read_file", {"path": "src/shop/cart.py"}),
]


class Counted:
    """A tool whose runs are counted, and which waits where it is told to."""

    def __init__(self) -> None:
        self.runs = 0
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.content = "content"
        self.fails = False

    @property
    def definition(self) -> ToolSpec:
        return ToolSpec(
            "counted", NUMBER, NUMBER, self._run, "Counts.", cache_key=lambda services, arguments: self.content
        )

    async def _run(self, services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
        self.runs += 1
        self.begun.set()
        await self.go_on.wait()
        if self.fails:
            raise ToolFailure("it failed")
        return {"number": arguments["number"] + self.runs}


@asynccontextmanager
async def client_of(services: ToolServices, *tools: ToolSpec) -> AsyncIterator[ToolClient]:
    async with ToolClient(build_toolbox(services, tools or None)) as client:
        yield client


@pytest.fixture
def shelf(tmp_path):
    """Services that share one file of kept answers, each like those of another run."""
    made: list[ContentCache] = []

    first = make_services(tmp_path)
    write_files(first.run_folder.staged, {"tests/test_half.py": GOOD_TEST})

    def build(**more: Any) -> ToolServices:
        cache = ContentCache(store=SqliteResponses(tmp_path / "kept.sqlite", 1024 * 1024), **more)
        made.append(cache)
        return ToolServices(first.root, first.run_folder, no_target, first.cache_dir, cache=cache)

    yield build
    for cache in made:
        cache.close()


@pytest.mark.feature("A-09")
async def test_the_next_run_has_the_same_answers_from_the_cache(shelf):
    answers: list[Any] = []
    told: list[tuple[bool, bool]] = []
    for _ in range(2):
        async with client_of(shelf()) as client:
            answers.append(await client.call_all(ASKED))
            told = [(call.cached, call.kept) for call in client.calls()]
    assert answers[0] == answers[1]
    assert repr(answers[0]) == repr(answers[1])
    assert set(told) == {(False, True)}


@pytest.mark.feature("A-09")
async def test_a_changed_file_is_not_answered_from_the_cache(shelf):
    services = shelf()
    async with client_of(services) as client:
        await client.call_all(ASKED)
    source = services.root / "src/shop/cart.py"
    source.write_text(source.read_text() + "\n\ndef third(number: int) -> int:\n    return number // 3\n")
    write_files(services.run_folder.staged, {"tests/test_half.py": "import os\n" + GOOD_TEST})
    async with client_of(shelf()) as client:
        [context, analysis, _, _, code, lint, *_] = await client.call_all(ASKED)
        kept = {call.tool for call in client.calls() if call.kept}
    assert isinstance(context, dict)
    assert isinstance(analysis, dict)
    assert isinstance(code, dict)
    assert "third" in [symbol["qualname"] for symbol in analysis["symbols"]]
    assert code["valid"] is False
    assert isinstance(lint, dict)
    assert lint["errors"]
    assert kept == {"validate_test_spec"}


@pytest.mark.feature("A-09")
def test_answers_of_tools_that_run_judge_or_write_are_never_kept():
    never = {"accept_tests", "prune_tests", "run_build", "run_tests", "verify_suite", "write_file"}
    kept = {tool.name for tool in tools_for("graphs") if tool.cache_key is not None}
    assert {name for name, _ in ASKED} <= kept
    assert not never & kept
    assert all(tool.read_only for tool in tools_for("graphs") if tool.name in kept)


async def test_other_code_of_ours_does_not_share_answers(shelf, monkeypatch):
    tool = Counted()
    for digest in ("1", "1", "2"):
        monkeypatch.setattr(toolbox, "own_digest", lambda digest=digest: digest)
        async with client_of(shelf(), tool.definition) as client:
            await client.call("counted", {"number": 1})
    assert tool.runs == 2


async def test_a_stored_answer_outside_the_tools_schema_is_ignored(shelf, monkeypatch):
    tool = Counted()
    async with client_of(shelf(), tool.definition) as client:
        assert await client.call("counted", {"number": 1}) == {"number": 2}
    for body in (b'{"number": "two"}', b"[1]", b'{"number": 2', b"\xff"):
        services = shelf()
        store = services.cache._store
        monkeypatch.setattr(store, "get", lambda key, body=body: body)
        async with client_of(services, tool.definition) as client:
            assert await client.call("counted", {"number": 1}) == {"number": 1 + tool.runs}


async def test_an_answer_whose_files_changed_meanwhile_is_not_kept(shelf):
    tool = Counted()
    tool.go_on.clear()
    async with client_of(shelf(), tool.definition) as client:
        call = asyncio.create_task(client.call("counted", {"number": 1}))
        await tool.begun.wait()
        tool.content = "changed"
        tool.go_on.set()
        await call
        for content in ("content", "changed"):
            tool.content = content
            await client.call("counted", {"number": 1})
    assert tool.runs == 3


@pytest.mark.feature("T-16")
async def test_a_thousand_equal_calls_cost_one(shelf):
    tool = Counted()
    tool.go_on.clear()
    async with client_of(shelf(), tool.definition) as client:
        calls = [asyncio.create_task(client.call("counted", {"number": 1})) for _ in range(1000)]
        await tool.begun.wait()
        tool.go_on.set()
        answers = await asyncio.gather(*calls)
        told = [call.cached for call in client.calls()]
    assert tool.runs == 1
    assert answers == [{"number": 2}] * 1000
    assert sorted(told) == [False] + [True] * 999


@pytest.mark.feature("T-16")
async def test_a_computation_is_cancelled_only_with_its_last_caller():
    flights: SingleFlight[int] = SingleFlight()
    go_on, begun, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def compute() -> int:
        begun.set()
        try:
            await go_on.wait()
        finally:
            ended.set()
        return 7

    first = asyncio.create_task(flights.run("key", compute))
    await begun.wait()
    second = asyncio.create_task(flights.run("key", compute))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    assert not ended.is_set()
    go_on.set()
    assert await second == (7, True)
    go_on.clear()
    begun.clear()
    ended.clear()
    alone = asyncio.create_task(flights.run("key", compute))
    await begun.wait()
    alone.cancel()
    await asyncio.wait({alone})
    assert ended.is_set()


async def test_a_failure_is_raised_in_all_callers_and_is_not_kept(shelf):
    tool = Counted()
    tool.go_on.clear()
    tool.fails = True
    async with client_of(shelf(), tool.definition) as client:
        calls = [asyncio.create_task(client.call("counted", {"number": 1})) for _ in range(3)]
        await tool.begun.wait()
        tool.go_on.set()
        failures = await asyncio.gather(*calls, return_exceptions=True)
        tool.fails = False
        assert await client.call("counted", {"number": 1}) == {"number": 1 + tool.runs}
    assert all(isinstance(failure, ToolFailure) for failure in failures)


@pytest.mark.feature("A-09")
async def test_a_store_that_breaks_during_a_run_is_abandoned_with_one_warning(shelf, monkeypatch):
    told: list[str] = []
    services = shelf(on_loss=told.append)
    tool = Counted()

    def broken(*_: object) -> None:
        raise ResponsesLost("kept.sqlite cannot be used (disk I/O error)")

    async with client_of(services, tool.definition) as client:
        assert await client.call("counted", {"number": 1}) == {"number": 2}
        monkeypatch.setattr(services.cache._store, "get", broken)
        for content in ("b", "c"):
            tool.content = content
            assert await client.call("counted", {"number": 1}) == {"number": 1 + tool.runs}
    assert told == ["The cache of tool answers is not used any more: kept.sqlite cannot be used (disk I/O error)."]


@pytest.mark.feature("A-09")
async def test_a_server_may_store_the_answers_and_may_disappear_at_any_moment(tmp_path):
    told: list[str] = []
    tool = Counted()
    with cache_server("open-sesame-1234") as server:
        url = server.url.replace("unix://", "unix://:${CACHE_WORD}@")
        settings = load_settings({"root": tmp_path, "cache_url": url})
        environment = {"CACHE_WORD": "open-sesame-1234"}
        assert "sesame" not in str(settings.stored())
        assert cache_kind(settings) == "valkey"
        for number in range(3):
            async with kept_answers(settings, environment, told.append) as cache:
                services = make_services(tmp_path / str(number), cache=cache)
                async with client_of(services, tool.definition) as client:
                    assert await client.call("counted", {"number": 1}) == {"number": 2}
                    if number == 2:
                        server.stop()
                        tool.content = "another"
                        assert await client.call("counted", {"number": 1}) == {"number": 3}
    async with kept_answers(settings, environment, told.append) as cache:
        assert not cache.is_persistent
    assert tool.runs == 2
    assert len(told) == 2
    assert all("does not serve" in one for one in told)
    assert "sesame" not in "".join(told)


async def test_a_variable_of_the_caches_url_that_is_missing_is_named(tmp_path):
    settings = load_settings({"root": tmp_path, "cache_url": "redis://:${CACHE_WORD}@localhost/0"})
    with pytest.raises(SettingsError, match="needs CACHE_WORD from the environment"):
        async with kept_answers(settings, {}):
            pass


@pytest.mark.parametrize("url", ["redis://:open-sesame-1234@localhost/0", "http://localhost", "localhost:6379"])
def test_a_url_with_a_password_or_of_another_kind_is_refused_and_not_repeated(tmp_path, url):
    with pytest.raises(SettingsError, match="cache_url") as caught:
        load_settings({"root": tmp_path, "cache_url": url})
    assert "sesame" not in caught.value.message


async def test_without_the_cache_nothing_outlives_the_run(tmp_path):
    settings = load_settings({"root": tmp_path, "cache": False})
    async with kept_answers(settings, {}) as cache:
        assert not cache.is_persistent
    assert cache_kind(settings) == "memory"
    assert not (tmp_path / ".testwright").exists()
