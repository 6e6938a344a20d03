"""What a docstring says is refused is tried, whether or not the code refuses it (B-02)."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.inputs.announced_exceptions import with_announced_exceptions
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace

pytestmark = pytest.mark.feature("B-02")


def tried(condition: str, annotation: str = "int", act: str = "shift(3, 4)") -> list[tuple[str, str | None]]:
    head = f'def shift(day: int, count: {annotation} = 1):\n    """Shift.\n\n'
    source = f'{head}    Raises:\n        ValueError: {condition}\n    """\n'
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    _, *more = with_announced_exceptions([Trial("shift", act)], facts)
    return [(one.act, one.wanted) for one in more]


@pytest.mark.parametrize(
    ("condition", "act"),
    [
        ("if count is negative.", "shift(3, -1)"),
        ("If the ``count`` is less than zero.", "shift(3, -1)"),
        ("when count is zero", "shift(3, 0)"),
        ("if count is not positive", "shift(3, 0)"),
        ("for a negative count", "shift(3, -1)"),
    ],
)
def test_a_number_that_a_docstring_says_is_refused_is_passed(condition: str, act: str) -> None:
    assert tried(condition) == [(act, "raises:ValueError")]


@pytest.mark.parametrize(
    "condition",
    [
        "if count is negative and day is a holiday",
        "if the counter is negative",
        "if count is negative unless the calendar is open",
        "if the file is missing",
    ],
)
def test_a_condition_that_says_something_else_or_more_is_left_alone(condition: str) -> None:
    assert tried(condition) == []


def test_only_numbers_are_passed_and_options_by_name() -> None:
    assert tried("if count is negative", annotation="str") == []
    assert tried("if count is negative", act="shift(3)") == [("shift(3, count=-1)", "raises:ValueError")]
