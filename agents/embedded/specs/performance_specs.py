"""Generates specs of performance tests: calls of one Python module, timed in the sandbox.

What is measured differs a little from one time to the next, so that two specs of one module may differ in figures.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from ....engine.performance.compose import compose_performance_spec
from ....engine.performance.findings import measured_calls
from ....engine.performance.plan import subjects_of
from ....engine.python.explore.explore import ExplorationBudget, explore
from ....engine.python.facts.analyse import analyse_module
from ....engine.python.judge.finding_selection import assertable_findings
from ....engine.python.model.mutant_search import MutantSearchLimits
from ....engine.python.project.layout import find_layout
from ....engine.python.search.source_proposer import SourceProposer
from ....sandbox.target import ProvideTarget
from ...contract.protocol import JsonObject
from .spec_agent import SpecGenerator, SpecResult
from .unit_specs import limit_to_symbols, narrowed_facts

_TRIALS, _QUIET = 800, 250
MEASURING_SECONDS = 180.0
"""What measuring one module may take at most."""


@dataclass(frozen=True, slots=True)
class PerformanceSpecGenerator:
    """Generates performance test specs for one Python module.

    The metadata holds `trials`, `measured` (callables) and `notes`.

    Attributes:
        python_target: prepares the project; called at the first exploration.
        root: the project's root.
        budget: limits on what is tried for one module; by default the engine's.
        load: generates the specs for Locust, which put load on an application.
        examples: values that a person gave in the settings, by `module:function` or parameter name.
    """

    python_target: ProvideTarget
    root: Path
    load: SpecGenerator
    _: KW_ONLY
    budget: ExplorationBudget = field(default_factory=ExplorationBudget)
    examples: Mapping[str, str] = field(default_factory=dict)

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path, and `symbols` or null).

        Raises:
            InterpreterError: pytest-benchmark is not in the target's environment and cannot be provided.
            TargetImportError, ProjectError, SandboxFailure: as `explore` does.
        """
        if inputs.get("framework") == "locust":
            return await self.load.generate(inputs, seconds=seconds)
        target = await self.python_target()
        equipped = await target.with_benchmark_tools()
        path, symbols = str(inputs["target"]["path"]), inputs["target"].get("symbols")
        layout = await asyncio.to_thread(find_layout, self.root)
        facts = await asyncio.to_thread(analyse_module, self.root, path, layout)
        proposer = await asyncio.to_thread(
            SourceProposer, self.root, layout, narrowed_facts(facts, symbols), examples=self.examples
        )
        facts = replace(facts, domains=proposer.context.domains)
        exploration = await explore(target, facts, proposer, self._limits(seconds))
        exploration = limit_to_symbols(exploration, symbols)
        judged, without = await asyncio.to_thread(assertable_findings, exploration)
        subjects, reasons = await asyncio.to_thread(subjects_of, exploration, judged, without)
        time_left = MEASURING_SECONDS if seconds is None else max(10.0, seconds / 2)
        measured, more = await measured_calls(target, exploration.facts, subjects, seconds=time_left)
        spec = await asyncio.to_thread(compose_performance_spec, exploration.facts, measured, {**reasons, **more})
        notes = [*exploration.notes, *proposer.examples.notes(), *(note for one in measured for note in one.notes)]
        if equipped is not target:
            notes.append("The tests need pytest-benchmark, which the project's environment lacks: install it there.")
        trace: list[JsonObject] = [
            {"event": "explored", "target": facts.path, "trials": exploration.trials, "cases": len(spec["cases"])}
        ]
        return SpecResult(spec, {"trials": exploration.trials, "measured": len(measured), "notes": notes}, trace)

    def _limits(self, seconds: float | None) -> ExplorationBudget:
        """The exploration's limits: only working calls are needed, so mutants are not searched."""
        budget = replace(
            self.budget,
            trials=min(self.budget.trials, _TRIALS),
            quiet=min(self.budget.quiet, _QUIET),
            mutant_search=MutantSearchLimits(mutants=0),
        )
        return budget.within(seconds / 2 if seconds is not None else None)
