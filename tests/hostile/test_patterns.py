"""Text of a clone that patterns are matched on: none of it takes longer than its length explains."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.analysis.code_search.chunks import document_chunks
from testwright.engine.integration.model import programs
from testwright.engine.integration.programs import arguments
from testwright.engine.python.outside import databases
from testwright.engine.python.project.exploration_digest import Foundations
from testwright.engine.python.usage import usage
from testwright.engine.repository.pages import javascript_facts, next_page
from testwright.utils.redact import Redactor
from testwright.vcs.git_files import unreadable_git_file

LONG = 400_000
BLANKS = "x" + " " * LONG + "y"

# `re` cannot count its steps, and holds the interpreter's lock: a quadratic search of this takes minutes, a linear one
# less than a second.
pytestmark = pytest.mark.timeout(20)


@pytest.mark.parametrize("line", [f"# {BLANKS}", "#" + " " * LONG, "# " + "#" * LONG + "x", "-" * LONG + "x"])
def test_a_heading_full_of_blanks_is_cut_at_once(line: str) -> None:
    assert [chunk.kind for chunk in document_chunks(f"{line}\ntext\n")] == ["section"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("# A title", "A title"),
        ("##  A title  ##", "A title"),
        ("# C# and F#", "C# and F"),
        ("### ##", "##"),
    ],
)
def test_headings_keep_their_names(line: str, name: str) -> None:
    assert [chunk.name for chunk in document_chunks(f"{line}\ntext\n")] == [name]


@pytest.mark.parametrize("value", [BLANKS, f'"{BLANKS}', '"' * LONG + "x"])
def test_a_git_configuration_full_of_blanks_is_read_at_once(tmp_path: Path, value: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f"[core]\n\ta = {value}\n")
    assert unreadable_git_file(tmp_path) is None


def test_a_name_of_very_many_words_is_redacted_at_once() -> None:
    text = "SECRET_" * (LONG // 7)
    assert Redactor().text(f"# {text}") == f"# {text}"


def test_empty_lines_without_a_class_are_passed_over_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def price(): ...\n")
    (tmp_path / "b.py").write_text("\n" * LONG + "x = 1\n")
    assert Foundations(tmp_path, ("a.py", "b.py")).digest_of("a.py")


SCRIPTS = ["/*", "/*a", "//", "import a ", "import " + " " * 99, "export * ", "require('a", "x.get('/a", "const a = "]


@pytest.mark.parametrize("unit", SCRIPTS)
def test_a_script_of_beginnings_without_ends_is_read_at_once(unit: str) -> None:
    text = unit * (LONG // 10 // len(unit))
    javascript_facts("server.js", f"express\n{text}")
    next_page("app/page.tsx", "metadata " * (LONG // 200) + text)


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("import a from './x'", True),
        ("import {b, c} from './x'", True),
        ("import './x'", True),
        ("import a, {b} from './x'", True),
        ("import * as a from './x'", True),
        ("export * from './x'", True),
        ("/* import a from './x' */", False),
        ("// import a from './x'", False),
        ("/* a */ import a from './x' // /*", True),
        ("// */ import a from './x'", False),
    ],
)
def test_imports_of_scripts_are_read_and_comments_are_not(text: str, imported: bool) -> None:
    assert bool(javascript_facts("server.js", text).imports) is imported


def test_other_patterns_on_texts_of_a_project_take_linear_time() -> None:
    blanks = " " * (LONG // 4)
    assert programs._ENTRY.match(f"a = b{blanks}x") is None
    assert arguments._COLUMNS.search(f"column{blanks}") is None
    assert not list(usage._FENCE.finditer(f"```{blanks}"))
    assert not databases._TABLE.search("create table a (" * 5_000)
    assert len(list(databases._columns("a int," * 20_000))) == 20_000


def test_the_patterns_read_what_they_are_for() -> None:
    entry = programs._ENTRY.match("shop = shop.cli : main  [extra]")
    assert entry is not None
    assert entry.groups() == ("shop", "shop.cli", "main")
    columns = arguments._COLUMNS.search("with columns: name, price and count of each")
    assert columns is not None
    assert columns[1] == "name, price and count"
    assert [column.name for column in databases._columns("a int, b decimal(5, 2), c text")] == ["a", "b", "c"]
