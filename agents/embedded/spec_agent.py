"""The spec agent that needs no model: it explores a module and composes what it saw (T-06, B-06, C-04)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from ...engine.python.analyse import analyse_module
from ...engine.python.compose import compose_spec
from ...engine.python.explore import Budget, explore
from ...engine.python.layout import Layout, find_layout
from ...engine.python.narrow import narrowed
from ...engine.python.proposer import SourceProposer
from ...engine.python.repair import repair_spec
from ...errors import UsageError
from ...sandbox.target import PythonTarget
from ..lifecycle import Agent, AgentContract
from ..protocol import AgentRequest, AgentResponse, JsonObject, success_response


class EmbeddedSpecAgent(Agent):
    """Writes the unit spec of one Python module.

    Inputs: `user_request`, `target` (`path`, `symbols` or null), `framework`; to refine also `previous_spec` and
    `errors`, and then only the previous spec is mended, nothing is explored again. Result: `spec`.

    Args:
        python_target: gives the project's prepared copy and interpreter.
        root: the project's root.
        trials: calls tried in all.
        wall_seconds: safety ceiling of one exploration.
        contract: the schemas the agent is held to.
    """

    def __init__(
        self,
        python_target: Callable[[], Awaitable[PythonTarget]],
        *,
        root: Path,
        trials: int = 3000,
        wall_seconds: float = 300.0,
        contract: AgentContract | None = None,
    ) -> None:
        super().__init__("spec", contract=contract)
        self._python_target = python_target
        self._root = root
        self._budget = Budget(trials=trials, wall_seconds=wall_seconds)
        self._layout: asyncio.Task[Layout] | None = None

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        if inputs.get("previous_spec") and inputs.get("errors"):
            return await asyncio.to_thread(_mend, inputs)
        if inputs.get("test_type", "unit") != "unit":
            raise UsageError(f"{inputs['test_type']} specs need a model.", advice="Ask for unit tests.")
        return await self._explored(inputs)

    async def _explored(self, inputs: JsonObject) -> AgentResponse:
        asked = inputs["target"]
        layout = await self._project()
        facts = await asyncio.to_thread(analyse_module, self._root, str(asked["path"]), layout)
        proposer = await asyncio.to_thread(SourceProposer, self._root, layout, narrowed(facts, asked.get("symbols")))
        exploration = await explore(await self._python_target(), proposer.facts, proposer, self._budget)
        spec = await asyncio.to_thread(
            compose_spec,
            exploration,
            framework=str(inputs["framework"]),
            request=str(inputs.get("user_request", "")),
            import_roots=layout.import_roots,
        )
        seen = {
            "event": "explored",
            "trials": exploration.trials,
            "findings": len(exploration.findings),
            "notes": list(exploration.notes),
        }
        return success_response({"spec": spec}, trace=[seen])

    async def _project(self) -> Layout:
        """The project's layout, found once; concurrent requests wait for the same one."""
        if self._layout is None:
            self._layout = asyncio.create_task(asyncio.to_thread(find_layout, self._root))
        return await asyncio.shield(self._layout)


def _mend(inputs: JsonObject) -> AgentResponse:
    repair = repair_spec(inputs["previous_spec"], inputs["errors"])
    return success_response({"spec": repair.spec}, trace=[{"event": "mended", "changes": len(inputs["errors"])}])
