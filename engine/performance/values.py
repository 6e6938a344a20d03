"""Derives expectations of what measured calls return: a fast answer that is wrong must not pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..python.judge.oracle import Oracle, OracleVerdict
from ..python.model.model import ModuleFacts, Observation, Trial, TrialFinding
from ..python.model.observation_json import value_of
from ..python.model.spec_case import SpecExpectation

LONGEST_VALUE = 100
"""The most characters of an expected value; of longer ones the length and the end are expected."""

_KINDS = ("equals", "approx", "is", "holds", "length")
_MOST = 3


def returned_verdict(
    facts: ModuleFacts, trial: Trial, value: Mapping[str, Any], end: Mapping[str, Any] | None
) -> OracleVerdict | None:
    """Expectations of what a call returned; None without any.

    Args:
        value, end: the result and its last item, as the worker renders values.
    """
    oracle = Oracle(facts)

    def judged(told: Mapping[str, Any]) -> OracleVerdict:
        return oracle.judge(TrialFinding(trial, Observation("returned", value=value_of(told))))

    try:
        told = value_of(value)
        last = judged(end) if isinstance(end, Mapping) else None
        return _with_length(_short(judged(value), last, is_text=told.type_name == "str"), told.length)
    except (KeyError, TypeError, AttributeError, ValueError):  # code under test has written in the worker's place
        return None


def short_verdict(verdict: OracleVerdict) -> OracleVerdict | None:
    """The expectations that are short enough to stand beside a measurement; None without any."""
    return _short(verdict, None)


def _with_length(verdict: OracleVerdict | None, length: int | None) -> OracleVerdict | None:
    """The expectations with that of the length, where only the end of a long result is expected."""
    if verdict is None or length is None or any(one.actual == "result" for one in verdict.expectations):
        return verdict
    first = SpecExpectation("length", value=str(length))
    return OracleVerdict((first, *verdict.expectations), verdict.imports)


def _short(verdict: OracleVerdict, end: OracleVerdict | None, *, is_text: bool = False) -> OracleVerdict | None:
    kept = [one for one in verdict.expectations if _is_short(one)]
    if any(one.kind != "length" for one in kept):
        return OracleVerdict(tuple(kept[:_MOST]), verdict.imports)
    last = [one for one in end.expectations if _is_short(one) and one.actual == "result"] if end else []
    ends = [SpecExpectation(one.kind, "result[-1]", one.value, relative=one.relative) for one in last[:1]]
    if is_text:
        ends = [SpecExpectation("holds", f"result.endswith({one.value})") for one in last[:1] if one.value]
    imports = (*verdict.imports, *(end.imports if end and ends else ()))
    return OracleVerdict((*kept[:1], *ends), imports) if kept or ends else None


def _is_short(one: SpecExpectation) -> bool:
    return one.kind in _KINDS and one.actual.startswith("result") and len(one.value or "") <= LONGEST_VALUE
