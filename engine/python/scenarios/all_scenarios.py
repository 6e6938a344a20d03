"""Runs the scenarios of one module, each kind on what the kinds before it have shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.model import ModuleFacts, Trial
from ..search.influence_trials import Distinction
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import TrialRecord, TrialSearch
from .bounded_containers import show_bounded_containers
from .constructor_options import show_constructor_options
from .counted_calls import REMEMBERS, counted_calls
from .drawn_results import show_draws
from .filled_attributes import show_filled_attributes
from .independent_copies import independent_copies, spared_arguments
from .linked_nodes import linked_nodes
from .listed_arguments import listed_arguments
from .missed_lookups import show_missed_lookups
from .moved_clocks import show_moved_clocks
from .object_round_trips import object_round_trips, with_named_content, written_texts
from .overlapping_operands import overlapping_operands
from .refused_values import show_refused_values
from .repeated_failures import show_repeated_failures
from .rule_tables import show_rule_tables
from .scenario import ROUND_TRIP, ShownBehaviour, show_scenarios
from .searched_items import show_searched_items
from .unchanged_arguments import unchanged_arguments


async def show_all_scenarios(facts: ModuleFacts, search: TrialSearch, observer: Watcher, source: str = "") -> None:
    """Runs the scenarios of a module; those that hold are learned, and marked.

    Args:
        source: the module's text.
    """
    await show_scenarios(listed_arguments(search.records, facts, source), search, observer)
    await _learn(with_named_content(search.records, facts), search, observer)
    await _learn(written_texts(search.records, facts), search, observer)
    _mark_round_trips(search.records)
    await show_scenarios(object_round_trips(search.records, facts), search, observer)
    await show_scenarios(overlapping_operands(search.records, facts), search, observer)
    await show_scenarios(independent_copies(search.records, facts), search, observer)
    await show_scenarios(spared_arguments(search.records, facts), search, observer)
    await show_scenarios(unchanged_arguments(search.records, facts), search, observer)
    counted = await show_scenarios(counted_calls(search.records, facts), search, observer)
    remembering = [one for one in counted if one.shows == REMEMBERS]
    await show_moved_clocks(facts, search, observer, remembering)
    await show_repeated_failures(facts, search, observer)
    await show_draws(facts, search, observer)
    await show_filled_attributes(facts, search, observer)
    await show_scenarios(linked_nodes(search.records, facts), search, observer)
    await show_bounded_containers(facts, search, observer)
    await show_refused_values(facts, search, observer)
    await show_constructor_options(facts, search, observer)
    await show_searched_items(facts, search, observer)
    await show_missed_lookups(facts, search, observer)
    await show_rule_tables(facts, search, observer, source)


def _mark_round_trips(records: Sequence[TrialRecord]) -> None:
    """Marks the first round trip of a plain value of each callable as its scenario."""
    first = {one.trial.subject: one for one in reversed(records) if one.notes.get(Distinction) == ROUND_TRIP}
    for record in first.values():
        record.notes[ShownBehaviour] = ROUND_TRIP


async def _learn(trials: Iterable[Trial], search: TrialSearch, observer: Watcher) -> None:
    await run_trials([one for one in trials if search.is_new(one)], search, observer)
