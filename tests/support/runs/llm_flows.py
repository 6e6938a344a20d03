"""The flows that run against any endpoint, and again from their cassettes: small projects, models in all roles."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testwright.agents.contract.lifecycle import RequestOptions, send_request
from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.app.agent_factory import create_agents
from testwright.app.api import agenerate
from testwright.app.model_clients import open_model_clients
from testwright.app.runs import explore_repository
from testwright.config.settings import load_settings
from testwright.core.errors import TestwrightError
from testwright.core.exit_code import ExitCode
from testwright.reports.model import Report
from testwright.store.files.run_folder import request_id_of
from testwright.tests.support.mcp.tool_session import no_target, no_tools, unit_case, unit_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.runs.paid_runs import HALF

CASSETTES = Path(__file__).resolve().parents[2] / "data" / "cassettes"
FLOWS: Mapping[str, tuple[str, ...]] = {
    "unit_path": ("spec", "writer", "analyzer"),
    "planner": ("planner",),
    "spec": ("spec",),
    "writer": ("writer",),
    "analyzer": ("analyzer",),
    "crawler": ("crawler",),
    "case": ("case",),
    "engineer": ("engineer",),
    "repository": ("crawler", "case", "engineer"),
}
"""Flow → the roles that ask the model; the others are embedded. The model of `analyzer` judges one disagreement."""

ORDERLY = frozenset(
    {ExitCode.OK, ExitCode.NOTHING_KEPT, ExitCode.PARTIAL, ExitCode.PRODUCT_DEFECT, ExitCode.TEST_DEFECT}
)
"""How a run may end whose model is weak: with fewer tests, never with a fault."""

_REPOSITORY = frozenset({"crawler", "case", "engineer"})
_SHOP = {
    "app/__init__.py": "",
    "app/main.py": """from fastapi import FastAPI

app = FastAPI()


@app.get("/ping")
def ping():
    return {"answer": "pong"}
""",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["fastapi>=0.1"]\n',
}


def run_flow(name: str, folder: Path, base_url: str, model: str) -> dict[str, Any]:
    """Run a flow; how it ended, as plain data that is the same for the same answers.

    Nothing of where and when it runs is in what the model is asked: the run's id is the flow's name.
    """
    roles = FLOWS[name]
    told: dict[str, Any] = {
        "base_url": base_url,
        "models": dict.fromkeys(roles, f"openai:{model}"),
        "run_id": f"flow-{name}",
        "jobs": 1,
        "model_timeout": 1000.0,
    }
    try:
        if name == "analyzer":
            return asyncio.run(_judged(folder, told))
        if _REPOSITORY & set(roles):
            report = asyncio.run(_repository(folder, told))
        else:
            report = asyncio.run(_units(folder, told))
    except TestwrightError as error:
        return {"error": type(error).__name__, "exit_code": int(error.exit_code)}
    return _outcome(report)


async def _units(folder: Path, told: Mapping[str, Any]) -> Report:
    root = make_project(folder / "project", HALF)
    request = "unit tests for src/halves/half.py"
    if "planner" in told["models"]:
        request += ", for what teachers share"  # not understood without a model
    return await agenerate(request, root=root, trials=60, repeats=1, apply=True, **told)


async def _repository(folder: Path, told: Mapping[str, Any]) -> Report:
    root = make_project(folder / "project", _SHOP)
    ended = await explore_repository("engineer", load_settings({"root": root, **told}), depth="smoke")
    return ended.report


async def _judged(folder: Path, told: Mapping[str, Any]) -> dict[str, Any]:
    """The analyzer alone, asked about a test that expects what the docstring does not promise."""
    settings = load_settings({"root": make_project(folder / "project", HALF), **told})
    case = unit_case(id="tc_half_of_three", subject="half", act={"expression": "half(3)", "mode": "call"})
    target = {"path": "src/halves/half.py", "module": "halves.half", "import_root": "src", "digest": "0" * 64}
    dropped = {"case_id": case["id"], "nodeid": "t::x", "class": "test_defect", "message": "ValueError: odd"}
    inputs = {
        "run_id": request_id_of(str(told["run_id"])),
        "test_results": {"kept": [], "dropped": [{**dropped, "reason": "it fails"}], "repeats": 1},
        "spec": unit_spec(target=target, cases=[case], imports=["from halves.half import half"]),
        "target": None,
    }
    async with open_model_clients(settings, os.environ) as chats:
        agent = create_agents(settings, no_target, chats.by_role, no_tools())["analyzer"]
        metadata = RequestMetadata(str(told["run_id"]), timeout=3000.0)
        async with agent:
            answered = await send_request(
                agent,
                AgentRequest("judge it", "analyze_results", metadata, inputs),
                role="analyzer",
                options=RequestOptions(sleep=_at_once),
            )
    total = chats.budget.total
    return {
        "exit_code": int(ExitCode.OK),
        "executed": True,
        "status": str(answered.status),
        "trace": [{key: one[key] for key in ("event", "verdict") if key in one} for one in answered.trace],
        "calls": total.calls,
        "tokens_in": total.tokens_in,
        "tokens_out": total.tokens_out,
    }


async def _at_once(seconds: float) -> None:
    """Wait for nothing: the endpoint is one's own."""


def _outcome(report: Report) -> dict[str, Any]:
    spent = report.run.spent
    return {
        "exit_code": int(report.exit_code),
        "exit_reason": report.exit_reason,
        "steps": {step.id: step.status for step in report.plan},
        "kept": report.totals.kept,
        "executed": all(target.execution == "executed" for target in report.targets if target.kept),
        "calls": spent.calls,
        "tokens_in": sum(model.tokens_in for model in spent.models),
        "tokens_out": sum(model.tokens_out for model in spent.models),
    }


def also_sent(environment: Mapping[str, str]) -> dict[str, Any]:
    """Fields that only the endpoint at hand needs, from TESTWRIGHT_LLM_ALSO, a JSON object."""
    return json.loads(environment.get("TESTWRIGHT_LLM_ALSO") or "{}")
