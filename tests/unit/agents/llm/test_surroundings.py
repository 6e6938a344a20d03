"""What a model is told around a module is said once."""

from __future__ import annotations

from typing import Any

from testwright.agents.llm.specs.spec_message import gap_lines
from testwright.agents.llm.specs.surroundings import LEAST_CONTEXT, MOST_CONTEXT, tool_context

SNIPPETS: dict[str, Any] = {
    "ast_analysis": {"summary": "Reads the price list of the year."},
    "codebase_context": {
        "snippets": [
            {"path": "README.md", "text": "# Till\n`till.prices` reads the price list.\n\nIt is kept in a file."},
            {"path": "src/till/bills.py", "text": "    def charged(amount):\n        return amount + postage"},
            {"path": "docs/prices.md", "text": "`till.prices` reads the price list."},
        ]
    },
}


def test_lines_that_the_message_has_anyway_are_left_out() -> None:
    shown = ('"""Reads the price list of the year."""', "README.md: `till.prices` reads the price list.")
    assert tool_context(SNIPPETS, "src/till/prices.py", shown).splitlines() == [
        "# README.md",
        "# Till",
        "It is kept in a file.",
        "# src/till/bills.py",
        "def charged(amount):",
        "    return amount + postage",
    ]


def test_less_is_told_beside_a_long_source() -> None:
    text = "\n".join(f"a line about number {number} of the list" for number in range(200))
    inputs = {"codebase_context": {"snippets": [{"path": "docs/prices.md", "text": text}]}}
    assert MOST_CONTEXT * 0.9 < len(tool_context(inputs, "src/till/prices.py", ("x" * 1000,))) <= MOST_CONTEXT + 2
    assert len(tool_context(inputs, "src/till/prices.py", ("x" * 20_000,))) <= LEAST_CONTEXT + 2


def test_gaps_that_differ_by_one_number_share_a_line() -> None:
    taken = [f"charged: the branch in line {number} was not taken" for number in (3, 5, 8)]
    other = ["total: in 12 trials nothing came back than 5", "line 9: `x < 2` becomes `x <= 2`", "charged: no trial"]
    assert gap_lines([*taken, *other]).splitlines() == [
        "- charged: the branch in line 3, 5, 8 was not taken",
        *(f"- {line}" for line in other),
    ]
