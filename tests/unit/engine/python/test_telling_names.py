"""Names say what differs in the act or the outcome: a missing key, a slice, the method that made the object."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.write.naming import name_tests
from testwright.engine.python.write.row_words import words_of_rows

pytestmark = pytest.mark.feature("B-18")


def method(name: str, *names: str) -> CallableFacts:
    parameters = tuple(
        Parameter(one, "positional_or_keyword", default="None" if one == "default" else None)
        for one in ("self", *names)
    )
    return CallableFacts(f"Shelf.{name}", "method", (1, 2), parameters, owner="Shelf")


SHELF = ClassFacts(
    "Shelf",
    "plain",
    (1, 9),
    constructor=CallableFacts(
        "Shelf", "constructor", (1, 2), (Parameter("self", "positional_or_keyword"),), owner="Shelf"
    ),
    members=(
        method("get", "key", "default"),
        method("__getitem__", "key"),
        method("__eq__", "other"),
        method("label"),
        method("below", "step"),
    ),
)
FACTS = ModuleFacts("m.py", "m", ".", "", classes=(SHELF,))
FILLED = ("shelf = Shelf()", "shelf[3] = 30")


def case(member: str, act: str, demand: SpecExpectation, *statements: str) -> Case:
    given = statements or FILLED
    return Case(" ".join((*given, act)), "x", f"Shelf.{member}", act, "call", (demand,), statements=given)


def names(*cases: Case) -> list[str]:
    named = name_tests(cases, FACTS)
    return [named[one.id].id.removeprefix("tc_shelf_") for one in cases]


def equals(value: str) -> SpecExpectation:
    return SpecExpectation("equals", "result", value)


def test_a_key_that_the_object_was_not_given_is_missing_and_never_larger() -> None:
    assert names(case("get", "shelf.get(3)", equals("30")), case("get", "shelf.get(9)", equals("0"))) == [
        "get",
        "get_for_missing_key",
    ]


def test_the_default_of_a_look_up_is_told_by_its_parameter_alone() -> None:
    known = case("get", "shelf.get(3)", equals("30"))

    assert names(known, case("get", "shelf.get(9, default='abc')", equals("'abc'")))[1] == "get_with_default"


def test_a_slice_of_an_object_is_told_from_an_index() -> None:
    first, part = case("__getitem__", "shelf[3]", equals("30")), case("__getitem__", "shelf[2:4]", equals("[30]"))

    assert names(first, part) == ["getitem", "getitem_for_slice"]


def test_a_refused_look_up_needs_no_word_for_its_key() -> None:
    refused = SpecExpectation("raises", "result", exception="KeyError")

    assert names(case("__getitem__", "shelf[3]", equals("30")), case("__getitem__", "shelf[0]", refused)) == [
        "getitem",
        "getitem_raises_key_error",
    ]


def test_what_made_an_object_of_another_one_names_a_further_test() -> None:
    made = (*FILLED[:1], "below = shelf.below(2)")

    assert names(
        case("label", "below.label()", equals("'below'"), *made),
        case("label", "shelf.label()", equals("'top'"), *FILLED[:1]),
        case("label", "shelf.get(3).label()", equals("'thirty'"), *FILLED[:1]),
    ) == ["label_after_below", "label", "label_after_get"]


def test_an_equality_that_does_not_hold_never_bears_the_plain_name() -> None:
    unequal = SpecExpectation("holds", "not result")

    assert names(case("__eq__", "shelf == Shelf()", unequal)) == ["eq_is_false"]
    assert names(
        case("label", "shelf.label()", equals("'top'")), case("label", "shelf.label() == Shelf().label()", unequal)
    ) == ["label", "label_differs"]


def test_rows_of_an_index_and_a_slice_are_named_by_these() -> None:
    given = {
        "items": [ast.parse(text, mode="eval").body for text in ("[3, 1, 2]", "[3, 1]")],
        "index": [ast.parse(text, mode="eval").body for text in ("2", "slice(1, 3)")],
    }

    assert words_of_rows(given, {}) == ["index", "slice"]


def test_rows_whose_inputs_look_alike_in_words_are_named_by_what_comes_out() -> None:
    patch = "--- %s\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"
    given = {"text": [ast.Constant(patch % name) for name in ("pear", "apple", "plum")]}
    found = [ast.Constant(name) for name in ("pear", "apple", "")]

    assert words_of_rows(given, {"expected_path": found}) == ["path_pear", "path_apple", "empty_path"]
    assert words_of_rows(given, {"expected": found}) == ["gives_pear", "gives_apple", "gives_nothing"]
