"""Arguments that a call changes get a name, and the test looks at them afterwards (B-02)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import Exploration
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.parallel_observers import name_changed_arguments
from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import PATH, explored, trial

SOURCE = """
def rename_keys(data, prefix):
    for key in list(data):
        data[prefix + key] = data.pop(key)


def settle(queue):
    done = []
    while queue and queue[0] == 0:
        done.append(queue.pop(0))
    return done


def total(values):
    return sum(values)


async def drain(items):
    count = len(items)
    items.clear()
    return count


class Box:
    def __init__(self, items):
        self.items = list(items)

    async def spill(self, into):
        into.extend(self.items)
        self.items.clear()
"""
NO_MUTANTS = MutantSearchLimits(mutants=0)
TRIALS = [
    trial('rename_keys({"a": 1}, "x")'),
    trial("settle([0, 2])"),
    trial("total([1, 2])"),
    trial("drain([1, 2])", mode="await"),
    trial("box.spill([])", "box = Box([3, 4])", subject="Box.spill", mode="await"),
]


@pytest.fixture(scope="module")
def exploration(tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    folder = tmp_path_factory.mktemp("named")
    return explored(folder, SOURCE, TRIALS, budget=ExplorationBudget(trials=len(TRIALS), mutant_search=NO_MUTANTS))[0]


@pytest.mark.parametrize(
    ("subject", "arrange", "act", "effects"),
    [
        ("rename_keys", ("data = {'a': 1}",), "rename_keys(data, 'x')", {"data": "{'xa': 1}"}),
        ("settle", ("queue = [0, 2]",), "settle(queue)", {"queue": "[2]"}),
        ("total", (), "total([1, 2])", {}),
        ("drain", ("items = [1, 2]",), "drain(items)", {"items": "[]"}),
        (
            "Box.spill",
            ("box = Box([3, 4])", "into = []"),
            "box.spill(into)",
            {"box.items": "[]", "into": "[3, 4]"},
        ),
    ],
)
@pytest.mark.feature("B-02")
def test_what_a_call_changes_is_named_and_told(
    exploration: Exploration, subject: str, arrange: tuple[str, ...], act: str, effects: dict[str, str]
) -> None:
    found = next(finding for finding in exploration.findings if finding.trial.subject == subject)
    assert found.trial.arrange == arrange
    assert found.trial.act == act
    assert {name: value.source for name, value in found.observation.effects} == effects


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_the_test_looks_at_the_argument_after_the_call(exploration: Exploration, framework: str) -> None:
    text = render(compose_spec(exploration, framework=framework), framework)
    assert "queue = [0, 2]" in text
    assert "settle(queue)" in text
    assert ("assert queue == [2]" if framework == "pytest" else "self.assertEqual(queue, [2])") in text


def test_names_of_arguments_are_free_and_hide_no_builtin(tmp_path: Path) -> None:
    path = tmp_path / PATH
    path.parent.mkdir(parents=True)
    path.write_text("def fill(list, items, *rest):\n    list.append(1)\n")
    facts = analyse_module(tmp_path, PATH, find_layout(tmp_path))
    given = trial("fill([], [items], {1: 2})", "items = 3")
    changed = name_changed_arguments(given, ((1, 5), (1, 9), (1, 18)), facts)
    assert changed is not None
    assert changed.arrange == ("items = 3", "given_list = []", "items_2 = [items]", "mapping = {1: 2}")
    assert changed.act == "fill(given_list, items_2, mapping)"
