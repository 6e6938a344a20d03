"""A run that meets a ceiling ends with what holds, wherever it meets it, and goes on from there under a higher one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.app import api
from testwright.app.agent_factory import isolated_agents
from testwright.app.opened_store import open_store
from testwright.config.settings import load_settings
from testwright.core.errors import BudgetExhausted, SettingsError
from testwright.core.exit_code import ExitCode
from testwright.core.usage import ModelBudget
from testwright.reports.model import Report
from testwright.store.files.audit import AuditEntry
from testwright.tests.support.agents.scripted_openai import Reply, ScriptedOpenAI, Usage, answer, error, hang
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.tests.support.runs.model_runs import (
    KEY,
    SPEC_PATH,
    TEST_PATH,
    UNCLEAR,
    case,
    cases,
    code,
    expectation,
    source_of,
    till,
    verdict,
)

pytestmark = pytest.mark.feature("B-08")

RUN = "r"
WRONG = case(50, "45", expect=[expectation("45", origin="inferred")])
BOTH = cases(case(200, "180"), WRONG)
WRONG_EXPECTATION = verdict("tc_discounted_50", "wrong_expectation")
WRITTEN = code(f"{source_of(200, 180)}\n\n{source_of(50, 45)}")
MENDED = code(f"{source_of(200, 180)}\n\n{source_of(50, 50)}")
OBSERVED = code(f"{source_of(200, 180)}\n\n{source_of(50, 50, docstring='tc_discounted_of_50: as it was seen')}")
BROKEN = code(f"{source_of(200, 180)}\n\n{source_of(50, 50)}".replace("():", "(:", 1))
PLAN = {
    "targets": [{"path": SPEC_PATH, "symbols": []}],
    "excluded": [],
    "whole_project": False,
    "framework": None,
    "only_untested": False,
    "not_understood": [],
}

REFINED_LATE = "refinement of code after tests were kept"
# role of each model, answers until the ceiling, answers after it
PLACES: dict[str, tuple[str, list[Any], list[Any]]] = {
    "analyzer": ("spec analyzer", [BOTH], [WRONG_EXPECTATION]),
    "repetition of the reading": ("spec", ["I would rather talk."], [cases(case(200, "180"))]),
    "writer": ("spec writer", [cases(case(200, "180"), case(50, "50"))], [MENDED]),
    "refinement of the code": ("spec writer", [cases(case(200, "180"), case(50, "50")), BROKEN], [MENDED]),
    REFINED_LATE: ("spec writer analyzer", [BOTH, WRITTEN, WRONG_EXPECTATION, BROKEN], [OBSERVED]),
}
PAID = 10_000
"""Tokens of every answer."""


def ceiling_after(answers: int) -> int:
    """A ceiling under which so many requests are sent, and no further one."""
    return (answers - 1) * PAID + 6_000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedOpenAI]:
    """An endpoint without a script yet; the same one before and after a ceiling."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    with ScriptedOpenAI([]) as endpoint:
        yield endpoint


async def run(server: ScriptedOpenAI, root: Path, script: Sequence[Any], roles: str, **settings: Any) -> Report:
    """A run about the till under a ceiling."""
    server.extend(*replies(script))
    given: dict[str, Any] = {"trials": 40, "repeats": 1, "mutants": 0, "jobs": 1, "run_id": RUN, "apply": True}
    given["base_url"] = server.base_url
    models = dict.fromkeys(roles.split(), "openai:scripted")
    request = f"unit tests for {SPEC_PATH}{UNCLEAR if 'planner' in models else ''}"
    return await api.agenerate(request, root=root, models=models, **{**given, **settings})


async def resumed(server: ScriptedOpenAI, root: Path, script: Sequence[Any] = (), **settings: Any) -> Report:
    """The run, continued."""
    server.extend(*replies(script))
    return await api.aresume(RUN, root=root, **settings)


def replies(script: Sequence[Any]) -> list[Reply]:
    """Answers as replies."""
    return [one if isinstance(one, Reply) else answer(one, usage=Usage(PAID - 2_000, 2_000)) for one in script]


def attempts(root: Path) -> list[AuditEntry]:
    """The run's audit log."""
    return list(read_attempts(root / ".testwright" / "runs" / RUN / "audit.jsonl"))


@pytest.mark.parametrize("place", PLACES)
async def test_a_ceiling_keeps_what_holds_and_a_higher_one_does_the_rest(
    tmp_path: Path, server: ScriptedOpenAI, place: str
) -> None:
    roles, script, rest = PLACES[place]
    root = till(tmp_path)
    report = await run(server, root, script, roles, max_tokens=ceiling_after(len(script)))
    assert (report.exit_code, report.exit_reason) == (ExitCode.BUDGET, "budget_exhausted")
    assert (report.status, report.totals.kept > 0) == ("stopped", True)
    assert (root / TEST_PATH).is_file()  # what the models made so far, else the engine's tests
    assert len(server.requests) == len(script)

    ended = await resumed(server, root, rest, max_tokens=100_000)
    assert (ended.exit_code, ended.totals.kept > 0) == (ExitCode.OK, True)
    assert (ended.run.spent.calls, ended.run.resumed) == (len(script) + len(rest), 1)
    # the header holds a digest, whose figures are anybody's
    written = [line for line in (root / TEST_PATH).read_text().splitlines() if not line.startswith("#")]
    assert any("discounted(200)" in line for line in written)
    assert not any("45" in line for line in written)
    if place == REFINED_LATE:  # the kept tests took the place of the broken file, which the model still sees
        assert "syntax in line" in server.requests[-1].text
        assert "def test_discounted_200(:" in server.requests[-1].text


@pytest.mark.feature("A-06")
async def test_a_ceiling_that_an_agent_meets_in_its_own_process_is_the_runs(
    tmp_path: Path, server: ScriptedOpenAI
) -> None:
    root = till(tmp_path)
    report = await run(server, root, [BOTH], "spec analyzer", max_tokens=ceiling_after(1), isolate_agents=True)
    assert (report.exit_code, report.totals.kept > 0, report.run.spent.tokens) == (ExitCode.BUDGET, True, PAID)


@pytest.mark.feature("A-06")
@pytest.mark.timeout(600)
async def test_what_an_agent_in_its_own_process_spent_counts_also_when_it_is_cut_off(
    tmp_path: Path, server: ScriptedOpenAI
) -> None:
    root, heard, paid = till(tmp_path), list[AuditEntry](), asyncio.Event()
    server.extend(*replies(["no json"]), hang())
    given = {"root": root, "base_url": server.base_url, "models": {"planner": "openai:scripted"}}
    settings = load_settings({**given, "model_timeout": 600})
    with open_store(settings, begins=True) as store:
        store.runs.create(RUN, request="x", root=str(root), settings={}, version="1")
    budget = ModelBudget(on_usage=lambda spend: paid.set())
    planner = isolated_agents(["planner"], settings, RUN, audit=heard.append, budget=budget)["planner"]
    inputs = {"user_request": f"unit tests for {SPEC_PATH}{UNCLEAR}", "root": str(root)}
    with server.asked(2) as both:
        asked = asyncio.create_task(
            planner.process(AgentRequest("x", "build_plan", RequestMetadata("t"), inputs=inputs))
        )
        assert await asyncio.to_thread(both.wait, 300)
        await asyncio.wait_for(paid.wait(), 300)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
    assert (budget.total.tokens, budget.total.calls) == (PAID, 1)
    assert [one.outcome for one in heard][:1] in ([], ["malformed"])


async def test_a_planner_that_meets_a_ceiling_plans_when_there_is_more(tmp_path: Path, server: ScriptedOpenAI) -> None:
    root = till(tmp_path)
    with pytest.raises(BudgetExhausted, match="ceiling on tokens"):
        await run(server, root, ["no json"], "planner", max_tokens=ceiling_after(1))
    with open_store(load_settings({"root": root})) as store:
        record = store.runs.get(RUN)
    assert (record.status, record.exit_reason, record.exit_code) == ("stopped", "budget_exhausted", ExitCode.BUDGET)
    assert (record.spent.tokens, record.spent.calls) == (PAID, 1)
    ended = await resumed(server, root, [PLAN], max_tokens=100_000)
    assert (ended.exit_code, ended.run.spent.calls) == (ExitCode.OK, 2)
    assert ended.totals.kept > 0


async def test_a_ceiling_that_is_spent_already_is_refused_with_advice_and_nothing_changes(
    tmp_path: Path, server: ScriptedOpenAI
) -> None:
    root = till(tmp_path)
    await run(server, root, [BOTH], "spec analyzer", max_tokens=ceiling_after(1))
    before = (root / ".testwright" / "runs" / RUN / "report.json").read_bytes()
    for ceiling in (None, 5_000, PAID):
        with pytest.raises(BudgetExhausted, match=f"It has used {PAID} tokens") as caught:
            await resumed(server, root, max_tokens=ceiling)
        assert f"testwright resume {RUN}" in caught.value.advice
    with pytest.raises(SettingsError, match="max_tokens"):
        await resumed(server, root, max_tokens=-1)
    with pytest.raises(SettingsError, match="another framework") as other:
        await resumed(server, root, framework="unittest")
    assert "max_cost" in other.value.advice
    assert (root / ".testwright" / "runs" / RUN / "report.json").read_bytes() == before
    with open_store(load_settings({"root": root})) as store:
        assert store.runs.get(RUN).settings["max_tokens"] == ceiling_after(1)


async def test_a_higher_ceiling_stays_with_the_run_may_be_met_again_and_the_report_is_about_all_sessions(
    tmp_path: Path, server: ScriptedOpenAI
) -> None:
    root = till(tmp_path)
    roles = "spec writer analyzer"
    first = await run(server, root, [BOTH, WRITTEN], roles, max_tokens=ceiling_after(2))
    again = await resumed(server, root, [WRONG_EXPECTATION], max_tokens=3 * PAID)
    assert (again.exit_code, again.run.settings["max_tokens"], again.totals.kept) == (ExitCode.BUDGET, 3 * PAID, 1)
    with pytest.raises(BudgetExhausted, match=f"{3 * PAID} tokens"):
        await resumed(server, root)
    ended = await resumed(server, root, [OBSERVED], max_tokens=100_000)
    assert (ended.exit_code, ended.totals.kept, ended.run.resumed) == (ExitCode.OK, 2, 2)
    assert [one.run.spent.seconds for one in (first, again, ended)] == sorted(
        one.run.spent.seconds for one in (first, again, ended)
    )
    assert {tool_call.tool: tool_call.calls for tool_call in ended.run.tool_calls}["run_tests"] == 2
    accepted = [
        {tool_call.tool: tool_call.calls for tool_call in each.run.tool_calls}["accept_tests"]
        for each in (first, again, ended)
    ]
    assert accepted == [1, 2, 3]
    assert first.run.idle is not None
    assert ended.run.idle is not None
    assert ended.run.idle.seconds >= first.run.idle.seconds


async def test_a_target_that_was_changed_meanwhile_starts_again(tmp_path: Path, server: ScriptedOpenAI) -> None:
    root = till(tmp_path)
    await run(server, root, [BOTH], "spec analyzer", max_tokens=ceiling_after(1))
    (root / SPEC_PATH).write_text((root / SPEC_PATH).read_text().replace("> 100", ">= 100"))
    ended = await resumed(server, root, [cases(case(100, "90"))], max_tokens=100_000)
    assert ended.exit_code == ExitCode.OK
    assert "90" in (root / TEST_PATH).read_text()


@pytest.mark.parametrize("roles", ["planner", "spec"])
async def test_a_wait_that_would_outlast_the_run_is_not_begun(
    tmp_path: Path, server: ScriptedOpenAI, roles: str
) -> None:
    """The endpoint asks for a longer wait than the run has: nothing is asked again."""
    root = till(tmp_path)
    late = error(429, headers={"retry-after": "119"})
    if roles == "planner":
        with pytest.raises(BudgetExhausted, match="ceiling on time"):
            await run(server, root, [late], roles, max_seconds=110)
        return
    report = await run(server, root, [late], roles, max_seconds=110)
    assert (report.exit_code, report.exit_reason) == (ExitCode.BUDGET, "budget_exhausted")
    refused = next(attempt for attempt in attempts(root) if attempt.role == "spec model")
    assert (refused.outcome, refused.errors[0]["error"]) == ("failed", "ModelRateLimited")
    assert refused.duration_ms > 0
