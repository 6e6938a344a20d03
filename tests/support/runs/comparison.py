"""What two runs of one request are compared by, and the settings of runs whose breadth does not matter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REQUEST = "unit tests for the whole project"
FEW = ("--trials", "300")


def run_folder(root: Path, run_id: str) -> Path:
    """Where the run keeps its files, in the default state folder."""
    return root / ".testwright" / "runs" / run_id


def work_of(folder: Path) -> dict[str, bytes]:
    """Plan, specs and staged tests of a run's folder, byte by byte."""
    files = [folder / "plan.json", *sorted((folder / "specs").rglob("*")), *sorted((folder / "staged").rglob("*"))]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.is_file()}


def report_of(folder: Path) -> dict[str, Any]:
    """report.json without `run`, which holds what differs: ids, times, places."""
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return {name: value for name, value in report.items() if name != "run"}
