"""JSON from any endpoint: by schema, by JSON mode, or in words; found out once and remembered (T-13)."""

import asyncio
import json

import pytest

from testwright.agents.model.endpoint import NEW_LIMIT, OLD_LIMIT
from testwright.agents.model.structured import is_strict
from testwright.core.errors import (
    MalformedLlmOutput,
    ModelRequestRefused,
    ModelServerFault,
    ModelTimeout,
    SchemaValidationError,
)
from testwright.tests.support.agents.model_chats import STEPS, call, chatting
from testwright.tests.support.agents.scripted_openai import Reply, ScriptedOpenAI, Usage, answer, error, hang

GOOD = {"steps": ["one"]}
LIMITS = (NEW_LIMIT, OLD_LIMIT)
REFUSED = "response_format of type json_schema is not supported by this model"


def modes(server):
    return [request.body.get("response_format", {}).get("type", "text") for request in server.requests]


@pytest.mark.feature("T-13")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_endpoint_that_enforces_schemas_gets_the_schema_and_the_prompts_as_they_are(stream):
    with ScriptedOpenAI([answer(GOOD)]) as server:
        async with chatting(server, stream=stream) as chat:
            assert (await chat.complete(call())).parsed == GOOD
        body = server.requests[0].body
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": STEPS, "strict": True},
    }
    assert body["messages"] == [
        {"role": "system", "content": "You plan."},
        {"role": "user", "content": "plan it"},
    ]


@pytest.mark.feature("T-13")
async def test_what_an_endpoint_does_not_take_is_found_out_once_and_remembered_by_the_next_process(tmp_path):
    memory = tmp_path / "cache" / "endpoints.json"
    with ScriptedOpenAI([error(400, REFUSED), answer(GOOD), answer(GOOD), answer(GOOD)]) as server:
        async with chatting(server, abilities=memory) as chat:
            await chat.complete(call("first"))
            await chat.complete(call("second"))
        async with chatting(server, abilities=memory) as chat:
            await chat.complete(call("third"))
        assert modes(server) == ["json_schema", "json_object", "json_object", "json_object"]
        assert json.dumps(STEPS, sort_keys=True, separators=(",", ":")) in server.requests[-1].text
    assert server.base_url not in memory.read_text()


@pytest.mark.feature("T-13")
async def test_an_endpoint_with_neither_is_asked_in_words():
    refusals = [error(422, "response_format: extra fields not permitted")] * 2
    with ScriptedOpenAI([*refusals, answer(f"```json\n{json.dumps(GOOD)}\n```")]) as server:
        async with chatting(server) as chat:
            assert (await chat.complete(call())).parsed == GOOD
        assert modes(server) == ["json_schema", "json_object", "text"]


@pytest.mark.feature("T-13")
@pytest.mark.parametrize("status", [400, 500])
async def test_a_refusal_that_names_the_form_is_remembered_though_no_answer_was_usable_yet(status, tmp_path):
    memory = tmp_path / "endpoints.json"
    with ScriptedOpenAI([error(status, REFUSED), answer({"plan": []}), answer({"plan": []})]) as server:
        for attempt in (1, 2):
            async with chatting(server, abilities=memory) as chat:
                with pytest.raises(SchemaValidationError):
                    await chat.complete(call(attempt=attempt))
        assert modes(server) == ["json_schema", "json_object", "json_object"]


@pytest.mark.feature("T-13")
async def test_an_endpoint_that_no_longer_takes_what_it_took_is_asked_in_another_way():
    with ScriptedOpenAI([answer(GOOD), error(400, REFUSED), answer(GOOD), answer(GOOD)]) as server:
        async with chatting(server) as chat:
            for user in ("first", "second", "third"):
                await chat.complete(call(user))
        assert modes(server) == ["json_schema", "json_schema", "json_object", "json_object"]


@pytest.mark.feature("A-07", "T-13")
async def test_what_a_model_is_called_is_no_reason_to_do_without_a_parameter():
    with ScriptedOpenAI([error(400, "bad request")]) as server:
        async with chatting(server, model="seed-oss-36b-structured") as chat:
            with pytest.raises(ModelRequestRefused):
                await chat.complete(call())


@pytest.mark.feature("T-13", "T-15")
async def test_one_500_is_a_fault_that_may_pass_a_second_one_is_taken_for_not_knowing_schemas():
    with ScriptedOpenAI([error(500), error(500), answer(GOOD)]) as server:
        async with chatting(server) as chat:
            with pytest.raises(ModelServerFault):
                await chat.complete(call())
            assert (await chat.complete(call())).parsed == GOOD
        assert modes(server) == ["json_schema", "json_schema", "json_object"]


async def test_a_500_of_an_endpoint_that_has_shown_what_it_can_changes_nothing():
    with ScriptedOpenAI([answer(GOOD), *[error(500)] * 3, answer(GOOD)]) as server:
        async with chatting(server) as chat:
            await chat.complete(call("first"))
            for _ in range(3):
                with pytest.raises(ModelServerFault):
                    await chat.complete(call("second"))
            await chat.complete(call("second"))
        assert set(modes(server)) == {"json_schema"}


@pytest.mark.feature("T-13")
@pytest.mark.parametrize(
    ("bad", "kind"), [("Sure! Here it is.", MalformedLlmOutput), ({"plan": []}, SchemaValidationError)]
)
async def test_an_endpoint_that_ignores_the_schema_is_told_it_from_then_on(bad, kind):
    with ScriptedOpenAI([answer(bad), answer(GOOD)]) as server:
        async with chatting(server) as chat:
            with pytest.raises(kind):
                await chat.complete(call())
            await chat.complete(call("again", attempt=2))
        assert modes(server) == ["json_schema", "json_object"]


@pytest.mark.feature("A-07")
async def test_every_request_is_as_determined_as_the_endpoint_allows():
    refusals = [
        error(400, "Unsupported value: 'temperature' does not support 0", param="temperature"),
        error(400, "Unknown parameter: 'seed'", param="seed"),
        error(400, "max_tokens is too large", param="max_tokens"),
    ]
    with ScriptedOpenAI([*refusals, answer("yes"), answer("yes")]) as server:
        async with chatting(server) as chat:
            await chat.complete(call(schema=None))
            await chat.complete(call("more", schema=None))
        first, last = server.requests[0].body, server.requests[-1].body
    assert (first["temperature"], first["top_p"], isinstance(first["seed"], int)) == (0.0, 1.0, True)
    assert first["max_completion_tokens"] == 16_000
    assert not {"temperature", "seed", "max_completion_tokens"} & set(last)
    assert last["top_p"] == 1.0


@pytest.mark.feature("T-13")
async def test_an_endpoint_that_refuses_the_new_name_of_the_limit_is_told_it_under_the_old_one():
    refused = [error(422, "max_completion_tokens: extra inputs are not permitted"), error(400, "no max_tokens please")]
    with ScriptedOpenAI([refused[0], answer("yes"), refused[1], answer("yes")]) as server:
        async with chatting(server, answer_tokens=99) as chat:
            await chat.complete(call(schema=None))
            await chat.complete(call("more", schema=None))
        limits = [[request.body.get(name) for name in LIMITS] for request in server.requests]
    assert limits == [[99, None], [None, 99], [None, 99], [None, None]]


@pytest.mark.feature("B-08", "T-13")
async def test_an_endpoint_that_pays_no_heed_to_the_limit_is_told_it_under_both_names_unless_it_refuses(tmp_path):
    memory = tmp_path / "endpoints.json"
    endless = answer("and so on", usage=Usage(10, 500))
    both = error(400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    with ScriptedOpenAI([endless, answer("yes"), both, endless, endless]) as server:
        for user in ("first", "second", "third", "fourth"):
            async with chatting(server, abilities=memory, answer_tokens=99) as chat:
                await chat.complete(call(user, schema=None))
        limits = [[request.body.get(name) for name in LIMITS] for request in server.requests]
    assert limits == [[99, None], [99, 99], [99, 99], [99, None], [99, None]]


@pytest.mark.feature("B-08", "T-15")
async def test_after_an_answer_that_never_came_the_limit_is_told_under_both_names(tmp_path):
    memory = tmp_path / "endpoints.json"
    with ScriptedOpenAI([hang().on("first"), answer("yes").on("second")], all_asked=False) as server:
        async with chatting(server, abilities=memory, timeout=0.5) as chat:
            with pytest.raises(ModelTimeout):
                await chat.complete(call("first", schema=None))
        async with chatting(server, abilities=memory) as chat:
            await chat.complete(call("second", schema=None))
        assert set(LIMITS) <= set(server.requests[-1].body)


@pytest.mark.feature("A-07")
async def test_two_calls_that_are_refused_the_same_parameter_at_once_are_both_sent_without_it():
    refused = error(400, "Unknown parameter: 'seed'", param="seed")
    with ScriptedOpenAI([]) as server, server.asked(2) as both_came:

        def once_both_came(handler, asked):
            both_came.wait(200)
            refused.act(handler, asked)

        server.extend(*[Reply(once_both_came)] * 2, answer("yes"), answer("yes"))
        async with chatting(server) as chat:
            await asyncio.gather(*(chat.complete(call(user, schema=None)) for user in ("one", "two")))
        assert ["seed" in request.body for request in server.requests] == [True, True, False, False]


async def test_the_streams_usage_is_asked_for_until_the_endpoint_refuses():
    with ScriptedOpenAI([error(400, "stream_options is not allowed"), answer("yes")]) as server:
        async with chatting(server, stream=True) as chat:
            told = await chat.complete(call(schema=None))
        assert "stream_options" in server.requests[0].body
        assert "stream_options" not in server.requests[1].body
    assert told.tokens_in > 0


async def test_a_memory_that_cannot_be_read_is_as_good_as_none(tmp_path):
    memory = tmp_path / "endpoints.json"
    memory.write_text('{"half": ')
    with ScriptedOpenAI([answer(GOOD)]) as server:
        async with chatting(server, abilities=memory) as chat:
            await chat.complete(call())
    assert json.loads(memory.read_text())


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (STEPS, True),
        ({"type": "object", "properties": {}}, False),
        ({**STEPS, "required": []}, False),
        ({**STEPS, "properties": {"steps": {"type": "array", "items": {"type": "object"}}}}, False),
        ({"type": "string"}, True),
        ({"oneOf": [{"type": "string"}]}, False),
    ],
)
def test_only_closed_schemas_are_sent_as_strict(schema, strict):
    assert is_strict(schema) is strict
