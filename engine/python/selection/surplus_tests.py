"""Leaves out rows of a table that a reader would strike, and tests that a reviewer would refuse.

A row is struck where the other rows and tests show all that it shows. It stays where it alone takes a way through the
code, ends in a way of its own, notices a mutant, answers with the other truth value or with nothing, or tells a trivial
implementation. Two lists of other lengths are one case.

A test is refused for what it looks like, whatever it covers: by several signs of an input that nobody would write or of
an answer that says little, or by one where a test without any shows the same callable.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from ....utils.python_source import shared_expression
from ..model.model import RICH_SOURCES, Arc
from ..scenarios.independent_copies import COPYING, LEAVES_ORIGINAL
from ..scenarios.scenario import ShownBehaviour, is_further_row
from ..search.influence_trials import Control, shown_option
from ..search.simplified_trials import SIMPLIFIED
from .candidates import TrialCandidate
from .degeneracy import SEVERE
from .representative import NO_RESULT
from .trivial import is_rich, trivial_survivors

# What operators, built-in functions, accesses and Python 2 call. Others have no other way to be called.
_NEVER_BY_HAND = frozenset(
    f"__{name}__"
    for name in "get set delete unicode nonzero cmp format str repr hash len iter next contains getitem getattr "
    "getattribute eq ne lt le gt ge add sub mul truediv floordiv mod and or xor lshift rshift pow matmul neg pos abs "
    "invert int float bool bytes call enter exit".split()
)
_SHOWN_AS_TEXT = frozenset({"__repr__", "__str__", "__format__"})
_FOUND_AT_RANDOM = "changes at random led to it"
_FRAGMENTS = "fragments of text"
_SHOWN_BY_TEXT = "an object that only its text shows"
_EMPTY_VALUES = "nothing but empty values"
_BY_HAND = "a special method called by hand"
_UNORDERED = "items whose order no run fixes"
_PATTERN = "the text of a pattern, or of a table of characters"
# Signs of how a test looks; others are of what it shows.
_LOOKS = frozenset({_FOUND_AT_RANDOM, _FRAGMENTS, _SHOWN_BY_TEXT, _UNORDERED})
# Each of these is enough, and so are several signs of any kind.
_WORST = frozenset({_EMPTY_VALUES, _BY_HAND, _PATTERN})
_REFUSED = 2
_MOST_FOREIGN = 60
# A test with one sign stays where it alone notices so many mutants.
_KILLS_OF_ITS_OWN = 3


def without_surplus_tests(
    candidates: Sequence[TrialCandidate], reached: frozenset[Arc], stay: Collection[int]
) -> list[TrialCandidate]:
    """Leaves out the tests that a reviewer would refuse, then the rows that a reader would strike from what is left.

    Args:
        reached: arcs that importing the module runs.
        stay: numbers of records that are shown beside another one: what an option changes.
    """
    return _without_surplus_rows(_without_doubtful_tests(candidates, stay), reached, stay)


def _without_doubtful_tests(candidates: Sequence[TrialCandidate], stay: Collection[int]) -> list[TrialCandidate]:
    """Leaves out tests that show little to a reader; documented examples, scenarios and controls stay.

    Of a callable that nothing else would show, the test that least speaks against stays, if nothing but its looks does.
    """
    forms = Counter((one.subject, one.representation.shape) for one in candidates)
    signs = {one.record.number: frozenset(_signs(one, forms)) for one in candidates}
    refused = {number for number, found in signs.items() if len(found) >= _REFUSED or found & _WORST}
    refused |= _plain_copies(candidates) | _repeated_refusals(candidates)
    safe = {one.record.number for one in candidates if one.example or ShownBehaviour in one.record.notes}
    # What an option does to a pattern says no more than the pattern.
    safe.update(number for number in stay if _PATTERN not in signs.get(number, ()))
    refused -= safe
    left = [one for one in candidates if one.record.number not in refused]
    clean = {one.subject for one in left if not one.raises and not signs[one.record.number]}
    answers = Counter((one.subject, one.representation.result) for one in left if one.says_whether)
    kills = Counter(mutant for one in left for mutant in one.kills)
    options = Counter(map(_option, left))
    for one in left:
        shown = one.representation
        needed = forms[one.subject, shown.shape] > 1 or (one.says_whether and answers[one.subject, shown.result] < 2)
        plain = signs[one.record.number] <= {_FRAGMENTS} and shown.degeneracy < SEVERE
        needed |= plain and _shows_option(one) and options[_option(one)] < 2
        own = sum(kills[mutant] < 2 for mutant in one.kills)
        if signs[one.record.number] and one.subject in clean and not needed and own < _KILLS_OF_ITS_OWN:
            refused.add(one.record.number)
    refused -= safe.union(_only_tests(candidates, refused, signs))
    refused |= _repeated_sizes(candidates) - safe
    return [one for one in candidates if one.record.number not in refused]


def _plain_copies(candidates: Sequence[TrialCandidate]) -> set[int]:
    """The numbers of tests of what a copy equals, where another one shows that it stays as it is, too."""
    spared = {one.subject for one in candidates if one.record.notes.get(ShownBehaviour) == LEAVES_ORIGINAL}
    return {
        one.record.number
        for one in candidates
        if one.subject in spared and COPYING.fullmatch(one.subject.rpartition(".")[2]) and not one.raises
    }


def _repeated_refusals(candidates: Sequence[TrialCandidate]) -> set[int]:
    """The numbers of tests of a project's own exception that another member's test raises at the same line.

    What a parser refuses is its own business, whoever hands it the text; the plainest of these tests stays, and those
    that alone notice a mutant.
    """
    raised: dict[tuple[str, int], list[TrialCandidate]] = defaultdict(list)
    for one in candidates:
        error = one.record.observation.raised
        if error is not None and "." in error.type_name and error.line:
            raised[error.type_name, error.line].append(one)
    kills = Counter(mutant for one in candidates for mutant in one.kills)
    found: set[int] = set()
    for alike in raised.values():
        first = min(alike, key=lambda one: (not one.example, one.oddness, one.cost, one.record.number))
        found |= {
            one.record.number
            for one in alike
            if one.subject != first.subject and all(kills[mutant] > 1 for mutant in one.kills)
        }
    return found


def _repeated_sizes(candidates: Sequence[TrialCandidate]) -> set[int]:
    """The numbers of tests that ask for the size of an object after the very steps that another test ends with, which
    tells its effect by that size; those that alone notice a mutant stay."""
    told = {
        (_steps(one), effects[0][1].source)
        for one in candidates
        if len(effects := one.record.observation.effects) == 1 and effects[0][0].startswith("len(")
    }
    kills = Counter(mutant for one in candidates for mutant in one.kills)
    return {
        one.record.number
        for one in candidates
        if one.record.trial.act.startswith("len(")
        and one.record.observation.value is not None
        and (_steps(one, with_act=False), one.record.observation.value.source) in told
        and all(kills[mutant] > 1 for mutant in one.kills)
    }


def _steps(one: TrialCandidate, *, with_act: bool = True) -> tuple[str, ...]:
    """The statements of a candidate without the values that they pass, its act among them or not."""
    trial = one.record.trial
    return tuple(text.partition("(")[0] for text in (*trial.arrange, *([trial.act] if with_act else [])))


def _only_tests(
    candidates: Sequence[TrialCandidate], refused: Collection[int], signs: Mapping[int, frozenset[str]]
) -> set[int]:
    """The numbers of refused tests that stay: of callables without any other one, the one with the fewest signs."""
    shown = {one.subject for one in candidates if one.record.number not in refused}
    found: dict[str, TrialCandidate] = {}
    for one in sorted(candidates, key=lambda one: (len(signs[one.record.number]), one.cost, one.record.number)):
        if one.subject not in shown and not one.raises and signs[one.record.number] <= _LOOKS:
            found.setdefault(one.subject, one)
    return {one.record.number for one in found.values()}


def _signs(one: TrialCandidate, forms: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Generates what speaks against a test of a candidate."""
    shown = one.representation
    if one.record.trial.source in (SIMPLIFIED, "havoc"):
        yield _FOUND_AT_RANDOM
    if one.misfits:
        yield "an argument outside its domain"
    if one.shows_little:
        yield "an empty answer, or what was given"
    if one.oddness:
        yield _FRAGMENTS
    is_row = forms[one.subject, shown.shape] > 1 or _shows_option(one)
    # Zero is a row beside other numbers, and that a predicate answers False to empty values is an answer.
    if shown.degeneracy >= SEVERE and not one.raises and not is_row and shown.result is not False:
        yield _EMPTY_VALUES
    if one.record.trial.act.startswith("repr(") and one.subject.rpartition(".")[2] not in _SHOWN_AS_TEXT and not is_row:
        yield _SHOWN_BY_TEXT
    if _calls_special_method(one):
        yield _BY_HAND
    if _leaves_order_open(one):
        yield _UNORDERED
    if _answers_pattern(one):
        yield _PATTERN


def _answers_pattern(one: TrialCandidate) -> bool:
    """Whether the answer is a compiled pattern, or lists characters as a pattern does: nobody can say that it is right,
    and the next version of Unicode has others."""
    value = one.record.observation.value
    source = value.source if value is not None else None
    if source is None:
        return False
    # A sentence in another script has blanks.
    foreign = 0 if " " in source else sum(not letter.isascii() for letter in source)
    return source.startswith("re.compile(") or foreign > _MOST_FOREIGN


def _leaves_order_open(one: TrialCandidate) -> bool:
    """Whether the answer is a list that two runs order differently: it is compared sorted, whatever its order says."""
    value = one.record.observation.value
    source = (value.source if value is not None else None) or ""
    return value is not None and value.unordered and source.startswith(("[", "(")) and "{" not in source


def _shows_option(one: TrialCandidate) -> bool:
    """Whether a test shows an option beside the same call without it, whose values it shares."""
    return shown_option(one.record) != "" and Control in one.record.notes


def _option(one: TrialCandidate) -> tuple[str, str]:
    """The callable and the option that a candidate shows; no option where it shows none."""
    return one.subject, shown_option(one.record)


def _calls_special_method(one: TrialCandidate) -> bool:
    """Whether a test calls by hand what Python calls for an operator, a statement or an access to an attribute."""
    act = shared_expression(one.record.trial.act)
    calls = (node.func for node in ast.walk(act) if isinstance(node, ast.Call)) if act is not None else ()
    return any(isinstance(name, ast.Attribute) and name.attr in _NEVER_BY_HAND for name in calls)


def _without_surplus_rows(
    candidates: Sequence[TrialCandidate], reached: frozenset[Arc], stay: Collection[int]
) -> list[TrialCandidate]:
    """Leaves out surplus rows; of two that show the same, the one with the poorer answer goes."""
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
            stays = row.example or row.record.number in stay or is_further_row(row.record)
            if stays or alone or not _shown_by(others, row):
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
        not _leaves_order_open(row),
        -row.oddness,
        is_rich(shown),
        -shown.degeneracy,
        _is_written(row),
        min(size, _LONG),
        -row.cost,
        -row.record.number,
    )


_LONG = 3


def _is_written(row: TrialCandidate) -> bool:
    """Whether a person wrote the call, or the project makes it."""
    return row.record.trial.source in RICH_SOURCES


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
    comes back empty, in any order or as it was given takes the place of no row that shows something, nor what was made
    up that of a call that the project makes."""
    return (
        _is_written(one) >= _is_written(row)
        and one.oddness <= row.oddness
        and one.misfits <= row.misfits
        and _leaves_order_open(one) <= _leaves_order_open(row)
        and one.representation.degeneracy <= row.representation.degeneracy
        and one.representation.trivial <= row.representation.trivial
        and one.representation.only_wraps <= row.representation.only_wraps
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
