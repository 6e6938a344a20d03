"""What the runners write and the gate reads: journals, settings, the moved clock."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.gate.model.journal import read_record, scrubber
from testwright.gate.model.project_config import configuration, pytest_settings
from testwright.sandbox.worker.suites import journal
from testwright.utils.generated_header import with_header
from testwright.utils.names.case_names import named_case

WORKER = Path(journal.__file__).parent


def test_a_journal_that_ends_in_mid_line_says_which_test_was_running(tmp_path):
    path = tmp_path / "results.jsonl"
    written = journal.ResultJournal(str(path))
    written.write("session", runner="pytest", version="9", python="3.11")
    written.write("collected", nodeids=["a", "b"], case_ids=["tc_a", None])
    written.write("started", nodeid="a")
    with path.open("a") as stream:
        stream.write('{"kind": "test", "node')
    record = read_record(tmp_path, path.name, str)
    assert (record.running, record.code, record.not_run) == ("a", None, ["a", "b"])
    assert record.case_ids["a"] == "tc_a"
    assert read_record(tmp_path, "absent", str).collected is None


def test_messages_lose_the_workspaces_paths_and_addresses():
    scrub = scrubber(Path("/state/t1/w2/project"), Path("/state/t1/w2/scratch"))
    text = "<C object at 0x7f3a5c2d1e80> in /state/t1/w2/project/src/a.py, /state/t1/w2/scratch/tmp"
    assert scrub(text) == "<C object at 0x…> in src/a.py, <scratch>/tmp"


@pytest.mark.parametrize(
    ("row", "document", "expected"),
    [
        ("tc_add-extra", None, "tc_add"),
        (None, "Adds.\n\ntc_add_two: more words", "tc_add_two"),
        ("3-4", "tc_rows", "tc_rows"),
        (None, "etc_files are no case", None),
        (None, None, None),
    ],
)
def test_the_case_id_is_found_in_the_row_or_the_docstring(row, document, expected):
    assert journal.case_id_of(row, document) == expected


@pytest.mark.parametrize(
    ("row", "document", "owner", "function", "expected"),
    [
        (None, None, "TestCart", "test_add_of_apple", "tc_cart_add_of_apple"),
        (None, "Documented in cart.py, line 3.", None, "test_double", "tc_double"),
        ("of_2", None, None, "test_double", "tc_double_of_2"),
        ("of_2", None, "TestFIFOCache", "test_pop", "tc_fifo_cache_pop_of_2"),
        ("of_2", None, "TestVector2D", "test_len", "tc_vector2d_len_of_2"),
        (None, None, "TestBase64Encoder", "test_encode", "tc_base64_encoder_encode"),
        (None, None, "TestLower", "test_lower", "tc_lower"),
        ("of_2", None, "TestLower", "test_lower", "tc_lower_of_2"),
        ("tc_other", None, None, "test_double", "tc_other"),
        (None, "Case tc_other.", None, "test_double", "tc_other"),
    ],
)
def test_in_a_generated_file_names_tell_the_case_where_no_text_does(row, document, owner, function, expected):
    assert journal.case_id_of(row, document, (owner, function)) == expected
    assert row in (None, "tc_other") or named_case(owner, function, row) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (with_header("", target="a.py"), True),
        (with_header("", target="packages/storefront/src/storefront/a_module_with_a_long_name.py"), True),
        ("import a\n", False),
        ("", False),
    ],
)
def test_names_count_only_in_files_that_testwright_writes(tmp_path, text, expected):
    path = tmp_path / "test_a.py"
    path.write_text(text, encoding="utf-8")

    assert journal.is_generated(str(path)) is expected
    assert not journal.is_generated(str(tmp_path / "missing.py"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("src/a.py", "src/a.py"), ("../other.py", None), ("<frozen importlib._bootstrap>", None), ("<string>", None)],
)
def test_only_files_below_the_project_are_frames_of_it(tmp_path, monkeypatch, name, expected):
    monkeypatch.chdir(tmp_path)
    assert journal.relative_to(name, str(tmp_path.resolve())) == expected


def test_an_exception_with_broken_text_is_described_all_the_same():
    class Broken(Exception):
        def __str__(self):
            raise ValueError("no text")

    try:
        raise Broken
    except Broken as error:
        described = journal.describe(error, str(WORKER))
    assert described["type"] == "Broken"
    assert described["message"] == "<Broken without readable text: ValueError>"
    assert described["frames"] == []


def test_shuffling_by_module_keeps_the_tests_of_a_file_together():
    names = [f"{file}{n}" for file in "abc" for n in range(4)]
    order = {"select": None, "exclude": ["a0"], "shuffle": 3, "level": "module"}
    places = journal.arrange(names, [name[0] for name in names], order)
    files = [names[index][0] for index in places]
    assert len(places) == 11
    assert sum(one != other for one, other in itertools.pairwise(files)) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "pytest.ini",
            "[pytest]\naddopts = -x\nfilterwarnings =\n    error\n    ignore::UserWarning\nasyncio_mode = auto\n",
        ),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "-x"\nasyncio_mode = "auto"\n'
            'filterwarnings = ["error", "ignore::UserWarning"]\n',
        ),
        ("setup.cfg", "[tool:pytest]\nfilterwarnings =\n    error\n    ignore::UserWarning\nasyncio_mode = auto\n"),
    ],
)
def test_settings_that_decide_over_passing_are_taken_over(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    settings = pytest_settings(tmp_path)
    strict = configuration(settings, tmp_path, complete=False)
    assert "addopts" not in strict
    assert strict.splitlines()[0] == "[pytest]"
    assert "    ignore::UserWarning" in strict
    assert "asyncio_mode" not in strict
    complete = configuration(settings, tmp_path, complete=True)
    assert "asyncio_mode = auto" in complete
    assert "-x" not in complete


def test_of_addopts_the_projects_own_tests_get_what_decides_how_they_are_found(tmp_path):
    words = (
        "-x --import-mode=importlib -p no:cacheprovider -p xdist --doctest-modules -m 'not slow' --cov=shop -W error"
    )
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {words}\npythonpath = src lib\n")
    lines = configuration(pytest_settings(tmp_path), tmp_path, complete=True, unwanted=("xdist",)).splitlines()
    assert "addopts = --import-mode=importlib -pno:cacheprovider --doctest-modules '-mnot slow' -Werror" in lines
    assert lines[-2:] == [f"pythonpath = {tmp_path}/src", f"    {tmp_path}/lib"]


@pytest.mark.parametrize("text", ["[tool.pytest", "[pytest]\nx = \udcff", ""])
def test_settings_that_do_not_read_are_left_alone(tmp_path, text):
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "pytest.ini").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert pytest_settings(tmp_path) == ()


CLOCK = """
import datetime, json, sys, time
before = datetime.datetime.now(datetime.timezone.utc)
sys.path.insert(0, sys.argv[1])
import clock
_, moved = clock.move_clock(86400 * 401)
now = datetime.datetime.now(datetime.timezone.utc)
class Model:
    clock = time.time
class Mine(datetime.datetime):
    pass
print(json.dumps({
    "moved": moved,
    "days": [
        (now - before).days,
        (datetime.datetime.utcnow() - before.replace(tzinfo=None)).days,
        (datetime.datetime.today() - before.astimezone().replace(tzinfo=None)).days,
        (datetime.date.today() - before.astimezone().date()).days,
        round((Model().clock() - before.timestamp()) / 86400),
        round((time.mktime(time.localtime()) - before.timestamp()) / 86400),
    ],
    "same": type(now) is datetime.datetime and type(Mine.now()) is Mine,
    "fixed": time.gmtime(0).tm_year,
}))
"""


@pytest.mark.feature("B-11")
def test_a_moved_clock_moves_every_reading_and_leaves_the_types_as_they_are():
    ran = subprocess.run([sys.executable, "-c", CLOCK, str(WORKER)], check=True, capture_output=True, text=True)
    seen = json.loads(ran.stdout)
    assert seen["moved"] is True
    assert set(seen["days"]) <= {401, 402}
    assert seen["same"] is True
    assert seen["fixed"] == 1970
