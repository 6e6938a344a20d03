"""Explores the module's behaviour without its optional imports.

The trials run in a worker of their own that loads the module without the import. Those that reach new arcs are
rewritten so that the test itself hides the import, and run once more in the main worker.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from ....core.errors import TargetImportError
from ....sandbox.target import PythonTarget
from ..facts.optional_imports import OptionalImport, optional_imports, rank_optional_imports, without_import
from ..model.arcs import ArcMap, branch_arcs
from ..model.model import Arc, ModuleFacts
from ..search.assertable_selection import replace_unassertable
from ..search.observer import EXPLORING
from ..search.parallel_observers import Watcher, open_observer_pair
from ..search.trial_search import Proposer, TrialSearch
from ..search.trial_selection import select_trials

TRIALS = 600
_MOST_IMPORTS = 2
SearchRunner = Callable[[TrialSearch, Watcher], Awaitable[None]]


@runtime_checkable
class RestartableProposer(Protocol):
    """A proposer that can start again to aim at unreached arcs."""

    def restart(self, reached: frozenset[Arc]) -> Proposer:
        """Returns a new proposer without observations that considers some arcs reached."""
        ...


async def explore_fallbacks(
    target: PythonTarget,
    facts: ModuleFacts,
    source: str,
    search: TrialSearch,
    observer: Watcher,
    run: SearchRunner,
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
            inner = TrialSearch(facts, arcs, search.proposer.restart(reached), reached, TRIALS, kinds=False)
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
