"""Lines are counted as Python counts them."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.python_source import source_lines


@pytest.mark.parametrize("separator", ["\f", "\u2028", "\x1c", "\x85"])
def test_what_ends_no_line_of_python_ends_none_here(separator: str) -> None:
    source = f"a = 1  # {separator}x\r\nb = 2\n"
    assert len(source_lines(source)) == 2
    assert ast.parse(source).body[1].lineno == 2


def test_an_empty_source_has_no_line() -> None:
    assert source_lines("") == []
