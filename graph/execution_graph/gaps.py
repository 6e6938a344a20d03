"""Collects what the tests of a model's spec leave open: mutants that survived, branches that no test takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from ..context import RunContext
from .floor import has_model, is_the_engines
from .state import TestingAgentState

_MOST = 30
_JUDGED = ("product_defect", "test_defect")


def open_gaps(
    state: TestingAgentState, runtime: Runtime[RunContext], results: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What a model is asked about next; None where none is asked, where it was asked already, or nothing is open."""
    spec = state["spec_json"] or {}
    if state["gaps"] is not None or state["test_type"] != "unit" or not has_model(runtime, "spec"):
        return None
    if is_the_engines(runtime, spec) or has_model(runtime, "writer"):
        return None  # its model failed, or a model writes the tests and may have left some out
    contested = _contested(spec, results)
    rows = [
        (_subject(line, state["ast_analysis"]), text) for line, text in (*_survivors(results), *_not_taken(results))
    ]
    found = [(subject, text) for subject, text in rows if subject not in contested][:_MOST]
    if not found:
        return None
    return {"rows": [{"subject": subject, "text": text} for subject, text in found], "open": True}


def has_open_gaps(state: TestingAgentState) -> bool:
    """Whether the model is to be asked about gaps now."""
    return bool((state["gaps"] or {}).get("open"))


def _contested(spec: Mapping[str, Any], results: Mapping[str, Any]) -> set[str]:
    """Functions with a test that failed: what is open there may be so because of that, which is judged first."""
    failed = {row.get("case_id") for row in results.get("dropped") or () if row.get("class") in _JUDGED}
    return {str(case.get("subject")) for case in spec.get("cases") or () if case["id"] in failed}


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
