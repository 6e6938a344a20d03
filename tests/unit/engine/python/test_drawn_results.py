"""What chance decides is shown by what holds of every draw, never by what one seed gives (B-16, B-18)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest

from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Observation, Parameter, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.scenarios.drawn_results import DrawnByChance, is_seeded, show_draws
from testwright.engine.python.scenarios.scenario import ShownBehaviour
from testwright.engine.python.search.observer import EXPLORING
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.engine.python.selection.candidates import rank_candidates
from testwright.engine.python.write.scenario_words import drawn_words
from testwright.tests.support.engine.in_process_search import IdleProposer

pytestmark = pytest.mark.feature("B-16", "B-18")


def draw(names: Sequence[Any], count: int, seed: int | None = None) -> list[Any]:
    return random.Random(seed).sample(names, count)


def shuffled(items: Sequence[Any], rng: random.Random) -> list[Any]:
    mixed = list(items)
    rng.shuffle(mixed)
    return mixed


def pick(items: Sequence[Any], rng: random.Random) -> Any:
    return rng.choice(items)


def roll(dice: int = 2, sides: int = 6) -> list[int]:
    return [random.randint(1, sides) for _ in range(dice)]


def first(items: Sequence[Any], seed: int = 0) -> Any:
    return items[0]


PARAMETERS = {
    "draw": (("names", None), ("count", None), ("seed", "None")),
    "shuffled": (("items", None), ("rng", None)),
    "pick": (("items", None), ("rng", None)),
    "roll": (("dice", "2"), ("sides", "6")),
    "first": (("items", None), ("seed", "0")),
}
FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=tuple(
        CallableFacts(
            name, "function", (1, 9), tuple(Parameter(one, "positional_or_keyword", default=d) for one, d in given)
        )
        for name, given in PARAMETERS.items()
    ),
)
SPACE: dict[str, Any] = {"random": random, **{one.__name__: one for one in (draw, shuffled, pick, roll, first)}}


class Here:
    """Watches trials by running them in this process."""

    conditions = EXPLORING

    async def watch(self, trials: Sequence[Trial], **_: object) -> list[ObservedTrial]:
        return [self._seen(trial) for trial in trials]

    def _seen(self, trial: Trial) -> ObservedTrial:
        space = dict(SPACE)
        for statement in trial.arrange:
            exec(statement, space)
        result = eval(trial.act, space)
        size = len(result) if isinstance(result, list | str) else None
        return ObservedTrial(
            Observation("returned", value=Value(type(result).__name__, source=repr(result), length=size))
        )


def search_after(act: str, *arrange: str) -> TrialSearch:
    """A search that knows one call and then looks for draws."""
    search, here = TrialSearch(FACTS, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), Here()

    async def run() -> None:
        trial = Trial(act.partition("(")[0], act, arrange=arrange)
        search.learn(trial, (await here.watch([trial]))[0])
        await show_draws(FACTS, search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return search


def shown(act: str, *arrange: str) -> dict[str, str]:
    records = search_after(act, *arrange).records
    return {str(one.notes[ShownBehaviour]): one.trial.act for one in records if ShownBehaviour in one.notes}


NAMES = "['ann', 'bob', 'cid', 'dora']"


def test_a_sample_has_its_size_and_members_of_what_it_is_taken_from_and_repeats_for_equal_seeds() -> None:
    found = shown(f"draw({NAMES}, 3)")
    assert found["size"] == f"len(draw({NAMES}, 3, seed=7))"
    assert found["members"] == f"set(draw({NAMES}, 3, seed=7)) <= {{{NAMES[1:-1]}}}"
    assert found["repeats"] == f"draw({NAMES}, 3, seed=7) == first_draw"


def test_a_shuffled_list_keeps_all_items() -> None:
    found = shown(f"shuffled({NAMES}, random.Random(1))")
    assert found["permutation"] == f"sorted(shuffled({NAMES}, random.Random(1)))"


def test_a_choice_is_a_member() -> None:
    assert shown(f"pick({NAMES}, random.Random(1))")["member"] == f"pick({NAMES}, random.Random(1)) in {NAMES}"


def test_throws_of_dice_stay_in_the_range_that_a_default_names() -> None:
    found = shown("roll(dice=5)", "random.seed(1)")
    assert found["range"] == "all(1 <= number <= 6 for number in roll(dice=5))"
    assert found["size"] == "len(roll(dice=5))"


def test_what_does_not_depend_on_the_seed_is_no_draw() -> None:
    assert shown(f"first({NAMES})") == {}


def test_no_test_pins_what_a_seed_gives() -> None:
    search = search_after(f"pick({NAMES}, random.Random(1))")
    pinned = next(one for one in search.records if DrawnByChance in one.notes)
    assert is_seeded(pinned.trial)
    assert [one.record.trial.act for one in rank_candidates(search.records, FACTS)] == [
        f"pick({NAMES}, random.Random(1)) in {NAMES}",
        f"pick({NAMES}, random.Random(1)) == first_draw",
    ]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("sorted(shuffled([2, 1], random.Random(1)))", "keeps_all_items"),
        ("len(draw([2, 1], 1, seed=7))", "has_given_size"),
        ("all(1 <= number <= 6 for number in roll(random.Random(1)))", "stays_in_range"),
        ("1 <= roll(6, seed=7) <= 6", "stays_in_range"),
        ("pick([2, 1], random.Random(1)) in [2, 1]", "gives_a_member"),
        ("set(draw([2, 1], 1, seed=7)) <= {2, 1}", "gives_only_members"),
        ("draw([2, 1], 1, seed=7) == first_draw", "repeats_for_equal_seeds"),
        ("sorted(items)", ""),
    ],
)
def test_what_holds_of_a_draw_makes_the_name(act: str, words: str) -> None:
    assert drawn_words(Case("c", "x", "f", act, "call", (SpecExpectation("holds", "result"),))) == words
