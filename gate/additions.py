"""What each test of a suite adds to the others: what only it covers or notices, and which tests add nothing (B-01)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .evidence import EvidenceRecord
from .mutation.model import MutationReport
from .polluter import short

Owned = tuple[str, str, object]
"""(kind, file, what): a line, a branch, or a noticed mutant (by its number, without a file)."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Addition:
    """What one test adds.

    Attributes:
        own_lines, own_branches, own_kills: what it alone runs, takes or notices.
        idle: it could go: with the other tests that stay, no line, branch or noticed mutant would be lost.
        reason: why, one sentence; empty where it is not idle.
        covered_by: tests that stay and have what an idle one has, the most telling first.
    """

    nodeid: str
    own_lines: int = 0
    own_branches: int = 0
    own_kills: int = 0
    idle: bool = False
    reason: str = ""
    covered_by: tuple[str, ...] = ()


def additions_of(records: Sequence[EvidenceRecord], mutation: MutationReport | None) -> dict[str, Addition]:
    """What each test adds, by node id.

    Tests that add nothing are found one after the other, those that have least first, and of two alike the later one:
    dropping all of them together loses nothing either.
    """
    wealth = _wealth(records, mutation)
    holders: dict[Owned, int] = {}
    for owned in wealth.values():
        for one in owned:
            holders[one] = holders.get(one, 0) + 1
    alone = {nodeid: [one for one in owned if holders[one] == 1] for nodeid, owned in wealth.items()}
    idle = _idle(wealth, dict(holders))
    stay = [nodeid for nodeid in wealth if nodeid not in idle]
    found = {}
    for nodeid, owned in wealth.items():
        kinds = [kind for kind, _, _ in alone[nodeid]]
        covered_by = _cover(owned, stay, wealth) if nodeid in idle else ()
        found[nodeid] = Addition(
            nodeid,
            kinds.count("line"),
            kinds.count("branch"),
            kinds.count("mutant"),
            nodeid in idle,
            _reason(nodeid, owned, covered_by, mutation) if nodeid in idle else "",
            covered_by,
        )
    return found


@dataclass(frozen=True, slots=True)
class FunctionAddition:
    """What the rows of one test function add together.

    Attributes:
        name: the node id without a row.
        rows: how many there are, and how many of them are idle.
        kills: mutants that some row notices; None where none were tried, like `own_kills`.
        own_lines, own_branches, own_kills: what no other function runs, takes or notices.
    """

    name: str
    rows: int
    idle_rows: int
    kills: int | None
    own_lines: int
    own_branches: int
    own_kills: int | None


def additions_by_function(
    records: Sequence[EvidenceRecord], mutation: MutationReport | None, additions: Mapping[str, Addition]
) -> tuple[FunctionAddition, ...]:
    """What each test function adds, its parametrised rows taken together; in the order of collection."""
    rows: dict[str, list[str]] = {}
    united: dict[str, frozenset[Owned]] = {}
    for nodeid, owned in _wealth(records, mutation).items():
        name = nodeid.partition("[")[0]
        rows.setdefault(name, []).append(nodeid)
        united[name] = united.get(name, frozenset[Owned]()) | owned
    holders: dict[Owned, int] = {}
    for owned in united.values():
        for one in owned:
            holders[one] = holders.get(one, 0) + 1
    found = []
    for name, owned in united.items():
        own = [kind for kind, path, what in owned if holders[kind, path, what] == 1]
        found.append(
            FunctionAddition(
                name,
                len(rows[name]),
                sum(additions[nodeid].idle for nodeid in rows[name]),
                None if mutation is None else sum(kind == "mutant" for kind, _, _ in owned),
                own.count("line"),
                own.count("branch"),
                None if mutation is None else own.count("mutant"),
            )
        )
    return tuple(found)


def _wealth(records: Sequence[EvidenceRecord], mutation: MutationReport | None) -> dict[str, frozenset[Owned]]:
    kills: dict[str, set[int]] = {record.nodeid: set() for record in records}
    for number, result in enumerate(mutation.results if mutation else ()):
        for nodeid in result.killed_by:
            kills.setdefault(nodeid, set()).add(number)
    return {
        record.nodeid: frozenset[Owned](
            [
                *(("line", path, line) for path, lines in record.lines.items() for line in lines),
                *(("branch", path, branch) for path, branches in record.branches.items() for branch in branches),
                *(("mutant", "", number) for number in kills[record.nodeid]),
            ]
        )
        for record in records
    }


def _idle(wealth: Mapping[str, frozenset[Owned]], holders: dict[Owned, int]) -> frozenset[str]:
    idle = []
    places = {nodeid: place for place, nodeid in enumerate(wealth)}
    for nodeid, owned in sorted(wealth.items(), key=lambda item: (len(item[1]), -places[item[0]])):
        if all(holders[one] > 1 for one in owned):
            idle.append(nodeid)
            for one in owned:
                holders[one] -= 1
    return frozenset(idle)


def _cover(owned: frozenset[Owned], stay: Sequence[str], wealth: Mapping[str, frozenset[Owned]]) -> tuple[str, ...]:
    """Tests that stay and together have all of it, each time the one that has most of what is left."""
    left, chosen = set(owned), []
    while left:
        best = max(stay, key=lambda nodeid: len(left & wealth[nodeid]), default=None)
        if best is None or not left & wealth[best]:
            break
        chosen.append(best)
        left -= wealth[best]
    return tuple(chosen)


def _reason(nodeid: str, owned: frozenset[Owned], covered_by: Sequence[str], mutation: MutationReport | None) -> str:
    if not owned:
        return "it runs no line of the measured files"
    noticed = " and notices" if mutation is not None else ""
    if len(covered_by) == 1:
        return f"everything it runs{noticed}, {_named(covered_by[0], nodeid)} does, too"
    names = ", ".join(_named(one, nodeid) for one in covered_by[:_NAMED])
    more = f" and {len(covered_by) - _NAMED} more" if len(covered_by) > _NAMED else ""
    return f"everything it runs{noticed} is in other tests: {names}{more}"


def _named(other: str, nodeid: str) -> str:
    """Another test as it is called beside this one: without the file they share."""
    path, separator, rest = other.partition("::")
    return rest if separator and path == nodeid.partition("::")[0] else short(other)
