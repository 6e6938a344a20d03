"""Chooses the trials that are worth a test: few, plain to read, and together reaching everything (B-06)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_source import literal_value
from ..inputs.fitting import count_misfits, has_annotations
from ..judge.readability import reading_cost, rebinds_import
from ..model.model import Arc, ModuleFacts, Observation
from .trial_search import RICH_SOURCES, SLOW_STEPS, TrialRecord, has_assertable_outcome, returned_none

MOST_PER_CALLABLE = 8
MOST_EXAMPLES = 6
# Raised by Python itself when a call makes no sense.
ACCIDENTS = frozenset({"TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError"})
# Raised by the operating system: says nothing of the code unless the code or its document names it.
OF_THE_SYSTEM = frozenset({"IsADirectoryError", "NotADirectoryError", "PermissionError"})
# Depends on the folder a test happens to run in, unless the test brings one of its own.
OF_THE_FOLDER = frozenset({"FileNotFoundError", "FileExistsError"})
# Says more about the machine than about the code.
NEVER = frozenset({"KeyboardInterrupt", "GeneratorExit", "SystemError", "MemoryError", "ModuleNotFoundError"})
Goal = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class TrialCandidate:
    """A record with what speaks for it.

    Attributes:
        goals: behaviours it shows besides its arcs.
        asserts: whether something can be demanded exactly.
        example: whether it is a documented example, chosen whatever the others show.
        misfits: how many arguments are of another type than annotated; such a trial is a last resort.
        refusal: whether the code itself raises, in so many words, what was raised.
        kills: mutants that its test would notice.
    """

    record: TrialRecord
    goals: frozenset[Goal]
    cost: float
    asserts: bool
    example: bool
    misfits: int = 0
    refusal: bool = False
    kills: frozenset[int] = frozenset()


def select_trials(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """The chosen records in order of their callables' appearance, plainest first within each.

    Args:
        reached: arcs that need no test, because importing runs them.
        kills: mutants that records notice, by the records' numbers.
    """
    candidates = rank_candidates(records, facts, kills or {})
    chosen: dict[int, TrialCandidate] = {}
    covered: set[Arc] = set(reached)
    shown: set[Goal] = set()
    killed: set[int] = set()

    def take(one: TrialCandidate) -> None:
        chosen[one.record.number] = one
        covered.update(one.record.covered)
        shown.update(one.goals)
        killed.update(one.kills)

    for one in _examples(candidates):
        take(one)
    fitting = [one for one in candidates if not one.misfits]
    _cover(fitting, covered, killed, take)
    _cover([one for one in candidates if one.misfits], covered, None, take)
    # With mutants to go by, kinds of results and sides of comparisons need no tests of their own.
    _cover_goals(fitting, chosen, shown, take, (0,) if kills else (0, 1, 2))
    _cover_refusals([one for one in candidates if one.misfits and one.refusal], shown, take)
    order = {one.qualname: index for index, one in enumerate(facts.callables())}
    picked = _without_redundant(list(chosen.values()), reached, (0,) if kills else (0, 1, 2))
    picked.sort(key=lambda one: (order.get(one.record.trial.subject, len(order)), one.cost, one.record.number))
    return [one.record for one in picked]


def rank_candidates(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    kills: Mapping[int, frozenset[int]] | None = None,
    *,
    alike: int = 1,
) -> list[TrialCandidate]:
    """What may become a test, what can be demanded exactly and is plain first.

    Args:
        kills: mutants that records notice, by the records' numbers.
        alike: how many to keep of those that show the same.
    """
    telling = _none_tells(records, facts)
    fitted = has_annotations(facts)
    raise_lines = {site.line for one in facts.callables() for site in one.raises}
    declining = {line for one in facts.callables() for line in one.declines}
    found: dict[Goal, list[TrialCandidate]] = {}
    for record in records:
        observation = record.observation
        raised = observation.raised
        if raised is not None and not record.trial.wanted:
            name = raised.type_name.rpartition(".")[2]
            declined = name == "TypeError" and any(start in declining for start, _ in record.arcs)
            if (raised.line == 0 and not declined) or name in NEVER:
                continue
            if not declined and name in ACCIDENTS | OF_THE_SYSTEM and raised.line not in raise_lines:
                continue
            if name in OF_THE_FOLDER and "tmp_path" not in record.trial.fixtures and raised.line not in raise_lines:
                continue
        if rebinds_import(record.trial):
            continue
        told = _told(record, facts if fitted else None)
        goals = told.goals
        one = TrialCandidate(
            record=record,
            goals=goals,
            cost=told.cost,
            asserts=has_assertable_outcome(observation)
            or (returned_none(observation) and record.trial.subject in telling),
            example=_is_example(record),
            misfits=told.misfits,
            refusal=raised is not None and raised.line in raise_lines,
            kills=(kills or {}).get(record.number, frozenset()),
        )
        same = (record.trial.subject, record.arcs, goals, record.trial.wanted, one.kills)
        found.setdefault(same, []).append(one)
    kept = [
        one
        for group in found.values()
        for one in sorted(group, key=lambda one: (one.misfits, one.cost, one.record.number))[:alike]
    ]
    return sorted(kept, key=lambda one: (not one.asserts, one.cost, one.record.number))


@dataclass(frozen=True, slots=True)
class _Told:
    """What a record says of itself, whatever else there is."""

    goals: frozenset[Goal]
    cost: float
    misfits: int


def _told(record: TrialRecord, facts: ModuleFacts | None) -> _Told:
    """Worked out once for each record: they are gone through again and again. Without facts everything fits."""
    told = record.notes.get(_Told)
    if not isinstance(told, _Told):
        price = reading_cost(record.trial, record.observation) + _slowness(record)
        odd = count_misfits(record.trial, facts) if facts is not None else 0
        told = record.notes[_Told] = _Told(_goals(record), price, odd)
    return told


def _none_tells(records: Sequence[TrialRecord], facts: ModuleFacts) -> set[str]:
    """Callables for which returning None says something: they promise more, or sometimes do something else."""
    telling = {one.qualname for one in facts.callables() if one.returns and one.returns != "None"}
    return telling | {record.trial.subject for record in records if not returned_none(record.observation)}


def _is_example(record: TrialRecord) -> bool:
    return bool(record.trial.wanted) and not record.seen.random and record.seen.steps <= SLOW_STEPS


def _slowness(record: TrialRecord) -> float:
    """Counted in lines, not in seconds, which would differ from run to run."""
    return record.seen.steps / 100 if record.seen.steps > SLOW_STEPS else 0.0


def _examples(candidates: Iterable[TrialCandidate]) -> list[TrialCandidate]:
    """Documented examples: every one that tells something, within reason."""
    taken: dict[str, int] = {}
    found: list[TrialCandidate] = []
    for one in sorted(candidates, key=lambda one: one.record.number):
        subject = one.record.trial.subject
        if one.example and taken.get(subject, 0) < MOST_EXAMPLES:
            taken[subject] = taken.get(subject, 0) + 1
            found.append(one)
    return found


def _cover(candidates: Sequence[TrialCandidate], covered: set[Arc], killed: set[int] | None, take: object) -> None:
    """Greedy set cover: the most new arcs and new mutants for the least reading.

    Both at once: what takes several ways and tells them from mutants makes plain calls of the same ways unnecessary.

    Args:
        killed: mutants noticed so far; None where they do not count.
    """
    assert callable(take)
    # What one adds only shrinks as others are taken: an old figure is a bound, worked out anew when it comes first.
    heap = [(-_gain(one, covered, killed), one.record.number, at) for at, one in enumerate(candidates)]
    heapq.heapify(heap)
    while heap:
        _, number, at = heapq.heappop(heap)
        gain = _gain(candidates[at], covered, killed)
        if not gain:
            continue
        if heap and (-gain, number) > heap[0][:2]:
            heapq.heappush(heap, (-gain, number, at))
        else:
            take(candidates[at])


def _gain(one: TrialCandidate, covered: set[Arc], killed: set[int] | None) -> float:
    new = len(one.record.arcs - covered)
    if killed is not None and one.asserts:
        new += len(one.kills - killed)
    return new / ((20 if one.asserts else 80) + one.cost)


def _cover_goals(
    candidates: Sequence[TrialCandidate],
    chosen: dict[int, TrialCandidate],
    shown: set[Goal],
    take: object,
    ranks: Sequence[int],
) -> None:
    """Each kind of exception and result once, boundaries of comparisons, within a bound for each callable."""
    assert callable(take)
    taken: dict[str, int] = {}
    for one in chosen.values():
        taken[one.record.trial.subject] = taken.get(one.record.trial.subject, 0) + 1
    for rank in ranks:
        for one in candidates:
            subject = one.record.trial.subject
            new = {goal for goal in one.goals - shown if goal[0] == rank}
            allowed = MOST_PER_CALLABLE + (4 if rank == 0 else 0)
            if not new or not one.asserts or taken.get(subject, 0) >= allowed:
                continue
            taken[subject] = taken.get(subject, 0) + 1
            take(one)


def _cover_refusals(candidates: Sequence[TrialCandidate], shown: set[Goal], take: object) -> None:
    """What the code refuses because of its type, each way of refusing once."""
    assert callable(take)
    for one in candidates:
        if any(goal[0] == 0 and goal not in shown for goal in one.goals):
            take(one)


def _goals(record: TrialRecord) -> frozenset[Goal]:
    """What a record shows, ranked: 0 endings, 1 kinds of results, 2 sides of comparisons and what people call."""
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
        goals.update((1, subject, "effect", _kind_of_effect(expression)) for expression, _ in observation.effects)
        if record.trial.source in RICH_SOURCES:
            goals.add((2, subject, "as used"))
    for line, relation in _relations(observation):
        goals.add((2, subject, line, relation))
        # Standing beside a boundary is standing on that side of it.
        goals.add((2, subject, line, relation[:1]))
    return frozenset(goals)


def _kind_of_effect(expression: str) -> str:
    """What was changed, whatever the object or the file is called."""
    return "file" if "tmp_path" in expression else expression.partition(".")[2]


def _kind_of_result(observation: Observation) -> Goal:
    value = observation.value
    if value is None or value.source is None:
        return ("object", value.type_name if value else "")
    if value.source in ("None", "True", "False"):
        return (value.source,)
    size = "empty" if value.length == 0 else "one" if value.length == 1 else "many" if value.length else ""
    sign = ("-" if value.source.startswith("-") else "0" if value.source in ("0", "0.0") else "") if not size else ""
    return (value.type_name, size, sign)


def _relations(observation: Observation) -> Iterable[tuple[int, str]]:
    """How the two sides of each comparison stood to each other: this is what shifts of a boundary change."""
    for line, left, right in observation.operands:
        yield line, "=" if left == right else _relation(left, right)


@lru_cache(maxsize=8192)
def _relation(left: str, right: str) -> str:
    """How two different sides stood to each other; loops compare the same ones again and again."""
    try:
        one, other = literal_value(left), literal_value(right)
        if isinstance(one, str | bytes):  # texts are compared to be the same, hardly ever to be sorted
            return "!"
        numbers = isinstance(one, int | float) and isinstance(other, int | float)
        return ("<" if one < other else ">") + ("1" if numbers and abs(one - other) == 1 else "")
    except (ValueError, TypeError):
        return "!"


def _without_redundant(
    chosen: list[TrialCandidate], reached: frozenset[Arc], ranks: Sequence[int]
) -> list[TrialCandidate]:
    """Without those whose arcs and goals the others show; the hardest to read goes first."""
    left = sorted(chosen, key=lambda one: (-one.misfits, -one.cost, -one.record.number))
    arcs = Counter(arc for one in left for arc in one.record.covered)
    goals = Counter(goal for one in left for goal in one.goals)
    kills = Counter(mutant for one in left for mutant in one.kills)
    kept: list[TrialCandidate] = []
    for one in left:
        own = one.record.arcs - reached
        ranked = [goal for goal in one.goals if goal[0] in ranks]
        # What it counts itself is one of each.
        alone = any(arcs[arc] < 2 for arc in own) or any(goals[goal] < 2 for goal in ranked)
        if one.example or alone or any(kills[mutant] < 2 for mutant in one.kills):
            kept.append(one)
            continue
        arcs.subtract(one.record.covered)
        goals.subtract(one.goals)
        kills.subtract(one.kills)
    return kept
