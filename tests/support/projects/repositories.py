"""git repositories made by tests, apart from the configuration of whoever runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repository:
    """A git repository in a folder.

    Args:
        folder: made where it is missing.
        clone: make it by cloning this one; `depth` bounds its history.
    """

    def __init__(self, folder: Path, *, clone: Repository | None = None, depth: int | None = None) -> None:
        self.folder = folder
        if clone is None:
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main")
        else:
            bounded = [] if depth is None else [f"--depth={depth}"]
            _git(folder.parent, "clone", "-q", *bounded, clone.folder.as_uri(), str(folder))

    def git(self, *words: str, given: str = "") -> str:
        """Run git here with a text to read; its output, without the last line's end."""
        return _git(self.folder, *words, given=given)

    def write(self, files: dict[str, str]) -> None:
        """Write files by path; nothing is added or committed."""
        for path, text in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def commit(self, files: dict[str, str] | None = None, message: str = "change") -> str:
        """Write files, commit everything, and say the commit's id."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def _git(folder: Path, *words: str, given: str = "") -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com"}
    who |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}
    environment |= {**who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(words)}: {done.stderr}"
    return done.stdout.rstrip("\n")
