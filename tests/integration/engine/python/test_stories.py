"""Stories: objects filled, met again by what was put in, then asked; and what they let a hunt notice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import Exploration
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.search.stories import stories_of
from testwright.tests.support.engine.exploration import PATH, files
from testwright.tests.support.engine.targets import prepared

SHELF = '''
"""A shelf with room for a few things; what was touched last stays."""

import time
from collections import OrderedDict


class Shelf:
    """Holds things for a while."""

    def __init__(self, room, keep=60, timer=time.monotonic):
        self.room = room
        self.keep = keep
        self._timer = timer
        self._things = OrderedDict()

    def __setitem__(self, name, thing):
        while len(self._things) >= self.room:
            self._things.popitem(last=False)
        self._things[name] = (thing, self._timer() + self.keep)

    def __getitem__(self, name):
        self._things.move_to_end(name)
        return self._things[name][0]

    def __copy__(self):
        other = Shelf(self.room, self.keep, self._timer)
        other._things = self._things.copy()
        return other

    def __iter__(self):
        now = self._timer()
        return iter([name for name, (_, until) in self._things.items() if now < until])


class Money:
    """Nothing to fill."""

    def __init__(self, amount):
        self.amount = amount

    def doubled(self):
        """Twice as much."""
        return Money(2 * self.amount)
'''


def project(folder: Path) -> Path:
    for path, text in files(SHELF).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


@pytest.mark.feature("B-06")
def test_a_story_fills_an_object_meets_what_was_put_in_and_asks_in_time(tmp_path: Path) -> None:
    root = project(tmp_path)
    layout = find_layout(root)
    facts = analyse_module(root, PATH, layout)
    context = SourceProposer(root, layout, facts).context
    shelf, money = facts.classes

    told = ["; ".join((*one.trial.arrange, one.trial.act)) for one in stories_of(context, shelf)]

    filled = "shelf = Shelf(3, timer=lambda: 1); shelf[1] = 2; shelf[2] = 1; shelf[3] = 1"
    assert f"{filled}; shelf.__setitem__(4, 1)" in told
    assert f"{filled}; shelf[1]; shelf.__setitem__(4, 1)" in told
    assert f"{filled}; copied_shelf = copy.copy(shelf); list(copied_shelf)" in told
    timed = "now = [0]; shelf = Shelf(3, timer=lambda: now[0]); shelf[1] = 2"
    assert f"{timed}; now[0] = 3; shelf[2] = 1; list(shelf)" in told
    assert len(told) == len(set(told))
    assert stories_of(context, money) == []


@pytest.mark.feature("B-11")
def test_which_thing_is_given_up_first_is_noticed_because_a_story_meets_one_again(tmp_path: Path) -> None:
    async def run() -> Exploration:
        async with prepared(tmp_path, files(SHELF)) as target:
            root = target.snapshot.path
            layout = find_layout(root)
            facts = analyse_module(root, PATH, layout)
            budget = ExplorationBudget(trials=300, quiet=120, mutant_search=MutantSearchLimits(mutants=80))
            return await explore(target, facts, SourceProposer(root, layout, facts), budget)

    found = asyncio.run(run())

    sequences = [(*finding.trial.arrange, finding.trial.act) for finding in found.findings]
    met = [sequence for sequence in sequences if "shelf[3] = 1" in sequence and "shelf[1]" in sequence]
    assert met, "something is read again before another thing is put in"
    assert len(found.findings) < 40
