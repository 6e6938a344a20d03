"""Opening the run database: made, migrated, shared, damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from sqlalchemy import Connection, Inspector, inspect

from testwright.core.errors import RunLocked, StateVersionError, StorageError, StoreCorrupt
from testwright.store.database import sqlite, tables
from testwright.store.database.database import Store
from testwright.tests.support.runs.child_processes import child, wait_for_line

# The tables as the first databases have them: a database that was written then has to open, with its rows.
FIRST_TABLES = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
CREATE TABLE runs (
    number INTEGER NOT NULL, run_id VARCHAR(64) NOT NULL, root TEXT NOT NULL, request TEXT NOT NULL,
    settings JSON NOT NULL, version VARCHAR(64) NOT NULL, status VARCHAR(16) NOT NULL, exit_reason VARCHAR(64),
    exit_code INTEGER, created_at FLOAT NOT NULL, started_at FLOAT, finished_at FLOAT, resumed INTEGER NOT NULL,
    spent JSON NOT NULL, CONSTRAINT pk_runs PRIMARY KEY (number), CONSTRAINT uq_runs_run_id UNIQUE (run_id)
);
CREATE TABLE artifacts (
    number INTEGER NOT NULL, artifact_id VARCHAR(36) NOT NULL, run_id VARCHAR(64) NOT NULL, kind VARCHAR(64) NOT NULL,
    content_hash VARCHAR(64) NOT NULL, content JSON NOT NULL, created_at FLOAT NOT NULL,
    CONSTRAINT pk_artifacts PRIMARY KEY (number), CONSTRAINT uq_artifacts_artifact_id UNIQUE (artifact_id),
    CONSTRAINT fk_artifacts_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
CREATE INDEX ix_artifacts_run_id_kind ON artifacts (run_id, kind);
CREATE TABLE answers (
    number INTEGER NOT NULL, run_id VARCHAR(64) NOT NULL, role VARCHAR(64) NOT NULL, attempt INTEGER NOT NULL,
    prompt_hash VARCHAR(64) NOT NULL, answer JSON NOT NULL, created_at FLOAT NOT NULL,
    CONSTRAINT pk_answers PRIMARY KEY (number),
    CONSTRAINT uq_answers_run_id UNIQUE (run_id, role, attempt, prompt_hash),
    CONSTRAINT fk_answers_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE
);
INSERT INTO alembic_version VALUES ('0001');
INSERT INTO runs VALUES (1, 'early', '/p', 'x', '{}', '0.1.0', 'created', NULL, NULL, 1.0, NULL, NULL, 0, '{}');
"""


@pytest.mark.feature("A-04")
def test_a_new_database_has_all_tables_and_the_current_schema_version(tmp_path: Path) -> None:
    for open_again in (False, True):
        with Store.open(tmp_path) as store:
            assert store.read(sqlite.is_current), open_again
            assert _pragma(store, "user_version") == sqlite.SCHEMA_VERSION
            names = store.read(lambda connection: inspect(connection).get_table_names())
            assert set(names) == set(tables.metadata.tables)


@pytest.mark.feature("A-04")
def test_a_database_of_the_first_version_opens_with_its_runs_and_has_the_tables_the_code_works_with(
    tmp_path: Path,
) -> None:
    with sqlite3.connect(tmp_path / "testwright.db") as raw:
        raw.executescript(FIRST_TABLES)
    raw.close()
    with Store.open(tmp_path) as early, Store.open(tmp_path / "new") as new:
        assert [run.run_id for run in early.runs.all()] == ["early"]
        early.answers.put("early", "spec", 1, "hash", {"a": 1})

        def compare(one: Connection, other: Connection) -> None:
            found, wanted = inspect(one), inspect(other)
            for name in tables.metadata.tables:
                columns = [
                    (column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns(name)
                ]
                assert columns == [
                    (column["name"], str(column["type"]), column["nullable"]) for column in wanted.get_columns(name)
                ]
                assert _unique(found, name) == _unique(wanted, name)
                assert found.get_indexes(name) == wanted.get_indexes(name)

        early.read(lambda one: new.read(lambda other: compare(one, other)))
    with Store.open(tmp_path) as store:
        assert store.answers.get("early", "spec", 1, "hash") == {"a": 1}


def test_the_database_writes_ahead_and_waits_for_others(state_dir: Path, store: Store) -> None:
    assert _pragma(store, "journal_mode") == "wal"
    assert _pragma(store, "foreign_keys") == 1
    assert _pragma(store, "busy_timeout") == 30_000


def test_a_transaction_that_fails_stores_nothing(store: Store) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(tables.runs.delete())
        raise KeyError

    with contextlib.suppress(KeyError):
        store.write(fail)
    assert store.runs.get("r1").run_id == "r1"


@pytest.mark.feature("A-04")
def test_processes_that_open_a_new_state_folder_at_the_same_time_all_get_it(state_dir: Path) -> None:
    script = f"""
from pathlib import Path
from testwright.store.database.database import Store
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
from testwright.store.database.database import Store
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


@pytest.mark.parametrize(
    "statements",
    [
        "PRAGMA user_version = 9999",
        "PRAGMA user_version = 0; CREATE TABLE alembic_version (version_num TEXT);"
        "INSERT INTO alembic_version VALUES ('9999')",
    ],
)
def test_a_database_of_a_newer_version_is_refused_and_left_alone(state_dir: Path, statements: str) -> None:
    Store.open(state_dir).close()
    path = state_dir / "testwright.db"
    with sqlite3.connect(path) as raw:
        raw.executescript(statements)
    raw.close()
    before = _dump(path)
    with pytest.raises(StateVersionError) as caught:
        Store.open(state_dir)
    assert "9999" in caught.value.message
    assert "Upgrade testwright" in caught.value.advice
    assert _dump(path) == before


def test_a_migration_that_somebody_else_holds_is_waited_for_and_then_reported(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_dir.mkdir()
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with FileLock(state_dir / "testwright.db.lock"), pytest.raises(RunLocked):
        Store.open(state_dir)


def test_a_state_folder_that_is_a_file_is_an_error_with_advice(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StorageError) as caught:
        Store.open(tmp_path / "state")
    assert "--state-dir" in caught.value.advice


def test_the_state_folder_hides_itself_from_git(state_dir: Path, store: Store) -> None:
    assert (state_dir / ".gitignore").read_text() == "*\n"


def _pragma(store: Store, name: str) -> object:
    return store.read(lambda connection: connection.exec_driver_sql(f"PRAGMA {name}").scalar())


def _columns(inspector: Inspector, table: str) -> list[tuple[str, str, bool]]:
    return [(column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)]


def _unique(inspector: Inspector, table: str) -> list[list[str]]:
    return sorted(constraint["column_names"] for constraint in inspector.get_unique_constraints(table))


def _dump(path: Path) -> list[object]:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        return [*raw.iterdump(), raw.execute("PRAGMA user_version").fetchone()]
