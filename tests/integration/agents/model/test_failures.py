"""Every way a model's endpoint fails has a typed error that says whether asking again helps (T-15)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from testwright.agents.model.failures import retry_after
from testwright.agents.model.received import LONGEST_ANSWER
from testwright.core.errors import (
    MalformedLlmOutput,
    ModelAccessDenied,
    ModelAnswerBroken,
    ModelAnswerCut,
    ModelAnswerEmpty,
    ModelAnswerRefused,
    ModelAnswerTooLarge,
    ModelContextOverflow,
    ModelFailure,
    ModelQuotaExhausted,
    ModelRateLimited,
    ModelRequestRefused,
    ModelServerFault,
    ModelTimeout,
    ModelToolUnknown,
    ModelUnknown,
    ModelUnreachable,
    SchemaValidationError,
)
from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.model_chats import call, chatting
from testwright.tests.support.agents.scripted_openai import (
    ScriptedOpenAI,
    answer,
    delta,
    drip,
    error,
    events,
    hang,
    raw,
    reset,
    reset_midway,
    truncated_stream,
)

GOOD = {"steps": ["one"]}
BOTH_WAYS = [
    ("rate limit", error(429), ModelRateLimited, True),
    ("quota", error(429, code="insufficient_quota"), ModelQuotaExhausted, False),
    ("internal error", error(500), ModelServerFault, True),
    ("overloaded", error(503), ModelServerFault, True),
    ("gateway page", raw("<html>Bad gateway</html>", status=502, content_type="text/html"), ModelServerFault, True),
    ("conflict", error(409), ModelServerFault, True),
    ("told not to retry", error(503, headers={"x-should-retry": "false"}), ModelServerFault, False),
    ("request timeout", error(408), ModelTimeout, True),
    ("no key", error(401), ModelAccessDenied, False),
    ("forbidden", error(403), ModelAccessDenied, False),
    ("no such model", error(404, code="model_not_found"), ModelUnknown, False),
    ("bad request", error(400, "no"), ModelRequestRefused, False),
    ("unprocessable", error(422, "no"), ModelRequestRefused, False),
    ("too long a prompt", error(400, code="context_length_exceeded"), ModelContextOverflow, False),
    ("filtered prompt", error(400, code="content_filter"), ModelAnswerRefused, False),
    ("connection reset", reset(), ModelUnreachable, True),
    ("reset in the middle", reset_midway(), ModelUnreachable, True),
    ("refused", answer(None, refusal="I will not"), ModelAnswerRefused, False),
    ("filtered answer", answer("{", finish="content_filter"), ModelAnswerRefused, False),
    ("cut off", answer('{"steps": ["o', finish="length"), ModelAnswerCut, False),
    ("empty", answer(""), ModelAnswerEmpty, True),
    ("white space", answer(" \n "), ModelAnswerEmpty, True),
    ("unknown tool", answer(None, tool_calls=[{"name": "rm"}], finish="tool_calls"), ModelToolUnknown, True),
    ("too long", answer("x" * 2_000_000), ModelAnswerTooLarge, False),
    ("far too long", answer("x" * (5 * LONGEST_ANSWER)), ModelAnswerTooLarge, False),
]
WHOLE_ONLY = [
    ("unreadable tool", answer("", tool_calls=[{"name": "x", "arguments": [1]}]), ModelAnswerBroken, True),
    ("no body", raw(""), ModelAnswerBroken, True),
    ("half a body", raw('{"choices"'), ModelAnswerBroken, True),
    ("a page", raw("<html>hello</html>", content_type="text/html"), ModelAnswerBroken, True),
    ("no choices", raw('{"choices": []}'), ModelAnswerBroken, True),
    ("null choices", raw('{"choices": null}'), ModelAnswerBroken, True),
    ("null message", raw('{"choices": [{"message": null}]}'), ModelAnswerBroken, True),
    ("a list", raw("[1]"), ModelAnswerBroken, True),
    ("error object", raw('{"error": {"message": "boom"}}'), ModelServerFault, True),
    ("quota object", raw('{"error": {"message": "x", "code": "insufficient_quota"}}'), ModelQuotaExhausted, False),
]
STREAMS_ONLY = [
    ("torn off", truncated_stream('{"steps": ['), ModelAnswerBroken, True),
    ("bad event", events(delta("x"), "{bad"), ModelAnswerBroken, True),
    ("error in it", events(delta("x"), {"error": {"message": "boom"}}), ModelServerFault, True),
    ("no event", raw("", content_type="text/event-stream"), ModelAnswerBroken, True),
    ("no stream", raw('{"choices": []}'), ModelAnswerBroken, True),
]
SHAPES = [(False, *shape) for shape in BOTH_WAYS + WHOLE_ONLY] + [(True, *shape) for shape in BOTH_WAYS + STREAMS_ONLY]


@pytest.mark.feature("T-15")
@pytest.mark.parametrize(
    ("stream", "shape", "reply", "kind", "again"),
    SHAPES,
    ids=[f"{'streamed' if one[0] else 'whole'}: {one[1]}" for one in SHAPES],
)
async def test_each_failure_is_typed_and_says_whether_asking_again_helps(stream, shape, reply, kind, again):
    with ScriptedOpenAI([reply]) as server:
        async with chatting(server, stream=stream) as chat:
            with pytest.raises(ModelFailure) as caught:
                await chat.complete(call(schema=None))
    assert type(caught.value) is kind
    assert caught.value.recoverable is again


@pytest.mark.feature("T-15")
@pytest.mark.parametrize(
    ("stream", "reply"), [(False, hang()), (True, hang()), (True, drip())], ids=["whole", "streamed", "dripping"]
)
async def test_an_answer_that_does_not_come_meets_the_deadline_also_when_something_keeps_dripping(stream, reply):
    with ScriptedOpenAI([reply], all_asked=False) as server:
        async with chatting(server, stream=stream, timeout=0.3) as chat:
            with pytest.raises(ModelTimeout) as caught:
                await chat.complete(call())
    assert caught.value.recoverable


@pytest.mark.feature("T-15")
async def test_an_endpoint_that_is_not_there_is_unreachable():
    with ScriptedOpenAI([]) as server:
        pass
    async with chatting(server) as chat:
        with pytest.raises(ModelUnreachable):
            await chat.complete(call())


@pytest.mark.feature("T-15")
async def test_the_wait_that_an_endpoint_asks_for_is_passed_on():
    with ScriptedOpenAI([error(429, headers={"retry-after": "7"})]) as server:
        async with chatting(server) as chat:
            with pytest.raises(ModelRateLimited) as caught:
                await chat.complete(call())
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 01 Jan 2025 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Tue, 31 Dec 2024 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
    ],
)
def test_waits_are_read_in_every_form(headers, seconds):
    assert retry_after(headers, datetime(2025, 1, 1, tzinfo=UTC)) == seconds


@pytest.mark.feature("A-02", "A-03")
@pytest.mark.parametrize(
    "text", ['```json\n{"steps": ["one"]}\n```', '```\n{"steps": ["one"]}```', ' {"steps": ["one"]}\n']
)
async def test_fenced_json_is_read(text):
    with ScriptedOpenAI([answer(text)]) as server:
        async with chatting(server) as chat:
            assert (await chat.complete(call())).parsed == GOOD


@pytest.mark.feature("A-03")
@pytest.mark.parametrize(
    "text", [f"Here you are: {json.dumps(GOOD)}", f"{json.dumps(GOOD)} Hope it helps.", '{"steps": NaN}', "{"]
)
async def test_json_with_prose_around_it_is_malformed_and_may_be_asked_again(text):
    with ScriptedOpenAI([answer(text), answer(GOOD)]) as server:
        async with chatting(server) as chat:
            with pytest.raises(MalformedLlmOutput) as caught:
                await chat.complete(call())
            assert (await chat.complete(call())).parsed == GOOD
    assert caught.value.details["excerpt"] == text


@pytest.mark.feature("A-03", "T-06")
async def test_json_against_the_schema_lists_every_violation_and_is_not_asked_again():
    with ScriptedOpenAI([answer({"steps": ["one", 2, "x" * 30], "extra": 1})]) as server:
        async with chatting(server) as chat:
            with pytest.raises(SchemaValidationError) as caught:
                await chat.complete(call())
    errors: Any = caught.value.details["errors"]
    assert [one["path"] for one in errors] == ["$.extra", "$.steps[1]", "$.steps[2]"]


@pytest.mark.feature("B-07")
@pytest.mark.parametrize("status", [401, 404])
async def test_what_the_user_has_to_mend_is_a_fault_of_the_environment(status):
    with ScriptedOpenAI([error(status)]) as server:
        async with chatting(server) as chat:
            with pytest.raises(ModelFailure) as caught:
                await chat.complete(call())
    assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert caught.value.advice


async def test_a_key_that_an_endpoint_sends_back_is_not_repeated():
    secret = "k-secret-of-the-test"
    with ScriptedOpenAI([error(400, f"your key {secret} is odd"), answer(f"you said {secret}")]) as server:
        async with chatting(server, key=secret) as chat:
            with pytest.raises(ModelRequestRefused) as caught:
                await chat.complete(call())
            told = await chat.complete(call(schema=None))
    assert secret not in repr((caught.value.message, caught.value.details, told))


async def test_half_a_character_in_an_answer_does_no_harm_to_what_is_stored_and_sent_on():
    """JSON can carry it, no file and no request can hold it."""
    half = {"role": "assistant", "content": "half \ud800 a character"}
    body = {"choices": [{"index": 0, "message": half, "finish_reason": "stop"}]}
    with ScriptedOpenAI([raw(json.dumps(body)), error(400, "no \udfff")]) as server:
        async with chatting(server) as chat:
            assert (await chat.complete(call(schema=None))).text == "half \ufffd a character"
            with pytest.raises(ModelRequestRefused) as caught:
                await chat.complete(call("again", schema=None))
    assert "no \ufffd" in caught.value.message


async def test_a_stream_may_be_as_long_as_the_answer_may_be():
    """A token's event may take many times its own bytes."""
    parts = [{**delta("ab"), "obfuscation": "x" * 2_800} for _ in range(1_500)]
    with ScriptedOpenAI([events(*parts, delta("", finish="stop"), "[DONE]")]) as server:
        async with chatting(server, stream=True, timeout=60.0) as chat:
            told = await chat.complete(call(schema=None))
    assert len(told.text) == 3_000
