"""A sequence of requests is sent once to one process: what it answers on a fresh state is known then."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppConditions, AppObserver
from testwright.engine.api.model.model import Api, HttpAnswer, Operation
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.execute import differs_from
from testwright.engine.api.probe.explore import _unreached
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.sandbox.protocol import Session
from testwright.sandbox.target import Workspace

pytestmark = pytest.mark.feature("T-20")

READING = {"method": "GET", "path": "/notes"}


class Counting:
    """The process that sends requests: each answer holds the number of the order."""

    def __init__(self) -> None:
        self.orders: list[dict[str, Any]] = []

    async def send(self, line: bytes) -> None:
        self.orders.append(json.loads(line))

    async def receive(self, _: float) -> bytes:
        requests = self.orders[-1].get("requests") or []
        answer = {"status": 200, "headers": {}, "text": str(len(self.orders))}
        return json.dumps({"answers": [answer for _ in requests]}).encode()


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def observer(counting: Counting, tmp_path: Path) -> AppObserver:
    workspace = cast(Workspace, SimpleNamespace(project=tmp_path / "project", scratch=tmp_path / "scratch"))
    return AppObserver(cast(Session, counting), workspace, AppConditions())


async def test_a_sequence_is_answered_from_memory_where_it_was_sent_before(
    counting: Counting, observer: AppObserver
) -> None:
    finder = BaselineFinder(observer, cast(ResourceModel, None), {})
    assert [(await finder.send([READING]))[-1].text for _ in range(3)] == ["1", "1", "1"]
    assert [(await finder.send([READING, READING]))[-1].text for _ in range(2)] == ["2", "2"]
    assert observer.sent == 3
    assert len(counting.orders) == 2


async def test_a_sequence_is_sent_again_on_a_state_of_before_and_where_that_is_asked(observer: AppObserver) -> None:
    await observer.answers([READING])
    assert [answer.text for answer in await observer.answers([READING])] == ["2"]
    assert [answer.text for answer in await observer.answers([READING], reset=False, again=False)] == ["3"]


async def test_what_a_limit_on_time_leaves_out_is_known(observer: AppObserver) -> None:
    api = Api("Notes", (Operation("", "read_notes", "GET", "/notes"),), {}, {})
    world = ResourceModel(api, SampleValues({}))
    late = BaselineFinder(observer, world, {}, until=0.0)
    await late.find()
    assert dict(_unreached(api, world, late, ())) == {"GET /notes": "the limit on time came before a request was tried"}


async def test_who_has_signed_in_since_may_be_answered_otherwise(observer: AppObserver) -> None:
    await observer.answers([READING])
    await observer.sign_in({}, {}, keeps=False)
    assert [answer.text for answer in await observer.answers([READING], again=False)] == ["3"]


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        ({"id": "c3", "title": "tea", "tags": []}, False),
        ({"id": "c3", "title": "milk", "tags": []}, True),
        ({"id": "c3", "title": "tea", "tags": ["new"]}, True),
        ({"id": "c3", "title": "tea"}, True),
    ],
)
def test_a_new_id_is_no_change_and_another_value_is(changed: dict[str, Any], differs: bool) -> None:
    usual, again = ({"id": name, "title": "tea", "tags": []} for name in ("a1", "b2"))
    answers = [HttpAnswer(200, {}, json.dumps(one)) for one in (changed, usual, again)]
    assert differs_from(*answers) is differs
    assert differs_from(HttpAnswer(404, {}, answers[1].text), *answers[1:])


@pytest.mark.parametrize(("seconds", "differs"), [(2, False), (-2, False), (900, True)])
@pytest.mark.parametrize("zone", ["", "Z", "+02:00"])
def test_a_moment_of_the_next_second_is_no_change_and_a_later_one_is(seconds: int, differs: bool, zone: str) -> None:
    now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    usual, changed = (f"{one.isoformat()}{zone}" for one in (now, now + timedelta(seconds=seconds)))
    assert differs_from(*(HttpAnswer(200, {}, json.dumps({"made": one})) for one in (changed, usual, usual))) is differs


@pytest.mark.parametrize("changed", ["2025-06-11T10:01:00", "2025-06-31T10:00:00", "soon"])
def test_a_moment_that_somebody_has_written_is_changed_by_a_minute(changed: str) -> None:
    usual = "2025-06-11T10:00:00"
    assert differs_from(*(HttpAnswer(200, {}, json.dumps({"end": one})) for one in (changed, usual, usual)))
