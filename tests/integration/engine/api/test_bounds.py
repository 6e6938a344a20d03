"""What is tried of a large API, and what is said of the rest."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.engine.api.model.model import ApiDescription, Operation, Proposal
from testwright.engine.api.probe.budget import ApiBudget, select_pairs_within, select_within
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("T-20")


def operations(count: int) -> list[Operation]:
    return [Operation("", f"read_{number}", "GET", f"/things{number}") for number in range(count)]


def proposals(operation: Operation, count: int) -> list[Proposal]:
    request = {"method": "GET", "path": operation.path}
    return [
        Proposal(operation, f"p{number}", "", "validation", request, priority="low" if number else "critical")
        for number in range(count)
    ]


def test_every_operation_has_its_turn_before_one_has_many() -> None:
    found = [proposal for operation in operations(60) for proposal in proposals(operation, 20)]
    chosen = select_within(found, ApiBudget(operation=60, proposals=900))
    counts = {operation.name: 0 for operation in operations(60)}
    for proposal in chosen.proposals:
        counts[proposal.operation.name] += 1
    assert set(counts.values()) == {15}
    assert len(chosen.cut) == 60
    assert chosen.cut[59] == (
        "GET /things59",
        "5 more requests were not tried: at most 900 are tried for the whole API",
    )


def test_the_most_telling_requests_of_an_operation_come_first_and_keep_their_order() -> None:
    operation = operations(1)[0]
    chosen = select_within([*proposals(operation, 3)[1:], *proposals(operation, 1)], ApiBudget(operation=2))
    assert [proposal.name for proposal in chosen.proposals] == ["p1", "p0"]
    assert chosen.cut == (("GET /things0", "1 more request was not tried: at most 2 are tried for one operation"),)


def test_pairs_that_are_not_tried_are_said() -> None:
    some = operations(20)
    pairs = [(change, reading, (change.name, reading.name)) for change in some for reading in some]
    tried, cut = select_pairs_within(pairs, 150)
    assert len(tried) == 150
    assert all((one.name, one.name) in tried for one in some)
    assert sum(int(reason.split("after ")[1].split()[0]) for _, reason in cut) == 400 - 150
    assert "at most 150 pairs of a change and a reading" in cut[0][1]


APP = '''"""Five hundred operations over HTTP."""


def app(environ, start_response):
    known = environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"].startswith("/things")
    start_response("200 -" if known else "405 -", [("Content-Type", "application/json")])
    return [b'{"path": "' + environ["PATH_INFO"].encode() + b'"}']
'''


class _Documents:
    paths = ()

    async def load(self, endpoint: str) -> ApiDescription:
        paths: dict[str, Any] = {f"/things{n}": {"get": {"responses": {"200": {}}}} for n in range(500)}
        return ApiDescription({"openapi": "3.1.0", "info": {"title": "Things"}, "paths": paths}, location=endpoint)

    def read(self, location: str, content: bytes) -> ApiDescription | None:
        return None


def test_five_hundred_operations_are_tested_in_part_and_the_rest_is_named(tmp_path: Path) -> None:
    async def specify() -> Any:
        async with prepared(tmp_path, {"src/things.py": APP}) as target:

            async def ready() -> PythonTarget:
                return target

            agent = ApiSpecGenerator(
                ready, tmp_path / "project-of-a-user", _Documents(), budget=ApiBudget(proposals=90)
            )
            told = {"application": {"import": "things:app"}, "endpoint": "openapi.json"}
            return await agent.generate({"target": told, "framework": "pytest"})

    specified = asyncio.run(specify())
    spec = specified.spec
    assert specified.metadata["operations"] == {"tested": 60, "all": 500}
    assert len({case["operation"]["path"] for case in spec["cases"] if case["operation"]["method"] == "GET"}) == 60
    reasons = {one["subject"]: one["reason"] for one in spec["not_reached"]}
    left_out = [reason for reason in reasons.values() if "500 operations; the 60 most important" in reason]
    assert len(left_out) == 440
    cut = [reason for reason in reasons.values() if "1 more request was not tried: at most 90" in reason]
    assert len(cut) == 30
    assert len(spec["operations"]) == 500


def test_a_time_limit_leaves_what_can_be_sent_within_it() -> None:
    budget = ApiBudget().within(40, 0.1)
    assert (budget.proposals, budget.pairs) == (100, 20)
    assert ApiBudget().within(-5, 0.1).proposals == 20
    assert ApiBudget().within(3600, 0.01) == ApiBudget()
