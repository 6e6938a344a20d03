"""One computation answers all sessions that ask for the same."""

from __future__ import annotations

import asyncio

import pytest

from testwright.core.errors import ToolFailure
from testwright.mcp.toolbox.content_cache import ContentCache

pytestmark = pytest.mark.feature("T-16")


async def test_a_thousand_concurrent_calls_cost_one_computation() -> None:
    cache, computed = ContentCache(), []

    async def compute() -> dict[str, object]:
        computed.append(1)
        return {"valid": True, "errors": []}

    answers = await asyncio.gather(*(cache.get_or_compute("spec", compute) for _ in range(1000)))
    assert len(computed) == 1
    assert [source for _, source in answers].count("") == 1


async def test_changing_one_answer_changes_no_other_answer() -> None:
    cache = ContentCache()

    async def compute() -> dict[str, object]:
        return {"errors": []}

    (first, _), (second, _) = await asyncio.gather(
        cache.get_or_compute("a", compute), cache.get_or_compute("a", compute)
    )
    first["errors"] = ["mine"]
    assert second == {"errors": []}
    assert await cache.get_or_compute("a", compute) == ({"errors": []}, "run")


async def test_an_error_is_raised_in_all_callers_and_not_kept() -> None:
    cache = ContentCache()

    async def fail() -> dict[str, object]:
        raise ToolFailure("broken")

    async def work() -> dict[str, object]:
        return {"valid": True}

    failed = await asyncio.gather(
        cache.get_or_compute("a", fail), cache.get_or_compute("a", fail), return_exceptions=True
    )
    assert [type(error) for error in failed] == [ToolFailure, ToolFailure]
    assert await cache.get_or_compute("a", work) == ({"valid": True}, "")


async def test_a_cancelled_caller_does_not_cancel_the_computation_for_the_others() -> None:
    cache, computed = ContentCache(), []
    started, go = asyncio.Event(), asyncio.Event()

    async def slow() -> dict[str, object]:
        computed.append(1)
        started.set()
        await go.wait()
        return {"valid": True}

    leaving = asyncio.create_task(cache.get_or_compute("a", slow))
    await started.wait()
    staying = asyncio.create_task(cache.get_or_compute("a", slow))
    await asyncio.wait({staying}, timeout=0)
    leaving.cancel()
    await asyncio.wait({leaving})
    go.set()
    assert (await staying)[0] == {"valid": True}
    assert len(computed) == 1
