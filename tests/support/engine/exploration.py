"""Modules written for a test, watched by the real worker in a real sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import Exploration, ModuleFacts, Observation, Trial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.observer import EXPLORING, Conditions, open_observer
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

MODULE = "shop.cart"
PATH = "src/shop/cart.py"


def files(source: str, others: Mapping[str, str] | None = None) -> dict[str, str]:
    """A project with one module of interest."""
    return {"src/shop/__init__.py": "", PATH: source, **(others or {})}


def facts_of(target: PythonTarget, path: str = PATH) -> ModuleFacts:
    """What the source of a module says."""
    root = target.snapshot.path
    return analyse_module(root, path, find_layout(root))


def trial(act: str, *arrange: str, **more: object) -> Trial:
    """A trial in a namespace with everything of the module; its subject is the name that is called."""
    subject = str(more.pop("subject", act.partition("(")[0]))
    given = Trial(subject, act, imports=(f"from {MODULE} import *",), arrange=arrange)
    return replace(given, **more)  # pyrefly: ignore[bad-argument-type]


def watched(
    folder: Path, source: str, trials: Sequence[Trial], conditions: Conditions = EXPLORING
) -> dict[str, Observation]:
    """What each trial did, by its act."""

    async def watch() -> dict[str, Observation]:
        async with prepared(folder, files(source)) as target:
            async with open_observer(target, facts_of(target), conditions) as observer:
                seen = await observer.observe(trials)
            return {one.act: observation for one, observation in zip(trials, seen, strict=True)}

    return asyncio.run(watch())


class Listed:
    """A proposer with a fixed list of trials."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = trials

    def initial(self) -> Iterator[Trial]:
        """All of them."""
        return iter(self.trials)

    def object_stories(self, line: int) -> list[Trial]:
        """No stories."""
        return []

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        return []

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """None."""
        return []

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        """None."""
        return []


def explored(
    folder: Path, source: str, trials: Sequence[Trial], *, times: int = 1, budget: ExplorationBudget | None = None
) -> list[Exploration]:
    """The module explored with these trials, as many times as wanted."""

    async def run() -> list[Exploration]:
        async with prepared(folder, files(source)) as target:
            facts = facts_of(target)
            return [await explore(target, facts, Listed(trials), budget) for _ in range(times)]

    return asyncio.run(run())
