"""The integration spec of an entry module, made twice: what tests of flows begin with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from testwright.engine.integration.flows.explore import FlowProposer, explore_flows
from testwright.engine.integration.modules.targets import integration_target
from testwright.engine.integration.write.compose import compose_integration_spec
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.usage.project_index import ProjectIndex
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared


@asynccontextmanager
async def specified_twice(
    folder: Path, files: Mapping[str, str], entry: str, budget: ExplorationBudget
) -> AsyncIterator[SimpleNamespace]:
    """`root`, `spec` and `again` of one project; its folder stays as long as the context is open."""
    async with prepared(folder, dict(files)) as target:
        specs = [await _specified(target, entry, budget) for _ in range(2)]
        yield SimpleNamespace(root=target.root, spec=specs[0], again=specs[1])


def held(opening: AbstractAsyncContextManager[SimpleNamespace]) -> Iterator[SimpleNamespace]:
    """What an asynchronous context gives, for fixtures that share it among tests without a loop of their own."""
    loop = asyncio.new_event_loop()
    given = loop.run_until_complete(opening.__aenter__())
    try:
        yield given
    finally:
        loop.run_until_complete(opening.__aexit__(None, None, None))
        loop.close()


async def _specified(target: PythonTarget, entry: str, budget: ExplorationBudget) -> dict[str, Any]:
    root = target.root
    layout = find_layout(root)
    components = integration_target(root, layout, entry)
    assert components is not None
    facts = analyse_module(root, entry, layout)
    proposer = FlowProposer(root, layout, facts, components.subjects, components.servers)
    flows = await explore_flows(target, facts, components, proposer, budget)
    return compose_integration_spec(components, flows, ProjectIndex(root, layout, (facts,)), framework="pytest")
