"""Uses the instances that a module offers, where trials build objects that do the same: `jaro("kitten", "sitting")`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ..model.model import Arc, ModuleFacts
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialSearch
from ..selection.assertable_selection import replace_unassertable
from ..selection.shared_instances import on_shared_instances, shared_instances, without_own_instances


async def use_shared_instances(
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    kills: Mapping[int, frozenset[int]],
) -> dict[int, frozenset[int]]:
    """Replaces the records that would be selected and build an object by those with the module's instance.

    Only of instances with which a trial was seen to do the same; all tests of a class then use its objects alike.

    Args:
        imported: arcs that importing the module runs.
        kills: mutants that records detect, by record number.

    Returns:
        `kills` for the remaining records.
    """
    instances = shared_instances(search.records, facts)
    if instances:
        chosen = await asyncio.to_thread(replace_unassertable, search.records, facts, imported, kills)
        new = [one for one in on_shared_instances(chosen, instances) if search.is_new(one)]
        await run_trials(new, search, observer)
    search.records, known = without_own_instances(search.records, facts, kills)
    return known
