"""The store on disks that are full or read-only: typed errors, advice, nothing lost and nothing half done."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.store.database.database import Store
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
from testwright.tests.support.runs.bad_disks import run_on_full_disk, run_read_only, run_without_privileges
from testwright.utils.generated_header import with_header

TELL = """
def tell(error):
    print(f"error={type(error).__name__}")
    print(f"advice={error.advice}")
"""


@pytest.mark.feature("A-04", "B-08")
def test_a_full_disk_stops_the_store_with_a_typed_error_and_keeps_what_was_stored(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"""
from pathlib import Path
from testwright.core.errors import StoreFull
from testwright.store.database.database import Store
{TELL}
disk = Path({str(disk)!r})
ballast = disk / "ballast"
ballast.write_bytes(bytes(500_000))
store = Store.open(disk)
store.runs.create("r", request="x", root="/p", settings={{}}, version="1")
stored = []
try:
    for number in range(1000):
        payload = {{"number": number, "filler": "x" * 20000}}
        stored.append(store.artifacts.put("r", "spec", payload, meta={{"sanitizer": "v1.0.0"}}))
except StoreFull as error:
    tell(error)
store.close()
ballast.unlink()
with Store.open(disk) as again:
    print(f"intact={{[one.artifact_id for one in again.artifacts.find('r')] == [one.artifact_id for one in stored]}}")
    print(f"some={{len(stored) > 0}}")
"""
    said = run_on_full_disk(script, disk, kibibytes=2048)
    assert said["error"] == "StoreFull"
    assert "--state-dir" in said["advice"]
    assert said["intact"] == "True"
    assert said["some"] == "True"


@pytest.mark.feature("D-07")
def test_an_event_that_does_not_fit_on_the_disk_leaves_no_half_line(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"""
from pathlib import Path
from testwright.core.errors import StoreFull
from testwright.core.events import EventType
from testwright.store.files.event_log import EventLog, read_events
{TELL}
path = Path({str(disk)!r}) / "events.jsonl"
log = EventLog(path, lambda value: value)
heard = []
log.subscribe(lambda event: heard.append(event.sequence))
try:
    while True:
        log.emit(EventType.PROGRESS, "x" * 9001)
except StoreFull as error:
    tell(error)
stored = [event.sequence for event in read_events(path)]
print(f"same={{stored == heard == list(range(1, len(stored) + 1))}}")
print(f"whole={{path.read_bytes().endswith(b'}}' + bytes([10]))}}")
"""
    said = run_on_full_disk(script, disk, kibibytes=128)
    assert said == {"error": "StoreFull", "advice": said["advice"], "same": "True", "whole": "True"}


@pytest.mark.feature("B-09")
@pytest.mark.parametrize("state", ["nothing there", "an older version there"])
def test_a_full_project_disk_leaves_the_project_as_it_was_and_the_tests_staged(tmp_path: Path, state: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    folder = RunFolder(tmp_path / "state", "r").create()
    staging = Staging(folder, project)
    for name in ("test_a.py", "test_b.py"):
        staging.stage(f"tests/generated/{name}", with_header(f"# {name}\n" + "x = 1\n" * 5000, target="a.py"))
    script = f"""
from pathlib import Path
from testwright.core.errors import StoreFull
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
from testwright.utils.generated_header import with_header
{TELL}
project = Path({str(project)!r})
if {state!r} == "an older version there":
    (project / "tests/generated").mkdir(parents=True)
    (project / "tests/generated/test_a.py").write_text(with_header("old = 1", target="a.py"))
before = sorted((one, one.read_bytes()) for one in project.rglob("*") if one.is_file())
staging = Staging(RunFolder(Path({str(tmp_path / "state")!r}), "r"), project)
try:
    staging.accept()
except StoreFull as error:
    tell(error)
after = sorted((one, one.read_bytes()) for one in project.rglob("*") if one.is_file())
print(f"same={{before == after}}")
print(f"folders={{(project / 'tests').exists() == bool(before)}}")
print(f"staged={{staging.paths()}}")
"""
    said = run_on_full_disk(script, project, kibibytes=48)
    assert said["error"] == "StoreFull"
    assert "testwright apply r" in said["advice"]
    assert said["same"] == "True"
    assert said["folders"] == "True"
    assert said["staged"] == "['tests/generated/test_a.py', 'tests/generated/test_b.py']"
    assert not folder.accepting_json.exists()


@pytest.mark.feature("B-09")
def test_a_read_only_project_keeps_the_tests_staged_and_says_how_to_apply_them(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "tests").mkdir(parents=True)
    folder = RunFolder(tmp_path / "state", "r").create()
    Staging(folder, project).stage("tests/generated/test_a.py", with_header("x = 1", target="a.py"))
    script = f"""
from pathlib import Path
from testwright.core.errors import StorageError
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
{TELL}
staging = Staging(RunFolder(Path({str(tmp_path / "state")!r}), "r"), Path({str(project)!r}))
print(f"change={{[one.change for one in staging.compare()]}}")
try:
    staging.accept()
except StorageError as error:
    tell(error)
print(f"staged={{staging.paths()}}")
"""
    said = run_read_only(script, project)
    assert said["change"] == "['add']"
    assert said["error"] == "StorageError"
    assert str(folder.staged) in said["advice"]
    assert "testwright apply r" in said["advice"]
    assert said["staged"] == "['tests/generated/test_a.py']"
    assert [one.outcome for one in Staging(folder, project).accept()] == ["added"]


def test_a_state_folder_that_cannot_be_made_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.core.errors import StorageError
from testwright.store.database.database import Store
{TELL}
try:
    Store.open(Path({str(tmp_path / ".testwright")!r}))
except StorageError as error:
    tell(error)
"""
    said = run_read_only(script, tmp_path)
    assert said["error"] == "StorageError"
    assert "--state-dir" in said["advice"]


@pytest.mark.parametrize(
    "attempt",
    [
        'Store.open(state).runs.create("new", request="x", root="/p", settings={}, version="1")',
        'run_lock(RunFolder(state, "r")).__enter__()',
        'EventLog(RunFolder(state, "r").events_jsonl, lambda value: value).emit("progress", "x")',
        'Staging(RunFolder(state, "r"), state).stage("test_a.py", "x")',
    ],
    ids=["run", "lock", "event", "staging"],
)
def test_a_state_folder_that_became_read_only_is_an_error_that_names_the_option(tmp_path: Path, attempt: str) -> None:
    RunFolder(tmp_path, "r").create()
    with Store.open(tmp_path) as store:
        store.runs.create("r", request="x", root="/p", settings={}, version="1")
    script = f"""
from pathlib import Path
from testwright.core.errors import StorageError
from testwright.store.database.database import Store
from testwright.store.files.event_log import EventLog
from testwright.store.files.lock import run_lock
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
{TELL}
state = Path({str(tmp_path)!r})
try:
    {attempt}
except StorageError as error:
    tell(error)
"""
    said = run_read_only(script, tmp_path)
    assert said["error"] == "StorageError"
    assert "--state-dir" in said["advice"]


def test_a_run_with_folders_that_nobody_may_write_can_be_removed(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.store.database.database import Store
from testwright.store.retention import clean
from testwright.store.files.run_folder import RunFolder
state = Path({str(tmp_path / "state")!r})
with Store.open(state) as store:
    store.runs.create("r", request="x", root="/p", settings={{}}, version="1")
    folder = RunFolder(state, "r").create()
    inner = folder.scratch / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    (folder.scratch / "link").symlink_to("/usr")
    for one in (inner, inner.parent):
        one.chmod(0o555)
    try:
        (inner / "other").touch()
    except PermissionError:
        print("stopped=True")
    print(f"removed={{clean(store, state, keep_last=0).removed}}")
    print(f"left={{[one.name for one in (state / 'runs').iterdir()]}}")
"""
    assert run_without_privileges(script) == {"stopped": "True", "removed": "('r',)", "left": "[]"}


def test_a_project_that_the_user_may_not_write_says_so(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.core.errors import StorageError
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
{TELL}
project = Path({str(tmp_path / "project")!r})
project.mkdir(mode=0o555)
staging = Staging(RunFolder(Path({str(tmp_path / "state")!r}), "r").create(), project)
staging.stage("tests/test_a.py", "x = 1")
try:
    staging.accept()
except StorageError as error:
    tell(error)
    print(f"message={{'permission denied' in error.message}}")
project.chmod(0o755)
"""
    said = run_without_privileges(script)
    assert (said["error"], said["message"]) == ("StorageError", "True")
    assert "testwright apply r" in said["advice"]
