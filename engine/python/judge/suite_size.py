"""Limits the size of a test file: drops the findings that add least for the lines they take.

A file has at most so many test functions and rows, and about one line for each line of the module.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..model.model import RICH_SOURCES
from ..model.spec_case import Case
from .assertable_finding import AssertableFinding

_LEAST_LINES = 120
_TURNS = 6
_MOST_FUNCTIONS = 80
_FUNCTIONS_OF_EACH = 3
_WIDTH = 80
_OF_AN_ARC = 4.0
_OF_A_KILL = 1.0
_OF_A_DOCUMENT = 6.0
_OF_AN_ANCHOR = 12.0  # the first finding of a callable: its representative example
_OF_A_WRITTEN_ANCHOR = 36.0  # one that a person wrote, or that the project calls: what the callable is there for
_OF_A_SECOND_ANSWER = 6.0  # with one answer alone, a constant passes
_OF_WHAT_OTHERS_SHOW = 0.02


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Upper bounds for a test file.

    Attributes:
        lines: non-blank lines of the formatted file.
    """

    functions: int = _MOST_FUNCTIONS
    rows: int = 300
    lines: int = 100_000


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of a test file."""

    functions: int
    rows: int
    lines: int

    def within(self, limits: SizeLimits) -> bool:
        """Whether the size is within the limits."""
        return self.functions <= limits.functions and self.rows <= limits.rows and self.lines <= limits.lines


def limits_for(source_lines: int, callables: int = 0) -> SizeLimits:
    """Returns the limits for a module with so many non-blank lines and public callables.

    A small one may have more test lines than that; each of many callables may have a few test functions.
    """
    functions = max(_MOST_FUNCTIONS, _FUNCTIONS_OF_EACH * callables)
    return SizeLimits(functions=functions, lines=max(_LEAST_LINES, source_lines))


@dataclass(frozen=True, slots=True)
class BuiltCases:
    """The cases of findings: `ids` in the order of the findings, `cases` in the order of the file, groups set.

    Attributes:
        vague: ids of the cases for which nobody can say in words what sets them apart from others.
        told: what the names of tests say behind the member's own words, by the ids of their cases.
    """

    ids: tuple[str, ...]
    cases: tuple[Case, ...]
    vague: frozenset[str] = frozenset()
    told: Mapping[str, str] = field(default_factory=dict[str, str])

    def of_findings(self) -> list[Case]:
        """Returns the cases in the order of the findings."""
        by_id = {case.id: case for case in self.cases}
        return [by_id[id_] for id_ in self.ids]


def fit_to_limits(
    judged: Sequence[AssertableFinding],
    build: Callable[[Sequence[AssertableFinding]], BuiltCases],
    written: Callable[[Sequence[Case]], str],
    limits: SizeLimits,
) -> BuiltCases:
    """Drops findings until their file is within the limits; returns the cases of the others.

    Args:
        build: turns findings into cases.
        written: renders cases as a file.
    """
    left = list(judged)
    built = build(left)
    for _ in range(_TURNS):
        size = size_of(built.cases, written)
        if size.within(limits) or len(left) < 2:
            break
        left = _without_the_least(left, built.of_findings(), size, limits)
        built = build(left)
    return built


def size_of(cases: Sequence[Case], written: Callable[[Sequence[Case]], str]) -> SuiteSize:
    """Measures a file of these cases."""
    grouped = {case.group for case in cases if case.group}
    alone = sum(not case.group for case in cases)
    lines = sum(1 for line in written(cases).splitlines() if line.strip()) if cases else 0
    return SuiteSize(len(grouped) + alone, len(cases), lines)


def _without_the_least(
    judged: Sequence[AssertableFinding], shapes: Sequence[Case], size: SuiteSize, limits: SizeLimits
) -> list[AssertableFinding]:
    """Drops findings by value per line until the estimated size is within the limits."""
    members: Counter[str | None] = Counter(case.group for case in shapes if case.group)
    arcs = Counter(arc for one in judged for arc in one.finding.observation.arcs)
    kills = Counter(kill for one in judged for kill in one.finding.kills)
    anchors, seconds = _first_answers(judged)
    scale = size.lines / max(1.0, sum(_lines(case, members) for case in shapes))
    left = dict(enumerate(judged))
    functions, rows, lines = size.functions, size.rows, float(size.lines)

    def value_of(at: int) -> float:
        one = left[at]
        seen = one.finding.observation.arcs
        own = _OF_AN_ARC * sum(arcs[arc] == 1 for arc in seen)
        own += _OF_A_KILL * sum(kills[kill] == 1 for kill in one.finding.kills)
        own += _OF_A_DOCUMENT * one.documented
        anchor = _OF_A_WRITTEN_ANCHOR if one.finding.trial.source in RICH_SOURCES else _OF_AN_ANCHOR
        own += anchor * (at in anchors) + _OF_A_SECOND_ANSWER * (at in seconds)
        return own + _OF_WHAT_OTHERS_SHOW * (len(seen) + 4 * len(one.finding.kills))

    # A finding that is dropped changes the values of those that alone show a part of it, and the lines of its table.
    values = {at: value_of(at) for at in left}
    sizes = {at: _lines(shapes[at], members) for at in left}
    while len(left) > 1 and (functions > limits.functions or rows > limits.rows or lines > limits.lines):
        if functions > limits.functions:
            # Rows of a table share their function: dropping one of several makes no function less.
            alone = [at for at in left if not shapes[at].group or members[shapes[at].group] == 1]
            least = min(alone or left, key=lambda at: (values[at], -at))
        else:
            least = min(left, key=lambda at: (values[at] / sizes[at], -at))
        gone = left.pop(least).finding
        case = shapes[least]
        lines -= scale * sizes[least]
        rows -= 1
        if not case.group or members[case.group] == 1:
            functions -= 1
        if case.group:
            members[case.group] -= 1
        arcs.subtract(gone.observation.arcs)
        kills.subtract(gone.kills)
        rare_arcs = {arc for arc in gone.observation.arcs if arcs[arc] == 1}
        rare_kills = {kill for kill in gone.kills if kills[kill] == 1}
        for at, one in left.items():
            if not (rare_arcs.isdisjoint(one.finding.observation.arcs) and rare_kills.isdisjoint(one.finding.kills)):
                values[at] = value_of(at)
            if case.group and shapes[at].group == case.group:
                sizes[at] = _lines(shapes[at], members)
    return list(left.values())


def _first_answers(judged: Sequence[AssertableFinding]) -> tuple[set[int], set[int]]:
    """The places of each callable's first finding, and of the first one that returned something else."""
    first: dict[str, tuple[int, str | None]] = {}
    second: dict[str, int] = {}
    for at, one in enumerate(judged):
        subject, value = one.finding.trial.subject, one.finding.observation.value
        if subject not in first:
            first[subject] = (at, value.source if value is not None else None)
        elif value is not None and value.source not in (None, first[subject][1]):
            second.setdefault(subject, at)
    return {at for at, _ in first.values()}, set(second.values())


def _lines(case: Case, members: Counter[str | None]) -> float:
    """Estimates a case's lines: one or two for a row of a table, several for a test of its own."""
    code = [*case.statements, case.expression, *(f"{one.actual}{one.value or one.match or ''}" for one in case.expect)]
    if case.group and members[case.group] > 1:
        text = sum(len(part) for part in code[-1 - len(case.expect) :])
        return math.ceil(text / _WIDTH / 1.5) + 6 / members[case.group]
    return 1 + sum(math.ceil(len(part) / _WIDTH) * (1 + (len(part) > _WIDTH)) for part in code)
