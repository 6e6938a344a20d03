"""Whole runs in which scripted models answer: the project, the answers' forms, the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.app import api
from testwright.reports.model import Report
from testwright.tests.support.agents.scripted_openai import Reply, ScriptedOpenAI
from testwright.tests.support.projects.files import OWN_PYTEST, make_project

KEY = "scripted-key-of-the-tests"
SPEC_PATH, TEST_PATH = "src/till/prices.py", "tests/generated/till/test_till_prices.py"
TILL = {
    **OWN_PYTEST,
    "src/till/__init__.py": "",
    SPEC_PATH: '''"""Prices."""


def discounted(total: int) -> int:
    """The price to pay: ten percent off for totals of 100 or more."""
    if total > 100:
        return total - total // 10
    return total
''',
}
IMPORTS = ["from till.prices import discounted"]
UNCLEAR = ", for what customers pay"
"""Words that the embedded planner does not understand, behind a request: only then a planner's model is asked."""


def case(total: int, expected: str, *, name: str = "", **more: Any) -> dict[str, Any]:
    """A case of the till in the form of an answer: `discounted(total)` equals `expected`."""
    return {
        "id": f"tc_discounted_{name or total}",
        "title": f"discounted takes {total} to {expected}",
        "subject": "discounted",
        "priority": "high",
        "fixtures": [],
        "statements": [],
        "expression": f"discounted({total})",
        "mode": "call",
        "expected": f"The price is {expected}.",
        "expect": [expectation(expected)],
        **more,
    }


def expectation(value: str, *, origin: str = "documented") -> dict[str, Any]:
    """That the result equals `value`."""
    return {
        "kind": "equals",
        "actual": "result",
        "value": value,
        "exception": None,
        "match": None,
        "origin": origin,
        "lines": [5, 5],
    }


def cases(*given: Mapping[str, Any], imports: Sequence[str] = tuple(IMPORTS)) -> dict[str, Any]:
    """An answer of the spec agent's model."""
    return {"imports": list(imports), "cases": [dict(one) for one in given]}


def code(body: str, path: str = TEST_PATH) -> dict[str, Any]:
    """An answer of the writer's model: one file, imports above."""
    return {"files": [{"path": path, "contents": f'"""Prices at the till."""\n\n{IMPORTS[0]}\n\n\n{body}'}]}


def source_of(total: int, expected: int, *, docstring: str = "") -> str:
    """The source of a test of the till."""
    told = docstring or f"tc_discounted_{total}: what is to be paid"
    return f'def test_discounted_{total}():\n    """{told}."""\n    assert discounted({total}) == {expected}\n'


def verdict(case_id: str, said: str, reason: str = "the docstring says so") -> dict[str, Any]:
    """An answer of the analyzer's model."""
    one = {"case_id": case_id, "verdict": said, "reason": reason, "documented": "ten percent off from 100 on"}
    return {"verdicts": [{**one, "lines": [5, 5]}]}


def till(folder: Path, files: Mapping[str, str] = TILL) -> Path:
    """The till's project."""
    return make_project(folder / "till", files)


async def run_with(
    script: Sequence[Reply] | ScriptedOpenAI, root: Path, monkeypatch: pytest.MonkeyPatch, *roles: str, **settings: Any
) -> tuple[Report, ScriptedOpenAI]:
    """Unit tests for the till, with a scripted model in some roles; the script must be used up exactly."""
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    given: dict[str, Any] = {"trials": 40, "repeats": 1, "mutants": 0, "jobs": 1, "apply": True, **settings}
    with script if isinstance(script, ScriptedOpenAI) else ScriptedOpenAI(script) as server:
        report = await api.agenerate(
            f"unit tests for {SPEC_PATH}{UNCLEAR if 'planner' in roles else ''}",
            root=root,
            base_url=server.base_url,
            models=dict.fromkeys(roles, "openai:scripted"),
            **given,
        )
    return report, server
