"""Opening the run database: made, migrated, shared, damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import create_engine, inspect

from testwright.core.errors import RunLocked, StateVersionError, StorageError, StoreCorrupt
from testwright.store.database import database, migrate, tables
from testwright.store.database.database import Store
from testwright.tests.support.runs.child_processes import child, wait_for_line

MIGRATIONS = Path(migrate.__file__).parent / "migrations"


@pytest.mark.feature("A-04")
def test_the_migrations_make_exactly_the_tables_the_code_works_with(tmp_path: Path) -> None:
    wanted = create_engine("sqlite://")
    tables.metadata.create_all(wanted)
    made = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    try:
        with made.begin() as connection:
            migrate.migrate(connection)
        seen, ideal = inspect(made), inspect(wanted)
        assert set(seen.get_table_names()) - {"alembic_version"} == set(ideal.get_table_names())
        for name in ideal.get_table_names():
            columns = [(one["name"], str(one["type"]), one["nullable"]) for one in seen.get_columns(name)]
            assert columns == [(one["name"], str(one["type"]), one["nullable"]) for one in ideal.get_columns(name)]
            assert _unique(seen, name) == _unique(ideal, name)
            assert seen.get_indexes(name) == ideal.get_indexes(name)
    finally:
        made.dispose()
        wanted.dispose()


@pytest.mark.feature("A-04")
def test_a_new_database_is_made_without_the_migrations_and_is_of_their_newest_revision(tmp_path: Path) -> None:
    for open_again in (False, True):
        with Store.open(tmp_path) as store, store.reading() as connection:
            assert migrate.is_current(connection), open_again
            assert set(inspect(connection).get_table_names()) == {*tables.metadata.tables, "alembic_version"}
            migrate.migrate(connection)  # finds nothing to do


@pytest.mark.feature("A-04")
def test_the_head_known_to_the_code_is_the_head_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [tables.HEAD]


def test_the_database_writes_ahead_and_waits_for_others(state_dir: Path, store: Store) -> None:
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000


def test_a_transaction_that_fails_stores_nothing(store: Store) -> None:
    with contextlib.suppress(KeyError), store.writing() as connection:
        connection.execute(tables.runs.delete())
        raise KeyError
    assert store.runs.get("r1").run_id == "r1"


@pytest.mark.feature("A-04")
def test_processes_that_open_a_new_state_folder_at_the_same_time_all_get_it(state_dir: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.store.database import Store
import sys
sys.stdin.readline()
with Store.open(Path({str(state_dir)!r})) as store:
    store.runs.create(sys.argv[1], request="x", root="/p", settings={{}}, version="1")
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", script, name], stdin=subprocess.PIPE, text=True) for name in "abc"
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.close()
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    with Store.open(state_dir) as store:
        assert sorted(one.run_id for one in store.runs.all()) == ["a", "b", "c"]


@pytest.mark.feature("B-08")
def test_what_was_stored_survives_a_killed_process(state_dir: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.store.database import Store
store = Store.open(Path({str(state_dir)!r}))
store.runs.create("r", request="x", root="/p", settings={{}}, version="1")
for number in range(100_000):
    store.answers.put("r", "spec", number, "hash", {{"number": number}})
    print(f"stored {{number}}", flush=True)
"""
    with child(script) as process:
        wait_for_line(process, "stored 20")
        process.kill()
        process.wait()
    with Store.open(state_dir) as store:
        assert [store.answers.get("r", "spec", number, "hash") for number in range(21)] == [
            {"number": number} for number in range(21)
        ]


@pytest.mark.parametrize("content", [b"this is no database, " * 400, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_file_that_is_no_database_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "testwright.db"
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt) as caught:
        Store.open(tmp_path)
    assert str(path) in caught.value.message
    assert "Move it away" in caught.value.advice
    assert path.read_bytes() == content


def test_a_damaged_page_is_reported_where_it_is_met(state_dir: Path) -> None:
    with Store.open(state_dir) as store:
        store.runs.create("r", request="x", root="/p", settings={}, version="1")
        for number in range(50):
            store.artifacts.put("r", "k", {"n": number, "filler": "y" * 3000}, meta={"sanitizer": "v1.0.0"})
    path = state_dir / "testwright.db"
    content = bytearray(path.read_bytes())
    half = len(content) // 2
    content[half : half + 20_000] = b"\xa5" * 20_000
    path.write_bytes(content)
    with Store.open(state_dir) as store, pytest.raises(StoreCorrupt):
        store.artifacts.find("r", "k")


def test_a_database_without_our_tables_is_damaged(state_dir: Path, store: Store) -> None:
    with sqlite3.connect(state_dir / "testwright.db") as raw:
        raw.execute("DROP TABLE answers")
    raw.close()
    with pytest.raises(StoreCorrupt):
        store.answers.get("r1", "spec", 1, "hash")


def test_a_database_of_a_newer_version_is_refused_and_left_alone(state_dir: Path) -> None:
    Store.open(state_dir).close()
    with sqlite3.connect(state_dir / "testwright.db") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    with pytest.raises(StateVersionError) as caught:
        Store.open(state_dir)
    assert "Upgrade testwright" in caught.value.advice
    with sqlite3.connect(state_dir / "testwright.db") as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    raw.close()


def test_a_migration_that_somebody_else_holds_is_waited_for_and_then_reported(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_dir.mkdir()
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    with FileLock(state_dir / "testwright.db.lock"), pytest.raises(RunLocked):
        Store.open(state_dir)


def test_a_state_folder_that_is_a_file_is_an_error_with_advice(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StorageError) as caught:
        Store.open(tmp_path / "state")
    assert "--state-dir" in caught.value.advice


def test_the_state_folder_hides_itself_from_git(state_dir: Path, store: Store) -> None:
    assert (state_dir / ".gitignore").read_text() == "*\n"


def _unique(inspector: object, table: str) -> list[list[str]]:
    found = inspector.get_unique_constraints(table)  # type: ignore[attr-defined]
    return sorted(one["column_names"] for one in found)
