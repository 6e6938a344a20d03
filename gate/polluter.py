"""Finding the test that makes another one fail, by halving the tests that ran before it (B-11)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

RunInOrder = Callable[[tuple[str, ...]], Awaitable[frozenset[str]]]
"""Runs tests in this order, in a fresh process; gives the node ids that did not pass."""

Relation = Literal["polluted", "dependent", "several", "unrepeatable"]


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found.

    Attributes:
        relation: `polluted` by one other test; `dependent`: fails alone, needs another test to run before it;
            `several`: fails only after a combination of tests; `unrepeatable`: passes in the same order again.
        culprit: the test to leave out: the polluter, else the victim itself.
    """

    relation: Relation
    culprit: str

    def reason(self, victim: str) -> str:
        """Why the culprit is left out, one sentence."""
        if self.relation == "polluted":
            return f"it changes state that {short(victim)} depends on, which fails after it"
        return {
            "dependent": "it fails when it runs alone or in another order: it depends on tests that ran before it",
            "several": "it fails after some combinations of other tests",
            "unrepeatable": "it passed and failed in the same order of tests",
        }[self.relation]


async def find_polluter(run: RunInOrder, victim: str, before: Sequence[str]) -> Search:
    """Find what makes `victim` fail after the tests `before` it; about 2·log2(len(before)) + 2 runs."""
    if victim in await run((victim,)):
        return Search("dependent", victim)
    candidates = list(before)
    if not candidates or victim not in await run((*candidates, victim)):
        return Search("unrepeatable", victim)
    while len(candidates) > 1:
        middle = len(candidates) // 2
        for half in (candidates[:middle], candidates[middle:]):
            if victim in await run((*half, victim)):
                candidates = half
                break
        else:
            return Search("several", victim)
    return Search("polluted", candidates[0])


def short(nodeid: str) -> str:
    """A node id without its folders."""
    path, separator, rest = nodeid.partition("::")
    return path.rpartition("/")[2] + separator + rest
