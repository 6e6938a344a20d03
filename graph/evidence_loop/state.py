"""Defines the evidence loop's state: plain JSON, of one request for one target, and its limits."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from typing_extensions import TypedDict

from ...agents.evidence.memory import EvidenceMemory
from ...core.usage import NOTHING_USED, TokenUsage, add_usage


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """Limits of one loop.

    Attributes:
        rounds: searches.
        stalls: rounds in a row that find nothing new.
        seconds: of wall time.
        tokens: of models, all agents together.
    """

    rounds: int = 5
    stalls: int = 3
    seconds: float = 600.0
    tokens: int = 50_000


class EvidenceState(TypedDict):
    """One loop.

    Fields that do not explain themselves:
        names: last parts of the target's public callables. undocumented: those without a docstring.
        symbols: of the target, as `get_ast_analysis` lists them.
        api_document: read in the first round; "" for none. with_history: whether commits are read in it.
        memory: an `EvidenceMemory` as plain data; nobody else has it.
        queries: of the next search.
        began: seconds of the run's clock.
        stalls: rounds in a row that found nothing new.
        exit_reason: an `EvidenceExit`, None while running.
    """

    user_request: str
    step_id: str
    target_info: dict[str, Any]
    test_type: str
    names: list[str]
    undocumented: list[str]
    symbols: list[dict[str, Any]]
    api_document: str
    with_history: bool
    limits: dict[str, Any]
    began: float

    memory: dict[str, Any]
    queries: list[str]
    rounds: int
    stalls: int
    assessment: dict[str, Any] | None
    knowledge_gaps: list[str]
    report: dict[str, Any] | None
    exit_reason: str | None
    warnings: Annotated[list[str], operator.add]
    usage: Annotated[TokenUsage, add_usage]


def new_evidence_state(
    *,
    user_request: str,
    step_id: str,
    target_info: Mapping[str, Any],
    test_type: str,
    names: Sequence[str],
    undocumented: Sequence[str] = (),
    symbols: Sequence[Mapping[str, Any]] = (),
    api_document: str = "",
    with_history: bool = False,
    began: float = 0.0,
    limits: LoopLimits | None = None,
) -> EvidenceState:
    """Return the initial state of a loop, with a memory of its own."""
    place = str(
        target_info.get("module") or target_info.get("path") or target_info.get("endpoint") or "the application"
    )
    query = f"What should {place} do, and which values show it?"
    return {
        "user_request": user_request,
        "step_id": step_id,
        "target_info": dict(target_info),
        "test_type": test_type,
        "names": list(names),
        "undocumented": list(undocumented),
        "symbols": [dict(one) for one in symbols],
        "api_document": api_document,
        "with_history": with_history,
        "limits": asdict(limits or LoopLimits()),
        "began": began,
        "memory": EvidenceMemory(query).to_dict(),
        "queries": _first_queries(place, names),
        "rounds": 0,
        "stalls": 0,
        "assessment": None,
        "knowledge_gaps": [],
        "report": None,
        "exit_reason": None,
        "warnings": [],
        "usage": NOTHING_USED,
    }


_NAMED_TOGETHER = 12
_ASKED_ALONE = 5


def _first_queries(place: str, names: Sequence[str]) -> list[str]:
    """The target with its names, then the first names alone, for which a long query finds too little."""
    return [" ".join([place, *names[:_NAMED_TOGETHER]]), *(f"{name} {place}" for name in names[:_ASKED_ALONE])]
