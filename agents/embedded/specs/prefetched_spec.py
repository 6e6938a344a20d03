"""A spec that is begun before anybody asks for it, while the rest of a run is still being made ready (T-16)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from .spec_generator import Specified, Specifier

_DECIDING = ("target", "test_type", "framework", "user_request")


class SpecsAhead:
    """A specifier in front of another one, which may begin with one spec early.

    Whoever asks for that spec, without a limit on time, gets the one that was begun, with the error it ended in; any
    other question, and the same one asked again, goes to the other specifier.

    Args:
        specifier: works specs out.
    """

    def __init__(self, specifier: Specifier) -> None:
        self._specifier = specifier
        self._asked: dict[str, Any] | None = None
        self._working: asyncio.Task[Specified] | None = None

    def begin(self, inputs: Mapping[str, Any]) -> None:
        """Begin with the spec for these inputs; what was begun before goes on, and this one is left alone."""
        if self._working is None:
            self._asked = _deciding(inputs)
            self._working = asyncio.ensure_future(self._specifier.specify(inputs))

    async def specify(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> Specified:
        """See `Specifier.specify`."""
        if seconds is None and self._working is not None and self._asked == _deciding(inputs):
            self._asked = None
            return await self._working
        return await self._specifier.specify(inputs, seconds=seconds)

    async def close(self) -> None:
        """Give up what nobody has asked for."""
        if self._working is None:
            return
        self._working.cancel()
        await asyncio.wait((self._working,))
        if not self._working.cancelled():
            self._working.exception()  # whoever asked has it; where nobody did, it is nobody's


def _deciding(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What decides which spec is wanted."""
    return {name: inputs.get(name) for name in _DECIDING}
