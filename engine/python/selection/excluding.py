"""Takes rows that tell a callable from trivial implementations: a constant, one of its arguments, a length."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .candidates import TrialCandidate
from .degeneracy import MILD
from .representative import OTHER_SHAPE, Representation
from .state import Selection
from .trivial import excluded_by, is_rich, is_unmistakable, trivial_survivors

_MOST_EXCLUDING = 2
_QUESTION = re.compile(r"(is|has|can)_")


def exclude_trivial(candidates: Sequence[TrialCandidate], selection: Selection) -> None:
    """Takes rows until no trivial implementation gives all answers of a callable, or none of them excludes one."""
    chosen = [one for one in selection.chosen.values() if one.subject == candidates[0].subject and not one.raises]
    if (
        not chosen
        or chosen[0].constant
        or any(one.record.observation.effects or one.record.observation.output for one in chosen)
    ):
        return
    rows = [one.representation for one in chosen]
    # What never raises is told by a refusal.
    refuses = any(one.raises and one.subject == chosen[0].subject for one in selection.chosen.values())
    # What asks whether something is of a kind is asked of other things, too.
    asks = bool(_QUESTION.match(candidates[0].subject.rpartition(".")[2])) and all(
        isinstance(row.result, bool) for row in rows
    )
    others = [
        one
        for one in candidates
        if (one.asserts and not one.raises and (asks or not one.misfits) and not one.representation.unset)
        and not (one.idle or one.record.number in selection.chosen)
    ]
    # Where mutants were run, they decide whether one rich answer is enough.
    known = not selection.counts_goals
    for _ in range(_MOST_EXCLUDING):
        survivors = trivial_survivors(rows)
        if not survivors or (survivors == {"constant"} and (refuses or (known and any(map(is_rich, rows))))):
            return

        def excludes(candidate: TrialCandidate, survivors: frozenset[str] = survivors) -> int:
            row = candidate.representation
            constant = "constant" in survivors and row.result != rows[0].result
            return len(excluded_by(row, survivors)) + constant

        def rank(candidate: TrialCandidate, survivors: frozenset[str] = survivors) -> tuple[float, ...]:
            row = candidate.representation
            near = min(row.distance(known) for known in rows)
            return (
                not (survivors == {"constant"} and any(row.is_empty_beside(known) for known in rows)),
                row.degeneracy > MILD,
                candidate.interchangeable,
                row.comes_back,  # a text in which nothing is done says least
                known and not is_rich(row),
                candidate.oddness,
                -excludes(candidate),
                near >= OTHER_SHAPE,
                row.degeneracy,
                near,
                candidate.cost,
            )

        useful = [one for one in others if excludes(one)]
        if survivors == {"constant"} and known and is_unmistakable(rows[0].result):
            # No constant is meant: a further row is only worth its place as the richer one.
            useful = [one for one in useful if _is_richer_row(one, rows)]
        if not useful:
            return
        best = min(useful, key=lambda one: (rank(one), one.record.number))
        selection.take(best, keep=True)
        rows.append(best.representation)
        others.remove(best)


def _is_richer_row(candidate: TrialCandidate, rows: Sequence[Representation]) -> bool:
    """Whether a call of a known form has an answer that needs no further row, from inputs that a person would write."""
    near = min(candidate.representation.distance(row) for row in rows)
    return is_rich(candidate.representation) and near < OTHER_SHAPE and candidate.oddness <= 1
