"""Tables are called after what they show, and their columns after the parameters of what is called."""

from __future__ import annotations

import pytest

from testwright.engine.python.group import read_group
from testwright.engine.python.grouping import grouped
from testwright.engine.python.model import CallableFacts, ClassFacts, ModuleFacts, Parameter
from testwright.engine.python.spec_case import Case, Expectation

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
        (Expectation(kind, "result", value),),
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
    rows = grouped([case(1, "parse('a', 'b')"), case(2, "parse('c', 'd')")], facts)
    methods = grouped(
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

    groups = [read_group(one.group or "").name for one in grouped([*answers, *nothing], FACTS)]

    assert groups == ["parse", "parse", "parse_is_none", "parse_is_none"]
