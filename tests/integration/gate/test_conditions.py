"""Each condition of the gate, proven by a test file that depends on exactly that, in both frameworks."""

from __future__ import annotations

import asyncio
import datetime
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest

from testwright.gate.model.conditions import BESIDE, CONDITIONS, ORDER, TITLES, conditions_of
from testwright.gate.model.options import Framework
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget

pytestmark = pytest.mark.feature("B-11")

PATH = "tests/generated/test_cart.py"
# Tests may change what they like here: that alone would be reason enough to drop them.
ANYWHERE = VerifyOptions(confined=False)
HEAD = """
import datetime, getpass, gettext, locale, os, pathlib, shutil, socket, tempfile, time, warnings
from shop.cart import SEEN, mark, total
"""
# All conditions and the other order at once, or spread over the usual repeats: what is found is the same, and where
# each start of the runner takes long there are fewer of them.
REPEATS = [pytest.param("pytest", 1, id="pytest"), pytest.param("unittest", ANYWHERE.repeats, id="unittest")]
# What one test depends on, the body of a test that depends on exactly that, and what is said of it.
DEPENDING = {
    "hash_seed": ("assert hash('apple') == HASH", "the order of sets or hashes"),
    "working_directory": ("assert os.path.isfile('src/shop/cart.py')", "depends on the current working directory"),
    "locale": ("assert wished_point() == '.'", "depends on the locale"),
    "encoding": (
        "path = pathlib.Path(tempfile.mkdtemp(), 'x')\npath.write_text('\\u00e9')\nassert path.read_text()",
        "the encoding of the locale",
    ),
    "time_zone": ("assert time.localtime(0).tm_hour == 0", "depends on the time zone"),
    "clock": ("assert datetime.datetime.now().year == YEAR", "the date or time at which it runs"),
    "running_clock": (
        "real, began = time.clock_gettime(time.CLOCK_MONOTONIC), time.monotonic()\n"
        "assert datetime.date.today() == datetime.date.today()\n"
        "assert time.monotonic() - began < time.clock_gettime(time.CLOCK_MONOTONIC) - real + 0.9",
        "how much time passes while it runs: it fails after a pause",
    ),
    "home": ("assert ' ' not in str(pathlib.Path.home())", "depends on the home folder: what lies there, or its path"),
    "read_only_home": (
        "probe = pathlib.Path.home() / 'probe'\nprobe.touch()\nprobe.unlink()",
        "depends on a home folder that can be written",
    ),
    "xdg": ("assert 'XDG_CACHE_HOME' not in os.environ", "depends on where the XDG folders are"),
    "user": ("assert getpass.getuser() == 'tester'", "depends on the name of the user who runs it"),
    "nonsense_variables": (
        "assert os.environ.get('SHOP_MODE', 'plain') == 'plain'",
        "depends on environment variables that it does not set itself",
    ),
    "no_terminal": ("assert shutil.get_terminal_size().columns == 80", "depends on the terminal: its width, or"),
    "warnings": ("warnings.warn('old', DeprecationWarning)", "depends on warnings being ignored: the code under test"),
    "again": ("open('left-behind.txt', 'x').close()", "it does not pass a second time"),
    "beside_itself": (
        "path = pathlib.Path(tempfile.gettempdir(), 'report.txt')\n"
        "path.write_text('mine')\nassert path.read_text() == 'mine'\npath.unlink()",
        "it fails when the suite runs twice at the same time: both runs use report.txt in the folder for temporary",
    ),
}
HELPERS = """
def wished_point():
    try:
        locale.setlocale(locale.LC_ALL, '')
        return locale.localeconv()['decimal_point']
    finally:
        locale.setlocale(locale.LC_NUMERIC, 'C')
"""
HARMLESS = "assert total(3, 2) == 6"
# Waiting, pickling and asking for the clock's type are nobody's fault.
PATIENT = """
import asyncio, copy, pickle, queue, threading
assert pickle.loads(pickle.dumps(time.monotonic)) is copy.deepcopy(time.monotonic)
created = datetime.datetime.now()
until = time.monotonic() + 600
while time.monotonic() < until and datetime.datetime.now() - created < datetime.timedelta(milliseconds=20):
    time.sleep(0.001)
assert time.monotonic() < until

async def wait():
    await asyncio.wait_for(asyncio.sleep(0.01), 200)
    return type(datetime.datetime.now()) is datetime.datetime

assert asyncio.run(wait())
assert threading.Event().wait(0.001) is False
assert created <= datetime.datetime.now()
"""


def file_of(bodies: dict[str, str], framework: Framework) -> str:
    """A test file with a function or method for each body."""
    if framework == "pytest":
        tests = "\n\n".join(f"def test_{name}():\n{textwrap.indent(body, '    ')}" for name, body in bodies.items())
        return HEAD + HELPERS + "\n\n" + tests + "\n"
    tests = "\n\n".join(
        f"    def test_{name}(self):\n{textwrap.indent(body, '        ')}" for name, body in bodies.items()
    )
    return "import unittest\n" + HEAD + HELPERS + "\n\nclass TestCart(unittest.TestCase):\n" + tests + "\n"


def hash_of_apple() -> str:
    code = "print(hash('apple'), end='')"
    ran = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "0"}, check=True, capture_output=True)
    return ran.stdout.decode()


@pytest.mark.feature("B-17")
@pytest.mark.parametrize(("framework", "repeats"), REPEATS)
async def test_what_each_test_depends_on_is_named_and_nothing_else(
    shop: PythonTarget, framework: Framework, repeats: int
) -> None:
    bodies = {name: body for name, (body, _) in DEPENDING.items()} | {"harmless": HARMLESS, "patient": PATIENT}
    source = file_of(bodies, framework).replace("HASH", await asyncio.to_thread(hash_of_apple))
    source = source.replace("YEAR", str(datetime.datetime.now(datetime.UTC).year))

    verification = await verify_files(
        shop, {PATH: source}, framework=framework, options=replace(ANYWHERE, repeats=repeats)
    )

    assert [verdict.name for verdict in verification.kept] == ["test_harmless", "test_patient"]
    found = {verdict.name.removeprefix("test_"): verdict for verdict in verification.dropped}
    assert {name: verdict.causes for name, verdict in found.items()} == {name: (name,) for name in DEPENDING}
    for name, (_, said) in DEPENDING.items():
        assert said in found[name].reason
        assert name in TITLES
    assert {verdict.failure_class for verdict in found.values()} == {"flaky"}


@pytest.mark.parametrize(("framework", "repeats"), REPEATS)
async def test_who_disturbs_whom_and_who_needs_whom_is_named(
    shop: PythonTarget, framework: Framework, repeats: int
) -> None:
    bodies = {
        "a_nothing_seen": "assert SEEN == []",
        "b_marks": "mark('apple')",
        "c_other": HARMLESS,
        "d_first": "os.environ['STEP'] = 'done'",
        "e_second": "assert os.environ['STEP'] == 'done'",
    }

    verification = await verify_files(
        shop, {PATH: file_of(bodies, framework)}, framework=framework, options=replace(ANYWHERE, repeats=repeats)
    )

    prefix = f"{PATH}::" if framework == "pytest" else f"{PATH}::TestCart::"
    dropped = {verdict.name: verdict for verdict in verification.dropped}
    assert set(dropped) == {"test_b_marks", "test_e_second"}
    assert [dropped[name].relation for name in ("test_b_marks", "test_e_second")] == ["makes fail", "needs"]
    assert dropped["test_b_marks"].related == (f"{prefix}test_a_nothing_seen",)
    assert dropped["test_b_marks"].reason.startswith("it changes state that test_cart.py::")
    assert dropped["test_e_second"].related == (f"{prefix}test_d_first",)
    assert "it needs test_cart.py::" in dropped["test_e_second"].reason
    assert {verdict.causes for verdict in dropped.values()} == {(ORDER,)}


PORT = """
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(('127.0.0.1', 18765))
server.listen()
server.close()
"""
ANY_PORT = PORT.replace("18765", "0")
UNNAMED = """
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as one, tempfile.TemporaryFile() as two:
    pathlib.Path(folder, 'report.txt').write_text('mine')
"""
LOCKED = """
import fcntl
with open('lock', 'a') as stream:
    fcntl.flock(stream, fcntl.LOCK_EX)
"""


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_only_what_two_runs_really_want_at_once_disturbs_them(shop: PythonTarget, framework: Framework) -> None:
    bodies = {
        "port": PORT,
        "any_port": ANY_PORT,
        "unnamed": UNNAMED,
        "locked": LOCKED,
        "table": "import sqlite3\nbase = sqlite3.connect('shop.db')\n"
        "base.execute('create table items (name)')\nbase.close()\nos.remove('shop.db')",
        "writes": "pathlib.Path('out.txt').write_text('a')",
        "reads": "pathlib.Path('out.txt').write_text('b')\nassert pathlib.Path('out.txt').read_text() == 'b'",
    }

    verification = await verify_files(shop, {PATH: file_of(bodies, framework)}, framework=framework, options=ANYWHERE)

    dropped = {verdict.name.removeprefix("test_"): verdict for verdict in verification.dropped}
    assert {name: verdict.causes for name, verdict in dropped.items()} == dict.fromkeys(
        ("port", "table", "reads"), (BESIDE,)
    )
    assert dropped["port"].reason.endswith("both runs use port 18765")
    assert dropped["table"].reason.endswith("both runs use shop.db")
    assert "test_writes runs at the same time: both use out.txt" in dropped["reads"].reason


def test_every_condition_is_part_of_some_repeat_however_few_there_are() -> None:
    for repeats in (1, 2, 3, 5):
        varied = {one.name for number in range(1, repeats + 1) for one in conditions_of(number, repeats)}
        assert varied == {condition.name for condition in CONDITIONS}
        assert VerifyOptions(repeats=repeats).order(repeats).level == "reversed"
    assert conditions_of(1, 3) == ()


TAKING_CARE = """
import os, pathlib, shutil, warnings
import pytest
from shop.cart import total


def test_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (pathlib.Path.home() / "invoices.csv").write_text("1")
    assert total(3, 2) == 6


def test_variable(monkeypatch):
    monkeypatch.delenv("SHOP_MODE", raising=False)
    assert os.environ.get("SHOP_MODE", "plain") == "plain"


def test_warning():
    with pytest.warns(DeprecationWarning):
        warnings.warn("old", DeprecationWarning)


@pytest.mark.filterwarnings("ignore:old")
def test_ignored_warning():
    warnings.warn("old", DeprecationWarning)


@pytest.fixture
def made():
    warnings.warn("an application that warns when it is made", DeprecationWarning)
    return 6


def test_what_warns_while_it_is_made(made):
    assert total(3, 2) == made


def test_recorded_warning(recwarn):
    warnings.warn("old", DeprecationWarning)
    assert [str(one.message) for one in recwarn] == ["old"]


@pytest.fixture
def quiet():
    warnings.simplefilter("ignore")


def test_fixture_that_ignores_warnings(quiet):
    warnings.warn("old", DeprecationWarning)


@pytest.fixture
def quiet_meanwhile():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_fixture_that_ignores_warnings_until_it_ends(quiet_meanwhile):
    warnings.warn("old", DeprecationWarning)


class TestQuiet:
    def setup_method(self):
        warnings.simplefilter("ignore")

    def test_method_after_a_setup_that_ignores_warnings(self):
        warnings.warn("old", DeprecationWarning)


def test_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    print(shutil.get_terminal_size().columns)
    assert capsys.readouterr().out == "80\\n"
"""
BEHIND_A_FIXTURE = """
import warnings
import pytest


@pytest.fixture
def made():
    warnings.warn("old", DeprecationWarning)


def test_code_that_warns_as_its_fixture_does(made):
    warnings.warn("old", DeprecationWarning)
"""


@pytest.mark.feature("B-17")
async def test_tests_that_set_what_they_depend_on_hold_for_every_user(shop: PythonTarget) -> None:
    verification = await verify_files(shop, {PATH: TAKING_CARE}, framework="pytest")
    assert [(one.name, one.reason) for one in verification.dropped] == []
    assert len(verification.kept) == 10


@pytest.mark.feature("B-17")
async def test_a_fixture_that_warns_excuses_no_warning_of_its_test(shop: PythonTarget) -> None:
    verification = await verify_files(shop, {PATH: BEHIND_A_FIXTURE}, framework="pytest")
    assert [one.causes for one in verification.dropped] == [("warnings",)]


@pytest.mark.feature("B-17")
async def test_a_project_that_does_not_load_under_a_condition_costs_no_test(shop: PythonTarget) -> None:
    text = "import os\n\nRATE = int(os.environ.get('SHOP_RATE', '3'))\n\n\ndef cost(count):\n    return count * RATE\n"
    (shop.snapshot.path / "src/shop/rate.py").write_text(text)
    tests = "from shop.rate import cost\n\n\ndef test_cost():\n    assert cost(2) == 6\n"
    verification = await verify_files(shop, {PATH: tests}, framework="pytest")
    assert [one.name for one in verification.kept] == ["test_cost"]
    (note,) = [note for note in verification.notes if "not tried" in note]
    assert "environment variables that hold nonsense" in note
    assert "ValueError" in note
