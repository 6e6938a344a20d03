"""A failed look-up is shown where its message speaks of what was asked for, and by no accident of the inside (B-18)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Raised, RaiseSite
from testwright.engine.python.selection.select_trials import select_trials
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-18")

FACTS = ModuleFacts(
    "m.py", "m", ".", "", functions=(CallableFacts("item", "function", (1, 9), raises=(RaiseSite("IndexError", 5),)),)
)


@pytest.mark.parametrize(
    ("act", "message", "is_shown"),
    [
        ("item([3, 1, 2], -5)", "Index out of range: -5", True),
        ("item([3, 1, 2], -5)", "Index out of range: -2", False),
        ("item([3, 1, 2], 9)", "no item 9, counted from -1 on", True),
        ("item([3, 1, 2], -5)", "index -5 is not between -3 and 2", True),
        ("item(Shelf(most=3), 0)", "the shelf is empty", True),
        ("item(['empty', 'full'], 9)", "neither empty nor full", True),
        ("item([], 9)", "No elements in empty list", True),
        ("item([3, 1, 2], 9)", "No elements in empty list", False),
        ("item([3, 1, 2], 9)", "such a list must not be empty", True),
    ],
)
def test_a_message_that_speaks_of_another_call_is_not_pinned(act: str, message: str, is_shown: bool) -> None:
    anchor = record(0, "item([3, 1, 2], 1)", returned("1"), (1, 2))
    refused = record(1, act, Observation("raised", raised=Raised("IndexError", message, 5)), (1, 5))

    picked = select_trials([anchor, refused], FACTS, frozenset())

    assert (act in [one.trial.act for one in picked]) is is_shown


def test_a_documented_message_is_shown_as_it_is() -> None:
    refused = record(1, "item([3], -5)", Observation("raised", raised=Raised("IndexError", "no -4", 5)), (1, 5))
    documented = replace(refused, trial=replace(refused.trial, wanted="raises:IndexError"))

    assert select_trials([documented], FACTS, frozenset()) == [documented]


SHELF = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    classes=(
        ClassFacts(
            "Shelf",
            "plain",
            (1, 20),
            members=(
                CallableFacts("Shelf.__or__", "method", (2, 5), owner="Shelf"),
                CallableFacts("Shelf.pop", "method", (6, 9), owner="Shelf", raises=(RaiseSite("KeyError", 8),)),
            ),
        ),
    ),
)


@pytest.mark.parametrize(
    ("subject", "act", "is_shown"),
    [
        ("Shelf.__or__", "(shelf | other).pop('a')", False),
        ("Shelf.pop", "(shelf | other).pop('a')", True),
        ("Shelf.pop", "shelf.pop('a')", True),
    ],
)
def test_what_a_later_call_refuses_is_no_behaviour_of_the_first(subject: str, act: str, is_shown: bool) -> None:
    anchor = record(0, "shelf.pop('b')", returned("1"), (6, 7))
    refused = record(1, act, Observation("raised", raised=Raised("KeyError", "'a'", 8)), (6, 8))
    records = [replace(one, trial=replace(one.trial, subject=subject)) for one in (anchor, refused)]

    picked = select_trials(records, SHELF, frozenset())

    assert (act in [one.trial.act for one in picked]) is is_shown


NOT = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(
        CallableFacts("complement", "function", (20, 21)),
        CallableFacts("prices", "function", (22, 24), is_generator=True),
    ),
    classes=(
        ClassFacts(
            "Not",
            "plain",
            (1, 12),
            constructor=CallableFacts("Not", "constructor", (2, 4), owner="Not", raises=(RaiseSite("ValueError", 3),)),
            members=(
                CallableFacts("Not.__or__", "method", (5, 6), owner="Not", raises=(RaiseSite("ValueError", 6),)),
                CallableFacts("Not.__iter__", "method", (7, 9), owner="Not", raises=(RaiseSite("ValueError", 8),)),
            ),
        ),
    ),
)


@pytest.mark.parametrize(
    ("subject", "act", "mode", "line", "is_shown"),
    [
        pytest.param("Not.__or__", "a | Not()", "call", 3, False, id="an_operand_that_cannot_be_made"),
        pytest.param("Not.__or__", "a | b", "call", 6, True, id="the_operator"),
        pytest.param("Not", "Not()", "call", 3, True, id="the_constructor"),
        pytest.param("complement", "complement([1])", "iterate", 8, False, id="the_items_of_a_result"),
        pytest.param("prices", "prices(shelf)", "iterate", 8, True, id="what_a_generator_reads"),
    ],
)
def test_what_another_call_of_the_act_refuses_is_no_behaviour_of_the_subject(
    subject: str, act: str, mode: Any, line: int, is_shown: bool
) -> None:
    refused = record(1, act, Observation("raised", raised=Raised("ValueError", "no", line)), (line - 1, line))
    anchor = record(0, "usual", returned("1"), (5, 6), (20, 21), (2, 3))
    records = [
        replace(one, trial=replace(one.trial, subject=subject, mode=how))
        for one, how in ((anchor, "call"), (refused, mode))
    ]

    picked = select_trials(records, NOT, frozenset())

    assert (act in [one.trial.act for one in picked]) is is_shown
