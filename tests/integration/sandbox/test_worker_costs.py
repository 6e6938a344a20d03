"""What the worker does at every call, comparison and trial: as little as it can, and still all of it (T-16)."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("T-16")


def rendering() -> Any:
    """What writes values, with the files beside it that it imports."""
    return worker_module("observe.values")


SOURCE = """
def twice(number):
    if number:
        return number * 2
    return 0


def counting(most):
    for one in range(most):
        yield one
"""


def functions(path: Path, **names: object) -> tuple[Any, dict[str, Any]]:
    """The code of a module at a path, and its namespace."""
    code = compile(SOURCE, str(path), "exec")
    namespace: dict[str, Any] = dict(names)
    exec(code, namespace)
    return code, namespace


@pytest.mark.parametrize(
    "names",
    [
        pytest.param({}, id="a namespace that tells no file"),
        pytest.param({"__file__": "here"}, id="its own file"),
        pytest.param({"__file__": "elsewhere"}, id="a link to its file"),
        pytest.param({"__file__": 5}, id="what is no file"),
    ],
)
def test_code_of_the_target_is_traced_whatever_its_module_says_of_its_file(
    tmp_path: Path, names: dict[str, object]
) -> None:
    path = tmp_path / "target.py"
    places = {"here": str(path), "elsewhere": str(tmp_path / "linked" / "target.py")}
    named = {name: places.get(str(value), value) for name, value in names.items()}
    code, namespace = functions(path, **named)
    tracing = worker_module("observe.trace")
    with tracing.open_tracer(code, 1000) as tracer:
        namespace["twice"](1)
        list(namespace["counting"](2))
    assert {(-2, 3), (3, 4), (4, -2)} <= tracer.arcs
    assert {(-8, 9), (9, 10), (10, 9), (9, -8)} <= tracer.arcs
    assert (10, -8) not in tracer.arcs  # it only stopped there in between
    with tracing.open_counter(code, 1000) as counter:
        namespace["twice"](1)
        list(namespace["counting"](2))
    assert counter.steps == tracer.steps


def test_functions_of_other_files_are_not_traced_nor_lines_that_run_while_it_is_stopped(tmp_path: Path) -> None:
    code, namespace = functions(tmp_path / "target.py")
    _, others = functions(tmp_path / "other.py", __file__=str(tmp_path / "other.py"))
    tracing = worker_module("observe.trace")
    with tracing.open_tracer(code, 1000) as tracer:
        for _ in range(2):
            others["twice"](1)
        tracer.stop()
        namespace["twice"](1)
        tracer.start()
    assert tracer.arcs == set()
    assert tracer.steps == 0
    assert sys.gettrace() is None


def test_threads_of_a_trial_are_traced_too(tmp_path: Path) -> None:
    code, namespace = functions(tmp_path / "target.py")
    with worker_module("observe.trace").open_tracer(code, 1000) as tracer:
        thread = threading.Thread(target=namespace["twice"], args=(1,))
        thread.start()
        thread.join()
    assert (3, 4) in tracer.arcs


COMPARED: list[tuple[str, Callable[[Any, Any], object]]] = [
    ("Eq", lambda one, other: one == other),
    ("NotEq", lambda one, other: one != other),
    ("Lt", lambda one, other: one < other),
    ("LtE", lambda one, other: one <= other),
    ("Gt", lambda one, other: one > other),
    ("GtE", lambda one, other: one >= other),
]


@pytest.mark.parametrize(("name", "plain"), COMPARED)
def test_a_comparison_answers_as_its_operator_does_and_is_noted(name: str, plain: Callable[[Any, Any], object]) -> None:
    importing = worker_module("observe.importing")
    operands = importing.Operands()
    compare = importing._comparers(operands)[name]
    for one, other in ((1, 2), (2, 1), (2, 2)):
        assert compare(7, one, other) is plain(one, other)
    assert operands == []
    operands.on = True
    assert compare(7, 1, 2) is plain(1, 2)
    assert compare(7, 1, 2) is plain(1, 2)
    assert operands == [(7, "1", "2")]


def test_membership_notes_a_small_container_and_some_of_a_large_one() -> None:
    importing = worker_module("observe.importing")
    operands = importing.Operands()
    operands.on = True
    compare = importing._comparers(operands)
    assert compare["In"](3, 2, [1, 2]) is True
    assert compare["NotIn"](4, 2, set(range(100))) is False
    assert operands == [(3, "2", "(1, 2,)"), (4, "2", "(0, 1, 10, 11,)")]


def test_what_is_full_notes_no_more_until_the_next_trial() -> None:
    importing = worker_module("observe.importing")
    operands = importing.Operands()
    operands.on = True
    equal = importing._comparers(operands)["Eq"]
    answers = [equal(1, number, 0) for number in range(importing.MAX_OPERANDS + 20)]
    assert answers == [number == 0 for number in range(importing.MAX_OPERANDS + 20)]
    assert len(operands) == importing.MAX_OPERANDS
    assert not operands.on


def test_a_listener_hears_of_what_the_guard_lets_pass_and_of_nothing_it_refuses() -> None:
    guarding = worker_module("guard")
    guard = guarding.Guard({"network": "none"})
    heard: list[str] = []
    for event in ("socket.connect", "socket.__new__"):
        guard.tell(event, lambda event, _arguments: heard.append(event))
    hook = guard.hook()
    hook("socket.__new__", (None, 2, 1, 0))
    hook("object.__getattr__", (None, "f_code"))
    with pytest.raises(guarding.Refused):
        hook("socket.connect", (None, ("192.0.2.1", 80)))
    assert heard == ["socket.__new__"]
    assert [event for event, _ in guard.refusals] == ["socket.connect"]


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not say")
def test_waiting_for_a_processor_is_read_anew_also_after_the_descriptor_was_closed() -> None:
    limits = worker_module("observe.limits")
    waiting = limits.Waiting()
    before = limits.starved_seconds()
    first = waiting.seconds()
    assert before <= first <= limits.starved_seconds()
    assert waiting.descriptor >= limits.LOWEST_DESCRIPTOR
    os.close(waiting.descriptor)
    again = waiting.seconds()
    assert first <= again <= limits.starved_seconds()
    assert waiting.seconds() >= again
    os.close(waiting.descriptor)


def test_chance_begins_anew_for_each_trial_and_tells_whether_it_was_used() -> None:
    import random

    state = random.getstate()
    try:
        chance = worker_module("observe.clock").SeededRandomness()
        drawn = []
        for seed in (1, 1, 2, 1):
            chance.reseed(seed)
            assert not chance.was_used()
            drawn.append(random.random())
            assert chance.was_used()
        assert drawn[0] == drawn[1] == drawn[3] != drawn[2]
    finally:
        random.setstate(state)


@pytest.mark.parametrize(
    ("thing", "source"),
    [
        ([1, "a", None, {"b": (2.5, b"c")}], "[1, 'a', None, {'b': (2.5, b'c')}]"),
        ([float("inf")], "[float('inf')]"),
        ({3, 1}, "{1, 3}"),
        ([float("nan")], "[float('nan')]"),
        (10**400, None),
        (["at 0x7f00a1b4dc60"], None),
        (["/home/of/theirs/file"], None),
    ],
)
def test_plain_values_are_written_as_they_are_and_places_of_ours_never(thing: object, source: str | None) -> None:
    values = rendering()
    told = values.Renderer({}, "shop", ["/home/of/theirs"]).value(thing)
    assert told.get("s") == source
    assert "0x7f" not in told["x"]
    assert "/home/of/theirs" not in told["x"]


def test_a_name_that_a_trial_binds_to_something_else_is_no_way_to_write_a_set() -> None:
    values = rendering()
    renderer = values.Renderer({"set": list, "float": str}, "shop", [])
    assert "s" not in renderer.value(set())
    assert "s" not in renderer.value([float("inf")])
    assert renderer.value([])["s"] == "[]"
