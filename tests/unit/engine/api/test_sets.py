"""Lists that an application keeps in sets are told in any order: another seed of hashes puts them in another one."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.engine.api.document.application import AppConditions, AppLaunch
from testwright.engine.api.model.model import Api, HttpAnswer, Json, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.effects import sets
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.sandbox.target import PythonTarget

pytestmark = pytest.mark.feature("T-20")
READ = Operation("", "read", "GET", "/buckets/1")


class Buckets:
    """Answers with writers in the order of a set, which agrees with the usual one for the first other seed."""

    def __init__(self, seed: int) -> None:
        self.constants: Json = {}
        self._writers = ["ada", "grace"] if seed < 3 else ["grace", "ada"]

    async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
        return tuple(_answer(self._writers) for _ in requests)


def _answer(writers: list[str]) -> HttpAnswer:
    return HttpAnswer(200, {}, json.dumps({"rows": [{"write": writers}], "tags": ["b", "a"], "one": ["ada"]}))


async def _marked(
    monkeypatch: pytest.MonkeyPatch, answer: HttpAnswer, *, failing: int = 0, seconds: float = math.inf
) -> tuple[frozenset[str], list[int]]:
    """What is marked in an answer, and the seeds of all starts; with the seed `failing` the application does not."""
    seeds: list[int] = []

    @asynccontextmanager
    async def opened(_: Any, __: Any, conditions: AppConditions) -> AsyncGenerator[Buckets]:
        seeds.append(conditions.hash_seed)
        if conditions.hash_seed == failing:
            raise EnvironmentFault("the application does not start")
        yield Buckets(conditions.hash_seed)

    async def nobody(*_: Any) -> None: ...

    monkeypatch.setattr(sets, "open_application", opened)
    monkeypatch.setattr(sets, "sign_in_again", nobody)
    request: Json = {"method": "GET", "path": "/buckets/1"}
    seen = ObservedProposal(Proposal(READ, "reads", "it reads", "success", request), (answer,))
    world = ResourceModel(Api("Buckets", (READ,), {}, {}), SampleValues({}))
    target = cast(PythonTarget, None)
    [found] = await sets.mark_sets(target, AppLaunch(), AppConditions(), world, [seen], {}, seconds)
    return found.unordered, seeds


async def test_a_list_that_one_of_several_seeds_puts_in_another_order_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    unordered, seeds = await _marked(monkeypatch, _answer(["ada", "grace"]))
    assert unordered == {"/rows/0/write"}
    assert seeds[:3] == [2, 3, 5]


async def test_a_start_that_fails_leaves_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = _answer(["ada", "grace"])
    assert await _marked(monkeypatch, answer, failing=3) == (frozenset(), [2, 3])
    assert await _marked(monkeypatch, answer, failing=5) == ({"/rows/0/write"}, [2, 3, 5])


async def test_nothing_is_started_when_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _marked(monkeypatch, _answer(["ada", "grace"]), seconds=0) == (frozenset(), [])


async def test_no_list_is_read_again_when_time_has_run_out_at_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0])
    monkeypatch.setattr(f"{sets.__name__}.monotonic", lambda: next(clock, 9.0))
    assert await _marked(monkeypatch, _answer(["ada", "grace"]), seconds=5) == (frozenset(), [2])


async def test_each_of_many_lists_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {f"bucket_{number}": {"write": ["ada", "grace"]} for number in range(40)}

    class Many(Buckets):
        async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
            [asked] = requests
            return (HttpAnswer(200, {}, json.dumps({"write": self._writers, "at": asked["path"]})),)

    @asynccontextmanager
    async def opened(_: Any, __: Any, conditions: AppConditions) -> AsyncGenerator[Buckets]:
        yield Many(conditions.hash_seed)

    async def nobody(*_: Any) -> None: ...

    monkeypatch.setattr(sets, "open_application", opened)
    monkeypatch.setattr(sets, "sign_in_again", nobody)
    seen: list[ObservedProposal] = []
    for name, row in rows.items():
        request: Json = {"method": "GET", "path": f"/{name}"}
        proposal = Proposal(Operation("", name, "GET", f"/{name}"), "reads", "it reads", "success", request)
        seen.append(ObservedProposal(proposal, (HttpAnswer(200, {}, json.dumps(row)),)))
    world = ResourceModel(Api("Buckets", (READ,), {}, {}), SampleValues({}))
    found = await sets.mark_sets(cast(PythonTarget, None), AppLaunch(), AppConditions(), world, seen, {})
    assert [one.unordered for one in found] == [frozenset({"/write"})] * 40


async def test_nothing_more_is_started_where_no_list_has_several_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await _marked(monkeypatch, HttpAnswer(200, {}, '{"rows": [1, 2], "one": ["ada"]}')) == (frozenset(), [])


def test_other_seeds_of_hashes_mean_nothing_to_a_program_of_another_language() -> None:
    assert sets.runs_elsewhere(AppLaunch(command=("/usr/bin/node", "server.js")))
    assert not sets.runs_elsewhere(AppLaunch(command=("python", "-m", "shop")))
    assert not sets.runs_elsewhere(AppLaunch("shop:app"))
