"""Tells what is about a callable: the arcs that are its business, the candidates that run its body or undo it, and
whether all it does is to let values through or refuse them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from ..facts.lineage import with_inherited
from ..model.model import Arc, ModuleFacts
from ..scenarios.scenario import ShownBehaviour
from ..search.round_trips import RestoredFile
from ..search.trial_search import returned_none
from .candidates import TrialCandidate


def undoing(candidates: list[TrialCandidate]) -> list[TrialCandidate]:
    """Leaves out what reads any file, where others read the file that the opposite call made and run the same code."""
    restored = [one for one in candidates if RestoredFile in one.record.notes]
    if not restored:
        return candidates
    reached = set[Arc]().union(*(one.record.arcs for one in restored))
    return [
        one
        for one in candidates
        if RestoredFile in one.record.notes or one.raises or one.example or one.record.arcs - reached
    ]


def reaches(candidate: TrialCandidate, lines: tuple[int, int] | None) -> bool:
    """Whether the trial ran the body of its callable: an operator may be answered by the other operand's class."""
    record = candidate.record
    # What decorates the function that a scenario calls did its work beforehand.
    arcs = record.covered if ShownBehaviour in record.notes else record.arcs
    if lines is None or not arcs or candidate.example:
        return True
    return any(lines[0] <= abs(line) <= lines[1] for arc in arcs for line in arc)


def concerns_of(facts: ModuleFacts) -> Callable[[str, Arc], bool]:
    """Returns whether an arc is a callable's business: its own code, or private code that no public callable owns.

    Of what a class inherits from another module, the code of the class is the business: nothing else of it is here.
    """
    owners: dict[int, set[str]] = defaultdict(set)
    for subject in facts.callables():
        if subject.public:
            for line in range(subject.lines[0], subject.lines[1] + 1):
                owners[line].add(subject.qualname)
    known = with_inherited(facts)

    def concerns(name: str, arc: Arc) -> bool:
        found = owners.get(abs(arc[0])) or owners.get(abs(arc[1]))
        if not found or name in found:
            return True
        owner = name.rpartition(".")[0]
        return owner != "" and name not in known and any(one.startswith(f"{owner}.") for one in found)

    return concerns


def only_lets_through(candidates: Sequence[TrialCandidate]) -> bool:
    """Whether a callable refuses values on purpose, and otherwise gives nothing or a value that it was passed.

    A check does so: what it refuses tells it from a function that does nothing.
    """
    return any(one.refusal for one in candidates) and all(
        one.raises or returned_none(one.record.observation) or _gives_argument_back(one) for one in candidates
    )


def _gives_argument_back(candidate: TrialCandidate) -> bool:
    shown = candidate.representation
    return any(type(one) is type(shown.result) and one == shown.result for one in shown.arguments or ())
