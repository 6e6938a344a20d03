"""Reads the worker's answers, one JSON object a trial, into the engine's data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .model import Arc, Observation, Raised, Trial, Value


@dataclass(frozen=True, slots=True)
class ObservedTrial:
    """An observation with what only the engine itself needs.

    Attributes:
        shown: the whole repr of the result, as a doctest would print it ("" for None), for trials with a `wanted`.
        random: whether the act drew from `random` or `os.urandom`.
        dated: whether the act looked at the calendar clock.
        setup: arcs of the target file that arranging ran.
        steps: lines of the target file that the act ran.
        calls_for: the mode that would tell more about the result (iterate, await, aiterate), or nothing.
        changed: where in the act literals stand (line, column) that the act changed.
        named: the same with those named, as a trial of its own and what that did.
    """

    observation: Observation
    shown: str | None = None
    random: bool = False
    dated: bool = False
    setup: frozenset[Arc] = frozenset()
    steps: int = 0
    calls_for: str = ""
    changed: tuple[tuple[int, int], ...] = ()
    named: tuple[Trial, ObservedTrial] | None = None


def observed_trial(told: Mapping[str, Any]) -> ObservedTrial:
    """One answer of the worker as data."""
    raised = told.get("raised")
    observation = Observation(
        outcome=told["outcome"],
        value=_value(told["value"]) if "value" in told else None,
        raised=None
        if raised is None
        else Raised(raised["t"], raised.get("m", ""), raised.get("l", 0), tuple(raised.get("b", ())), raised.get("c")),
        effects=tuple((expression, _value(value)) for expression, value in told.get("effects", ())),
        output=told.get("output", ""),
        errors=told.get("errors", ""),
        warnings=tuple((category, message) for category, message in told.get("warnings", ())),
        arcs=frozenset((start, end) for start, end in told.get("arcs", ())),
        operands=tuple((line, left, right) for line, left, right in told.get("operands", ())),
        seconds=told.get("seconds", 0.0),
    )
    setup = frozenset((start, end) for start, end in told.get("setup", ()))
    return ObservedTrial(
        observation=observation,
        shown=told.get("shown"),
        random=told.get("random", False),
        dated=told.get("dated", False),
        setup=setup,
        steps=told.get("steps", 0),
        calls_for=told.get("calls_for", ""),
        changed=tuple((line, column) for line, column in told.get("changed", ())),
    )


def _value(told: Mapping[str, Any]) -> Value:
    return Value(
        type_name=told["t"],
        source=told.get("s"),
        imports=tuple(told.get("i", ())),
        approximate=told.get("a", False),
        unordered=told.get("u", False),
        attributes=tuple((name, _value(value)) for name, value in told.get("at", ())),
        length=told.get("n"),
        text=told.get("x", ""),
    )
