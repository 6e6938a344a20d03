"""What tests of the graphs share: services around scripted agents and tools, a plan, a spec, a run."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from testwright.agents.contract.lifecycle import RequestOptions
from testwright.agents.contract.protocol import AgentProtocol
from testwright.core.events import EventType
from testwright.graph.context import GraphServices, RunContext, providing
from testwright.graph.execution_graph.graph import build_testing_graph, transient_retries
from testwright.graph.execution_graph.state import TestingAgentState, new_testing_state
from testwright.store.database.artifacts import Artifact, artifact_id_of
from testwright.store.files.audit import AuditEntry
from testwright.tests.support.mcp.scripted_tools import ScriptedTools, test_source
from testwright.utils.canonical import digest_of

RUN_ID = "0b5ff1d2-6f0e-4c8e-9a56-3f2f5f0d7a11"


class MemoryArtifacts:
    """An artifact store without a database, with the real one's ids."""

    def __init__(self) -> None:
        self.stored: dict[str, Artifact] = {}

    def put(self, run_id: str, kind: str, payload: Any, *, meta: Mapping[str, Any]) -> Artifact:
        content = {"meta": dict(meta), "payload": payload}
        artifact_id = artifact_id_of(run_id, kind, digest_of(content))
        return self.stored.setdefault(
            artifact_id, Artifact(artifact_id, run_id, kind, digest_of(content), content, created_at=0.0)
        )

    def get(self, artifact_id: str) -> Artifact:
        return self.stored[artifact_id]


@dataclass
class Recorder:
    """Hears events and attempts."""

    events: list[tuple[EventType, str, str | None, dict[str, Any]]] = field(default_factory=list)
    attempts: list[AuditEntry] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def emit(self, type: EventType, message: str, step_id: str | None = None, **data: Any) -> None:  # noqa: A002
        self.events.append((type, message, step_id, data))

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def of(self, type: EventType) -> list[str]:  # noqa: A002
        """Messages of one type, in order."""
        return [message for kind, message, _, _ in self.events if kind is type]


@dataclass
class Bench:
    """One run's surroundings in a temporary folder."""

    folder: Path
    project: Path
    context: RunContext
    services: GraphServices
    tools: ScriptedTools
    recorder: Recorder
    artifacts: MemoryArtifacts


def bench(
    tmp_path: Path,
    agents: Mapping[str, AgentProtocol],
    *,
    scripts: Mapping[str, Any] | None = None,
    tools: ScriptedTools | None = None,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    targets: Iterable[str] = ("shop/cart.py",),
    context: Mapping[str, Any] | None = None,
    services: Mapping[str, Any] | None = None,
) -> Bench:
    """A project with the given files, a run's folder, and services that never wait."""
    project, folder = tmp_path / "project", tmp_path / "run"
    for target in targets:
        (project / target).parent.mkdir(parents=True, exist_ok=True)
        (project / target).write_text(f"# {target}\n")
    folder.mkdir(exist_ok=True)
    tools = tools or ScriptedTools(folder, project, scripts)
    recorder, artifacts = Recorder(), MemoryArtifacts()
    live = GraphServices(
        agents=agents,
        tools=tools,
        artifacts=artifacts,
        emit=recorder.emit,
        audit=recorder.attempts.append,
        checkpointer=checkpointer,
        request_options=RequestOptions(sleep=recorder.sleep, chance=lambda: 0.0),
        sleep=recorder.sleep,
        node_wait=0.0,
        **(services or {}),
    )
    run_context = RunContext(run_id=RUN_ID, root=str(project), **(context or {}))
    return Bench(folder, project, run_context, live, tools, recorder, artifacts)


def case(case_id: str) -> dict[str, Any]:
    """A case with as much in it as the graphs look at."""
    return {"id": case_id, "title": case_id}


def spec(*case_ids: str, **more: Any) -> dict[str, Any]:
    """A spec agent's answer."""
    return {"spec": {"title": "cart", "cases": [case(case_id) for case_id in case_ids], **more}}


def files(test_path: str, *case_ids: str) -> dict[str, Any]:
    """A writer's answer: the file of the cases."""
    return {"files": [{"path": test_path, "contents": test_source(case_ids)}]}


ANALYSIS: dict[str, Any] = {"summary": "all is well", "findings": [], "suspected_defects": [], "drop": []}
TEST_PATH = "tests/generated/test_cart.py"


def testing_state(**more: Any) -> TestingAgentState:
    """The beginning of a testing graph for shop/cart.py."""
    given: dict[str, Any] = {
        "user_request": "cover the cart",
        "test_type": "unit",
        "target": {"path": "shop/cart.py", "module": "shop.cart", "import_root": ".", "symbols": None},
        "framework": "pytest",
        "spec_path": "specs/cart.json",
        "test_path": TEST_PATH,
        "step_id": "s1",
    }
    return new_testing_state(**{**given, **more})


@cache  # compiling it takes longer than most tests
# pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
def impatient_graph() -> CompiledStateGraph[TestingAgentState, RunContext, Any, Any]:
    """The testing graph without checkpoints, and without waits before it tries again."""
    return build_testing_graph(retry=transient_retries(first_wait=0.0))


async def run_testing_graph(made: Bench, **state: Any) -> dict[str, Any]:
    """The testing graph to its end, without waits before it tries again; every scripted tool has been asked."""
    with providing(made.context, made.services):
        values = await impatient_graph().ainvoke(testing_state(**state), context=made.context)
    made.tools.finish()
    return values


def generate(step_id: str, *, target: str = "shop/cart.py", depends_on: Iterable[str] = ()) -> dict[str, Any]:
    """A planner's generate step."""
    return {
        "id": step_id,
        "type": "generate_unit_tests",
        "params": {
            "test_type": "unit",
            "framework": "pytest",
            "target": {"path": target, "module": target.removesuffix(".py").replace("/", "."), "symbols": None},
            "spec_path": f"specs/{step_id}.json",
            "test_path": f"tests/generated/test_{step_id}.py",
            "depends_on": list(depends_on),
        },
    }


def plan(*steps: dict[str, Any], close: bool = True) -> dict[str, Any]:
    """A planner's answer: the steps, then verifying and accepting all of them."""
    ids = [step["id"] for step in steps]
    paths = [step["params"]["test_path"] for step in steps if "test_path" in step["params"]]
    ending = [
        {"id": "verify", "type": "verify_suite", "params": {"test_paths": paths, "depends_on": ids}},
        {"id": "accept", "type": "accept_tests", "params": {"test_paths": paths, "depends_on": ["verify"]}},
    ]
    return {"steps": [*steps, *(ending if close else [])], "understood": [], "not_understood": [], "skipped": []}


def new_run_id() -> str:
    """A run id of its own, for tests that run two."""
    return str(uuid.uuid4())


testing_state.__test__ = False  # pyrefly: ignore[missing-attribute]


def runtime_of(made: Bench) -> Runtime[RunContext]:
    """What a node is handed when a test calls it by itself."""
    return Runtime(context=made.context)
