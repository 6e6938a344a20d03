"""The chat of a run: asks an endpoint within the run's budget, and never pays for the same answer twice (B-08, T-15).

An answer that arrived is stored before it is used. A call that is made again, after a crash or because its agent
starts over, gets what is stored. An answer that nobody could use (no JSON, empty) is given out once more after a crash,
so that the run takes the same way, and asked for anew only when the agent asks again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ...errors import AgentFailure, MalformedLlmOutput, ModelFailure, ModelTimeout
from ...store.audit import Attempt, AttemptOutcome
from ...utils.canonical import digest_of
from .abilities import AbilityFile
from .chat import ModelAnswer, ModelCall
from .endpoint import Endpoint
from .prices import Prices
from .received import Received
from .sender import Sender
from .structured import Mode, judged
from .usage import Budget, Spend, current_tally


class KeptAnswers(Protocol):
    """Where a run's answers are kept; `store.answers.Answers`, bound to the run."""

    def get(self, role: str, attempt: int, prompt_hash: str) -> Any:
        """The stored answer, or None."""
        ...

    def put(self, role: str, attempt: int, prompt_hash: str, answer: Any) -> None:
        """Store an answer, a JSON value."""
        ...


@dataclass(frozen=True, slots=True)
class _Stored:
    """A received answer and its place in the store; `reused` when it was there before."""

    received: Received
    key: str
    reused: bool
    mode: Mode | None = None


class RunChat:
    """A `ModelChat` for one model, shared by all roles that ask it.

    Args:
        endpoint: where the model is.
        abilities: what endpoints are known to do.
        prices: what tokens cost.
        budget: counts, and refuses when a ceiling is reached.
        kept: the run's stored answers; None keeps nothing.
        audit: is told of every call.
        given_out: keys of stored answers that this session has used already; grows.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        abilities: AbilityFile,
        prices: Prices,
        budget: Budget,
        kept: KeptAnswers | None = None,
        audit: Callable[[Attempt], None] = lambda attempt: None,
        given_out: set[str] | None = None,
    ) -> None:
        self.model = endpoint.settings.model
        self._sender = Sender(endpoint, abilities)
        self._price = prices.of(endpoint.settings.model)
        self._budget = budget
        self._kept = kept
        self._audit = audit
        self._given_out: set[str] = set() if given_out is None else given_out
        self._reasons: dict[tuple[str, str], str] = {}
        self._one_by_one: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def complete(self, call: ModelCall) -> ModelAnswer:
        """See `ModelChat.complete`."""
        key = call.prompt_hash(self.model)
        async with self._one_by_one[f"{call.role}:{call.attempt}:{key}"]:
            stored = self._from_store(call, key)
            if stored is None:
                stored = await self._asked(call, self._free_key(call, key))
            return self._answer(stored, call, key)

    def _from_store(self, call: ModelCall, key: str) -> _Stored | None:
        """The stored answer to a call; None when it has to be asked."""
        place = 0
        while (found := self._kept_at(call, _place(key, place))) is not None:
            at = _place(key, place)
            if at not in self._given_out or not _worth_asking_again(found, call, self.model):
                return _Stored(found, at, reused=True)
            place += 1
        return None

    def _free_key(self, call: ModelCall, key: str) -> str:
        place = 0
        while self._kept_at(call, _place(key, place)) is not None:
            place += 1
        return _place(key, place)

    def _kept_at(self, call: ModelCall, key: str) -> Received | None:
        found = self._kept.get(call.role, call.attempt, key) if self._kept is not None else None
        return Received.from_dict(found["received"]) if found is not None else None

    async def _asked(self, call: ModelCall, key: str) -> _Stored:
        self._budget.require()
        try:
            received, mode = await self._sender.send(call, self._budget.seconds_left)
        except ModelFailure as failure:
            self._note(call, key, failure=failure)
            if isinstance(failure, ModelTimeout) and self._budget.seconds_left == 0:
                self._budget.require()
            raise
        if self._kept is not None and received.whole:
            self._kept.put(call.role, call.attempt, key, self._record(received))
        self._budget.add(self._spend(call.role, received))
        return _Stored(received, key, reused=False, mode=mode)

    def _answer(self, stored: _Stored, call: ModelCall, key: str) -> ModelAnswer:
        """The judged answer, counted and audited."""
        received, spend = stored.received, self._spend(call.role, stored.received)
        tally = current_tally()
        if tally is not None and not (stored.reused and stored.key in self._given_out):
            tally.add(spend)
        self._given_out.add(stored.key)
        try:
            parsed = judged(received, call, self.model)
        except AgentFailure as failure:
            if stored.mode is not None:
                self._sender.doubt(call, stored.mode, failure)
            self._note(call, key, stored=stored, spend=spend, failure=failure)
            raise
        if stored.mode is not None:
            self._sender.trust(call, stored.mode)
        self._note(call, key, stored=stored, spend=spend)
        return ModelAnswer(
            text=received.text,
            parsed=parsed,
            tokens_in=received.tokens_in,
            tokens_out=received.tokens_out,
            tokens_cached=received.tokens_cached,
            cost=spend.cost,
            model=self.model,
            duration_ms=received.duration_ms,
            reused=stored.reused,
        )

    def _note(
        self,
        call: ModelCall,
        key: str,
        *,
        stored: _Stored | None = None,
        spend: Spend | None = None,
        failure: AgentFailure | None = None,
    ) -> None:
        """One line of the audit log."""
        received = stored.received if stored is not None else None
        tally = current_tally()
        again = (call.role, key)
        self._audit(
            Attempt(
                role=f"{call.role} model",
                attempt=call.attempt,
                outcome=_outcome(stored, failure),
                prompt_hash=key,
                step_id=(tally.trace_id.partition(":")[2] or None) if tally else None,
                response=received.text if received is not None else None,
                errors=(_told(failure),) if failure is not None else (),
                reason=self._reasons.get(again, "first"),
                duration_ms=received.duration_ms if received is not None else 0.0,
                tokens=spend.tokens if spend is not None else 0,
                cost=spend.cost if spend is not None else 0.0,
                model=self.model,
                details={
                    "prompt_version": call.prompt_version,
                    "mode": str(stored.mode) if stored is not None and stored.mode else "",
                    "tokens_cached": received.tokens_cached if received is not None else 0,
                    "estimated": received.estimated if received is not None else False,
                },
            )
        )
        if failure is not None:
            self._reasons[again] = failure.message

    def _spend(self, role: str, received: Received) -> Spend:
        counts = (received.tokens_in, received.tokens_out, received.tokens_cached)
        cost = self._price.cost(counts[0], counts[2], counts[1]) if self._price is not None else 0.0
        return Spend(role, self.model, 1, *counts, cost)

    def _record(self, received: Received) -> dict[str, Any]:
        return {"model": self.model, "received": received.to_dict()}


def spend_of_stored(role: str, stored: dict[str, Any], prices: Prices) -> Spend:
    """What a stored answer cost, for a budget that goes on after a crash."""
    received = Received.from_dict(stored["received"])
    price = prices.of(stored["model"])
    cost = price.cost(received.tokens_in, received.tokens_cached, received.tokens_out) if price else 0.0
    return Spend(role, stored["model"], 1, received.tokens_in, received.tokens_out, received.tokens_cached, cost)


def _place(key: str, place: int) -> str:
    """Where the answer to the same question, asked for the `place`th time again, is kept."""
    return key if place == 0 else digest_of([key, place])


def _worth_asking_again(received: Received, call: ModelCall, model: str) -> bool:
    try:
        judged(received, call, model)
    except MalformedLlmOutput:
        return True
    except AgentFailure as failure:
        return isinstance(failure, ModelFailure) and failure.recoverable
    return False


def _outcome(stored: _Stored | None, failure: AgentFailure | None) -> AttemptOutcome:
    if failure is None:
        return "reused" if stored is not None and stored.reused else "ok"
    if isinstance(failure, MalformedLlmOutput):
        return "malformed"
    if isinstance(failure, ModelTimeout):
        return "timed_out"
    return "failed" if isinstance(failure, ModelFailure) else "invalid"


def _told(failure: AgentFailure) -> dict[str, Any]:
    kept = {name: value for name, value in failure.details.items() if name != "excerpt"}
    return {**kept, "error": type(failure).__name__, "message": failure.message}
