"""Counts what a run used (wall time, model tokens, cost) and checks it against the run's ceilings.

Units throughout: seconds of wall time, tokens, US dollars. `ModelBudget` counts everything the run has paid for,
including sessions before a resume; `request_usage` counts what is behind one agent's answer. The typed dicts are the
JSON forms in checkpoints. The audit log records each single call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict, TypeIs

from .errors import BudgetExhausted

_ADVICE = (
    "What was accepted stays. `testwright resume` with the run's id and a higher --max-tokens, --max-cost or "
    "--max-seconds continues the run; finished model calls are not paid for again."
)


class TokenUsage(TypedDict):
    """What agents used, as the testing graph's state stores it. Cost in US dollars."""

    tokens: int
    cost: float


class PlanUsage(TypedDict):
    """What the run has used so far, as the planning graph's state stores it; carried over on resume."""

    seconds: float
    tokens: int
    cost: float


LEAST_ANSWER = 400
"""Tokens that an answer needs to be worth asking for."""

NOTHING_USED: TokenUsage = {"tokens": 0, "cost": 0.0}
MOST_USED = 1e15
"""More than any agent uses; what a run sums up stays within what its checkpoints hold."""


def add_usage(first: TokenUsage, other: TokenUsage) -> TokenUsage:
    """Add two usages. LangGraph reducer: its first value is made by calling the type, so `one` may be empty."""
    return {
        "tokens": first.get("tokens", 0) + other.get("tokens", 0),
        "cost": first.get("cost", 0.0) + other.get("cost", 0.0),
    }


def add_to_plan_usage(total: PlanUsage, usage: TokenUsage, seconds: float = 0.0) -> PlanUsage:
    """Add tokens, cost and seconds to what the plan used."""
    return {
        "seconds": round(total["seconds"] + seconds, 3),
        "tokens": total["tokens"] + usage["tokens"],
        "cost": total["cost"] + usage["cost"],
    }


def is_countable(value: object) -> TypeIs[int | float]:
    """Whether a value is an amount that ceilings can count: a number from 0 to `MOST_USED`."""
    return type(value) in (int, float) and 0 <= value <= MOST_USED  # pyrefly: ignore[unsupported-operation]


def usage_of(response_metadata: object) -> TokenUsage:
    """Read the usage of one agent response, all its attempts together, from the response's metadata.

    They may be those of a response that is refused: what cannot be counted is 0.
    """
    found = response_metadata if isinstance(response_metadata, Mapping) else {}
    tokens, cost = found.get("tokens"), found.get("cost")
    return {"tokens": int(tokens) if is_countable(tokens) else 0, "cost": float(cost) if is_countable(cost) else 0.0}


@dataclass(frozen=True, slots=True)
class RunUsage:
    """What a run has used in all its sessions, as the run database stores it.

    Attributes:
        seconds: wall time.
        tokens: model tokens, in and out.
        cost: US dollars.
        calls: model calls.
    """

    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Model calls of one role with one model, added up; cost in US dollars.

    Attributes:
        cost_stated: whether the agent that asked has named the cost of every call, which may be 0; no price table is
            needed for those.
    """

    role: str
    model: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    cost_stated: bool = False

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.tokens_in + self.tokens_out

    def plus(self, other: ModelUsage) -> ModelUsage:
        """Add another usage; the sum keeps this one's role and model."""
        return ModelUsage(
            self.role,
            self.model,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            round(self.cost + other.cost, 9),
            all(usage.cost_stated for usage in (self, other) if usage.calls),
        )


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The most a run may use; None for no limit.

    Attributes:
        tokens: input and output tokens together.
        cost: US dollars.
        seconds: wall time.
        seconds_for_end: the part of `seconds` that is kept back for what a run still does with what it has: run the
            tests that are written, all of them together, and report. No other work begins in it.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    seconds_for_end: float = 0.0


class ModelBudget:
    """Counts what the run paid for models and checks its ceilings; shared by all model clients of the run.

    It remembers whether a ceiling ever refused work, so that the report can name the ceiling even where an agent
    carried on without the refused call.

    Args:
        seconds_used: returns the run's wall seconds so far, including sessions before a resume.
        before: usage of earlier sessions; does not trigger `on_usage`.
        on_usage: called with each usage that is added from now on.
    """

    def __init__(
        self,
        ceilings: Ceilings | None = None,
        seconds_used: Callable[[], float] = lambda: 0.0,
        *,
        before: Iterable[ModelUsage] = (),
        on_usage: Callable[[ModelUsage], None] = lambda usage: None,
    ) -> None:
        self._ceilings = ceilings or Ceilings()
        self._seconds_used = seconds_used
        self._by_role: dict[tuple[str, str], ModelUsage] = {}
        self._reached: str | None = None
        self._lock = threading.Lock()
        self._reserved_tokens = 0
        self._reserved_cost = 0.0
        self._under_way = 0
        self._waiting: list[Future[None]] = []
        for usage in before:
            self._count(usage)
        self._on_usage = on_usage

    def add(self, usage: ModelUsage) -> None:
        """Count model calls and report them to `on_usage`."""
        self._on_usage(usage)
        self._count(usage)

    def recount(self, stored: Iterable[ModelUsage]) -> None:
        """Count what other processes have paid for as well.

        Args:
            stored: all usage of the run that was stored, this process's own included.
        """
        by_role: dict[tuple[str, str], ModelUsage] = {}
        for usage in stored:
            key = (usage.role, usage.model)
            by_role[key] = by_role[key].plus(usage) if key in by_role else usage
        with self._lock:
            for key, usage in by_role.items():
                known = self._by_role.get(key)
                # Own usage is counted before it is stored.
                if known is None or usage.calls > known.calls:
                    self._by_role[key] = usage

    def replace_ceilings(self, ceilings: Ceilings) -> None:
        """Check against other ceilings from now on."""
        self._ceilings = ceilings

    def by_role(self) -> list[ModelUsage]:
        """The usage of each role with each model, sorted by role and model."""
        with self._lock:
            return [self._by_role[key] for key in sorted(self._by_role)]

    @property
    def total(self) -> ModelUsage:
        """The usage of all roles and models together; its role and model are empty."""
        total = ModelUsage("", "")
        for usage in self.by_role():
            total = total.plus(usage)
        return total

    @property
    def seconds_used(self) -> float:
        """Wall seconds of the run so far."""
        return self._seconds_used()

    @property
    def seconds_left(self) -> float | None:
        """Seconds until what is left of the ceiling on wall time is for the run's end, at least 0; None without one."""
        ceilings = self._ceilings
        if ceilings.seconds is None:
            return None
        return max(0.0, ceilings.seconds - ceilings.seconds_for_end - self._seconds_used())

    @property
    def seconds_for_end(self) -> float:
        """The part of the ceiling on wall time that is kept back for the run's end."""
        return self._ceilings.seconds_for_end

    @property
    def reached(self) -> str | None:
        """The first ceiling that refused work, as text; None while none has."""
        return self._reached

    def exceeded(self) -> str | None:
        """The ceiling that is reached now, as text; None while the run may use more."""
        total, left = self.total, self.seconds_left
        tokens, cost = self._ceilings.tokens, self._ceilings.cost
        if left is not None and left <= 0:
            return self._describe("time")
        if tokens is not None and total.tokens >= tokens:
            return self._describe("tokens")
        if cost is not None and total.cost >= cost:
            return self._describe("cost")
        return None

    def answer_room(
        self, prompt_tokens: int, most: int, cost_of: Callable[[int, int], float] | None = None
    ) -> int | None:
        """How many tokens an answer may have, at most `most`, so that prompt and answer stay below the ceilings.

        None where that depends on what other requests that are under way will have used: `next_release` says when.

        Args:
            prompt_tokens: an estimate.
            cost_of: dollars of so many tokens in and out; None where the price is not known.

        Raises:
            BudgetExhausted: there is no room for an answer worth asking for, whatever the others use.
        """
        with self._lock:
            reserved, under_way = (self._reserved_tokens, self._reserved_cost), self._under_way
        room, met = self._room(prompt_tokens, most, cost_of, (0, 0.0))
        if met and room < min(most, LEAST_ANSWER):
            raise self.refused(f"{self._describe('tokens' if met == 'tokens' else 'cost')} with the next request")
        if not under_way:  # there is no release to wait for
            return room
        return room if self._room(prompt_tokens, most, cost_of, reserved)[0] >= room else None

    def _room(
        self,
        prompt_tokens: int,
        most: int,
        cost_of: Callable[[int, int], float] | None,
        reserved: tuple[int, float],
    ) -> tuple[int, str]:
        """The room for an answer beside what is reserved, and the ceiling that bounds it; "" for `most`."""
        total, ceilings, room, met = self.total, self._ceilings, most, ""
        if ceilings.tokens is not None:
            left = ceilings.tokens - total.tokens - reserved[0] - prompt_tokens
            room, met = (left, "tokens") if left < room else (room, met)
        if ceilings.cost is not None and cost_of is not None:
            left_cost = ceilings.cost - total.cost - reserved[1] - cost_of(prompt_tokens, 0)
            each = cost_of(0, 1_000_000) / 1_000_000
            affordable = most if each <= 0 else int(left_cost / each)
            room, met = (affordable, "cost") if affordable < room else (room, met)
        return room, met

    def cut_short(
        self, prompt_tokens: int, most: int, cost_of: Callable[[int, int], float] | None = None
    ) -> BudgetExhausted:
        """Build the error for an answer that a ceiling cut off before it could be used; the caller raises it."""
        met = self._room(prompt_tokens, most, cost_of, (0, 0.0))[1]
        return self.refused(f"{self._describe('cost' if met == 'cost' else 'tokens')} within an answer")

    def require_room(self, tokens: int, cost: float) -> None:
        """Check that a request that the run can do without stays below the ceilings, whatever is under way.

        Raises:
            BudgetExhausted: it may not. Only a ceiling that is reached already counts as one that refused work.
        """
        self.require()
        with self._lock:
            reserved = self._reserved_tokens, self._reserved_cost
        for name, limit, used, held, more in (
            ("tokens", self._ceilings.tokens, self.total.tokens, reserved[0], tokens),
            ("cost", self._ceilings.cost, self.total.cost, reserved[1], cost),
        ):
            if limit is None or used + held + more <= limit:
                continue
            ceiling = f"{self._describe('tokens' if name == 'tokens' else 'cost')} with the next request"
            raise BudgetExhausted(ceiling, advice=_ADVICE)

    def next_release(self) -> Future[None]:
        """A future that is done when the next request under way has ended; take it before `answer_room`."""
        waiting: Future[None] = Future()
        with self._lock:
            self._waiting.append(waiting)
        return waiting

    @contextmanager
    def reserved(self, tokens: int, cost: float = 0.0) -> Iterator[None]:
        """Count so many tokens and dollars as used while a request is under way."""
        with self._lock:
            self._reserved_tokens += tokens
            self._reserved_cost += cost
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._reserved_tokens -= tokens
                self._reserved_cost -= cost
                self._under_way -= 1
                if not self._under_way:  # of fractions that are added and subtracted in another order, a rest stays
                    self._reserved_cost = 0.0
                waiting, self._waiting = self._waiting, []
            for future in waiting:
                if future.set_running_or_notify_cancel():
                    future.set_result(None)

    def require(self) -> float | None:
        """Seconds that the next piece of work may take; None for no limit.

        Raises:
            BudgetExhausted: a ceiling is reached.
        """
        exceeded = self.exceeded()
        if exceeded is not None:
            raise self.refused(exceeded)
        return self.seconds_left

    def out_of_time(self) -> BudgetExhausted:
        """Build the error for work that the ceiling on time stopped; the caller raises it."""
        return self.refused(self._describe("time"))

    def refused(self, ceiling: str) -> BudgetExhausted:
        """Remember that a ceiling refused work, and build the error; the caller raises it.

        Args:
            ceiling: as text, which becomes the error's message.
        """
        self._reached = self._reached or ceiling
        return BudgetExhausted(ceiling, advice=_ADVICE)

    def _count(self, usage: ModelUsage) -> None:
        with self._lock:
            key = (usage.role, usage.model)
            self._by_role[key] = self._by_role.get(key, ModelUsage(*key)).plus(usage)

    def _describe(self, name: Literal["time", "tokens", "cost"]) -> str:
        ceilings = self._ceilings
        units = {"time": (ceilings.seconds, "s"), "tokens": (ceilings.tokens, "tokens"), "cost": (ceilings.cost, "USD")}
        value, unit = units[name]
        return f"the ceiling on {name} ({value or 0:.12g} {unit}) is reached"
