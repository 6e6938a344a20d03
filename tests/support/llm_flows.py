"""The flows that run against any endpoint, and again from their cassettes: one project, models in different roles."""

from __future__ import annotations

from pathlib import Path

from testwright.api import generate
from testwright.reports.model import Report
from testwright.tests.support.paid_runs import halves

CASSETTES = Path(__file__).resolve().parents[1] / "data" / "cassettes"
FLOWS = {
    "planner": ("planner",),
    "spec": ("spec",),
    "unit_path": ("spec", "writer", "analyzer"),
}


def run_flow(name: str, folder: Path, base_url: str, model: str) -> Report:
    """Unit tests for one small function, with the model in the flow's roles."""
    return generate(
        "unit tests for src/halves/half.py",
        root=halves(folder / "project"),
        base_url=base_url,
        models=dict.fromkeys(FLOWS[name], f"openai:{model}"),
        jobs=1,
        trials=200,
        repeats=1,
    )
