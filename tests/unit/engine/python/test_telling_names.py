"""Names say what differs in the act or the outcome: a missing key, a slice, the method that made the object."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.source.message_words import message_words
from testwright.engine.python.write.naming import name_tests
from testwright.engine.python.write.rows.row_words import words_of_rows

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
        replace(method("place"), kind="property"),
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


def test_rows_of_which_only_the_cut_between_columns_differs_are_parted_by_and() -> None:
    pairs = (("['a']", "['b']"), ("['a', '']", "['b']"), ("['a']", "['', 'b']"), ("['a', '']", "['', 'b']"))
    first, second = ([ast.parse(text, mode="eval").body for text in column] for column in zip(*pairs, strict=True))
    same = [ast.parse("['a', 'b']", mode="eval").body] * 4

    found = words_of_rows({"first": first, "second": second}, {"expected": same})
    assert found == ["a_b", "a_empty_string_and_b", "a_and_empty_string_b", "a_empty_string_empty_string_b"]


def test_only_rows_whose_inputs_look_alike_in_words_are_told_by_what_comes_out_as_well() -> None:
    patch = "--- %s\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"
    texts = [ast.Constant(text) for text in (patch % "pear", patch % "plum", "kitten")]
    results = [ast.Constant(text) for text in ("pear", "apple", "apple")]

    found = words_of_rows({"text": texts}, {"expected_path": results})
    assert found == ["unified_diff_path_pear", "unified_diff_path_apple", "kitten"]


def test_an_odd_character_tells_more_than_a_capital_letter() -> None:
    assert words_of_rows({"key": [ast.Constant("apple"), ast.Constant("SGVsbG8=")]}, {}) == [
        "plain_word",
        "with_equals_sign",
    ]


def test_what_is_read_of_a_property_names_the_test() -> None:
    read = SpecExpectation("is", "result", "False")

    assert names(
        case("place", "shelf.place.next()", equals("3")),
        case("place", "shelf.place.isfile", read),
        case("place", "shelf.place.depth", equals("7")),
    ) == ["place_next", "place_isfile_is_false", "place_depth"]


def test_a_refusal_is_not_told_by_what_its_plainly_named_sibling_lacks_too() -> None:
    def refuses(label: str, text: str) -> Case:
        refused = SpecExpectation("raises", "message", exception="ValueError", match=text)
        return case("get", f"shelf.get({label!r})", refused)

    usual = case("get", "shelf.get('a', default=3)", equals("30"))
    found = [usual, refuses("b:", "Invalid port 'b'"), refuses("c/", "Invalid host 'c'")]

    assert names(*found) == ["get", "get_raises_value_error", "get_raises_value_error_for_invalid_host"]


def test_messages_of_rows_that_differ_in_a_value_name_their_refusal_by_what_they_say() -> None:
    refused = [
        SpecExpectation("raises", "message", exception="ValueError", match=f"Invalid host {at!r}") for at in "cd"
    ]
    rows = [case("get", "shelf.get('c/')", one) for one in refused]

    assert message_words(rows) == "invalid_host"


def test_what_a_statement_passed_to_the_member_counts_where_the_act_asks_its_result() -> None:
    usual = case("below", "shelf.below(2).label()", equals("'two'"))
    bound = case("below", "lower.label()", equals("'nine'"), *FILLED, "lower = shelf.below(9)")

    assert names(usual, bound) == ["below", "below_for_larger_step"]


def test_that_two_objects_are_not_equal_names_their_comparison_before_what_either_is_made_of() -> None:
    known = case("__eq__", "shelf == Shelf()", SpecExpectation("holds", "result"), "shelf = Shelf()")
    other = case(
        "__eq__", "shelf == Shelf()", SpecExpectation("holds", "not result"), "shelf = Shelf()", "shelf[3] = 3"
    )

    assert names(known, other) == ["eq", "eq_is_false"]


def test_a_test_of_a_property_is_named_by_the_call_that_acts() -> None:
    def asked(act: str, value: str) -> Case:
        return case("place", act, equals(value), "shelf = Shelf()")

    found = names(
        asked("shelf.place.normalize()", "'a'"),
        asked("shelf.place.encode(safe=True)", "'b'"),
        asked("shelf.place.encode(safe=False)", "'c'"),
        asked("Shelf().turn(3).place", "'d'"),
    )

    assert found == [
        "place_normalize",
        "place_encode_with_safe",
        "place_encode_without_safe",
        "place_after_turn",
    ]
