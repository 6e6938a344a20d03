"""Starts one spec in the background while the rest of a run is still being opened."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from .spec_generator import SpecGenerator, SpecResult

_KEY_INPUTS = ("target", "test_type", "framework", "user_request")
"""Inputs that decide whether a request is for the prefetched spec."""


class PrefetchedSpecGenerator:
    """A spec generator in front of another one that may start one spec early.

    A request for that spec without a time limit gets the started one, with the error it ended in; every other request,
    and a repeated one, goes to the wrapped generator.

    Args:
        generator: generates specs.
    """

    def __init__(self, generator: SpecGenerator) -> None:
        self._generator = generator
        self._expected: dict[str, Any] | None = None
        self._task: asyncio.Task[SpecResult] | None = None

    def begin(self, inputs: Mapping[str, Any]) -> None:
        """Start the spec for these inputs; a second call does nothing."""
        if self._task is None:
            self._expected = _key(inputs)
            self._task = asyncio.ensure_future(self._generator.generate(inputs))

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """See `SpecGenerator.generate`."""
        if seconds is None and self._task is not None and self._expected == _key(inputs):
            self._expected = None
            return await self._task
        return await self._generator.generate(inputs, seconds=seconds)

    async def close(self) -> None:
        """Cancel the spec if it was not requested."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait((self._task,))
        if not self._task.cancelled():
            # Retrieve the exception so that asyncio does not warn; a caller that awaited the task has it already.
            self._task.exception()


def _key(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: inputs.get(name) for name in _KEY_INPUTS}
