"""A suite that testwright has just kept, assessed by testwright: one rule says on both sides what adds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import testwright
from testwright.app.assess import assess
from testwright.config.settings import Settings
from testwright.tests.support.engine.sandboxes import needed_sandbox
from testwright.tests.support.projects.files import FLAT_PYTEST, make_project

STORE = """
class Store:
    def __init__(self, limit=3):
        self.limit = limit
        self.stock = {}

    def add(self, name, count=1):
        if count <= 0:
            raise ValueError("count must be positive")
        if name not in self.stock and len(self.stock) >= self.limit:
            return False
        self.stock[name] = self.stock.get(name, 0) + count
        return True

    def take(self, name, count=1):
        left = self.stock.get(name, 0) - count
        if left < 0:
            raise KeyError(name)
        if left:
            self.stock[name] = left
        else:
            del self.stock[name]
        return left


def price(count, each, member=False):
    total = count * each
    if count >= 10 and total > 50:
        total = total * 9 // 10
    return total - 1 if member and total > 1 else total
"""


@pytest.mark.feature("B-01", "B-11")
async def test_an_assessment_of_a_suite_that_was_just_kept_finds_no_test_that_adds_nothing(tmp_path: Path) -> None:
    needed_sandbox("bubblewrap")
    root = make_project(tmp_path / "shop", {**FLAT_PYTEST, "shop/__init__.py": "", "shop/store.py": STORE})
    report = await testwright.agenerate("unit tests for shop/store.py", root=root, run_id="made", trials=600)
    assert report.totals.kept > 5

    settings = Settings(root=root, state_dir=tmp_path / "state", run_id="judged", repeats=1)
    done = await assess(["tests"], settings, targets=["shop/store.py"], mutants=100)

    assert done.report["totals"]["flaky"] == 0
    assert [test["nodeid"] for test in done.report["tests"] if test["adds_nothing"]] == []
    assert done.report["totals"]["adds_nothing"] == 0
