"""Measures the callables of a module and keeps what is clear: growth, cost, a cache, each with the value returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...sandbox.target import PythonTarget
from ..python.judge.oracle import OracleVerdict
from ..python.model.model import ModuleFacts, Trial
from .compose import Measured
from .growth import MOST_COST_SECONDS, MOST_FIRST_SECONDS, cost_of, fit_growth, repeat_of
from .measure import Job, measure
from .model import Cost, Growth, ScaledForm
from .plan import Subject
from .values import returned_verdict, short_verdict

TRIVIAL_ADDITIONS = 20
"""A property that costs less only reads a value or two: it has nothing to become slow."""


async def measured_calls(
    target: PythonTarget, facts: ModuleFacts, subjects: Sequence[Subject], *, seconds: float
) -> tuple[list[Measured], dict[str, str]]:
    """Measures callables; returns what a test can be made of, and why there is none, by qualified name.

    Args:
        seconds: for all measurements together.

    Raises:
        SandboxFailure, StorageError: as `measure`.
    """
    jobs: list[Job] = [job for subject in subjects for job in subject.jobs()]
    answers = await measure(target, facts.module, jobs, seconds=seconds)
    reasons: dict[str, str] = {}
    kept: list[Measured] = []
    for subject in subjects:
        one = _measured(facts, subject, answers)
        if one.growth is None and one.cost is None and one.repeat is None:
            reasons[one.subject] = _why(one, subject, answers)
        else:
            kept.append(one)
    return kept, reasons


def _measured(facts: ModuleFacts, subject: Subject, answers: Mapping[str, Mapping[str, Any]]) -> Measured:
    name, trial = subject.facts.qualname, subject.trial
    verdict = short_verdict(subject.anchor.verdict)
    one = Measured(name, trial, verdict, line=subject.facts.lines[0], before=subject.before)
    cost = answers.get(f"{name} cost", {})
    if verdict is not None and _groups(cost):
        one.cost = cost_of(cost["groups"])
    repeat = answers.get(f"{name} repeat", {})
    if verdict is not None and _is_number(repeat.get("again")):
        one.repeat = repeat_of(*(repeat[key] for key in ("before", "first", "again")))
    found = [(form, source, answers.get(f"{name} growth {at}", {})) for at, (form, source) in enumerate(subject.forms)]
    if one.repeat is not None:
        # What is repeated is answered by the cache: the cost is that of a first call.
        one.cost = cost_of(repeat["groups"]) if _groups(repeat) else None
        return one
    _take_growth(facts, one, found)
    if one.growth is None and one.cost is not None and subject.facts.kind == "property" and _is_trivial(one.cost):
        one.cost = None
    return one


def _is_trivial(cost: Cost) -> bool:
    return cost.additions < TRIVIAL_ADDITIONS


def _take_growth(
    facts: ModuleFacts, one: Measured, found: Sequence[tuple[ScaledForm, Trial, Mapping[str, Any]]]
) -> None:
    """Takes the first form whose growth is clear and whose result can be told; one that grows comes first."""
    steady: tuple[ScaledForm, Trial, Growth, OracleVerdict] | None = None
    unclear: list[str] = []
    for form, source, answer in found:
        points = answer.get("points")
        if not isinstance(points, list) or len(points) < 2:
            continue
        growth = fit_growth([(int(point[0]), [float(value) for value in point[1]]) for point in points])
        if growth.name is None:
            # A number or a text that makes no measurable difference need not be a size at all.
            unclear += [] if form.must_grow else [growth.reason]
            continue
        value, end = next(point[2:4] for point in points if point[0] == growth.sizes[1])
        verdict = returned_verdict(facts, _larger(form, source, growth), value, end)
        if verdict is None:
            unclear.append("its result for a large input cannot be told in a few words")
        elif growth.name in ("constant", "logarithmic"):
            steady = steady or (None if form.must_grow else (form, source, growth, verdict))
        else:
            one.form, one.source, one.growth, one.large = form, source, growth, verdict
            return
    if steady is not None:
        one.form, one.source, one.growth, one.large = steady
    elif unclear:
        one.notes.append(f"{one.subject}: no test of how it grows: {unclear[0]}.")


def _larger(form: ScaledForm, source: Trial, growth: Growth) -> Trial:
    """The call at the larger of the compared sizes, with what it is given as a variable of its own."""
    value = form.value_of(growth.sizes[1])
    if form.inlined:
        return replace(source, act=form.act_with(value), arrange=form.setup(), wanted=None, mode="call")
    arrange = (*form.setup(), f"_value = {value}")
    return replace(source, act=form.act_with("_value"), arrange=arrange, wanted=None, mode="call")


def _why(one: Measured, subject: Subject, answers: Mapping[str, Mapping[str, Any]]) -> str:
    if one.verdict is None:
        return "its result is too long to stand beside a measurement, and no input of it has a size"
    told = {kind: answers.get(f"{one.subject} {kind}", {}) for kind in ("cost", "repeat")}
    for answer in told.values():
        if answer.get("problem"):
            return f"it could not be measured: {answer['problem']}"
    if subject.cached:
        return _why_no_cache(told["repeat"])
    if _groups(told["cost"]) and cost_of(told["cost"]["groups"]) is None:
        return (
            f"a call takes longer than {1000 * MOST_COST_SECONDS:g} ms: other work of the machine would be in its time"
        )
    return "it only reads a value: there is nothing in it to become slow"


def _why_no_cache(answer: Mapping[str, Any]) -> str:
    """Why a function with a cache has no test of it."""
    if not answer:
        return "how its cache is emptied is not known, and only a first call would be measured"
    if _is_number(answer.get("first")) and answer["first"] > MOST_FIRST_SECONDS:
        return f"a first call takes longer than {1000 * MOST_FIRST_SECONDS:g} ms, and a test repeats it"
    return "its cache saves too little for a test to tell that it is lost"


def _groups(answer: Mapping[str, Any]) -> bool:
    groups = answer.get("groups")
    return isinstance(groups, list) and bool(groups) and all(_is_number(row[1]) and row[1] > 0 for row in groups)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
