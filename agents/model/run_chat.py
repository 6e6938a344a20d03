"""Implements the chat of a run: sends calls within the run's budget, and never pays for the same answer twice.

A received answer is stored before it is used. A repeated call, after a crash or because its agent starts over, gets the
stored answer. An unusable answer (no JSON, empty) is returned once more after a crash, so that the run takes the same
path, and requested anew only when the agent repeats the call.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ...core.errors import (
    AgentFailure,
    MalformedLlmOutput,
    ModelAnswerCut,
    ModelFailure,
    ModelTimeout,
    SchemaValidationError,
)
from ...core.pacing import Pacing
from ...core.request_usage import current_request_usage
from ...core.usage import ModelBudget, ModelUsage
from ...store.files.audit import AttemptOutcome, AuditEntry
from ...utils.canonical import canonical_json, digest_of
from .abilities import CapabilityFile
from .chat import ModelAnswer, ModelCall
from .endpoint import Endpoint
from .prices import ListPrice, Price, Prices
from .received import ReceivedAnswer
from .sender import FailedRequest, Sender
from .structured import Mode, parse_answer
from .token_estimate import ERROR, estimated_tokens

_ABOUT = 0.9
"""Endpoints stop a few tokens short of a limit, and count some that are no text."""


class AnswerStore(Protocol):
    """Stores a run's answers; implemented by the database store, bound to the run."""

    def get(self, role: str, attempt: int, prompt_hash: str) -> Any:
        """Return the stored answer, or None."""
        ...

    def put(self, role: str, attempt: int, prompt_hash: str, answer: Any) -> None:
        """Store an answer, a JSON value."""
        ...


@dataclass(frozen=True, slots=True)
class _Stored:
    """A received answer and its key in the store; `reused` when it was stored before.

    Attributes:
        mode: in which it was asked for. limit: on its tokens. Both None for a stored one.
    """

    received: ReceivedAnswer
    key: str
    reused: bool
    mode: Mode | None = None
    limit: int | None = None


class RunChat:
    """A `ModelChat` for one model, shared by all its roles.

    Args:
        endpoint: sends requests to the model.
        abilities: capabilities of endpoints.
        prices: prices of tokens.
        budget: counts usage, and refuses calls when a ceiling is reached.
        kept: the run's stored answers; None stores nothing.
        audit: records every call.
        given_out: keys of stored answers that this session has used already; grows.
        waiting: context manager held while waiting for the endpoint (idle-time accounting).
        pacing: when requests may be sent; None sends them at once.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        abilities: CapabilityFile,
        prices: Prices,
        budget: ModelBudget,
        kept: AnswerStore | None = None,
        audit: Callable[[AuditEntry], None] = lambda attempt: None,
        given_out: set[str] | None = None,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
        pacing: Pacing | None = None,
    ) -> None:
        self.model = endpoint.settings.model
        self._sender = Sender(endpoint, abilities, pacing)
        self._price = prices.of(endpoint.settings.model)
        self._budget = budget
        self._kept = kept
        self._audit = audit
        self._given_out: set[str] = set() if given_out is None else given_out
        self._waiting = waiting
        self._reasons: dict[tuple[str, str], str] = {}
        self._one_by_one: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def complete(self, call: ModelCall) -> ModelAnswer:
        """See `ModelChat.complete`."""
        key = call.prompt_hash(self.model)
        async with self._one_by_one[f"{call.role}:{call.attempt}:{key}"]:
            stored = await self._from_store(call, key)
            if stored is None:
                place = 0
                while self._kept_at(call, _place(key, place)) is not None:
                    place += 1
                stored = await self._send(call, _place(key, place))
            return self._answer(stored, call, key)

    async def _from_store(self, call: ModelCall, key: str) -> _Stored | None:
        """Return the stored answer to a call; None when it must be sent.

        One that a ceiling cut off, with nothing in it to use, is no answer where the run may use more today. Raises
        BudgetExhausted where it may not.
        """
        place = 0
        while (found := self._kept_at(call, _place(key, place))) is not None:
            at, limit = _place(key, place), found.get("limit")
            received = ReceivedAnswer.from_dict(found["received"])
            place += 1
            if limit is not None and self._met_ceiling(received, limit) and _is_cut(received, call, self.model):
                with self._waiting():
                    room = await self._answer_room(prompt_tokens(call))
                if room <= limit:
                    raise self._budget.cut_short(prompt_tokens(call), self._most, self._cost_of())
                continue
            if at not in self._given_out or not _may_be_repeated(received, call, self.model):
                return _Stored(received, at, reused=True)
        return None

    def _kept_at(self, call: ModelCall, key: str) -> dict[str, Any] | None:
        return self._kept.get(call.role, call.attempt, key) if self._kept is not None else None

    async def _send(self, call: ModelCall, key: str) -> _Stored:
        prompt = prompt_tokens(call)
        try:
            with self._waiting():
                room = await self._answer_room(prompt)
                with self._budget.reserved(prompt + room, self._cost(prompt, room)):
                    received, mode = await self._sender.send(
                        call, self._budget.require, lambda failed: self._audit_failed(call, key, failed), room
                    )
                    # Counted first: what a recount in another thread finds stored must be counted already.
                    self._budget.add(_usage(call.role, self.model, received, self._price))
                    if self._kept is not None and received.whole:
                        kept = {"model": self.model, "received": received.to_dict(), "limit": room}
                        self._kept.put(call.role, call.attempt, key, kept)
        except ModelTimeout as failure:
            if failure.details.get("cut_off"):
                raise self._budget.out_of_time() from failure
            raise
        return _Stored(received, key, reused=False, mode=mode, limit=room)

    @property
    def _most(self) -> int:
        return self._sender.answer_tokens

    def _met_ceiling(self, received: ReceivedAnswer, limit: int) -> bool:
        """Whether a ceiling set the limit of an answer, and the answer came up to it; its endpoint may have a lower."""
        return limit < self._most and received.tokens_out >= _ABOUT * limit / (ERROR if received.estimated else 1)

    async def _answer_room(self, prompt: int) -> int:
        """How many tokens the answer may have. Waits while requests under way decide it. Raises BudgetExhausted."""
        while True:
            ended = self._budget.next_release()
            room = self._budget.answer_room(prompt, self._most, self._cost_of())
            if room is not None:
                return room
            await asyncio.wrap_future(ended)

    def _cost_of(self) -> Callable[[int, int], float] | None:
        return self._cost if self._price is not None else None

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        return self._price.cost(tokens_in, 0, tokens_out) if self._price is not None else 0.0

    def _answer(self, stored: _Stored, call: ModelCall, key: str) -> ModelAnswer:
        """Validate a received answer, count its usage and audit it."""
        received, spend = stored.received, _usage(call.role, self.model, stored.received, self._price)
        tally = current_request_usage()
        if tally is not None and not (stored.reused and stored.key in self._given_out):
            tally.add(spend)
        self._given_out.add(stored.key)
        try:
            parsed = parse_answer(received, call, self.model)
        except AgentFailure as failure:
            if stored.mode is not None:
                self._sender.reject_mode(call, stored.mode, failure)
            self._audit_answered(call, key, stored, spend, failure)
            limit = stored.limit
            if isinstance(failure, ModelAnswerCut) and limit is not None and self._met_ceiling(received, limit):
                raise self._budget.cut_short(prompt_tokens(call), self._most, self._cost_of()) from failure
            raise
        if stored.mode is not None and not parsed.left_out:
            self._sender.confirm_mode(call, stored.mode)
        elif stored.mode is not None:
            # What the endpoint let through shows that it does not enforce the schema.
            self._sender.reject_mode(call, stored.mode, SchemaValidationError("a part of the answer breaks the schema"))
        self._audit_answered(call, key, stored, spend)
        return ModelAnswer(
            text=received.text,
            parsed=parsed.value,
            left_out=parsed.left_out,
            tokens_in=received.tokens_in,
            tokens_out=received.tokens_out,
            tokens_cached=received.tokens_cached,
            cost=spend.cost,
            model=self.model,
            duration_ms=received.duration_ms,
            reused=stored.reused,
        )

    def _audit_failed(self, call: ModelCall, key: str, failed: FailedRequest) -> None:
        """Audit a request without an answer; its failure is the reason of the next one."""
        failure = failed.failure
        self._audit(
            replace(
                self._attempt(call, key),
                outcome="cancelled" if failure is None else _outcome(None, failure),
                errors=(_failure_row(failure),) if failure is not None else (),
                duration_ms=failed.duration_ms,
                details=_call_details(call, mode=failed.mode, without=sorted(failed.without)),
            )
        )
        if failure is not None:
            self._reasons[call.role, key] = failure.message

    def _audit_answered(
        self, call: ModelCall, key: str, stored: _Stored, spend: ModelUsage, failure: AgentFailure | None = None
    ) -> None:
        """Audit an answer; an unusable one is the reason of the next request."""
        received = stored.received
        self._audit(
            replace(
                self._attempt(call, key),
                outcome=_outcome(stored, failure),
                response=received.text,
                errors=(_failure_row(failure),) if failure is not None else (),
                duration_ms=received.duration_ms,
                tokens=spend.tokens,
                cost=spend.cost,
                details=_call_details(
                    call, mode=stored.mode, tokens_cached=received.tokens_cached, estimated=received.estimated
                ),
            )
        )
        if failure is not None:
            self._reasons[call.role, key] = failure.message

    def _attempt(self, call: ModelCall, key: str) -> AuditEntry:
        tally = current_request_usage()
        return AuditEntry(
            role=f"{call.role} model",
            attempt=call.attempt,
            outcome="ok",
            prompt_hash=key,
            step_id=(tally.trace_id.partition(":")[2] or None) if tally else None,
            reason=self._reasons.get((call.role, key), call.reason),
            model=self.model,
        )


def spend_of_stored(role: str, stored: dict[str, Any], prices: Prices) -> ModelUsage:
    """Compute the usage of a stored answer, for a budget that continues after a crash."""
    model = stored["model"]
    return _usage(role, model, ReceivedAnswer.from_dict(stored["received"]), prices.of(model))


def _usage(role: str, model: str, received: ReceivedAnswer, price: Price | ListPrice | None) -> ModelUsage:
    """Compute what one answer used; it costs nothing where the model's price is unknown."""
    cost = price.cost(received.tokens_in, received.tokens_cached, received.tokens_out) if price is not None else 0.0
    return ModelUsage(role, model, 1, received.tokens_in, received.tokens_out, received.tokens_cached, cost)


def prompt_tokens(call: ModelCall) -> int:
    """About how many tokens a call's messages and schema have."""
    schema = canonical_json(call.schema) if call.schema is not None else ""
    return estimated_tokens(call.system, call.user, schema)


def _place(key: str, place: int) -> str:
    """Return the store key of the answer to the same call, repeated for the `place`th time."""
    return key if place == 0 else digest_of([key, place])


def _may_be_repeated(received: ReceivedAnswer, call: ModelCall, model: str) -> bool:
    try:
        parse_answer(received, call, model)
    except MalformedLlmOutput:
        return True
    except AgentFailure as failure:
        return isinstance(failure, ModelFailure) and failure.recoverable
    return False


def _is_cut(received: ReceivedAnswer, call: ModelCall, model: str) -> bool:
    """Whether an answer was cut off before anything in it could be used."""
    if received.finish != "length":
        return False
    try:
        parse_answer(received, call, model)
    except ModelAnswerCut:
        return True
    except AgentFailure:
        return False
    return False


def _outcome(stored: _Stored | None, failure: AgentFailure | None) -> AttemptOutcome:
    if failure is None:
        return "reused" if stored is not None and stored.reused else "ok"
    if isinstance(failure, MalformedLlmOutput):
        return "malformed"
    if isinstance(failure, ModelTimeout):
        return "timed_out"
    return "failed" if isinstance(failure, ModelFailure) else "invalid"


def _call_details(call: ModelCall, *, mode: Mode | None, **more: Any) -> dict[str, Any]:
    """Details of a call for the audit log; a stored answer has no mode."""
    return {"prompt_version": call.prompt_version, "mode": str(mode) if mode else "", **more}


def _failure_row(failure: AgentFailure) -> dict[str, Any]:
    kept = {name: value for name, value in failure.details.items() if name != "excerpt"}
    return {**kept, "error": type(failure).__name__, "message": failure.message}
