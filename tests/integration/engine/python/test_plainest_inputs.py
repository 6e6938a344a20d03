"""The plainest inputs that show the same become tests: samples of formats, used products, whole results (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.engine.written_tests import written_tests

SETTINGS = '''
"""Reads settings, one assignment a line."""


def parse_assignment(line):
    """Return the name and the value of an assignment, None for a comment."""
    line = line.strip()
    if line.startswith("#"):
        return None
    name, sign, value = line.partition("=")
    if not sign:
        raise ValueError(f"no assignment: {line}")
    if value[:1] == value[-1:] == "'":
        value = value[1:-1]
    return name.strip(), value.strip()
'''
SPANS = '''
"""Intervals as text."""


class Span:
    def __init__(self, low, high):
        self.low = low
        self.high = high
        self.width = high - low

    def __repr__(self):
        return f"[{self.low},{self.high}]"


def from_text(text: str) -> Span:
    """Read an interval such as `[1,2]`."""
    low, _, high = text.strip("[]").partition(",")
    return Span(int(low), int(high))


def to_text(span: Span, separator: str = ",") -> str:
    """Write an interval."""
    return f"[{span.low}{separator}{span.high}]"
'''
MAKERS = '''
def record(name, fields):
    """Return a class of records.

    >>> Point = record("Point", ["x", "y"])
    >>> Point(3, 4).x
    3
    """
    if not name.isidentifier():
        raise ValueError(f"no name: {name}")

    def __init__(self, *values):
        for field, value in zip(fields, values):
            setattr(self, field, value)

    return type(name, (), {"__init__": __init__})
'''
TEMPLATES = '''
class Template:
    """A text with names in braces."""

    def __init__(self, text: str):
        self.text = text

    def expand(self, **values: str) -> str:
        """Fill in values; a name without one stays."""
        filled = self.text
        for name, value in values.items():
            filled = filled.replace("{" + name + "}", str(value))
        return filled
'''


@pytest.mark.feature("B-16")
def test_a_parser_is_tested_with_a_text_of_its_format(tmp_path: Path) -> None:
    text = written_tests(tmp_path, SETTINGS)
    assert '"name=value"' in text
    assert '("name", "value")' in text


@pytest.mark.feature("B-16")
def test_an_object_is_compared_as_a_whole_by_what_it_says_of_itself_or_by_all_its_attributes(tmp_path: Path) -> None:
    text = written_tests(tmp_path, SPANS)
    whole = all(f"result.{name} == " in text for name in ("low", "high", "width"))
    assert "repr(from_text(" in text or whole


@pytest.mark.feature("B-16")
def test_what_a_factory_makes_is_used(tmp_path: Path) -> None:
    text = written_tests(tmp_path, MAKERS)
    assert "Point = record(" in text
    assert ".x == " in text


@pytest.mark.feature("B-16")
def test_a_template_is_given_values(tmp_path: Path) -> None:
    text = written_tests(tmp_path, TEMPLATES)
    assert 'expand(name="kitten")' in text
    assert '"{name}"' in text or '"Hello {name}"' in text


NUMBERS = """
class Numbers:
    def __init__(self):
        self.names = ["zero", "one", "two", "three"]

    def set_high(self, high):
        self.high = high

    def ordinal(self, value):
        \"\"\"Return the ordinal of a number below four.\"\"\"
        if value < 2:
            return self.names[value] + "th" if value == 0 else "first"
        return "second" if value == 2 else "third"
"""


def test_what_was_done_to_an_object_and_has_no_effect_is_left_out(tmp_path: Path) -> None:
    text = written_tests(tmp_path, NUMBERS)
    assert "ordinal(" in text
    assert all("set_high(" not in part for part in text.split("def test_") if part.startswith("ordinal"))


PERSISTENT = '''
class Row:
    """Items in a row, which no call changes.

    >>> row = Row([1, 2, 3])
    >>> row.dropped().items
    [1, 2]
    >>> row.added(4).items
    [1, 2, 3, 4]
    """

    def __init__(self, items):
        self.items = list(items)

    def dropped(self):
        """A row without the last item."""
        return Row(self.items[:-1])

    def added(self, item):
        """A row with one item more."""
        return Row([*self.items, item])
'''


def test_what_a_document_does_before_and_nothing_comes_of_is_left_out(tmp_path: Path) -> None:
    text = written_tests(tmp_path, PERSISTENT, trials=200)

    assert "[1, 2, 3, 4]" in text
    assert "    row.dropped()\n" not in text
