"""How well a trial represents its callable: what an object was given, and what was done with it before (B-16)."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import (
    CallableFacts,
    ClassFacts,
    ModuleFacts,
    Observation,
    Parameter,
    Trial,
    Value,
)
from testwright.engine.python.selection.representative import is_trivial, represent

pytestmark = pytest.mark.feature("B-16")

BITS = ClassFacts(
    "Bits",
    "plain",
    (1, 9),
    constructor=CallableFacts(
        "Bits",
        "constructor",
        (1, 3),
        (
            Parameter("self", "positional_or_keyword"),
            Parameter("val", "positional_or_keyword", default="0"),
            Parameter("size", "positional_or_keyword", default="None"),
        ),
        owner="Bits",
    ),
)
SHOWN = CallableFacts("Bits.shown", "method", (4, 6), (Parameter("self", "positional_or_keyword"),), owner="Bits")
FACTS = ModuleFacts("m.py", "m", ".", "", classes=(BITS,))


def degeneracy(*statements: str) -> int:
    trial = Trial("Bits.shown", "bits.shown()", arrange=statements)
    return represent(trial, Observation("returned", value=Value("str", "'0'")), SHOWN, FACTS).degeneracy


@pytest.mark.parametrize(
    "statement",
    [pytest.param("bits.shown()", id="the_call_itself"), pytest.param("len(bits)", id="a_question")],
)
def test_what_changes_nothing_makes_no_object_worth_looking_at(statement: str) -> None:
    assert degeneracy("bits = Bits()", statement) == degeneracy("bits = Bits()") > 0


def test_what_is_done_with_an_object_gives_it_content() -> None:
    assert degeneracy("bits = Bits()", "bits.append(1)", "bits.append(0)") == 0
    assert degeneracy("bits = Bits()", "bits.invert()") == 0


def test_one_item_shows_less_than_two() -> None:
    one = degeneracy("bits = Bits()", "bits.append(1)")
    assert 0 < one < degeneracy("bits = Bits()")


def test_a_loop_that_fills_an_object_shows_less_than_two_items() -> None:
    assert degeneracy("bits = Bits()", "for number in range(12):\n    bits.append(number)") > 0


def test_what_empties_an_object_gives_it_no_content() -> None:
    assert degeneracy("bits = Bits()", "bits.append(1)", "bits.append(0)", "bits.clear()") == degeneracy(
        "bits = Bits()"
    )


def test_items_that_are_put_in_together_count_each() -> None:
    assert degeneracy("bits = Bits()", "bits.extend([1, 0])") == 0
    assert degeneracy("bits = Bits()", "bits.extend([1])") > 0


def test_a_factory_makes_a_whole_object_of_one_argument() -> None:
    assert degeneracy("bits = Bits.from_bin('1011')") < degeneracy("bits = Bits(size=6)")


def test_a_container_that_comes_back_unchanged_is_trivial() -> None:
    kept = Observation("returned", value=Value("dict", "{'a': 1}"))
    given = [ast.parse(text, mode="eval").body for text in ("bool", "{'a': 1}")]
    assert is_trivial(kept, given)
    assert not is_trivial(Observation("returned", value=Value("dict", "{'b': 1}")), given)


def test_arguments_that_might_be_left_out_are_counted() -> None:
    trial = Trial("Bits", "Bits(3, size=6)")
    shown = represent(trial, Observation("returned", value=Value("str", "'0'")), BITS.constructor, FACTS)
    assert shown.options == 2
    total = CallableFacts("total", "function", (1, 2), (Parameter("numbers", "var_positional"),))
    spread = represent(Trial("total", "total(1, 2, 3, 4, 5)"), Observation("returned"), total, FACTS)
    assert spread.options == 0
