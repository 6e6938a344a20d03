"""Tests are named by member, condition and outcome."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import MESSAGE, Case, SpecEvidence, SpecExpectation
from testwright.engine.python.write.assign_tables import assign_tables
from testwright.engine.python.write.naming import name_tests

pytestmark = pytest.mark.feature("B-06", "B-18")


def function(qualname: str, *names: str, kind: str = "function") -> CallableFacts:
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in names)
    return CallableFacts(qualname, kind, (1, 2), parameters, owner=qualname.rpartition(".")[0] or None)  # pyrefly: ignore[bad-argument-type]


STACK = ClassFacts(
    "Stack",
    "plain",
    (1, 9),
    constructor=function("Stack", "self", "limit", kind="constructor"),
    members=(function("Stack.push", "self", "item", kind="method"), function("Stack.pop", "self", kind="method")),
)
JOIN = CallableFacts(
    "join",
    "function",
    (1, 2),
    (Parameter("words", "var_positional"), Parameter("sep", "keyword_only", default="''")),
)
FACTS = ModuleFacts(
    "m.py", "m", ".", "", functions=(function("parse", "text", "strict", "limit"), JOIN), classes=(STACK,)
)


def returns(act: str, value: str = "1", *statements: str, subject: str = "parse", kind: str = "equals") -> Case:
    return Case(
        " ".join((*statements, act)),
        "x",
        subject,
        act,
        "call",
        (SpecExpectation(kind, "result", value),),
        statements=statements,
    )


def refuses(act: str, message: str, *statements: str, subject: str = "parse") -> Case:
    demand = SpecExpectation("raises", MESSAGE, exception="ValueError", match=message)
    return Case(" ".join((*statements, act)), "x", subject, act, "call", (demand,), statements=statements)


def names(*cases: Case) -> list[str]:
    named = name_tests(cases, FACTS)
    return [named[case.id].id.removeprefix("tc_") for case in cases]


def test_the_first_test_of_a_member_bears_its_name_alone() -> None:
    assert names(returns("parse('apple')")) == ["parse"]
    assert names(returns("stack.pop()", "3", "stack = Stack()", "stack.push(3)", subject="Stack.pop")) == ["stack_pop"]


def test_a_further_test_says_what_sets_it_apart() -> None:
    assert names(
        returns("parse('apple')"),
        returns("parse('')"),
        returns("parse('apple', strict=True)"),
        returns("parse('apple', limit=-3)"),
        returns("parse('apple', limit=None)"),
        returns("parse(['apple', 'pear'])"),
    ) == [
        "parse",
        "parse_for_empty_text",
        "parse_with_strict",
        "parse_for_negative_limit",
        "parse_for_none_as_limit",
        "parse_for_text_as_list",
    ]


def test_numbers_are_compared_with_the_usual_ones_and_never_quoted() -> None:
    found = names(
        returns("parse('a b', limit=10)"), returns("parse('a b', limit=99)"), returns("parse('a b', limit=2)")
    )

    assert found == ["parse", "parse_for_larger_limit", "parse_for_smaller_limit"]
    assert not any(re.search(r"\d", name) for name in found)


def test_an_object_is_told_by_what_was_done_to_it_before() -> None:
    pushed = ("stack = Stack()", "stack.push(3)")
    assert names(
        returns("stack.pop()", "3", *pushed, subject="Stack.pop"),
        returns("stack.pop()", "4", *pushed, "stack.push(4)", subject="Stack.pop"),
        refuses("stack.pop()", "it is empty", "stack = Stack()", subject="Stack.pop"),
    ) == ["stack_pop", "stack_pop_after_several_pushes", "stack_pop_raises_value_error"]


def test_refusals_are_named_by_exception_then_by_argument_then_by_message() -> None:
    assert names(
        returns("parse('apple')"),
        refuses("parse('apple', limit=-1)", "no limit below zero"),
        refuses("parse('apple pie')", "spaces are not allowed"),
        refuses("parse('apple!')", "signs are not allowed"),
    ) == [
        "parse",
        "parse_raises_value_error_for_negative_limit",
        "parse_raises_value_error",
        "parse_raises_value_error_for_signs_not_allowed",
    ]


def test_rows_of_a_table_are_named_by_their_values() -> None:
    cases = assign_tables([returns("parse('kitten', 'sitting')", "3"), returns("parse('', 'ab')", "2")], FACTS)
    named = name_tests(cases, FACTS)

    assert [named[case.id].id for case in cases] == ["tc_parse_plain_word", "tc_parse_empty_string"]
    assert {named[case.id].group for case in cases} == {"parse__text__strict__expected"}


def test_no_two_tests_share_an_id() -> None:
    cases = [returns(f"parse({text!r})") for text in ("x1", "x2", "x3", "y1", "y2")]
    found = names(*cases)

    assert len(set(found)) == len(found)


def test_any_number_of_arguments_is_told_by_how_many_they_are() -> None:
    assert names(
        returns("join('a', 'b')", subject="join"),
        returns("join()", subject="join"),
        returns("join('a')", subject="join"),
        returns("join('a', 'b', sep='-')", subject="join"),
        returns("join(['a', 'b'])", subject="join"),
    ) == ["join", "join_for_no_words", "join_for_single_word", "join_with_sep", "join_for_list_of_words"]


def test_a_table_tells_how_many_arguments_all_its_rows_pass() -> None:
    three = returns("join('kitten', 'sitting', 'mitten')", subject="join")
    rows = [returns(f"join('kitten', {text!r})", value, subject="join") for text, value in (("dog", "2"), ("cat", "3"))]
    named = name_tests(assign_tables([three, *rows], FACTS), FACTS)
    assert {one.group for one in named.values()} == {None, "join_for_two_words__value__expected"}


def test_the_call_without_options_bears_the_name_alone_wherever_it_stands() -> None:
    assert names(returns("join('a', 'b', sep='-')", subject="join"), returns("join('a', 'b')", subject="join")) == [
        "join_with_sep",
        "join",
    ]


def test_the_size_of_a_result_tells_more_than_another_input() -> None:
    assert names(
        returns("parse('a;b')", "['a', 'b']"), returns("parse('b;a')", "['b']"), returns("parse('c;a')", "[]")
    )[1:] == ["parse_with_single_result", "parse_is_empty"]


def test_a_function_that_is_passed_is_told_by_its_variable() -> None:
    found = names(
        returns("parse(is_large)", "1", "is_large = lambda x: x > 10"),
        returns("parse(is_space)", "1", "is_space = lambda x: x == ' '"),
    )
    assert found[1] == "parse_for_text_is_space"


def test_a_call_that_undoes_another_one_says_which() -> None:
    assert names(returns("parse('apple')"), returns("parse(join('b', 'c'))", "'b'")) == ["parse", "parse_reverses_join"]


def test_what_was_done_many_times_is_told_in_the_plural() -> None:
    pushed = ("stack = Stack()", "for number in range(12):\n    stack.push(number)")
    assert names(
        returns("stack.pop()", "3", "stack = Stack()", "stack.push(3)", subject="Stack.pop"),
        returns("stack.pop()", "11", *pushed, subject="Stack.pop"),
    ) == ["stack_pop", "stack_pop_after_many_pushes"]


def test_what_an_object_is_given_to_names_its_test() -> None:
    assert names(
        returns("drain(Stack(3))", "3", subject="Stack"), returns("drain(Stack(-3))", "0", subject="Stack")
    ) == [
        "stack_in_drain",
        "stack_in_drain_for_negative_limit",
    ]


def test_a_comparison_of_a_document_is_named_by_what_is_compared() -> None:
    stack = "stack = Stack(3)"
    named = names(
        returns("stack.pop()", "1", stack, subject="Stack.pop"),
        returns("stack.pop() == stack[-1]", "", stack, subject="Stack.pop", kind="holds"),
        returns("stack.pop() == stack[:-1]", "", stack, "stack.push(1)", subject="Stack.pop", kind="holds"),
        returns("stack.pop() == stack.top()", "", stack, "stack.push(2)", subject="Stack.pop", kind="holds"),
    )
    assert named == ["stack_pop", "stack_pop_equals_item", "stack_pop_equals_slice", "stack_pop_equals_top"]


def test_an_option_of_the_function_that_makes_an_object_tells_more_than_another_value() -> None:
    named = names(
        returns("stack.push(3)", "1", "stack = stack_of([1])", subject="Stack.push"),
        returns("stack.push(4)", "1", "stack = stack_of([1], limit=3)", subject="Stack.push"),
    )
    assert named == ["stack_push", "stack_push_with_limit"]


def test_a_new_object_on_the_same_file_is_named_so() -> None:
    block = "with Stack('a.db') as stack:\n    stack.push(1)"
    named = names(
        returns("stack.pop()", "1", "stack = Stack('a.db')", subject="Stack.pop"),
        returns("stack.pop()", "2", block, "stack = Stack('a.db')", subject="Stack.pop"),
    )
    assert named == ["stack_pop", "stack_pop_after_reopening"]


def test_an_object_is_named_by_its_content_where_no_parameter_says_what_that_is() -> None:
    bag = ClassFacts(
        "Bag",
        "plain",
        (1, 9),
        constructor=CallableFacts("Bag", "constructor", (1, 2), (Parameter("args", "var_positional"),), owner="Bag"),
        members=(function("Bag.pop", "self", kind="method"),),
    )
    facts = ModuleFacts("m.py", "m", ".", "", classes=(bag,))
    made = [
        returns("bag.pop()", str(at), f"bag = Bag({content})", subject="Bag.pop")
        for at, content in enumerate(("[3, 1, 2]", "[('a', 1)]", "[]"))
    ]
    named = name_tests(made, facts)
    assert [named[case.id].id for case in made] == [
        "tc_bag_pop",
        "tc_bag_pop_with_single_item",
        "tc_bag_pop_when_empty",
    ]


def test_a_comparison_that_fails_is_named_false() -> None:
    unequal = SpecExpectation("holds", "not result")
    found = [replace(returns("stack == Stack(3)", subject="Stack.__eq__"), expect=(unequal,))]
    usual = returns("stack == Stack(6)", kind="holds", subject="Stack.__eq__")
    assert names(usual, *found)[1].endswith("is_false")


def test_an_object_before_its_first_change_and_after_one_is_told_from_the_usual_one() -> None:
    made = [
        returns("stack.pop()", str(at), "stack = Stack(9)", *steps, subject="Stack.pop")
        for at, steps in enumerate((("stack.push(1)", "stack.push(2)"), (), ("stack.push(1)",)))
    ]
    assert names(*made) == ["stack_pop", "stack_pop_for_new_stack", "stack_pop_after_single_push"]


def test_what_is_read_of_a_new_object_names_the_test() -> None:
    made = [returns(f"Stack(3).{name}", subject="Stack") for name in ("limit", "depth")]
    assert names(*made) == ["stack_limit", "stack_depth"]


def test_words_of_a_message_end_with_a_word_that_says_something() -> None:
    told = [
        refuses("parse('a')", "no name"),
        refuses("parse('b')", "expected q between 0.0 and 1.0, not 2"),
    ]
    assert names(*told)[1] == "parse_raises_value_error_saying_expected_q"


def test_what_a_class_is_used_in_names_its_test_where_the_object_is_prepared_before() -> None:
    assert names(returns("render(stack)", "1", "stack = Stack(3)", subject="Stack")) == ["stack_in_render"]


def test_a_usual_call_without_content_says_so() -> None:
    assert names(returns("parse([])", "0")) == ["parse_for_empty_text"]


def test_the_plain_name_does_not_go_to_the_answer_no() -> None:
    assert names(returns("parse('apple')", "False", kind="is"), returns("parse('pear')", "True", kind="is")) == [
        "parse_is_false",
        "parse_is_true",
    ]


def test_what_restores_the_file_that_another_call_made_is_named_after_both() -> None:
    statements = ("(tmp_path / 'a').write_text('abc')", "pack(tmp_path / 'a', tmp_path / 'b')")
    demand = SpecExpectation("equals", "(tmp_path / 'c').read_text()", "'abc'")
    act = "parse(tmp_path / 'b', tmp_path / 'c')"
    case = Case("x", "x", "parse", act, "call", (demand,), statements=statements)

    assert names(case) == ["parse_reverses_pack"]


def test_a_parameter_of_one_letter_is_named_by_what_is_passed() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", functions=(function("join", "d"),))
    cases = (returns("join({'a': 1, 'b': 2})", subject="join"), returns("join({'a': 1})", subject="join"))

    assert [case.id for case in name_tests(cases, facts).values()] == ["tc_join", "tc_join_for_single_item"]


def test_an_object_made_in_the_call_says_how_it_differs() -> None:
    assert names(
        returns("Stack(3).pop()", "3", subject="Stack.pop"), returns("Stack().pop()", "2", subject="Stack.pop")
    ) == ["stack_pop", "stack_pop_with_defaults"]


def test_an_empty_object_says_so_in_its_usual_test_too() -> None:
    act = "stack.pop()"
    built = replace(STACK, constructor=function("Stack", "self", "items", kind="constructor"))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(built,))
    empty = returns(act, "0", "stack = Stack([])", subject="Stack.pop")

    assert [case.id for case in name_tests([empty], facts).values()] == ["tc_stack_pop_when_empty"]


def test_set_up_in_a_variable_tells_what_an_object_is_built_with() -> None:
    assert names(
        returns("stack.pop()", "3", "limit = 3", "stack = Stack(limit)", subject="Stack.pop"),
        returns("stack.pop()", "4", "limit = -3", "stack = Stack(limit)", subject="Stack.pop"),
    ) == ["stack_pop", "stack_pop_for_negative_limit"]


def test_what_an_object_is_made_of_is_no_option() -> None:
    assert names(
        returns("stack.pop()", "3", "stack = Stack()", subject="Stack.pop"),
        returns("stack.pop()", "4", "stack = Stack([3, 4])", subject="Stack.pop"),
    ) == ["stack_pop", "stack_pop_with_limit"]


def test_inherited_members_are_named_by_their_situation_too() -> None:
    heap = ClassFacts("Heap", "plain", (10, 19), bases=("Stack",))
    facts = replace(FACTS, classes=(STACK, heap))
    cases = (
        returns("heap.pop()", "3", "heap = Heap()", "heap.push(3)", "heap.push(4)", subject="Heap.pop"),
        returns("heap.pop()", "4", "heap = Heap()", "heap.push(4)", subject="Heap.pop"),
    )

    assert [case.id for case in name_tests(cases, facts).values()] == ["tc_heap_pop", "tc_heap_pop_after_single_push"]


def test_an_object_made_of_nothing_is_empty_beside_one_that_is_made_of_items() -> None:
    built = replace(STACK, constructor=function("Stack", "self", "items", kind="constructor"))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(built,))
    full = returns("stack.pop()", "2", "stack = Stack([1, 2])", subject="Stack.pop")
    empty = returns("stack.pop()", "0", "stack = Stack()", subject="Stack.pop")

    assert [case.id for case in name_tests([full, empty], facts).values()] == [
        "tc_stack_pop",
        "tc_stack_pop_when_empty",
    ]


def test_an_operator_is_told_from_the_method_of_its_name() -> None:
    members = (function("Stack.add", "self", "item", kind="method"), function("Stack.__add__", "self", kind="method"))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(replace(STACK, members=members),))
    method = returns("stack.add(1)", "2", "stack = Stack()", subject="Stack.add")
    operator = returns("stack + stack", "0", "stack = Stack()", subject="Stack.__add__")

    assert [case.id for case in name_tests([method, operator], facts).values()] == [
        "tc_stack_add",
        "tc_stack_add_operator",
    ]


def test_an_operator_is_told_from_a_method_of_its_name_that_has_no_test() -> None:
    members = (function("Stack.add", "self", "item", kind="method"), function("Stack.__add__", "self", kind="method"))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(replace(STACK, members=members),))
    operator = returns("stack + stack", "0", "stack = Stack()", subject="Stack.__add__")

    assert [case.id for case in name_tests([operator], facts).values()] == ["tc_stack_add_operator"]


def test_digits_of_values_are_no_words_of_a_name() -> None:
    found = names(returns("parse('4')"), returns("parse('Interval 4 7')"))

    assert not any(character.isdigit() for character in found[1].removesuffix("_2"))


def test_what_is_given_nothing_is_no_usual_call_of_what_takes_any_number_of_arguments() -> None:
    assert names(returns("join()", subject="join"), returns("join('a', 'b')", subject="join")) == [
        "join_for_no_words",
        "join",
    ]


def test_that_one_of_several_arguments_is_empty_tells_more_than_the_kind_of_another() -> None:
    usual, other = returns("join('a', 'b')", subject="join"), returns("join([3, 1], [])", subject="join")

    assert names(usual, other) == ["join", "join_for_empty_word"]


def test_an_option_tells_refusals_apart_before_their_message_does() -> None:
    assert names(
        returns("parse('apple')"),
        refuses("parse('apple pie')", "it is not allowed"),
        refuses("parse('apple', limit=9)", "it is not allowed"),
    ) == ["parse", "parse_raises_value_error", "parse_raises_value_error_with_limit"]


def test_an_object_that_nothing_was_put_into_is_empty_beside_a_filled_one() -> None:
    assert names(
        returns("stack.pop()", "3", "stack = Stack(9)", "stack.push(3)", subject="Stack.pop"),
        returns("stack.pop()", "None", "stack = Stack(limit=9)", subject="Stack.pop", kind="is"),
    ) == ["stack_pop", "stack_pop_is_none"]
    assert (
        names(
            returns("stack.pop()", "3", "stack = Stack(9)", "stack.push(3)", subject="Stack.pop"),
            returns("stack.pop()", "4", "stack = Stack(limit=9)", subject="Stack.pop"),
        )[1]
        == "stack_pop_when_empty"
    )


def test_a_documented_test_that_no_word_tells_apart_has_no_number() -> None:
    shown = SpecExpectation("equals", "result", "1", origin="documented", evidence=SpecEvidence("README.md", (3, 3)))
    usual, other = (replace(returns(f"join(*{text})", subject="join"), expect=(shown,)) for text in ("'ab'", "'cd'"))

    assert names(usual, other) == ["join", "join_for_other_values"]

    acts = "join(*limit(3))", "join(*limit(3, part=9))"
    usual, other = (replace(returns(act, subject="join"), expect=(shown,)) for act in acts)

    assert names(usual, other) == ["join", "join_with_part"]

    acts = "join(*limit(3))", "join(*limit(3, strict=False))"
    usual, other = (replace(returns(act, subject="join"), expect=(shown,)) for act in acts)

    assert names(usual, other) == ["join", "join_without_strict"]


def test_a_call_that_was_made_before_is_named_beside_the_first_one() -> None:
    twice = ("stack = Stack()", "stack.push(3)")
    assert names(
        returns("stack.push(4)", "2", *twice, subject="Stack.push"),
        returns("stack.push(3)", "1", *twice[:1], subject="Stack.push"),
    ) == ["stack_push_after_push", "stack_push"]


def test_a_method_that_is_called_as_its_class_is_named_once() -> None:
    owner = ClassFacts("Search", "plain", (1, 9), members=(function("Search.search", "self", "item", kind="method"),))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(owner,))
    made = "search = Search()"
    found = [
        returns("search.search(3)", "1", made, subject="Search.search"),
        refuses("search.search(-1)", "no", made, subject="Search.search"),
    ]
    named = name_tests(found, facts)
    assert [named[case.id].id for case in found] == [
        "tc_search",
        "tc_search_search_raises_value_error_for_negative_item",
    ]


def test_a_documented_call_that_passes_an_option_by_its_name_is_told_from_one_that_does_not() -> None:
    usual, by_place, by_name = (returns(f"parse('apple'{given})", "2") for given in ("", ", True", ", strict=True"))
    evidence = SpecEvidence("m.py", (4, 5))
    told = replace(by_name, expect=(replace(by_name.expect[0], origin="documented", evidence=evidence),))
    parameters = (Parameter("text", "positional_only"), Parameter("strict", "positional_or_keyword", default="False"))
    facts = replace(FACTS, functions=(CallableFacts("parse", "function", (1, 2), parameters),))

    found = name_tests([usual, by_place, told], facts)
    assert [found[case.id].id.removeprefix("tc_") for case in (usual, by_place, told)] == [
        "parse",
        "parse_with_strict",
        "parse_with_strict_by_name",
    ]


def test_an_option_tells_more_than_a_truth_where_the_usual_rows_show_both() -> None:
    rows = [returns(f"parse('{text}')", truth, kind="is") for text, truth in (("apple", "True"), ("pear", "False"))]
    rows = [replace(row, group="parse__text__expected") for row in rows]
    assert names(*rows, returns("parse('pear', limit=1)", "True", kind="is"))[-1] == "parse_with_limit"


def test_what_equals_something_is_the_usual_case_of_a_comparison() -> None:
    built = "stack = Stack(3)"
    unlike = returns("stack == 1", "False", built, subject="Stack.__eq__", kind="is")
    alike = returns("stack == Stack(3)", "True", built, subject="Stack.__eq__", kind="is")
    assert names(unlike, alike) == ["stack_eq_is_false_for_other_type", "stack_eq"]


def test_what_is_passed_tells_more_than_that_nothing_comes_out() -> None:
    found = names(
        returns("join('kitten', 'hello')", "'kittenhello'", subject="join"), returns("join()", "''", subject="join")
    )
    assert found == ["join", "join_for_no_words"]
    found = names(returns("parse('apple')", "['apple']"), returns("parse('apple', limit=3)", "[]"))
    assert found == ["parse", "parse_with_limit"]


def test_a_test_that_no_word_for_its_input_tells_from_a_table_is_named_by_the_size_of_its_result() -> None:
    rows = [returns(f"parse({text!r})", value) for text, value in (("@1\n2", "['2']"), ("@1\n3", "['3']"))]
    table = assign_tables(rows, FACTS)
    several = returns("parse('@1\\n2\\n3')", "['2', '3']")
    named = name_tests([*table, several], FACTS)

    assert named[several.id].id == "tc_parse_with_several_results"


def test_a_test_that_reads_what_a_class_says_of_itself_is_named_for_that() -> None:
    reads = returns("made.__doc__", "'Made(x)'", "made = parse('x')")
    named = returns("made.__name__", "'Made'", "made = parse('x')")
    assert names(reads, named, returns("parse('y')")) == ["parse_docstring", "parse_name", "parse"]


def test_rows_are_named_by_what_their_messages_say_though_these_are_long() -> None:
    about = "Type names and field names cannot"
    rows = [
        refuses("parse('3')", f"{about} start with a number: '3'"),
        refuses("parse('def')", f"{about} be a keyword: 'def'"),
    ]
    assert [name.rpartition("error_")[2] for name in names(*assign_tables(rows, FACTS))] == [
        "cannot_start_with_number",
        "cannot_be_keyword",
    ]


def test_a_range_whose_ends_are_the_same_is_named_for_that() -> None:
    span = function("span", "lower", "upper")
    facts = replace(FACTS, functions=(*FACTS.functions, span))
    cases = [returns("span(0, 1)", "'[0, 1]'", subject="span"), returns("span(1, 1)", "'[1]'", subject="span")]
    named = name_tests(cases, facts)
    assert [named[case.id].id for case in cases] == ["tc_span", "tc_span_for_equal_lower_and_upper"]
