"""The run database in PostgreSQL: refused, lost, full, older, newer, shared; `test_artifacts_and_runs` has the rest."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from sqlalchemy import Connection, text

from testwright.core.errors import (
    RunLocked,
    SettingsError,
    StateVersionError,
    StorageError,
    StoreAccessDenied,
    StoreCorrupt,
    StoreFull,
    StoreUnreachable,
)
from testwright.store.database import postgres as postgres_module
from testwright.store.database import postgres_schema, tables
from testwright.store.database.database import Store
from testwright.store.listing import list_runs
from testwright.store.retention import clean
from testwright.tests.support.runs.child_processes import child, wait_for_line
from testwright.tests.support.store.postgres_server import PostgresServer, postgres_server

META = {"sanitizer": "v1.0.0"}
_WRITERS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from testwright.store.database.database import Store

url, first = sys.argv[1], int(sys.argv[2])
with Store.open_url(url) as store:
    def put(number):
        return store.artifacts.put("r", "spec", number % 150, meta={"sanitizer": "v1.0.0"})
    with ThreadPoolExecutor(100) as pool:
        list(pool.map(put, range(first, first + 100)))
"""


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.new_url()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open_url(url) as opened:
        begin(opened, "r")
        yield opened


def begin(store: Store, run_id: str, root: str = "/p") -> None:
    store.runs.create(run_id, request="x", root=root, settings={}, version="1")


@pytest.mark.feature("A-04")
def test_200_concurrent_writers_lose_and_double_no_artifact(url: str, store: Store) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", _WRITERS, url, str(first)]) for first in (0, 100)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    # 150 contents from 200 writers: fifty of them came twice, from different processes.
    assert sorted(one.payload for one in store.artifacts.find("r")) == list(range(150))


@pytest.mark.feature("A-04")
def test_an_artifact_can_be_queried_by_what_is_in_it(postgres: PostgresServer, url: str, store: Store) -> None:
    store.artifacts.put("r", "spec", {"cases": [{"id": "tc_a"}], "odd\0key": "half \ud83d"}, meta=META)
    query = "SELECT content -> 'meta' ->> 'sanitizer', content #>> '{payload,cases,0,id}' FROM artifacts"
    assert postgres.execute(query, url) == [("v1.0.0", "tc_a")]
    assert postgres.execute("SELECT pg_typeof(content)::text FROM artifacts", url) == [("jsonb",)]


@pytest.mark.feature("A-05")
@pytest.mark.parametrize("content", ['{"verbatim": "{}"}', '{"meta": {}, "payload": 2}', "[]"])
def test_an_artifact_that_was_changed_is_never_handed_on(
    postgres: PostgresServer, url: str, store: Store, content: str
) -> None:
    stored = store.artifacts.put("r", "spec", 1, meta=META)
    postgres.execute(f"UPDATE artifacts SET content = '{content}'", url)
    with pytest.raises(StoreCorrupt):
        store.artifacts.get(stored.artifact_id)


def test_a_run_whose_row_somebody_forged_hides_no_other(postgres: PostgresServer, url: str, store: Store) -> None:
    begin(store, "other")
    postgres.execute("UPDATE runs SET settings = '[1]' WHERE run_id = 'r'", url)
    assert [run.run_id for run in store.runs.all()] == ["other"]
    with pytest.raises(StoreCorrupt):
        store.runs.get("r")


@pytest.mark.feature("A-04")
def test_processes_that_migrate_at_the_same_time_all_get_the_database(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    with ThreadPoolExecutor(6) as pool:
        for opened in pool.map(Store.open_url, [url] * 6):
            opened.close()
    assert postgres.execute("SELECT version FROM testwright_schema", url) == [(1,)]
    assert postgres.execute("SELECT count(*) FROM checkpoint_migrations", url) == [(len(PostgresSaver.MIGRATIONS),)]


@pytest.mark.feature("A-04")
def test_a_database_of_an_older_version_is_brought_forward_with_its_runs(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE runs ADD COLUMN place text NOT NULL DEFAULT 'here'"))

    monkeypatch.setattr(postgres_schema, "STEPS", (*postgres_schema.STEPS, add_column))
    with Store.open_url(url) as migrated:
        assert [run.run_id for run in migrated.runs.all()] == ["r"]
        assert migrated.read(lambda one: one.execute(text("SELECT place FROM runs")).scalar()) == "here"
        assert migrated.read(lambda one: one.execute(text("SELECT version FROM testwright_schema")).scalar()) == 2


def test_a_step_that_fails_leaves_the_older_version_as_it_was(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE runs ADD COLUMN place text"))
        connection.execute(text("ALTER TABLE runs ADD COLUMN run_id text"))

    monkeypatch.setattr(postgres_schema, "STEPS", (*postgres_schema.STEPS, fail))
    with pytest.raises(StorageError, match="already exists"):
        Store.open_url(url)
    monkeypatch.undo()
    with Store.open_url(url) as unchanged:
        assert unchanged.runs.get("r").run_id == "r"


def test_checkpoint_tables_of_an_older_version_are_brought_forward(
    postgres: PostgresServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = len(PostgresSaver.MIGRATIONS)
    monkeypatch.setattr(PostgresSaver, "MIGRATIONS", PostgresSaver.MIGRATIONS[: latest - 1])
    Store.open_url(url).close()
    monkeypatch.undo()
    Store.open_url(url).close()
    assert postgres.execute("SELECT max(v) FROM checkpoint_migrations", url) == [(latest - 1,)]


def test_a_database_of_a_newer_version_is_refused_and_left_alone(
    postgres: PostgresServer, url: str, store: Store
) -> None:
    postgres.execute("UPDATE testwright_schema SET version = 9999", url)
    with pytest.raises(StateVersionError, match="9999") as caught:
        Store.open_url(url)
    assert "Upgrade testwright" in caught.value.advice
    assert postgres.execute("SELECT version FROM testwright_schema", url) == [(9999,)]


def test_a_migration_that_another_process_holds_is_waited_for_and_then_reported(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_url()
    held, done = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        held.set()
        done.wait(60)

    steps = postgres_schema.STEPS
    monkeypatch.setattr(postgres_schema, "STEPS", (hold, *steps))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(Store.open_url, url)
        assert held.wait(60)
        monkeypatch.setattr(postgres_schema, "BUSY_SECONDS", 0.05)
        with pytest.raises(RunLocked, match="Another process has been preparing"):
            Store.open_url(url)
        done.set()
        other.result(60).close()


@pytest.fixture(scope="module")
def guarded(postgres: PostgresServer) -> str:
    """The URL of a database that a role with the documented rights uses, and another role owns."""
    page = (Path(__file__).parents[3] / "docs" / "databases.md").read_text()
    [statements] = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    postgres.execute(f"{statements}; CREATE ROLE tw_nobody LOGIN; GRANT USAGE ON SCHEMA testwright TO tw_nobody")
    return "testwright"


def test_a_role_that_may_only_change_rows_works_once_the_owner_has_prepared_the_tables(
    postgres: PostgresServer, guarded: str
) -> None:
    with pytest.raises(StoreAccessDenied, match="permission denied for schema") as caught:
        Store.open_url(postgres.url(guarded, user="tw_user"))
    assert "docs/databases.md" in caught.value.advice
    Store.open_url(postgres.url(guarded, user="tw_owner")).close()
    with Store.open_url(postgres.url(guarded, user="tw_user")) as store:
        begin(store, "r")
        store.artifacts.put("r", "spec", 1, meta=META)
        store.answers.put("r", "spec", 1, "hash", 1)
        with store.holding("r"):
            store.runs.start("r")
        store.remove_run("r")
        with pytest.raises(StoreAccessDenied, match="must be owner"):
            store.write(lambda connection: connection.execute(text("DROP TABLE runs")))
    with pytest.raises(StoreAccessDenied, match="permission denied for table"):
        Store.open_url(postgres.url(guarded, user="tw_nobody"))


def test_a_password_that_is_wrong_is_told_and_never_shown(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.execute("CREATE ROLE tw_locked LOGIN PASSWORD 'right-word-1234'")
    rules = postgres.folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all tw_locked scram-sha-256\n{rules.read_text()}")
    postgres.execute("SELECT pg_reload_conf()")
    url = postgres.url(postgres.schema(), user="tw_locked")
    for word, told in (("wrong-word-1234", "password authentication failed"), ("", "no password supplied")):
        monkeypatch.setenv("PGPASSWORD", word)
        with pytest.raises(StoreAccessDenied, match=told) as caught:
            Store.open_url(url)
        assert "PGPASSWORD" in caught.value.advice
        assert "word-1234" not in f"{caught.value.message}{caught.value.advice}{caught.value.details}"
    monkeypatch.setenv("PGPASSWORD", "right-word-1234")
    with pytest.raises(StoreAccessDenied, match="no schema has been selected"):
        Store.open_url(url)


@pytest.mark.parametrize(
    ("what", "told"),
    [({"database": "nowhere"}, 'database "nowhere" does not exist'), ({"user": "nobody_at_all"}, "does not exist")],
)
def test_a_database_or_role_that_is_not_there_is_told(
    postgres: PostgresServer, what: dict[str, str], told: str
) -> None:
    with pytest.raises(StorageError, match=told) as caught:
        Store.open_url(postgres.url(**what))
    assert "docs/databases.md" in caught.value.advice


def test_a_server_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="does not serve"):
        Store.open_url(f"postgresql://me@/db?host={tmp_path}")


def test_a_parameter_that_libpq_does_not_know_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="not understood"):
        Store.open_url("postgresql://me@/db?no_such_parameter=1")


def test_a_database_that_may_not_be_written_is_told(postgres: PostgresServer, url: str, store: Store) -> None:
    with (
        Store.open_url(f"{url}%20-cdefault_transaction_read_only%3Don") as reading,
        pytest.raises(StorageError, match="is read-only"),
    ):
        begin(reading, "other")


def test_a_server_whose_disk_is_full_is_told(url: str, store: Store) -> None:
    raising = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    with pytest.raises(StoreFull, match="could not extend file"):
        store.write(lambda connection: connection.execute(text(raising)))


def test_tables_that_somebody_dropped_are_a_damaged_database(postgres: PostgresServer, url: str, store: Store) -> None:
    postgres.execute("DROP TABLE answers", url)
    with pytest.raises(StoreCorrupt, match="answers"):
        store.answers.get("r", "spec", 1, "hash")


def end_session(connection: Connection) -> None:
    connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


@pytest.mark.feature("B-12")
def test_a_connection_lost_in_the_middle_is_made_again_and_nothing_is_stored_twice(store: Store) -> None:
    calls: list[int] = []

    def count(connection: Connection) -> None:
        calls.append(1)
        connection.execute(tables.runs.update().values(resumed=tables.runs.c.resumed + 1))
        if len(calls) == 1:
            end_session(connection)

    store.write(count, repeatable=False)
    assert (len(calls), store.runs.get("r").resumed) == (2, 1)


@pytest.mark.feature("B-12")
def test_a_connection_lost_while_committing_is_told_where_twice_is_not_once(
    postgres: PostgresServer, url: str, store: Store
) -> None:
    calls: list[int] = []
    schema = "CREATE TABLE fragile (number integer)"
    function = (
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF (SELECT count(*) FROM fragile) < 9"
    )
    function += " AND NEW.number = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$"
    trigger = "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON fragile DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
    postgres.execute(f"{schema}; {function}; {trigger} EXECUTE FUNCTION cut()", url)

    def insert(connection: Connection) -> None:
        calls.append(1)
        connection.execute(text(f"INSERT INTO fragile VALUES ({len(calls)})"))

    with pytest.raises(StoreUnreachable, match="nobody can say whether it was"):
        store.write(insert, repeatable=False)
    assert len(calls) == 1
    calls.clear()
    store.write(insert)
    assert len(calls) == 2


@pytest.mark.feature("B-12")
def test_a_server_that_restarts_is_waited_for_and_one_that_stays_away_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with postgres_server() as server:
        url = server.new_url()
        with Store.open_url(url) as store:
            begin(store, "r")
            with store.holding("r"), Store.open_url(url) as other:
                server.stop()
                with ThreadPoolExecutor(1) as pool:
                    writing = pool.submit(store.answers.put, "r", "spec", 1, "hash", {"a": 1})
                    server.start()
                    writing.result(60)
                assert store.answers.get("r", "spec", 1, "hash") == {"a": 1}
                # The lease went with its session, and is held again.
                assert other.held(["r"]) == {"r"}
                # So it is where nothing was being written meanwhile.
                server.stop()
                server.start()
                store.answers.put("r", "spec", 2, "hash", {"a": 2})
                assert other.held(["r"]) == {"r"}
            monkeypatch.setattr(postgres_module, "WAITS", (0.01,))
            server.stop()
            with pytest.raises(StoreUnreachable, match="does not serve"):
                store.runs.get("r")


@pytest.mark.feature("B-12")
def test_a_run_is_held_by_one_process_and_free_when_that_is_killed(url: str, store: Store, tmp_path: Path) -> None:
    script = f"""
from testwright.store.database.database import Store
with Store.open_url({url!r}) as store, store.holding("r"):
    store.runs.start("r")
    print("holding", flush=True)
    import sys; sys.stdin.read()
"""
    with child(script) as process:
        wait_for_line(process, "holding")
        with pytest.raises(RunLocked, match=f"testwright {process.pid} on ") as caught, store.holding("r"):
            pass
        assert "half a minute" in caught.value.advice
        assert [run.status for run in list_runs(store, tmp_path)] == ["running"]
        assert clean(store, tmp_path, keep_last=0).running == ("r",)
        process.kill()
        process.wait()
    _until(lambda: not store.held(["r"]))
    assert [run.status for run in list_runs(store, tmp_path)] == ["interrupted"]
    with store.holding("r"):
        assert store.held(["r", "other"]) == {"r"}


def test_a_run_is_shared_by_its_workers_and_by_nobody_else(url: str, store: Store) -> None:
    with Store.open_url(url) as other, store.holding("r", shared=True):
        with other.holding("r", shared=True):
            pass
        with pytest.raises(RunLocked), other.holding("r"):
            pass


def test_cleaning_a_shared_store_removes_runs_of_its_own_project_only(url: str, store: Store, tmp_path: Path) -> None:
    begin(store, "mine", root=str(tmp_path))
    assert clean(store, tmp_path / "state", keep_last=0, root=tmp_path).removed == ("mine",)
    assert [run.run_id for run in store.runs.all()] == ["r"]


def test_without_its_driver_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingsError, match="psycopg") as caught:
        Store.open_url("postgresql://me@localhost/db")
    assert "pip install 'testwright[postgres]'" in caught.value.advice


def _until(holds: Callable[[], bool]) -> None:
    """Wait for what the server does a moment later; the test's own time limit ends it."""
    while not holds():
        pass
