"""A bounded container is filled beyond its limit: which item gives place shows, and whether reading one keeps it."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.bounded_containers import (
    DROPS_OLDEST,
    KEEPS_WHAT_WAS_READ,
    show_bounded_containers,
)
from testwright.engine.python.scenarios.scenario import Scenario, ShownBehaviour, show_scenarios
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.engine.python.write.scenario_words import dropped_words
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

OLDEST_GOES = """
class Recent(dict):
    def __init__(self, max_size=100):
        self.max_size = max_size

    def __setitem__(self, key, value):
        if len(self) >= self.max_size:
            del self[next(iter(self))]
        super().__setitem__(key, value)
"""
UNREAD_GOES = (
    OLDEST_GOES
    + """

class Used(Recent):
    def get(self, key, default=None):
        if key in self:
            self[key] = self.pop(key)
        return super().get(key, default)
"""
)
UNBOUNDED = """
class Names:
    def __init__(self, size=3):
        self.size = size
        self.names = []

    def add(self, name):
        self.names.append(name)
"""


class Here(InProcessWatcher):
    """Tells what a dictionary or a list of the test holds, too."""

    def _observed(self, trial: Trial) -> Observation:
        space = dict(self._space)
        for statement in trial.arrange:
            exec(statement, space)
        result = eval(trial.act, space)
        held = [(name, space[name]) for name in space if name not in self._space]
        dicts = [(f"dict({name})", dict(value)) for name, value in held if isinstance(value, dict)]
        lists = [(f"list({name})", list(value)) for name, value in held if isinstance(value, list)]
        effects = tuple((name, Value(type(value).__name__, source=repr(value))) for name, value in dicts + lists)
        return Observation("returned", value=Value(type(result).__name__, source=repr(result)), effects=effects)


def shown(source: str) -> dict[str, Trial]:
    """What is shown of a module's containers, with the trial that shows it."""
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    search = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100)
    asyncio.run(show_bounded_containers(facts, search, Here(source)))  # pyrefly: ignore[bad-argument-type]
    return {str(one.notes[ShownBehaviour]): one.trial for one in search.records}


def test_a_full_container_drops_its_oldest_item() -> None:
    found = shown(OLDEST_GOES)

    assert list(found) == [DROPS_OLDEST]
    trial = found[DROPS_OLDEST]
    assert trial.arrange == ("recent = Recent(max_size=2)", "recent['apple'] = 1", "recent['banana'] = 2")
    assert trial.act == "recent.__setitem__('cherry', 3)"


def test_reading_an_item_keeps_it_where_the_class_counts_use() -> None:
    found = shown(UNREAD_GOES)

    assert found[DROPS_OLDEST].subject == "Recent.__setitem__"
    trial = found[KEEPS_WHAT_WAS_READ]
    assert trial.subject == "Used.get"
    assert (trial.arrange[-1], trial.act) == ("used.get('apple')", "used.__setitem__('cherry', 3)")


def test_what_takes_any_number_of_items_shows_nothing() -> None:
    assert shown(UNBOUNDED) == {}


PAIRS = """
class Recent(list):
    def __init__(self, max_size=100):
        self.max_size = max_size

    def put(self, key, value):
        if len(self) >= self.max_size:
            del self[0]
        self.append([key, value])
"""


def test_a_scenario_whose_condition_fails_shows_nothing() -> None:
    def unfit(_: Observation) -> bool:
        raise TypeError("unhashable type: 'list'")

    facts = facts_from_source(OLDEST_GOES.encode(), ModulePlace("m.py", "m", "."))
    search = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100)
    one = Scenario(Trial("Recent", "Recent()"), DROPS_OLDEST, unfit)

    assert asyncio.run(show_scenarios([one], search, Here(OLDEST_GOES))) == []  # pyrefly: ignore[bad-argument-type]


def test_what_holds_its_items_as_lists_shows_nothing_and_does_not_break_off() -> None:
    assert shown(PAIRS) == {}


@pytest.mark.parametrize(
    ("read", "held", "words"),
    [
        ((), {"banana": 2, "cherry": 3}, "drops_oldest_item"),
        (("recent.get('apple')",), {"apple": 1, "cherry": 3}, "keeps_item_that_was_read"),
        ((), {"apple": 1, "banana": 2, "cherry": 3}, ""),
    ],
)
def test_the_name_says_which_item_gave_place(read: tuple[str, ...], held: dict[str, int], words: str) -> None:
    case = Case(
        "tc_recent",
        "recent",
        "Recent.__setitem__",
        "recent.__setitem__('cherry', 3)",
        expect=(SpecExpectation("equals", "dict(recent)", repr(held)),),
        statements=("recent = Recent(max_size=2)", "recent['apple'] = 1", "recent['banana'] = 2", *read),
    )

    assert dropped_words(case) == words
