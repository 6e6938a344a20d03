"""Tables are called after what they show, and their columns after the parameters of what is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.judge.case_tables import read_group
from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.write.assign_tables import assign_tables
from testwright.engine.python.write.render import render_cases

pytestmark = pytest.mark.feature("B-06")


def callable_facts(qualname: str, kind: str, *names: str) -> CallableFacts:
    return CallableFacts(
        qualname,
        kind,  # type: ignore[arg-type]
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
        statements=statements,  # type: ignore[arg-type]
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


def test_a_second_table_is_called_after_its_one_answer() -> None:
    answers = [case(1, "parse('a', 'b')"), case(2, "parse('c', 'd')", value="2")]
    nothing = [case(at, f"parse('{at}', 'd')", kind="is", value="None") for at in (3, 4)]

    groups = [read_group(table.group or "").name for table in assign_tables([*answers, *nothing], FACTS)]

    assert groups == ["parse", "parse", "parse_is_none", "parse_is_none"]


def test_many_rows_are_split_by_what_comes_of_them() -> None:
    unchanged = [case(at, f"parse('{at}', 'd')", value=f"'{at}'") for at in range(15)]
    numbers = [case(100 + at, f"parse('x{at}', 'd')", value=str(at)) for at in range(15)]

    groups = [read_group(table.group or "").name for table in assign_tables([*unchanged, *numbers], FACTS)]

    assert groups == ["parse_unchanged"] * 15 + ["parse_gives_a_number"] * 15


def refused(number: int, message: str, *, whole: bool) -> Case:
    demand = SpecExpectation("raises", "str(error)" if whole else "result", exception="ValueError", match=message)
    return replace(case(number, f"parse('{number}', 'd')"), expect=(demand,))


def test_refusals_of_which_a_part_is_told_stand_apart_from_those_told_whole() -> None:
    whole = [refused(at, f"no {at}", whole=True) for at in (1, 2)]
    part = [refused(at, f"not {at}", whole=False) for at in (3, 4)]

    groups = [read_group(table.group or "").name for table in assign_tables([*whole, *part], FACTS)]

    assert groups == ["parse_raises_value_error"] * 2 + ["parse_raises_value_error_saying"] * 2


def test_a_table_says_what_all_its_rows_are_given_and_go_without() -> None:
    optional = [Parameter(one, "keyword_only", default="None") for one in ("strict", "limit")]
    shown = callable_facts("show", "function", "text")
    facts = replace(FACTS, functions=(replace(shown, parameters=(*shown.parameters, *optional)),))
    plain = [replace(case(at, f"show('{at}', strict=False)"), subject="show") for at in (1, 2)]
    limited = [replace(case(at, f"show('{at}', strict=False, limit={at})"), subject="show") for at in (3, 4)]

    groups = [read_group(table.group or "").name for table in assign_tables([*plain, *limited], facts)]

    assert groups == ["show_without_strict"] * 2 + ["show_with_limit_without_strict"] * 2


def test_a_table_says_how_its_object_was_made_and_what_it_is_called_with() -> None:
    called = callable_facts("Parser.__call__", "method", "self", "text")
    facts = replace(FACTS, classes=(ClassFacts("Parser", "plain", (1, 2), members=(called,)),))

    def asked(number: int, made: str) -> Case:
        return replace(case(number, f"parser('{number}')", f"parser = {made}"), subject="Parser.__call__")

    cases = [asked(at, "Parser()") for at in (1, 2)] + [asked(at, "Parser(strict=False)") for at in (3, 4)]
    groups = [
        table.group for table in assign_tables([*cases, *(asked(at, f"Parser(depth={at})") for at in (5, 6))], facts)
    ]

    assert groups == [
        *["parser_call__text"] * 2,
        *["parser_call_without_strict__text"] * 2,
        *["parser_call_with_depth__depth__text"] * 2,
    ]


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
