"""Chooses what is measured of a module: for each callable an everyday call, its forms with a size, its cache."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ...utils.python_source import parse_expression, parse_python
from ..python.judge.assertable_finding import AssertableFinding
from ..python.model.model import CallableFacts, Exploration, Trial
from .measure import Job, Point, growth_points
from .model import ScaledForm
from .scaling import scaled_forms

_CACHES = ("lru_cache", "cache", "cached_property", "cachedproperty", "cached")
_CHANGES = "it changes what it is given: a second call would do other work"
_CONSTANTS = ("None", "True", "False", "...")
_MOST_EXAMPLES = 6
_MOST_FORMS = 8
_MOST_SUBJECTS = 60


@dataclass(frozen=True, slots=True)
class Subject:
    """A callable whose time is measured.

    Attributes:
        anchor: its everyday call, with expectations.
        forms: its forms with a size, each with the trial it comes from.
        cached: it has a cache: what is measured is the first call and a repeated one.
        before: what makes the next call a first one, for a cache.
    """

    facts: CallableFacts
    anchor: AssertableFinding
    forms: tuple[tuple[ScaledForm, Trial], ...] = ()
    cached: bool = False
    before: tuple[str, ...] = ()

    @property
    def trial(self) -> Trial:
        """The everyday call."""
        return self.anchor.finding.trial

    def jobs(self) -> list[Job]:
        """What is to be measured of it."""
        name, trial = self.facts.qualname, self.trial
        point = Point(0, timed(trial), trial.arrange, self.before)
        jobs: list[Job] = []
        if self.before:
            jobs.append(Job(f"{name} repeat", "repeat", trial.imports, ((point,),)))
        if self.cached:
            return jobs
        jobs.append(Job(f"{name} cost", "cost", trial.imports, ((point,),)))
        for at, (form, source) in enumerate(self.forms):
            points = growth_points(form, listed=source.mode == "iterate")
            jobs.append(Job(f"{name} growth {at}", "growth", source.imports, (points,)))
        return jobs


def timed(trial: Trial) -> str:
    """The expression that is timed: an iterator is read to its end."""
    return f"list({trial.act})" if trial.mode == "iterate" else trial.act


def subjects_of(
    exploration: Exploration, judged: Sequence[AssertableFinding], without: dict[str, str]
) -> tuple[list[Subject], dict[str, str]]:
    """The callables to measure, in source order, and why the others are not.

    Args:
        judged, without: as `assertable_findings` returns them.
    """
    callables = {one.qualname: one for one in exploration.facts.callables()}
    reasons = {one.qualname: one.reason for one in exploration.unreached} | without
    found: list[Subject] = []
    by_subject: dict[str, list[AssertableFinding]] = {}
    for one in judged:
        by_subject.setdefault(one.finding.trial.subject, []).append(one)
    for name, findings in by_subject.items():
        facts = callables.get(name)
        if facts is None or facts.kind == "constructor" or facts.name.startswith("__"):
            reasons[name] = "constructors and special methods are timed by the calls that use them"
            continue
        changing = any(one.finding.observation.effects or _returns_its_object(one) for one in findings)
        usable = [] if changing else [one for one in findings if not _unfit(one)]
        if not usable:
            reasons[name] = _CHANGES if changing else _unfit(findings[0])
        elif len(found) >= _MOST_SUBJECTS:
            reasons[name] = f"{_MOST_SUBJECTS} callables before it are measured; name it to have it measured"
        else:
            reasons.pop(name, None)
            found.append(_subject(facts, usable))
    return found, {name: reason for name, reason in reasons.items() if name in callables}


def _returns_its_object(one: AssertableFinding) -> bool:
    """Whether a call returns an object that it was given, as methods do whose purpose is to change it."""
    return any(demand.kind == "is" and demand.value not in _CONSTANTS for demand in one.verdict.expectations)


def _unfit(one: AssertableFinding) -> str:
    """Why a call cannot be timed again and again; empty where it can."""
    finding = one.finding
    trial, seen = finding.trial, finding.observation
    if seen.outcome != "returned" or seen.value is None:
        return "no call was found that returns"
    if seen.output or seen.errors or seen.warnings:
        return "it prints or warns: that would be what is measured"
    if trial.mode not in ("call", "iterate"):
        return "coroutines and context managers are not timed"
    if trial.fixtures:
        return "it needs files or stand-ins, whose time would be measured"
    if finding.unstable:
        return "its result differs from call to call"
    if one.silent or one.weak:
        return "no result is known that a trivial implementation does not give"
    return ""


def _subject(facts: CallableFacts, usable: Sequence[AssertableFinding]) -> Subject:
    # A documented example is the everyday call; else the one with the most in it.
    ordered = sorted(usable, key=lambda one: (not one.documented, not one.answers, -_content(one.finding.trial)))
    anchor = ordered[0]
    before = _before(facts, anchor.finding.trial)
    cached = any(name.rpartition(".")[2].partition("(")[0] in _CACHES for name in facts.decorators)
    forms: dict[str, tuple[ScaledForm, Trial]] = {}
    richest = sorted(usable, key=lambda one: -_content(one.finding.trial))
    for one in [anchor, *richest][:_MOST_EXAMPLES]:
        trial = one.finding.trial
        for form in scaled_forms(trial, facts):
            forms.setdefault(f"{form.act} {form.value} {form.helper}", (form, trial))
    chosen = _representative(list(forms.values()))[:_MOST_FORMS]
    return Subject(facts, anchor, chosen, cached, before)


def _representative(forms: list[tuple[ScaledForm, Trial]]) -> tuple[tuple[ScaledForm, Trial], ...]:
    """The forms without repeated texts, where one is known that has several parts."""
    parted = any(".join(" in form.value for form, _ in forms)
    plain = [one for one in forms if one[0].noun == "characters" and ".join(" not in one[0].value]
    return tuple(one for one in forms if not parted or one not in plain)


def _content(trial: Trial) -> int:
    """How many values a call is given; of texts, how long they are."""
    found = 0
    for text in (*trial.arrange, trial.act):
        for node in ast.walk(parse_python(text)):
            if isinstance(node, ast.Constant):
                found += 1 + (min(len(node.value), 60) // 10 if isinstance(node.value, str) else 0)
    return min(found, 40)


def _before(facts: CallableFacts, trial: Trial) -> tuple[str, ...]:
    """Statements that make the next call a first one: the cache is emptied, or the object is made anew."""
    decorators = {name.rpartition(".")[2].partition("(")[0] for name in facts.decorators}
    if decorators & {"lru_cache", "cache"}:
        call = parse_expression(trial.act)
        if isinstance(call, ast.Call):
            return (f"{ast.unparse(call.func)}.cache_clear()",)
    return trial.arrange if trial.arrange and facts.kind in ("method", "property") else ()
