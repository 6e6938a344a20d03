"""Counts the model calls behind one agent's answer; tokens and US dollars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from .usage import ModelUsage


@dataclass(slots=True)
class RequestUsage:
    """Model calls behind one agent's answer.

    Attributes:
        trace_id: of the request that is answered.
        models: every model that was called, in order of first use.
    """

    trace_id: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    calls: int = 0
    models: tuple[str, ...] = ()

    def add(self, usage: ModelUsage | RequestUsage) -> None:
        """Count one call, or everything that a nested agent request used."""
        self.calls += usage.calls
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.tokens_cached += usage.tokens_cached
        self.cost = round(self.cost + usage.cost, 9)
        models = usage.models if isinstance(usage, RequestUsage) else (usage.model,)
        self.models = tuple(dict.fromkeys((*self.models, *models)))

    def metadata(self) -> dict[str, Any]:
        """The usage as metadata of an agent's response; empty when no model was called."""
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


_CURRENT: ContextVar[RequestUsage | None] = ContextVar("testwright_request_usage", default=None)


@contextmanager
def track_request(trace_id: str) -> Iterator[RequestUsage]:
    """Count model calls made inside the block, also by tasks it starts and agents it calls.

    Tracking nests: what an inner block used is added to the outer one when the inner block ends.
    """
    usage, outer = RequestUsage(trace_id), _CURRENT.get()
    token = _CURRENT.set(usage)
    try:
        yield usage
    finally:
        _CURRENT.reset(token)
        if outer is not None:
            outer.add(usage)


def current_request_usage() -> RequestUsage | None:
    """The counter of the request that is being answered in this context; None outside of any."""
    return _CURRENT.get()
