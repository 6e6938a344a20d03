"""Code that runs only without an import, only on some day, or only where nothing is told at first sight."""

from __future__ import annotations

import ast
import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.optional_imports import optional_imports, rank_optional_imports
from testwright.engine.python.model.arcs import branch_arcs
from testwright.engine.python.model.model import Arc, Exploration
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.parallel_observers import open_observer_pair
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import facts_of, files, trial
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

pytestmark = pytest.mark.feature("B-06")

FALLBACK = '''
try:
    from .fast import Counter
except ImportError:
    class Counter(dict):
        """Counts names."""

        def add(self, name: str) -> int:
            if name in self:
                self[name] += 1
            else:
                self[name] = 1
            return self[name]

try:
    import package_nobody_has as plotting
except ImportError:
    plotting = None

import json


def total(counts: dict[str, int]) -> int:
    return sum(counts.values())


def need_json(text: str) -> str:
    if not text:
        raise ValueError("nothing to read")
    return json.dumps(text)
'''
FAST = """
class Counter(dict):
    def add(self, name):
        self[name] = self.get(name, 0) + 1
        return self[name]
"""
DAYS = """
import datetime


def about(day: datetime.date) -> str:
    distance = (day - datetime.date.today()).days
    if distance == 0:
        return "today"
    if distance == -1:
        return "yesterday"
    if distance < -1:
        return "long ago"
    return "later"
"""
STORE = '''
from collections.abc import MutableMapping


class Store(MutableMapping):
    """Keeps a few things."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._data = {}

    def __getitem__(self, key):
        return self._data[key]

    def __setitem__(self, key, value):
        if key in self._data:
            self._data[key] = value
            return
        if len(self._data) >= self._size:
            self._data.clear()
        self._data[key] = value

    def __delitem__(self, key):
        del self._data[key]

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)
'''


@dataclass(frozen=True, slots=True)
class Made:
    """What came of a module."""

    exploration: Exploration
    spec: dict[str, Any]
    text: str
    missed: set[Arc]


def made(folder: Path, source: str, others: dict[str, str] | None = None, trials: int = 400) -> Made:
    """The module explored by the real proposer, as spec and test file, with the branches that no test takes."""

    async def run() -> Exploration:
        async with prepared(folder, files(source, others)) as target:
            root, facts = target.snapshot.path, facts_of(target)
            proposer = SourceProposer(root, find_layout(root), facts)
            return await explore(target, facts, proposer, ExplorationBudget(trials=trials, quiet=200))

    exploration = asyncio.run(run())
    spec = compose_spec(exploration, framework="pytest")
    return Made(exploration, spec, render(spec, "pytest"), set(branch_arcs(source) - exploration.reached_arcs))


@pytest.fixture(scope="module")
def fallback(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("fallback"), FALLBACK, {"src/shop/fast.py": FAST})


def test_a_fallback_for_a_missing_import_is_tested(fallback: Made) -> None:
    assert fallback.missed == set()
    without = [case for case in fallback.spec["cases"] if "_without_fast" in case["id"]]
    assert {case["subject"] for case in without} >= {"Counter.add"}


def test_the_copy_without_the_import_is_made_in_one_place(fallback: Made) -> None:
    tree = ast.parse(fallback.text)
    makers = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "cart_without_fast"]
    assert len(makers) == 1
    assert ast.get_docstring(makers[0]) == "The module as it is where shop.fast cannot be imported."
    assert fallback.text.count("module_from_spec(spec)") == 1


@pytest.mark.parametrize("order", [1, -1])
def test_such_tests_hold_beside_all_others_and_leave_the_module_as_it_was(
    fallback: Made, tmp_path: Path, order: int
) -> None:
    for name, text in files(FALLBACK, {"src/shop/fast.py": FAST}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "test_generated.py").write_text(fallback.text, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        f"def pytest_collection_modifyitems(items):\n    items[:] = items[::{order}]\n", encoding="utf-8"
    )
    (tmp_path / "test_zz_after.py").write_text(
        "import sys\nfrom shop import cart, fast\n\n\ndef test_after():\n"
        "    assert cart.Counter is fast.Counter\n    assert sys.modules['shop.cart'] is cart\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "pythonpath=src",
            ".",
        ],
        cwd=tmp_path,
        env={**os.environ, **WITHOUT_PLUGINS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_only_imports_that_the_module_can_do_without_and_that_matter_are_left_out(tmp_path: Path) -> None:
    async def facts() -> Any:
        async with prepared(tmp_path, files(FALLBACK, {"src/shop/fast.py": FAST})) as target:
            return facts_of(target)

    known = asyncio.run(facts())
    found = optional_imports(FALLBACK + "\ntry:\n    import json\nexcept ImportError:\n    json = None\n", known)
    assert [one.modules for one in found] == [("shop.fast",), ("package_nobody_has",)]
    open_arcs = set(branch_arcs(FALLBACK))
    assert [import_.modules for import_ in rank_optional_imports(found, FALLBACK, known, open_arcs)] == [("shop.fast",)]
    assert rank_optional_imports(found, FALLBACK, known, set()) == []


def test_days_are_told_by_a_clock_that_stands_still(tmp_path: Path) -> None:
    got = made(tmp_path, DAYS)
    expected = {one["value"] for case in got.spec["cases"] for one in case["expect"]}
    assert expected == {"'long ago'", "'later'", "'today'", "'yesterday'"}
    assert "date_on(now)" in got.text


def test_a_clock_stands_still_in_code_that_asks_for_the_class_of_days(tmp_path: Path) -> None:
    # The class that takes the date's place answers `isinstance` as the date does.
    got = made(tmp_path, f"{DAYS}\n\ndef is_day(value):\n    return isinstance(value, datetime.date)\n")
    expected = {one["value"] for case in got.spec["cases"] for one in case["expect"] if case["subject"] != "is_day"}
    assert expected == {"'long ago'", "'later'", "'today'", "'yesterday'"}
    assert "date_on(now)" in got.text
    assert "__instancecheck__" in got.text


def test_what_a_mapping_holds_is_told_and_a_call_that_changes_nothing_is_replaced(tmp_path: Path) -> None:
    got = made(tmp_path, STORE)
    assert got.missed == set()
    told = {one["actual"] for case in got.spec["cases"] for one in case["expect"] if "actual" in one}
    assert "dict(store)" in told


def test_numbers_of_a_library_are_told_as_plain_ones(tmp_path: Path) -> None:
    source = "import numpy\n\n\ndef half(whole: int):\n    return numpy.float64(whole) / 2\n"
    got = made(tmp_path, source, trials=60)
    demanded = {(one["actual"], one["kind"]) for case in got.spec["cases"] for one in case["expect"]}
    assert demanded == {("result", "equals")}


def test_two_workers_answer_in_the_order_they_were_asked(tmp_path: Path) -> None:
    async def asked() -> list[str | None]:
        source = "def double(n):\n    return 2 * n\n"
        async with prepared(tmp_path, files(source)) as target, open_observer_pair(target, facts_of(target)) as both:
            seen = await both.watch([trial(f"double({number})") for number in range(41)])
        return [one.observation.value.source if one.observation.value else None for one in seen]

    assert asyncio.run(asked()) == [str(2 * number) for number in range(41)]
