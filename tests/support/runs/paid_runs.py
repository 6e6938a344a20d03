"""Whole runs of the real command on a project of one small function, against a scripted endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI
from testwright.tests.support.projects.files import OWN_PYTEST, make_project

KEY = "k-only-for-this-test-0123456789"
HALF = {
    **OWN_PYTEST,
    "src/halves/__init__.py": "",
    "src/halves/half.py": '''"""Halves."""


def half(number: int) -> int:
    """Half of an even number.

    Raises:
        ValueError: the number is odd.
    """
    if number % 2:
        raise ValueError("odd")
    return number // 2
''',
}


def halves(folder: Path) -> Path:
    """A project of one small function."""
    return make_project(folder, HALF)


def flags(
    root: Path, server: ScriptedOpenAI, *more: str, models: tuple[str, ...] = ("spec=openai:scripted",)
) -> list[str]:
    """What the command `run` is given besides its request."""
    asked = [part for model in models for part in ("--model", model)]
    return ["--root", str(root), "--base-url", server.base_url, *asked, "--apply", "--jobs", "1", *more]


def environment() -> dict[str, str]:
    """The key, an embedded engine that does not try long, and no mutants: what is paid is the subject."""
    return {"TESTWRIGHT_API_KEY": KEY, "TESTWRIGHT_TRIALS": "200", "TESTWRIGHT_MUTANTS": "0"}


def report_of(root: Path, run_id: str) -> dict[str, Any]:
    """A run's report.json."""
    return json.loads((root / ".testwright" / "runs" / run_id / "report.json").read_text())


def audit_of(root: Path, run_id: str) -> list[dict[str, Any]]:
    """A run's audit log."""
    lines = (root / ".testwright" / "runs" / run_id / "audit.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def case(name: str, expression: str, *, value: str | None = None, exception: str | None = None) -> dict[str, Any]:
    """One case as a spec model answers it: a value, or an exception."""
    expected = {"kind": "raises", "exception": exception} if exception else {"kind": "equals", "value": value}
    blank = {"kind": None, "actual": None, "value": None, "exception": None, "match": None}
    actual = {} if exception else {"actual": "result"}
    return {
        "id": f"tc_{name}",
        "title": f"{expression} {'raises' if exception else 'is'} {exception or value}",
        "subject": expression.partition("(")[0],
        "priority": "high",
        "fixtures": [],
        "statements": [],
        "expression": expression,
        "mode": "call",
        "expected": f"It {'raises' if exception else 'is'} {exception or value}.",
        "expect": [{**blank, **actual, **expected, "origin": "documented", "lines": [4, 12]}],
    }


def half_spec() -> dict[str, Any]:
    """A spec model's answer about `half` that is right the first time."""
    cases = [case("half_of_four", "half(4)", value="2"), case("half_of_odd", "half(3)", exception="ValueError")]
    return {"imports": ["from halves.half import half"], "cases": cases}
