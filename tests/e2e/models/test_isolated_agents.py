"""Agents know nothing of each other but validated artifacts: every request of a whole run, on the wire (A-06)."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from testwright.app.opened_store import open_store
from testwright.config.settings import load_settings
from testwright.reports.model import Report
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI
from testwright.tests.support.agents.wire_recording import asked_by, crossed, marked, overlapping, processes_of
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.tests.support.runs.model_runs import (
    KEY,
    SPEC_PATH,
    TEST_PATH,
    case,
    cases,
    code,
    expectation,
    run_with,
    source_of,
    till,
    verdict,
)

pytestmark = pytest.mark.feature("A-06")

ROLES = ("planner", "spec", "writer", "analyzer")
ORDER = ["planner", "spec", "writer", "analyzer", "writer"]
MARKS = [f"mark-{number}-of-{role}" for number, role in enumerate(ORDER)]
PLANNED = {
    "targets": [{"path": SPEC_PATH, "symbols": None}],
    "excluded": [],
    "whole_project": False,
    "only_untested": False,
    "framework": "pytest",
    "not_understood": [{"text": "what customers pay", "reason": "said by the planner alone"}],
}
BY_HAND = "# said by the writer alone"
NOT_REDUCED = "only totals of 100 or more are reduced"


@dataclass
class Ran:
    """A run that ended, the endpoint it asked, its project and its folder."""

    report: Report
    server: ScriptedOpenAI
    root: Path

    @property
    def folder(self) -> Path:
        return self.root / ".testwright" / "runs" / "alone"


def whole_run(folder: Path, *, judged: str = "wrong_expectation", **more: Any) -> Ran:
    """All four roles on models: an expectation that does not hold is judged.

    For a wrong one what the code does is written, and both tests are kept; with a defect the run ends.
    """
    wrong = case(50, "45", expect=[expectation("45", origin="inferred")])
    first = f"{BY_HAND}\n{source_of(200, 180)}\n\n{source_of(50, 45)}"
    again = f"{BY_HAND}\n{source_of(200, 180)}\n\n{source_of(50, 50, docstring='tc_discounted_of_50: as it was seen')}"
    answers = [
        PLANNED,
        cases(case(200, "180"), wrong),
        code(first),
        verdict("tc_discounted_50", judged, NOT_REDUCED),
        *([code(again)] if judged == "wrong_expectation" else []),
    ]
    root = till(folder)
    script = [marked(one, mark) for one, mark in zip(answers, MARKS, strict=False)]
    with pytest.MonkeyPatch.context() as patched:
        report, server = asyncio.run(run_with(script, root, patched, *ROLES, run_id="alone", **more))
    return Ran(report, server, root)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The run in one process."""
    return whole_run(tmp_path_factory.mktemp("plain"))


def test_every_request_of_a_whole_run_stands_alone(plain: Ran) -> None:
    report, server, root = plain.report, plain.server, plain.root
    assert (report.exit_code, report.totals.kept) == (0, 2)
    assert [asked_by(request) for request in server.requests] == ORDER
    assert crossed(server.requests, [*MARKS, KEY, str(root)]) == []
    planner, spec, writer, analyzer, rewritten = (request.body["messages"][1]["content"] for request in server.requests)

    assert "if total > 100" not in planner  # the planner knows names, not code
    assert "if total > 100" in spec
    for text in (spec, writer, analyzer, rewritten):
        assert "said by the planner alone" not in text
    for text in (analyzer, rewritten):
        assert BY_HAND not in text
    for text in (writer, rewritten):
        _is_an_envelope(json.loads(text), root, report)
        assert "if total > 100" not in text
        assert NOT_REDUCED not in text
    assert "tc_discounted_200" not in analyzer


def _is_an_envelope(told: dict[str, Any], root: Path, report: Report) -> None:
    """What the writer is told is the stored artifact, loaded by its id, two parameters, and what tools say."""
    assert set(told) - {"context"} == {"run_id", "upstream", "payload", "parameters"}
    assert set(told["upstream"]) == {"agent", "artifact_id", "schema_id"}
    assert told["parameters"] == {"framework": "pytest", "test_path": TEST_PATH}
    with open_store(load_settings({"root": root})) as store:
        stored = store.artifacts.get(told["upstream"]["artifact_id"])
    assert told["payload"] == stored.payload
    assert stored.artifact_id in {artifact.id for artifact in report.run.artifacts if artifact.kind == "spec_output"}


@pytest.mark.timeout(900)  # four processes that load everything, on a machine that may be busy
def test_isolated_agents_ask_the_same_from_processes_that_have_ended(tmp_path: Path, plain: Ran) -> None:
    alone = whole_run(tmp_path, judged="defect", isolate_agents=True)
    assert (alone.report.totals.kept, alone.report.totals.suspected_defects) == (1, 1)
    assert [asked.raw for asked in alone.server.requests] == [asked.raw for asked in plain.server.requests[:4]]
    assert alone.report.run.spent.calls == 4

    assert processes_of(plain.folder / "audit.jsonl") == []
    processes = processes_of(alone.folder / "audit.jsonl")
    assert [process["role"] for process in processes] == list(ROLES)
    assert {process["exit_code"] for process in processes} == {0}
    assert os.getpid() not in {process["pid"] for process in processes}
    assert overlapping(processes) == []


@pytest.mark.feature("T-13")
def test_prompt_versions_are_on_record_with_every_artifact_and_every_line(plain: Ran) -> None:
    lines = list(read_attempts(plain.folder / "audit.jsonl"))
    versions = {
        line.role.removesuffix(" model"): line.details["prompt_version"] for line in lines if " model" in line.role
    }
    assert set(versions) == set(ROLES)
    asked = [line for line in lines if line.role in ROLES and line.model == "scripted"]
    assert len(asked) == len(plain.server.requests)
    assert all(one.details["prompt_version"] == versions[one.role] for one in asked)
    assert {(artifact.kind, artifact.prompt_version) for artifact in plain.report.run.artifacts} == {
        ("spec_output", versions["spec"]),
        ("writer_output", versions["writer"]),
    }
    made_with = json.loads((plain.folder / "plan.json").read_text())["made_with"]
    assert made_with == {"prompt_version": versions["planner"], "model": "scripted"}
