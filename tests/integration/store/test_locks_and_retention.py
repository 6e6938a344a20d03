"""Locks, the list of runs, and removing old ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.core.errors import RunLocked, RunNotFound, UsageError
from testwright.store.database.database import Store
from testwright.store.files.lock import is_locked, project_lock, run_lock
from testwright.store.files.run_folder import RunFolder, new_run_id, run_ids
from testwright.store.listing import list_runs, show_run
from testwright.store.retention import clean
from testwright.tests.support.runs.child_processes import child, wait_for_line

DAY = 86_400.0
HOLD = """
import sys
from pathlib import Path
from typing import Any
from testwright.store.files.lock import run_lock
from testwright.store.files.run_folder import RunFolder
with run_lock(RunFolder(Path({0!r}), {1!r})):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.feature("B-08")
def test_a_run_that_another_process_works_on_says_which(folder: RunFolder) -> None:
    with child(HOLD.format(str(folder.state_dir), folder.run_id)) as process:
        wait_for_line(process, "held")
        assert is_locked(folder)
        with pytest.raises(RunLocked) as caught, run_lock(folder):
            pass
    assert caught.value.details["pid"] == process.pid
    assert f"process {process.pid}" in caught.value.message
    assert f"kill {process.pid}" in caught.value.advice


@pytest.mark.feature("B-08")
def test_a_process_that_was_killed_holds_nothing(folder: RunFolder) -> None:
    with child(HOLD.format(str(folder.state_dir), folder.run_id)) as process:
        wait_for_line(process, "held")
        process.kill()
        process.wait()
        assert not is_locked(folder)
        with run_lock(folder):
            assert is_locked(folder)
    assert not is_locked(folder)


def test_a_project_is_held_by_one_run_at_a_time_and_others_are_free(state_dir: Path, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    with (
        project_lock(state_dir, project, "run r1"),
        project_lock(state_dir, other, "run r2"),
        pytest.raises(RunLocked) as caught,
        project_lock(state_dir, project, "run r3"),
    ):
        pass
    assert caught.value.details == {"pid": os.getpid(), "host": caught.value.details["host"], "purpose": "run r1"}
    with project_lock(state_dir, project, "run r3"):
        pass


def test_a_project_that_workers_share_is_freed_by_cancelling_its_run(state_dir: Path, project: Path) -> None:
    with (
        project_lock(state_dir, project, "run r1", shared=True),
        project_lock(state_dir, project, "run r1", shared=True),
        pytest.raises(RunLocked) as caught,
        project_lock(state_dir, project, "run r2"),
    ):
        pass
    assert "testwright temporal cancel" in caught.value.advice
    assert "kill" not in caught.value.advice


def test_a_link_to_a_project_is_the_same_project(state_dir: Path, project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project)
    with project_lock(state_dir, project, "run r1"), pytest.raises(RunLocked), project_lock(state_dir, link, "run r2"):
        pass


@pytest.mark.parametrize("run_id", ["", "..", "a/b", "/a", ".hidden", "a" * 65, "a\nb", "-a"])
def test_a_run_id_that_cannot_name_a_folder_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(UsageError):
        RunFolder(tmp_path, run_id)


def test_a_new_run_id_is_a_folders_name_and_never_the_same(tmp_path: Path) -> None:
    assert RunFolder(tmp_path, new_run_id()).run_id != RunFolder(tmp_path, new_run_id()).run_id


def test_a_run_without_a_folder_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(RunNotFound):
        RunFolder(tmp_path, "nobody").require()


@pytest.fixture
def five(state_dir: Path) -> Iterator[Store]:
    """Runs r0 (10 days old) to r4 (6 days old), each with a folder and a file, all finished."""
    times = iter(range(1000))
    with Store.open(state_dir, clock=lambda: next(times) // 3 * DAY) as store:
        for number in range(5):
            run_id = f"r{number}"
            store.runs.create(run_id, request=f"request {number}", root="/p", settings={}, version="1")
            store.runs.start(run_id)
            store.runs.finish(run_id, status="completed", exit_reason="completed", exit_code=0)
            RunFolder(state_dir, run_id).create().report_json.write_text('{"totals": {"kept": 3}}')
        yield store


def names(state_dir: Path, store: Store) -> list[str]:
    folders = list(run_ids(state_dir))
    assert sorted(one.run_id for one in store.runs.all()) == folders
    return folders


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ({"keep_last": 2}, ["r3", "r4"]),
        ({"older_than_days": 8}, ["r2", "r3", "r4"]),
        ({"keep_last": 4, "older_than_days": 8}, ["r1", "r2", "r3", "r4"]),
        ({"keep_last": 0}, []),
        ({"keep_last": 9}, ["r0", "r1", "r2", "r3", "r4"]),
    ],
)
def test_old_runs_go_by_number_and_age(five: Store, state_dir: Path, rule: dict[str, Any], left: list[str]) -> None:
    planned = clean(five, state_dir, **rule, dry_run=True, clock=lambda: 10 * DAY)
    assert len(names(state_dir, five)) == 5
    done = clean(five, state_dir, **rule, clock=lambda: 10 * DAY)
    assert names(state_dir, five) == left
    assert (done.removed, done.kept) == (planned.removed, planned.kept) == (done.removed, len(left))
    assert (done.freed_bytes > 0) == bool(done.removed)


def test_a_run_that_is_being_worked_on_stays(five: Store, state_dir: Path) -> None:
    with child(HOLD.format(str(state_dir), "r1")) as process:
        wait_for_line(process, "held")
        done = clean(five, state_dir, keep_last=1)
        assert process.poll() is None
    assert done.removed == ("r0", "r2", "r3")
    assert done.running == ("r1",)
    assert names(state_dir, five) == ["r1", "r4"]


def test_what_an_interrupted_cleaning_left_is_removed_by_the_next(five: Store, state_dir: Path) -> None:
    leftover = state_dir / "runs" / ".removing-old"
    leftover.mkdir()
    (leftover / "file").write_text("x")
    clean(five, state_dir, keep_last=5)
    assert not leftover.exists()
    assert len(names(state_dir, five)) == 5


def test_a_run_known_only_to_the_database_or_only_by_its_folder_can_be_removed(five: Store, state_dir: Path) -> None:
    five.runs.remove("r0")
    RunFolder(state_dir, "r1").path.rename(state_dir / "moved")
    clean(five, state_dir, keep_last=0)
    assert names(state_dir, five) == []


@pytest.mark.parametrize("rule", [{}, {"keep_last": -1}, {"older_than_days": -0.5}])
def test_a_rule_that_says_nothing_sensible_is_refused(five: Store, state_dir: Path, rule: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        clean(five, state_dir, **rule)
    assert rule or "--keep N, --older-than DAYS" in caught.value.advice
    assert len(names(state_dir, five)) == 5


def test_the_list_shows_the_newest_first_with_what_the_report_says(five: Store, state_dir: Path) -> None:
    listed = list_runs(five, state_dir)
    assert [one.run_id for one in listed] == ["r4", "r3", "r2", "r1", "r0"]
    assert (listed[0].status, listed[0].totals, listed[0].resumable) == ("completed", {"kept": 3}, False)
    assert list_runs(five, state_dir, root=Path("/elsewhere")) == []


@pytest.mark.feature("B-08")
def test_a_run_whose_process_is_gone_is_interrupted_and_can_be_resumed(five: Store, state_dir: Path) -> None:
    five.runs.start("r3")
    with run_lock(RunFolder(state_dir, "r3")):
        assert show_run(five, state_dir, "r3").summary.status == "running"
    summary = show_run(five, state_dir, "r3").summary
    assert (summary.status, summary.resumable) == ("interrupted", True)


def test_one_run_is_shown_with_its_files_and_artifacts(five: Store, state_dir: Path) -> None:
    stored = five.artifacts.put("r2", "spec_output", {}, meta={"sanitizer": "v1.0.0"})
    folder = RunFolder(state_dir, "r2")
    (folder.staged / "tests").mkdir()
    (folder.staged / "tests" / "test_a.py").write_text("")
    shown = show_run(five, state_dir, "r2")
    assert shown.artifacts == ((stored.artifact_id, "spec_output"),)
    assert shown.files == ("report.json", "staged/tests/test_a.py")
    assert shown.record == five.runs.get("r2")
    assert shown.report == {"totals": {"kept": 3}}
    with pytest.raises(RunNotFound):
        show_run(five, state_dir, "nobody")


def test_a_folder_that_the_database_lacks_is_still_shown(five: Store, state_dir: Path) -> None:
    five.runs.remove("r2")
    (RunFolder(state_dir, "r2").report_json).write_text("no json")
    shown = show_run(five, state_dir, "r2")
    assert (shown.summary.status, shown.record, shown.report) == ("unknown", None, None)
