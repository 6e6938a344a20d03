"""Finds the test that makes another one fail, by bisecting the tests that ran before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

RunInOrder = Callable[[tuple[str, ...]], Awaitable[frozenset[str]]]
"""Runs tests in this order, in a fresh process; gives the node ids that did not pass."""

Relation = Literal["polluted", "dependent", "several", "unrepeatable"]


@dataclass(frozen=True, slots=True)
class PolluterSearch:
    """What a search found.

    Attributes:
        relation: `polluted` by one other test; `dependent`: fails alone, needs another test to run before it;
            `several`: fails only after a combination of tests; `unrepeatable`: passes in the same order again.
        culprit: the test to leave out: the polluter, else the victim itself.
        needed: the one test that a dependent one needs to run before it, where there is one.
    """

    relation: Relation
    culprit: str
    needed: str | None = None

    def reason(self, victim: str) -> str:
        """Why the culprit is left out, one sentence."""
        if self.relation == "polluted":
            return f"it changes state that {short(victim)} depends on, which fails after it"
        if self.needed is not None:
            return f"it fails when it runs alone: it needs {short(self.needed)} to run before it"
        return {
            "dependent": "it fails when it runs alone or in another order: it depends on tests that ran before it",
            "several": "it fails after some combinations of other tests",
            "unrepeatable": "it passed and failed in the same order of tests",
        }[self.relation]


async def find_polluter(
    run: RunInOrder, victim: str, before: Sequence[str], providers: Sequence[str] = ()
) -> PolluterSearch:
    """Find what makes `victim` fail after the tests `before` it; about 2·log2(len(before)) + 2 runs.

    Args:
        providers: tests after which it is known to pass, in their order; when it fails alone, it needs one of them.
    """
    if victim in await run((victim,)):
        return PolluterSearch("dependent", victim, await _needed(run, victim, providers))
    candidates = list(before)
    if not candidates or victim not in await run((*candidates, victim)):
        return PolluterSearch("unrepeatable", victim)
    while len(candidates) > 1:
        middle = len(candidates) // 2
        for half in (candidates[:middle], candidates[middle:]):
            if victim in await run((*half, victim)):
                candidates = half
                break
        else:
            return PolluterSearch("several", victim)
    return PolluterSearch("polluted", candidates[0])


async def _needed(run: RunInOrder, victim: str, providers: Sequence[str]) -> str | None:
    """The one test that must run before `victim` for it to pass; None where it takes several, or it never passes."""
    candidates = list(providers)
    while len(candidates) > 1:
        middle = len(candidates) // 2
        for half in (candidates[:middle], candidates[middle:]):
            if victim not in await run((*half, victim)):
                candidates = half
                break
        else:
            return None
    return candidates[0] if candidates and victim not in await run((candidates[0], victim)) else None


def short(nodeid: str) -> str:
    """A node id without its folders."""
    path, separator, rest = nodeid.partition("::")
    return path.rpartition("/")[2] + separator + rest
