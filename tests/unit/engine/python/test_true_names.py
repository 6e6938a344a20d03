"""Names of tests are true: they tell what is asked of an object, not what only sets it up, and what comes out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import ClassFacts, ModuleFacts
from testwright.engine.python.model.spec_case import Case, SpecEvidence, SpecExpectation
from testwright.engine.python.write.naming import name_tests
from testwright.tests.support.engine.callables import callable_of

pytestmark = pytest.mark.feature("B-06", "B-18")


SHELF = ClassFacts(
    "Shelf",
    "plain",
    (1, 9),
    constructor=callable_of("Shelf", "items=", "key=", kind="constructor"),
    members=tuple(
        callable_of(f"Shelf.{name}", *parameters)
        for name, parameters in {
            "discard": ("value",),
            "remove": ("value",),
            "count": ("value",),
            "between": ("low=", "high=", "reverse="),
            "index": ("value", "start=", "stop="),
            "__mul__": ("value",),
            "__contains__": ("value",),
            "__gt__": ("other",),
            "__eq__": ("other",),
            "__ne__": ("other",),
        }.items()
    ),
)
FACTS = ModuleFacts("m.py", "m", ".", "", functions=(callable_of("parse", "value", kind="function"),), classes=(SHELF,))
FULL = "shelf = Shelf([1, 2, 3])"


def asks(act: str, value: str, *statements: str, of: str, kind: str = "equals", told: bool = False) -> Case:
    evidence = SpecEvidence("m.py", (4, 5)) if told else None
    actual, given = (value, None) if kind == "holds" else ("result", value)
    origin = "documented" if told else "observed"
    demand = SpecExpectation(kind, actual, given, origin=origin, evidence=evidence)
    return Case(" ".join((*statements, act)), "x", of, act, "call", (demand,), statements=statements)


def refuses(act: str, *statements: str, of: str) -> Case:
    demand = SpecExpectation("raises", "message", exception="ValueError", match="'3' is not in list")
    return Case(" ".join((*statements, act)), "x", of, act, "call", (demand,), statements=statements)


def named(*cases: Case) -> tuple[list[str], list[bool]]:
    vague = set[str]()
    found = name_tests(cases, FACTS, vague)
    names = [found[case.id].id.removeprefix("tc_").removeprefix("shelf_") for case in cases]
    return names, [case.id in vague for case in cases]


def test_a_documented_test_beside_a_generated_twin_takes_the_plain_name() -> None:
    observed = asks("shelf.discard(3)", "None", "shelf = Shelf()", "shelf.add(3)", of="Shelf.discard", kind="is")
    told = asks("shelf", "[1, 2]", FULL, "shelf.discard(9)", "shelf.discard(3)", of="Shelf.discard", told=True)

    assert named(observed, told)[0][1] == "discard"


def test_nothing_tells_a_generated_twin_from_the_documented_test() -> None:
    bound = asks("list(found)", "[1, 2]", FULL, "found = shelf.between(1, 2)", of="Shelf.between", told=True)
    asked = asks("list(shelf.between(1, 2))", "[1, 2]", FULL, of="Shelf.between")
    again = asks("shelf", "[2]", FULL, "shelf.remove(1)", "shelf.remove(3)", of="Shelf.remove", told=True)
    state = SpecExpectation("equals", "list(shelf)", "[1, 2]")
    once = replace(asks("shelf.remove(3)", "None", FULL, of="Shelf.remove"), expect=(state,))

    assert named(bound, asked, again, once)[1] == [False, True, False, True]


def test_a_test_is_named_by_what_no_test_before_it_has_too() -> None:
    found = [
        asks(f"list(shelf.between({given}))", value, FULL, of="Shelf.between", told=told)
        for given, value, told in (
            ("", "[1, 2, 3]", False),
            ("1, 2", "[1, 2]", True),
            ("high=2, low=1", "[1, 2]", False),
            ("1, 2, reverse=True", "[2, 1]", False),
        )
    ]

    names, vague = named(*found)
    assert [names[0], names[1], names[3]] == ["between", "between_with_low", "between_with_reverse"]
    assert vague == [False, False, True, False]


def test_what_an_object_is_made_of_is_no_condition_of_another_method() -> None:
    observed = asks("shelf.between(reverse=True)", "[2, 1]", "shelf = Shelf()", "shelf.add(1)", of="Shelf.between")
    told = asks("shelf.between(1, 2)", "[1, 2]", FULL, of="Shelf.between", told=True)

    assert named(observed, told)[0] == ["between_with_reverse", "between"]


def test_an_option_that_an_object_lacks_tells_more_than_how_many_items_it_has() -> None:
    usual = asks("shelf.between(1, 2)", "[1, 2]", "shelf = Shelf([1, 2, 3], key=neg)", of="Shelf.between", told=True)
    other = asks("shelf.between(1, 2)", "[1]", "shelf = Shelf([1, 9])", of="Shelf.between")

    assert named(usual, other)[0] == ["between", "between_without_key"]


def test_items_of_an_object_that_calls_fill_as_well_are_no_condition() -> None:
    usual = asks("shelf.count(2)", "1", "shelf = Shelf([2, 1, 1])", of="Shelf.count")
    other = asks("shelf.count(2)", "2", FULL, "shelf.add(2)", of="Shelf.count")

    assert named(usual, other)[0] == ["count", "count_after_add"]


def test_items_that_are_passed_by_their_name_are_no_option_of_an_object() -> None:
    told = asks("shelf.count(2)", "1", "shelf = Shelf(items=[1, 2])", of="Shelf.count", told=True)
    filled = [
        asks("shelf.count(2)", "1", "shelf = Shelf()", *steps, of="Shelf.count")
        for steps in (("shelf.add(2)",), ("shelf.add(2)", "shelf.discard(3)"))
    ]

    assert named(*filled, told)[0][-1] == "count"


def test_an_option_that_all_but_one_object_are_made_with_is_no_condition() -> None:
    keyed = "shelf = Shelf([3, 2], key=neg)"
    cases = (
        asks("shelf.index(2)", "3", "shelf = Shelf([5, 4, 2], key=neg)", of="Shelf.index", told=True),
        asks("shelf.index(2, start=1)", "1", keyed, of="Shelf.index"),
        asks("shelf.index(2)", "1", "shelf = Shelf([5])", "shelf.update([2, 1])", of="Shelf.index"),
        refuses("shelf.index(7)", keyed, of="Shelf.index"),
        refuses("shelf.index(2, start=-1)", keyed, of="Shelf.index"),
        refuses("shelf.index(2, stop=-1)", "shelf = Shelf(key=neg)", "shelf.add(2)", of="Shelf.index"),
    )

    assert named(*cases)[0] == [
        "index",
        "index_with_start",
        "index_without_key",
        "index_raises_value_error",
        "index_raises_value_error_for_negative_start",
        "index_raises_value_error_for_negative_stop",
    ]


def test_a_number_is_larger_only_than_one_that_the_same_object_is_asked_for() -> None:
    usual = asks("shelf.count(3)", "3", FULL, of="Shelf.count")
    larger = asks("shelf.count(6)", "1", FULL, of="Shelf.count")
    apart = asks("shelf.count(6)", "1", "shelf = Shelf()", "shelf.add(6)", of="Shelf.count")

    assert named(usual, larger)[0] == ["count", "count_for_larger_value"]
    assert named(usual, apart)[0] == ["count", "count_after_add"]


def test_the_call_that_a_documented_comparison_shows_is_no_step_before_it() -> None:
    shown = asks("shelf", "[1, 2]", FULL, "shelf.remove(3)", of="Shelf.remove", told=True)
    twice = asks("shelf", "[1]", FULL, "shelf.remove(3)", "shelf.remove(2)", of="Shelf.remove", told=True)

    assert named(shown, twice)[0] == ["remove", "remove_after_remove"]


def test_an_operand_that_the_act_hides_is_not_called_left_out() -> None:
    usual = asks("repr(shelf * 2)", "'[1, 1]'", FULL, of="Shelf.__mul__")
    hidden = asks("list((shelf * 2).between())", "[1, 1]", FULL, of="Shelf.__mul__")
    key = asks("(shelf * 2).copy().key", "neg", FULL, of="Shelf.__mul__", kind="is")

    names, vague = named(usual, hidden, key)
    assert not any("without_value" in name or "is_neg" in name for name in names)
    assert vague == [False, True, True]


def test_a_comparison_that_does_not_hold_says_so() -> None:
    absent = "not result"
    greater = asks("shelf > Shelf()", absent, FULL, of="Shelf.__gt__", kind="holds")
    holds = [
        asks("3 in shelf", "result", FULL, of="Shelf.__contains__", kind="holds"),
        asks("3 in shelf", absent, "shelf = Shelf()", of="Shelf.__contains__", kind="holds"),
        asks("9 in shelf", absent, FULL, "shelf.add(1)", of="Shelf.__contains__", kind="holds"),
    ]

    assert named(greater)[0] == ["gt_is_false"]
    assert named(*holds)[0] == ["contains", "contains_is_false", "contains_is_false_after_add"]


def test_that_a_comparison_holds_tells_nothing_beside_one_that_holds_as_well() -> None:
    held = [
        asks("shelf > Shelf()", "result", FULL, of="Shelf.__gt__", kind="holds"),
        asks("shelf > Shelf([0])", "result", FULL, of="Shelf.__gt__", kind="holds"),
    ]

    names, vague = named(*held)
    assert (names[0], vague[0]) == ("gt", False)
    assert not names[1].endswith("is_true")


def test_a_comparison_with_a_plain_number_is_one_with_another_type() -> None:
    unequal = asks("shelf != 1", "result", FULL, of="Shelf.__ne__", kind="holds")
    other = asks("shelf != Shelf()", "result", FULL, of="Shelf.__ne__", kind="holds")

    assert named(unequal, other)[0] == ["ne_for_other_type", "ne"]


def test_a_name_says_what_a_text_lacks_and_repeats_no_filler_word() -> None:
    usual = asks("parse('${a}')", "1", of="parse")

    assert named(usual, asks("parse('kitten')", "2", of="parse"))[0] == ["parse", "parse_for_plain_text"]
    plain = asks("parse('sitting')", "1", of="parse")
    names, vague = named(plain, replace(asks("parse('kitten')", "2", of="parse"), title="x"))
    assert "kitten" not in names[1]
    assert vague == [False, True]


def test_what_several_results_are_unpacked_from_is_asked_for_in_the_usual_test_as_well() -> None:
    first = asks("(low, high)", "(1, 2)", "low, high = parse([1, 2])", of="parse")

    assert named(first, asks("parse([3, 4])", "[3, 4]", of="parse"))[0][1] == "parse_for_other_value"


def test_a_function_that_is_passed_on_is_named_by_what_calls_it() -> None:
    usual = asks("parse('a')", "1", of="parse")

    assert named(usual, asks("sum(map(parse, ['a', 'b']))", "1", of="parse"))[0][1] == "parse_in_sum"


def test_a_documented_test_that_only_a_kind_of_container_sets_apart_says_so() -> None:
    usual = asks("(shelf * 2)(3)", "6", FULL, of="Shelf.__mul__", told=True)

    assert named(usual, asks("(shelf * 2)([4][0])", "8", FULL, of="Shelf.__mul__", told=True))[0][1].endswith(
        "_for_list"
    )
