"""Sends a call in the best way that its endpoint takes; what that is, the first calls find out."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.errors import AgentFailure, ModelFailure, ModelRequestRefused, ModelServerFault, ModelTimeout
from .abilities import CapabilityFile, EndpointCapabilities
from .chat import ModelCall
from .endpoint import DROPPABLE, NEW_LIMIT, OLD_LIMIT, Endpoint
from .failures import names_parameter
from .received import ReceivedAnswer
from .structured import Mode, disproves, response_format, system_text

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "structured", "grammar", "guided")
_UNABLE = frozenset({500, 501})
_FAULTS_THAT_TELL = 2
_ESTIMATES_ERR = 2
"""An estimated number of tokens may be wrong by this factor."""


@dataclass(frozen=True, slots=True)
class FailedRequest:
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
        self, endpoint: Endpoint, abilities: CapabilityFile, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._endpoint = endpoint
        self._abilities = abilities
        self._clock = clock
        self._faults: dict[Mode, int] = defaultdict(int)
        self._finding_out = asyncio.Lock()

    async def send(
        self, call: ModelCall, permit: Callable[[], float | None], told: Callable[[FailedRequest], None]
    ) -> tuple[ReceivedAnswer, Mode]:
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
        self, call: ModelCall, permit: Callable[[], float | None], told: Callable[[FailedRequest], None]
    ) -> tuple[ReceivedAnswer, Mode]:
        mode = self._known.mode
        while True:
            known = self._known
            try:
                received = await self._once(call, mode, known, permit(), told)
            except ModelFailure as failure:
                refused = _refused_parameter(failure, known)
                further = self._further_mode(call, mode, failure)
                if refused is not None:
                    self._learn(without=self._known.without | {refused})
                elif further is not None:
                    mode = further
                else:
                    self._note_limit(known, endless=isinstance(failure, ModelTimeout) and not failure.details)
                    raise
            else:
                most = self._endpoint.settings.answer_tokens * (_ESTIMATES_ERR if received.estimated else 1)
                self._note_limit(known, endless=received.tokens_out > most)
                return received, mode

    async def _once(
        self,
        call: ModelCall,
        mode: Mode,
        known: EndpointCapabilities,
        seconds: float | None,
        told: Callable[[FailedRequest], None],
    ) -> ReceivedAnswer:
        began = self._clock()

        def tell(failure: ModelFailure | None) -> None:
            told(FailedRequest(failure, mode, known.without, round((self._clock() - began) * 1000, 3)))

        try:
            return await self._endpoint.send(
                system_text(call, mode),
                call.user,
                response_format=response_format(call, mode),
                without=known.without,
                limits=known.limits,
                seconds=seconds,
            )
        except ModelFailure as failure:
            tell(failure)
            raise
        except asyncio.CancelledError:
            tell(None)
            raise

    def _further_mode(self, call: ModelCall, mode: Mode, failure: ModelFailure) -> Mode | None:
        """The mode to try when the endpoint does not take this one; an unambiguous refusal is remembered at once.

        Some answer 5xx to what they do not know. One that speaks of the answer's form is a refusal; of others, a second
        one in a row is taken as such, unless the endpoint has answered in this mode before.
        """
        if call.schema is None or mode.next is None:
            return None
        proven = self._known.proven
        if names_parameter(failure, *_FORMAT_WORDS) and isinstance(
            failure, ModelRequestRefused if proven else ModelRequestRefused | ModelServerFault
        ):
            self._learn(mode=mode.next, proven=False)
            return mode.next
        if not proven and isinstance(failure, ModelServerFault) and failure.details.get("status") in _UNABLE:
            self._faults[mode] += 1
            return mode.next if self._faults[mode] >= _FAULTS_THAT_TELL else None
        return None

    def _note_limit(self, known: EndpointCapabilities, *, endless: bool) -> None:
        """An answer that goes on beyond its limit: the endpoint may know the limit by its old name only."""
        if endless and OLD_LIMIT not in known.limits and OLD_LIMIT not in known.without:
            self._learn(unlimited=True)

    def trust(self, call: ModelCall, mode: Mode) -> None:
        """A usable answer came this way: it is the endpoint's way from now on."""
        if call.schema is not None:
            self._learn(mode=mode, proven=True)

    def doubt(self, call: ModelCall, mode: Mode, failure: AgentFailure) -> None:
        """An unusable answer came this way: the next call goes another one, if that explains it."""
        if not self._known.proven and disproves(mode, failure, call):
            self._learn(mode=mode.next or mode)

    @property
    def _known(self) -> EndpointCapabilities:
        return self._abilities.get(self._endpoint.settings.base_url, self._endpoint.settings.model)

    def _learn(self, **changes: Any) -> None:
        self._abilities.learn(self._endpoint.settings.base_url, self._endpoint.settings.model, **changes)


def _refused_parameter(failure: ModelFailure, known: EndpointCapabilities) -> str | None:
    """The parameter that an endpoint refuses, of those that it was sent; of two names of a limit the old one."""
    if not isinstance(failure, ModelRequestRefused):
        return None
    if known.limits and names_parameter(failure, NEW_LIMIT, OLD_LIMIT):
        return known.limits[-1]
    return next((name for name in DROPPABLE if name not in known.without and names_parameter(failure, name)), None)
