"""The tests that the embedded engine writes for a module of a test, without the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import PATH, facts_of, files
from testwright.tests.support.engine.targets import prepared


def written_spec(
    folder: Path,
    source: str,
    *,
    framework: str = "pytest",
    trials: int = 600,
    others: Mapping[str, str] | None = None,
    examples: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The spec that the engine composes for a module, explored in the sandbox without a hunt for mutants."""

    async def run() -> dict[str, Any]:
        async with prepared(folder, files(source, others)) as target:
            facts, root = facts_of(target, PATH), target.snapshot.path
            proposer = SourceProposer(root, find_layout(root), facts, examples=examples)
            budget = ExplorationBudget(trials=trials, mutant_search=MutantSearchLimits(mutants=0))
            return compose_spec(await explore(target, facts, proposer, budget), framework=framework)

    return asyncio.run(run())


def written_tests(folder: Path, source: str, *, trials: int = 600) -> str:
    """The pytest file of that spec."""
    return render(written_spec(folder, source, trials=trials), "pytest")
