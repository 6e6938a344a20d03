"""Finds tests that fail while the same suite, or another test of it, runs at the same time.

As two jobs on one machine or the workers of pytest-xdist, such runs share the project's folder, the folders for
temporary files and the ports. Only tests that make, write, remove or bind something there under a fixed name can
disturb each other, so only those are run two at a time: most suites have none, and pay nothing. The two runs take
turns in a fixed way (sandbox/worker/suites/interleaving.py): what is found does not depend on luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.options import SuiteOptions
from ..model.results import CaseResult
from ..runner.suite import Suite
from .polluter import short

ROUNDS = 4
PAIRED = 200
CONFIRMED = 8
_FAILING = ("failed", "error", "timeout", "crashed")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A test that passes by itself and fails while another one, or itself a second time, runs beside it.

    Attributes:
        beside: the other test; the same one when it disturbs itself.
        things: what both use.
        result: how it failed.
    """

    nodeid: str
    beside: str
    things: tuple[str, ...]
    result: CaseResult

    @property
    def reason(self) -> str:
        """One sentence."""
        shown = " and ".join(display_name(thing) for thing in self.things[:_SHOWN])
        if self.beside == self.nodeid:
            return f"it fails when the suite runs twice at the same time: both runs use {shown}"
        return f"it fails while {short(self.beside)} runs at the same time: both use {shown}"


def display_name(thing: str) -> str:
    """The name of a shared thing for people."""
    for start, end in (("<tmp>/", "the folder for temporary files"), ("<home>/", "the home folder")):
        if thing.startswith(start):
            return f"{thing.removeprefix(start)} in {end}"
    return thing.removeprefix("./")


def fixed_resources(first: Mapping[str, CaseResult], second: Mapping[str, CaseResult]) -> dict[str, tuple[str, ...]]:
    """What each test of two watched runs used under the same name in both; tests that used nothing are left out."""
    found = {}
    for nodeid, result in first.items():
        again = second.get(nodeid)
        both = tuple(thing for thing in result.things if again is not None and thing in again.things)
        if both:
            found[nodeid] = both
    return found


def rounds_of(used: Mapping[str, Sequence[str]]) -> list[list[tuple[str, str]]]:
    """Pairs to run at the same time, holder and visitor: each test with itself, then those that use the same thing.

    Each test is in a round at most once on each side; there are at most `ROUNDS` rounds, and only the first `PAIRED`
    tests are paired with others.
    """
    rounds = [[(name, name) for name in used]]
    names = list(used)[:PAIRED]
    shared = [(one, other) for one in names for other in names if one != other and set(used[one]) & set(used[other])]
    while shared and len(rounds) < ROUNDS:
        chosen, left, holders, visitors = [], [], set(), set()
        for one, other in shared:
            if one in holders or other in visitors:
                left.append((one, other))
                continue
            chosen.append((one, other))
            holders.add(one)
            visitors.add(other)
        rounds.append(chosen)
        shared = left
    return rounds


async def find_disturbances(
    suite: Suite, used: Mapping[str, Sequence[str]], options: SuiteOptions
) -> tuple[Disturbance, ...]:
    """Run pairs of tests that use fixed things at the same time, each round in a fresh workspace.

    Args:
        used: the fixed things of each test; see `fixed_resources`.
        options: how to run; its order and measuring are not used.

    Raises:
        EnvironmentFault, SandboxFailure: as `Suite.run`.
    """
    plain = replace(options, shuffle=None, backwards=False, exclude=(), measure=(), watch=False)
    found: dict[str, Disturbance] = {}
    for pairs in rounds_of(used):
        left = [pair for pair in pairs if not set(pair) & found.keys()]
        suspects = await _run(suite, left, used, plain) if left else []
        for number, suspect in enumerate(suspects):
            if suspect.nodeid not in found and (number >= CONFIRMED or await _confirmed(suite, suspect, used, plain)):
                found[suspect.nodeid] = suspect
    return tuple(found.values())


async def _run(
    suite: Suite, pairs: Sequence[tuple[str, str]], used: Mapping[str, Sequence[str]], plain: SuiteOptions
) -> list[Disturbance]:
    async with suite.fresh() as beside:
        columns = ([one for one, _ in pairs], [other for _, other in pairs])
        things = {thing for one, other in pairs for thing in _common(used, one, other)}
        outcomes = await beside.run_pairs(*columns, sorted(things), plain)
    found = []
    for one, other in pairs:
        sides = [(one, other), (other, one)] * (len(outcomes) // 2)
        for (nodeid, partner), seen in zip(sides, outcomes, strict=True):
            result = seen.get(nodeid)
            if result is not None and result.outcome in _FAILING:
                found.append(Disturbance(nodeid, partner, _common(used, one, other), result))
                break
    return found


async def _confirmed(
    suite: Suite, suspect: Disturbance, used: Mapping[str, Sequence[str]], plain: SuiteOptions
) -> bool:
    """It passes alone in a fresh workspace, and its pair fails there without what ran before it."""
    async with suite.fresh() as alone:
        result = (await alone.run(replace(plain, select=(suspect.nodeid,)))).by_nodeid().get(suspect.nodeid)
    if result is None or result.outcome != "passed":
        return False
    orders = ((suspect.nodeid, suspect.beside), (suspect.beside, suspect.nodeid))
    for pair in dict.fromkeys(orders):
        if any(one.nodeid == suspect.nodeid for one in await _run(suite, [pair], used, plain)):
            return True
    return False


def _common(used: Mapping[str, Sequence[str]], one: str, other: str) -> tuple[str, ...]:
    return tuple(thing for thing in used[one] if thing in used[other])
