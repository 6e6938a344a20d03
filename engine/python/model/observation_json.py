"""Parses the worker's answers, one JSON object a trial, into the engine's data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .model import Arc, Observation, Raised, Trial, Value

T = TypeVar("T")
_SOURCES = (str, type(None))


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a function or method of the target.

    Attributes:
        name: of the function or method alone.
        line: where its definition begins; a decorator belongs to it.
        arguments: parameters but `self` and what they were given; `*name` and `**name` for what a star took.
    """

    name: str
    line: int
    arguments: tuple[tuple[str, Value], ...]


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
        passed: the calls that a trial which records them made of the target.
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
    passed: tuple[RecordedCall, ...] = ()


def parsed(line: bytes, form: Callable[[Any], T]) -> T:
    """Parses a line of a worker, which code under test can have written instead.

    Args:
        form: makes the result of the line's JSON value.

    Raises:
        ValueError: it is in another form; the worker is as good as lost.
    """
    try:
        return form(json.loads(line))
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as fault:
        raise ValueError(f"a worker's answer is in another form: {fault!r}") from fault


def observed_trial(answer: Mapping[str, Any]) -> ObservedTrial:
    """Parses one answer of the worker. Raises KeyError, TypeError, AttributeError for one in another form."""
    raised = answer.get("raised")
    observation = Observation(
        outcome=answer["outcome"],
        value=value_of(answer["value"]) if "value" in answer else None,
        raised=None
        if raised is None
        else Raised(raised["t"], raised.get("m", ""), raised.get("l", 0), tuple(raised.get("b", ())), raised.get("c")),
        effects=tuple((expression, value_of(value)) for expression, value in answer.get("effects", ())),
        **{name: answer[name] for name in ("output", "errors", "printed_before", "seconds") if name in answer},
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
        passed=tuple(map(_recorded_call, answer.get("passed", ()))),
    )


def _recorded_call(told: Sequence[Any]) -> RecordedCall:
    name, line, arguments = told
    if type(name) is not str or type(line) is not int:
        raise TypeError("the name or the line of a call is in another form")
    return RecordedCall(name, line, tuple((str(parameter), value_of(value)) for parameter, value in arguments))


def value_of(answer: Mapping[str, Any]) -> Value:
    type_name, source = answer["t"], answer.get("s")
    if type(type_name) is not str or type(source) not in _SOURCES:
        raise TypeError("the type or source of a value is no text")
    if not all(type(text) is str for text in answer.get("i", ())):
        raise TypeError("what a value needs imported is no text")
    return Value(
        type_name=type_name,
        source=source,
        imports=tuple(answer.get("i", ())),
        approximate=answer.get("a", False),
        unordered=answer.get("u", False),
        attributes=tuple((name, value_of(value)) for name, value in answer.get("at", ())),
        length=answer.get("n"),
        text=answer.get("x", ""),
        held=answer.get("h", ""),
        unchanged=answer.get("e", False) is True,
        converted=answer.get("o", False) is True,
    )
