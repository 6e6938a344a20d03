"""What `print` shows of one thing can be compared as a value."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.python_names import printed_argument


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("print(area(2))", "area(2)"),
        ("console.print(area(2))", "area(2)"),
        ("print(2, 3)", None),
        ("print(*rows)", None),
        ("print(area(2), end='')", None),
        ("print(2).area(3)", None),
        ("area(2)", None),
        ("area", None),
    ],
)
def test_only_a_print_of_one_thing_shows_it(source: str, shown: str | None) -> None:
    found = printed_argument(ast.parse(source, mode="eval").body)

    assert (ast.unparse(found) if found is not None else None) == shown
