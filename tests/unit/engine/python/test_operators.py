"""An operator is the special method that it calls first, on the operand that has it (B-02)."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.facts.operators import operation

pytestmark = pytest.mark.feature("B-02")


@pytest.mark.parametrize(
    ("text", "name", "receiver"),
    [
        ("a + b", "__add__", "a"),
        ("a % b", "__mod__", "a"),
        ("a / b", "__truediv__", "a"),
        ("a <= b", "__le__", "a"),
        ("a in b", "__contains__", "b"),
        ("a not in b", "__contains__", "b"),
        ("-a", "__neg__", "a"),
    ],
)
def test_an_operator_calls_the_method_of_one_operand(text: str, name: str, receiver: str) -> None:
    found = operation(ast.parse(text, mode="eval").body)

    assert found is not None
    assert (found[0], ast.unparse(found[1])) == (name, receiver)


@pytest.mark.parametrize("text", ["a is b", "not a", "a.b", "f(a)", "a and b"])
def test_what_calls_no_special_method_of_an_operator_is_none(text: str) -> None:
    assert operation(ast.parse(text, mode="eval").body) is None
