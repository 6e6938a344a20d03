"""Collects what the tests of a model's spec leave open: mutants that survived, branches that no test takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from ..context import RunContext
from .floor import has_model, is_the_engines
from .state import TestingAgentState

_MOST = 30


def open_gaps(
    state: TestingAgentState, runtime: Runtime[RunContext], results: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What a model is asked about next; None where none is asked, where it was asked already, or nothing is open."""
    spec = state["spec_json"] or {}
    if state["gaps"] is not None or state["test_type"] != "unit" or not has_model(runtime, "spec"):
        return None
    if is_the_engines(runtime, spec) or has_model(runtime, "writer"):
        return None  # its model failed, or a model writes the tests and may have left some out
    found = [*_survivors(results), *_not_taken(results)]
    if not found:
        return None
    subjects = [_subject(line, state["ast_analysis"]) for line, _ in found]
    return {
        "lines": [text for _, text in found[:_MOST]],
        "subjects": list(dict.fromkeys(one for one in subjects[:_MOST] if one)),
        "open": True,
    }


def has_open_gaps(state: TestingAgentState) -> bool:
    """Whether the model is to be asked about gaps now."""
    return bool((state["gaps"] or {}).get("open"))


def _survivors(results: Mapping[str, Any]) -> Iterable[tuple[int, str]]:
    """Changes of the code that no test notices, one for each line."""
    seen: set[int] = set()
    for row in (results.get("mutation") or {}).get("survivors") or ():
        line = int(row.get("line") or 0)
        if line not in seen:
            seen.add(line)
            yield line, f"line {line}: no test notices `{row.get('before')}` changed to `{row.get('after')}`"


def _not_taken(results: Mapping[str, Any]) -> Iterable[tuple[int, str]]:
    """Conditions that never went one of their ways."""
    for file in ((results.get("coverage") or {}).get("files") or {}).values():
        for row in file.get("not_taken") or ():
            line = int(row.get("line") or 0)
            yield line, f"line {line} ({row.get('subject')}): {row.get('reason')}"


def _subject(line: int, analysis: Mapping[str, Any] | None) -> str:
    """The innermost function or class of the target that holds a line."""
    around = [
        (row["lines"][1] - row["lines"][0], str(row["qualname"]))
        for row in (analysis or {}).get("symbols") or ()
        if row["lines"][0] <= line <= row["lines"][1]
    ]
    return min(around)[1] if around else ""
