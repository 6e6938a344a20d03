"""Warnings, standard error, exit codes and files: what a call says besides its result is told too (B-02)."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.judge.comparison import stable_part
from testwright.engine.python.model.model import Exploration, Observation, Raised
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import MODULE, PATH, explored, trial
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

SOURCE = """
import logging
import sys
import warnings


def nag(text):
    warnings.warn(text + " is old", DeprecationWarning, stacklevel=2)


def nag_twice(level):
    warnings.warn("first of all", UserWarning, stacklevel=2)
    warnings.warn("second thing", FutureWarning, stacklevel=2)
    return level


def old(number):
    warnings.warn("old is deprecated", DeprecationWarning, stacklevel=2)
    raise ValueError("no more of " + str(number) + " here")


def older(number):
    warnings.warn("older goes soon", PendingDeprecationWarning, stacklevel=2)
    warnings.warn("older is slow", ImportWarning, stacklevel=2)
    raise LookupError("nothing found")


def quit_old(code):
    print("quitting")
    warnings.warn("use leave", BytesWarning, stacklevel=2)
    raise SystemExit(code)


def usage(code):
    print("usage: tool FILE")
    raise SystemExit(code)


def complain(text):
    print("to all")
    print("error: " + text, file=sys.stderr)


def own_name():
    print(sys.argv[0], file=sys.stderr)
    return 1


def log(text):
    logging.warning(text)
    return 2


def write_blob(path):
    with open(path, "wb") as out:
        out.write(b"\\xff\\x00")
"""
CALLS = [
    trial('nag("abc")'),
    trial("nag_twice(3)"),
    trial("old(3)"),
    trial("older(3)"),
    trial("quit_old(4)"),
    trial("usage(3)"),
    trial('complain("no")'),
    trial("own_name()"),
    trial('log("x")'),
    trial('write_blob(tmp_path / "blob")', fixtures=("tmp_path",)),
]
TRIALS = [replace(call, imports=(f"from {MODULE} import {call.subject}",)) for call in CALLS]
TOLD = {
    "pytest": [
        'with pytest.warns(DeprecationWarning, match="abc is old"):',
        'pytest.warns(UserWarning, match="first of all"),',
        'pytest.warns(FutureWarning, match="second thing"),',
        'pytest.warns(DeprecationWarning, match="old is deprecated"),',
        'pytest.warns(BytesWarning, match="use leave"),',
        "pytest.raises(SystemExit) as raised,",
        "assert raised.value.code == 4",
        "with pytest.raises(SystemExit) as raised:",
        "assert raised.value.code == 3",
        'assert capsys.readouterr().out == "usage: tool FILE\\n"',
        'assert printed.err == "error: no\\n"',
        'assert printed.out == "to all\\n"',
        "assert own_name() == 1",
        'assert log("x") == 2',
        'assert (tmp_path / "blob").read_bytes() == b"\\xff\\x00"',
    ],
    "unittest": [
        'with self.assertWarnsRegex(DeprecationWarning, "abc is old"):',
        "with warnings.catch_warnings(record=True) as caught:",
        "one.category is FutureWarning and",
        'self.assertWarnsRegex(DeprecationWarning, "old is deprecated"),',
        'self.assertWarnsRegex(BytesWarning, "use leave"),',
        "self.assertEqual(raised.exception.code, 4)",
        "with self.assertRaises(SystemExit) as raised:",
        "self.assertEqual(raised.exception.code, 3)",
        'self.assertEqual(output.getvalue(), "usage: tool FILE\\n")',
        'self.assertEqual(printed_errors.getvalue(), "error: no\\n")',
        'self.assertEqual(log("x"), 2)',
        'self.assertEqual((tmp_path / "blob").read_bytes(), b"\\xff\\x00")',
    ],
}


@pytest.fixture(scope="module")
def exploration(tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    return explored(tmp_path_factory.mktemp("said"), SOURCE, TRIALS, budget=ExplorationBudget(trials=len(TRIALS)))[0]


@pytest.mark.parametrize("framework", list(TOLD))
@pytest.mark.feature("B-02")
def test_what_a_call_says_is_asserted_and_holds(exploration: Exploration, framework: str, tmp_path: Path) -> None:
    text = render(compose_spec(exploration, framework=framework), framework)
    assert [line for line in TOLD[framework] if line not in text] == []
    _passes(text, framework, tmp_path)


@pytest.mark.parametrize("framework", list(TOLD))
@pytest.mark.feature("B-02")
def test_the_tests_hold_where_warnings_are_errors_too(exploration: Exploration, framework: str, tmp_path: Path) -> None:
    text = render(compose_spec(exploration, framework=framework), framework)
    _passes(text, framework, tmp_path, "-W", "error")


def _passes(text: str, framework: str, folder: Path, *options: str, source: str = SOURCE) -> None:
    (folder / "shop").mkdir()
    (folder / "shop/__init__.py").touch()
    (folder / "shop" / Path(PATH).name).write_text(source)
    (folder / "test_said.py").write_text(text)
    runner = ["pytest", "-q", "-p", "no:cacheprovider"] if framework == "pytest" else ["unittest", "test_said"]
    command = [sys.executable, *options, "-m", *runner]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **WITHOUT_PLUGINS}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _raised(message: str, code: str | None = None) -> Observation:
    return Observation("raised", raised=Raised("ValueError", message, 3, code=code))


@pytest.mark.parametrize(
    ("first", "second", "kept", "unstable"),
    [
        ("closed at 17.5", "closed at 18.25", "closed at ", ()),
        ("no", "yes", "", ("message",)),
        ("17 apples", "18 apples", "", ("message",)),
        ("the same", "the same", "the same", ()),
    ],
)
@pytest.mark.feature("B-11")
def test_the_stable_beginning_of_a_message_stays(first: str, second: str, kept: str, unstable: tuple[str, ...]) -> None:
    found = stable_part(_raised(first), [_raised(second), _raised(second)])
    assert found is not None
    assert found.observation.raised is not None
    assert found.observation.raised.message == kept
    assert found.unstable == unstable


def test_an_exit_code_that_differs_is_left_out() -> None:
    found = stable_part(_raised("a", "1"), [_raised("a", "2")])
    assert found is not None
    assert found.unstable == ("code",)


GUESTS = """
class Guests:
    def __init__(self):
        self.count = 0

    def greet(self, name):
        self.count += 1
        print("guest", self.count, name)
"""


@pytest.mark.parametrize("framework", list(TOLD))
@pytest.mark.feature("B-02")
def test_what_preparing_statements_print_is_no_output_of_the_call(framework: str, tmp_path: Path) -> None:
    second = trial(
        'guests.greet("Bob")',
        "guests = Guests()",
        'guests.greet("Ada")',
        subject="Guests.greet",
        source="doctest",
        imports=(f"from {MODULE} import Guests",),
    )
    found = explored(tmp_path / "explored", GUESTS, [second], budget=ExplorationBudget(trials=1))[0]

    text = render(compose_spec(found, framework=framework), framework)

    assert "guest 2 Bob" in text
    assert ("capsys.readouterr()\n\n" in text) == (framework == "pytest")
    _passes(text, framework, tmp_path, source=GUESTS)
