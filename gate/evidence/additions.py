"""Computes what each test of a suite adds: lines, branches and mutants that no other test covers or kills.

The one rule, for the tests that the gate keeps and for suites that are assessed: a test function, all its rows
together, adds something when a document says what it expects, or its spec calls it critical, or it covers what no
other one covers, or it notices a mutant that no other one notices, of all mutants that are known of it. The plain
example of a member, whose name those of others begin with, counts before them. Tests that add
nothing are found one after the other, those that have least first and of two alike the later one, so that leaving out
all of them loses nothing either.
A row of a table that stays may repeat what others show: it stands there as an example.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport
from ..verify.polluter import short
from .anchors import anchors_of, only_answers, plain_examples
from .evidence import EvidenceRecord

Owned = tuple[str, str, object]
"""(kind, file, what): a line, a branch, or a noticed mutant, by its number and without a file; the kind says whether it
is of the measurement, of further ones, of trivial implementations of functions, or told from elsewhere."""
_NOTICED = frozenset({"mutant", "trivial", "told"})
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Addition:
    """What one test adds.

    Attributes:
        own_lines, own_branches, own_kills: what it alone runs, takes or notices.
        idle: its whole function could go: no line, branch or noticed mutant would be lost.
        repeats: its function stays, this row of it could go.
        reason: why, one sentence; empty where it is neither.
        covered_by: tests that stay and have what such a one has, the most telling first.
    """

    nodeid: str
    own_lines: int = 0
    own_branches: int = 0
    own_kills: int = 0
    idle: bool = False
    repeats: bool = False
    reason: str = ""
    covered_by: tuple[str, ...] = ()


def additions_of(
    records: Sequence[EvidenceRecord], mutation: MutationReport | None, further: Iterable[MutantResult] = ()
) -> dict[str, Addition]:
    """What each test adds, by node id.

    Args:
        further: what became of more mutants than those of the measurement; they speak for tests, and count for nothing.
    """
    wealth = _wealth(records, mutation)
    holders = _holders(wealth)
    alone = {nodeid: [one for one in owned if holders[one] == 1] for nodeid, owned in wealth.items()}
    known = _with_further(wealth, further)
    functions = idle_functions(records, known, plain_examples(map(function_of, _noticing(known))))
    idle = {nodeid for nodeid in known if function_of(nodeid) in functions}
    repeats = _spare({nodeid: owned for nodeid, owned in known.items() if nodeid not in idle})
    stay = [nodeid for nodeid in known if nodeid not in idle | repeats]
    found = {}
    for nodeid in wealth:
        kinds = [kind for kind, _, _ in alone[nodeid]]
        spare = nodeid in idle or nodeid in repeats
        covered_by = _cover(known[nodeid], stay, known) if spare else ()
        found[nodeid] = Addition(
            nodeid,
            kinds.count("line"),
            kinds.count("branch"),
            kinds.count("mutant"),
            nodeid in idle,
            nodeid in repeats,
            _reason(nodeid, known[nodeid], covered_by, mutation) if spare else "",
            covered_by,
        )
    return found


def redundant_tests(
    records: Sequence[EvidenceRecord],
    mutation: MutationReport | None,
    *,
    notices: Mapping[str, Iterable[int]] | None = None,
    before: CoverageData | None = None,
) -> tuple[EvidenceRecord, ...]:
    """Tests to leave out: all of a function that adds nothing, and rows that have nothing at all to show.

    A member whose refusals stay keeps an example of what it does, too: tests of errors alone would describe nothing.
    Its anchor stays, and of a comparison or predicate a test of each answer: what they make idle goes in their place.

    Args:
        notices: numbers of mutants that cases notice, by the cases' ids, as far as it is known from elsewhere.
        before: what is covered without all of them, which is nothing new.
    """
    told = {case: frozenset[Owned](("told", "", one) for one in found) for case, found in (notices or {}).items()}
    known: dict[str, frozenset[Owned]] = {}
    mute: set[str] = set()
    for record, owned in zip(records, _wealth(records, mutation).values(), strict=True):
        fresh = frozenset(one for one in owned if not _is_known(one, before))
        noticed = told.get(record.case_id or "", frozenset())
        known[record.nodeid] = fresh | noticed
        tells = any(kind == "trivial" for kind, _, _ in owned)
        if not (record.adds or noticed or tells or _is_claimed(record)):
            mute.add(record.nodeid)
    needed = anchors_of(records, _noticing(known), function_of)
    spare = _spare_tests(records, known, mute, needed)
    # What is kept for its answer may make another one idle that alone shows the other answer.
    while answers := only_answers(records, {one.nodeid for one in spare}):
        needed |= {function_of(nodeid) for nodeid in answers}
        mute -= answers
        spare = _spare_tests(records, known, mute, needed)
    examples = _missing_examples(records, spare)
    return tuple(one for one in spare if function_of(one.nodeid) not in examples)


def _noticing(known: Mapping[str, frozenset[Owned]]) -> list[str]:
    """Node ids of the tests that notice something."""
    return [nodeid for nodeid, owned in known.items() if any(kind in _NOTICED for kind, _, _ in owned)]


def _spare_tests(
    records: Sequence[EvidenceRecord], known: Mapping[str, frozenset[Owned]], mute: Set[str], needed: Iterable[str]
) -> list[EvidenceRecord]:
    functions = idle_functions(records, known, needed)
    return [one for one in records if function_of(one.nodeid) in functions or one.nodeid in mute]


def _missing_examples(records: Sequence[EvidenceRecord], spare: Sequence[EvidenceRecord]) -> frozenset[str]:
    """The first test function that shows a member at work, for members of which nothing but refusals would stay."""
    leaving = {one.nodeid for one in spare}
    staying = [one for one in records if one.nodeid not in leaving]
    shown = {one.subject for one in staying if not one.refuses}
    missing = {one.subject for one in staying if one.refuses and one.subject} - shown
    found: dict[str, str] = {}
    for one in spare:
        if one.subject in missing and not one.refuses:
            found.setdefault(one.subject, function_of(one.nodeid))
    return frozenset(found.values())


def idle_functions(
    records: Sequence[EvidenceRecord], known: Mapping[str, frozenset[Owned]], needed: Iterable[str] = ()
) -> frozenset[str]:
    """The functions that add nothing, by the rule above.

    Args:
        known: what each test has.
        needed: functions that stay all the same.
    """
    claimed = {function_of(record.nodeid) for record in records if _is_claimed(record)}
    return _spare(_by_function(known), claimed.union(needed))


def function_of(nodeid: str) -> str:
    """The node id without a row."""
    return nodeid.partition("[")[0]


@dataclass(frozen=True, slots=True)
class FunctionAddition:
    """What the rows of one test function add together.

    Attributes:
        name: the node id without a row.
        rows: how many there are, and how many of them are idle or repeat others.
        lines: lines that some row runs.
        kills: mutants that some row notices; None where none were tried, like `own_kills`.
        own_lines, own_branches, own_kills: what no other function runs, takes or notices.
    """

    name: str
    rows: int
    idle_rows: int
    lines: int
    kills: int | None
    own_lines: int
    own_branches: int
    own_kills: int | None


def additions_by_function(
    records: Sequence[EvidenceRecord], mutation: MutationReport | None, additions: Mapping[str, Addition]
) -> tuple[FunctionAddition, ...]:
    """What each test function adds, its parametrised rows taken together; in the order of collection."""
    wealth = _wealth(records, mutation)
    rows: dict[str, list[str]] = {}
    for nodeid in wealth:
        rows.setdefault(function_of(nodeid), []).append(nodeid)
    united = _by_function(wealth)
    holders = _holders(united)
    found = []
    for name, owned in united.items():
        own = [kind for kind, path, what in owned if holders[kind, path, what] == 1]
        found.append(
            FunctionAddition(
                name,
                len(rows[name]),
                sum(additions[nodeid].idle or additions[nodeid].repeats for nodeid in rows[name]),
                sum(kind == "line" for kind, _, _ in owned),
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
    trivial: dict[str, set[Owned]] = {record.nodeid: set() for record in records}
    for trials in mutation.functions if mutation else ():
        for number, nodeids in enumerate(trials.noticed):
            for nodeid in nodeids:
                trivial.setdefault(nodeid, set()).add(("trivial", f"{trials.path}:{trials.name}", number))
    return {
        record.nodeid: frozenset[Owned](
            [
                *trivial[record.nodeid],
                *(("line", path, line) for path, lines in record.lines.items() for line in lines),
                *(("branch", path, branch) for path, branches in record.branches.items() for branch in branches),
                *(("mutant", "", number) for number in kills[record.nodeid]),
            ]
        )
        for record in records
    }


def _with_further(
    wealth: Mapping[str, frozenset[Owned]], further: Iterable[MutantResult]
) -> dict[str, frozenset[Owned]]:
    more: dict[str, set[Owned]] = {nodeid: set() for nodeid in wealth}
    for number, result in enumerate(further):
        for nodeid in result.killed_by:
            more[nodeid].add(("further", "", number))
    return {nodeid: owned | more[nodeid] for nodeid, owned in wealth.items()}


def _by_function(wealth: Mapping[str, frozenset[Owned]]) -> dict[str, frozenset[Owned]]:
    united: dict[str, frozenset[Owned]] = {}
    for nodeid, owned in wealth.items():
        name = function_of(nodeid)
        united[name] = united.get(name, frozenset[Owned]()) | owned
    return united


def _holders(wealth: Mapping[str, frozenset[Owned]]) -> dict[Owned, int]:
    holders: dict[Owned, int] = {}
    for owned in wealth.values():
        for one in owned:
            holders[one] = holders.get(one, 0) + 1
    return holders


def _spare(wealth: Mapping[str, frozenset[Owned]], needed: Iterable[str] = ()) -> frozenset[str]:
    """Those that could all go together, the needed ones never; see the rule at the top."""
    holders, protected = _holders(wealth), set(needed)
    places = {name: place for place, name in enumerate(wealth)}
    spare = []
    for name, owned in sorted(wealth.items(), key=lambda item: (len(item[1]), -places[item[0]])):
        if name not in protected and all(holders[one] > 1 for one in owned):
            spare.append(name)
            for one in owned:
                holders[one] -= 1
    return frozenset(spare)


def _is_claimed(record: EvidenceRecord) -> bool:
    """Whether a document or its spec says that it has to be there, whatever it adds to the others."""
    return record.critical or "documented" in record.origins


def _is_known(owned: Owned, before: CoverageData | None) -> bool:
    """Whether it is a line or branch that is covered anyway."""
    kind, path, what = owned
    file = None if before is None else before.files.get(path)
    if file is None or kind not in ("line", "branch"):
        return False
    return what in (file.executed if kind == "line" else file.executed_branches)


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
    if mutation is not None and mutation.found > len(mutation.results) - mutation.count("untried"):
        noticed = " and notices of the mutants tried"
    if len(covered_by) == 1:
        return f"everything it runs{noticed}, {_named(covered_by[0], nodeid)} does, too"
    names = ", ".join(_named(one, nodeid) for one in covered_by[:_NAMED])
    more = f" and {len(covered_by) - _NAMED} more" if len(covered_by) > _NAMED else ""
    return f"everything it runs{noticed} is in other tests: {names}{more}"


def _named(other: str, nodeid: str) -> str:
    """Another test as it is called beside this one: without the file they share."""
    path, separator, rest = other.partition("::")
    return rest if separator and path == nodeid.partition("::")[0] else short(other)
