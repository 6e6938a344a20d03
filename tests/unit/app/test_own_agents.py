"""Agents of the user's own are plugged in by role, from a module, an entry point or as they are."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright.agents import COMPLIANCE, Candidate
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, RequestMetadata, success_response
from testwright.app.container import control_policy
from testwright.app.own_agents import keeps_lorebook, own_agents, steering_agents
from testwright.config.settings import Settings, load_settings
from testwright.core.errors import SettingsError
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.planning_state import new_planning_state
from testwright.graph.planning_graph.risks import step_risk

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples/agents"


def asked(inputs: dict[str, Any]) -> AgentRequest:
    return AgentRequest("goal", "task", RequestMetadata("trace-1"), inputs)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(
        "class Broken:\n    def __init__(self, needed): ...\n\n\nNOTHING = 7\n\n\n"
        "class Plain:\n    started = False\n\n    async def start(self):\n        self.started = True\n\n"
        "    async def process(self, request):\n        from testwright.agents import success_response\n"
        "        return success_response({'started': self.started})\n"
    )
    return tmp_path


@pytest.fixture(autouse=True)
def forget_modules() -> Any:
    yield
    sys.modules.pop("mine", None)


@pytest.mark.feature("C-04", "C-06")
async def test_an_object_with_process_gets_lifecycle_and_trace(project: Path) -> None:
    agent = own_agents({"goal": "mine:Plain"}, project)["goal"]
    async with agent:
        response = await agent.process(asked({}))
    assert response.result == {"started": True}
    assert {event["trace_id"] for event in response.trace} == {"trace-1"}
    assert str(project) not in sys.path


@pytest.mark.feature("C-04")
async def test_a_function_that_raises_is_an_error_like_any_other(tmp_path: Path) -> None:
    def explode(request: AgentRequest) -> bool:
        raise RuntimeError("boom")

    async with own_agents({"safety": explode}, tmp_path)["safety"] as agent:
        response = await agent.process(asked({}))
    assert response.error is not None
    assert "boom" in response.error.message


async def test_what_breaks_the_contract_of_its_role_is_refused(tmp_path: Path) -> None:
    async with own_agents({"planner": lambda request: {"steps": "all"}}, tmp_path)["planner"] as agent:
        response = await agent.process(asked({"user_request": "all", "root": str(tmp_path)}))
    assert response.error is not None
    assert "schemas/planner/output.json" in response.error.message


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("missing:Agent", "No module named 'missing'"),
        ("mine:Missing", "has no attribute 'Missing'"),
        ("mine:Broken", "cannot be created"),
        ("mine:NOTHING", "neither an agent nor a function"),
        ("no-such-entry", "no entry point 'no-such-entry'"),
    ],
)
def test_what_cannot_be_plugged_in_is_refused_with_advice(project: Path, reference: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)) as error:
        own_agents({"goal": reference}, project)
    assert error.value.advice


def test_a_role_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no role sage; the roles are planner"):
        load_settings({"root": tmp_path, "agents": {"sage": "mine:Plain"}})


def test_a_projects_file_names_agents_only_with_consent(tmp_path: Path) -> None:
    (tmp_path / "testwright.toml").write_text('yes = true\n[agents]\ngoal = "mine:Plain"\n[control]\ngoal = false\n')
    held = load_settings({"root": tmp_path})
    assert (held.agents, held.yes, held.control.goal) == ({}, False, "off")
    assert "agents" in held.ignored
    trusted = load_settings({"root": tmp_path, "trust_project": True})
    assert (trusted.agents, trusted.yes) == ({"goal": "mine:Plain"}, True)


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    ("role", "good"),
    [
        ("goal", {"steps": [], "critiques": []}),
        (
            "safety",
            {"risk": {"reasons": [{"kind": "requests_host", "about": "staging.shop.example"}]}},
        ),
    ],
)
async def test_the_agents_of_the_example_keep_the_contract(check: Any, role: str, good: dict[str, Any]) -> None:
    reference = {"goal": "own_agents:EveryModule", "safety": "own_agents:only_staging"}[role]
    await check(Candidate(make_agent=lambda: own_agents({role: reference}, EXAMPLE)[role], good=good, bad={}))


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(
    ("address", "is_safe"),
    [
        ("https://staging.shop.example/api", True),
        ("https://evil-staging.shop.example", False),
        ("https://staging.shop.example@shop.example", False),
        ("https://staging.shop.example.evil.example", False),
    ],
)
async def test_the_gate_of_the_example_approves_its_one_host(address: str, is_safe: bool) -> None:
    step: Any = {"id": "a", "type": "generate_api_tests", "params": {"base_url": address}}
    risk = step_risk(step, new_planning_state(request_id="r", user_request="all"), ControlPolicy())
    async with own_agents({"safety": "own_agents:only_staging"}, EXAMPLE)["safety"] as agent:
        response = await agent.process(asked({"risk": risk.to_dict()}))
    assert response.result == {"safe": is_safe}


def test_the_page_about_agents_has_the_example_as_it_is() -> None:
    [first, *_] = re.findall(r"```python\n(.*?)```", (ROOT / "docs/agents.md").read_text(), re.DOTALL)
    code = (EXAMPLE / "own_agents.py").read_text().partition('"""\n\n')[2]
    assert first == code
    assert len(code.splitlines()) <= 30


@pytest.mark.feature("P-05", "P-06")
def test_an_agent_that_steers_is_there_where_the_settings_want_it(tmp_path: Path) -> None:
    assert sorted(steering_agents(Settings(root=tmp_path))) == ["safety", "summary"]
    own = Settings(root=tmp_path, agents={"spec": "mine:Plain"})
    assert sorted(steering_agents(own)) == ["goal", "lorebook", "safety", "summary"]
    assert "goal" in steering_agents(load_settings({"root": tmp_path, "control": {"goal": True}}))
    every = {"goal": "off", "health_interval": 3, "lorebook": "on"}
    assert sorted(steering_agents(Settings(root=tmp_path, control=every))) == [
        "health",
        "lorebook",
        "safety",
        "summary",
    ]
    assert not keeps_lorebook(Settings(root=tmp_path))
    assert keeps_lorebook(Settings(root=tmp_path, agents={"goal": "mine:Plain"}))


@pytest.mark.feature("P-05", "P-06")
def test_an_agent_given_in_code_counts_as_one_of_the_settings(tmp_path: Path) -> None:
    plain = Settings(root=tmp_path)
    assert sorted(steering_agents(plain, own={"health"})) == ["goal", "health", "lorebook", "safety", "summary"]
    assert control_policy(plain, {"health"}).health_interval == 1
    assert keeps_lorebook(plain, {"spec"})


@pytest.mark.feature("P-04")
def test_consent_is_what_the_settings_say(tmp_path: Path) -> None:
    usual = ("runs_application", "spends_money", "writes_outside_tests")
    assert control_policy(Settings(root=tmp_path)).consented == usual
    assert control_policy(Settings(root=tmp_path, yes=True)).consented == ("all",)
    assert control_policy(Settings(root=tmp_path, agents={"planner": "mine:Plain"})).consented == usual[:2]
    assert control_policy(Settings(root=tmp_path), {"planner"}).consented == usual[:2], "given in code"
    weak = control_policy(Settings(root=tmp_path, sandbox="weak"))
    assert weak.weak_sandbox


async def test_answers_pass_as_they_are(tmp_path: Path) -> None:
    given: AgentResponse = success_response("text", metadata={"terminatePipeline": True})

    async def answer(request: AgentRequest) -> AgentResponse:
        return given

    async with own_agents({"goal": answer}, tmp_path)["goal"] as agent:
        response = await agent.process(asked({}))
    assert (response.result, response.metadata["terminatePipeline"]) == ("text", True)


def test_what_an_installed_module_looks_for_is_not_found_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, root = tmp_path / "site", tmp_path / "clone"
    site.mkdir()
    root.mkdir()
    (site / "installed_gate.py").write_text(
        "try:\n    import fast_variant\nexcept ImportError:\n    fast_variant = None\n\n\n"
        "def gate(request):\n    return fast_variant is None\n"
    )
    (root / "fast_variant.py").write_text("raise SystemExit('code of the project ran')\n")
    monkeypatch.syspath_prepend(str(site))
    assert "safety" in own_agents({"safety": "installed_gate:gate"}, root)


@pytest.mark.feature("P-03")
async def test_the_goal_agent_asks_for_nothing_twice_and_never_ends_a_run() -> None:
    step = {"status": "completed", "test_type": "unit", "path": "my app/a, b.py", "untested": ["total", "total_of"]}
    others = [{**step, "path": f"m{number}.py"} for number in range(60)]
    critiques: list[str] = []
    async with steering_agents(load_settings({"root": ROOT, "control": {"goal": "on"}}))["goal"] as agent:
        for _ in range(2):
            answer = await agent.process(asked({"steps": [step], "critiques": critiques}))
            critiques.append(str(answer.result))
        last = await agent.process(asked({"steps": others, "critiques": ["a", "b", "c"]}))
    assert critiques[0] == "unit tests for my app/a, b.py:total, my app/a, b.py:total_of"
    assert critiques[1] == last.result == "the request is met as far as tests could be made"
