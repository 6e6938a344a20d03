"""Removes tests from a suite until the rest passes in every order that is tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..model.options import RunOrder, SuiteOptions
from ..model.results import CaseResult
from ..runner.suite import Suite
from .polluter import PolluterSearch, find_polluter

SEARCHES = 8


@dataclass(frozen=True, slots=True)
class RemovedTest:
    """A test left out; `result` is the failing run that led to it, of itself or of its victim.

    Attributes:
        relation, related: the test that it `makes fail`, or that it `needs` before it.
    """

    nodeid: str
    reason: str
    result: CaseResult
    relation: str = ""
    related: tuple[str, ...] = ()


@dataclass(slots=True)
class StableSuite:
    """What is left: `kept` in the given order, passing in every order tried one after the other."""

    kept: list[str]
    expelled: list[RemovedTest] = field(default_factory=list)


async def stabilize(
    suite: Suite, nodeids: Sequence[str], orders: Sequence[RunOrder], options: SuiteOptions
) -> StableSuite:
    """Run the tests in every order; after each failure leave out its culprit and try again until all orders pass.

    Args:
        options: how to run; its order and measuring are not used.
    """
    settlement = StableSuite(list(nodeids))
    plain = replace(options, shuffle=None, exclude=(), measure=())
    clean: set[RunOrder] = set()
    while settlement.kept and len(clean) < len(orders):
        for order in orders:
            if order in clean:
                continue
            chosen = order.of(settlement.kept)
            result = await suite.run(replace(plain, select=chosen))
            outcomes = result.by_nodeid()
            victim = next((nodeid for nodeid in chosen if not passed(outcomes, nodeid)), None)
            if victim is None:
                clean.add(order)
                continue
            await _expel(suite, plain, settlement, chosen, victim, outcomes)
            clean.clear()
            break
    return settlement


async def _expel(
    suite: Suite,
    plain: SuiteOptions,
    settlement: StableSuite,
    chosen: tuple[str, ...],
    victim: str,
    outcomes: Mapping[str, CaseResult],
) -> None:
    async def run(nodeids: tuple[str, ...]) -> frozenset[str]:
        result = await suite.run(replace(plain, select=nodeids))
        seen = result.by_nodeid()
        return frozenset(nodeid for nodeid in nodeids if not passed(seen, nodeid))

    shown = outcomes.get(victim) or CaseResult(victim, victim.partition("::")[0], victim, "not_run")
    if len(settlement.expelled) >= SEARCHES:
        search = PolluterSearch("several", victim)
    else:
        before = settlement.kept[: settlement.kept.index(victim)]
        search = await find_polluter(run, victim, chosen[: chosen.index(victim)], before)
    other = victim if search.relation == "polluted" else search.needed
    settlement.kept.remove(search.culprit)
    relation = "makes fail" if search.relation == "polluted" else "needs"
    related = ("", ()) if other is None else (relation, (other,))
    settlement.expelled.append(RemovedTest(search.culprit, search.reason(victim), shown, *related))


def passed(outcomes: Mapping[str, CaseResult], nodeid: str) -> bool:
    """Whether a test ran and passed."""
    result = outcomes.get(nodeid)
    return result is not None and result.outcome == "passed"
