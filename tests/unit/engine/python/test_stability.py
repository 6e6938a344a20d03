"""What is left of an observation once everything that differed is taken out (B-11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.judge.comparison import same_source, stable_part
from testwright.engine.python.model.model import Observation, Raised, Value


def returned(source: str | None, **more: object) -> Observation:
    return Observation("returned", value=Value("list", source=source, **more))  # pyrefly: ignore[bad-argument-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("{1, 2}", "{2, 1}"),
        ("{'a': 1, 'b': {2, 3}}", "{'b': {3, 2}, 'a': 1}"),
        ("[0.1, 0.30000000000000004]", "[0.1, 0.3]"),
        ("Item(name='a')", "Item(name='a')"),
    ],
)
def test_sources_of_equal_values_are_the_same(one: str, other: str) -> None:
    assert same_source(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("[1, 2]", "[2, 1]"), ("1", "1.0"), ("1", "True"), ("Item(a=1)", "Item(b=1)"), ("f(1)", "g(1)"), ("-1", "1")],
)
def test_sources_of_other_values_are_not(one: str, other: str) -> None:
    assert not same_source(one, other)


def test_what_is_the_same_everywhere_stays() -> None:
    seen = returned("[1]", length=1, text="[1]")
    left = stable_part(replace(seen, seconds=0.5), [seen, seen])
    assert left is not None
    assert left.observation == seen
    assert left.unstable == ()


def test_a_result_that_differs_keeps_its_type_and_its_length_only() -> None:
    left = stable_part(returned("[1, 2]", length=2, text="[1, 2]"), [returned("[5, 6]", length=2, text="[5, 6]")])
    assert left is not None
    assert left.unstable == ("result",)
    assert left.observation.value == Value("list", length=2)


def test_a_result_in_another_order_is_marked_as_unordered() -> None:
    left = stable_part(returned("['a', 'b']"), [returned("['b', 'a']")])
    assert left is not None
    assert left.unstable == ()
    assert left.observation.value is not None
    assert left.observation.value.unordered


def test_attributes_are_told_apart() -> None:
    def thing(when: str) -> Observation:
        attributes = (("size", Value("int", "3")), ("made", Value("str", when)))
        return Observation("returned", value=Value("shop.Thing", attributes=attributes))

    left = stable_part(thing("'now'"), [thing("'then'")])
    assert left is not None
    assert left.unstable == ("result.made",)
    assert left.observation.value is not None
    assert dict(left.observation.value.attributes)["size"].source == "3"
    assert dict(left.observation.value.attributes)["made"].source is None


def test_effects_output_and_messages_are_told_apart() -> None:
    one = replace(returned("1"), effects=(("a", Value("int", "1")), ("b", Value("int", "1"))), output="at 1")
    other = replace(returned("1"), effects=(("a", Value("int", "1")), ("b", Value("int", "2"))), output="at 2")
    left = stable_part(one, [other])
    assert left is not None
    assert left.unstable == ("b", "output")
    assert [name for name, _ in left.observation.effects] == ["a"]
    assert left.observation.output == ""

    said = stable_part(Observation("raised", raised=Raised("E", "x")), [Observation("raised", raised=Raised("E", "y"))])
    assert said is not None
    assert said.unstable == ("message",)
    assert said.observation.raised == Raised("E", "")


def test_another_kind_of_ending_leaves_nothing() -> None:
    assert stable_part(returned("1"), [Observation("raised", raised=Raised("ValueError"))]) is None
    assert stable_part(Observation("raised", raised=Raised("A")), [Observation("raised", raised=Raised("B"))]) is None
