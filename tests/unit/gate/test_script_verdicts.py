"""Every file that is given to Jest gets a verdict."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.gate.evidence.evidence import EvidenceRecord
from testwright.gate.runner.jest import ScriptRun
from testwright.gate.verify.scripts import _first_verdicts, _with_missing
from testwright.mcp.toolbox import script_runs
from testwright.mcp.toolbox.script_runs import idle_tests
from testwright.sandbox.javascript.jest import JestTest

pytestmark = pytest.mark.feature("T-20")


def test_a_file_without_a_result_is_an_error():
    run = ScriptRun((JestTest("a.test.js", "a works", "passed"),), lost={})
    found = _first_verdicts(_with_missing(run, ["a.test.js", "b.test.js"]), {}, frozenset())
    assert [(one.path, one.verdict) for one in found.values()] == [("a.test.js", "kept"), ("b.test.js", "error")]


def test_a_function_of_one_line_keeps_its_first_tests_although_they_add_nothing():
    spec = {"cases": [{"id": f"tc_{name}", "subject": name[:-1]} for name in ("a1", "a2", "a3", "b1", "b2", "b3")]}
    killed = {"b2": 1}
    rows = [
        EvidenceRecord(name, "m.test.js", f"tc_{name}", mutants_killed=killed.get(name, 0))
        for name in ("a1", "a2", "a3", "b1", "b2", "b3")
    ]
    assert [one.nodeid for one in idle_tests(rows, spec)] == ["a3", "b1", "b3"]


def test_a_file_that_does_not_load_is_told_with_the_error_and_not_with_the_heading():
    said = "  ● Test suite failed to run\n\n    a.test.ts:12:27 - error TS2345: Argument of type 'string'\n"
    [verdict] = _first_verdicts(ScriptRun(lost={"a.test.ts": said}), {}, frozenset()).values()
    assert "error TS2345" in verdict.reason


class _Asked(Exception):
    """What is asked of the gate is known."""


@pytest.mark.parametrize(("crossed", "mutants"), [(("program", "program"), 0), (("program", "rates"), 7)])
def test_tests_of_programs_alone_are_not_mutated(monkeypatch, crossed, mutants):
    async def target() -> None:
        return None

    async def verify(*_: object, options: Any, **__: object) -> None:
        raise _Asked(options.mutants)

    monkeypatch.setattr(script_runs, "verify_scripts", verify)
    monkeypatch.setattr(script_runs, "rendered_tests", lambda _: [])
    cases = [{"id": f"tc_{at}", "crosses": [{"to": to}], "expect": []} for at, to in enumerate(crossed)]
    services: Any = SimpleNamespace(python_target=target, repeats=1, mutants=7)
    with pytest.raises(_Asked, match=f"^{mutants}$"):
        asyncio.run(
            script_runs.run_script_tests(services, {"a.test.js": ""}, {"target": {"path": "a.js"}, "cases": cases}, {})
        )
