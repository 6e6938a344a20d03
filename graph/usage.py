"""What agents used, added up across nodes, steps and resumed runs."""

from __future__ import annotations

from typing import TypedDict

from ..agents.contract.protocol import AgentResponse


class Usage(TypedDict):
    """Tokens, and cost in US dollars."""

    tokens: int
    cost: float


NOTHING_USED: Usage = {"tokens": 0, "cost": 0.0}


def add_usage(one: Usage, other: Usage) -> Usage:
    """The sum; a reducer, whose first value LangGraph makes by calling the type: an empty dict."""
    return {
        "tokens": one.get("tokens", 0) + other.get("tokens", 0),
        "cost": one.get("cost", 0.0) + other.get("cost", 0.0),
    }


def usage_of(response: AgentResponse) -> Usage:
    """What one answer used, all its attempts together."""
    return {
        "tokens": int(response.metadata.get("tokens") or 0),
        "cost": float(response.metadata.get("cost") or 0.0),
    }
