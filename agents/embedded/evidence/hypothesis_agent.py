"""The hypothesis agent without a model: states what sources show, what looks like a defect, and what is not known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...evidence.conflicts import is_operation
from ...evidence.model import Conflict, Evidence, Hypothesis, ValueExample
from .coverage import coverage_of

ROLE = "evidence_hypothesis"
_MOST = 40
_ONE_SOURCE = {"document": 0.8, "api": 0.8, "test": 0.75}
_MORE_SOURCES = 0.9
_CONFLICT = 0.5
_MOST_NAMED = 6


class EmbeddedHypothesisAgent(Agent):
    """States hypotheses about a target. Inputs and result are those of `schemas/evidence_hypothesis/`."""

    role = ROLE

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"]]
        conflicts = [Conflict(**row) for row in inputs.get("conflicts") or ()]
        undocumented = frozenset(str(name) for name in inputs.get("undocumented") or ())
        found = [*_shown(pieces), *_contradicted(conflicts)][:_MOST]
        names = [str(name) for name in inputs.get("names") or ()]
        gaps = list(knowledge_gaps(names, pieces, conflicts, undocumented))
        return success_response(
            {"hypotheses": [one.to_dict() for one in found], "knowledge_gaps": gaps, "text": _text(found, gaps)}
        )


def _shown(pieces: Sequence[Evidence]) -> Iterator[Hypothesis]:
    """What examples show; sources that agree make it surer, and above the threshold it is confirmed."""
    by_call: dict[tuple[str, str], list[tuple[Evidence, ValueExample]]] = defaultdict(list)
    for piece in pieces:
        for example in piece.examples:
            by_call[example.act, example.expected].append((piece, example))
    for (act, expected), shown in by_call.items():
        kinds = {example.kind for _, example in shown}
        confidence = _MORE_SOURCES if len(kinds) > 1 else _ONE_SOURCE.get(next(iter(kinds)), 0.5)
        verb = "answers" if is_operation(act) else "" if expected.startswith("raises") else "is"
        statement = f"{act} {verb} {expected}" if verb else f"{act} {expected}"
        yield Hypothesis(statement, confidence, evidence_ids=tuple(sorted({piece.id for piece, _ in shown})))


def _contradicted(conflicts: Sequence[Conflict]) -> Iterator[Hypothesis]:
    for one in conflicts:
        yield Hypothesis(f"{one.act}: {one.one} and {one.other} cannot both hold", _CONFLICT, suspected_defect=True)


def knowledge_gaps(
    names: Sequence[str], pieces: Sequence[Evidence], conflicts: Sequence[Conflict], undocumented: frozenset[str]
) -> Iterator[str]:
    """Questions for a person: which of two sources holds, and what names are for that nothing explains.

    Args:
        undocumented: names without a docstring; what one says need not be asked.
    """
    for one in conflicts:
        yield f"Which holds for {one.act}: {one.one} or {one.other}?"
    unknown = [name for name in coverage_of(names, pieces).unexplained if name in undocumented]
    if unknown:
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        listed = ", ".join(unknown[:_MOST_NAMED]) + more
        yield f"What should {listed} do? No docstring, document or test says it."


def _text(found: Sequence[Hypothesis], gaps: Sequence[str]) -> str:
    lines = [f"Hypothesis (confidence {one.confidence:.0%}): {one.statement}" for one in found]
    return "\n".join([*lines, *(f"Gap: {gap}" for gap in gaps)]) or "No hypothesis: no source shows a value."
