"""Modules without annotations are explored with the inputs a person would write, and the spec says which they are."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import Exploration
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.write.compose import compose_spec
from testwright.tests.support.engine.exploration import PATH, files
from testwright.tests.support.engine.targets import prepared
from testwright.utils.schema_registry import validator

pytestmark = pytest.mark.feature("B-06")

SOURCE = '''
"""Intervals, grids and chains."""


class Link:
    def __init__(self, value):
        self.value = value
        self.after = None


def merge(spans):
    """Merges overlapping intervals."""
    if not spans:
        return []
    found = [list(spans[0])]
    for start, end in sorted(spans)[1:]:
        if start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


def corners(grid):
    last = len(grid) - 1
    return sum(grid[row][column] for row in (0, last) for column in range(len(grid[0])))


def values(link):
    found = []
    while link:
        found.append(link.value)
        link = link.after
    return found
'''


def explored(tmp_path: Path) -> Exploration:
    async def run() -> Exploration:
        async with prepared(tmp_path, files(SOURCE)) as target:
            root = target.snapshot.path
            layout = find_layout(root)
            facts = analyse_module(root, PATH, layout)
            proposer = SourceProposer(root, layout, facts)
            budget = ExplorationBudget(trials=200, quiet=100, mutant_search=MutantSearchLimits(mutants=20))
            return await explore(target, replace(facts, domains=proposer.context.domains), proposer, budget)

    return asyncio.run(run())


def test_each_function_is_called_with_values_of_its_domain(tmp_path: Path) -> None:
    found = explored(tmp_path)

    results = {
        (one.trial.subject, one.observation.value.source)
        for one in found.findings
        if one.observation.value is not None and one.observation.value.source is not None
    }
    assert any(subject == "merge" and result.count("[") > 2 for subject, result in results)
    assert any(subject == "corners" and result.isdigit() and int(result) > 3 for subject, result in results)
    spec = compose_spec(found, framework="pytest")
    known = {f"{one['subject']}.{one['parameter']}": one["description"] for one in spec["domains"]}
    assert known["corners.grid"] == "a matrix of integers"
    assert known["values.link"] == "an object of Link, linked by after"
    validator("schemas/unit_test_schema_v1.json").validate(spec)
