"""One computation serves all who ask the same."""

from __future__ import annotations

import asyncio

import pytest

from testwright.core.errors import ToolFailure
from testwright.mcp.serving.sharing import SharedResults

pytestmark = pytest.mark.feature("T-16")


async def test_a_thousand_at_the_same_time_cost_one_computation() -> None:
    shared = SharedResults()

    async def compute() -> dict[str, object]:
        return {"valid": True, "errors": []}

    answers = await asyncio.gather(*(shared.get("spec", compute) for _ in range(1000)))
    assert shared.computed == 1
    assert shared.asked == 1000
    assert [cached for _, cached in answers].count(False) == 1


async def test_what_one_does_to_its_answer_changes_nobody_elses() -> None:
    shared = SharedResults()

    async def compute() -> dict[str, object]:
        return {"errors": []}

    (first, _), (second, _) = await asyncio.gather(shared.get("a", compute), shared.get("a", compute))
    first["errors"] = ["mine"]
    assert second == {"errors": []}
    assert (await shared.get("a", compute)) == ({"errors": []}, True)


async def test_a_failure_is_told_to_all_who_wait_and_not_kept() -> None:
    shared = SharedResults()

    async def fail() -> dict[str, object]:
        raise ToolFailure("broken")

    async def work() -> dict[str, object]:
        return {"valid": True}

    failed = await asyncio.gather(shared.get("a", fail), shared.get("a", fail), return_exceptions=True)
    assert [type(one) for one in failed] == [ToolFailure, ToolFailure]
    assert (await shared.get("a", work)) == ({"valid": True}, False)


async def test_one_who_leaves_does_not_take_the_computation_from_the_others() -> None:
    shared = SharedResults()
    begun, go = asyncio.Event(), asyncio.Event()

    async def slow() -> dict[str, object]:
        begun.set()
        await go.wait()
        return {"valid": True}

    leaving = asyncio.create_task(shared.get("a", slow))
    await begun.wait()
    staying = asyncio.create_task(shared.get("a", slow))
    await asyncio.wait({staying}, timeout=0)
    leaving.cancel()
    await asyncio.wait({leaving})
    go.set()
    assert (await staying)[0] == {"valid": True}
    assert shared.computed == 1
