"""What the worker tells of trials, good and bad (B-06)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from coverage.parser import PythonParser

from testwright.engine.python.model.model import Observation
from testwright.engine.python.search.observer import open_observer
from testwright.tests.support.engine.exploration import facts_of, files, trial, watched
from testwright.tests.support.engine.targets import prepared

SOURCE = """
import asyncio
import os
import sys
import threading
import time
import warnings
from dataclasses import dataclass

CACHE = []


class Cart:
    def __init__(self):
        self.items = []
        self._total = 0

    @property
    def total(self):
        return self._total

    def __len__(self):
        return len(self.items)

    def add(self, name, quantity):
        if quantity <= 0:
            raise ValueError("quantity %d" % quantity)
        self.items.append(name)
        self._total += quantity


class Managed:
    def __enter__(self):
        return "inside"

    def __exit__(self, *_):
        print("left")


def countdown(start):
    while start > 0:
        yield start
        start -= 1


async def double(value):
    await asyncio.sleep(0)
    return value * 2


async def letters(text):
    for one in text:
        yield one


def spin():
    while True:
        pass


def stubborn():
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass


def nap():
    time.sleep(1000)


def devour():
    return bytearray(10**11)


def crash():
    os.kill(os.getpid(), 11)


def escape(path):
    path.joinpath("out.txt").write_text("text")
    return path / "out.txt"


def trespass():
    with open("/escaped.txt", "w") as file:
        file.write("x")


def connect():
    import socket

    socket.create_connection(("192.0.2.1", 80))


def launch():
    os.system("true")


def ask():
    return input("name? ")


def leave_thread():
    threading.Thread(target=time.sleep, args=(60,)).start()


def hello():
    os.write(1, b"not the protocol\\n")
    print("hello")
    warnings.warn("old", DeprecationWarning)


def leave():
    sys.exit(3)


def remember(value):
    CACHE.append(value)
    return len(CACHE)


def chdir():
    os.chdir("/")
    os.environ["CHANGED"] = "1"


def where():
    return os.getcwd() == "/", os.environ.get("CHANGED")


def here():
    return __file__


@dataclass(frozen=True)
class Place:
    path: str

    def tidy(self):
        return Place(self.path.rstrip("/"))

    def __truediv__(self, other):
        return Place(self.path + other)

    def nearer(self, other):
        return Place(min(self.path, other.path)[:5])

    @property
    def end(self):
        return Place(self.path[-1:])
"""
TRIALS = [
    trial("cart.add('apple', 2)", "cart = Cart()", subject="Cart.add"),
    trial("cart.add('apple', 0)", "cart = Cart()", subject="Cart.add"),
    trial("countdown(3)", mode="iterate"),
    trial("double(4)", mode="await"),
    trial("letters('ab')", mode="aiterate"),
    trial("Managed()", mode="enter"),
    trial("spin()"),
    trial("stubborn()"),
    trial("nap()"),
    trial("devour()"),
    trial("crash()"),
    trial("escape(tmp_path)", fixtures=("tmp_path",)),
    trial("trespass()"),
    trial("connect()"),
    trial("launch()"),
    trial("ask()"),
    trial("leave_thread()"),
    trial("hello()"),
    trial("leave()"),
    trial("remember('x')", "x = unknown_name", subject="remember"),
    trial("chdir()"),
    trial("where()"),
    trial("here()"),
    trial("1 / 0", subject="remember"),
    trial("result.append(1)", "result = [0]", subject="remember"),
    trial("not valid python"),
    trial("place.tidy()", "place = Place('a/')", subject="Place.tidy"),
    trial("plain.tidy()", "plain = Place('a')", subject="Place.tidy"),
    trial("repr(plain.tidy())", "plain = Place('a')", subject="Place.tidy"),
    trial("plain.end.tidy()", "plain = Place('bar')", subject="Place.tidy"),
    trial("tidy / ''", "tidy = Place('a')", subject="Place.__truediv__"),
    trial("tidy / 'b'", "tidy = Place('a')", subject="Place.__truediv__"),
    trial("place.nearer(Place('a'))", "place = Place('bar')", subject="Place.nearer"),
    trial("place.nearer(other)", "place = Place('bar')", "other = Place('a')", subject="Place.nearer"),
    trial("place.nearer(Place('apples'))", "place = Place('bar')", subject="Place.nearer"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Observation]:
    return watched(tmp_path_factory.mktemp("observed"), SOURCE, TRIALS)


def test_effects_on_arranged_names_are_told_with_their_values(seen: Mapping[str, Observation]) -> None:
    added = seen["cart.add('apple', 2)"]
    assert added.outcome == "returned"
    assert {name: value.source for name, value in added.effects} == {
        "cart.items": "['apple']",
        "cart.total": "2",
        "len(cart)": "1",
    }


def test_a_result_that_equals_the_object_that_was_asked_is_told(seen: Mapping[str, Observation]) -> None:
    told = {act: value.unchanged for act, one in seen.items() if "tidy" in act and (value := one.value) is not None}
    assert told.pop("tidy / 'b'") is told.pop("place.tidy()") is False
    assert set(told) == {"plain.tidy()", "repr(plain.tidy())", "plain.end.tidy()", "tidy / ''"}
    assert all(told.values())


@pytest.mark.parametrize(
    ("act", "given_back"),
    [("place.nearer(Place('a'))", True), ("place.nearer(other)", True), ("place.nearer(Place('apples'))", False)],
)
def test_a_result_that_equals_an_object_that_was_passed_is_told(
    seen: Mapping[str, Observation], act: str, given_back: bool
) -> None:
    value = seen[act].value
    assert value is not None
    assert value.unchanged is given_back


def test_an_exception_is_told_with_type_message_and_line(seen: Mapping[str, Observation]) -> None:
    refused = seen["cart.add('apple', 0)"]
    assert refused.outcome == "raised"
    assert refused.raised is not None
    assert (refused.raised.type_name, refused.raised.message) == ("ValueError", "quantity 0")
    assert SOURCE.splitlines()[refused.raised.line - 1].strip().startswith("raise ValueError")
    assert "Exception" in refused.raised.bases
    assert not refused.effects


def test_comparisons_are_told_with_both_sides(seen: Mapping[str, Observation]) -> None:
    ((line, left, right),) = seen["cart.add('apple', 2)"].operands
    assert (left, right) == ("2", "0")
    assert "quantity <= 0" in SOURCE.splitlines()[line - 1]


@pytest.mark.parametrize("act", ["cart.add('apple', 2)", "cart.add('apple', 0)", "countdown(3)", "double(4)"])
def test_arcs_are_those_coverage_knows(seen: Mapping[str, Observation], act: str) -> None:
    parser = PythonParser(text=SOURCE)
    parser.parse_source()
    inner = {arc for arc in seen[act].arcs if arc[0] > 0}
    assert inner
    assert inner <= parser.arcs()


def test_a_generator_neither_leaves_nor_enters_when_it_yields(seen: Mapping[str, Observation]) -> None:
    arcs = seen["countdown(3)"].arcs
    assert len([arc for arc in arcs if arc[0] < 0]) == 1
    assert len([arc for arc in arcs if arc[1] < 0]) == 1


@pytest.mark.parametrize(
    ("act", "source"),
    [
        ("countdown(3)", "[3, 2, 1]"),
        ("double(4)", "8"),
        ("letters('ab')", "['a', 'b']"),
        ("Managed()", "'inside'"),
    ],
)
def test_the_mode_says_what_is_done_with_the_result(seen: Mapping[str, Observation], act: str, source: str) -> None:
    value = seen[act].value
    assert value is not None
    assert value.source == source


@pytest.mark.feature("B-06")
@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        ("spin()", "timed_out"),
        ("stubborn()", "timed_out"),
        ("nap()", "timed_out"),
        ("devour()", "out_of_memory"),
        ("crash()", "crashed"),
        ("trespass()", "refused"),
        ("connect()", "refused"),
        ("launch()", "refused"),
        ("ask()", "refused"),
        ("leave_thread()", "refused"),
        ("remember('x')", "arrange_failed"),
        ("not valid python", "arrange_failed"),
    ],
)
def test_a_bad_trial_costs_only_itself(seen: Mapping[str, Observation], act: str, outcome: str) -> None:
    assert seen[act].outcome == outcome


def test_output_and_warnings_of_the_act_are_told(seen: Mapping[str, Observation]) -> None:
    hello = seen["hello()"]
    assert hello.output == "hello\n"
    assert hello.warnings == (("DeprecationWarning", "old"),)


def test_leaving_the_program_is_an_exception_like_any_other(seen: Mapping[str, Observation]) -> None:
    raised = seen["leave()"].raised
    assert raised is not None
    assert (raised.type_name, raised.message) == ("SystemExit", "3")


def test_folder_and_environment_are_put_back_between_trials(seen: Mapping[str, Observation]) -> None:
    value = seen["where()"].value
    assert value is not None
    assert value.source == "(False, None)"


def test_files_are_named_through_tmp_path_and_their_text_is_an_effect(seen: Mapping[str, Observation]) -> None:
    written = seen["escape(tmp_path)"]
    assert written.value is not None
    assert written.value.source == "tmp_path / 'out.txt'"
    ((expression, value),) = written.effects
    assert expression.startswith("(tmp_path / 'out.txt').read_text(")
    assert value.source == "'text'"


def test_the_workspace_never_shows_in_a_value(seen: Mapping[str, Observation]) -> None:
    value = seen["here()"].value
    assert value is not None
    assert value.source is None
    assert "/src/shop/cart.py" in value.text
    assert "project" not in value.text.partition("/src")[0]


def test_an_exception_outside_the_target_has_no_line(seen: Mapping[str, Observation]) -> None:
    raised = seen["1 / 0"].raised
    assert raised is not None
    assert raised.line == 0


def test_an_arranged_name_called_result_stays_its_own(seen: Mapping[str, Observation]) -> None:
    assert [(name, value.source) for name, value in seen["result.append(1)"].effects] == [("result", "[0, 1]")]


def test_a_target_with_old_bytecode_and_names_like_ours_is_watched_all_the_same(tmp_path: Path) -> None:
    source = "import guard, observe, mutants\n\ndef names():\n    return guard.WHO, observe.WHO, mutants.WHO\n"
    others = {
        "src/guard.py": "WHO = 'mine'\n",
        "src/observe/__init__.py": "WHO = 'mine too'\n",
        "src/mutants.py": "WHO = 'mine as well'\n",
    }

    async def watch() -> Observation:
        async with (
            prepared(tmp_path, files(source, others)) as target,
            open_observer(target, facts_of(target)) as observer,
        ):
            assert observer.python[:2] == sys.version_info[:2]
            return (await observer.observe([trial("names()")]))[0]

    value = asyncio.run(watch()).value
    assert value is not None
    assert value.source == "('mine', 'mine too', 'mine as well')"


def test_what_texts_begin_with_is_told_with_both_sides(tmp_path: Path) -> None:
    source = """
TABLE = {str(number): number for number in range(50)}


def kind(text, at):
    return 1 if text.startswith("-", at) else 2


def known(text):
    return text in TABLE


class Odd:
    def startswith(self, *what):
        return what


def odd():
    return Odd().startswith("a", 1)
"""
    trials = [trial("kind('a=b', 1)"), trial("kind(b'ax', 0)"), trial("known('zz')"), trial("odd()")]
    found = watched(tmp_path, source, trials)
    assert found["kind('a=b', 1)"].operands == ((6, "'='", "'-'"),)
    assert found["known('zz')"].operands == ((10, "'zz'", "('0', '1', '10', '11',)"),)
    raised = found["kind(b'ax', 0)"].raised
    assert raised is not None
    assert (raised.type_name, raised.line) == ("TypeError", 6)
    value = found["odd()"].value
    assert value is not None
    assert value.source == "('a', 1)"
