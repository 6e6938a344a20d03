"""A name tells a test from its siblings, and a refusal by what makes the call fail."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import ClassFacts, ModuleFacts
from testwright.engine.python.model.spec_case import Case, SpecEvidence, SpecExpectation
from testwright.engine.python.source.titles import describe
from testwright.engine.python.write.assign_tables import assign_tables
from testwright.engine.python.write.naming import name_tests
from testwright.tests.support.engine.callables import callable_of

pytestmark = pytest.mark.feature("B-06", "B-18")


_ZONE = ClassFacts(
    "Zone",
    "plain",
    (1, 9),
    constructor=callable_of("Zone", "hours", "label", kind="constructor"),
    members=(
        callable_of("Zone.offset", "when"),
        callable_of("Zone.__lt__", "other"),
        callable_of("Zone.__getitem__", "item"),
    ),
)
_FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(
        callable_of("order", "items", "key=None", "alg=0", "presort=False", "style='plain'", kind="function"),
        callable_of("rank", "items", "alg=0", kind="function"),
        callable_of("cut", "items", "sizeLimit=0", kind="function"),
        callable_of("apart", "first", "other=None", kind="function"),
        callable_of("chain", "iterable=()", "reverse=False", kind="function"),
        callable_of("draw", "count", "random_state", kind="function"),
        callable_of("put", "d", "default=None", kind="function"),
    ),
    classes=(_ZONE,),
)


def _returns(act: str, *statements: str, of: str = "order", value: str = "[1]") -> Case:
    demand = SpecExpectation("equals", "result", value)
    return Case(" ".join((*statements, act)), "x", of, act, "call", (demand,), statements=statements)


def _refuses(act: str, of: str = "order") -> Case:
    demand = SpecExpectation("raises", "message", exception="ValueError", match="no such order")
    return Case(act, "x", of, act, "call", (demand,))


def _named(*cases: Case) -> list[str]:
    found = name_tests(cases, _FACTS)
    return [found[case.id].id.removeprefix("tc_") for case in cases]


def test_line_breaks_in_a_list_tell_a_test_from_its_sibling() -> None:
    found = _named(
        _returns("order(['a'])"),
        _returns("order(['a'], style='grid')"),
        _returns("order(['a\\nb'], style='grid')"),
    )

    assert found == ["order", "order_with_grid_style", "order_with_grid_style_for_items_with_line_breaks"]


def test_what_a_sibling_has_too_is_followed_by_what_differs_from_it() -> None:
    found = _named(
        _returns("order([2, 1])"),
        _returns("order([2, 1], len, 3)"),
        _returns("order([2, 1], len, 3, presort=True)"),
        _returns("order([2, 1], len, 3, style='grid')"),
    )

    assert found[2:] == ["order_with_presort", "order_with_grid_style"]


def test_the_option_that_the_fewest_tests_pass_names_the_test() -> None:
    found = _named(
        _returns("order([2, 1])"),
        _returns("order([2, 1], key=len, presort=True)"),
        _returns("order([2, 1], key=len)"),
    )

    assert found == ["order", "order_with_presort", "order_with_key"]


def test_a_trait_that_accepted_values_have_too_is_no_cause_of_a_refusal() -> None:
    found = _named(_returns("order([1])"), _refuses("order([1], alg=-5.5)"), _returns("rank([1], alg=-5)", of="rank"))

    assert found[1] == "order_raises_value_error_for_fractional_alg"


def test_such_a_trait_is_found_behind_the_noun_too() -> None:
    found = _named(
        _returns("order([1])"), _refuses("order(3)"), _refuses("order([None, -1])"), _returns("rank([None])", of="rank")
    )

    assert found[2] == "order_raises_value_error_for_items_with_negative_numbers"


def test_such_a_trait_is_found_whatever_the_case_of_the_parameters_name() -> None:
    accepted = "cut([1])", "cut([1], sizeLimit=-3)"

    found = _named(*(_returns(act, of="cut") for act in accepted), _refuses("cut([1], sizeLimit=-5.5)", of="cut"))

    assert found[2] == "cut_raises_value_error_for_fractional_size_limit"


def test_such_a_trait_is_found_in_what_the_object_is_made_with() -> None:
    made = "Zone(6, 'Name').offset(3)", "Zone(-3, 'Name').offset(3)"
    refused = _refuses("Zone(-5.5, 'Name').offset(3)", of="Zone.offset")

    found = _named(*(_returns(act, of="Zone.offset") for act in made), refused)

    assert found[2] == "zone_offset_raises_value_error_for_fractional_hours"


def test_a_negative_value_that_nothing_else_explains_stays_the_cause() -> None:
    found = _named(_returns("order([1])"), _refuses("order([1], alg=-5)"))

    assert found[1] == "order_raises_value_error_for_negative_alg"


def test_an_option_beside_another_difference_is_no_cause_of_a_refusal() -> None:
    found = _named(_returns("order([1])"), _refuses("order([3, 4])"), _refuses("order({5: 6}, key=len)"))

    assert not found[2].startswith("order_raises_value_error_with_key")


def test_an_option_that_alone_differs_is_the_cause_of_a_refusal() -> None:
    found = _named(_returns("order([1])"), _refuses("order([3, 4])"), _refuses("order([1], key=len)"))

    assert found[2] == "order_raises_value_error_with_key"


def test_what_each_object_is_made_with_sets_none_apart() -> None:
    vague = set[str]()
    shared = _returns("EAST.offset(3)", of="Zone.offset")
    own = _returns("zone.offset(3)", "zone = Zone(6, 'Name')", of="Zone.offset", value="[6]")

    name_tests([shared, own], _FACTS, vague)

    assert vague == {own.id}


def test_a_parameter_called_other_keeps_its_name() -> None:
    cases = [
        _returns(f"apart(1{given})", of="apart", value=f"[{at}]") for at, given in enumerate(("", ", [2]", ", [3]"))
    ]
    found = _named(cases[0], cases[1]), _named(*assign_tables(cases, _FACTS))

    assert found[0][1] == "apart_with_other"
    assert all(name.startswith("apart_with_other_") for name in found[1][1:])


def test_a_word_that_is_the_parameters_own_says_nothing_beside_it() -> None:
    found = _named(_returns("order([1])"), _returns("order([1], style='Style')"))

    assert found[1] == "order_with_style"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("'%Y-%m-%d'", "year_month_day"),
        ("'%d/%m (%Y)'", "day_month_year"),
        ("'%H:%M - %H:%M'", "hour_minute"),
        ("'100%d'", "100_d"),
    ],
)
def test_a_format_of_moments_is_told_by_what_it_holds(source: str, words: str) -> None:
    assert describe(ast.parse(source, mode="eval").body) == words


@pytest.mark.parametrize(
    ("source", "words"), [("'%d:%d'", "d_d"), ("'%f, %f'", "f_f"), ("'%d %f'", "d_f"), ("'%%Y-%%m'", "y_m")]
)
def test_a_format_of_numbers_is_none_of_moments(source: str, words: str) -> None:
    assert describe(ast.parse(source, mode="eval").body) == words


def test_what_a_function_makes_something_of_is_no_option_though_it_may_be_left_out() -> None:
    found = _named(
        _returns("chain()", of="chain"),
        _returns("chain([1, 2])", of="chain"),
        _returns("chain([1, 2], reverse=True)", of="chain"),
    )

    assert found == ["chain_without_iterable", "chain", "chain_with_reverse"]


def test_a_builtin_that_is_given_a_result_tells_a_test_that_nothing_else_does() -> None:
    found = _named(_returns("chain([1, 2])", of="chain"), _returns("list(reversed(chain([1, 2])))", of="chain"))

    assert found == ["chain", "chain_in_reversed"]


def test_one_of_several_equal_calls_is_counted() -> None:
    made = "numbers = chain([1, 2])"
    found = _named(
        _returns("next(numbers)", made, of="chain", value="1"),
        _returns("next(numbers)", made, "next(numbers)", of="chain", value="2"),
    )

    assert found == ["chain", "chain_second_next_call"]


def test_an_operand_that_an_operator_refuses_is_of_another_type_and_not_empty() -> None:
    demand = SpecExpectation("raises", exception="TypeError")
    usual = _returns("zone < Zone(2, 'b')", "zone = Zone(1, 'a')", of="Zone.__lt__", value="True")
    refused = Case("r", "x", "Zone.__lt__", "zone < []", "call", (demand,), statements=("zone = Zone(1, 'a')",))

    assert _named(usual, refused)[1] == "zone_lt_raises_type_error_for_other_type"


def test_an_index_is_not_looked_for_among_the_items() -> None:
    cases = [
        _returns(f"zone[{index}]", f"zone = Zone({items}, 'a')", of="Zone.__getitem__", value=value)
        for items, index, value in (("[1, 2, 3]", 1, "2"), ("[7, 5]", -1, "5"), ("[3, 1, 2]", 3, "None"))
    ]

    assert [name.removeprefix("zone_getitem_") for name in _named(*assign_tables(cases, _FACTS))] == [
        "inner_item",
        "last_item_from_end",
        "just_past_end",
    ]


def test_a_class_whose_name_the_parameter_has_is_not_said_twice() -> None:
    found = _named(_returns("draw(1, 2016)", of="draw"), _returns("draw(1, Random(2016))", of="draw"))

    pairs = _named(_returns("draw(1, state)", of="draw"), _returns("draw(1, BigRandom_state(2))", of="draw"))

    assert found[1] == "draw_for_random_state_as_random"
    assert pairs[1] == "draw_for_big_random_state"


def test_the_variable_of_a_document_tells_an_argument_that_no_other_word_does() -> None:
    def shown(act: str, value: str, *statements: str) -> Case:
        place = SpecEvidence("m.py", (4, 5))
        demand = SpecExpectation("equals", "result", value, origin="documented", evidence=place)
        return Case(act, "x", "draw", act, "call", (demand,), statements=statements)

    dates = ("boxing_day = date(2015, 12, 26)", "new_year = date(2016, 1, 1)")
    found = _named(shown("draw(1, boxing_day)", "[1]", *dates), shown("draw(1, new_year)", "[1, 2]", *dates))

    assert found == ["draw", "draw_for_new_year"]


def test_a_variable_that_says_what_any_argument_is_tells_nothing_and_the_classes_of_what_is_passed_do() -> None:
    def shown(act: str, *statements: str) -> Case:
        demand = SpecExpectation("equals", "result", "[1]", origin="documented", evidence=SpecEvidence("m.py", (4, 5)))
        return Case(act, "x", "rank", act, "call", (demand,), statements=statements)

    found = _named(shown("rank([2, 1])"), shown("rank(target)", "target = [Regex('a'), Regex('b')]"))

    assert found == ["rank", "rank_with_regex"]


def test_what_collects_a_result_names_no_test_beside_the_option_that_sets_it_apart() -> None:
    found = _named(
        _returns("order([2, 1])"),
        _returns("sorted(made)", "made = order([2, 1], key=abs)"),
        _returns("made.group(1)", "made = order(one for one in found)"),
    )

    assert found == ["order", "order_with_key", "order_for_items_as_generator"]


def test_an_argument_that_is_passed_as_it_is_left_sets_no_test_apart() -> None:
    found = _named(_returns("order([2, 1])"), _returns("order([2, 1], None, 0, True)"))

    assert found == ["order", "order_with_presort"]


def test_that_a_default_is_zero_says_nothing_beside_what_it_is_for() -> None:
    found = _named(
        _returns("put({'a': 1})", of="put"),
        _returns("put({}, default='bar')", of="put"),
        _returns("put({1: 'foo'}, 0)", of="put"),
    )

    assert found[1:] == ["put_with_default", "put_with_default_for_non_empty_dict"]
