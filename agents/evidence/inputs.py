"""Builds the inputs of the evidence loop's agents, in the form of their input contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..contract.protocol import JsonObject
from .model import MOST_FOR_JUDGE, Evidence, Hypothesis


def search_inputs(
    target: Mapping[str, Any],
    queries: Sequence[str],
    names: Sequence[str],
    symbols: Sequence[Mapping[str, Any]],
    *,
    api_document: str = "",
    with_history: bool = False,
) -> JsonObject:
    """The search agent's inputs.

    Args:
        names: last parts of the target's public callables.
        symbols: of the target, as `get_ast_analysis` lists them.
        api_document: an API document to read; "" for none.
        with_history: whether to read the commits that changed the target.
    """
    return {
        "target": dict(target),
        "queries": list(queries),
        "names": list(names),
        "symbols": [dict(one) for one in symbols],
        "api_document": api_document,
        "with_history": with_history,
    }


def judge_inputs(query: str, names: Sequence[str], pieces: Sequence[Evidence]) -> JsonObject:
    """The judge's inputs, with at most 30 pieces."""
    rows = [piece.to_dict() for piece in pieces[:MOST_FOR_JUDGE]]
    return {"query": query, "names": list(names), "evidence": rows}


def hypothesis_inputs(
    query: str,
    names: Sequence[str],
    pieces: Sequence[Evidence],
    conflicts: Sequence[JsonObject],
    undocumented: list[str],
) -> JsonObject:
    """The hypothesis agent's inputs."""
    rows = [piece.to_dict() for piece in pieces]
    return {
        "query": query,
        "names": list(names),
        "evidence": rows,
        "conflicts": list(conflicts),
        "undocumented": list(undocumented),
    }


def report_inputs(
    query: str,
    pieces: Sequence[Evidence],
    hypotheses: Sequence[Hypothesis],
    gaps: Sequence[str],
    assessment: JsonObject | None,
) -> JsonObject:
    """The report agent's inputs."""
    return {
        "query": query,
        "evidence": [piece.to_dict() for piece in pieces],
        "hypotheses": [one.to_dict() for one in hypotheses],
        "knowledge_gaps": list(gaps),
        "assessment": assessment,
    }
