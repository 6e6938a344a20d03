"""The spec writer that needs no model: it reads the target, runs it in the sandbox, and says what a test may demand.

The same project and request give the same spec (B-06); a refinement mends what the validation named (T-06).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...engine.python.analyse import analyse_module
from ...engine.python.compose import compose_spec
from ...engine.python.explore import Budget, explore
from ...engine.python.layout import Layout, find_layout
from ...engine.python.model import CallableFacts, Exploration, ModuleFacts
from ...engine.python.proposer import SourceProposer
from ...engine.python.repair import repair_spec
from ...sandbox.target import PythonTarget
from ..envelope import consumer_view
from ..lifecycle import Agent, AgentContract
from ..protocol import AgentRequest, AgentResponse, ErrorType, JsonObject, error_response, success_response

TargetProvider = Callable[[], Awaitable[PythonTarget]]


class EmbeddedSpecAgent(Agent):
    """Specifies unit tests for one Python module.

    Inputs: `target` (path, and `symbols` or null), `test_type`, `framework`, `user_request`; to refine also
    `previous_spec` and `errors`. Result: `spec`. The response's metadata holds `trials`, `branches` (reached and
    possible), `notes`, and after a refinement `dropped` (case_id, reason) and `changes`.

    Args:
        python_target: gives the project made ready to run; asked for at the first exploration only.
        root: the project's root.
        budget: how much may be tried for one module; None for the engine's own.
        contract: the schemas the agent is held to.
    """

    def __init__(
        self,
        python_target: TargetProvider,
        root: Path,
        *,
        budget: Budget | None = None,
        contract: AgentContract | None = None,
    ) -> None:
        super().__init__("spec", contract=contract)
        self._python_target = python_target
        self._root = root
        self._budget = budget

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = consumer_view(request.inputs or {})
        if str(inputs.get("test_type") or "unit") != "unit":
            return _refused(f"the embedded spec agent specifies unit tests, not {inputs['test_type']} tests", {})
        previous = inputs.get("previous_spec")
        if isinstance(previous, Mapping) and inputs.get("errors"):
            return await asyncio.to_thread(_refined, previous, inputs["errors"])
        return await self._specified(inputs)

    async def _specified(self, inputs: Mapping[str, Any]) -> AgentResponse:
        target: Mapping[str, Any] = inputs["target"]
        layout = await asyncio.to_thread(find_layout, self._root)
        facts = await asyncio.to_thread(analyse_module, self._root, str(target["path"]), layout)
        wanted = target.get("symbols")
        proposer = await asyncio.to_thread(_proposer, self._root, layout, facts, wanted)
        exploration = await explore(await self._python_target(), facts, proposer, self._budget)
        exploration = limited_to(exploration, wanted)
        spec = await asyncio.to_thread(_composed, exploration, layout, inputs)
        metadata = _metadata(exploration)
        if not (spec["cases"] or spec["suspected_defects"] or spec["not_reached"]):
            reason = "it defines no public function or method of its own"
            spec["not_reached"] = [{"subject": facts.module, "reason": reason, "line": 1}]
        trace: list[JsonObject] = [
            {"event": "explored", "target": facts.path, "trials": exploration.trials, "cases": len(spec["cases"])}
        ]
        return success_response({"spec": spec}, trace=trace, metadata=metadata)


def limited_to(exploration: Exploration, symbols: Any) -> Exploration:
    """The exploration's findings about some symbols only: `Cart` means its members too; None means all."""
    if symbols is None:
        return exploration
    wanted = [str(one) for one in symbols]
    return replace(
        exploration,
        findings=tuple(one for one in exploration.findings if is_wanted(one.trial.subject, wanted)),
        unreached=tuple(one for one in exploration.unreached if is_wanted(one.qualname, wanted)),
    )


def is_wanted(subject: str, symbols: list[str]) -> bool:
    """Whether a qualified name is one of the symbols or a member of one."""
    return any(subject == one or subject.startswith(f"{one}.") for one in symbols)


def _proposer(root: Path, layout: Layout, facts: ModuleFacts, symbols: Any) -> SourceProposer:
    """A proposer that spends its trials on the wanted symbols; how to build a class's objects stays known."""
    if symbols is None:
        return SourceProposer(root, layout, facts)
    wanted = [str(one) for one in symbols]

    def kept(one: CallableFacts) -> bool:
        return is_wanted(one.qualname, wanted)

    narrowed = replace(
        facts,
        functions=tuple(one for one in facts.functions if kept(one)),
        classes=tuple(
            replace(one, members=tuple(member for member in one.members if kept(member)))
            for one in facts.classes
            if is_wanted(one.name, wanted) or any(kept(member) for member in one.members)
        ),
    )
    return SourceProposer(root, layout, narrowed)


def _composed(exploration: Exploration, layout: Layout, inputs: Mapping[str, Any]) -> JsonObject:
    return compose_spec(
        exploration,
        framework=str(inputs.get("framework") or "pytest"),
        request=str(inputs.get("user_request") or ""),
        import_roots=layout.import_roots,
    )


def _metadata(exploration: Exploration) -> JsonObject:
    possible = exploration.possible_arcs
    return {
        "trials": exploration.trials,
        "branches": {"reached": len(exploration.reached_arcs & possible), "possible": len(possible)},
        "notes": list(exploration.notes),
    }


def _refined(previous: Mapping[str, Any], errors: Any) -> AgentResponse:
    repair = repair_spec(previous, errors)
    dropped = [{"case_id": name, "reason": reason} for name, reason in repair.dropped.items()]
    trace: list[JsonObject] = [{"event": "case_dropped", **one} for one in dropped]
    trace += [{"event": "mended", "change": one} for one in repair.changes]
    metadata: JsonObject = {"dropped": dropped, "changes": repair.changes}
    if not dropped and not repair.changes:
        return _refused("none of the errors could be mended without weakening a case", metadata)
    return success_response({"spec": repair.spec}, trace=trace, metadata=metadata)


def _refused(message: str, metadata: JsonObject) -> AgentResponse:
    return error_response(ErrorType.VALIDATION, message, details={"error": "AgentFailure"}, metadata=metadata)
