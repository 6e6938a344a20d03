"""Parses the worker's answers, one JSON object a trial, into the engine's data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .model import Arc, Observation, Raised, Trial, Value


@dataclass(frozen=True, slots=True)
class ObservedTrial:
    """An observation with the details that only the engine itself uses.

    Attributes:
        shown: the whole repr of the result, as a doctest would print it ("" for None), for trials with a `wanted`.
        random: whether the act drew from `random` or `os.urandom`.
        dated: whether the act looked at the calendar clock.
        setup: arcs of the target file that arranging ran.
        steps: lines of the target file that the act ran.
        calls_for: the mode that would show more of the result (iterate, await, aiterate), or "".
        changed: places in the act (line, column) of literals that the act changed.
        named: the same trial with variables for those literals, and its observation.
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


def observed_trial(answer: Mapping[str, Any]) -> ObservedTrial:
    """Parses one answer of the worker."""
    raised = answer.get("raised")
    observation = Observation(
        outcome=answer["outcome"],
        value=_value(answer["value"]) if "value" in answer else None,
        raised=None
        if raised is None
        else Raised(raised["t"], raised.get("m", ""), raised.get("l", 0), tuple(raised.get("b", ())), raised.get("c")),
        effects=tuple((expression, _value(value)) for expression, value in answer.get("effects", ())),
        **{name: answer[name] for name in ("output", "errors", "seconds") if name in answer},
        warnings=tuple((category, message) for category, message in answer.get("warnings", ())),
        arcs=frozenset((start, end) for start, end in answer.get("arcs", ())),
        operands=tuple((line, left, right) for line, left, right in answer.get("operands", ())),
        consulted=tuple(answer.get("consulted", ())),
    )
    return ObservedTrial(
        observation=observation,
        setup=frozenset((start, end) for start, end in answer.get("setup", ())),
        **{name: answer[name] for name in ("shown", "random", "dated", "steps", "calls_for") if name in answer},
        changed=tuple((line, column) for line, column in answer.get("changed", ())),
    )


def _value(answer: Mapping[str, Any]) -> Value:
    return Value(
        type_name=answer["t"],
        source=answer.get("s"),
        imports=tuple(answer.get("i", ())),
        approximate=answer.get("a", False),
        unordered=answer.get("u", False),
        attributes=tuple((name, _value(value)) for name, value in answer.get("at", ())),
        length=answer.get("n"),
        text=answer.get("x", ""),
    )
