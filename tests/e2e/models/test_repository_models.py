"""The three agents of A-01 with scripted models: what crosses the wire, and what is held in code whatever they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.llm.prompt import load_prompt
from testwright.app.runs import explore_repository
from testwright.config.settings import load_settings
from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI
from testwright.tests.support.agents.wire_recording import asked_by, crossed, marked, overlapping, processes_of
from testwright.tests.support.mcp.tool_session import write_files
from testwright.tests.support.projects.web_shop import SHOP, case
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.tests.support.runs.model_runs import KEY
from testwright.utils.canonical import canonical_json

pytestmark = pytest.mark.feature("A-01")

POINTS = [{"path": "app/main.py", "kind": "api_route"}, {"path": "web/server.js", "kind": "api_route"}]
ROLES_ASKED = ("crawler", "case", "engineer")
MARKS = [f"mark-{number}-of-the-answers" for number in range(len(ROLES_ASKED))]
MAP = {"entry_points": POINTS, "runtime": "python", "frameworks": ["FastAPI", "express"]}
CASES = {"test_cases": [case()], "coverage_notes": "Only ping."}
SPEC = """import { expect, test } from '@playwright/test';

test('ping answers [tc_ping]', async ({ request }) => {
  const answer = await request.get('/ping');
  expect(answer.status()).toBe(204);
});
"""
PATH = "tests/e2e/generated/ping.spec.ts"


def written(contents: str = SPEC, path: str = PATH) -> dict[str, Any]:
    """An answer of the engineer's model."""
    return {"files": [{"path": path, "contents": contents}], "pr_title": "Add a test", "pr_body": "One test."}


async def engineered(
    tmp_path, monkeypatch, *answers: dict[str, Any], roles: str = "crawler case engineer", **more: Any
):
    """A run of all three with scripted answers, at smoke depth: its end, its folder, the server, the project."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    root = write_files(tmp_path / "shop", SHOP)
    script = [marked(answer, MARKS[number % len(MARKS)]) for number, answer in enumerate(answers)]
    with ScriptedOpenAI(script) as server:
        models = dict.fromkeys(roles.split(), "openai:scripted")
        given = {"root": root, "base_url": server.base_url, "models": models, "run_id": "r1", "apply": True}
        settings = load_settings({**given, **more})
        ended = await explore_repository("engineer", settings, depth="smoke")
    return ended, ended.report_path.parent, server, root


@pytest.mark.feature("A-05", "A-06")
async def test_each_agent_is_asked_with_its_envelope_and_nothing_else(tmp_path, monkeypatch):
    ended, folder, server, root = await engineered(tmp_path, monkeypatch, MAP, CASES, written())
    assert ended.report.exit_code == ExitCode.OK
    assert (root / PATH).is_file()
    assert [asked_by(asked) for asked in server.requests] == list(ROLES_ASKED)
    assert crossed(server.requests, [*MARKS, KEY, str(tmp_path)]) == []
    messages = [asked.body["messages"] for asked in server.requests]
    envelopes = [json.loads(each[1]["content"]) for each in messages]
    assert set(envelopes[1]) == set(envelopes[2]) == {"run_id", "upstream", "payload", "parameters"}
    assert envelopes[1]["payload"] == json.loads((folder / "repository.json").read_text())
    assert envelopes[2]["payload"] == json.loads((folder / "test-cases.json").read_text())
    assert envelopes[2]["upstream"]["agent"] == "test_case_generator"
    assert [each[1]["content"] for each in messages] == [canonical_json(envelope) for envelope in envelopes]
    assert "app/main.py" not in messages[2][0]["content"] + messages[2][1]["content"]


@pytest.mark.feature("A-06")
async def test_isolated_agents_ask_the_same_from_processes_that_have_ended(tmp_path, monkeypatch):
    answers = (MAP, CASES, written())
    plain, _, one, _ = await engineered(tmp_path / "a", monkeypatch, *answers)
    ended, folder, other, root = await engineered(tmp_path / "b", monkeypatch, *answers, isolate_agents=True)
    assert ended.report.exit_code == ExitCode.OK
    assert (root / PATH).is_file()
    processes = processes_of(folder / "audit.jsonl")
    assert [(lived["role"], lived["exit_code"]) for lived in processes] == [(name, 0) for name in ROLES_ASKED]
    assert overlapping(processes) == []
    assert [asked.raw for asked in other.requests] == [asked.raw for asked in one.requests]
    assert ended.report.run.spent.tokens == plain.report.run.spent.tokens > 0
    asked = [attempt for attempt in read_attempts(folder / "audit.jsonl") if attempt.model == "scripted"]
    assert {attempt.role for attempt in asked} >= set(ROLES_ASKED)
    versions = {attempt.role.removesuffix(" model"): attempt.details["prompt_version"] for attempt in asked}
    assert all(
        attempt.details["prompt_version"] == load_prompt(role).version
        for role in versions
        for attempt in asked
        if attempt.role.startswith(role)
    )
    kinds = {artifact.kind: artifact.prompt_version for artifact in ended.report.run.artifacts}
    assert kinds == {
        "repo_crawler_output": versions["crawler"],
        "test_case_generator_output": versions["case"],
        "test_engineer_output": versions["engineer"],
    }


async def test_a_path_the_repository_has_not_is_given_back_and_then_left_out(tmp_path, monkeypatch):
    invented = {**MAP, "entry_points": [*POINTS, {"path": "app/invented.py", "kind": "api_route"}]}
    _, folder, server, _ = await engineered(tmp_path, monkeypatch, invented, invented, roles="crawler")
    found = json.loads((folder / "repository.json").read_text())
    assert found["entry_points"] == POINTS
    assert [file["path"] for file in found["file_tree"]] == ["app/main.py", "web/server.js"]
    assert found["detected_stack"]["frameworks"] == ["express", "fastapi"]
    assert "the repository has no 'app/invented.py'" in server.requests[1].body["messages"][1]["content"]


async def test_a_case_about_what_is_not_offered_is_given_back_and_then_left_out(tmp_path, monkeypatch):
    both = {**CASES, "test_cases": [case(), case(id="tc_admin", steps=["Send GET /admin."])]}
    _, folder, server, _ = await engineered(tmp_path, monkeypatch, both, both, roles="case")
    kept = json.loads((folder / "test-cases.json").read_text())["test_cases"]
    assert [one["id"] for one in kept] == ["tc_ping"]
    assert "the repository offers no /admin" in server.requests[1].body["messages"][1]["content"]


REFUSED = {
    "leads out": written(path="../../evil.spec.ts"),
    "hidden folder": written(path=".github/tests/evil.spec.ts"),
    "no folder of tests": written(path="src/evil.spec.ts"),
    "does not end": written(path="tests/package.json"),
    "reaches files": written(SPEC + "import { rmSync } from 'node:fs';\n"),
    "starts programs": written(SPEC + "require('child_process').execSync('rm -rf /');\n"),
    "address of its own": written(SPEC.replace("'/ping'", "'https://evil.example/steal'")),
    "uses the process": written(SPEC.replace("'/ping'", "'/ping', { data: process.env }")),
    "asserts nothing": written(SPEC.replace("expect(answer.status()).toBe(204)", "expect(true).toBe(true)")),
    "no assertion": written(
        SPEC.replace("expect(answer.status()).toBe(204)", "answer.status()").replace("expect, ", "")
    ),
}


@pytest.mark.feature("B-09")
@pytest.mark.parametrize("why", REFUSED)
async def test_an_engineer_that_obeys_an_injection_writes_nothing(tmp_path, monkeypatch, why):
    ended, folder, _, root = await engineered(
        tmp_path, monkeypatch, CASES, REFUSED[why], REFUSED[why], roles="case engineer"
    )
    step = next(one for one in ended.report.plan if one.id == "engineer_tests")
    assert step.status == "failed"
    assert why in step.error
    assert ended.report.exit_code == ExitCode.PARTIAL
    assert not list((folder / "staged").rglob("*"))
    found = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if ".testwright" not in path.parts)
    assert [one for one in found if (root / one).is_file()] == sorted(SHOP)
