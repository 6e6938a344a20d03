"""Run databases and reports that come with a clone: what is never opened, and what a forged one costs where it is."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from testwright.app import api, service
from testwright.app.opened_store import open_store
from testwright.config.run_database import database_folder
from testwright.config.settings import load_settings
from testwright.core.errors import SettingsError, StoreCorrupt
from testwright.graph.checkpoints import open_checkpoints
from testwright.store.database import bounded_connection, sqlite
from testwright.store.database.database import Store
from testwright.store.files.event_log import read_events
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.hostile.projects import hostile_project, run_on

FOREIGN = ("testwright.db", "database/0123456789abcdef/testwright.db")


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp("home")))


def _stored(folder: Path, root: Path, *names: str) -> Path:
    """A database in a folder with these runs; returns its file."""
    with Store.open(folder) as store:
        for name in names:
            store.runs.create(name, request="unit tests", root=str(root), settings={}, version="0.1.0")
    return folder / "testwright.db"


def _endless(path: Path, table: str = "runs") -> None:
    """Make the pages of a table lead to each other: a dozen pages, and more rows than anybody can read."""
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = plain.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    content = path.read_bytes()
    size = struct.unpack(">H", content[16:18])[0]
    pages = [content[at : at + size] for at in range(0, len(content), size)]
    pages.append(pages[root - 1])  # the leaf with the rows
    cell = 5
    for _ in range(10):
        child, count = struct.pack(">I", len(pages)), (size - 12) // (cell + 2)
        cells = b"".join(struct.pack(">H", size - cell * (at + 1)) for at in range(count))
        head = struct.pack(">BHHHB", 5, 0, count, size - cell * count, 0) + child
        pages.append((head + cells).ljust(size - cell * count, b"\0") + (child + b"\1") * count)
    pages[root - 1] = pages.pop()
    pages[0] = pages[0][:28] + struct.pack(">I", len(pages)) + pages[0][32:]
    path.write_bytes(b"".join(pages))


@pytest.mark.parametrize("place", FOREIGN)
def test_a_database_that_came_with_the_project_is_named_and_never_opened(place: str, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    foreign = root / ".testwright" / place
    _endless(_stored(foreign.parent, root, "nightly"))
    before = foreign.read_bytes()
    outcome = run_on(root, "--run-id", "mine", "--no-run")
    assert outcome.code == 0, outcome.err
    assert f"Not read: .testwright/{place}, which testwright did not begin here" in outcome.err
    where = load_settings({"root": root})
    assert [run.run_id for run in service.list_runs(where)] == ["mine"]
    assert foreign.read_bytes() == before
    assert not list(foreign.parent.glob("testwright.db-*"))


def test_a_database_is_found_again_where_the_project_was_moved_to_and_by_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = hostile_project(tmp_path / "project")
    with open_store(load_settings({"root": root}), begins=True) as store:
        store.runs.create("mine", request="unit tests", root=str(root), settings={}, version="0.1.0")
    moved = root.rename(tmp_path / "elsewhere")
    assert [run.run_id for run in service.list_runs(load_settings({"root": moved}))] == ["mine"]
    assert load_settings({"root": moved}).ignored == ""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    assert service.list_runs(load_settings({"root": moved})) == []
    trusted = load_settings({"root": moved, "trust_project": True})
    assert [run.run_id for run in service.list_runs(trusted)] == ["mine"]


def test_a_note_inside_the_project_makes_no_database_the_users(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    state = root / ".testwright"
    folder = _stored(state / "database" / "0123456789abcdef", root, "nightly").parent
    note = root / "testwright" / "databases" / folder.name
    note.parent.mkdir(parents=True)
    note.touch()
    inside = {"XDG_CONFIG_HOME": str(root), "XDG_CACHE_HOME": str(tmp_path)}
    assert database_folder(root, state, is_trusted=False, environment=inside) != folder


def test_a_run_that_only_a_foreign_database_records_is_not_resumed(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    _stored(root / ".testwright", root, "nightly")
    RunFolder(root / ".testwright", "nightly").create()
    with pytest.raises(SettingsError, match="was not begun by you here"):
        api.resume("nightly", root=root)


def test_pages_that_lead_to_each_other_cost_bounded_time_where_a_person_trusts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = hostile_project(tmp_path / "project")
    _endless(_stored(root / ".testwright", root, "nightly", "weekly"))
    monkeypatch.setattr(sqlite, "TRANSACTION_SECONDS", 0.2)
    trusted = load_settings({"root": root, "trust_project": True})
    with pytest.raises(StoreCorrupt, match="does not come to an end"), open_store(trusted) as store:
        store.runs.all(root="another")


@pytest.mark.parametrize("bound", ["seconds", "bytes"])
async def test_checkpoints_that_lead_to_each_other_cost_bounded_time_and_memory(
    bound: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoints" / "nightly.sqlite"
    async with open_checkpoints(path) as saver:
        for number in range(40):
            row = ("nightly", "", "c", str(number), 0, "x", "y", b"", "")
            columns = len([*await saver.conn.execute_fetchall("SELECT * FROM pragma_table_info('writes')")])
            await saver.conn.execute(f"INSERT INTO writes VALUES ({', '.join('?' * columns)})", row[:columns])
        await saver.conn.commit()
    _endless(path, "writes")
    monkeypatch.setattr(bounded_connection, "TRANSACTION_SECONDS", 0.2 if bound == "seconds" else 60.0)
    monkeypatch.setattr(bounded_connection, "_MOST_RESULT_BYTES", 1 << 40 if bound == "seconds" else 1 << 16)
    query = "SELECT max(idx + 1) FROM writes NOT INDEXED" if bound == "seconds" else "SELECT * FROM writes NOT INDEXED"
    with pytest.raises(StoreCorrupt, match="does not come to an end"):
        async with open_checkpoints(path) as saver:
            await saver.conn.execute_fetchall(query)


FORGED_ROWS: dict[str, Callable[[str], str]] = {
    column: lambda value, column=column: f"UPDATE runs SET {column} = {value} WHERE run_id = 'bad'"
    for column in ("settings", "spent", "created_at", "status", "request", "finished_at", "resumed")
}


@pytest.mark.parametrize("column", FORGED_ROWS)
@pytest.mark.parametrize(
    "value", ["x'ff00'", "'[[['", "replace(hex(zeroblob(50000)), '00', '[')", "'7 apples'", "1e999"]
)
def test_a_forged_row_hides_no_other_run(column: str, value: str, tmp_path: Path) -> None:
    path = _stored(tmp_path, tmp_path, "bad", "good")
    with closing(sqlite3.connect(path)) as forging, forging:
        forging.execute(FORGED_ROWS[column](value))
    with Store.open(tmp_path) as store:
        assert "good" in [run.run_id for run in store.runs.all()]
        if "bad" not in [run.run_id for run in store.runs.all()]:
            with pytest.raises(StoreCorrupt, match="run bad does not read"):
                store.runs.get("bad")


@pytest.mark.parametrize("field", ["sequence", "at", "message", "step_id", "data"])
def test_a_forged_event_is_no_event(field: str, tmp_path: Path) -> None:
    entry = {"sequence": 1, "type": "started", "at": 1.0, "message": "m", "step_id": None, "data": {}}
    (tmp_path / "events.jsonl").write_text(json.dumps({**entry, field: [field]}) + "\n")
    with pytest.raises(StoreCorrupt, match="is no event"):
        list(read_events(tmp_path / "events.jsonl"))
