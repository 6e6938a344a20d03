"""What the engine observes of inputs that a model proposes without an expectation."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.agents.embedded.specs.observed_cases import CaseObserver
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.tool_session import unit_case

pytestmark = pytest.mark.feature("T-13")

SOURCE = """import random


def half(number):
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def drawn(number):
    return random.random() * number
"""
IMPORTS = ["from shop.cart import drawn, half"]


def asked(expression: str, *statements: str) -> dict[str, object]:
    act = {"expression": expression, "mode": "call"}
    subject = expression.partition("(")[0]
    arrange = {"statements": list(statements)}
    return unit_case(act=act, subject=subject, arrange=arrange, expect=[], written_by="model")


async def test_outcomes_are_pinned_and_what_differs_each_time_is_not(tmp_path: Path) -> None:
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": SOURCE}
    cases = [asked("half(n)", "n = 12"), asked("half(7)"), asked("drawn(3)"), asked("half(")]
    async with prepared(tmp_path, files) as target:

        async def provide() -> object:
            return target

        seen = await CaseObserver(provide, target.root).observe("src/shop/cart.py", cases, IMPORTS)  # pyrefly: ignore[bad-argument-type]
    value, refusal, chance, broken = seen
    assert value is not None
    assert [(row["kind"], row["value"], row["origin"]) for row in value.case["expect"]] == [("equals", "6", "observed")]
    assert value.case["written_by"] == "model"
    assert (value.naming.id, value.naming.expected) == ("tc_half_of_12", "the result equals 6")
    assert refusal is not None
    assert [(row["kind"], row["exception"]) for row in refusal.case["expect"]] == [("raises", "ValueError")]
    assert "from shop.cart import half" in refusal.imports
    assert chance is None or all(row["kind"] != "equals" for row in chance.case["expect"])
    assert broken is None
