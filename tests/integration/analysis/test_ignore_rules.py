"""What `.gitignore` files say, decided as git decides it, and in time whatever they say."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from testwright.analysis.ignore_rules import decision_on, read_rules

PATHS = (
    *("a", "b", "c.py", "c.pyc", "#hash", "!bang", "sp ace", "end ", "[x]", "star*", "build", "doc.txt", "x1", "xa"),
    *("a/b", "a/b/c", "a/x/b", "a/x/y/b", "build/x", "src/build", "src/build/x", "src/doc.txt", "deep/a/b/c.pyc"),
)
LINES = (
    *("a", "/a", "a/", "/a/b", "a/b", "a/**", "**/b", "a/**/b", "**", "*", "*.pyc", "*.py[co]", "!c.pyc", "?", "b/*"),
    *(
        "\\#hash",
        "#hash",
        "\\!bang",
        "end\\ ",
        "sp ace",
        "trail   ",
        "[[]x]",
        "\\[x\\]",
        "star\\*",
        "x[0-9]",
        "x[!0-9]",
    ),
    *(
        "x[^0-9]",
        "build/",
        "/build",
        "src/**/x",
        "doc*.txt",
        "/*.txt",
        "**/build/**",
        "a**b",
        "[",
        "",
        "   ",
        "/",
        "//",
        "!",
    ),
)


@pytest.mark.parametrize("more", ["", "!c.pyc", "!/build"])
@pytest.mark.parametrize("line", LINES)
def test_it_decides_as_git_does(line: str, more: str, repository: Path) -> None:
    text = f"{line}\n{more}\n"
    (repository / ".gitignore").write_text(text)
    asked = "\0".join(PATHS).encode()
    command = ["git", "-C", str(repository), "check-ignore", "--no-index", "--stdin", "-z"]
    said = subprocess.run(command, input=asked, capture_output=True, check=False).stdout.decode().split("\0")
    rules = read_rules(text.splitlines())
    found = [path for path in PATHS if _is_ignored(path, rules)]
    assert found == [path for path in PATHS if path in said]


def _is_ignored(path: str, rules) -> bool:
    """A folder that is ignored takes everything in it along."""
    names = path.split("/")
    folders = (decision_on("/".join(names[:end]), True, rules) for end in range(1, len(names)))
    return any(folders) or bool(decision_on(path, path == "build", rules))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "build").mkdir()
    return root


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 40 + "b", "a" * 255),
        ("**/a/" * 40 + "b", "/".join(["a"] * 500)),
        ("**/*a*a*a*a/" * 20 + "b", "/".join(["a" * 60] * 16)),
        ("[" * 500, "[" * 255),
        ("a/**/" * 100 + "b", "a/" * 500 + "a"),
    ],
)
def test_no_rule_takes_long(line: str, path: str) -> None:
    before = time.process_time()
    assert decision_on(path, False, read_rules([line])) is None
    assert time.process_time() - before < 2
