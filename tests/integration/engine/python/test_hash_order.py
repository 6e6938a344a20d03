"""What a set hands out in one order only by chance is not asserted in that order (B-11)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import MODULE, explored, trial

SOURCE = """
def listed(names):
    return list(set(names))


def in_order(names):
    return list(dict.fromkeys(names))
"""
# The first three hash seeds order these two alike.
CALLS = [trial("listed(['cat', 'bird'])"), trial("in_order(['cat', 'bird', 'cat'])")]
TRIALS = [replace(call, imports=(f"from {MODULE} import {call.subject}",)) for call in CALLS]


@pytest.mark.feature("B-11")
def test_an_order_that_differs_under_a_further_hash_seed_is_not_asserted(tmp_path: Path) -> None:
    found = explored(tmp_path, SOURCE, TRIALS, budget=ExplorationBudget(trials=len(TRIALS)))[0]
    text = render(compose_spec(found, framework="pytest"), "pytest")
    assert 'sorted(listed(["cat", "bird"])) == ["bird", "cat"]' in text
    assert "sorted(in_order" not in text
    assert 'in_order(["cat", "bird", "cat"]) == ["cat", "bird"]' in text
