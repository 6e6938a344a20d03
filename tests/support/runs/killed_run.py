"""A run that stops dead at a chosen point and says so, for tests that kill its process there.

    python -m testwright.tests.support.runs.killed_run FOLDER POINT

starts the run in FOLDER, or resumes it when there is one. At POINT it prints `stopped` and waits to be killed; without
reaching it, it prints `ended`. Every agent asked and every tool called is a line in FOLDER/calls.log.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from testwright.agents.contract.protocol import AgentRequest, AgentResponse, success_response
from testwright.graph.checkpoints import open_checkpoints
from testwright.graph.context import GraphServices, RunContext
from testwright.graph.planning_graph.planning_state import PlanningAgentState, new_planning_state
from testwright.graph.running import resume_run, start_run
from testwright.store.database.database import Store
from testwright.tests.support.mcp.scripted_tools import ScriptedTools
from testwright.tests.support.runs.graph_runs import ANALYSIS, RUN_ID, files, generate, plan, spec

TARGETS = ("a", "b")


class Points:
    """Notes every point a run passes, and holds it at one of them."""

    def __init__(self, log: Path, stop: str) -> None:
        self._log = log
        self._stop = stop
        self.stopped = asyncio.Event()

    async def passed(self, point: str) -> None:
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{point}\n")
        if point == self._stop:
            self.stopped.set()
            print("stopped", flush=True)
            await asyncio.Event().wait()


class _Agent:
    def __init__(self, role: str, points: Points) -> None:
        self._role = role
        self._points = points

    async def process(self, request: AgentRequest) -> AgentResponse:
        step_id = request.metadata.trace_id.rpartition(":")[2]
        await self._points.passed(self._role if self._role == "planner" else f"{self._role}:{step_id}")
        return success_response(self._answer(request, step_id))

    def _answer(self, request: AgentRequest, step_id: str) -> dict[str, Any]:
        inputs = request.inputs or {}
        if self._role == "planner":
            return plan(*(generate(name, target=f"shop/{name}.py") for name in TARGETS))
        if self._role == "spec":
            return spec(f"tc_{step_id}_1", f"tc_{step_id}_2")
        if self._role == "writer":
            return files(
                inputs["parameters"]["test_path"], *(case["id"] for case in inputs["payload"]["spec"]["cases"])
            )
        return ANALYSIS


class _Tools(ScriptedTools):
    """Tools that drop the second case of the first target, as long as its test is there to fail."""

    def __init__(self, folder: Path, project: Path, points: Points) -> None:
        super().__init__(folder, project)
        self._points = points

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await super().call(name, arguments)
        about = arguments.get("path") or arguments.get("test_path") or arguments.get("file_path") or ""
        await self._points.passed(f"{name}:{Path(about).stem}" if about else name)
        return answer

    def _run_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        staged = self.staged_cases(arguments["test_path"])
        lost = [case_id for case_id in staged if case_id == "tc_a_2"]
        dropped = [{"case_id": one, "nodeid": one, "reason": "failed", "class": "test_defect"} for one in lost]
        return {"kept": [one for one in staged if one not in lost], "dropped": dropped}


async def session(folder: Path, points: Points) -> PlanningAgentState:
    """One process's part of the run: from the beginning, or from where the last one was killed."""
    project, run_folder = folder / "project", folder / "run"
    if not project.exists():
        (project / "shop").mkdir(parents=True)
        run_folder.mkdir()
        for name in TARGETS:
            (project / "shop" / f"{name}.py").write_text(f"# {name}\n")
    context = RunContext(run_id=RUN_ID, root=str(project))
    beginning = new_planning_state(request_id=RUN_ID, user_request="cover the shop")
    with Store.open(folder / "state") as store:
        async with open_checkpoints(run_folder / "checkpoints.sqlite") as checkpointer:
            services = GraphServices(
                agents={role: _Agent(role, points) for role in ("planner", "spec", "writer", "analyzer")},
                tools=_Tools(run_folder, project, points),
                artifacts=store.artifacts,
                emit=lambda *given, **more: None,
                audit=lambda attempt: None,
                checkpointer=checkpointer,
            )
            if store.runs.all():
                return await resume_run(context, services, initial_state=beginning)
            store.runs.create(RUN_ID, request="r", root=str(project), settings={}, version="1")
            return await start_run(beginning, context, services)


def calls(folder: Path) -> list[str]:
    """Every point passed so far, in order, of all processes."""
    return (folder / "calls.log").read_text(encoding="utf-8").splitlines()


def points_of(folder: Path, stop: str = "") -> Points:
    """The points of a run in this folder, held at `stop`."""
    return Points(folder / "calls.log", stop)


if __name__ == "__main__":
    asyncio.run(session(Path(sys.argv[1]), points_of(Path(sys.argv[1]), sys.argv[2])))
    print("ended", flush=True)
