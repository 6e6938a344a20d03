"""Text of a clone that patterns are matched on: none of it takes longer than its length explains."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.analysis.code_search.chunks import document_chunks
from testwright.engine.python.project.exploration_digest import Foundations
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
