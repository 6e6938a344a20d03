"""Runs found by their id, by how it begins, and as the latest."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.cli.console import Console
from testwright.cli.store_commands import runs_table
from testwright.core.errors import RunNotFound, UsageError
from testwright.core.events import EventType
from testwright.store.files.event_log import EventLog
from testwright.store.files.run_folder import RunFolder
from testwright.store.listing import list_runs
from testwright.store.run_names import find_run, short_ids

pytestmark = pytest.mark.feature("B-13")

FIRST, SECOND = "fe71b3a0-67ed-42da-86c9-f25567879c9b", "fe71b3a0-9999-42da-86c9-f25567879c9b"
OTHER = "31003912-b36e-4aae-8b6f-25a78867b4a4"


@pytest.fixture
def runs(store):
    for run_id in (FIRST, SECOND, OTHER):
        store.runs.create(
            run_id, request="", root="/other" if run_id == OTHER else "/project", settings={}, version="1"
        )
    return store


@pytest.mark.parametrize(
    ("name", "run_id"),
    [
        pytest.param(FIRST, FIRST, id="its id"),
        pytest.param("fe71b3a0-6", FIRST, id="how it begins"),
        pytest.param("31", OTHER, id="two characters that no other has"),
        pytest.param("r", "r1", id="the beginning of a given name"),
        pytest.param("latest", OTHER, id="the newest"),
    ],
)
def test_a_run_is_found_by(name, run_id, runs, state_dir):
    assert find_run(name, runs, state_dir) == run_id


def test_the_latest_is_that_of_the_project(runs, state_dir, tmp_path):
    runs.runs.create("mine", request="", root=str(tmp_path), settings={}, version="1")
    runs.runs.create("newer", request="", root="/other", settings={}, version="1")

    assert find_run("latest", runs, state_dir, root=tmp_path) == "mine"


def test_a_beginning_that_several_runs_share_is_refused_with_their_ids(runs, state_dir):
    with pytest.raises(UsageError, match=f"Several runs begin with fe71: .*{FIRST}"):
        find_run("fe71", runs, state_dir)


def test_an_id_goes_before_the_runs_that_begin_with_it(runs, state_dir):
    runs.runs.create("r", request="", root="/project", settings={}, version="1")

    assert find_run("r", runs, state_dir) == "r"


@pytest.mark.parametrize("name", ["nothing", "zz"])
def test_what_names_no_run_is_not_found(name, runs, state_dir):
    with pytest.raises(RunNotFound, match=f"There is no run {name}"):
        find_run(name, runs, state_dir)


def test_a_folder_that_the_database_does_not_know_is_found_by_its_beginning(runs, state_dir):
    RunFolder(state_dir, "abcdef").create()

    assert find_run("abc", runs, state_dir) == "abcdef"


def test_short_ids_have_eight_characters_or_as_many_as_tell_them_apart():
    assert short_ids([FIRST, SECOND, OTHER, "a-name-that-a-person-gave"]) == {
        FIRST: "fe71b3a0-6",
        SECOND: "fe71b3a0-9",
        OTHER: "31003912",
        "a-name-that-a-person-gave": "a-name-that-a-person-gave",
    }


def test_an_assessment_is_listed_by_its_name(runs, state_dir):
    RunFolder(state_dir, "assessed").create().assess_json.write_text("{}")

    summary = next(found for found in list_runs(runs, state_dir) if found.run_id == "assessed")
    assert (summary.status, summary.request) == ("completed", "assess")


def test_a_run_is_listed_on_one_line_with_what_it_kept_and_when_its_first_session_began(runs, state_dir):
    folder = RunFolder(state_dir, FIRST).create()
    for at in (86_400.0, 172_800.0):  # it is resumed a day later
        log = EventLog(folder.events_jsonl, lambda value: value, clock=lambda at=at: at)
        log.emit(EventType.STARTED, "started")
        log.close()
    totals = {"kept": 102, "suspected_defects": 2, "origins": {"documented": 1}, "coverage": {"source": ""}}
    folder.report_json.write_text(json.dumps({"totals": totals}))
    runs.runs.start(FIRST)
    runs.runs.finish(FIRST, status="completed", exit_reason="completed", exit_code=0)

    summary = next(found for found in list_runs(runs, state_dir) if found.run_id == FIRST)
    console = Console(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(runs_table([summary], {FIRST: "fe71b3a0-6"})[0])
    line = shown.get().splitlines()[1].split()
    assert line == ["fe71b3a0-6", "completed", "1970-01-02", "00:00", "102", "2"]


@pytest.mark.parametrize("width", [40, 80])
def test_a_request_that_is_too_long_for_its_line_goes_on_below_and_is_cut_after_three(width):
    request = "unit tests for " + "the pricing of the shop and " * 5
    details = {"status": "failed", "exit_reason": "goal_validation_failed", "totals": {"kept": 1000}}
    summary: Any = SimpleNamespace(run_id=FIRST, request=request, created_at=0.0, **details)
    console = Console(width=width)
    with console.capture() as shown:
        table, is_cut = runs_table([summary], {FIRST: "fe71b3a0-6"}, width)
        console.print(table)
    _, line, *below = shown.get().splitlines()
    assert line.startswith("fe71b3a0-6  failed (goal validation failed)  1970-01-01 00:00  1000")
    assert (len(below), below[-1].rstrip()[-1]) == (2, "…")
    assert "unit tests" in line
    assert is_cut


def test_a_request_that_holds_an_ellipsis_itself_is_not_taken_for_one_that_is_cut():
    details = {"status": "completed", "exit_reason": "", "totals": {}}
    summary: Any = SimpleNamespace(run_id=FIRST, request="test the … page", created_at=0.0, **details)
    assert not runs_table([summary], {FIRST: "fe71b3a0-6"}, 80)[1]


def test_as_many_of_the_newest_runs_are_listed_as_fit_the_lines():
    requests = ["short", "unit tests for the pricing of the shop", "short", "short"]
    summaries: list[Any] = [
        SimpleNamespace(
            run_id=f"run{n}", request=request, created_at=0.0, status="completed", exit_reason="", totals={}
        )
        for n, request in enumerate(requests)
    ]
    shown = {summary.run_id: summary.run_id for summary in summaries}
    assert [runs_table(summaries, shown, 70, lines=lines)[0].row_count for lines in (1, 3, 4, 5, 9, None)] == [
        1,
        1,
        2,
        3,
        4,
        4,
    ]
