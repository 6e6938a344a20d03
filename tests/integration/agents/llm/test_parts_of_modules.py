"""A long module is read in parts: what may pass costs none of them, and what holds for all is met once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.lifecycle import AgentRetryPolicy, RequestOptions, send_request
from testwright.agents.contract.protocol import AgentRequest, AgentResponse, JsonObject, RequestMetadata
from testwright.agents.llm.spec_agent import ModelSpecAgent
from testwright.core import errors
from testwright.tests.support.agents.fake_chat import Engine, FakeChat, asked
from testwright.tests.support.mcp.tool_session import unit_spec
from testwright.tests.support.runs.model_runs import cases, till

pytestmark = pytest.mark.feature("B-15")

PATH, MODULE = "src/till/long.py", "till.long"
NAMES = ("first", "second", "third")
REMARK = "    # What the {} is paid is rounded, and rounded again where the price list says so.\n"
SOURCE = "".join(f"def paid_{one}(total):\n{REMARK.format(one) * 180}    return total\n\n\n" for one in NAMES)
READ: JsonObject = {"decisions": [], "properties": [], **cases()}
DOWN, LIMITED = errors.ModelServerFault("m: 500"), errors.ModelRateLimited("m: 429", retry_after=2.0)


async def answered(folder: Path, *answers: Any, attempts: int = 3) -> tuple[AgentResponse, list[str], list[float]]:
    """The response, the function that each call was about, and the waits between the attempts."""
    root = till(folder, {"src/till/__init__.py": "", PATH: SOURCE})
    target = {"path": PATH, "module": MODULE, "import_root": "src", "digest": "0" * 64}
    chat, waits = FakeChat(*answers), list[float]()
    inputs = {"target": {**target, "symbols": None}, "framework": "pytest", "user_request": "test it"}
    request = AgentRequest("test it", "work", RequestMetadata("run-1"), inputs)

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    options = RequestOptions(AgentRetryPolicy(attempts=attempts), sleep=wait, chance=lambda: 0.0)
    async with ModelSpecAgent(chat, Engine(unit_spec(target=target, cases=[])), root) as agent:
        response = await send_request(agent, request, role="spec", options=options)
    about = [one for call in chat.calls for one in NAMES if f"What the {one} is paid" in call.user]
    assert chat.answers == []
    return response, about, waits


def notes(response: AgentResponse) -> list[str]:
    return [note for note in response.metadata.get("notes") or () if "was not read" in note]


async def test_what_may_pass_costs_no_part_while_the_request_is_repeated(tmp_path: Path) -> None:
    response, about, waits = await answered(tmp_path, READ, DOWN, READ, READ, READ, READ)
    assert response.is_success(), response.error
    assert notes(response) == []
    assert about == ["first", "second", "third"] * 2  # the run's chat has the answers that it received
    assert len(waits) == 1


async def test_an_answer_that_could_not_be_used_is_not_asked_for_again_when_another_part_is(tmp_path: Path) -> None:
    broken = errors.SchemaValidationError("no cases")
    response, about, waits = await answered(tmp_path, broken, DOWN, READ, READ, READ)
    assert response.is_success(), response.error
    assert about == ["first", "second", "third", "second", "third"]
    assert (len(notes(response)), len(waits)) == (1, 1)


async def test_an_endpoint_that_limits_the_rate_is_given_the_time_that_it_asks_for(tmp_path: Path) -> None:
    response, about, waits = await answered(tmp_path, READ, LIMITED, READ, READ, READ)
    assert (response.is_success(), notes(response), waits) == (True, [], [2.0])
    assert about == ["first", "second", "first", "second", "third"]


@pytest.mark.parametrize(
    ("failure", "attempts"),
    [(DOWN, 1), (errors.ModelRateLimited("m: 429", retry_after=3600.0), 3)],
    ids=["at the last attempt", "beyond any wait"],
)
async def test_what_does_not_pass_costs_the_part_alone(
    tmp_path: Path, failure: errors.ModelFailure, attempts: int
) -> None:
    others = [READ, failure, *([READ] if failure is DOWN else [])]
    response, _, waits = await answered(tmp_path, *others, attempts=attempts)
    assert (response.is_success(), waits) == (True, [])
    assert set(notes(response)) == {f"a part of the module was not read: {failure.message}"}


@pytest.mark.parametrize(
    "failure",
    [errors.ModelQuotaExhausted("m: no quota"), errors.ModelAccessDenied("m: 401"), errors.ModelUnknown("m: 404")],
    ids=["no quota", "a wrong key", "no such model"],
)
async def test_what_holds_for_every_part_is_met_once(tmp_path: Path, failure: errors.ModelFailure) -> None:
    response, about, _ = await answered(tmp_path, READ, failure)
    assert response.is_success()
    assert about == ["first", "second"]
    assert notes(response) == [f"a part of the module was not read: {failure.message}"] * 2


async def test_without_a_gap_to_ask_about_the_spec_stays_and_nobody_is_asked(tmp_path: Path) -> None:
    root = till(tmp_path, {"src/till/__init__.py": "", PATH: SOURCE})
    target = {"path": PATH, "module": MODULE, "import_root": "src", "digest": "0" * 64}
    spec, chat = unit_spec(target=target, cases=[]), FakeChat()
    inputs = {"target": {**target, "symbols": None}, "previous_spec": spec, "gaps": {"rows": []}}
    response = await asked(ModelSpecAgent(chat, Engine(spec), root), inputs)
    assert response.result == {"spec": spec}
    assert chat.calls == []
