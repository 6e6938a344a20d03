"""The application under test leaves the user's files alone: also where a kept test runs outside any sandbox."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from testwright.engine.api.write.render import helper_source

pytestmark = pytest.mark.feature("B-17")

APP = """
import contextlib, json, os, pathlib, sqlite3

ROOT = pathlib.Path(__file__).parent


def rows():
    with contextlib.closing(sqlite3.connect(ROOT / "shop.db")) as database, database:
        database.execute("delete from orders where id = 1")
        return database.execute("select count(*) from orders").fetchone()[0]


def searched():
    with contextlib.closing(sqlite3.connect(ROOT / "shop.db")) as database:
        [(notes,)] = database.execute("select count(*) from notes where notes match 'tea OR gone'")
        [(triggers,)] = database.execute("select count(*) from sqlite_master where type = 'trigger'")
        return [notes, triggers]


def noted():
    with contextlib.closing(sqlite3.connect(ROOT / "shop.db")) as database:
        return database.execute("select * from alembic_version").fetchall()


def relative():
    with contextlib.closing(sqlite3.connect("data/shop.db")) as database, database:
        database.execute("delete from orders where id = 1")
        return database.execute("select count(*) from orders").fetchone()[0]


def fresh():
    with contextlib.closing(sqlite3.connect("shop.db")) as database, database:
        return [name for name, in database.execute("select name from sqlite_master")]


def home():
    (pathlib.Path.home() / "invoice.txt").write_text("1")
    return "written"


def source():
    (ROOT / "notes.txt").write_text("1")
    return "written"


def rename():
    os.rename(ROOT / "shop.db", "shop.db")
    return "renamed"


def app(environ, start_response):
    try:
        status, text = "200 OK", globals()[environ["PATH_INFO"][1:]]()
    except OSError as error:
        status, text = "500 Internal Server Error", f"{type(error).__name__}: {error}"
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(text).encode()]
"""


@pytest.fixture
def helper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "helpers"
    folder.mkdir()
    for name in ("api_process", "api_serving"):
        (folder / f"{name}.py").write_text(helper_source(name), encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.syspath_prepend(folder)
    spec = importlib.util.spec_from_file_location("api_process", folder / "api_process.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("api_serving", None)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(APP, encoding="utf-8")
    with sqlite3.connect(folder / "shop.db") as database:
        database.execute("create table orders (id integer)")
        database.executemany("insert into orders values (?)", [(1,), (2,)])
    return folder


def orders(project: Path) -> int:
    with sqlite3.connect(project / "shop.db") as database:
        return database.execute("select count(*) from orders").fetchone()[0]


def test_a_database_of_the_project_is_opened_as_a_copy_that_a_reset_renews(helper: ModuleType, project: Path) -> None:
    with helper.Application("shop:app", root=project, import_roots=["."]) as api:
        assert api.post("/rows").json == 1
        api.reset()
        assert api.post("/rows").json == 1
    assert orders(project) == 2


def test_a_database_in_a_folder_of_the_project_is_found_by_a_path_from_there(helper: ModuleType, project: Path) -> None:
    (project / "data").mkdir()
    (project / "shop.db").rename(project / "data" / "shop.db")
    with helper.Application("shop:app", root=project, import_roots=["."]) as api:
        assert api.post("/relative").json == 1
        api.reset()
        assert api.post("/relative").json == 1
    with sqlite3.connect(project / "data" / "shop.db") as database:
        assert database.execute("select count(*) from orders").fetchone()[0] == 2


def test_a_database_that_is_to_be_empty_keeps_its_tables_and_what_migrations_note(
    helper: ModuleType, project: Path
) -> None:
    with sqlite3.connect(project / "shop.db") as database:
        database.execute("create table alembic_version (version_num text)")
        database.execute("insert into alembic_version values ('a1')")
    with helper.Application("shop:app", root=project, import_roots=["."], emptied=["shop.db"]) as api:
        assert api.post("/rows").json == 0
        assert api.post("/noted").json == [["a1"]]
        api.reset()
        assert api.post("/rows").json == 0
    assert orders(project) == 2


def test_an_empty_database_keeps_its_search_tables_and_triggers(helper: ModuleType, project: Path) -> None:
    with sqlite3.connect(project / "shop.db") as database:
        database.execute("create table alembic_version (version_num text)")
        database.execute("create virtual table notes using fts5(text)")
        database.execute("insert into notes values ('tea')")
        database.execute("create trigger note after delete on orders begin insert into notes values ('gone'); end")
    with helper.Application("shop:app", root=project, import_roots=["."], emptied=["shop.db"]) as api:
        assert api.post("/searched").json == [0, 1]


def test_a_database_beside_the_application_is_a_fresh_one(helper: ModuleType, project: Path) -> None:
    with helper.Application("shop:app", root=project, import_roots=["."]) as api:
        assert api.post("/fresh").json == []


def test_the_home_folder_is_a_temporary_one(helper: ModuleType, project: Path, tmp_path: Path) -> None:
    with helper.Application("shop:app", root=project, import_roots=["."]) as api:
        assert api.post("/home").json == "written"
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("act", ["source", "rename"])
def test_other_changes_are_refused_with_the_path(helper: ModuleType, project: Path, act: str) -> None:
    before = {path.name for path in project.iterdir()}
    with helper.Application("shop:app", root=project, import_roots=["."]) as api:
        answer = api.post(f"/{act}")
    assert answer.status == 500
    assert "below its temporary folder only" in answer.json
    assert str(project) in answer.json
    assert {path.name for path in project.iterdir()} - {"__pycache__"} == before
