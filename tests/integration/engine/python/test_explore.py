"""Exploring a module from first trial to findings (B-02, B-05, B-06, B-11)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.core.errors import ProjectError, TargetImportError
from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.model.model import Exploration, TrialFinding
from testwright.engine.python.search.observer import Conditions, open_observer
from testwright.tests.support.engine.exploration import PATH, Listed, explored, facts_of, files, trial
from testwright.tests.support.engine.targets import prepared

SOURCE = '''
import datetime
import os
import random
import time
import uuid

SEEN = []


def grade(points: int) -> str:
    """The grade for some points.

    >>> grade(95)
    'A'
    >>> grade(10)
    'E'
    """
    if points < 0:
        raise ValueError("negative")
    if points >= 90:
        return "A"
    return "F"


def today():
    return datetime.date.today().isoformat()


def stamp(name):
    return {"name": name, "at": time.time()}


def token(name):
    return "%s-%s" % (name, uuid.uuid4())


def flip():
    return random.random() < 0.5


def order():
    return list({"apple", "banana", "cherry", "date", "elderberry", "fig"})


def remember(value):
    SEEN.append(value)
    return len(SEEN)


def local_hour():
    return time.localtime(0).tm_hour


def process():
    return os.getpid()


def download():
    import socket

    return socket.create_connection(("192.0.2.1", 80))


def spin():
    while True:
        pass


def opaque():
    return object()


def nothing():
    return None


def count(limit):
    return (number for number in range(limit))


def needs_package():
    import package_nobody_has

    return package_nobody_has


class Broken:
    def __init__(self):
        raise RuntimeError("cannot be")

    def use(self):
        return 1
'''
TRIALS = [
    trial("grade(95)", wanted="'A'\n", wanted_line=14, source="doctest"),
    trial("grade(10)", wanted="'E'\n", wanted_line=16, source="doctest"),
    trial("grade(-1)"),
    trial("grade(90)"),
    trial("grade(89)"),
    trial("grade('x')"),
    trial("today()"),
    trial("stamp('a')"),
    trial("token('a')"),
    trial("flip()"),
    trial("order()"),
    trial("remember(1)"),
    trial("remember(2)"),
    trial("local_hour()"),
    trial("process()"),
    trial("download()"),
    trial("spin()"),
    trial("opaque()"),
    trial("nothing()"),
    trial("count(3)"),
    trial("needs_package()"),
    trial("broken.use()", "broken = Broken()", subject="Broken.use"),
]


@pytest.fixture(scope="module")
def explorations(tmp_path_factory: pytest.TempPathFactory) -> list[Exploration]:
    return explored(tmp_path_factory.mktemp("explored"), SOURCE, TRIALS, times=2)


@pytest.fixture(scope="module")
def findings(explorations: list[Exploration]) -> dict[str, TrialFinding]:
    return {finding.trial.act: finding for finding in explorations[0].findings}


@pytest.fixture(scope="module")
def unreached(explorations: list[Exploration]) -> dict[str, str]:
    return {one.qualname: one.reason for one in explorations[0].unreached}


def source_of(finding: TrialFinding) -> str | None:
    return finding.observation.value.source if finding.observation.value else None


@pytest.mark.feature("B-06")
def test_exploring_twice_gives_the_very_same(explorations: list[Exploration]) -> None:
    assert explorations[0] == explorations[1]


@pytest.mark.feature("B-02")
def test_an_example_that_holds_agrees_and_one_that_does_not_is_a_contradiction(
    findings: dict[str, TrialFinding],
) -> None:
    assert findings["grade(95)"].agrees is True
    assert findings["grade(95)"].contradicts is None
    assert findings["grade(10)"].agrees is False
    assert findings["grade(10)"].contradicts == "'E'"
    assert source_of(findings["grade(10)"]) == "'F'"


def test_exceptions_on_purpose_are_found_and_accidents_are_not(findings: dict[str, TrialFinding]) -> None:
    raised = findings["grade(-1)"].observation.raised
    assert raised is not None
    assert (raised.type_name, raised.message) == ("ValueError", "negative")
    assert "grade('x')" not in findings


@pytest.mark.feature("B-11")
@pytest.mark.parametrize("act", ["today()", "flip()", "local_hour()", "process()"])
def test_what_clock_chance_zone_and_process_decide_is_never_pinned(findings: dict[str, TrialFinding], act: str) -> None:
    if act in findings:
        assert "result" in findings[act].unstable
        assert source_of(findings[act]) is None


def test_values_that_hold_a_time_or_an_id_keep_their_type(findings: dict[str, TrialFinding]) -> None:
    for act in ("stamp('a')", "token('a')"):
        assert findings[act].unstable
        assert source_of(findings[act]) is None
        value = findings[act].observation.value
        assert value is not None
        assert (value.type_name, value.text) in (("dict", ""), ("str", ""))


def test_an_order_that_hash_seeds_decide_is_marked(findings: dict[str, TrialFinding]) -> None:
    value = findings["order()"].observation.value
    assert value is not None
    assert value.unordered


def test_what_earlier_calls_decide_is_never_pinned(findings: dict[str, TrialFinding]) -> None:
    assert not [finding for finding in findings.values() if finding.trial.subject == "remember" and source_of(finding)]


def test_iterators_are_read_through(findings: dict[str, TrialFinding]) -> None:
    assert findings["count(3)"].trial.mode == "iterate"
    assert source_of(findings["count(3)"]) == "[0, 1, 2]"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("download", "needs network"),
        ("spin", "ran out of time"),
        ("needs_package", "package_nobody_has"),
        ("Broken.use", "RuntimeError: cannot be"),
    ],
)
@pytest.mark.feature("B-06")
def test_every_callable_left_out_has_its_reason(unreached: dict[str, str], name: str, words: str) -> None:
    assert words in unreached[name]


def test_new_arcs_are_counted_once_and_reached_ones_are_possible(explorations: list[Exploration]) -> None:
    exploration = explorations[0]
    new = [arc for finding in exploration.findings for arc in finding.new_arcs]
    assert len(new) == len(set(new))
    assert set(new) <= exploration.reached_arcs <= exploration.possible_arcs


def test_the_package_that_is_missing_is_noted(explorations: list[Exploration]) -> None:
    assert any("package_nobody_has" in note for note in explorations[0].notes)


def test_the_budget_bounds_the_trials(tmp_path: Path) -> None:
    source = "def f(n):\n    return n + 1\n"
    trials = [trial(f"f({number})") for number in range(200)]
    (exploration,) = explored(tmp_path, source, trials, budget=ExplorationBudget(trials=20))
    assert exploration.trials == 20
    assert exploration.findings


@pytest.mark.feature("B-05")
@pytest.mark.parametrize(
    ("source", "message", "advice"),
    [
        ("import package_nobody_has\n", "No module named 'package_nobody_has'", "Install the package"),
        ("import shop.nowhere\n", "shop.nowhere", "part of the project"),
        ("1 / 0\n", "ZeroDivisionError: division by zero (src/shop/cart.py line 1: 1 / 0)", "by hand"),
        ("raise SystemExit(0)\n", "SystemExit", "__main__"),
        ("open('/escaped.txt', 'w')\n", "refused", "out of module level"),
    ],
)
def test_a_failing_import_is_reported_with_line_and_advice(
    tmp_path: Path, source: str, message: str, advice: str
) -> None:
    async def check() -> None:
        async with prepared(tmp_path, files(source)) as target, open_observer(target, facts_of(target), Conditions()):
            pass

    with pytest.raises(TargetImportError) as caught:
        asyncio.run(check())
    assert caught.value.message.startswith("shop.cart does not import: ")
    assert message in caught.value.message
    assert advice in caught.value.advice
    assert str(tmp_path) not in caught.value.message


@pytest.mark.feature("B-05")
def test_importing_the_target_reports_the_arcs_that_ran(tmp_path: Path) -> None:
    async def check() -> None:
        async with (
            prepared(tmp_path, files("A = 1\nB = 2\n")) as target,
            open_observer(target, facts_of(target), Conditions()) as observer,
        ):
            assert observer.facts.module == "shop.cart"
            assert (1, 2) in observer.import_arcs

    asyncio.run(check())


def test_a_file_that_vanished_is_a_project_error(tmp_path: Path) -> None:
    async def run() -> None:
        async with prepared(tmp_path, files("A = 1\n")) as target:
            facts = facts_of(target)
            (target.snapshot.path / PATH).unlink()
            await explore(target, facts, Listed([]))

    with pytest.raises(ProjectError, match="cannot be read"):
        asyncio.run(run())
