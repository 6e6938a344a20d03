"""Leaves out rows of a table that a reader would strike, and tests that a reviewer would refuse.

A row is struck where the other rows and tests show all that it shows. It stays where it alone takes a way through the
code, ends in a way of its own, notices a mutant, answers with the other truth value or with nothing, or tells a trivial
implementation. Two lists of other lengths are one case.

A test is refused for what it looks like, whatever it covers: by several signs of an input that nobody would write or of
an answer that says little, or by one where a test without any shows the same callable.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from ..model.model import Arc
from ..scenarios.scenario import ShownBehaviour
from ..search.simplified_trials import SIMPLIFIED
from ..source.statements import STATEMENT_METHODS
from .candidates import TrialCandidate
from .degeneracy import SEVERE
from .representative import NO_RESULT
from .trivial import is_rich, trivial_survivors

_SPECIAL_METHOD = re.compile(r"\.(__\w+__)\(")
_SHOWN_AS_TEXT = frozenset({"__repr__", "__str__", "__format__"})
# So many signs speak against a test, whatever else shows its callable.
_REFUSED = 2
# A test with one sign stays where it alone notices so many mutants.
_KILLS_OF_ITS_OWN = 3


def without_doubtful_tests(candidates: Sequence[TrialCandidate], stay: Collection[int]) -> list[TrialCandidate]:
    """Leaves out tests that show little to a reader; documented examples, scenarios and controls stay.

    Args:
        stay: numbers of records that are shown beside another one: what an option changes.
    """
    forms = Counter((one.subject, one.representation.shape) for one in candidates)
    kills = Counter(mutant for one in candidates for mutant in one.kills)
    signs = {one.record.number: len(list(_signs(one, forms))) for one in candidates}
    clean = {one.subject for one in candidates if not signs[one.record.number] and not one.raises}
    answers = Counter((one.subject, one.representation.result) for one in candidates if _is_truth_value(one))

    def is_refused(one: TrialCandidate) -> bool:
        if one.example or ShownBehaviour in one.record.notes or one.record.number in stay:
            return False
        if signs[one.record.number] >= _REFUSED or _shows_nothing(one) or _calls_special_method(one):
            return True
        shown = one.representation
        needed = forms[one.subject, shown.shape] > 1 or (
            _is_truth_value(one) and answers[one.subject, shown.result] < 2
        )
        own = sum(kills[mutant] < 2 for mutant in one.kills)
        return bool(signs[one.record.number]) and not needed and one.subject in clean and own < _KILLS_OF_ITS_OWN

    return [one for one in candidates if not is_refused(one)]


def _signs(one: TrialCandidate, forms: Counter[tuple[str, str]]) -> Iterator[str]:
    """Generates what speaks against a test of a candidate."""
    shown = one.representation
    if one.record.trial.source == SIMPLIFIED:
        yield "found by search alone"
    if one.misfits:
        yield "an argument outside its domain"
    if shown.trivial and not one.raises and not isinstance(shown.result, bool):
        yield "an empty answer, or what was given"
    if one.oddness:
        yield "fragments of text"
    if (
        one.record.trial.act.startswith("repr(")
        and one.subject.rpartition(".")[2] not in _SHOWN_AS_TEXT
        and forms[one.subject, shown.shape] < 2
    ):
        yield "an object that only its text shows"


def _shows_nothing(one: TrialCandidate) -> bool:
    """Whether a test is of empty values only; that a predicate answers False to them is an answer."""
    return one.representation.degeneracy >= SEVERE and not one.raises and one.representation.result is not False


def _is_truth_value(one: TrialCandidate) -> bool:
    return isinstance(one.representation.result, bool)


def _calls_special_method(one: TrialCandidate) -> bool:
    """Whether a test calls by hand what Python calls: `method.__get__(1)`."""
    return any(name not in STATEMENT_METHODS for name in _SPECIAL_METHOD.findall(one.record.trial.act))


def without_surplus_rows(
    candidates: Sequence[TrialCandidate], reached: frozenset[Arc], stay: Collection[int]
) -> list[TrialCandidate]:
    """Leaves out surplus rows; of two that show the same, the one with the poorer answer goes.

    Args:
        reached: arcs that importing the module runs.
        stay: numbers of records that are shown beside another one: what an option changes.
    """
    tables: dict[tuple[str, str], list[TrialCandidate]] = defaultdict(list)
    for one in candidates:
        tables[one.subject, one.representation.shape].append(one)
    arcs = Counter(arc for one in candidates for arc in one.record.covered)
    kills = Counter(mutant for one in candidates for mutant in one.kills)
    gone: set[int] = set()
    for rows in tables.values():
        for row in sorted(rows, key=_richness):
            others = [one for one in rows if one is not row and one.record.number not in gone]
            alone = any(arcs[arc] < 2 for arc in row.record.covered - reached) or any(
                kills[one] < 2 for one in row.kills
            )
            if row.example or row.record.number in stay or alone or not _shown_by(others, row):
                continue
            gone.add(row.record.number)
            arcs.subtract(row.record.covered)
            kills.subtract(row.kills)
    return [one for one in candidates if one.record.number not in gone]


def _richness(row: TrialCandidate) -> tuple[object, ...]:
    """Orders rows: those that show least first."""
    shown = row.representation
    size = len(shown.result) if isinstance(shown.result, str | bytes | list | tuple | dict | set | frozenset) else 0
    return (
        not row.misfits,
        -row.oddness,
        is_rich(shown),
        -shown.degeneracy,
        min(size, _LONG),
        -row.cost,
        -row.record.number,
    )


_LONG = 3


def _shown_by(others: Sequence[TrialCandidate], row: TrialCandidate) -> bool:
    """Whether other rows of the table end as this one does and tell trivial implementations without it."""
    alike = [one for one in others if _ending(one) == _ending(row) and _is_as_plain(one, row)]
    if not alike or row.raises:
        return bool(alike)
    left = [one.representation for one in others if not one.raises]
    if row.record.observation.effects or row.record.observation.output:
        return True  # what it does tells it from a constant
    survivors = trivial_survivors(left)
    if row.constant or not survivors - trivial_survivors([*left, row.representation]):
        return True  # it tells no trivial implementation either
    return survivors == {"constant"} and any(map(is_rich, left))


def _is_as_plain(one: TrialCandidate, row: TrialCandidate) -> bool:
    """Whether a row reads as well as another one: what the search put together takes no plain row's place, and what
    comes back empty or as it was given takes the place of no row that shows something."""
    return (
        one.oddness <= row.oddness
        and one.misfits <= row.misfits
        and one.representation.degeneracy <= row.representation.degeneracy
        and one.representation.trivial <= row.representation.trivial
    )


def _ending(row: TrialCandidate) -> tuple[object, ...]:
    """How a row ends: with which exception from where, or with which kind of answer."""
    raised = row.record.observation.raised
    if raised is not None:
        return "raised", raised.type_name, raised.line
    effects = tuple(sorted(expression.partition(".")[2] for expression, _ in row.record.observation.effects))
    return effects, *_kind(row)


def _kind(row: TrialCandidate) -> tuple[object, ...]:
    result = row.representation.result
    if result is NO_RESULT:
        return "returned", row.representation.trivial
    if result is None or isinstance(result, bool):
        return "returned", result
    return "returned", type(result), not result, isinstance(result, int | float) and result < 0
