"""Selects the trials that become tests: few, easy to read, together covering all reached arcs and killed mutants."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ....utils.python_source import literal_value
from ..domain.membership import count_outside, knows_domains
from ..judge.oracle import ACCIDENTS
from ..judge.readability import reading_cost, rebinds_import
from ..model.model import Arc, ModuleFacts, Observation
from .trial_search import RICH_SOURCES, SLOW_STEPS, TrialRecord, has_assertable_outcome, returned_none

MOST_PER_CALLABLE = 8
MOST_EXAMPLES = 6
# Raised by the operating system: not behaviour of the code unless the code or its documentation names the exception.
SYSTEM_ERRORS = frozenset({"IsADirectoryError", "NotADirectoryError", "PermissionError"})
# Depends on the working folder, unless the test creates a folder of its own.
FOLDER_ERRORS = frozenset({"FileNotFoundError", "FileExistsError"})
# Depends on the machine or the installation rather than on the code.
NEVER_ASSERTED = frozenset({"KeyboardInterrupt", "GeneratorExit", "SystemError", "MemoryError", "ModuleNotFoundError"})
Goal = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class TrialCandidate:
    """A record with the properties that decide about its selection.

    Attributes:
        goals: behaviours it shows besides its arcs; see `_goals`.
        cost: how hard it is to read; lower is better.
        asserts: whether an exact assertion is possible.
        example: whether it is a documented example, which is selected whatever the others show.
        misfits: number of arguments whose type differs from the annotation; such a trial is a last resort.
        refusal: whether a `raise` statement of the module raised its exception.
        kills: mutants that its test would detect.
    """

    record: TrialRecord
    goals: frozenset[Goal]
    cost: float
    asserts: bool
    example: bool
    misfits: int = 0
    refusal: bool = False
    kills: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Selection:
    """The selected candidates by record number, and what they cover together."""

    covered: set[Arc]
    chosen: dict[int, TrialCandidate] = field(default_factory=dict)
    shown: set[Goal] = field(default_factory=set)
    killed: set[int] = field(default_factory=set)

    def take(self, candidate: TrialCandidate) -> None:
        self.chosen[candidate.record.number] = candidate
        self.covered.update(candidate.record.covered)
        self.shown.update(candidate.goals)
        self.killed.update(candidate.kills)


def select_trials(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """Selects records; ordered by their callable's position in the source, easiest to read first within each.

    Args:
        reached: arcs that importing the module runs; they need no test.
        kills: mutants that records detect, by record number.
    """
    candidates = rank_candidates(records, facts, kills or {})
    selection = _Selection(set(reached))
    _take_examples(candidates, selection)
    fitting = [candidate for candidate in candidates if not candidate.misfits]
    misfitting = [candidate for candidate in candidates if candidate.misfits]
    _cover(fitting, selection, count_kills=True)
    _cover(misfitting, selection, count_kills=False)
    # Mutants measure kinds of results and sides of comparisons better than goals do: then only endings count.
    ranks = (0,) if kills else (0, 1, 2)
    _cover_goals(fitting, selection, ranks)
    for candidate in misfitting:
        # An explicit type check deserves a test although its argument contradicts the annotation.
        if candidate.refusal and any(goal[0] == 0 and goal not in selection.shown for goal in candidate.goals):
            selection.take(candidate)
    order = {subject.qualname: index for index, subject in enumerate(facts.callables())}
    picked = _without_redundant(list(selection.chosen.values()), reached, ranks)
    picked.sort(key=lambda item: (order.get(item.record.trial.subject, len(order)), item.cost, item.record.number))
    return [candidate.record for candidate in picked]


def rank_candidates(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    kills: Mapping[int, frozenset[int]] | None = None,
    *,
    alike: int = 1,
) -> list[TrialCandidate]:
    """Returns the records that can become tests: those with an exact assertion first, then by reading cost.

    Args:
        kills: mutants that records detect, by record number.
        alike: how many to keep of the records that show the same.
    """
    # Returning None is worth asserting where the callable is annotated otherwise or sometimes returns something else.
    none_matters = {subject.qualname for subject in facts.callables() if subject.returns not in (None, "", "None")}
    none_matters |= {record.trial.subject for record in records if not returned_none(record.observation)}
    fit_known = knows_domains(facts)
    raise_lines = {site.line for subject in facts.callables() for site in subject.raises}
    declining_lines = {line for subject in facts.callables() for line in subject.declines}
    found: dict[Goal, list[TrialCandidate]] = {}
    for record in records:
        if _raised_by_accident(record, raise_lines, declining_lines) or rebinds_import(record.trial):
            continue
        trial, raised = record.trial, record.observation.raised
        traits = _traits(record, facts if fit_known else None)
        candidate = TrialCandidate(
            record=record,
            goals=traits.goals,
            cost=traits.cost,
            asserts=has_assertable_outcome(record.observation)
            or (returned_none(record.observation) and trial.subject in none_matters),
            example=bool(trial.wanted) and not record.seen.random and record.seen.steps <= SLOW_STEPS,
            misfits=traits.misfits,
            refusal=raised is not None and raised.line in raise_lines,
            kills=(kills or {}).get(record.number, frozenset()),
        )
        same = (trial.subject, record.arcs, traits.goals, trial.wanted, candidate.kills)
        found.setdefault(same, []).append(candidate)
    kept = [
        candidate
        for group in found.values()
        for candidate in sorted(group, key=lambda item: (item.misfits, item.cost, item.record.number))[:alike]
    ]
    return sorted(kept, key=lambda item: (not item.asserts, item.cost, item.record.number))


def _raised_by_accident(record: TrialRecord, raise_lines: Collection[int], declining_lines: Collection[int]) -> bool:
    """Whether the trial raised something that is no behaviour of the code and that no document announces."""
    raised = record.observation.raised
    if raised is None or record.trial.wanted:
        return False
    name = raised.type_name.rpartition(".")[2]
    # `return NotImplemented` ends in a TypeError that Python raises, but the code decided on it.
    declined = name == "TypeError" and any(start in declining_lines for start, _ in record.arcs)
    # Line 0: the exception did not come from the module.
    if (raised.line == 0 and not declined) or name in NEVER_ASSERTED:
        return True
    if raised.line in raise_lines:
        return False
    if name in ACCIDENTS | SYSTEM_ERRORS:
        return not declined
    return name in FOLDER_ERRORS and "tmp_path" not in record.trial.fixtures


@dataclass(frozen=True, slots=True)
class _Traits:
    """Properties of a record that do not depend on other records."""

    goals: frozenset[Goal]
    cost: float
    misfits: int


def _traits(record: TrialRecord, facts: ModuleFacts | None) -> _Traits:
    """Returns the record's traits, cached in its notes: records are ranked many times. Without facts, all types fit."""
    traits = record.notes.get(_Traits)
    if not isinstance(traits, _Traits):
        # Slowness is counted in executed lines: seconds would differ between runs.
        slowness = record.seen.steps / 100 if record.seen.steps > SLOW_STEPS else 0.0
        cost = reading_cost(record.trial, record.observation) + slowness
        traits = _Traits(_goals(record), cost, count_outside(record.trial, facts) if facts is not None else 0)
        record.notes[_Traits] = traits
    return traits


def _take_examples(candidates: Sequence[TrialCandidate], selection: _Selection) -> None:
    """Takes the documented examples, in order, up to a limit for each callable."""
    taken: Counter[str] = Counter()
    for candidate in sorted(candidates, key=lambda item: item.record.number):
        subject = candidate.record.trial.subject
        if candidate.example and taken[subject] < MOST_EXAMPLES:
            taken[subject] += 1
            selection.take(candidate)


def _cover(candidates: Sequence[TrialCandidate], selection: _Selection, *, count_kills: bool) -> None:
    """Greedy set cover: repeatedly takes the most new arcs and kills for the lowest reading cost.

    Arcs and kills are covered together: a trial that takes several paths and detects mutants there makes plain calls of
    the same paths unnecessary.
    """

    def gain(candidate: TrialCandidate) -> float:
        new = len(candidate.record.arcs - selection.covered)
        if count_kills and candidate.asserts:
            new += len(candidate.kills - selection.killed)
        return new / ((20 if candidate.asserts else 80) + candidate.cost)

    # A gain only shrinks as others are taken. So an old value is an upper bound: recompute it only at the heap's top.
    heap = [(-gain(candidate), candidate.record.number, at) for at, candidate in enumerate(candidates)]
    heapq.heapify(heap)
    while heap:
        _, number, at = heapq.heappop(heap)
        current = gain(candidates[at])
        if not current:
            continue
        if heap and (-current, number) > heap[0][:2]:
            heapq.heappush(heap, (-current, number, at))
        else:
            selection.take(candidates[at])


def _cover_goals(candidates: Sequence[TrialCandidate], selection: _Selection, ranks: Sequence[int]) -> None:
    """Takes a candidate for each goal not shown yet, endings first, up to a limit for each callable."""
    taken = Counter(candidate.record.trial.subject for candidate in selection.chosen.values())
    for rank in ranks:
        # Different exceptions matter more than variety of results: they may exceed the limit.
        allowed = MOST_PER_CALLABLE + (4 if rank == 0 else 0)
        for candidate in candidates:
            subject = candidate.record.trial.subject
            is_new = any(goal[0] == rank for goal in candidate.goals - selection.shown)
            if is_new and candidate.asserts and taken[subject] < allowed:
                taken[subject] += 1
                selection.take(candidate)


def _goals(record: TrialRecord) -> frozenset[Goal]:
    """Returns the behaviours a record shows. The first item is the rank: 0 endings, 1 kinds of results and effects,
    2 sides of comparisons and real usage."""
    subject, observation = record.trial.subject, record.observation
    goals: set[Goal] = set()
    if observation.raised is not None:
        goals.add((0, subject, observation.raised.type_name, observation.raised.line))
    else:
        goals.add((0, subject, "returned"))
        goals.add((1, subject, *_kind_of_result(observation)))
        if observation.output or observation.errors:
            goals.add((1, subject, "output"))
        goals.update((1, subject, "warns", category) for category, _message in observation.warnings)
        for expression, _value in observation.effects:
            # Which attribute changed, whatever the variable is called.
            changed = "file" if "tmp_path" in expression else expression.partition(".")[2]
            goals.add((1, subject, "effect", changed))
        if record.trial.source in RICH_SOURCES:
            goals.add((2, subject, "as used"))
    for line, left, right in observation.operands:
        relation = "=" if left == right else _relation(left, right)
        goals.add((2, subject, line, relation))
        # Being one off a boundary is also being on that side of it.
        goals.add((2, subject, line, relation[:1]))
    return frozenset(goals)


def _kind_of_result(observation: Observation) -> Goal:
    value = observation.value
    if value is None or value.source is None:
        return ("object", value.type_name if value else "")
    if value.source in ("None", "True", "False"):
        return (value.source,)
    if value.length is not None:
        size = "empty" if value.length == 0 else "one" if value.length == 1 else "many"
        return (value.type_name, size, "")
    sign = "-" if value.source.startswith("-") else "0" if value.source in ("0", "0.0") else ""
    return (value.type_name, "", sign)


@lru_cache(maxsize=8192)
def _relation(left: str, right: str) -> str:
    """Classifies two different operands: `<` or `>`, followed by `1` for numbers one apart; `!` where unordered.

    Shifted boundaries change exactly this. Cached because loops compare the same operands again and again.
    """
    try:
        value, other = literal_value(left), literal_value(right)
        if isinstance(value, str | bytes):  # texts are compared for equality, hardly ever for order
            return "!"
        numbers = isinstance(value, int | float) and isinstance(other, int | float)
        return ("<" if value < other else ">") + ("1" if numbers and abs(value - other) == 1 else "")
    except (ValueError, TypeError):
        return "!"


def _without_redundant(
    chosen: list[TrialCandidate], reached: frozenset[Arc], ranks: Sequence[int]
) -> list[TrialCandidate]:
    """Drops candidates whose arcs, goals and kills the others show as well; the hardest to read first."""
    ordered = sorted(chosen, key=lambda item: (-item.misfits, -item.cost, -item.record.number))
    arcs = Counter(arc for candidate in ordered for arc in candidate.record.covered)
    goals = Counter(goal for candidate in ordered for goal in candidate.goals)
    kills = Counter(mutant for candidate in ordered for mutant in candidate.kills)
    kept: list[TrialCandidate] = []
    for candidate in ordered:
        # The counters include the candidate itself: below 2 means nobody else shows it.
        is_unique = (
            any(arcs[arc] < 2 for arc in candidate.record.arcs - reached)
            or any(goals[goal] < 2 for goal in candidate.goals if goal[0] in ranks)
            or any(kills[mutant] < 2 for mutant in candidate.kills)
        )
        if candidate.example or is_unique:
            kept.append(candidate)
            continue
        arcs.subtract(candidate.record.covered)
        goals.subtract(candidate.goals)
        kills.subtract(candidate.kills)
    return kept
