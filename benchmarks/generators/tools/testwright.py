"""testwright, run from this checkout as its user would, with its default settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..environments import environment
from ..sources import Source
from ..watched import Watched, run_watched
from .generated import Generated, Terms, complaint

CHECKOUT = Path(__file__).resolve().parents[3]
_TESTS = (
    "tests/generated/**/test_*.py",
    ".testwright/runs/*/staged/**/test_*.py",
    ".testwright/runs/*/first/**/test_*.py",
)
_THERE = frozenset({"added", "updated", "unchanged"})


class Testwright:
    """The whole command: planning, engine and gate.

    Args:
        repeated: run the same again over the unchanged project.
    """

    __test__ = False
    name = "testwright"
    peer = False

    def __init__(self, *, repeated: bool = True) -> None:
        self._repeated = repeated

    def version(self) -> str:
        """The commit of the checkout, and whether there are changes on top of it."""
        try:
            commit = _git("rev-parse", "--short=12", "HEAD")
            return f"{commit}+changes" if _git("status", "--porcelain", "--untracked-files=no") else commit
        except (OSError, subprocess.CalledProcessError):
            return "unknown"

    def generate(self, source: Source, terms: Terms) -> Generated:
        """See Tool."""
        home = environment("subjects", terms.folder, source.subject)
        root = source.copy(terms.work / "testwright")
        load = os.getloadavg()[0]
        done = self._run(source, root, home.folder, terms)
        report = _report(root)
        files = {
            row["path"]: (root / row["path"]).read_bytes()
            for row in report.get("files", ())
            if row["outcome"] in _THERE and (root / row["path"]).is_file()
        }
        again = self._run(source, root, home.folder, terms) if files and self._repeated else None
        notes = [] if again is None or _same(root, files) else ["the second run changed the tests"]
        return Generated(
            self.name,
            self.version(),
            files=files,
            crash="" if files else complaint(done.exit_code, done.output),
            wall_seconds=done.wall_seconds,
            cpu_seconds=done.cpu_seconds,
            peak_mib=done.peak_mib,
            first_seconds=done.first_seconds,
            again_seconds=again.wall_seconds if again else None,
            load=load,
            notes=(*notes, *_told(report)),
        )

    def _run(self, source: Source, root: Path, venv: Path, terms: Terms) -> Watched:
        request = f"unit tests for {source.path}"
        command = [sys.executable, str(CHECKOUT / "main.py"), "run", request, "--root", str(root)]
        return run_watched(
            command,
            cwd=root,
            environment={**os.environ, "VIRTUAL_ENV": str(venv)},
            wall_seconds=terms.wall_seconds,
            memory_mib=terms.memory_mib,
            niceness=terms.niceness,
            first=lambda: _has_tests(root),
        )


def _has_tests(root: Path) -> bool:
    """Whether a test file stands in the project, or in the folder of a run: kept, or as a first look at what passes."""
    return any(any(root.glob(pattern)) for pattern in _TESTS)


def _report(root: Path) -> dict[str, Any]:
    reports = sorted(root.glob(".testwright/runs/*/report.json"), key=lambda path: path.stat().st_mtime)
    return json.loads(reports[-1].read_text()) if reports else {}


def _told(report: dict[str, Any]) -> list[str]:
    """What its reader is told besides the tests."""
    totals = report.get("totals", {})
    reasons = [row["reason"] or "no reason" for target in report.get("targets", ()) for row in target["not_reached"]]
    told = [f"{totals.get('dropped', 0)} tests dropped by its own gate"] if totals.get("dropped") else []
    told += [f"{totals['suspected_defects']} suspected defects"] if totals.get("suspected_defects") else []
    return told + ([f"{len(reasons)} functions told as not reached"] if reasons else [])


def _same(root: Path, files: dict[str, bytes]) -> bool:
    return all((root / path).is_file() and (root / path).read_bytes() == contents for path, contents in files.items())


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(CHECKOUT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
