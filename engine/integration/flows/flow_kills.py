"""Finds which flows kill which mutants of the components they run through.

The mutants are a seeded sample of each component. Flows run on each mutant in lockstep with the original code, one
component at a time; a difference kills the mutant where a test would assert it. Limits are counts, never times.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ....core.errors import TargetImportError
from ....mutation.catalog import mutants_of, sample
from ....mutation.model import Mutant
from ....sandbox.target import PythonTarget
from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source_bytes
from ...python.facts.analyse import facts_from_source
from ...python.model.model import ModuleFacts
from ...python.mutants.asserted_facets import AssertedFacets, FacetOracle
from ...python.mutants.mutant_lines import ImportTimeUses
from ...python.mutants.mutant_worker_client import (
    MutantOutcome,
    MutantRequest,
    MutantWorkerClient,
    open_mutant_worker,
)
from ...python.search.trial_search import SLOW_STEPS, TrialRecord
from ...python.selection.candidates import rank_candidates
from ..model.components import Component, IntegrationTarget
from ..model.wide_arcs import OFFSET

_Lines = Sequence[frozenset[int]]  # of the component, by place in the pool of flows
_Pins = Sequence[AssertedFacets | None]  # what a test would assert of each flow, None for nothing

SEED = 11
_FIRST_ENUM_NUMBER = 1_000_000  # numbers from here on stand for enum members, not mutants
_MEMBER = re.compile(r"\b[A-Z]\w*\.[A-Z][A-Z0-9_]*\b")


@dataclass(frozen=True, slots=True)
class FlowMutationLimits:
    """Limits of the mutant search; `mutants` 0 disables it.

    Attributes:
        components: how many of the nearest components are mutated, the entry among them.
        mutants: of each component.
        pool: how many flows may run on them.
        alike: how many of those may share subject and arcs.
        rounds: for each round on the survivors: flows on each mutant, and after how many kills it is done.
    """

    components: int = 8
    mutants: int = 60
    pool: int = 120
    alike: int = 6
    rounds: tuple[tuple[int, int], ...] = ((5, 2), (14, 1))


@dataclass(slots=True)
class _LiveMutant:
    """A mutant with its kills. `tried`, `killers`: indexes in the pool of flows."""

    number: int
    mutant: Mutant
    imported: bool
    lines: frozenset[int]
    tried: set[int] = field(default_factory=set)
    killers: set[int] = field(default_factory=set)
    done: bool = False


@dataclass(frozen=True, slots=True)
class FlowKills:
    """Numbers of killed mutants by record number; how many mutants were tried and killed."""

    by_record: Mapping[int, frozenset[int]] = field(default_factory=dict)
    tried: int = 0
    noticed: int = 0


async def flow_kills(
    target: PythonTarget,
    facts: ModuleFacts,
    components: IntegrationTarget,
    records: Sequence[TrialRecord],
    limits: FlowMutationLimits,
) -> FlowKills:
    """Runs flows on mutants of each component.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    pool = _pool(records, facts, limits)
    if not pool or not limits.mutants:
        return FlowKills()
    pinning = FacetOracle(facts, [record for record in records if record.observation.outcome == "raised"])
    found: dict[int, set[int]] = {}
    tried = noticed = 0
    steady = [record for record in records if not record.seen.random and not record.time_dependent]
    shown = {record.number: shown_enum_members(record) for record in steady}
    for at, word in enumerate(sorted({word for words in shown.values() for word in words}), _FIRST_ENUM_NUMBER):
        for number, words in shown.items():
            if word in words:
                found.setdefault(number, set()).add(at)
    for number, component in enumerate(components.components[: limits.components]):
        faults = _sampled_mutants(target, component, limits, tried)
        lines = [_lines_in(record, number) for record in pool]
        # No flow can notice a change in code that none of them runs.
        if component.vocabulary or not faults or not any(lines):
            continue
        try:
            source = read_source_bytes(target.snapshot.path, component.place.path)
            async with open_mutant_worker(target, facts_from_source(source, component.place), "loopback") as worker:
                again = await worker.learn([record.trial for record in pool])
                pins = [pinning.facets_of(record, seen) for record, seen in zip(pool, again, strict=True)]
                await _run_mutants(worker, faults, lines, pins, limits)
        except TargetImportError:
            pass  # the component cannot be imported by itself: its mutants count as tried, none as killed
        tried += len(faults)
        noticed += sum(bool(mutant.killers) for mutant in faults)
        for fault in faults:
            for place in fault.killers:
                found.setdefault(pool[place].number, set()).add(fault.number)
    return FlowKills({number: frozenset(kills) for number, kills in found.items()}, tried, noticed)


async def _run_mutants(
    worker: MutantWorkerClient, faults: Sequence[_LiveMutant], lines: _Lines, pins: _Pins, limits: FlowMutationLimits
) -> None:
    """Runs the flows that reach a component on each of its mutants."""
    by_number = {mutant.number: mutant for mutant in faults}
    for most, enough in limits.rounds:
        requests = []
        for fault in faults:
            # The next flows for a mutant: those that assert something and run its lines.
            reaching = (place for place, own in enumerate(lines) if not fault.lines or not fault.lines.isdisjoint(own))
            found = (place for place in reaching if place not in fault.tried and pins[place] is not None)
            places = tuple(islice(found, most))
            if places and not fault.done and not fault.killers:
                fault.tried.update(places)
                requests.append(MutantRequest(fault.number, fault.mutant, fault.imported, places, enough))
        for answer in await worker.run(requests):
            _record(by_number[answer.number], answer, pins)


def shown_enum_members(record: TrialRecord) -> frozenset[tuple[str, str]]:
    """Enum members in a flow's results, with its subject: each counts as a behaviour of its own."""
    observation = record.observation
    texts = [observation.value.source or "" if observation.value is not None else ""]
    texts += [value.source or "" for _, value in observation.effects]
    return frozenset((record.trial.subject, word) for text in texts for word in _MEMBER.findall(text))


def _record(fault: _LiveMutant, answer: MutantOutcome, pins: _Pins) -> None:
    if answer.status in ("broken", "same", "syntax"):
        fault.done = True  # every test kills a mutant that cannot be imported, none an equivalent one
    for difference in answer.differences:
        pinned = pins[difference.trial]
        if pinned is not None and pinned.detects(difference):
            fault.killers.add(difference.trial)


def _pool(records: Sequence[TrialRecord], facts: ModuleFacts, limits: FlowMutationLimits) -> list[TrialRecord]:
    """Selects flows that assert something, the plainest first, alternating between paths through the code."""
    turns: dict[object, int] = {}
    ranked: list[tuple[int, int, TrialRecord]] = []
    for at, candidate in enumerate(rank_candidates(list(records), facts, alike=limits.alike)):
        record = candidate.record
        if not candidate.asserts or record.seen.steps > SLOW_STEPS or record.seen.random or record.time_dependent:
            continue
        key = (record.trial.subject, record.arcs)
        turns[key] = turns.get(key, 0) + 1
        if turns[key] <= limits.alike:
            ranked.append((turns[key], at, record))
    ranked.sort(key=lambda entry: entry[:2])
    return [record for _, _, record in ranked[: limits.pool]]


def _sampled_mutants(
    target: PythonTarget, component: Component, limits: FlowMutationLimits, first: int
) -> list[_LiveMutant]:
    try:
        source = read_source_bytes(target.snapshot.path, component.place.path)
        usable = [mutant for mutant in mutants_of(source, component.place.path) if mutant.rule is None]
        used, inside = ImportTimeUses(source), _lines_of_bodies(source)
    except (OSError, SyntaxError):
        return []
    found: list[_LiveMutant] = []
    for number, mutant in enumerate(sample(usable, limits.mutants, seed=SEED), first):
        early = mutant.line not in inside
        found.append(_LiveMutant(number, mutant, early, used.lines(mutant.line) if early else frozenset(mutant.lines)))
    return found


def _lines_of_bodies(source: bytes) -> frozenset[int]:
    return frozenset(
        line
        for node in ast.walk(parse_python(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    )


def _lines_in(record: TrialRecord, number: int) -> frozenset[int]:
    """The lines of one component that a flow runs, arrangement included."""
    return frozenset(abs(line) % OFFSET for arc in record.covered for line in arc if abs(line) // OFFSET == number)
