"""Explores one module: runs trials in the sandbox, follows those with progress, confirms those that become tests."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from ....core.errors import ProjectError, TargetImportError
from ....sandbox.target import PythonTarget
from ....utils.names.counted import counted
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ..domain.membership import without_refuted
from ..facts.optional_imports import OptionalImport, optional_imports, rank_optional_imports, without_import
from ..judge.comparison import compare_with_document
from ..model.arcs import ArcMap, branch_arcs
from ..model.model import Arc, Exploration, ModuleFacts
from ..model.mutant_search import NO_KILLS, Kills, MutantSearchLimits
from ..mutants.kill_search import find_kills
from ..mutants.mutant_worker_client import open_mutant_worker
from ..scenarios.all_scenarios import show_all_scenarios
from ..scenarios.compared_arguments import show_compared_arguments
from ..search.background_context import background_context
from ..search.influence_trials import show_influence
from ..search.observer import EXPLORING
from ..search.parallel_observers import (
    ObserverPair,
    OrderedDelivery,
    Watcher,
    open_observer_pair,
    time_dependent_trials,
)
from ..search.round_trips import show_round_trips
from ..search.trial_search import AimingProposer, Proposer, TrialRecord, TrialSearch
from ..search.unreached import unreached_callables
from ..selection.assertable_selection import replace_unassertable
from ..selection.idle_arguments import without_idle_options
from ..selection.respelled_calls import without_respelled_calls
from ..selection.select_trials import select_trials
from .confirm import NO_VERDICT, Confirmation, confirm, open_confirmation_workers
from .idle_setup import drop_idle_constructions, drop_idle_setup
from .right_subjects import with_right_subjects
from .selection_rounds import ConfirmedTrials, confirm_selection, trial_findings
from .shared_state import settled_observer
from .shown_faults import with_shown_faults
from .shown_results import without_other_results
from .simplify import simplify_trials
from .time_budget import CONFIRMING, FALLING_BACK, HUNTING, SEARCHING, SIMPLIFYING, TIDYING, TimeBudget
from .use_instances import use_shared_instances

BATCH = 100
EARLY_TRIALS = 150
FALLBACK_QUIET = 250
FALLBACK_TRIALS = 600
_MOST_IMPORTS = 2
# What is chosen in place of a call with an idle option may have another one.
_TIMES_PLAINER = 2
SearchRunner = Callable[[TrialSearch, Watcher], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ExplorationBudget:
    """Limits of one exploration.

    Attributes:
        trials: total number of trials.
        quiet: trials in a row without progress, after which the search ends.
        quiet_lines: lines of the target that such trials may run, so that slow modules do not take minutes.
        wall_seconds: upper bound in seconds; reaching it is recorded in the notes, because two runs may then differ.
        mutant_search: how far mutants are searched.
    """

    trials: int = 3000
    quiet: int = 800
    quiet_lines: int = 800_000
    wall_seconds: float = 120.0
    mutant_search: MutantSearchLimits = field(default_factory=MutantSearchLimits)

    def within(self, seconds: float | None) -> ExplorationBudget:
        """Returns the budget with at most so many seconds; None adds no limit."""
        return self if seconds is None else replace(self, wall_seconds=min(self.wall_seconds, seconds))


EarlyCallback = Callable[[Exploration], None]
"""Receives the unconfirmed exploration after `EARLY_TRIALS` trials."""


async def explore(
    target: PythonTarget,
    facts: ModuleFacts,
    proposer: AimingProposer,
    budget: ExplorationBudget | None = None,
    *,
    early: EarlyCallback | None = None,
    opened: Callable[[], AbstractAsyncContextManager[ObserverPair]] | None = None,
) -> Exploration:
    """Finds the trials of one module that become tests.

    Args:
        early: receives a first result once; it does not influence the exploration.
        opened: provides workers that were started ahead; None to start some.

    Raises:
        TargetImportError: the module does not import.
        ProjectError: the file cannot be read or is not Python.
        SandboxFailure: the sandbox breaks.
    """
    budget = budget or ExplorationBudget()
    content, source, arcs = await asyncio.to_thread(_read, target, facts)
    notes: list[str] = []
    time_budget = TimeBudget(budget.wall_seconds, notes)
    async with (
        opened() if opened is not None else open_observer_pair(target, facts) as observer,
        background_context(lambda: open_mutant_worker(target, facts)) as mutant_worker,
    ):
        imported = arcs.real(observer.import_arcs)
        search = TrialSearch(facts, arcs, proposer, imported, budget.trials)

        async def take_early_look() -> None:
            if budget.mutant_search.mutants:
                mutant_worker.start()
            if early is not None:
                with suppress(Exception):  # the first look is optional: its failure must not end the exploration
                    early(await asyncio.to_thread(_first_look, facts, arcs, search, imported))

        with time_budget.until(SEARCHING):
            is_over = partial(time_budget.is_over, SEARCHING, "Exploring")
            await _search(search, observer, budget, is_over, take_early_look)
        if search.trials < EARLY_TRIALS:
            await take_early_look()
        with time_budget.until(FALLING_BACK):
            await explore_fallbacks(target, facts, source, search, observer, partial(_search_fallback, time_budget))
        facts = await asyncio.to_thread(_with_what_was_seen, facts, search)
        within = partial(time_budget.until, SIMPLIFYING)
        is_over = partial(time_budget.is_over, SIMPLIFYING, "Looking for trials that change what others find")
        async with settled_observer(target, facts, search, observer, imported, within, is_over) as observer:
            hunt = partial(find_kills, target, facts, content, search, proposer, observer, imported)
            hunt = partial(hunt, budget.mutant_search, opened=mutant_worker.use)
            kills = await _refined(facts, source, search, observer, imported, time_budget, hunt)
    kills = with_shown_faults(kills, search.records)
    work = await _select_and_confirm(target, facts, search, imported, kills, time_budget)
    found = _exploration(facts, arcs, search, imported, work, kills, notes, target.snapshot.path)
    return replace(found, source_lines=sum(1 for line in source.splitlines() if line.strip()))


async def _refined(
    facts: ModuleFacts,
    source: str,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    time_budget: TimeBudget,
    hunt: Callable[..., Awaitable[Kills]],
) -> Kills:
    """Shows more of the module than the search did, in plainer trials; the mutants that these notice.

    Args:
        hunt: looks for the mutants, until it is asked to be `over`.
    """
    with time_budget.until(SIMPLIFYING):
        await _show_behaviour(facts, source, search, observer)
        is_over = partial(time_budget.is_over, SIMPLIFYING, "Looking for simpler trials")
        await simplify_trials(facts, search, observer, imported, over=is_over)
    with time_budget.until(HUNTING):
        kills = await hunt(over=partial(time_budget.is_over, HUNTING, "Looking for tests that notice mutants"))
    with time_budget.until(TIDYING):
        is_over = partial(time_budget.is_over, TIDYING, "Leaving out what has no effect")
        return await _made_plainer(facts, search, observer, imported, kills, is_over)


async def _show_behaviour(facts: ModuleFacts, source: str, search: TrialSearch, observer: Watcher) -> None:
    """Tries what shows more than a way through the code: what undoes a call, scenarios, what arguments are for."""
    await show_round_trips(facts, search, observer)
    await show_all_scenarios(facts, search, observer, source)
    await show_influence(facts, search, observer, source)
    await show_compared_arguments(facts, search, observer)


async def _made_plainer(
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    kills: Kills,
    is_over: Callable[[], bool],
) -> Kills:
    """Simplifies what was chosen for its kills, leaves idle options and statements out; the kills of what is left."""
    known: Mapping[int, frozenset[int]] = kills.by_record
    for _ in range(_TIMES_PLAINER):
        known = await simplify_trials(facts, search, observer, imported, kills=known, rounds=1, over=is_over)
        records = await asyncio.to_thread(with_right_subjects, search.records, facts)
        records, known = await asyncio.to_thread(without_idle_options, records, known)
        search.records, known = await asyncio.to_thread(without_respelled_calls, records, facts, known)
    known = await use_shared_instances(facts, search, observer, imported, known)
    known = await drop_idle_setup(facts, search, observer, imported, known, over=is_over)
    known = await drop_idle_constructions(search, observer, known)
    return replace(kills, by_record=known)


def _with_what_was_seen(facts: ModuleFacts, search: TrialSearch) -> ModuleFacts:
    """The facts without the domains that trials refute; gives records the subjects of which they turned out to be, and
    leaves out results of documents that they turned out not to have."""
    search.records = without_other_results(with_right_subjects(search.records, facts))
    pairs = [(record.trial, record.observation) for record in search.records]
    return replace(facts, domains=without_refuted(facts, pairs))


def _read(target: PythonTarget, facts: ModuleFacts) -> tuple[bytes, str, ArcMap]:
    """The module's content, its text, and its arcs."""
    try:
        content = read_source_bytes(target.snapshot.path, facts.path)
        source = decoded_source(content)
        return content, source, ArcMap(source)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise ProjectError(f"{facts.path} cannot be read as Python: {error}") from error


async def _search(
    search: TrialSearch,
    observer: Watcher,
    budget: ExplorationBudget,
    is_over: Callable[[], bool],
    early_look: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Runs batches until the budget is used up, progress stops or the time is over."""
    while search.trials < budget.trials and search.quiet < budget.quiet and search.quiet_lines < budget.quiet_lines:
        batch = search.next_batch(min(BATCH, budget.trials - search.trials))
        if not batch:
            return
        left = iter(batch)
        order = OrderedDelivery(
            lambda seen, left=left: search.learn(next(left), seen)
        )  # learns while workers still run
        answers = await observer.watch(batch, on_answer=order.take)
        time_dependent = await time_dependent_trials(batch, answers, observer)
        for index in range(order.delivered, len(batch)):
            search.learn(batch[index], answers[index], time_dependent=index in time_dependent)
        if early_look is not None and search.trials >= EARLY_TRIALS:
            await early_look()
            early_look = None
        if is_over():
            return


async def _search_fallback(time_budget: TimeBudget, search: TrialSearch, observer: Watcher) -> None:
    """Searches the module without an optional import, within its own limits."""
    is_over = partial(time_budget.is_over, FALLING_BACK, "Exploring without optional imports")
    await _search(search, observer, ExplorationBudget(FALLBACK_TRIALS, FALLBACK_QUIET), is_over)


def _first_look(facts: ModuleFacts, arcs: ArcMap, search: TrialSearch, imported: frozenset[Arc]) -> Exploration:
    """Builds an exploration of the trials so far, unconfirmed, without those that depend on chance or time."""
    lasting = [record for record in search.records if not (record.seen.random or record.time_dependent)]
    work = ConfirmedTrials(
        [(record, _unconfirmed(record)) for record in replace_unassertable(lasting, facts, imported)]
    )
    return _exploration(facts, arcs, search, imported, work, NO_KILLS, [])


def _unconfirmed(record: TrialRecord) -> Confirmation:
    verdict = compare_with_document(record.trial, record.seen) if record.trial.wanted is not None else NO_VERDICT
    return Confirmation(record.seen, verdict=verdict)


async def _select_and_confirm(
    target: PythonTarget,
    facts: ModuleFacts,
    search: TrialSearch,
    imported: frozenset[Arc],
    kills: Kills,
    time_budget: TimeBudget,
) -> ConfirmedTrials:
    async def attempt(usable: list[TrialRecord]) -> tuple[list[TrialRecord], list[Confirmation]]:
        async with open_confirmation_workers(target, facts) as workers:  # they start during the selection
            chosen = await asyncio.to_thread(replace_unassertable, usable, facts, imported, kills.by_record)
            pairs = [(record.trial, record.seen) for record in chosen]
            with time_budget.at_least(CONFIRMING):
                return chosen, await confirm(target, facts, pairs, workers=workers)

    is_over = partial(time_budget.is_over, 1.0, "Selecting again in place of what could not be repeated")
    return await confirm_selection(search.records, attempt, is_over)


def _exploration(
    facts: ModuleFacts,
    arcs: ArcMap,
    search: TrialSearch,
    imported: frozenset[Arc],
    work: ConfirmedTrials,
    kills: Kills,
    notes: list[str],
    root: Path | None = None,
) -> Exploration:
    findings, reached = trial_findings(work, arcs, imported, kills.by_record)
    notes.extend(absent_note(message, root) for message in sorted(search.absent))
    if work.bad:
        were, they = ("was", "it") if len(work.bad) == 1 else ("were", "they")
        notes.append(f"{counted(len(work.bad), 'trial')} {were} dropped because {they} could not be repeated.")
    return Exploration(
        facts=facts,
        findings=tuple(findings),
        unreached=unreached_callables(
            facts, search.subjects, findings, work.dropped, reached - imported, search.trials
        ),
        reached_arcs=reached,
        possible_arcs=arcs.possible,
        trials=search.trials,
        notes=tuple(notes),
    )


def absent_note(message: str, root: Path | None) -> str:
    """What trials lack, and what helps: a folder of the project is no package to install."""
    note = f"Some trials need a package that is not installed: {message}."
    found = re.search(r"No module named '(\w+)", message)
    name = found.group(1) if found else ""
    if root is not None and name and _is_plain_folder(root / name):
        return (
            f"Some trials fail: {message}. {name} is a folder of the project and no package: add {name}/__init__.py, "
            f"or import what is in it without `{name}.`."
        )
    return f"{note} Install {name} in the project's environment to have them tried." if name else note


def _is_plain_folder(path: Path) -> bool:
    """Whether a folder is no package; False for a name that no file can have."""
    with suppress(OSError):
        return path.is_dir() and not (path / "__init__.py").exists()
    return False


@runtime_checkable
class RestartableProposer(Protocol):
    """A proposer that can start again to aim at unreached arcs."""

    def restart(self, reached: frozenset[Arc]) -> Proposer:
        """Returns a new proposer without observations that considers some arcs reached."""
        ...


async def explore_fallbacks(
    target: PythonTarget, facts: ModuleFacts, source: str, search: TrialSearch, observer: Watcher, run: SearchRunner
) -> None:
    """Adds trials of the module without its optional imports to `search`, where arcs are left to reach.

    Args:
        source: the module's text.
        observer: worker of the unchanged module.
        run: runs a search to its end.

    Raises:
        SandboxFailure: the sandbox breaks.
    """
    proposer = search.proposer
    found = optional_imports(source, facts)
    if not found or not isinstance(proposer, RestartableProposer):
        return
    branches = branch_arcs(source)
    for import_ in rank_optional_imports(found, source, facts, set(branches - search.reached))[:_MOST_IMPORTS]:
        if import_ not in rank_optional_imports([import_], source, facts, set(branches - search.reached)):
            continue  # an earlier fallback reached the arcs that depend on it
        await _without(import_, target, facts, search, observer, run)


async def _without(
    one: OptionalImport,
    target: PythonTarget,
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    run: SearchRunner,
) -> None:
    assert isinstance(search.proposer, RestartableProposer)
    arcs: ArcMap = search.arcs
    try:
        async with open_observer_pair(target, facts, replace(EXPLORING, missing=one.modules)) as other:
            reached = frozenset(search.reached) | arcs.real(other.import_arcs)
            # Only trials with new arcs are kept, so new kinds of outcome must not prolong this search.
            inner = TrialSearch(facts, arcs, search.proposer.restart(reached), reached, FALLBACK_TRIALS, kinds=False)
            await run(inner, other)
    except TargetImportError:
        return  # the import is not optional after all
    new = [record for record in inner.records if not record.arcs <= reached]
    chosen = replace_unassertable(new, facts, reached)
    covered = set(reached).union(*(record.covered for record in chosen))
    for record in select_trials(new, facts, reached):
        # An ImportError is judged unassertable in general, but it is the very behaviour of this fallback.
        if not record.arcs <= covered:
            covered |= record.arcs
            chosen.append(record)
    trials = [trial for record in chosen if (trial := without_import(record.trial, facts, one)) is not None]
    for trial, seen in zip(trials, await observer.watch(trials), strict=True):
        search.learn(trial, seen)
