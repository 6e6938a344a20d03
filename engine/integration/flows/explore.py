"""Runs flows in the sandbox and selects those that cross from one module of the project into another.

Proposing, observing, selecting and confirming are the unit engine's. In addition, lines of all components count, a flow
must have been observed to cross, and the other objects of a flow are queried afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import monotonic

from ....core.errors import ProjectError
from ....sandbox.deadline import deadline_after
from ....sandbox.target import PythonTarget
from ....utils.in_turns import in_turns
from ....utils.names.counted import counted
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ...python.explore.confirm import Confirmation, confirm
from ...python.explore.explore import ExplorationBudget
from ...python.explore.selection_rounds import ConfirmedTrials, confirm_selection, trial_findings
from ...python.facts.analyse import facts_from_source
from ...python.inputs.given_examples import GivenExamples
from ...python.model.model import RICH_SOURCES, Arc, Exploration, ModuleFacts, Observation, Trial
from ...python.project.layout import Layout
from ...python.search.initial_trials import testable_callables
from ...python.search.observer import EXPLORING, Observer, open_observer
from ...python.search.source_proposer import SourceProposer
from ...python.search.trial_search import Proposer, TrialRecord, TrialSearch
from ...python.search.unreached import unreached_callables
from ...python.selection.select_trials import select_trials
from ..model.components import Edge, IntegrationTarget
from ..model.servers import Server
from ..model.wide_arcs import WideArcs
from .flow_kills import FlowMutationLimits, flow_kills
from .loopback import uses_server, without_server_helper
from .scenarios import scenarios
from .state_queries import with_state_queries

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Flows:
    """The result of exploring one entry.

    Attributes:
        exploration: findings that cross, in the unit engine's form; arcs are those of all components.
        arcs: maps those arcs to components.
        edges: for each finding, in the same order, the calls between components that were observed.
    """

    exploration: Exploration
    arcs: WideArcs
    edges: tuple[frozenset[Edge], ...]


class FlowProposer:
    """Proposes trials of the entry's callables that reach other components, each with state queries after the act."""

    def __init__(
        self,
        root: Path,
        layout: Layout,
        facts: ModuleFacts,
        subjects: Iterable[str],
        servers: tuple[Server, ...] = (),
        examples: GivenExamples | None = None,
    ) -> None:
        self._inner = SourceProposer(root, layout, facts, examples=examples)
        self._subjects = frozenset(subjects)
        self._servers = servers

    def initial(self) -> Iterator[Trial]:
        """Trials that need no observation, then those that depend on observations."""
        context = self._inner.context
        subjects = [
            scenarios(subject, context, self._servers)
            for subject in testable_callables(context.facts, context)
            if subject.qualname in self._subjects
        ]
        return _QueriedTrials(chain(in_turns(subjects), self._inner.initial()), self)

    def looking(self, trial: Trial) -> Trial | None:
        """The trial with its state queries; None for a trial of another subject."""
        return with_state_queries(trial, self._inner.context) if self._wanted(trial) else None

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Variations of a trial that reached something new, or nearly did."""
        found = self._inner.follow_up(replace(trial, looks=(), asks=()), observation)
        return [with_state_queries(proposal, self._inner.context) for proposal in found if self._wanted(proposal)]

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        """None: a flow uses the real parts."""
        return []

    def example_notes(self) -> list[str]:
        """Notes about the examples of the settings that do not work."""
        return self._inner.examples.notes()

    def _wanted(self, trial: Trial) -> bool:
        return trial.subject in self._subjects


class _QueriedTrials:
    """Adds state queries to a stream of trials. A class, because a generator could not resume after a StopIteration."""

    def __init__(self, trials: Iterator[Trial], proposer: FlowProposer) -> None:
        self._trials = trials
        self._proposer = proposer

    def __iter__(self) -> Iterator[Trial]:
        return self

    def __next__(self) -> Trial:
        while True:
            found = self._proposer.looking(next(self._trials))
            if found is not None:
                return found


async def explore_flows(
    target: PythonTarget,
    facts: ModuleFacts,
    components: IntegrationTarget,
    proposer: Proposer,
    budget: ExplorationBudget | None = None,
) -> Flows:
    """Finds the flows of one entry that are worth a test.

    Raises:
        TargetImportError: the entry does not import.
        ProjectError: its file cannot be read or is no Python.
        SandboxFailure: the sandbox broke.
    """
    budget = budget or ExplorationBudget()
    arcs = await asyncio.to_thread(_read, target, components)
    if not components.subjects:
        return Flows(Exploration(facts=facts, possible_arcs=arcs.possible), arcs, ())
    watched = tuple((component.place.path, component.place.module) for component in components.components[1:])
    notes: list[str] = []
    async with open_observer(target, facts, replace(EXPLORING, watched=watched, network="loopback")) as observer:
        imported = arcs.real(observer.import_arcs)
        search = TrialSearch(facts, arcs, proposer, imported, budget.trials)
        await _search(search, observer, budget, notes)
    counting = {component.place.module for component in components.components if not component.vocabulary}
    meant = intended_exceptions(target, components, facts)
    wanted = [record for record in search.records if record.trial.subject in components.subjects]
    intended = [record for record in wanted if raises_as_intended(record, meant)]
    records = [record for record in intended if crosses_components(arcs, record, components, counting)]
    limits = FlowMutationLimits() if budget.mutant_search.mutants else FlowMutationLimits(mutants=0)
    kills = await flow_kills(target, facts, components, records, limits)

    async def attempt(usable: list[TrialRecord]) -> tuple[list[TrialRecord], list[Confirmation]]:
        chosen = _chosen(usable, facts, imported, kills.by_record)
        return chosen, await confirm(target, facts, [(record.trial, record.seen) for record in chosen], watched)

    work = await confirm_selection(records, attempt)
    return _built_flows(facts, components, arcs, search, imported, work, notes, kills.by_record)


def intended_exceptions(target: PythonTarget, components: IntegrationTarget, facts: ModuleFacts) -> frozenset[str]:
    """Last names of the exceptions that the components raise explicitly, or that the entry documents."""
    named = {name for function in facts.callables() for name, _ in function.documentation.raises}
    for component in components.components:
        try:
            read = facts_from_source(read_source_bytes(target.snapshot.path, component.place.path), component.place)
        except (OSError, SyntaxError):
            continue
        named |= {site.exception for each in read.callables() for site in each.raises}
    return frozenset(name.partition("(")[0].rpartition(".")[2] for name in named)


def raises_as_intended(record: TrialRecord, meant: frozenset[str]) -> bool:
    """Whether a raised exception is intended behaviour. SystemExit is not: program runs cover it."""
    raised = record.observation.raised
    if raised is None:
        return True
    name = raised.type_name.rpartition(".")[2]
    return name != "SystemExit" and (name in meant or "." in raised.type_name or bool(record.trial.wanted))


def _read(target: PythonTarget, components: IntegrationTarget) -> WideArcs:
    texts: list[str | None] = []
    for component in components.components:
        try:
            texts.append(decoded_source(read_source_bytes(target.snapshot.path, component.place.path)))
        except (OSError, UnicodeDecodeError):
            texts.append(None)
    if texts[0] is None:
        raise ProjectError(f"{components.entry.place.path} cannot be read as Python.")
    try:
        return WideArcs([component.place.module for component in components.components], texts)
    except SyntaxError as error:
        raise ProjectError(f"{components.entry.place.path} cannot be read as Python: {error}") from error


async def _search(search: TrialSearch, observer: Observer, budget: ExplorationBudget, notes: list[str]) -> None:
    ceiling = monotonic() + budget.wall_seconds
    while search.trials < budget.trials and search.quiet < budget.quiet:
        batch = search.next_batch(min(_BATCH, budget.trials - search.trials))
        if not batch:
            return
        with deadline_after(ceiling - monotonic()):
            answers = await observer.watch(batch)
        for trial, seen in zip(batch, answers, strict=True):
            search.learn(trial, seen)
        if monotonic() > ceiling:
            notes.append(f"Exploring stopped after {budget.wall_seconds:g} seconds and {search.trials} trials.")
            return


Arcs = frozenset[Arc]
Kills = Mapping[int, frozenset[int]]


def _chosen(records: list[TrialRecord], facts: ModuleFacts, imported: Arcs, kills: Kills) -> list[TrialRecord]:
    """Staged flows first, as they assert most; then others with a new arc, exception or killed mutant."""
    staged = select_trials([record for record in records if _is_staged(record)], facts, imported, kills)
    covered = imported.union(*(record.covered for record in staged))
    noticed = frozenset[int]().union(*(kills.get(record.number, frozenset()) for record in staged))
    endings = {_ending(record) for record in staged}
    left = {number: own - noticed for number, own in kills.items() if own - noticed}
    further = [record for record in records if not _is_staged(record)]
    others = [
        record
        for record in further
        if not record.arcs <= covered or _ending(record) not in endings or left.get(record.number)
    ]
    order = {callable_.qualname: at for at, callable_ in enumerate(facts.callables())}
    found = [*staged, *select_trials(others, facts, covered, left)]
    return sorted(found, key=lambda record: (order.get(record.trial.subject, len(order)), record.number))


def _is_staged(record: TrialRecord) -> bool:
    return record.trial.source in ("sequence", *RICH_SOURCES)


def _ending(record: TrialRecord) -> tuple[str, str]:
    raised = record.observation.raised
    return record.trial.subject, raised.type_name if raised is not None else ""


def _built_flows(
    facts: ModuleFacts,
    components: IntegrationTarget,
    arcs: WideArcs,
    search: TrialSearch,
    imported: Arcs,
    work: ConfirmedTrials,
    notes: list[str],
    kills: Kills,
) -> Flows:
    found, reached = trial_findings(work, arcs, imported, kills)
    # State queries are no part of the test, and which lines a flow covers does not decide whether it is kept.
    findings = [
        replace(one, trial=without_server_helper(replace(one.trial, looks=(), asks=())), covered=frozenset())
        for one in found
    ]
    edges = tuple(
        edges_taken(arcs, arcs.real(one.observation.arcs), components, served=uses_server(one.trial)) for one in found
    )
    if work.dropped:
        notes.append(
            f"flows of {counted(len(work.dropped), 'callable')} were dropped because they could not be repeated"
        )
    notes.extend(f"Some flows need a package that is not installed: {message}" for message in sorted(search.absent))
    without = unreached_callables(facts, search.subjects, findings, work.dropped, reached - imported)
    exploration = Exploration(
        facts=facts,
        findings=tuple(findings),
        unreached=tuple(subject for subject in without if subject.qualname in components.subjects),
        reached_arcs=reached,
        possible_arcs=arcs.possible,
        trials=search.trials,
        notes=tuple(notes),
    )
    return Flows(exploration, arcs, edges)


def crosses_components(arcs: WideArcs, record: TrialRecord, components: IntegrationTarget, counting: set[str]) -> bool:
    """Whether the act was observed to cross between two components that are more than vocabulary."""
    edges = edges_taken(arcs, record.arcs, components, served=uses_server(record.trial))
    return any(edge.source in counting and edge.target in counting for edge in edges)


def edges_taken(arcs: WideArcs, seen: Iterable[Arc], components: IntegrationTarget, *, served: bool) -> frozenset[Edge]:
    """Observed calls between files, and the request to a server that the flow started."""
    found = arcs.edges(seen)
    if served:
        running = arcs.run(seen)
        modules = {server.module for server in components.servers if server.module in running}
        found |= {Edge(components.entry.place.module, module) for module in modules}
    return found
