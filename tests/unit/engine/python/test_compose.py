"""An exploration becomes a valid spec that labels what it demands and says what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.model.model import TrialFinding, Unreached, Value
from testwright.engine.python.write.compose import compose_spec
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.engine.shop_findings import (
    NONE,
    cart_facts,
    exploration,
    function,
    grouped_calls,
    number,
    parameter,
    raised,
    returned,
    shop_findings,
    text,
    trial,
)


def compose(*findings: TrialFinding, **more: Any) -> dict[str, Any]:
    """The spec of findings about the cart."""
    return compose_spec(exploration(*findings, **more), framework="pytest")


def cases(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The cases of a spec by id."""
    return {case["id"]: case for case in spec["cases"]}


@pytest.mark.feature("B-04", "T-08")
def test_the_spec_is_valid_against_schema_and_quality_rules() -> None:
    result = check_spec(compose(*shop_findings()), "unit")

    assert result["errors"] == []
    assert result["valid"]


@pytest.mark.feature("B-06")
def test_the_same_exploration_gives_the_same_spec() -> None:
    assert compose(*shop_findings()) == compose(*shop_findings())


@pytest.mark.feature("B-02", "B-04")
def test_a_case_holds_what_a_renderer_and_a_reader_need() -> None:
    case = cases(compose(*grouped_calls()))["tc_group_thousands_positive"]

    assert case == {
        "id": "tc_group_thousands_positive",
        "title": "group_thousands(1000): the result equals '1,000'",
        "subject": "group_thousands",
        "priority": "high",
        "preconditions": [],
        "steps": ["Call group_thousands(1000)"],
        "expected": "the result equals '1,000'",
        "group": "group_thousands__value__expected",
        "arrange": {"fixtures": [], "statements": []},
        "act": {"expression": "group_thousands(1000)", "mode": "call"},
        "expect": [
            {
                "kind": "equals",
                "actual": "result",
                "value": "'1,000'",
                "origin": "documented",
                "evidence": {"path": "src/shop/cart.py", "lines": [43, 43]},
            }
        ],
    }


@pytest.mark.feature("B-02")
def test_what_contradicts_a_document_is_a_suspected_defect_and_no_case() -> None:
    wrong = replace(grouped_calls()[0], agrees=False, contradicts="'1.000'")

    spec = compose(wrong)

    assert spec["cases"] == []
    (defect,) = spec["suspected_defects"]
    assert defect["subject"] == "group_thousands"
    assert defect["documented"] == "'1.000'"
    assert defect["observed"] == "returns '1,000'"
    assert defect["evidence"] == {"path": "src/shop/cart.py", "lines": [40, 43]}
    assert defect["reproduce"].splitlines() == ["from shop.cart import group_thousands", "group_thousands(1000)"]
    assert check_spec(spec, "unit")["errors"] == []


@pytest.mark.feature("B-02")
@pytest.mark.parametrize(
    ("annotation", "value", "suspected"),
    [
        ("str", number(5), True),
        ("int", text("5"), True),
        ("list[str]", Value("tuple", "('a',)"), True),
        ("int", Value("bool", "True"), False),
        ("float", number(5), False),
        ("str", NONE, False),
        ("Optional[str]", number(5), False),
        ("Sized", number(5), False),
        ("None", number(5), False),
    ],
)
def test_a_return_annotation_is_contradicted_only_beyond_doubt(annotation: str, value: Value, suspected: bool) -> None:
    facts = replace(cart_facts(), functions=(function("f", parameter("x", "int"), returns=annotation),))
    finding = TrialFinding(trial("f", "f(1)"), replace(returned(value), arcs=frozenset({(2, 3)})))

    spec = compose(finding, facts=facts)

    assert bool(spec["suspected_defects"]) is suspected
    assert not (suspected and spec["cases"])


def test_an_annotation_says_nothing_about_arguments_it_forbids() -> None:
    facts = replace(cart_facts(), functions=(function("f", parameter("x", "int"), returns="int"),))

    spec = compose(TrialFinding(trial("f", "f('a')"), returned(text("a"))), facts=facts)

    assert spec["suspected_defects"] == []
    assert len(spec["cases"]) == 1


@pytest.mark.feature("B-02")
def test_a_name_read_before_it_has_a_value_is_a_suspected_defect() -> None:
    spec = compose(TrialFinding(trial("log", "log('x')"), raised("UnboundLocalError", "cannot access 'text'", 57)))

    assert spec["cases"] == []
    assert spec["suspected_defects"][0]["observed"].startswith("raises UnboundLocalError")


@pytest.mark.feature("B-06")
def test_what_has_no_oracle_is_said_and_not_filled_in() -> None:
    silent = TrialFinding(trial("log", "log('x')"), returned(NONE))
    unreached = (Unreached("Cart.total", "no object could be built", 32), Unreached("group_thousands", "none", 40))

    spec = compose(*grouped_calls(), silent, unreached=unreached)

    assert {one["subject"]: one["reason"].partition(":")[0] for one in spec["not_reached"]} == {
        "Cart.total": "no object could be built",
        "log": "no oracle found",
    }


def test_the_same_call_is_specified_once_and_the_documented_one_wins() -> None:
    shown, *_more = grouped_calls()
    again = replace(shown, trial=replace(shown.trial, wanted=None, wanted_line=0, source="signature"), agrees=None)

    (case,) = compose(again, shown)["cases"]

    assert case["expect"][0]["origin"] == "documented"


def test_statements_that_have_nothing_to_do_with_the_act_go() -> None:
    finding = TrialFinding(
        trial("Cart.total", "cart.total()", "other = Cart('B')", "other.total()", "cart = Cart('A')", "cart.add('x')"),
        returned(number(1)),
    )

    (case,) = compose(finding)["cases"]

    assert case["arrange"]["statements"] == ["cart = Cart('A')", "cart.add('x')"]


def test_a_printed_value_is_compared_without_capturing_output() -> None:
    shown = trial("group_thousands", "print(group_thousands(1000))", wanted="1,000", wanted_line=43)

    (case,) = compose(TrialFinding(shown, returned(NONE, output="1,000\n"), agrees=True))["cases"]

    assert case["act"]["expression"] == "group_thousands(1000)"
    assert case["expect"][0]["value"] == "'1,000'"


def test_a_printed_none_is_not_taken_for_a_text() -> None:
    text = TrialFinding(trial("total", "total(1)"), returned(Value("str", "'one'", length=3, text="one")))
    shown = trial("total", "print(total(2))", wanted="None", wanted_line=43)

    cases = compose(text, TrialFinding(shown, returned(NONE, output="None\n"), agrees=True))["cases"]

    assert "str(total(2))" in [case["act"]["expression"] for case in cases]


def test_a_name_that_only_the_trial_lacks_is_no_defect_of_the_target() -> None:
    lacking = trial("total", "total(lambda: call_count)")
    own = trial("log", "log(2)")
    seen = raised("NameError", "name 'call_count' is not defined", line=4)
    mine = raised("NameError", "name 'forgotten' is not defined", line=4)

    spec = compose(TrialFinding(lacking, seen), TrialFinding(own, mine))

    assert [defect["subject"] for defect in spec["suspected_defects"]] == ["log"]


def test_an_iterator_that_filled_the_limit_is_cut() -> None:
    numbers = Value("list", repr(list(range(50))), length=50)

    (case,) = compose(TrialFinding(trial("log", "log()", mode="iterate"), returned(numbers)))["cases"]

    assert case["act"] == {"expression": "list(itertools.islice(log(), 5))", "mode": "call"}
    assert case["expect"][0]["value"] == "[0, 1, 2, 3, 4]"


def test_statements_about_a_former_value_of_a_name_go() -> None:
    finding = TrialFinding(
        trial("Cart.total", "cart.total()", "cart = Cart('A')", "cart.add('x')", "cart = Cart('B')", "cart.add('y')"),
        returned(number(1)),
    )

    (case,) = compose(finding)["cases"]

    assert case["arrange"]["statements"] == ["cart = Cart('B')", "cart.add('y')"]


@pytest.mark.parametrize(
    ("act", "imports"),
    [
        ("log(helper(1))", ("from shop.cart import log", "from tests.util import helper")),
        ("log(_inner(1))", ("from shop.cart import log", "from shop.cart import _inner")),
        ("log(missing)", ("from shop.cart import log",)),
        ("total(1)", ("from shop.cart import total",)),
        ("log(1) == 2", ("from shop.cart import log",)),
    ],
    ids=["a helper of the tests", "a private name", "an unknown name", "another subject", "what it is not"],
)
def test_a_call_that_cannot_stand_alone_or_says_little_is_no_case(act: str, imports: tuple[str, ...]) -> None:
    value = Value("bool", "False") if "==" in act else number(1)

    spec = compose(TrialFinding(trial("log", act, imports=imports), returned(value)))

    assert spec["cases"] == []
    assert [one["subject"] for one in spec["not_reached"]] == ["log"]


def test_an_arranged_result_makes_room_for_the_result_of_the_act() -> None:
    finding = TrialFinding(trial("log", "log(result)", "result = [1]", "result.append(2)"), returned(number(1)))

    (case,) = compose(finding)["cases"]

    assert case["arrange"]["statements"] == ["given = [1]", "given.append(2)"]
    assert case["act"]["expression"] == "log(given)"


def test_cases_stand_in_the_order_of_the_source_with_their_groups_together() -> None:
    findings = shop_findings()

    subjects = [case["subject"] for case in compose(*reversed(findings))["cases"]]

    assert list(dict.fromkeys(subjects)) == ["Cart", "Cart.add", "Cart.total", "group_thousands", "ratio", "log"]


def test_more_functions_without_a_test_than_a_spec_can_list_are_counted() -> None:
    unreached = tuple(Unreached(f"f{number}", "none", number) for number in range(1, 2502))
    spec = compose(*shop_findings(), unreached=unreached)
    assert check_spec(spec, "unit")["valid"]
    assert spec["not_reached"][-1]["reason"] == "none; 501 further functions have no test either"


@pytest.mark.feature("B-16")
def test_a_test_that_only_counts_the_items_of_a_dictionary_of_its_own_is_not_written() -> None:
    counted = returned(NONE, effects=(("len(given)", number(3)),))
    filled = TrialFinding(trial("log", "log(given)", "given = {'name': 'value'}"), counted)
    both = ("from shop.cart import Cart", "from shop.cart import log")
    own = TrialFinding(trial("log", "log(given)", "given = Cart('Ann')", imports=both), counted)
    assert not compose(filled)["cases"]
    assert compose(own)["cases"]


@pytest.mark.feature("B-16")
def test_a_file_that_is_too_long_keeps_both_answers_of_a_predicate() -> None:
    told = [TrialFinding(trial("ratio", f"ratio({at}, 3)"), returned(number(float(at)))) for at in range(2, 130)]
    asked = [
        TrialFinding(trial("Cart.total", f"cart.total({at})", "cart = Cart('Ann')"), returned(Value("bool", answer)))
        for at, answer in enumerate(("True", "True", "False"))
    ]
    found = cases(compose(*told, *asked, source_lines=60))
    answers = {case["expect"][0]["value"] for case in found.values() if case["subject"] == "Cart.total"}
    assert answers == {"True", "False"}


@pytest.mark.feature("B-18")
def test_a_test_that_only_a_number_tells_from_another_one_is_not_written_but_the_documented_one_stays() -> None:
    def added(value: str, **more: Any) -> TrialFinding:
        made = trial("Cart.total", "cart.total()", f"cart = Cart('Ann')\ncart.extra = {value}")
        return TrialFinding(replace(made, **more), returned(number(2.5)), agrees=bool(more))

    found = cases(compose(added("'a' + 'b'"), added("'a' * 2")))
    assert len(found) == 1
    noticing = replace(added("'a' * 2"), kills=frozenset({7}))
    assert len(cases(compose(added("'a' + 'b'"), noticing))) == 1
    alone = replace(added("'a' * 2"), covered=frozenset({(3, 5)}))
    assert len(cases(compose(added("'a' + 'b'"), alone))) == 1
    shown = added("'a' * 2", wanted="2.5", wanted_line=33)
    assert [one["priority"] for one in cases(compose(added("'a' + 'b'"), shown)).values()] == ["high"]


@pytest.mark.feature("B-18")
@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({}, 1),
        ({"covered": frozenset({(3, 5)})}, 2),
        ({"kills": frozenset({7})}, 2),
        ({"is_edge": True}, 2),
    ],
)
def test_an_example_that_no_words_tell_apart_stays_where_it_shows_more(more: dict[str, Any], count: int) -> None:
    def shown(value: str, result: float, **more: Any) -> TrialFinding:
        made = trial("Cart.total", "cart.total()", f"cart = Cart('Ann')\ncart.extra = {value}")
        made = replace(made, wanted=str(result), wanted_line=33)
        return TrialFinding(made, returned(number(result)), agrees=True, **more)

    assert len(cases(compose(shown("'a' + 'b'", 2.5), shown("'a' * 2", 2.5, **more)))) == count


@pytest.mark.feature("B-18")
def test_documented_rows_that_are_more_than_one_table_holds_all_stay() -> None:
    rows = [
        TrialFinding(
            trial("ratio", f"ratio({at}, 3)", source="doctest", wanted=repr(at / 3), wanted_line=at),
            returned(number(at / 3)),
            agrees=True,
        )
        for at in range(2, 47)
    ]

    assert len(cases(compose(*rows, source_lines=2000))) == len(rows)


@pytest.mark.feature("B-18")
def test_a_method_of_that_name_of_another_module_is_no_test_of_the_subject() -> None:
    imports = ("from basket import basket", "from shop.cart import Cart")
    other = trial("Cart.total", "basket('Ann').total()", imports=imports)
    own = trial("Cart.total", "Cart('Ann').total()", imports=imports)
    used = replace(other, act="basket('Ann').total() + 1")
    assert not compose(TrialFinding(used, returned(number(2.5))))["cases"]
    assert compose(TrialFinding(own, returned(number(2.5))))["cases"]


@pytest.mark.feature("B-18")
def test_a_special_method_is_not_tested_by_private_names() -> None:
    imports = ("from shop.cart import _Kind", "from shop.cart import Cart")
    shown = trial("Cart.__repr__", "repr(Cart(_Kind()))", imports=imports)
    assert not compose(TrialFinding(shown, returned(text("Cart(kind)"))))["cases"]


@pytest.mark.feature("B-18")
def test_a_state_that_is_asserted_beside_a_result_has_no_test_of_its_own() -> None:
    arrange, act = ("cart = Cart('Ann')", "cart.add('pear', 2.5)"), "cart.total()"
    beside = TrialFinding(
        trial("Cart.total", act, *arrange), replace(returned(number(2.5)), effects=(("cart.owner", text("Ann")),))
    )
    alone = TrialFinding(trial("Cart.total", "cart.owner", *arrange, act), returned(text("Ann")))

    assert len(cases(compose(beside, alone))) == 1
    assert len(cases(compose(alone))) == 1


@pytest.mark.feature("B-18")
@pytest.mark.parametrize(
    ("act", "answer"),
    [
        ("repr(ratio(1, 2))", "'_Ratio(1, 2)'"),
        ("repr(ratio(1, 2))", "\"ratio of <class 'int'>\""),
        ("repr(ratio(1)(3))", "'Ratio(number=3)'"),
    ],
)
def test_a_representation_of_what_is_not_public_is_no_oracle(act: str, answer: str) -> None:
    shown = TrialFinding(trial("ratio", act), returned(Value("str", answer)))

    assert cases(compose(shown)) == {}
    assert len(cases(compose(replace(shown, agrees=True)))) == 1


@pytest.mark.feature("B-18")
def test_asking_a_copy_with_another_method_is_no_test_of_copying() -> None:
    asked = TrialFinding(
        trial("Cart.add", "cart.add('pear', 2.5).remove('pear')", "cart = Cart('Ann')"), returned(number(2.5))
    )
    facts = exploration(asked).facts
    members = [one.name for owner in facts.classes for one in owner.members]
    other = next(name for name in members if name != "add" and not name.startswith("_"))
    asked = replace(asked, trial=replace(asked.trial, act=f"cart.add('pear', 2.5).{other}('pear')"))

    assert cases(compose(asked)) == {}
    assert len(cases(compose(replace(asked, agrees=True)))) == 1


@pytest.mark.feature("B-18")
def test_a_call_that_gives_its_object_back_unchanged_shows_nothing() -> None:
    act, arrange = "cart.add()", "cart = Cart('Ann')"
    same = Value("shop.cart.Cart", "cart", held="cart")
    idle = TrialFinding(trial("Cart.add", act, arrange), returned(same))
    effect = replace(returned(same), effects=(("cart.owner", text("Bob")),))

    assert cases(compose(idle)) == {}
    assert len(cases(compose(replace(idle, observation=effect)))) == 1
    assert len(cases(compose(replace(idle, agrees=True)))) == 1


@pytest.mark.feature("B-18")
@pytest.mark.parametrize("act", ["Till(Cart('Ann')).close(2)", "till.close(2)", "Till(Cart('Ann'))"])
def test_an_example_about_another_modules_class_is_no_test_of_what_it_is_given(act: str) -> None:
    made = trial("Cart", act, "till = Till(Cart('Ann'))")
    made = replace(made, imports=("from shop.cart import Cart", "from shop.till import Till"))
    shown = TrialFinding(made, returned(text("closed")), agrees=True)

    assert cases(compose(shown)) == {}
