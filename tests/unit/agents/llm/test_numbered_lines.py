"""A model sees the numbers of the lines that it may cite, and no more."""

from __future__ import annotations

import pytest

from testwright.agents.llm.specs.public_source import source_parts

pytestmark = pytest.mark.feature("B-15")

SOURCE = '''import math


def half(number):
    """Half of a number.

    Odd ones are refused.
    """
    whole = number // 2
    if number % 2:
        raise ValueError("odd")
    rest = math.floor(0)

    return whole  # without the rest
'''


def test_docstrings_comments_and_messages_have_their_number_and_so_has_every_fifth_line():
    [part] = source_parts(SOURCE)
    lines = part.text.split("\n")

    numbered = {int(line[:4]) for line in lines if line[:4].strip().isdigit()}
    assert numbered == {5, 7, 8, 10, 11, 14}
    assert '   5     """Half of a number.' in lines
    assert "             whole = number // 2".replace("    ", "", 1) in lines


def test_a_source_that_does_not_parse_has_all_numbers():
    [part] = source_parts("def half(:\n    pass\n")

    assert part.text.split("\n")[:2] == ["   1 def half(:", "   2     pass"]
