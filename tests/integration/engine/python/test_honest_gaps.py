"""Every public callable is tested or listed with a true reason, and an answered question is used (B-02, B-06)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.written_tests import written_spec

RULES = '''
"""Rules of a shop."""

import re


class Board:
    """A board to pin notes on."""

    def __init__(self):
        self._notes = []

    def wipe(self):
        """Remove all notes."""
        for note in self._notes:
            print("removed", note)
        self._notes.clear()


def apply_rule(rule, total):
    """Return whether a total satisfies a rule."""
    match = re.fullmatch(r"total (>|<) (\\d+) of (\\w+)-(\\d{4})", rule)
    name, limit = match[1], int(match[2])
    return total > limit if name == ">" else total < limit
'''
ALIKE = "\n\n".join(f"def times_{number}(value: int) -> int:\n    return value * {number}" for number in range(260))


def test_every_one_of_many_alike_functions_is_called_or_said_to_be_left_out(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, ALIKE, trials=900)
    tested = {case["subject"] for case in spec["cases"]}
    listed = {entry["subject"]: entry["reason"] for entry in spec["not_reached"]}
    assert tested | set(listed) == {f"times_{number}" for number in range(260)}
    assert not any(reason.startswith("no way to call it was found") for reason in listed.values())


def test_what_could_not_be_called_is_listed_with_the_question_to_answer(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, RULES, trials=200)
    entries = {entry["subject"]: entry for entry in spec["not_reached"]}
    wiped = entries["Board.wipe"]
    assert "returned None and changed nothing" in wiped["reason"]
    assert "never ran" in wiped["reason"]
    assert wiped["question"].startswith("What comes before `Board.wipe` in real use")
    asked = entries["apply_rule"]
    assert asked["reason"].startswith("never called successfully in ")
    assert asked["question"].startswith("What does the `rule` of `apply_rule` look like?")


@pytest.mark.parametrize(
    "examples",
    [
        {"shop.cart:apply_rule": "apply_rule('total > 100 of shop-2024', 120)"},
        {"rule": "'total > 100 of shop-2024'"},
    ],
)
def test_the_answer_in_the_settings_makes_the_test(tmp_path: Path, examples: dict[str, str]) -> None:
    spec = written_spec(tmp_path, RULES, trials=200, examples=examples)
    assert "apply_rule" not in {entry["subject"] for entry in spec["not_reached"]}
    assert "total > 100 of shop-2024" in render(spec, "pytest")
