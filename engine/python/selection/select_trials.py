"""Selects the trials that become tests: an anchor for each callable first, then deltas from it, each with a reason.

The anchor is a representative example. A delta takes another branch, shows another ending, kills a mutant that no row
before it kills, or excludes a trivial implementation. A callable without an anchor gets no deltas: edges alone show
nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..inputs.plain_texts import MANGLED
from ..model.model import RICH_SOURCES, Arc, ModuleFacts
from ..scenarios.compared_arguments import COMPARED
from ..scenarios.independent_copies import SPARES
from ..scenarios.overlapping_operands import OVERLAPPING, SHOWN_OPERANDS
from ..scenarios.scenario import LISTED, ROUND_TRIP, ShownBehaviour
from ..search.influence_trials import Distinction
from ..search.trial_search import TrialRecord
from .candidates import TrialCandidate, candidates_of, plainest_candidates
from .degeneracy import MILD, SEVERE
from .documented import plainest_of_each_line, without_repeated_examples
from .excluding import exclude_trivial
from .goals import DISTINCTION
from .idle_arguments import outcome_of
from .plain_constructions import drop_plain_constructions
from .reaching import concerns_of, only_lets_through, reaches, undoing
from .representative import NO_RESULT, OTHER_SHAPE, Representation
from .state import MOST_OPTIONS, Selection, take_control, take_further_rows, take_options
from .surplus_tests import without_surplus_tests
from .tautologies import ends_where_it_began

MOST_PER_CALLABLE = 24
MOST_FORMS = 6
MOST_EXAMPLES = 12
EXAMPLES_OF_OPTION = 2
# The price of a delta beside its length: a call of another form starts a test of its own, a degenerate value shows
# little.
_BASE = 20.0
_OTHER_FORM = 30.0
_FURTHER_DIFFERENCE = 6.0
_DEGENERATE = 12.0
_ODD = 30.0
_SHOWN_BY_FRAGMENTS, _SHOWN_BY_MANGLED = 3, 4
# A test of its own that takes no new branch, or one that shows little, must kill so many mutants that no other does.
_KILLS_OF_OWN_FORM = _KILLS_OF_TRIVIAL = 2
# So must the same call with the same answer on an object in another state.
_KILLS_IN_OTHER_STATE = 2
# Each so many rows of one form, a further one that takes no new branch must kill one mutant more: nobody reads a long
# table of one behaviour.
_ROWS_FOR_ONE_KILL = 2
_SHARES = 4
# How many trials that show the same stay, to choose one whose answer excludes a trivial implementation.
_ALIKE = 4
_BODIES = frozenset({"function", "method", "classmethod", "staticmethod", "property"})


@dataclass(frozen=True, slots=True)
class SelectedTrials:
    """Candidates that become tests, in the order of the source; `controls`: records beside which an option shows."""

    candidates: Sequence[TrialCandidate]
    controls: frozenset[int] = frozenset()


def select_trials(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """Selects records as `select_candidates` does, without surplus tests and rows where mutants were run.

    Args:
        reached: arcs that importing the module runs; they need no test.
        kills: mutants that records detect, by record number.
    """
    found = select_candidates(records, facts, reached, kills)
    kept = without_surplus_tests(found.candidates, reached, found.controls) if kills else found.candidates
    return [candidate.record for candidate in kept]


def select_candidates(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> SelectedTrials:
    """Selects what becomes tests; ordered by their callable's position in the source, each callable's anchor first.

    Args:
        reached: arcs that importing the module runs; they need no test.
        kills: mutants that records detect, by record number.
    """
    return select_from(candidates_of(records, facts, kills), facts, reached, kills)


def select_from(
    candidates: Sequence[TrialCandidate],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> SelectedTrials:
    """As `select_candidates`, of candidates that are known already."""
    by_subject: dict[str, list[TrialCandidate]] = defaultdict(list)
    lines = {one.qualname: one.lines for one in facts.callables() if one.kind in _BODIES}
    for candidate in plainest_candidates(candidates, alike=_ALIKE):
        by_subject[candidate.subject].append(candidate)
    for name, found in by_subject.items():
        reaching = [one for one in found if reaches(one, lines.get(name))] or found
        plain = plainest_of_each_line(without_repeated_examples(undoing(reaching), lines.get(name)), lines.get(name))
        by_subject[name] = _without_empty_answers(plain)
    drop_plain_constructions(by_subject, facts)
    order = {subject.qualname: index for index, subject in enumerate(facts.callables())}
    subjects = sorted(by_subject, key=lambda name: (order.get(name, len(order)), name))
    concerns = concerns_of(facts)
    selection = Selection(set(reached), counts_goals=not kills)
    options = {one.qualname: sum(item.default is not None for item in one.parameters) for one in facts.callables()}
    most = {name: max(MOST_EXAMPLES, EXAMPLES_OF_OPTION * options.get(name, 0)) for name in subjects}
    anchored = [name for name in subjects if _take_anchor(by_subject[name], selection, concerns, most[name])]
    for name in anchored:
        take_further_rows(by_subject[name], selection)
        take_options(by_subject[name], selection)
        _take_deltas(by_subject[name], selection, lambda arc, name=name: concerns(name, arc))
    for name in anchored:  # what is left of other callables: only a call from here reaches it
        _take_deltas(by_subject[name], selection, lambda arc: True)
        exclude_trivial(by_subject[name], selection)
    picked = _without_redundant(selection, reached)
    picked.sort(
        key=lambda item: (
            order.get(item.subject, len(order)),
            item.record.number not in selection.anchors,
            item.cost,
            item.record.number,
        )
    )
    return SelectedTrials(picked, frozenset(selection.controls))


def _without_empty_answers(candidates: Sequence[TrialCandidate]) -> list[TrialCandidate]:
    """Leaves out yes or no said of empty values where others with content are answered alike."""
    shown = {
        one.representation.result
        for one in candidates
        if one.says_whether and one.representation.degeneracy < SEVERE and one.asserts and not one.misfits
    }
    return [
        one
        for one in candidates
        if one.example
        or ShownBehaviour in one.record.notes
        or one.representation.degeneracy < SEVERE
        or not one.says_whether
        or one.representation.result not in shown
    ]


def _take_anchor(
    candidates: Sequence[TrialCandidate], selection: Selection, concerns: Callable[[str, Arc], bool], most_examples: int
) -> bool:
    """Takes the first documented examples and, if none of them represents the callable, its best example.

    Returns whether the callable has an anchor. One that only lets through or refuses is represented by what it refuses.
    """
    examples = sorted((one for one in candidates if one.example), key=lambda one: one.record.number)[:most_examples]
    for example in examples:
        selection.take(example, keep=True)
        selection.anchors.add(example.record.number)
    shown = sorted((one for one in candidates if ShownBehaviour in one.record.notes), key=lambda one: one.record.number)
    for scenario in shown:
        selection.take(scenario, keep=True)
        selection.anchors.add(scenario.record.number)
    telling = any(one.record.notes[ShownBehaviour] not in (ROUND_TRIP, SPARES, LISTED) for one in shown)
    if telling or any(_is_representative(example) for example in examples):
        return True
    fit = [one for one in candidates if one.asserts and one.meant and not (one.misfits or one.idle)]
    own = {
        one.record.number: sum(concerns(one.subject, arc) for arc in one.record.arcs) for one in fit if not one.raises
    }
    most = max(own.values(), default=0)

    def rank(candidate: TrialCandidate) -> tuple[float, ...]:
        shown = candidate.representation
        share = _SHARES * own[candidate.record.number] // most if most else 0
        # What a person would write stands for the callable though bits of it, put together, go a little further.
        share += not candidate.oddness
        decorates = any(text.startswith(f"@{candidate.subject}") for text in candidate.record.trial.arrange)
        return (
            ends_where_it_began(candidate.record),
            shown.degeneracy > MILD,
            candidate.oddness > 1,
            candidate.record.trial.source not in RICH_SOURCES and not decorates,
            shown.gaps,
            shown.negative + (shown.result is False),  # what something is says more than what it is not
            _is_compared(candidate),  # it says something beside the usual call alone
            candidate.interchangeable,
            shown.set_up,  # an object with its defaults comes first; what an option changes is a delta
            shown.degeneracy,
            shown.options > 0,  # so it is with what an option of the call changes
            shown.only_wraps,
            -share,
            candidate.oddness,
            -shown.signs,
            candidate.formatted,
            candidate.cost,
            candidate.record.number,
        )

    showing = [one for one in fit if not one.raises and not one.representation.trivial]
    if showing:
        anchor = min(showing, key=rank)
        selection.take(anchor, keep=True)
        selection.anchors.add(anchor.record.number)
        return True
    return bool(examples or shown) or only_lets_through(fit)


def _is_representative(candidate: TrialCandidate) -> bool:
    return not candidate.raises and not candidate.representation.trivial


def _take_deltas(candidates: Sequence[TrialCandidate], selection: Selection, counts: Callable[[Arc], bool]) -> None:
    """Takes the most new branches, endings and kills for the lowest price, until no candidate is worth it.

    Args:
        counts: whether an arc counts for this callable.
    """
    # A scenario with other values shows the same; beside the plainest operand, others may go other ways.
    told = {
        one.representation.shape
        for one in candidates
        if one.record.notes.get(ShownBehaviour, OVERLAPPING) not in SHOWN_OPERANDS
    }
    own = [one for one in selection.chosen.values() if one.subject == candidates[0].subject] if candidates else []
    shows_change = any(_is_representative(one) and not ends_where_it_began(one.record) for one in own)
    usable = [
        one
        for one in candidates
        if one.asserts
        and one.meant
        and (not one.misfits or one.refusal)
        and (one.representation.shape not in told or ShownBehaviour in one.record.notes)
        and not (shows_change and Distinction not in one.record.notes and ends_where_it_began(one.record))
    ]
    fit = [one for one in usable if not one.misfits]
    taken = sum(one.subject == candidates[0].subject for one in selection.chosen.values()) if candidates else 0
    while usable and taken < MOST_PER_CALLABLE:
        rows = selection.rows[usable[0].subject]
        odd_rows = sum(one.oddness > 1 for one in selection.chosen.values() if one.subject == usable[0].subject)
        rated = [(_worth(one, selection, rows, counts, odd_rows), one) for one in usable]
        usable = [one for worth, one in rated if worth > 0]
        best = max(rated, key=lambda item: (item[0], -item[1].record.number))
        if best[0] <= 0:
            return
        selection.take(best[1])
        taken += 1
        taken += take_control(best[1], fit, selection)
        usable = [one for one in usable if one.record.number not in selection.chosen]


def _worth(
    candidate: TrialCandidate,
    selection: Selection,
    rows: Sequence[Representation],
    counts: Callable[[Arc], bool],
    odd_rows: int = 0,
) -> float:
    """Returns what a candidate adds for its price; 0 if a reader would call it superfluous.

    Args:
        odd_rows: how many rows with fragments of text the callable has already.
    """
    arcs = sum(counts(arc) for arc in candidate.record.arcs - selection.covered)
    new_goals = candidate.goals - selection.shown
    endings = sum(goal[0] == 0 and (candidate.raises or goal[2] == DISTINCTION) for goal in new_goals)
    kills = 0 if candidate.misfits else len(candidate.kills - selection.killed)
    if selection.counts_goals and not candidate.misfits:
        kills += sum(goal[0] != 0 for goal in new_goals)
    shown = candidate.representation
    if shown.options > MOST_OPTIONS:
        return 0.0  # nobody sees what each of them is for
    distance = min((shown.distance(row) for row in rows), default=0)
    other_form = distance >= OTHER_SHAPE
    if candidate.idle:
        # Beside a call whose argument has an effect, the value that just has none may mark a boundary.
        arcs = 0
        if other_form or not kills or not rows:
            return 0.0
    # A further sequence of calls on an object is mostly the one that shows how its state matters.
    fewest = _KILLS_OF_OWN_FORM if other_form and candidate.record.trial.source != "sequence" else 1
    if other_form and not (arcs or endings) and len({row.shape for row in rows}) >= MOST_FORMS:
        return 0.0
    alike = sum(row.shape == shown.shape for row in rows)
    fewest = max(fewest, alike // _ROWS_FOR_ONE_KILL)
    if not arcs and not endings and (kills < fewest or shown.degeneracy > MILD):
        return 0.0
    if not arcs and not endings and kills < _KILLS_IN_OTHER_STATE and _is_asked_already(candidate, selection):
        return 0.0
    odd = candidate.oddness > 1
    repeats = shown.trivial and not candidate.raises and any(_same_answer(row, shown) for row in rows)
    if repeats and (arcs < 2 or odd) and not (endings and _is_compared(candidate)):
        return 0.0  # a second empty answer says nothing that the first one does not
    plain_answer = candidate.shows_little
    if plain_answer and not arcs and not endings and kills < _KILLS_OF_TRIVIAL:
        return 0.0  # what comes back empty or as it was given shows little, whatever one mutant does
    if odd:
        # What no person would write is published where it takes a way of its own, and each further one must show more:
        # a table of fragments is no test that anybody reads.
        mangled = candidate.oddness >= MANGLED or shown.trivial
        fewest_shown = _SHOWN_BY_MANGLED if mangled else _SHOWN_BY_FRAGMENTS
        # What is refused may well be malformed.
        needed = odd_rows + (fewest_shown // 2 if candidate.raises else fewest_shown)
        if arcs + endings < needed:
            return 0.0
    price = _BASE + candidate.cost + _DEGENERATE * shown.degeneracy + _ODD * candidate.oddness
    price += _DEGENERATE * (plain_answer + candidate.misfits)
    price += _OTHER_FORM if other_form else _FURTHER_DIFFERENCE * max(0, distance - 1)
    return (2 * arcs + 2 * endings + kills) / price


def _is_asked_already(candidate: TrialCandidate, selection: Selection) -> bool:
    """Whether a row asks the same with the same answer, only of an object in another state."""
    record = candidate.record
    return any(
        one.subject == candidate.subject
        and one.record.trial.act == record.trial.act
        and outcome_of(one.record.observation) == outcome_of(record.observation)
        for one in selection.chosen.values()
    )


def _is_compared(candidate: TrialCandidate) -> bool:
    return candidate.record.notes.get(Distinction) in COMPARED


def _same_answer(left: Representation, right: Representation) -> bool:
    return left.trivial and left.result is not NO_RESULT and repr(left.result) == repr(right.result)


def _without_redundant(selection: Selection, reached: frozenset[Arc]) -> list[TrialCandidate]:
    """Drops candidates whose arcs, endings and kills the others show as well; the hardest to read first."""
    ordered = sorted(
        selection.chosen.values(),
        key=lambda item: (-item.misfits, -item.cost - _ODD * item.oddness, -item.record.number),
    )
    lowest = 2 if selection.counts_goals else 0
    arcs = Counter(arc for candidate in ordered for arc in candidate.record.covered)
    goals = Counter(goal for candidate in ordered for goal in candidate.goals)
    kills = Counter(mutant for candidate in ordered for mutant in candidate.kills)
    left: list[TrialCandidate] = []
    for candidate in ordered:
        # The counters include the candidate itself: below 2 means nobody else shows it.
        is_unique = (
            any(arcs[arc] < 2 for arc in candidate.record.arcs - reached)
            or any(goals[goal] < 2 for goal in candidate.goals if isinstance(goal[0], int) and goal[0] <= lowest)
            or any(kills[mutant] < 2 for mutant in candidate.kills)
        )
        if candidate.record.number in selection.kept or is_unique:
            left.append(candidate)
            continue
        arcs.subtract(candidate.record.covered)
        goals.subtract(candidate.goals)
        kills.subtract(candidate.kills)
    return left
