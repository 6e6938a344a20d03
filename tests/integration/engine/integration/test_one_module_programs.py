"""A program in one module is tested with the files and the database that its documents speak of."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.integration_specs import IntegrationSpecGenerator
from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.engine.rendering import render_files
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.utils.schema_registry import validator

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.anyio]

PROGRAM = '''
import argparse
import contextlib
import json
import sqlite3
import sys


def main():
    """Load records of JSON into a table."""
    parser = argparse.ArgumentParser(prog="load-rows")
    parser.add_argument("db_path")
    parser.add_argument("file", help="a JSON file")
    parser.add_argument("--pk", help="Column to use as a primary key")
    given = parser.parse_args()
    with open(given.file, encoding="utf-8") as file:
        rows = json.load(file)
    if not isinstance(rows, list):
        sys.exit("load-rows: the file must hold a list")
    columns = [name + " PRIMARY KEY" * (name == given.pk) for name in rows[0]]
    with contextlib.closing(sqlite3.connect(given.db_path)) as database, database:
        database.execute(f"CREATE TABLE IF NOT EXISTS pets ({', '.join(columns)})")
        database.executemany("INSERT INTO pets VALUES (?, ?)", [tuple(row.values()) for row in rows])
'''
FILES = {
    "load_rows/__init__.py": "",
    "load_rows/cli.py": PROGRAM,
    "pyproject.toml": '[project]\nname = "load-rows"\nversion = "1"\n\n'
    '[project.scripts]\nload-rows = "load_rows.cli:main"\n',
    "README.md": 'A file `pets.json` containing the following:\n\n```json\n[{"name": "Cleo", "age": 4}, '
    '{"name": "Rex", "age": 7}]\n```\n\nis loaded by\n\n```\n$ load-rows pets.db pets.json --pk=name\n```\n',
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The spec of the program's tests, and the folder of the project with the rendered file."""
    async with prepared(tmp_path_factory.mktemp("loading"), FILES, import_roots=(".",)) as target:

        async def ready() -> Any:
            return target

        generator = IntegrationSpecGenerator(ready, target.root)
        spec = (await generator.generate({"target": {"path": "load_rows/cli.py", "symbols": None}})).spec
        (file,) = render_files(spec, "pytest", "test_load_rows.py")
        (target.root / file.path).write_text(file.contents, encoding="utf-8")
        return spec, target.root


async def test_its_spec_is_valid_and_begins_with_the_documented_line(written: tuple[dict[str, Any], Path]) -> None:
    spec, _ = written
    assert [error.message for error in validator("schemas/integration_test_schema_v1.json").iter_errors(spec)] == []
    assert list(quality_issues(spec, "integration")) == []
    lines = [case["act"]["steps"][-1]["expression"] for case in spec["cases"]]
    assert "run_load_rows('pets.db', 'pets.json', '--pk', 'name', cwd=tmp_path)" in lines
    assert spec["title"] == "Integration tests for load_rows.cli"


async def test_rows_the_primary_key_and_the_refusal_are_asserted(written: tuple[dict[str, Any], Path]) -> None:
    text = json.dumps(written[0]["cases"])
    assert "[{'name': 'Cleo', 'age': 4}, {'name': 'Rex', 'age': 7}]" in text
    assert "primary_key_of(tmp_path / 'pets.db', 'pets')" in text
    assert "load-rows: the file must hold a list" in text


async def test_its_tests_pass_where_the_project_is(written: tuple[dict[str, Any], Path]) -> None:
    spec, root = written
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_load_rows.py"],
        cwd=root,
        env={**WITHOUT_PLUGINS, "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{len(spec['cases'])} passed" in done.stdout, done.stdout + done.stderr
