"""Holds what one request knows about its target: evidence without duplicates, hypotheses, conflicts, iterations.

A memory belongs to one request for one target. It is plain data in the loop's state, never shared: two requests that
run at the same time each have their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ...utils.names.counted import counted
from ..contract.protocol import JsonObject
from .conflicts import act_form, conflicts_between
from .model import Conflict, Evidence, Hypothesis
from .similarity import DUPLICATE, Similarity, WordSimilarity

_MOST_PIECES = 200
_SUMMARY_PIECES = 10
_EXAMPLE_WEIGHT = 3.0
_KINDS_SHARE = 6
"""One of so many places is for the best of each kind."""
_EXPLICIT = {"document": 1.5, "api": 1.5, "test": 1.2, "code": 1.0, "history": 0.5}
"""What says what is right comes before what only says what is."""


class EvidenceMemory:
    """The memory of one request.

    Args:
        query: what is to be found out.
        similarity: compares pieces.

    Attributes:
        hypotheses: in the order they were added.
        evidence_ids: of all pieces, unique, in the order they were found.
        iteration_count: rounds so far.
    """

    def __init__(self, query: str, similarity: Similarity | None = None) -> None:
        self.query = query
        self.hypotheses: list[Hypothesis] = []
        self.conflicts: list[Conflict] = []
        self.evidence_ids: list[str] = []
        self.iteration_count = 0
        self._evidence_cache: dict[str, Evidence] = {}
        self._similarity = similarity or WordSimilarity()
        self._groups: dict[Hashable, list[Evidence]] = {}
        self._by_act: dict[str, list[Evidence]] = {}

    def store_evidence(self, evidence: Iterable[Evidence]) -> list[str]:
        """Store pieces, but none whose place is known or whose meaning another one has. Returns the new ids.

        Conflicts with what is known are noted. Beyond 200 pieces nothing is stored.
        """
        new: list[str] = []
        for piece in evidence:
            if len(self.evidence_ids) >= _MOST_PIECES:
                break
            if piece.id in self._evidence_cache or self._is_known(piece):
                continue
            for known in self._of_same_acts(piece):
                self._note(conflicts_between(known, piece))
            self._note(conflicts_between(piece, piece))
            self._add(piece)
            new.append(piece.id)
        return new

    def _add(self, piece: Evidence) -> None:
        self.evidence_ids.append(piece.id)
        self._evidence_cache[piece.id] = piece
        self._groups.setdefault(self._group(piece), []).append(piece)
        for form in {act_form(example.act) for example in piece.examples}:
            self._by_act.setdefault(form, []).append(piece)

    def _group(self, piece: Evidence) -> Hashable:
        return piece.kind, self._similarity.group(piece.text)

    def _of_same_acts(self, piece: Evidence) -> list[Evidence]:
        """Known pieces with an example of a call that this one shows too, in the order they were found."""
        forms = {act_form(example.act) for example in piece.examples}
        found = {known.id for form in forms for known in self._by_act.get(form, ())}
        return [known for known in self._evidence_cache.values() if known.id in found] if found else []

    def get_all_evidence(self) -> list[Evidence]:
        """All pieces, in the order they were found."""
        return [self._evidence_cache[name] for name in self.evidence_ids]

    def get_relevant_evidence(self, n: int = 20) -> list[Evidence]:
        """The `n` pieces that say most about the query, best first; equal ones in the order they were found."""
        pieces = self.get_all_evidence()
        fits = self._similarity.ranked(self.query, [f"{piece.title}\n{piece.text}" for piece in pieces])
        worth = [
            (fit + _EXAMPLE_WEIGHT * min(3, len(piece.examples))) * _EXPLICIT[piece.kind]
            for fit, piece in zip(fits, pieces, strict=True)
        ]
        order = sorted(range(len(pieces)), key=lambda at: (-worth[at], at))
        # Many tests leave room for the code that they are about.
        kept = [at for kind in _EXPLICIT for at in [at for at in order if pieces[at].kind == kind][: n // _KINDS_SHARE]]
        chosen = set([*dict.fromkeys([*kept, *order])][:n])
        return [pieces[at] for at in order if at in chosen]

    def get_context_summary(self) -> str:
        """What is known, in Markdown: the best pieces, hypotheses, conflicts; the report where no agent writes one."""
        sources, rounds = counted(len(self.evidence_ids), "source"), counted(self.iteration_count, "round")
        lines = [f"## {self.query}", "", f"{sources}, {rounds}.", ""]
        for number, piece in enumerate(self.get_relevant_evidence(_SUMMARY_PIECES), start=1):
            lines.append(f"{number}. {piece.title} ({piece.path}:{piece.lines[0]})")
        lines += [f"- {one.statement} ({one.confidence:.0%})" for one in self.hypotheses]
        lines += [f"- conflict: {one.question}" for one in self.conflicts]
        return "\n".join(lines)

    def add_hypothesis(self, hypothesis: Hypothesis) -> None:
        """Add a hypothesis; one with the same statement takes the place of the earlier one."""
        self.hypotheses = [one for one in self.hypotheses if one.statement != hypothesis.statement]
        self.hypotheses.append(hypothesis)

    def get_confirmed_hypotheses(self) -> list[Hypothesis]:
        """Those with a confidence above 0.8."""
        return [one for one in self.hypotheses if one.is_confirmed]

    def to_dict(self) -> JsonObject:
        """Plain JSON values; `from_dict` reads them."""
        return {
            "query": self.query,
            "hypotheses": [one.to_dict() for one in self.hypotheses],
            "conflicts": [asdict(one) for one in self.conflicts],
            "evidence": [piece.to_dict() for piece in self.get_all_evidence()],
            "iteration_count": self.iteration_count,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], similarity: Similarity | None = None) -> EvidenceMemory:
        """Read a memory. Raises KeyError, TypeError for other data."""
        memory = cls(str(data["query"]), similarity)
        for row in data["evidence"]:
            memory._add(Evidence.from_dict(row))
        memory.hypotheses = [Hypothesis.from_dict(row) for row in data["hypotheses"]]
        memory.conflicts = [Conflict(**row) for row in data["conflicts"]]
        memory.iteration_count = int(data["iteration_count"])
        return memory

    def _is_known(self, piece: Evidence) -> bool:
        """Whether a piece of the same kind says the same; a commit says more than the lines it touched."""
        alike = self._groups.get(self._group(piece), ())
        return any(self._similarity.between(known.text, piece.text) >= DUPLICATE for known in alike)

    def _note(self, found: Iterable[Conflict]) -> None:
        self.conflicts += [one for one in found if one not in self.conflicts]
