"""Sends calls in the best mode that the endpoint supports, which the first calls detect."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.errors import AgentFailure, ModelFailure, ModelRequestRefused, ModelServerFault, ModelTimeout
from ...core.pacing import Pacing, Unpaced
from .abilities import CapabilityFile, EndpointCapabilities
from .chat import ModelCall
from .endpoint import DROPPABLE, NEW_LIMIT, OLD_LIMIT, Endpoint
from .failures import names_parameter
from .received import ReceivedAnswer
from .structured import Mode, disproves, response_format, system_text
from .token_estimate import ERROR

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "structured", "grammar", "guided")
_UNABLE = frozenset({500, 501})
_FAULTS_THAT_TELL = 2


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """One request without an answer.

    Attributes:
        failure: why; None when the caller was cancelled.
        mode: how JSON was requested.
        without: parameters that were left out.
        duration_ms: from request to failure.
    """

    failure: ModelFailure | None
    mode: Mode
    without: frozenset[str]
    duration_ms: float


class Sender:
    """Sends calls to one endpoint with its known capabilities.

    Args:
        endpoint: sends requests to the model.
        abilities: capabilities of endpoints, kept from run to run.
        pacing: when requests may be sent; None sends them at once.
    """

    def __init__(self, endpoint: Endpoint, abilities: CapabilityFile, pacing: Pacing | None = None) -> None:
        self._endpoint = endpoint
        self._abilities = abilities
        self._pacing: Pacing = pacing or Unpaced()
        self._faults: dict[Mode, int] = defaultdict(int)
        self._detecting = asyncio.Lock()

    async def send(
        self,
        call: ModelCall,
        permit: Callable[[], float | None],
        on_failure: Callable[[FailedRequest], None],
        answer_tokens: int | None = None,
    ) -> tuple[ReceivedAnswer, Mode]:
        """Send a call. Returns the answer and its mode. While no mode is proven, calls are sent one at a time.

        Args:
            permit: called before each request; returns its deadline in seconds, None for the endpoint's own.
            on_failure: receives each request without an answer, also those that are repeated in another mode.
            answer_tokens: the most the answer may have; None for what the settings say.

        Raises:
            ModelFailure: there is no answer. And what `permit` raises.
        """
        if call.schema is None or self._known.proven:
            return await self._send_in_modes(call, permit, on_failure, answer_tokens)
        async with self._detecting:
            return await self._send_in_modes(call, permit, on_failure, answer_tokens)

    @property
    def answer_tokens(self) -> int:
        """The most an answer may have, by the settings."""
        return self._endpoint.settings.answer_tokens

    async def _send_in_modes(
        self,
        call: ModelCall,
        permit: Callable[[], float | None],
        on_failure: Callable[[FailedRequest], None],
        answer_tokens: int | None,
    ) -> tuple[ReceivedAnswer, Mode]:
        mode = self._known.mode
        while True:
            known = self._known
            try:
                await self._pacing.wait()
                received = await self._send_once(call, mode, known, permit(), on_failure, answer_tokens)
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
                most = self._endpoint.settings.answer_tokens * (ERROR if received.estimated else 1)
                self._note_limit(known, endless=received.tokens_out > most)
                return received, mode

    async def _send_once(
        self,
        call: ModelCall,
        mode: Mode,
        known: EndpointCapabilities,
        seconds: float | None,
        on_failure: Callable[[FailedRequest], None],
        answer_tokens: int | None,
    ) -> ReceivedAnswer:
        began = time.monotonic()

        def report(failure: ModelFailure | None) -> None:
            on_failure(FailedRequest(failure, mode, known.without, round((time.monotonic() - began) * 1000, 3)))

        try:
            return await self._endpoint.send(
                system_text(call, mode),
                call.user,
                response_format=response_format(call, mode),
                without=known.without,
                limits=known.limits,
                seconds=seconds,
                answer_tokens=answer_tokens,
            )
        except ModelFailure as failure:
            report(failure)
            if failure.retry_after is not None and failure.recoverable:
                await self._pacing.hold_off(failure.retry_after)
            raise
        except asyncio.CancelledError:
            report(None)
            raise

    def _further_mode(self, call: ModelCall, mode: Mode, failure: ModelFailure) -> Mode | None:
        """Return the mode to try when the endpoint does not support this one; a clear refusal is stored at once.

        Some endpoints answer 5xx to an unknown parameter. An error that names the response format is a refusal; of
        other errors the second in a row counts as one, unless the mode is proven.
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
        """After an answer beyond its limit, send the limit under its old name too: the endpoint may know only that."""
        if endless and OLD_LIMIT not in known.limits and OLD_LIMIT not in known.without:
            self._learn(unlimited=True)

    def confirm_mode(self, call: ModelCall, mode: Mode) -> None:
        """Store the mode of a usable answer as proven."""
        if call.schema is not None:
            self._learn(mode=mode, proven=True)

    def reject_mode(self, call: ModelCall, mode: Mode, failure: AgentFailure) -> None:
        """After an unusable answer, switch to the next mode if the mode explains it."""
        if not self._known.proven and disproves(mode, failure, call):
            self._learn(mode=mode.next or mode)

    @property
    def _known(self) -> EndpointCapabilities:
        return self._abilities.get(self._endpoint.settings.base_url, self._endpoint.settings.model)

    def _learn(self, **changes: Any) -> None:
        self._abilities.learn(self._endpoint.settings.base_url, self._endpoint.settings.model, **changes)


def _refused_parameter(failure: ModelFailure, known: EndpointCapabilities) -> str | None:
    """Return the sent parameter that an endpoint refuses; of two names of a limit, the old one."""
    if not isinstance(failure, ModelRequestRefused):
        return None
    if known.limits and names_parameter(failure, NEW_LIMIT, OLD_LIMIT):
        return known.limits[-1]
    return next((name for name in DROPPABLE if name not in known.without and names_parameter(failure, name)), None)
