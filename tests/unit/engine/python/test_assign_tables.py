"""Tables are called after what they show, and their columns after the parameters of what is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.judge.case_tables import read_group
from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import Case, SpecEvidence, SpecExpectation
from testwright.engine.python.write.assign_tables import (
    alike_in_precision,
    alike_in_spelling,
    alike_in_steps,
    assign_tables,
)
from testwright.engine.python.write.render import render_cases

pytestmark = pytest.mark.feature("B-06")


def callable_facts(qualname: str, kind: str, *names: str) -> CallableFacts:
    return CallableFacts(
        qualname,
        kind,  # pyrefly: ignore[bad-argument-type]
        (1, 2),
        tuple(Parameter(name, "positional_or_keyword") for name in names),
        owner=qualname.rpartition(".")[0] or None,
    )


FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(callable_facts("parse", "function", "format", "string"),),
)
METHOD = callable_facts("Parser.parse", "method", "self", "text", "strict")


def case(number: int, act: str, *statements: str, kind: str = "equals", value: str = "1") -> Case:
    return Case(
        f"tc_{number}",
        "x",
        "parse",
        act,
        "call",
        (SpecExpectation(kind, "result", value),),
        statements=statements,
    )


def facts_with_method() -> ModuleFacts:
    return ModuleFacts(
        "m.py",
        "m",
        ".",
        "",
        functions=FACTS.functions,
        classes=(ClassFacts("Parser", "plain", (1, 2), members=(METHOD,)),),
    )


def test_columns_are_those_of_the_function_though_a_method_bears_its_name() -> None:
    facts = facts_with_method()
    rows = assign_tables([case(1, "parse('a', 'b')"), case(2, "parse('c', 'd')")], facts)
    methods = assign_tables(
        [
            case(1, "parser.parse('a', 'b')", "parser = Parser()"),
            case(2, "parser.parse('c', 'd')", "parser = Parser()"),
        ],
        facts,
    )

    assert read_group(rows[0].group or "").columns == ("format", "string")
    assert read_group(methods[0].group or "").columns == ("text", "strict")


def test_rows_of_one_shape_share_a_group_and_others_have_one_of_their_own() -> None:
    answers = [case(1, "parse('a', 'b')"), case(2, "parse('c', 'd')", value="2")]
    nothing = [case(at, f"parse('{at}', 'd')", kind="is", value="None") for at in (3, 4)]

    groups = [table.group for table in assign_tables([*answers, *nothing], FACTS)]

    assert groups[0] == groups[1] != groups[2] == groups[3]


def grouped_case(number: int, act: str, group: str) -> Case:
    return replace(case(number, act, value=str(number)), group=group)


def test_rows_left_alone_join_a_table_of_their_shape() -> None:
    cases = [
        grouped_case(1, "parse('a', 'b')", "parse__format__expected"),
        grouped_case(2, "parse('c', 'b')", "parse_2__format__expected"),
        grouped_case(3, "parse('d', 'b')", "parse_2__format__expected"),
        grouped_case(4, "parse('e', 'b')", "parse_3__format__expected"),
        grouped_case(5, "parse('f')", "parse_4__format__expected"),
    ]
    text = render_cases(cases, "pytest", imports=["from m import parse"], module="m")

    assert [name for name in ("test_parse(", "test_5(", "test_parse_2(") if name in text] == ["test_parse(", "test_5("]
    assert text.count("pytest.param(") == 4


def test_two_tables_with_names_of_their_own_stay_apart() -> None:
    cases = [
        grouped_case(at, f"parse('{at}', 'b')", "parse_low__format__expected" if at < 3 else "parse_high__format")
        for at in range(1, 5)
    ]
    text = render_cases(cases, "pytest", imports=["from m import parse"], module="m")

    assert "def test_parse_low(" in text
    assert "def test_parse_high(" in text


def test_floats_of_one_table_are_compared_alike() -> None:
    about, exact = case(0, "parse('a')", kind="approx", value="0.6666666666666666"), case(1, "parse('b')", value="0.75")
    whole, other = case(2, "parse('c')", value="1"), case(3, "parse('d', 2)", value="0.5")
    told = replace(exact, expect=(replace(exact.expect[0], origin="documented"),))

    found = alike_in_precision([about, exact, whole, other, told])

    assert [one.expect[0].kind for one in found] == ["approx", "approx", "equals", "equals", "equals"]
    assert alike_in_precision([exact, whole]) == [exact, whole]


def test_columns_are_those_of_the_method_of_the_class_that_is_tested() -> None:
    other = callable_facts("Expander.parse", "method", "self", "efl", "source")
    owners = tuple(ClassFacts(one.owner or "", "plain", (1, 2), members=(one,)) for one in (METHOD, other))
    facts = ModuleFacts("m.py", "m", ".", "", classes=owners)
    calls = (case(1, "expander.parse('kitten', 'a')"), case(2, "expander.parse('kitten', 'b')"))
    rows = [replace(one, subject="Expander.parse") for one in calls]

    assert {read_group(one.group or "").columns for one in assign_tables(rows, facts)} == {("source",)}


def test_rows_that_pass_an_argument_by_name_and_by_place_are_rows_of_one_table() -> None:
    cases = [case(1, "parse('a', 'b')"), case(2, "parse('c', string='d')"), case(3, "parse(string='e', format='f')")]

    assert [one.expression for one in alike_in_spelling(cases, FACTS)] == [
        "parse('a', 'b')",
        "parse('c', 'd')",
        "parse('f', 'e')",
    ]


def test_other_arguments_and_documented_cases_keep_their_spelling() -> None:
    shown = SpecExpectation("equals", "result", "1", origin="documented", evidence=SpecEvidence("m.py", (1, 2)))
    documented = [replace(case(1, "parse('a', string='b')"), expect=(shown,)), case(2, "parse('c', 'd')")]

    assert [one.expression for one in alike_in_spelling(documented, FACTS)] == [
        "parse('a', string='b')",
        "parse('c', string='d')",
    ]
    assert alike_in_spelling([cases := case(1, "parse('a')"), case(2, "parse(string='d')")], FACTS)[0] == cases


def test_a_call_that_a_statement_names_first_is_a_row_beside_those_that_do_not() -> None:
    named = case(2, "list(found)", "found = parse('c', 'd')")
    plain = case(1, "list(parse('a', 'b'))")

    assert [one.expression for one in alike_in_steps([plain, named])] == [plain.expression, "list(parse('c', 'd'))"]
    assert alike_in_steps([named]) == [named]
    assert alike_in_steps([plain, case(3, "found", "found = parse('c', 'd')")])[1].statements


def test_no_case_becomes_one_that_is_there_already() -> None:
    cases = [case(1, "parse('a', 'b')"), case(2, "parse('a', string='b')"), case(3, "parse('c', string='d')")]

    assert [one.expression for one in alike_in_spelling(cases, FACTS)] == [
        "parse('a', 'b')",
        "parse('a', string='b')",
        "parse('c', 'd')",
    ]


def test_what_is_read_more_than_once_is_named_first() -> None:
    plain = case(1, "sorted(parse('a', 'b'))")
    twice = case(2, "sorted(found, key=found.index)", "found = parse('c', 'd')")

    assert alike_in_steps([plain, twice]) == [plain, twice]
