"""Generates specs of integration tests: flows of one entry module across the modules it calls, run in the sandbox.

The same project and request give the same spec.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from ....core.errors import ProjectError
from ....engine.integration.flows.explore import FlowProposer, Flows, explore_flows
from ....engine.integration.model.components import IntegrationTarget
from ....engine.integration.modules.targets import integration_target
from ....engine.integration.programs.runs import ProgramFlows, explore_programs
from ....engine.integration.write.compose import ProgramAdditions, compose_integration_spec
from ....engine.integration.write.program_cases import program_additions
from ....engine.python.explore.explore import ExplorationBudget
from ....engine.python.facts.analyse import analyse_module
from ....engine.python.model.model import ModuleFacts
from ....engine.python.project.layout import Layout, find_layout
from ....engine.python.usage.project_index import ProjectIndex
from ....sandbox.target import ProvideTarget
from ...contract.protocol import JsonObject
from .spec_agent import SpecResult


@dataclass(frozen=True, slots=True)
class IntegrationSpecGenerator:
    """Generates integration test specs for one entry module and the modules it reaches.

    The metadata holds `trials`, `branches` (of all components: reached and possible), `edges` and `notes`.

    Attributes:
        python_target: prepares the project; called at the first exploration.
        root: the project's root.
        budget: limits on what is tried for one entry; by default the engine's.
        examples: values that a person gave in the settings, by `module:function` or parameter name.
    """

    python_target: ProvideTarget
    root: Path
    _: KW_ONLY
    budget: ExplorationBudget = field(default_factory=ExplorationBudget)
    examples: Mapping[str, str] = field(default_factory=dict)

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path of the entry, and `symbols` or null).

        Raises:
            ProjectError: the module calls no other module of the project, or cannot be read.
            TargetImportError, SandboxFailure: as `explore_flows` does.
        """
        path, symbols = str(inputs["target"]["path"]), inputs["target"].get("symbols")
        layout, components, facts = await asyncio.to_thread(self._read, path, symbols)
        proposer = await asyncio.to_thread(
            FlowProposer, self.root, layout, facts, components.subjects, components.servers, self.examples
        )
        target = await self.python_target()
        flows = await explore_flows(target, facts, components, proposer, self.budget.within(seconds))
        programs = await explore_programs(target, self.root, layout, components, flows)
        framework = str(inputs.get("framework") or "pytest")
        spec = await asyncio.to_thread(self._composed, layout, components, flows, programs, framework)
        trace: list[JsonObject] = [
            {"event": "explored", "target": path, "trials": flows.exploration.trials, "cases": len(spec["cases"])},
            *({"event": "program_run", "program": run.program.name, "runs": run.runs} for run in programs),
        ]
        metadata = _metadata(spec, flows, programs)
        metadata["notes"] += proposer.example_notes()
        return SpecResult(spec, metadata, trace)

    def _read(self, path: str, symbols: Any) -> tuple[Layout, IntegrationTarget, ModuleFacts]:
        layout = find_layout(self.root)
        facts = analyse_module(self.root, path, layout)
        components = integration_target(self.root, layout, facts.path, symbols)
        if components is None:
            raise ProjectError(
                f"there is nothing to integrate: {facts.module} calls no other module of the project.",
                advice="Name a module that uses others, or ask for unit tests.",
            )
        return layout, components, facts

    def _composed(
        self,
        layout: Layout,
        components: IntegrationTarget,
        flows: Flows,
        programs: Sequence[ProgramFlows],
        framework: str,
    ) -> JsonObject:
        index = ProjectIndex(self.root, layout, (flows.exploration.facts,))

        def report(taken: set[str]) -> ProgramAdditions:
            return program_additions(programs, flows.arcs, components, flows.exploration.facts, taken)

        return compose_integration_spec(components, flows, index, framework=framework, programs=report)


def _metadata(spec: Mapping[str, Any], flows: Flows, programs: Sequence[ProgramFlows]) -> JsonObject:
    exploration = flows.exploration
    possible = exploration.possible_arcs
    return {
        "trials": exploration.trials,
        "branches": {"reached": len(exploration.reached_arcs & possible), "possible": len(possible)},
        "edges": list(spec["target"]["edges"]),
        "notes": [*exploration.notes, *(note for run in programs for note in run.notes)],
    }
