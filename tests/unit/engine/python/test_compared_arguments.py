"""Two arguments that play the same part are shown equal and with nothing in common, beside the usual call (B-16)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.compared_arguments import show_compared_arguments
from testwright.engine.python.search.influence_trials import Distinction
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.engine.python.source.counterparts import are_counterparts, relation_words
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def shared(s1, s2):
    return len(set(s1) & set(s2))

def spaced(first, second="", sep=" "):
    return sep.join((first, second))

def place(text, part):
    return text.find(part)

def hamming(left, right):
    if len(left) != len(right):
        raise ValueError("lengths")
    return sum(here != there for here, there in zip(left, right))

def rotated(first, second):
    return len(first) == len(second) and second in first * 2

def joined(*parts):
    return "/".join(parts)

def all_share(*texts):
    return sorted(set.intersection(*map(set, texts)))
"""


def learned(usual: str, **more: Any) -> TrialSearch:
    """A search that knows a usual call and those that are shown beside it."""
    facts = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))
    search, here = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(SOURCE)

    async def run() -> None:
        trial = Trial(usual.partition("(")[0], usual, **more)
        search.learn(trial, (await here.watch([trial]))[0])
        await show_compared_arguments(facts, search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return search


def shown(usual: str) -> dict[str, str]:
    """The calls that are shown beside a usual one, by what they show."""
    notes = [(one.notes.get(Distinction), one.trial.act) for one in learned(usual).records]
    return {str(note): act for note, act in notes if note is not None}


def test_counterparts_are_shown_equal_and_with_nothing_in_common() -> None:
    assert shown("shared('kitten', 'mitten')") == {
        "nothing in common": "shared('kitten', 'harbor')",
        "equal arguments": "shared('kitten', 'kitten')",
    }
    assert shown("shared([3, 1, 2], [3, 8])")["nothing in common"] == "shared([3, 1, 2], [4, 5])"


def test_what_is_looked_for_in_a_text_is_no_counterpart_of_it() -> None:
    assert shown("place('kitten', 'tt')") == {}


def test_counterparts_of_one_length_keep_it() -> None:
    assert shown("hamming('rose', 'rope')") == {
        "nothing in common": "hamming('rose', 'milk')",
        "equal arguments": "hamming('rose', 'rose')",
    }


def test_an_answer_that_the_usual_call_has_too_shows_nothing() -> None:
    assert shown("rotated('rose', 'sero')") == {}


def test_what_is_put_together_of_its_arguments_compares_nothing() -> None:
    assert shown("joined('kitten', 'sitting')") == {}


def test_what_a_document_says_of_the_usual_call_is_said_of_no_other_one() -> None:
    records = learned("shared('kitten', 'mitten')", source="doctest", wanted="4", wanted_line=7).records

    assert [one.trial.wanted for one in records] == ["4", None, None]
    assert [one.trial.wanted_line for one in records] == [7, 0, 0]


def test_three_are_shown_where_any_number_may_be_passed() -> None:
    assert shown("all_share('kitten', 'sitting')") == {
        "nothing in common": "all_share('kitten', 'word')",
        "equal arguments": "all_share('kitten', 'kitten')",
    }
    assert shown("all_share('planning', 'playing')")["three arguments"] == "all_share('planning', 'playing', 'plan')"
    assert shown("all_share([3, 1, 8, 2], [3, 1, 2])")["three arguments"] == (
        "all_share([3, 1, 8, 2], [3, 1, 2], [1, 2, 4])"
    )


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("s1", "s2", True),
        ("word_a", "word_b", True),
        ("left_items", "right_items", True),
        ("word", "other", True),
        ("haystack", "needle", False),
        ("s1", "s3", False),
        ("text", "pattern", False),
    ],
)
def test_names_tell_counterparts(first: str, second: str, alike: bool) -> None:
    assert are_counterparts(first, second) is alike


def test_rows_say_how_counterparts_are_related() -> None:
    facts = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))
    by_name = {one.name: one for one in facts.callables()}

    assert relation_words("shared('kitten', 'kitten')", by_name["shared"]) == "equal"
    assert relation_words("shared('kitten', 'harbor')", by_name["shared"]) == "nothing_in_common"
    assert relation_words("shared('kitten', 'mitten')", by_name["shared"]) == ""
    assert relation_words("shared('kitten', '')", by_name["shared"]) == ""
    assert relation_words("all_share('kitten', 'harbor')", by_name["all_share"]) == "nothing_in_common"
    assert relation_words("spaced('kitten', sep='-')", by_name["spaced"]) == ""
    assert relation_words("spaced('kitten', 'harbor', '-')", by_name["spaced"]) == "nothing_in_common"
    assert relation_words("place('kitten', 'harbor')", by_name["place"]) == ""
