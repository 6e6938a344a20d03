"""Generates specs of unit tests: analyses one Python module and explores it in the sandbox.

The same project and request give the same spec.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....engine.python.explore.explore import ExplorationBudget, explore
from ....engine.python.facts.analyse import analyse_module
from ....engine.python.model.model import CallableFacts, Exploration, ModuleFacts
from ....engine.python.project.layout import Layout, find_layout
from ....engine.python.search.background_context import background_context
from ....engine.python.search.parallel_observers import ObserverPair, open_observer_pair
from ....engine.python.search.source_proposer import SourceProposer
from ....engine.python.write.compose import compose_spec
from ....sandbox.target import ProvideTarget
from ...contract.protocol import JsonObject
from .first_tests import FirstTests
from .spec_generator import SpecResult


class UnitSpecGenerator:
    """Generates unit test specs for one Python module.

    The metadata holds `trials`, `branches` (reached and possible), `notes`, and in `notices` which mutants each case
    kills.

    Args:
        python_target: prepares the project; called at the first exploration.
        root: the project's root.
        budget: limits on what is tried for one module; None for the engine's default.
        first: writes the first tests of the run from an early exploration; None for no preview.
    """

    def __init__(
        self,
        python_target: ProvideTarget,
        root: Path,
        *,
        budget: ExplorationBudget | None = None,
        first: FirstTests | None = None,
    ) -> None:
        self._python_target = python_target
        self._root = root
        self._budget = budget
        self._first = first

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path, and `symbols` or null). Raises as `explore` and `analyse_module` do."""
        target: Mapping[str, Any] = inputs["target"]
        layout = await asyncio.to_thread(find_layout, self._root)
        facts = await asyncio.to_thread(analyse_module, self._root, str(target["path"]), layout)
        wanted = target.get("symbols")

        def preview(partial: Exploration) -> None:
            if self._first is not None:
                self._first.take(lambda: _composed(limit_to_symbols(partial, wanted), layout, inputs))

        early = preview if self._first is not None and self._first.wanted else None
        async with background_context(lambda: self._workers(facts)) as workers:
            workers.start()  # they start while the proposer reads the sources
            proposer = await asyncio.to_thread(_proposer, self._root, layout, facts, wanted)
            exploration = await explore(
                await self._python_target(),
                facts,
                proposer,
                (self._budget or ExplorationBudget()).within(seconds),
                early=early,
                opened=workers.use,
            )
        exploration = limit_to_symbols(exploration, wanted)
        notices: dict[str, list[int]] = {}
        spec = await asyncio.to_thread(_composed, exploration, layout, inputs, notices)
        metadata = {**_metadata(exploration), "notices": notices}
        if not (spec["cases"] or spec["suspected_defects"] or spec["not_reached"]):
            reason = "it defines no public function or method of its own"
            spec["not_reached"] = [{"subject": facts.module, "reason": reason, "line": 1}]
        trace: list[JsonObject] = [
            {"event": "explored", "target": facts.path, "trials": exploration.trials, "cases": len(spec["cases"])}
        ]
        return SpecResult(spec, metadata, trace)

    @asynccontextmanager
    async def _workers(self, facts: ModuleFacts) -> AsyncGenerator[ObserverPair]:
        async with open_observer_pair(await self._python_target(), facts) as workers:
            yield workers


def limit_to_symbols(exploration: Exploration, symbols: Any) -> Exploration:
    """Limit an exploration to findings about some symbols: `Cart` includes its members; None means all."""
    if symbols is None:
        return exploration
    wanted = [str(symbol) for symbol in symbols]
    return replace(
        exploration,
        findings=tuple(finding for finding in exploration.findings if is_wanted(finding.trial.subject, wanted)),
        unreached=tuple(symbol for symbol in exploration.unreached if is_wanted(symbol.qualname, wanted)),
    )


def is_wanted(subject: str, symbols: list[str]) -> bool:
    """Whether a qualified name is one of the symbols or a member of one."""
    return any(subject == symbol or subject.startswith(f"{symbol}.") for symbol in symbols)


def _proposer(root: Path, layout: Layout, facts: ModuleFacts, symbols: Any) -> SourceProposer:
    """Build a proposer that spends its trials on the wanted symbols; constructors of other members stay known."""
    if symbols is None:
        return SourceProposer(root, layout, facts)
    wanted = [str(symbol) for symbol in symbols]

    def kept(function: CallableFacts) -> bool:
        return is_wanted(function.qualname, wanted)

    narrowed = replace(
        facts,
        functions=tuple(function for function in facts.functions if kept(function)),
        classes=tuple(
            replace(cls, members=tuple(member for member in cls.members if kept(member)))
            for cls in facts.classes
            if is_wanted(cls.name, wanted) or any(kept(member) for member in cls.members)
        ),
    )
    return SourceProposer(root, layout, narrowed)


def _composed(
    exploration: Exploration, layout: Layout, inputs: Mapping[str, Any], notices: dict[str, list[int]] | None = None
) -> JsonObject:
    return compose_spec(
        exploration,
        framework=str(inputs.get("framework") or "pytest"),
        request=str(inputs.get("user_request") or ""),
        import_roots=layout.import_roots,
        notices=notices,
    )


def _metadata(exploration: Exploration) -> JsonObject:
    possible = exploration.possible_arcs
    return {
        "trials": exploration.trials,
        "branches": {"reached": len(exploration.reached_arcs & possible), "possible": len(possible)},
        "notes": list(exploration.notes),
    }
