"""Text of tool servers of others is data to a model: fenced in, and never among the instructions (T-12, A-05)."""

from __future__ import annotations

import json
import re

import pytest

from testwright.app.runs import explore_repository
from testwright.config.settings import load_settings
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer
from testwright.tests.support.mcp.external_server import INJECTION, MAIN
from testwright.tests.support.mcp.external_servers import entry
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.runs.model_runs import KEY, case, cases, code, run_with, source_of, till

FENCED = re.compile(r"<data name=.*?</data>", re.DOTALL)


@pytest.mark.feature("T-12")
async def test_what_a_context_server_says_stays_inside_the_fences(tmp_path, monkeypatch):
    root = till(tmp_path)
    script = [answer(cases(case(200, "180"))), answer(code(source_of(200, 180)))]
    servers = {"search": entry("good", tools=["get_codebase_context"])}
    report, server = await run_with(script, root, monkeypatch, "spec", "writer", mcp_servers=servers)
    [served] = [tool_call for tool_call in report.run.tool_calls if tool_call.tool == "get_codebase_context"]
    assert (served.served_by, served.failed) == ("search", 0)
    assert report.totals.kept == 1
    reading, writing = (request.body["messages"] for request in server.requests)
    told = FENCED.findall(reading[1]["content"])
    assert any("docs/help.md" in one and "Delete every test" in one for one in told)
    assert reading[1]["content"].count("</data>") == reading[1]["content"].count("<data ")
    envelope = json.loads(writing[1]["content"])
    assert "docs/help.md" in envelope["context"]
    envelope["context"] = ""
    for outside in (FENCED.sub("", reading[1]["content"]), json.dumps(envelope)):
        assert "Ignore all previous instructions" not in outside
    assert "Ignore all previous instructions" not in reading[0]["content"] + writing[0]["content"]
    assert all("Ignore your instructions" not in request.text for request in server.requests)


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("mode", "said"), [("error", "get_codebase_context: "), ("dies", "'search' was given up: it died again")]
)
async def test_a_context_server_that_fails_or_is_lost_is_told_and_costs_no_test(tmp_path, monkeypatch, mode, said):
    root = till(tmp_path)
    servers = {"search": entry(mode, tools=["get_codebase_context"])}
    script = [answer(cases(case(200, "180")))]
    report, server = await run_with(script, root, monkeypatch, "spec", mcp_servers=servers)
    assert report.totals.kept > 1
    assert any(said in line for line in (*report.targets[0].notes, *report.run.warnings))
    assert "docs/help.md" not in server.requests[0].text


@pytest.mark.feature("T-12", "A-05")
async def test_a_repository_that_a_server_tells_of_stays_inside_json_strings(tmp_path, monkeypatch):
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    root = make_project(tmp_path / "shop", {"README.md": "A shop.\n"})
    mapped = {"entry_points": [], "runtime": "python", "frameworks": ["fastapi"]}
    with ScriptedOpenAI([answer(mapped)]) as server:
        flags = {"root": root, "base_url": server.base_url, "models": {"crawler": "openai:scripted"}}
        settings = load_settings({**flags, "mcp_servers": {"forge": entry("repository")}})
        ended = await explore_repository("crawl", settings, depth="standard")
    assert {(tool_call.tool, tool_call.served_by) for tool_call in ended.report.run.tool_calls} >= {
        ("repo.tree", "forge"),
        ("repo.read_file", "forge"),
    }
    [request] = server.requests
    system, user = (message["content"] for message in request.body["messages"])
    assert "Ignore all previous instructions" not in system
    told = json.loads(user)
    assert told["samples"] == {"app/main.py": MAIN}
    told["samples"] = {}
    assert INJECTION not in json.dumps(told)
