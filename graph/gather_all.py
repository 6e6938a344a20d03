"""Independent work side by side, with nothing left running behind (T-16)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """Run all to their ends, then answer their results in order.

    Raises:
        The first error in the order of the arguments, after all have ended; so the same faults give the same error.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
