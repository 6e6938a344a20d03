"""`.testwright` as it may come with a cloned project: links, pipes, an attacker's database, copies left behind."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from testwright import main
from testwright.app import api, run_cache, service
from testwright.app.opened_store import open_store
from testwright.config.settings import load_settings
from testwright.core.errors import BudgetExhausted, ProjectError, SettingsError, StoreCorrupt, UsageError
from testwright.graph.checkpoints import open_checkpoints
from testwright.store.cache.sqlite_responses import SqliteResponses
from testwright.store.database.database import Store
from testwright.store.database.runs import Runs, StoredRun
from testwright.store.files.lock import run_lock
from testwright.store.files.project_files import ProjectFile
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import SMALL, hostile_project, run_on
from testwright.utils.redact import Redactor
from testwright.utils.user_folders import cache_folders, unforeseeable_name


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder of the user's that a state folder might lead to."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "testwright.db").write_text("a file of the user's")
    return folder


PLACES = [
    "",
    "testwright.db",
    "testwright.db-wal",
    "runs",
    "runs/r1",
    "runs/r1/report.json",
    "cache",
    "cache/x",
    "locks",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_link_in_the_state_folder_is_refused_and_not_followed(place: str, elsewhere: Path, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    link = root / ".testwright" / place if place else root / ".testwright"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere / "testwright.db" if "." in place else elsewhere)
    with unharmed(elsewhere):
        outcome = run_on(root)
    assert outcome.code == 2
    assert "must not lead elsewhere" in outcome.err
    assert "--state-dir" in outcome.err


def test_a_pipe_in_the_state_folder_is_refused_at_once(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {".testwright/cache/x": ""})
    os.mkfifo(root / ".testwright" / "cache" / "endpoints.json")
    with pytest.raises(ProjectError, match=r"endpoints\.json is a link or no plain file"):
        load_settings({"root": root})


def test_a_state_folder_that_the_user_names_may_be_a_link(elsewhere: Path, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    (tmp_path / "link").symlink_to(elsewhere)
    assert load_settings({"root": root, "state_dir": tmp_path / "link"}).state == tmp_path / "link"


def _database(root: Path) -> Path:
    return load_settings({"root": root}).database_folder / "testwright.db"


def _record(root: Path, **settings: object) -> None:
    """A run in the project's database that nobody has begun, as an attacker may have put it there."""
    chosen = load_settings({"root": root, "run_id": "nightly", **settings})
    folder = RunFolder(root / ".testwright", "nightly").create()
    with open_store(chosen, begins=True) as store:
        stored = {"request": "unit tests", "root": str(root), "settings": chosen.stored(), "version": "0.1.0"}
        store.runs.create("nightly", **stored, redactor=Redactor([]))
        store.runs.start("nightly")
    assert folder.exists


@pytest.mark.parametrize("setting", ["python", "sandbox", "base_url", "trust_project", "mcp_servers"])
def test_a_run_recorded_in_the_clone_is_not_resumed_with_settings_that_need_consent(
    setting: str, tmp_path: Path
) -> None:
    root = hostile_project(
        tmp_path / "project", {"evil.sh": f"#!/bin/sh\ntouch {tmp_path}/ran\n"}, executable=("evil.sh",)
    )
    values = {
        "python": root / "evil.sh",
        "sandbox": "weak",
        "base_url": "http://127.0.0.1:9/v1",
        "trust_project": True,
        "mcp_servers": {"x": {"command": str(root / "evil.sh")}},
    }
    _record(root, **{setting: values[setting]})
    with pytest.raises(
        SettingsError, match=f"was not begun by you here, and wants settings that need consent: {setting}"
    ):
        api.resume("nightly", root=root)
    assert not (tmp_path / "ran").exists()


def test_a_run_recorded_in_the_clone_is_not_resumed_with_harmless_settings_either(tmp_path: Path) -> None:
    """Its checkpoints say what is read and written next."""
    root = hostile_project(tmp_path / "project")
    _record(root)
    with pytest.raises(SettingsError, match="was not begun by you here"):
        api.resume("nightly", root=root)
    assert not (tmp_path / "ran").exists()


def test_a_run_of_the_same_id_that_the_user_began_elsewhere_is_another_run(tmp_path: Path) -> None:
    mine, theirs = (hostile_project(tmp_path / name) for name in ("mine", "theirs"))
    with pytest.raises(BudgetExhausted):
        api.generate("unit tests", root=mine, run_id="nightly", max_seconds=0.001)
    _record(theirs)
    with pytest.raises(SettingsError, match="was not begun by you here"):
        api.resume("nightly", root=theirs)


@pytest.mark.parametrize("place", ["staged/tests", "specs/deep/er", "replaced/tests", "first/a/b/c"])
def test_a_link_deep_in_a_runs_folder_is_not_written_through(place: str, elsewhere: Path, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    link = root / ".testwright" / "runs" / "nightly" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    (root / ".testwright" / "runs" / "nightly" / "report.json").write_text("{}")
    with unharmed(elsewhere):
        for act in (lambda: api.generate("unit tests", root=root, run_id="nightly"), lambda: _apply(root)):
            with pytest.raises(ProjectError, match="must not lead elsewhere"):
                act()


def _apply(root: Path) -> None:
    service.apply("nightly", load_settings({"root": root}))


def test_what_an_unfinished_acceptance_is_said_to_have_written_lies_in_the_project(
    elsewhere: Path, tmp_path: Path
) -> None:
    root = hostile_project(tmp_path / "project")
    folder = RunFolder(root / ".testwright", "nightly").create()
    (elsewhere / "empty").mkdir()
    (elsewhere / ".x.testwright-tmp").write_text("of the user")
    for note in (
        {"folders": ["../../elsewhere/empty"], "files": []},
        {"folders": [], "files": [{"path": "../elsewhere/x", "new": "", "replaces": False}]},
        {"folders": [], "files": [{"path": ".git/config", "new": "", "replaces": True}]},
        {"folders": [], "files": [7]},
    ):
        folder.accepting_json.write_text(json.dumps(note))
        with unharmed(elsewhere), pytest.raises(StoreCorrupt):
            Staging(folder, root).withdraw()
    assert (elsewhere / "empty").is_dir()


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".git/commondir", "sub/.GIT/config", "a/.git./x"])
def test_nothing_of_gits_own_is_written(path: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "state", "nightly").create()
    with pytest.raises(UsageError, match="no path for a file"):
        Staging(folder, hostile_project(tmp_path / "project")).stage(path, "x")


def test_an_answer_kept_from_an_earlier_run_steers_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_cache, "lookup", lambda key: run_cache.CachedRun("kept \x1b]0;title\x07", "{}", 0))
    monkeypatch.setattr("sys.argv", ["testwright", "run", "unit tests", "--root", str(tmp_path)])
    with pytest.raises(SystemExit):
        main._answer_from_cache()
    assert capsys.readouterr().out == "kept \\x1b]0;title\\x07"


def test_a_run_that_the_user_began_is_resumed_with_its_settings(tmp_path: Path) -> None:
    """Also without saying them again: that it was begun here is noted outside the project."""
    root = hostile_project(tmp_path / "project")
    ceiling = {"trials": 20, "mutants": 0, "max_seconds": 0.001}
    with pytest.raises(BudgetExhausted):
        api.generate("unit tests", root=root, run_id="mine", answer_tokens=500, **ceiling)
    ended = api.resume("mine", root=root, max_seconds=300.0)
    assert ended.exit_code == 0


ENDLESS = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t WHERE x < 0"
FORGED_SCHEMAS = {
    "a view": "CREATE VIEW answered AS SELECT 1",
    "an endless view in place of a table": f"DROP TABLE runs; CREATE VIEW runs AS {ENDLESS}",
    "a trigger": "CREATE TRIGGER forged AFTER INSERT ON runs BEGIN UPDATE runs SET settings = '{}'; END",
    "a generated column": "ALTER TABLE runs ADD COLUMN more GENERATED ALWAYS AS ('x')",
    "a table of others": "CREATE TABLE others (x)",
}


@pytest.mark.parametrize("schema", FORGED_SCHEMAS.values(), ids=FORGED_SCHEMAS)
def test_a_database_that_computes_is_refused_and_left_as_it_is(schema: str, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    _record(root)
    with closing(sqlite3.connect(_database(root))) as database:
        database.executescript(schema)
    with pytest.raises(StoreCorrupt, match="may have come with the project"):
        api.generate("unit tests", root=root, trials=20, mutants=0)


def test_what_the_database_returns_never_becomes_the_users_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database here returns another Python than the one that was stored, as a trigger of a clone did."""
    root = hostile_project(
        tmp_path / "project", {"evil.sh": f"#!/bin/sh\ntouch {tmp_path}/ran\n"}, executable=("evil.sh",)
    )
    start = Runs.start

    def forge(runs: Runs, run_id: str) -> StoredRun:
        with closing(sqlite3.connect(_database(root))) as database, database:
            changed = "UPDATE runs SET settings = json_set(settings, '$.python', ?)"
            database.execute(changed, (str(root / "evil.sh"),))
        return start(runs, run_id)

    monkeypatch.setattr(Runs, "start", forge)
    with pytest.raises(BudgetExhausted):
        api.generate("unit tests", root=root, run_id="mine", max_seconds=0.001)
    with pytest.raises(SettingsError, match="settings that need consent: python"):
        api.resume("mine", root=root, max_seconds=60.0)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("schema", [f"CREATE VIEW responses AS {ENDLESS}", "CREATE VIEW total AS SELECT 0 AS bytes"])
def test_a_cache_that_computes_is_replaced(schema: str, tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(f"{schema}; PRAGMA user_version = 1;")
    with closing(SqliteResponses(path, 1 << 20)) as cache:
        cache.put("key", b"body")
        assert cache.get("key") == b"body"


async def test_checkpoints_that_compute_are_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "checkpoints.sqlite")) as database:
        database.executescript(f"CREATE VIEW checkpoints AS {ENDLESS}")
    with pytest.raises(StoreCorrupt, match="it has a view, 'checkpoints'"):
        async with open_checkpoints(tmp_path / "checkpoints.sqlite"):
            pass


@pytest.mark.parametrize("content", ["[" * 200_000, "[]", '{"totals": 7, "run": []}', "\udcff"], ids=range(4))
def test_a_report_that_does_not_read_stops_neither_lists_nor_cleaning(content: str, tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    _record(root)
    forged = RunFolder(root / ".testwright", "nightly").report_json
    forged.write_bytes(content.encode("utf-8", "surrogateescape"))
    where = load_settings({"root": root})
    assert [run.totals for run in service.list_runs(where)] == [None]
    assert service.show_run("nightly", where)[0].summary.totals is None
    assert service.clean(where, dry_run=True)
    with pytest.raises(StoreCorrupt, match="does not read"):
        service.html_report("nightly", where)
    with pytest.raises(StoreCorrupt, match="does not read"):
        service.apply("nightly", load_settings({"root": root, "trust_project": True}))


def test_a_finished_run_whose_report_does_not_read_is_not_resumed(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    api.generate("unit tests", root=root, run_id="mine", trials=20, run=False)
    report = RunFolder(root / ".testwright", "mine").report_json
    for content in ("[" * 200_000, "{}", '{"run": 7}', "\udcff"):
        report.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(StoreCorrupt, match=r"report\.json does not read"):
            api.resume("mine", root=root)


def test_a_page_that_came_with_the_project_is_written_anew_before_a_browser_sees_it(tmp_path: Path) -> None:
    mine, theirs = (hostile_project(tmp_path / name) for name in ("mine", "theirs"))
    api.generate("unit tests", root=mine, run_id="nightly", trials=20, run=False)
    shutil.copytree(mine / ".testwright", theirs / ".testwright")
    forged = "<script>forged()</script>"
    for root, kept in ((theirs, False), (mine, True)):
        page = RunFolder(root / ".testwright", "nightly").report_html
        page.write_text(forged)
        with closing(sqlite3.connect(_database(root))) as database, database:
            database.execute("UPDATE runs SET created_at = created_at + ?", (0 if kept else 1,))
        shown = service.html_report("nightly", load_settings({"root": root}))
        assert (shown.read_text() == forged) is kept


def test_what_a_clones_cache_answers_is_never_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Not even where the attacker has prepared it on a machine that is the same in everything else."""
    root = hostile_project(tmp_path / "project")
    for name, value in SMALL.items():
        monkeypatch.setenv(name, value)  # the environment is part of what is asked
    answered = []
    for user in ("attacker", "victim", "attacker"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / user))
        settings = load_settings({"root": root})
        if not answered:
            run_on(root)
        asked = run_cache.key_for("unit tests for everything", settings, os.environ)
        answered.append(run_cache.lookup(asked) is not None)
        assert settings.cache_dir.is_dir() is (user == "attacker")
    assert answered == [True, False, True]


def test_a_secret_that_others_can_know_names_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = hostile_project(tmp_path / "project")
    monkeypatch.setenv("XDG_CACHE_HOME", str(root))
    monkeypatch.setattr(tempfile, "tempdir", str(root))
    assert cache_folders(root) == ()
    assert unforeseeable_name(root) == unforeseeable_name(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    kept = unforeseeable_name(root)
    assert (tmp_path / "home" / "testwright" / "secret").stat().st_mode & 0o777 == 0o600
    (tmp_path / "home" / "testwright" / "secret").unlink()
    (tmp_path / "home" / "testwright" / "secret").symlink_to("/dev/zero")
    assert unforeseeable_name(root) != kept


def test_copies_of_killed_runs_go_at_the_next_start_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    state = root / ".testwright"
    dead, live = (RunFolder(state, name).create() for name in ("dead", "live"))
    for folder in (dead.scratch / "sandbox" / "t1", live.scratch / "sandbox" / "t1", state / "sandbox" / "t1"):
        folder.mkdir(parents=True)
        (folder / "lease").touch()
        (folder / "secret.py").write_text("source of the project")
    with run_lock(live):
        api.generate("unit tests", root=root, trials=20, run=False)
    assert not dead.scratch.exists()
    assert (live.scratch / "sandbox" / "t1" / "secret.py").exists()
    assert not (state / "sandbox" / "t1").exists()


def _journal(database: bytes, victim: Path) -> bytes:
    """A rollback journal that names a file as its super-journal: SQLite deletes it after rolling back."""
    size = struct.unpack(">H", database[16:18])[0]
    page, nonce, magic = database[:size], 7, bytes.fromhex("d9d505f920a163d7")
    checksum = (nonce + sum(page[at] for at in range(size - 200, 0, -200))) & 0xFFFFFFFF
    head = magic + struct.pack(">IIIII", 1, nonce, len(database) // size, 512, size)
    body = struct.pack(">I", 1) + page + struct.pack(">I", checksum)
    name = str(victim).encode()
    names = struct.pack(">I", 0x40000000 // size + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    return head.ljust(512, b"\0") + body + names


async def test_a_journal_that_names_a_file_elsewhere_has_nothing_deleted(tmp_path: Path) -> None:
    victim = tmp_path / "precious.txt"
    victim.write_text("a file of the user's")
    with closing(sqlite3.connect(tmp_path / "plain.db")) as plain:
        plain.execute("CREATE TABLE runs (run_id TEXT)")
    database = (tmp_path / "plain.db").read_bytes()
    root = hostile_project(tmp_path / "project")
    state = root / ".testwright"
    state.mkdir(exist_ok=True)
    for place in (state / "testwright.db", tmp_path / "checkpoints.sqlite"):
        place.write_bytes(database)
        place.with_name(place.name + "-journal").write_bytes(_journal(database, victim))
    with pytest.raises(StoreCorrupt, match="which SQLite would delete"):
        Store.open(state)
    with pytest.raises(StoreCorrupt, match="which SQLite would delete"):
        async with open_checkpoints(tmp_path / "checkpoints.sqlite"):
            pass
    assert victim.read_text() == "a file of the user's"


def test_a_pipe_in_the_place_of_a_journal_is_not_waited_for(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    (root / ".testwright").mkdir(exist_ok=True)
    os.mkfifo(root / ".testwright" / "testwright.db-journal")
    with pytest.raises((StoreCorrupt, ProjectError), match=r"regular file|a link"):
        service.list_runs(load_settings({"root": root}))


def test_what_a_run_kept_that_came_with_the_project_does_not_join_it(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    _record(root)
    folder = RunFolder(root / ".testwright", "nightly")
    folder.report_json.write_text(json.dumps({"files": [{"path": "conftest.py"}]}))
    where = load_settings({"root": root})
    for act in (service.apply, service.configure_pytest):
        with pytest.raises(SettingsError, match="was not begun by you here"):
            act("nightly", where)


def test_no_test_is_written_through_a_link_into_a_folder_of_git_or_an_environment(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project")
    (root / ".git" / "hooks").mkdir(parents=True, exist_ok=True)
    (root / "assets").symlink_to(root / ".git")
    there = ProjectFile(root, "assets/hooks/post-checkout")
    assert there.obstacle() == "assets is a link into a folder that takes no tests"
