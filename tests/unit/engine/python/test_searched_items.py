"""A search in a sorted list is shown at the edges of the list, in rows beside what its document shows (B-16)."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Arc, Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.scenario import FurtherRow
from testwright.engine.python.scenarios.searched_items import show_searched_items
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.engine.python.selection.select_trials import select_trials
from testwright.engine.python.write.rows.search_words import search_words
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher
from testwright.utils.python_source import parse_expression

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def find(items, sought):
    items[0]
    return items.index(sought) if sought in items else -1

def count(items, sought):
    return items.count(sought)
"""
FACTS = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))
USUAL = "find([2, 4, 9, 12], 9)"


def learned(*documented: str) -> TrialSearch:
    """A search that knows documented calls and those that are shown beside them."""
    search, here = TrialSearch(FACTS, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(SOURCE)

    async def run() -> None:
        for act in documented:
            trial = Trial(act.partition("(")[0], act, source="doctest", wanted=str(here.value_of(act)))
            search.learn(trial, (await here.watch([trial]))[0])
        await show_searched_items(FACTS, search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return search


def shown(*documented: str) -> dict[str, str]:
    """The rows that are shown beside documented calls, by what they show."""
    notes = [(one.notes.get(FurtherRow), one.trial.act) for one in learned(*documented).records]
    return {str(note): act for note, act in notes if note is not None}


def test_a_search_is_shown_at_both_ends_outside_them_and_in_a_gap() -> None:
    found = shown(USUAL)

    assert found["first item"] == "find([2, 4, 9, 12], 2)"
    assert found["last item"] == "find([2, 4, 9, 12], 12)"
    assert found["below all"] == "find([2, 4, 9, 12], 1)"
    assert found["above all"] == "find([2, 4, 9, 12], 15)"
    assert found["gap"] == "find([2, 4, 9, 12], 6)"
    assert found["only item"] == "find([9], 9)"
    assert found["uneven items"] == "find([1, 50, 98, 99, 100], 98)"


def test_what_raises_is_no_row() -> None:
    assert "nothing to find" not in shown(USUAL)


def test_a_place_that_a_document_shows_needs_no_row() -> None:
    assert "above all" not in shown(USUAL, "find([1, 2, 3, 4], 70)")


@pytest.mark.parametrize(
    "documented",
    [
        pytest.param("find([2, 4, 9, 12], 3)", id="nothing was found"),
        pytest.param("find([9, 4, 12, 2], 9)", id="the list is not sorted"),
        pytest.param("count([2, 4, 9, 12], 9)", id="the answer is no place"),
    ],
)
def test_other_calls_have_no_such_rows(documented: str) -> None:
    assert shown(documented) == {}


def test_rows_stay_beside_the_documented_example_though_they_run_nothing_new() -> None:
    search = learned(USUAL)

    chosen = {one.trial.act for one in select_trials(search.records, FACTS, frozenset[Arc]())}

    assert chosen == {USUAL, *shown(USUAL).values()}


def test_rows_of_two_lists_say_where_the_items_of_one_are_crowded() -> None:
    lists = [parse_expression(text) for text in ("[1, 10, 12, 15]", "[1, 50, 98, 99, 100]")]
    sought = [parse_expression(text) for text in ("12", "98")]

    assert search_words({"items": lists, "key": sought}) == ["inner_item", "inner_item_crowded_above"]


@pytest.mark.parametrize("other", ["[100, 50, 12, 11]", "[1, 50, 12, 13, 14]"])
def test_items_that_do_not_ascend_are_crowded_nowhere(other: str) -> None:
    lists = [parse_expression(text) for text in ("[1, 10, 12, 15]", other)]
    sought = [parse_expression("12")] * 2

    assert not any("crowded" in words for words in search_words({"items": lists, "key": sought}))
