"""Names of tests tell what really sets them apart from their siblings: options of calls and objects, kinds of keys."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from testwright.engine.python.model.model import ClassFacts, ModuleFacts
from testwright.engine.python.model.spec_case import Case, SpecEvidence, SpecExpectation
from testwright.engine.python.source.outcome_words import direction_words
from testwright.engine.python.write.argument_words import added_words, value_words
from testwright.engine.python.write.local_names import with_own_names
from testwright.engine.python.write.naming import name_tests
from testwright.tests.support.engine.callables import callable_of
from testwright.utils.python_source import parse_expression

pytestmark = pytest.mark.feature("B-06", "B-16", "B-18")


CHECK = ClassFacts(
    "Check",
    "plain",
    (1, 9),
    constructor=callable_of("Check", "pattern", "msg=", "strict=", kind="constructor"),
    members=(
        callable_of("Check.__call__", "v"),
        callable_of("Check.__delitem__", "index"),
        callable_of("Check.removed", "iterable"),
    ),
)
FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(
        callable_of("since", "d", "other=", kind="function"),
        callable_of("days", "start", "stop", "step=", "inclusive=", kind="function"),
        callable_of("is_file", kind="function"),
    ),
    classes=(CHECK,),
)


def gives(subject: str, act: str, value: str, *statements: str) -> Case:
    demand = SpecExpectation("equals", "result", value)
    return Case(" ".join((*statements, act)), "x", subject, act, "call", (demand,), statements=statements)


def refuses(subject: str, act: str, *statements: str) -> Case:
    demand = SpecExpectation("raises", "message", exception="Invalid")
    return Case(" ".join((*statements, act)), "x", subject, act, "call", (demand,), statements=statements)


def named(*cases: Case) -> list[str]:
    vague = set[str]()
    found = name_tests(cases, FACTS, vague)
    return [f"{found[case.id].id.removeprefix('tc_')}{' vague' * (case.id in vague)}" for case in cases]


def test_an_object_that_another_one_is_made_with_tells_its_tests_by_its_own_options() -> None:
    found = named(
        gives("Check.__call__", "validate('1')", "'1'", "validate = Schema(Check('[0-9]'))"),
        gives("Check.__call__", "validate('1')", "1", "validate = Schema(Check('[0-9]', strict=True))"),
        gives("Check.__call__", "validate('1')", "'1'", "validate = Schema(Check(re.compile('[0-9]')))"),
    )

    assert found == ["check_call", "check_call_with_strict", "check_call_for_compiled_pattern"]


def test_a_further_refusal_is_told_by_the_only_option_that_the_first_one_lacks() -> None:
    found = named(
        refuses("Check.__call__", "check('x')", "check = Check('[0-9]')"),
        refuses("Check.__call__", "check('x')", "check = Check('[0-9]', msg='no good')"),
    )

    assert found == ["check_call_raises_invalid", "check_call_raises_invalid_with_msg"]


def test_what_a_function_made_lacks_no_argument_of_the_constructor() -> None:
    found = named(
        gives("Check.__call__", "check(1)", "1", "check = Check([int, str])"),
        gives("Check.__call__", "check(1)", "1", "check = maybe(int)"),
    )

    assert found == ["check_call", "check_call_made_by_maybe"]


def test_a_key_that_a_statement_deletes_by_is_told_by_its_kind() -> None:
    found = named(
        gives("Check.__delitem__", "list(check)", "[3]", "check = Check([3, 1], strict=True)", "del check[1:3]"),
        gives("Check.__delitem__", "list(check)", "[1, 2]", "check = Check([1, 2, 3])", "del check[2]"),
    )

    assert found == ["check_delitem", "check_delitem_for_index"]


@pytest.mark.parametrize("after", ["# gone", "", "request.addfinalizer(check.close)", "check.close()"])
def test_what_stands_behind_a_deletion_hides_its_key_from_no_name(after: str) -> None:
    found = named(
        gives("Check.__delitem__", "list(check)", "[3]", "check = Check([3, 1])", "del check[1:3]", after),
        gives("Check.__delitem__", "list(check)", "[1, 2]", "check = Check([1, 2, 3])", "del check[2]", after),
    )

    assert found == ["check_delitem", "check_delitem_for_index"]


def test_a_slice_and_an_index_that_a_call_passes_are_told_by_their_kinds() -> None:
    calls = ("check.__delitem__(slice(1, 3))", "check.__delitem__(2)")
    sliced, indexed = (gives("Check.__delitem__", act, "None", "check = Check([1, 2, 3])") for act in calls)

    assert named(sliced, indexed) == ["check_delitem", "check_delitem_for_index"]
    assert named(indexed, sliced) == ["check_delitem", "check_delitem_for_slice"]


def test_a_documented_refusal_keeps_the_name_of_what_may_not_be_its_cause() -> None:
    usual = gives("days", "days(1, -3)", "[]")
    first, told = refuses("days", "days(1, 3)"), refuses("days", "days(1, -4, step=2)")
    evidence = SpecEvidence("m.py", (4, 5))
    told = replace(told, expect=tuple(replace(one, origin="documented", evidence=evidence) for one in told.expect))

    assert "vague" not in named(usual, first, told)[2]


@pytest.mark.parametrize(
    ("member", "name"), [("removed", "check_removed_for_single_item"), ("__call__", "check_call_for_single_item")]
)
def test_a_list_of_one_item_is_not_called_a_single_list(member: str, name: str) -> None:
    act = {"removed": "check.removed({})", "__call__": "check({})"}[member]
    several, single = (
        gives(f"Check.{member}", act.format(given), "None", "check = Check([5])") for given in ("[3, 4]", "[3]")
    )

    assert named(several, single)[1] == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("numbers", "single_number"),
        ("axis", "single_item_in_axis"),
        ("status", "single_item_in_status"),
        ("radius", "single_item_in_radius"),
        ("class", "single_item_in_class"),
        ("items", "single_item"),
    ],
)
def test_only_a_plural_is_put_into_the_singular(name: str, words: str) -> None:
    several, single = (ast.parse(text, mode="eval").body for text in ("[1, 2]", "[1]"))

    assert value_words(name, single, several) == words


@pytest.mark.parametrize(
    ("name", "text", "choice", "words"),
    [
        ("label", "bold", False, "with_label"),
        ("label", "bold", True, "with_bold_label"),
        ("default", "bold", True, "with_default"),
        ("mode", "test", False, "with_test_mode"),
    ],
)
def test_a_choice_is_told_by_its_word_and_any_text_is_not(name: str, text: str, choice: bool, words: str) -> None:
    assert added_words(name, ast.Constant(text), choice=choice) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2 hours ago", "in_the_past"),
        ("1 year, 4 months ago", "in_the_past"),
        ("an hour from now", "in_the_future"),
        ("in 3 hours", "in_the_future"),
        ("in a day", "in_the_future"),
        ("Long ago, far away", ""),
        ("starting from now on", ""),
        ("in 3 parts", ""),
    ],
)
def test_only_a_span_of_time_points_in_time(text: str, words: str) -> None:
    assert direction_words([gives("since", "since(2)", repr(text))]) == words


def test_names_that_only_an_interactive_python_has_are_hidden_by_no_variable() -> None:
    given = gives("since", "since(license, input)", "1", "license = 3", "input = 4")

    assert with_own_names(given, ()).statements == ("license = 3", "an_input = 4")


def test_a_single_option_names_the_test_that_passes_no_other() -> None:
    found = named(
        gives("days", "days(1, 9, step=4, inclusive=True)", "[1, 5, 9]"),
        gives("days", "days(1, 3)", "[1, 2]"),
        gives("days", "days(1, 3, inclusive=True)", "[1, 2, 3]"),
        gives("days", "days(1, 8, step=3)", "[1, 4, 7]"),
    )

    assert found == ["days_with_step_and_inclusive", "days", "days_with_inclusive", "days_with_step"]


def test_a_time_that_passed_and_one_to_come_are_told_by_the_words_of_the_answer() -> None:
    found = named(
        gives("since", "since(2, other=5)", "'2 hours from now'"),
        gives("since", "since(9)", "'today'"),
        gives("since", "since(9, other=8)", "'3 days ago'"),
    )

    assert found == ["since_with_other", "since", "since_with_other_in_the_past"]


def test_a_refusal_without_any_argument_gives_the_plain_name_to_one_with_a_value() -> None:
    bare, called = refuses("is_file", "is_file()"), refuses("is_file", "is_file()('missing.txt')")

    assert named(bare, called)[1] == "is_file_raises_invalid"


def test_how_many_results_there_are_is_no_condition_where_a_sibling_has_as_many() -> None:
    cases = [
        gives("days", "days(1, 2)", "[1]"),
        gives("days", "days(1, 4, step=1)", "[1, 2, 3]"),
        gives("days", "days(4, 7)", "[4, 5, 6]"),
    ]

    assert not any(name.endswith("several_results") for name in named(*cases))


def test_no_variable_hides_a_builtin() -> None:
    demand = SpecExpectation("equals", "result", "3")
    case = Case("tc", "x", "Check.__call__", "all(3)", "call", (demand,), statements=("all = Check(3)",))

    found = with_own_names(case, ())

    assert (found.statements, found.expression) == (("new_all = Check(3)",), "new_all(3)")


def test_a_variable_that_an_expected_value_names_keeps_its_name() -> None:
    demand = SpecExpectation("is", "result", "iter")
    case = Case("tc", "x", "Check.__call__", "check(iter)", "call", (demand,), statements=("iter = [3]",))

    assert with_own_names(case, ()) is case
    assert with_own_names(replace(case, expect=(replace(demand, value="[3]"),)), ()).statements == ("an_iter = [3]",)


def test_a_variable_that_a_document_names_tells_a_further_test_with_the_same_option() -> None:
    cases = (
        gives("days", "days(1, 3)", "[1, 2]"),
        gives("days", "days(1, 3, step=2)", "[1]"),
        gives("days", "days(1, 3, whole_week)", "[1]", "whole_week = 7"),
    )
    evidence = SpecEvidence("m.py", (4, 5))
    told = [replace(one, expect=(replace(one.expect[0], origin="documented", evidence=evidence),)) for one in cases]

    assert named(*told)[2] == "days_for_whole_week"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param("closed(0, 2) | closed(4, 6)", "combined_interval", id="a union"),
        pytest.param("closed(0, 2) | closed(4, 6) | open(8, 9)", "combined_interval", id="a union of three"),
        pytest.param("interval", "other_interval", id="a variable of the parameter's name"),
    ],
)
def test_what_operators_or_variables_give_is_named_by_no_literal(source: str, words: str) -> None:
    usual = parse_expression("closed(0, 2)")
    assert value_words("interval", parse_expression(source), usual) == words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("P.inf", "infinite_lower"),
        ("-math.inf", "infinite_lower"),
        ("float('-inf')", "infinite_lower"),
        ("-2", "negative_lower"),
    ],
)
def test_infinity_is_told_by_its_name_and_not_by_its_sign(source: str, words: str) -> None:
    assert value_words("lower", parse_expression(source), parse_expression("0")) == words
