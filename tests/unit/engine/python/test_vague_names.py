"""A test bears words for what sets it apart from its siblings; one for which there are none is not written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import MESSAGE, Case, SpecExpectation
from testwright.engine.python.source.message_words import phrase_of
from testwright.engine.python.write.acting_member import names_a_look, names_an_edge
from testwright.engine.python.write.assign_tables import alike_in_messages, assign_tables
from testwright.engine.python.write.compose import set_up_words
from testwright.engine.python.write.naming import name_tests

pytestmark = pytest.mark.feature("B-06", "B-18")


def _callable(qualname: str, *names: str, kind: str = "function") -> CallableFacts:
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in names)
    return CallableFacts(qualname, kind, (1, 2), parameters, owner=qualname.rpartition(".")[0] or None)  # pyrefly: ignore[bad-argument-type]


POINTER = ClassFacts(
    "Pointer",
    "plain",
    (1, 9),
    constructor=_callable("Pointer", "self", "text", kind="constructor"),
    members=(_callable("Pointer.contains", "self", "part", kind="method"),),
)
FACTS = ModuleFacts("m.py", "m", ".", "", functions=(_callable("fill", "text", "width"),), classes=(POINTER,))


def gives(act: str, value: str, *statements: str, subject: str = "fill") -> Case:
    expected = (SpecExpectation("equals", "result", value),)
    return Case(" ".join((*statements, act)), "x", subject, act, "call", expected, statements=statements)


def named(*cases: Case) -> tuple[list[str], list[bool]]:
    vague = set[str]()
    found = name_tests(assign_tables(cases, FACTS), FACTS, vague)
    return [found[case.id].id.removeprefix("tc_") for case in cases], [case.id in vague for case in cases]


def test_what_makes_an_argument_tells_more_than_that_it_is_another_one() -> None:
    texts = [gives(f"fill('{text}', 9)", f"'{text}'") for text in ("kitten", "hello world")]

    found, vague = named(*texts, gives("fill(clip('kitten', 2), 2)", "'ki'"))

    assert (found[2], vague) == ("fill_for_clipped_text", [False, False, False])


def refuses(act: str, message: str, *, whole: bool = True) -> Case:
    demand = SpecExpectation("raises", MESSAGE if whole else "result", exception="LookupError", match=message)
    return Case(act, "x", "fill", act, "call", (demand,))


@pytest.mark.parametrize(
    ("message", "phrase"),
    [
        ("index '0' is out of bounds", "index_out_of_bounds"),
        ("member 'anArray' not found in {}", "member_not_found"),
        ("'foo' is not a valid sequence index", "invalid_sequence_index"),
        ("Document '<class 'int'>' does not support indexing, must be", "document_does_not_support_indexing"),
        ("Location must start with /", "location_must_start_with_slash"),
        ('"kitten" cannot be parsed to an interval.', "cannot_be_parsed_to_interval"),
        ("Found invalid escape ~", "invalid_escape"),
        ("it is empty", "it_is_empty"),
        ("no", ""),
        ("'x' must start with /", "must_start_with_slash"),
        ("'a' and 'b' are not comparable", "not_comparable"),
        ("page index is not in [1, 2]", ""),
        ("key 'a' not between 'b' and 'c'", ""),
        ("value must not be 'x'", ""),
        ("mode must be one of 'a', 'b'", ""),
        ("no such element: 'a'", "no_such_element"),
        ('"#060409" has no defined color name in css3', "no_defined_color_name"),
        ('"abc" is not defined as a named color in css3', "not_defined_as_named_color"),
        ("version 3a is not known in py2 mode", ""),
        ("at least two items", "at_least_two_items"),
        ("the first of these many words of a sentence goes on and on", ""),
    ],
)
def test_a_message_is_told_by_a_whole_phrase_without_its_values(message: str, phrase: str) -> None:
    assert phrase_of(message) == phrase


def test_rows_of_refusals_are_named_by_what_their_messages_say() -> None:
    found, _ = named(
        refuses("fill(7, 'a')", "'a' is not a valid index"),
        refuses("fill('', 'b')", "member 'b' not found in {}"),
    )

    assert found == ["fill_raises_lookup_error_invalid_index", "fill_raises_lookup_error_member_not_found"]


def test_refusals_whose_messages_are_known_in_part_and_whole_are_rows_of_one_table() -> None:
    cases = [refuses("fill('a', 2)", "index '2' is out of bounds"), refuses("fill('b', 3)", "no index", whole=False)]

    alike = alike_in_messages(cases)

    assert [case.group for case in assign_tables(alike, FACTS)] == ["fill__text__width__message"] * 2
    assert alike_in_messages(cases[:1]) == cases[:1]


def test_columns_of_one_parameter_are_told_by_their_order() -> None:
    twice = [
        gives("stack.pop()", last, f"stack.push({first})", f"stack.push({last})", subject="fill")
        for first, last in (("3", "1"), ("1", "2"))
    ]
    push = _callable("push", "self", "val", kind="method")
    facts = replace(FACTS, classes=(ClassFacts("Stack", "plain", (1, 9), members=(replace(push, owner="Stack"),)),))

    assert {case.group for case in assign_tables(twice, facts)} == {"fill__first__second__expected"}


def test_what_is_asked_of_the_result_of_its_own_subject_is_no_way_back() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", functions=(_callable("from_text", "text"),))
    cases = [
        gives(f"repr(from_text('{text}'))", f"'{text}'", *more, subject="from_text")
        for text, more in (("[1]", ()), ("[2]", ("order = 3",)))
    ]

    assert not any("reverses" in case.id for case in name_tests(cases, facts).values())


def test_a_text_made_by_its_own_method_is_a_row_of_the_table_of_texts() -> None:
    found, _ = named(gives("fill('hi', 9)", "'hi'"), gives("fill('a\\tb'.expandtabs(), 9)", "'a  b'"))

    assert found == ["fill_hi", "fill_expanded_tabs"]


def test_what_a_text_has_and_no_row_of_a_table_has_names_its_test() -> None:
    texts = [gives(f"fill('{text}', 9)", f"'{text}'") for text in ("/kitten", "/hello world")]
    marked = replace(gives("fill('/a%20b', 9)", "None"), expect=(SpecExpectation("is", "result", "None"),))

    assert named(*texts, marked)[0][2] == "fill_is_none"
    other = replace(marked, expect=(SpecExpectation("equals", "result.text", "''"),))
    assert named(*texts, other)[0][2] == "fill_for_text_with_percent_sign"


def test_an_object_that_is_given_itself_is_told_so() -> None:
    made = ("child = Pointer('/a/b')", "parent = Pointer('/a')")
    found, vague = named(
        gives("child.contains(parent)", "True", *made, subject="Pointer.contains"),
        gives("child.contains(child)", "1", *made, subject="Pointer.contains"),
    )

    assert (found, vague) == (["pointer_contains", "pointer_contains_for_itself"], [False, False])

    held = SpecExpectation("is", "result", "True")
    own = replace(gives("child.contains(child)", "", *made, subject="Pointer.contains"), expect=(held,))
    assert named(gives("child.contains(parent)", "3", *made, subject="Pointer.contains"), own)[0] == found


def test_that_a_result_is_zero_does_not_tell_a_test_from_its_sibling() -> None:
    usual = gives("fill('@1', 9)", "3")
    zero = replace(gives("fill('@2', 9)", "0"), expect=(SpecExpectation("approx", "result", "0"),))

    assert named(usual, zero) == (["fill", "fill_is_zero"], [False, True])


def test_a_test_that_only_the_size_of_a_text_or_a_number_tells_apart_is_vague() -> None:
    usual = gives("fill('@1', 9)", "'@1'")
    longer = replace(gives("fill('@1@2', 9)", "'@1'"), expect=(SpecExpectation("equals", "result.text", "''"),))
    wider = replace(gives("fill('@1', 30)", "'@1'"), expect=(SpecExpectation("equals", "result.text", "''"),))

    assert named(usual, longer) == (["fill", "fill_for_longer_text"], [False, True])
    assert named(usual, wider) == (["fill", "fill_for_larger_width"], [False, True])


def test_columns_that_different_calls_take_are_named_by_these_and_stand_in_no_order() -> None:
    counted = [
        gives(f"shelf.count({counted})", times, "shelf = Shelf()", f"shelf.add({added})", subject="fill")
        for added, counted, times in (("6", "3", "1"), ("2", "9", "0"))
    ]

    assert {case.group for case in assign_tables(counted, FACTS)} == {"fill__value_to_add__value_to_count__expected"}


def _rows_of_scale(sizes: tuple[int, ...], factor: int, *uses: tuple[str, str]) -> list[str]:
    scale = replace(_callable("scale", "size", "factor"), uses=uses)
    facts = replace(FACTS, functions=(scale,))
    rows = [gives(f"scale({size}, {factor})", str(size), subject="scale") for size in sizes]
    return [case.id.removeprefix("tc_scale_") for case in name_tests(assign_tables(rows, facts), facts).values()]


def test_rows_stand_to_the_number_that_they_share_only_where_the_body_compares_with_it() -> None:
    assert _rows_of_scale((1, 2, 3), 2, ("size", "compared:factor")) == ["smaller", "equal", "larger"]
    assert _rows_of_scale((1, 2, 3), 2) == ["smallest", "middle", "largest"]


def test_a_negative_number_that_all_rows_share_is_one_number() -> None:
    assert _rows_of_scale((-3, -2, -1), -2, ("size", "compared:factor")) == ["smaller", "equal", "larger"]


def test_a_method_and_a_function_of_the_same_words_both_have_a_usual_test_that_is_not_vague() -> None:
    facts = replace(FACTS, functions=(_callable("pointer_contains", "part"),))
    made = ("pointer = Pointer('/a')",)
    cases = (
        gives("pointer_contains('a')", "3", subject="pointer_contains"),
        gives("pointer.contains('a')", "4", *made, subject="Pointer.contains"),
    )
    for order, expected in (
        (cases, ["tc_pointer_contains", "tc_pointer_contains_of_pointer"]),
        (cases[::-1], ["tc_pointer_contains", "tc_pointer_contains_function"]),
    ):
        vague = set[str]()
        found = name_tests(order, facts, vague)

        assert [found[case.id].id for case in order] == expected
        assert not vague


@pytest.mark.parametrize(
    "told",
    [
        *("_for_negative_index", "_for_url_with_dots", "_for_larger_key", "_for_empty_text", "_for_single_item"),
        *("_for_other_type", "_is_false_for_text_abc", "_in_reversed", "_for_new_box", "_for_non_empty_diff"),
        *("_when_empty", "_is_empty", "_with_single_result", "_with_other_in_the_past"),
    ],
)
def test_what_a_value_looks_like_does_not_say_what_is_asked(told: str) -> None:
    assert names_a_look(told)


@pytest.mark.parametrize(
    "told",
    [
        "_for_slice",
        "_for_no_segments",
        "_for_nested_dict",
        "",
        "_for_itself",
        "_for_list_of_dicts",
    ],
)
def test_how_many_values_there_are_and_what_they_hold_says_what_is_asked(told: str) -> None:
    assert not names_a_look(told)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("_after_add", False),
        ("_after_several_adds", False),
        ("_after_clear", False),
        ("_without_default_after_clear", False),
        ("_without_items", False),
        ("_without_default", True),
    ],
)
def test_how_an_object_was_filled_and_made_does_not_say_what_is_asked(told: str, said: bool) -> None:
    assert names_a_look(told, {"self", "items"}) is not said


@pytest.mark.parametrize("name", ["find_by_name", "wait_for_event", "remaining_after_insert", "copy_without_items"])
def test_the_own_name_of_a_function_tells_nothing_of_a_value(name: str) -> None:
    facts = replace(FACTS, functions=(_callable(name, "text"),))
    cases = [
        gives(f"{name}('{text}')", value, subject=name)
        for text, value in (("kitten", "1"), ("hello world", "2"), ("-3", "None"))
    ]
    told = dict[str, str]()

    found = name_tests(cases, facts, told=told)

    assert {case.id.removeprefix("tc_") for case in found.values()} == {name + words for words in told.values()}
    assert told[cases[0].id] == ""


def test_a_phrase_of_the_message_is_no_look_of_a_value() -> None:
    told = dict[str, str]()
    refused = refuses("fill('kitten', 'a')", "it is empty")
    other = refuses("fill('word', 'b')", "index 'a' is out of bounds")

    found = name_tests([refused, other], FACTS, told=told)

    assert found[other.id].id == "tc_fill_raises_lookup_error_for_index_out_of_bounds"
    assert set(told.values()) == {""}


def test_the_keywords_that_an_object_is_made_with_are_words_of_its_set_up() -> None:
    case = gives("pointer.contains('a')", "True", "pointer = Pointer(title='beta')", subject="Pointer.contains")

    assert set_up_words(FACTS, [case])["Pointer.contains"] == {"text", "title"}


@pytest.mark.parametrize(("told", "edge"), [("_when_empty", True), ("_for_new_cart", True), ("_for_empty_text", False)])
def test_a_new_object_and_an_empty_one_are_edges_that_persons_ask_for(told: str, edge: bool) -> None:
    assert names_an_edge(told) is edge
