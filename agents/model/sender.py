"""Sends a call in the best way that its endpoint takes; what that is, the first calls find out."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import AgentFailure, ModelFailure, ModelServerFault
from .abilities import Abilities, AbilityFile
from .chat import ModelCall
from .endpoint import DROPPABLE, Endpoint
from .failures import names_parameter
from .received import Received
from .structured import Mode, disproves, response_format, system_text

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "structured", "grammar", "guided")
_PARAMETER_WORDS = {name: (name,) for name in DROPPABLE} | {
    "max_completion_tokens": ("max_completion_tokens", "max_tokens")
}
_UNABLE = frozenset({500, 501})
_FAULTS_THAT_TELL = 2


@dataclass(frozen=True, slots=True)
class FailedTry:
    """One request that brought no answer.

    Attributes:
        failure: why; None when whoever asked gave up waiting.
        mode: in which way it was asked.
        without: parameters that were left out.
        duration_ms: from request to failure.
    """

    failure: ModelFailure | None
    mode: Mode
    without: frozenset[str]
    duration_ms: float


class Sender:
    """One endpoint, and what is known of it.

    Args:
        endpoint: where the model is.
        abilities: what endpoints are known to do, kept from run to run.
        clock: seconds, monotonic.
    """

    def __init__(
        self, endpoint: Endpoint, abilities: AbilityFile, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._endpoint = endpoint
        self._abilities = abilities
        self._clock = clock
        self._faults: dict[Mode, int] = defaultdict(int)
        self._finding_out = asyncio.Lock()

    async def send(
        self, call: ModelCall, permit: Callable[[], float | None], told: Callable[[FailedTry], None]
    ) -> tuple[Received, Mode]:
        """Ask; the answer, and in which way it was asked for. The first to find out goes alone.

        Args:
            permit: is asked before each request; how many seconds it may take, None for the endpoint's own deadline.
            told: is told of each request that brought no answer, also of those that were sent again in another way.

        Raises:
            ModelFailure: there is no answer. And what `permit` raises.
        """
        if call.schema is None or self._known.proven:
            return await self._tried(call, permit, told)
        async with self._finding_out:
            return await self._tried(call, permit, told)

    async def _tried(
        self, call: ModelCall, permit: Callable[[], float | None], told: Callable[[FailedTry], None]
    ) -> tuple[Received, Mode]:
        mode = self._known.mode
        while True:
            try:
                return await self._once(call, mode, permit(), told), mode
            except ModelFailure as failure:
                refused = self._refused_parameter(failure)
                further = self._further_mode(call, mode, failure)
                if refused is not None:
                    self._learn(without=self._known.without | {refused})
                elif further is not None:
                    mode = further
                else:
                    raise

    async def _once(
        self, call: ModelCall, mode: Mode, seconds: float | None, told: Callable[[FailedTry], None]
    ) -> Received:
        without = self._known.without
        began = self._clock()

        def tell(failure: ModelFailure | None) -> None:
            told(FailedTry(failure, mode, without, round((self._clock() - began) * 1000, 3)))

        try:
            return await self._endpoint.send(
                system_text(call, mode),
                call.user,
                response_format=response_format(call, mode),
                without=without,
                seconds=seconds,
            )
        except ModelFailure as failure:
            tell(failure)
            raise
        except asyncio.CancelledError:
            tell(None)
            raise

    def _refused_parameter(self, failure: ModelFailure) -> str | None:
        known = self._known.without
        return next(
            (
                name
                for name, words in _PARAMETER_WORDS.items()
                if name not in known and names_parameter(failure, *words)
            ),
            None,
        )

    def _further_mode(self, call: ModelCall, mode: Mode, failure: ModelFailure) -> Mode | None:
        """The mode to try when the endpoint does not take this one.

        Some answer 500 to what they do not know; a second one in a row is taken as such.
        """
        if call.schema is None or self._known.proven:
            return None
        if names_parameter(failure, *_FORMAT_WORDS):
            return mode.next
        if isinstance(failure, ModelServerFault) and failure.details.get("status") in _UNABLE:
            self._faults[mode] += 1
            return mode.next if self._faults[mode] >= _FAULTS_THAT_TELL else None
        return None

    def trust(self, call: ModelCall, mode: Mode) -> None:
        """A usable answer came this way: it is the endpoint's way from now on."""
        if call.schema is not None:
            self._learn(mode=mode, proven=True)

    def doubt(self, call: ModelCall, mode: Mode, failure: AgentFailure) -> None:
        """An unusable answer came this way: the next call goes another one, if that explains it."""
        if not self._known.proven and disproves(mode, failure, call):
            self._learn(mode=mode.next or mode)

    @property
    def _known(self) -> Abilities:
        return self._abilities.get(self._endpoint.settings.base_url, self._endpoint.settings.model)

    def _learn(self, **changes: Any) -> None:
        self._abilities.learn(self._endpoint.settings.base_url, self._endpoint.settings.model, **changes)
