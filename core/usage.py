"""What a run's model calls used, and the ceilings they stop at (T-13, B-08).

Three who count: the `Budget` counts all that the run has paid for, sessions before a resume included; a `Tally` counts
what one agent's answer took, whoever it asked how often; the audit log has each call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from .errors import BudgetExhausted

_ADVICE = (
    "What was accepted stays. `testwright resume` with the run's id and a higher --max-tokens, --max-cost or "
    "--max-seconds goes on, and pays for nothing twice."
)


@dataclass(frozen=True, slots=True)
class Spend:
    """Model calls of one role with one model, added up; cost in US dollars."""

    role: str
    model: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """In and out together."""
        return self.tokens_in + self.tokens_out

    def plus(self, other: Spend) -> Spend:
        """Both together, under this one's role and model."""
        return Spend(
            self.role,
            self.model,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            round(self.cost + other.cost, 9),
        )


@dataclass(frozen=True, slots=True)
class Ceilings:
    """How far a run may go; None for no limit.

    Attributes:
        tokens: in and out together.
        cost: US dollars.
        seconds: wall time.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class Budget:
    """What the run has spent on models, and whether it may spend more; shared by all its chats.

    It remembers that it had to refuse something, whoever asked and whatever became of that.

    Args:
        seconds_used: wall seconds of the run so far, sessions before a resume included.
        before: what was paid for in sessions before this one.
        told: is told of everything that is added from now on.
    """

    def __init__(
        self,
        ceilings: Ceilings | None = None,
        seconds_used: Callable[[], float] = lambda: 0.0,
        *,
        before: Iterable[Spend] = (),
        told: Callable[[Spend], None] = lambda spend: None,
    ) -> None:
        self._ceilings = ceilings or Ceilings()
        self._seconds_used = seconds_used
        self._spent: dict[tuple[str, str], Spend] = {}
        self._reached: str | None = None
        self._lock = threading.Lock()
        self._told: Callable[[Spend], None] = lambda spend: None
        for spend in before:
            self.add(spend)
        self._told = told

    def add(self, spend: Spend) -> None:
        """Count what was paid for."""
        self._told(spend)
        with self._lock:
            key = (spend.role, spend.model)
            self._spent[key] = self._spent.get(key, Spend(*key)).plus(spend)

    def by_role(self) -> list[Spend]:
        """By role and model, in their order."""
        with self._lock:
            return [self._spent[key] for key in sorted(self._spent)]

    @property
    def total(self) -> Spend:
        """Everything together."""
        total = Spend("", "")
        for one in self.by_role():
            total = total.plus(one)
        return total

    @property
    def seconds_used(self) -> float:
        """Wall seconds of the run so far."""
        return self._seconds_used()

    @property
    def seconds_left(self) -> float | None:
        """Until the ceiling on wall time, not below 0; None without one."""
        ceiling = self._ceilings.seconds
        return None if ceiling is None else max(0.0, ceiling - self._seconds_used())

    @property
    def reached(self) -> str | None:
        """The ceiling that something was refused for, in words; None while nothing was."""
        return self._reached

    def exceeded(self) -> str | None:
        """The ceiling that is reached now, in words; None while more may be spent."""
        total, left = self.total, self.seconds_left
        tokens, cost = self._ceilings.tokens, self._ceilings.cost
        if left is not None and left <= 0:
            return self._in_words("time")
        if tokens is not None and total.tokens >= tokens:
            return self._in_words("tokens")
        if cost is not None and total.cost >= cost:
            return self._in_words("cost")
        return None

    def require(self) -> float | None:
        """Seconds that the next piece of work may take; None for any number.

        Raises:
            BudgetExhausted: a ceiling is reached.
        """
        exceeded = self.exceeded()
        if exceeded is not None:
            raise self.refused(exceeded)
        return self.seconds_left

    def out_of_time(self) -> BudgetExhausted:
        """The error for work that the ceiling on time has cut off, or that would not end before it; to be raised."""
        return self.refused(self._in_words("time"))

    def refused(self, ceiling: str) -> BudgetExhausted:
        """The error for something refused because of a ceiling, in words; to be raised. It is remembered."""
        self._reached = self._reached or ceiling
        return BudgetExhausted(ceiling, advice=_ADVICE)

    def _in_words(self, what: Literal["time", "tokens", "cost"]) -> str:
        ceilings = self._ceilings
        said = {"time": (ceilings.seconds, "s"), "tokens": (ceilings.tokens, "tokens"), "cost": (ceilings.cost, "USD")}
        value, unit = said[what]
        return f"the ceiling on {what} ({value or 0:.12g} {unit}) is reached"


@dataclass(slots=True)
class Tally:
    """What one agent's answer took.

    Attributes:
        trace_id: of the request that is answered.
        models: every model that was asked, in order of first use.
    """

    trace_id: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    calls: int = 0
    models: tuple[str, ...] = ()

    def add(self, spend: Spend | Tally) -> None:
        """Count a call, or all that an agent asked on the way has used."""
        self.calls += spend.calls
        self.tokens_in += spend.tokens_in
        self.tokens_out += spend.tokens_out
        self.tokens_cached += spend.tokens_cached
        self.cost = round(self.cost + spend.cost, 9)
        models = spend.models if isinstance(spend, Tally) else (spend.model,)
        self.models = tuple(dict.fromkeys((*self.models, *models)))

    def metadata(self) -> dict[str, Any]:
        """For an agent's response; empty when no model was asked."""
        if not self.models:
            return {}
        return {
            "tokens": self.tokens_in + self.tokens_out,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_cached": self.tokens_cached,
            "cost": self.cost,
            "model": ", ".join(self.models),
            "model_calls": self.calls,
        }


_TALLY: ContextVar[Tally | None] = ContextVar("testwright_tally", default=None)


@contextmanager
def tallying(trace_id: str) -> Iterator[Tally]:
    """Count what is spent while one request is answered, also by tasks it starts and agents it asks."""
    tally, outer = Tally(trace_id), _TALLY.get()
    token = _TALLY.set(tally)
    try:
        yield tally
    finally:
        _TALLY.reset(token)
        if outer is not None:
            outer.add(tally)


def current_tally() -> Tally | None:
    """The tally of the request that is being answered here, if one is."""
    return _TALLY.get()
