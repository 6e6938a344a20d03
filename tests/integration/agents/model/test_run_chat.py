"""The chat of a run: nothing is paid twice, nothing is spent beyond the budget, everything is in the audit log."""

import asyncio
import threading

import pytest

from testwright.agents.contract.lifecycle import Agent, RequestOptions, send_request
from testwright.agents.contract.protocol import AgentRequest, ErrorType, RequestMetadata
from testwright.core.errors import (
    BudgetExhausted,
    MalformedLlmOutput,
    ModelAnswerCut,
    ModelAnswerRefused,
    ModelTimeout,
    TestwrightError,
)
from testwright.core.usage import Ceilings, ModelBudget, ModelUsage
from testwright.store.files.audit import AuditLog
from testwright.tests.support.agents.model_chats import KeptInMemory, call, chatting
from testwright.tests.support.agents.scripted_openai import (
    Reply,
    ScriptedOpenAI,
    Usage,
    answer,
    error,
    hang,
    reset,
    truncated_stream,
)
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.utils.redact import Redactor

GOOD = {"steps": ["one"]}


class Planner(Agent):
    """Asks its chat once or several times."""

    role = "planner"

    def __init__(self, chat, users=("plan it",)):
        super().__init__()
        self.chat, self.users = chat, users

    async def _work(self, request):
        return {"answers": [(await self.chat.complete(call(user))).parsed for user in self.users]}


def request():
    return AgentRequest("goal", "task", RequestMetadata("run-1:step_001"))


def request_options():
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    return RequestOptions(sleep=sleep, chance=lambda: 0.0), waits


@pytest.mark.feature("B-08")
async def test_an_answer_that_was_received_is_never_paid_for_again():
    kept = KeptInMemory()
    with ScriptedOpenAI([answer(GOOD, usage=Usage(1000, 100, 400))]) as server:
        async with chatting(server, kept=kept) as chat:
            first = await chat.complete(call())
        async with chatting(server, kept=kept) as chat:
            second = await chat.complete(call())
    assert (first.reused, second.reused) == (False, True)
    assert (second.parsed, second.cost, second.tokens_in, second.tokens_cached) == (GOOD, first.cost, 1000, 400)


@pytest.mark.feature("B-08")
async def test_a_resumed_run_takes_the_same_way_through_an_unusable_answer_without_paying_for_it_again():
    kept = KeptInMemory()
    with ScriptedOpenAI([answer("no json"), answer(GOOD)]) as server:
        async with chatting(server, kept=kept) as chat:
            with pytest.raises(MalformedLlmOutput):
                await chat.complete(call())
            await chat.complete(call())
        async with chatting(server, kept=kept) as chat:
            with pytest.raises(MalformedLlmOutput):
                await chat.complete(call())
            assert (await chat.complete(call())).reused


@pytest.mark.feature("B-08")
async def test_a_refusal_stands_however_often_it_is_asked():
    with ScriptedOpenAI([answer(None, refusal="no")]) as server:
        async with chatting(server, kept=KeptInMemory()) as chat:
            for _ in range(3):
                with pytest.raises(ModelAnswerRefused):
                    await chat.complete(call())


async def test_the_same_question_asked_at_the_same_time_is_paid_for_once():
    with ScriptedOpenAI([answer(GOOD)]) as server:
        async with chatting(server, kept=KeptInMemory()) as chat:
            answers = await asyncio.gather(*(chat.complete(call()) for _ in range(4)))
    assert sorted(one.reused for one in answers) == [False, True, True, True]


@pytest.mark.feature("A-06")
async def test_each_call_has_messages_of_its_own_and_the_same_call_has_the_same_bytes():
    with ScriptedOpenAI([answer(GOOD), answer(GOOD), answer(GOOD)]) as server:
        async with chatting(server) as chat:
            await chat.complete(call("first"))
            await chat.complete(call("second", attempt=2))
        async with chatting(server) as chat:
            await chat.complete(call("first"))
        first, second, again = server.requests
    assert [one.roles for one in server.requests] == [["system", "user"]] * 3
    assert "first" not in second.text
    assert first.raw == again.raw


@pytest.mark.feature("B-08")
@pytest.mark.parametrize(
    ("ceilings", "word"), [(Ceilings(tokens=600), "tokens"), (Ceilings(cost=0.0046), "cost")], ids=["tokens", "cost"]
)
async def test_a_ceiling_that_is_reached_refuses_the_next_call_before_it_is_made(ceilings, word):
    budget = ModelBudget(ceilings)
    with ScriptedOpenAI([answer(GOOD)]) as server:
        async with chatting(server, budget=budget) as chat:
            await chat.complete(call())
            with pytest.raises(BudgetExhausted, match=f"the ceiling on {word}"):
                await chat.complete(call("more"))
    assert budget.total.calls == 1
    assert 400 <= server.requests[0].body["max_completion_tokens"] < 600


@pytest.mark.feature("B-08")
async def test_a_request_waits_for_those_under_way_where_they_decide_its_room_and_no_ceiling_counts_as_reached():
    """The first may use all that is left: only when it has ended it is known that the second has room."""
    budget = ModelBudget(Ceilings(tokens=2_000))
    with ScriptedOpenAI([]) as server, server.asked(1) as first_came:
        held = answer(GOOD, usage=Usage(100, 50))
        second_wanted = threading.Event()

        def once_both_are_wanted(handler, asked):
            assert second_wanted.wait(200)
            held.act(handler, asked)

        server.extend(Reply(once_both_are_wanted), held)
        async with chatting(server, budget=budget) as chat:
            first = asyncio.create_task(chat.complete(call("first")))
            assert await asyncio.to_thread(first_came.wait, 200)
            second = asyncio.create_task(chat.complete(call("second")))
            await asyncio.sleep(0)
            assert (len(server.requests), budget.reached) == (1, None)
            second_wanted.set()
            assert [one.tokens_in for one in await asyncio.gather(first, second)] == [100, 100]
    assert budget.reached is None


@pytest.mark.feature("B-08")
async def test_a_cut_answer_is_asked_for_anew_by_a_run_that_may_use_more_and_else_is_not_paid_for_again():
    kept, cut = KeptInMemory(), answer('{"steps": ["o', finish="length", usage=Usage(20, 500))
    before = []
    for tokens, script in ((600, [cut]), (900, []), (100_000, [answer(GOOD)]), (100_000, [])):
        budget = ModelBudget(Ceilings(tokens=tokens), before=before)
        with ScriptedOpenAI(script) as server:
            async with chatting(server, kept=kept, budget=budget) as chat:
                if tokens == 100_000:
                    assert (await chat.complete(call())).parsed == GOOD
                else:
                    with pytest.raises(BudgetExhausted, match="the ceiling on tokens"):
                        await chat.complete(call())
        before = budget.by_role()
    assert budget.total.calls == 2


@pytest.mark.feature("B-08")
async def test_a_cut_answer_that_may_be_longer_waits_for_the_requests_under_way():
    kept, cut = KeptInMemory(), answer('{"steps": ["o', finish="length", usage=Usage(20, 500))
    with ScriptedOpenAI([cut, answer(GOOD)]) as server:
        async with chatting(server, kept=kept, budget=ModelBudget(Ceilings(tokens=600))) as chat:
            with pytest.raises(BudgetExhausted):
                await chat.complete(call())
        budget = ModelBudget(Ceilings(tokens=4_000))
        async with chatting(server, kept=kept, budget=budget) as chat:
            with budget.reserved(3_500):
                asked = asyncio.create_task(chat.complete(call()))
                await asyncio.sleep(0)
            assert (await asked).parsed == GOOD
    assert budget.reached is None


@pytest.mark.feature("B-08")
@pytest.mark.parametrize("usage", [Usage(20, 200), None], ids=["counted", "estimated"])
async def test_an_answer_that_its_endpoint_cut_off_below_the_ceiling_is_no_matter_of_the_ceiling(usage):
    kept, budget = KeptInMemory(), ModelBudget(Ceilings(tokens=4_000))
    with ScriptedOpenAI([answer('{"steps": ["' + "o" * 400, finish="length", usage=usage)]) as server:
        for ceilings in (budget, ModelBudget(Ceilings(tokens=8_000), before=budget.by_role())):
            async with chatting(server, kept=kept, budget=ceilings) as chat:
                with pytest.raises(ModelAnswerCut):
                    await chat.complete(call())
            assert ceilings.reached is None


@pytest.mark.feature("B-08")
async def test_an_answer_that_its_own_limit_cut_off_stays_what_it_is_when_the_run_is_resumed():
    kept = KeptInMemory()
    with ScriptedOpenAI([answer('{"steps": ["o', finish="length")]) as server:
        for _ in range(2):
            async with chatting(server, kept=kept, budget=ModelBudget(Ceilings(tokens=100_000))) as chat:
                with pytest.raises(ModelAnswerCut):
                    await chat.complete(call())


@pytest.mark.feature("B-08")
async def test_the_ceiling_on_time_cuts_a_call_short_and_the_budget_remembers_it():
    audit = []
    budget = ModelBudget(Ceilings(seconds=10), lambda: 9.8)
    with ScriptedOpenAI([hang()], all_asked=False) as server:
        async with chatting(server, budget=budget, audit=audit, timeout=600) as chat:
            with pytest.raises(BudgetExhausted, match=r"the ceiling on time \(10 s\) is reached"):
                await chat.complete(call())
    assert budget.reached == "the ceiling on time (10 s) is reached"
    assert [(one.outcome, one.duration_ms > 0) for one in audit] == [("timed_out", True)]


@pytest.mark.feature("B-08")
async def test_each_way_of_asking_anew_is_under_the_ceilings_too():
    """The endpoint refuses a parameter; by then the run's time is over, so it is not asked without it."""
    used = iter([1.0, 1.0, 10.0])
    budget = ModelBudget(Ceilings(seconds=10), lambda: next(used))
    with ScriptedOpenAI([error(400, "unknown parameter: 'seed'")]) as server:
        async with chatting(server, budget=budget) as chat:
            with pytest.raises(BudgetExhausted):
                await chat.complete(call())


def test_a_budget_remembers_the_first_refusal_and_asking_what_is_reached_is_none():
    budget = ModelBudget(Ceilings(tokens=100, cost=0.5), before=[ModelUsage("spec", "m", 1, 90, 10, cost=0.1)])
    assert (budget.exceeded(), budget.reached) == ("the ceiling on tokens (100 tokens) is reached", None)
    with pytest.raises(BudgetExhausted) as refused:
        budget.require()
    budget.add(ModelUsage("spec", "m", 1, cost=1.0))
    assert budget.reached == refused.value.message
    assert "testwright resume" in refused.value.advice
    told = []
    later = ModelBudget(before=budget.by_role(), on_usage=told.append)
    later.add(ModelUsage("writer", "m", 1, 5))
    assert (later.total.calls, later.exceeded(), [one.role for one in told]) == (3, None, ["writer"])


async def test_what_was_paid_for_and_could_not_be_used_counts():
    budget = ModelBudget()
    with ScriptedOpenAI([answer("no json"), truncated_stream("half an answer")]) as server:
        async with chatting(server, budget=budget) as chat:
            with pytest.raises(MalformedLlmOutput):
                await chat.complete(call())
        async with chatting(server, budget=budget, stream=True) as chat:
            with pytest.raises(TestwrightError):
                await chat.complete(call())
    assert budget.total.calls == 2
    assert budget.total.tokens > 150


async def test_an_endpoint_that_does_not_count_is_estimated():
    with ScriptedOpenAI([answer("x" * 40, usage=None)]) as server:
        async with chatting(server) as chat:
            told = await chat.complete(call("y" * 391, schema=None))
    assert (told.tokens_in, told.tokens_out) == (134, 14)
    assert told.cost > 0


@pytest.mark.feature("T-15")
async def test_an_agent_is_asked_again_after_what_may_pass_and_pays_for_no_answer_twice():
    audit = []
    script = [answer(GOOD), error(429, headers={"retry-after": "7"}), answer(GOOD)]
    with ScriptedOpenAI(script) as server:
        async with chatting(server, kept=KeptInMemory(), audit=audit) as chat, Planner(chat, ("a", "b")) as planner:
            options, waits = request_options()
            response = await send_request(planner, request(), role="planner", options=options)
    assert response.is_success()
    assert waits == [7.0]
    assert [(one.outcome, one.reason) for one in audit] == [
        ("ok", "first"),
        ("failed", "first"),
        ("reused", "first"),
        ("ok", audit[1].errors[0]["message"]),
    ]
    assert (response.metadata["tokens"], response.metadata["model"]) == (300, "scripted")


@pytest.mark.feature("T-15")
async def test_the_audit_log_has_prompt_response_errors_reason_tokens_and_cost_of_each_call():
    audit = []
    with ScriptedOpenAI([answer("no json"), answer(GOOD)]) as server:
        async with chatting(server, audit=audit) as chat, Planner(chat) as planner:
            options, _ = request_options()
            await send_request(planner, request(), role="planner", options=options)
    first, second = audit
    assert (first.role, first.step_id, first.response, first.outcome) == (
        "planner model",
        "step_001",
        "no json",
        "malformed",
    )
    assert first.errors[0]["error"] == "MalformedLlmOutput"
    assert second.reason == first.errors[0]["message"]
    assert (second.tokens, second.model, second.prompt_hash) == (150, "scripted", first.prompt_hash)
    assert second.cost == pytest.approx(0.0006)
    assert second.duration_ms > 0


@pytest.mark.feature("T-15")
async def test_requests_that_were_refused_for_a_parameter_and_sent_again_are_in_the_audit_log():
    audit = []
    script = [
        error(400, "unknown parameter: 'seed'"),
        error(400, "response_format json_schema is not supported"),
        answer(GOOD),
    ]
    with ScriptedOpenAI(script) as server:
        async with chatting(server, audit=audit) as chat:
            await chat.complete(call())
    assert [(one.outcome, one.details["mode"]) for one in audit] == [
        ("failed", "json_schema"),
        ("failed", "json_schema"),
        ("ok", "json_mode"),
    ]
    assert [one.details.get("without") for one in audit[:2]] == [[], ["seed"]]
    assert [one.reason for one in audit] == ["first", *(one.errors[0]["message"] for one in audit[:2])]
    assert "'seed'" in audit[0].errors[0]["message"]
    assert len({one.prompt_hash for one in audit}) == 1
    assert all(one.duration_ms > 0 for one in audit)
    assert [one.tokens for one in audit] == [0, 0, 150]


@pytest.mark.feature("T-15")
@pytest.mark.parametrize("reply", [error(503), reset(), truncated_stream("half"), error(429)])
async def test_a_failed_call_is_in_the_audit_log_with_its_error_and_duration(reply):
    audit = []
    with ScriptedOpenAI([reply]) as server:
        async with chatting(server, audit=audit, stream=True) as chat:
            with pytest.raises(TestwrightError) as caught:
                await chat.complete(call())
    [one] = audit
    assert (one.outcome, one.errors[0]["error"]) == ("failed", type(caught.value).__name__)
    assert one.duration_ms > 0


@pytest.mark.feature("T-15")
async def test_a_call_that_nobody_waits_for_any_more_is_in_the_audit_log():
    audit = []
    with ScriptedOpenAI([hang()]) as server, server.asked(1) as waiting:
        async with chatting(server, audit=audit, timeout=600) as chat:
            asked = asyncio.create_task(chat.complete(call()))
            assert await asyncio.to_thread(waiting.wait, 100)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
    assert [(one.outcome, one.errors, one.duration_ms > 0) for one in audit] == [("cancelled", (), True)]


@pytest.mark.feature("T-15")
async def test_a_secret_that_an_endpoint_repeats_is_not_in_the_stored_audit_log(tmp_path):
    secret = "sk-secret-of-somebody-0123456789abcdef"
    log = AuditLog(tmp_path / "audit.jsonl", Redactor.from_environment({"SOME_API_KEY": secret}).value)
    with ScriptedOpenAI([error(400, f"no such thing: {secret}"), answer(f"my key is {secret}")]) as server:
        async with chatting(server, audit=log.record) as chat:
            with pytest.raises(TestwrightError):
                await chat.complete(call(schema=None))
            await chat.complete(call(schema=None))
    log.close()
    text = (tmp_path / "audit.jsonl").read_text()
    assert secret not in text
    assert [attempt.outcome for attempt in read_attempts(tmp_path / "audit.jsonl")] == ["failed", "ok"]


@pytest.mark.feature("B-08")
async def test_an_agent_that_meets_a_ceiling_says_so_and_is_not_asked_again():
    budget = ModelBudget(Ceilings(tokens=1))
    budget.add(ModelUsage("planner", "scripted", 1, 1))
    with ScriptedOpenAI([]) as server:
        async with chatting(server, budget=budget) as chat, Planner(chat) as planner:
            options, waits = request_options()
            response = await send_request(planner, request(), role="planner", options=options)
    assert response.error is not None
    assert (response.error.details or {})["error"] == "BudgetExhausted"
    assert (response.error.recoverable, waits) == (False, [])


@pytest.mark.feature("T-15")
@pytest.mark.parametrize(
    ("reply", "kind", "asked"),
    [(error(503), ErrorType.NETWORK, 3), (error(429), ErrorType.RESOURCE, 3), (error(401), ErrorType.PERMISSION, 1)],
)
async def test_an_agent_is_asked_three_times_at_most_and_once_where_asking_does_not_help(reply, kind, asked):
    with ScriptedOpenAI([reply] * asked) as server:
        async with chatting(server) as chat, Planner(chat) as planner:
            options, _ = request_options()
            response = await send_request(planner, request(), role="planner", options=options)
    assert response.error is not None
    assert response.error.type is kind
    assert response.metadata["attempts"] == asked


async def test_a_deadline_of_the_call_alone_is_a_timeout_and_no_end_of_the_budget():
    with ScriptedOpenAI([hang()], all_asked=False) as server:
        async with chatting(server, timeout=0.2, budget=ModelBudget(Ceilings(seconds=100), lambda: 1.0)) as chat:
            with pytest.raises(ModelTimeout):
                await chat.complete(call())


async def test_nothing_is_traced_to_anybody_also_where_the_environment_asks_for_it(monkeypatch):
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "k" * 20)
    with ScriptedOpenAI([answer(GOOD)]) as server, ScriptedOpenAI([]) as tracer:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", tracer.base_url)
        async with chatting(server) as chat:
            await chat.complete(call())


@pytest.mark.feature("B-15")
@pytest.mark.parametrize("key", ["test", "none", "sk-1", "password", ""])
async def test_a_key_that_is_a_common_word_is_not_cut_out_of_answers(key):
    """A key of a server at home: every "test" of an answer would be lost."""
    said = {"steps": ["test none of it", "sk-1 password"]}
    with ScriptedOpenAI([answer(said)]) as server:
        async with chatting(server, key=key) as chat:
            assert (await chat.complete(call())).parsed == said


@pytest.mark.feature("B-15")
@pytest.mark.parametrize("role", ["spec", "planner"])
async def test_json_among_other_text_is_read_but_for_a_planners_answer(role):
    text = 'Here you go:\n```json\n{"steps": ["a"]}\n```\nLet me know!'
    with ScriptedOpenAI([answer(text)]) as server:
        async with chatting(server) as chat:
            if role == "planner":
                with pytest.raises(MalformedLlmOutput):
                    await chat.complete(call())
            else:
                assert (await chat.complete(call(role=role))).parsed == {"steps": ["a"]}
