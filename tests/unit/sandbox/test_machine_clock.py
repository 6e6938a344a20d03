"""The clock of load tests leaves out what no program of the machine had a part in."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from testwright.tests.support.projects.files import ROOT

pytestmark = pytest.mark.feature("T-20")
SOURCE = ROOT / "sandbox" / "worker" / "http" / "load_traffic.py"


@pytest.fixture(scope="module")
def clock_class() -> Any:
    """The class alone: its module needs Locust."""
    wanted = [
        node
        for node in ast.parse(SOURCE.read_text("utf-8")).body
        if (isinstance(node, ast.ClassDef) and node.name == "MachineClock")
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LONGEST_BEAT")
        or (isinstance(node, ast.Import) and node.names[0].name == "time")
    ]
    space: dict[str, Any] = {"Any": Any}
    exec(compile(ast.Module([*wanted], []), str(SOURCE), "exec"), space)
    return space["MachineClock"]


def test_a_standstill_is_left_out_as_soon_as_it_is_over(clock_class: Any) -> None:
    now = [100.0]
    clock = clock_class(lambda: now[0])
    began = clock.now()
    clock.beat()
    now[0] += 5.25
    assert clock.now() - began == pytest.approx(0.25)  # whoever looks first, sees it
    clock.beat()
    assert clock.now() - began == pytest.approx(0.25)
    assert clock.lost() == pytest.approx(5.0)


def test_beats_of_a_busy_machine_leave_nothing_out(clock_class: Any) -> None:
    now = [0.0]
    clock = clock_class(lambda: now[0])
    for _ in range(10):
        clock.beat()
        now[0] += 0.2
    assert clock.now() == pytest.approx(2.0)


def test_it_goes_on_like_any_other_without_beats(clock_class: Any) -> None:
    now = [0.0]
    clock = clock_class(lambda: now[0])
    now[0] += 5.0
    assert clock.now() == 5.0
    clock.beat()
    now[0] += 1.0
    clock.stop_beating()
    before = clock.now()
    now[0] += 7.0
    assert clock.now() - before == pytest.approx(7.0)
