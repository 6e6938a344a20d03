"""Collects what the tests of a model's spec leave open: mutants that survived, branches that no test takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from ..context import RunContext
from .floor import has_model, is_the_engines
from .state import TestingAgentState

_MOST = 30
_MOST_OF_A_LINE = 3
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
    failed = _failed(spec, results)
    rows = [
        {"subject": _subject(line, state["ast_analysis"]), "text": text}
        for line, text in (*_survivors(results), *_not_taken(results))
    ]
    # Where a test failed, what is open may be so because of that: it comes last, with the name of the test.
    clear = [row for row in rows if row["subject"] not in failed]
    contested = [
        {**row, "text": f"{row['text']} ({failed[row['subject']]} failed there: use other inputs)"}
        for row in rows
        if row["subject"] in failed
    ]
    found = [*clear, *contested][:_MOST]
    return {"rows": found, "open": True} if found else None


def has_open_gaps(state: TestingAgentState) -> bool:
    """Whether the model is to be asked about gaps now."""
    return bool((state["gaps"] or {}).get("open"))


def _failed(spec: Mapping[str, Any], results: Mapping[str, Any]) -> dict[str, str]:
    """Functions with a test that failed, and the first such test of each."""
    names = {row.get("case_id") for row in results.get("dropped") or () if row.get("class") in _JUDGED}
    found: dict[str, str] = {}
    for case in spec.get("cases") or ():
        if case["id"] in names:
            found.setdefault(str(case.get("subject")), str(case["id"]))
    return found


def _survivors(results: Mapping[str, Any]) -> Iterable[tuple[int, str]]:
    """Changes of the code that no test notices, a few of each line together."""
    changes: dict[tuple[int, str], dict[str, None]] = {}
    for row in (results.get("mutation") or {}).get("survivors") or ():
        place = int(row.get("line") or 0), str(row.get("before"))
        changes.setdefault(place, {})[f"`{row.get('after')}`"] = None
    for (line, before), after in changes.items():
        shown = " or ".join(list(after)[:_MOST_OF_A_LINE])
        yield line, f"line {line}: no test notices `{before}` changed to {shown}"


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
