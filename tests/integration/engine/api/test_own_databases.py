"""Which databases of a project hold rows that only this machine has."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.engine.api.document.own_databases import untracked_databases
from testwright.engine.api.probe.budget import ApiBudget
from testwright.engine.rendering import render_files
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.notes_app import NoDocuments
from testwright.tests.support.projects.repositories import Repository

pytestmark = pytest.mark.feature("B-17")


def make_database(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("create table orders (id integer)")


def test_those_are_found_that_the_sources_name_and_the_repository_does_not_track(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    make_database(repository.folder / "seed.db")
    repository.commit({"shop.py": "PLACES = 'dev.sqlite3', 'left.db', 'notes.db'", ".gitignore": "instance/\n"})
    make_database(repository.folder / "instance" / "dev.sqlite3")
    make_database(repository.folder / "left.db")
    make_database(repository.folder / "unused.db")
    (repository.folder / "notes.db").write_text("no database", encoding="utf-8")
    assert untracked_databases(repository.folder) == ("instance/dev.sqlite3", "left.db")


APP = """
import pathlib
import sqlite3

from flask import Flask, jsonify, request

app = Flask(__name__)
PLACE = pathlib.Path(__file__).parent / "notes.db"


def rows(query, *values):
    with sqlite3.connect(PLACE) as database:
        return database.execute(query, values).fetchall()


@app.get("/notes")
def list_notes():
    return jsonify([text for (text,) in rows("SELECT text FROM notes")])


@app.post("/notes")
def create_note():
    rows("INSERT INTO notes VALUES (?)", str((request.get_json(silent=True) or {}).get("text")))
    return jsonify({"made": True}), 201
"""


async def test_no_test_holds_rows_that_only_the_developer_has(tmp_path: Path) -> None:
    files = {"notes.py": APP, ".gitignore": "*.db\n"}
    root = tmp_path / "project-of-a-user"
    Repository(root).commit(files)
    with sqlite3.connect(root / "notes.db") as database:
        database.execute("CREATE TABLE notes (text TEXT)")
        database.execute("INSERT INTO notes VALUES ('call the dentist')")
    async with prepared(tmp_path, files, import_roots=(".",)) as target:

        async def ready() -> Any:
            return target

        generator = ApiSpecGenerator(ready, root, NoDocuments(), budget=ApiBudget(proposals=40, pairs=5))
        named = {"path": "notes.py", "application": {"import": "notes:app"}}
        made = await generator.generate({"target": named, "framework": "pytest"})
    assert "dentist" not in json.dumps(made.spec)
    assert made.spec["target"]["application"]["emptied_databases"] == ["notes.db"]
    assert any("an empty copy of notes.db" in note for note in made.metadata["notes"])
    (file, *_) = render_files(made.spec, "pytest", "tests/test_notes_api.py")
    assert 'emptied=["notes.db"]' in file.contents


def test_without_a_repository_all_belong_to_the_project(tmp_path: Path) -> None:
    make_database(tmp_path / "app.db")
    assert untracked_databases(tmp_path) == ()
