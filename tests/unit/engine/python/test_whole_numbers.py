"""A fraction that the code refuses as no integer is replaced by a whole number."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import Observation, Raised, Trial
from testwright.engine.python.search.trial_mutation import with_whole_numbers

pytestmark = pytest.mark.feature("B-18")

TRIAL = Trial("fit", "fit([Item(3, 2.5), Item(1, 4.0)], 6)", arrange=("scale(1.5)",))


@pytest.mark.parametrize(
    "message",
    [
        "'float' object cannot be interpreted as an integer",
        "list indices must be integers or slices, not float",
        "can't multiply sequence by non-int of type 'float'",
    ],
)
def test_fractions_become_whole_numbers_where_an_integer_is_needed(message: str) -> None:
    (found,) = with_whole_numbers(TRIAL, Observation("raised", raised=Raised("TypeError", message, 3)))
    assert (*found.arrange, found.act) == ("scale(2)", "fit([Item(3, 2), Item(1, 4)], 6)")


def test_infinity_stays_and_no_document_speaks_of_the_new_call() -> None:
    shown = Trial("fit", "fit(2.5, 1e400)", source="doctest", wanted="3", wanted_line=4)
    message = "'float' object cannot be interpreted as an integer"
    (found,) = with_whole_numbers(shown, Observation("raised", raised=Raised("TypeError", message, 3)))
    assert (found.act, found.wanted, found.source) == ("fit(2, 1e309)", None, "mutation")


def test_another_error_changes_nothing() -> None:
    assert with_whole_numbers(TRIAL, Observation("raised", raised=Raised("TypeError", "no items", 3))) == []
    assert with_whole_numbers(TRIAL, Observation("returned")) == []
