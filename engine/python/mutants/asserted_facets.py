"""Determines which facets of an observation a test of the finding would assert."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..judge.comparison import stable_part
from ..judge.finding_selection import reason_unfit
from ..judge.normal_form import normal_form
from ..judge.oracle import Oracle
from ..model.model import ModuleFacts, TrialFinding
from ..model.observation_json import ObservedTrial
from ..model.spec_case import CODE, PRINTED_ERRORS, SpecExpectation
from ..search.trial_search import TrialRecord
from .mutant_worker_client import Difference

_LATER = re.compile(r"^[(]?(?:not )?(?:\w+[(.])*result\b")


@dataclass(frozen=True, slots=True)
class AssertedFacets:
    """The facets that a test asserts, and the text that an exception's message must contain; see
    worker/mutants/facets.py for facets.

    Attributes:
        whole: whether the message must equal `match`.
        weak: whether only the type or the length of the result is asserted.
    """

    facets: frozenset[str]
    match: str | None = None
    whole: bool = False
    weak: bool = False

    def detects(self, one: Difference) -> bool:
        """Whether a test with these assertions fails for the difference."""
        seen = one.facets & self.facets
        if self.match is not None and not self.whole and self.match in one.message:
            seen -= {"message"}
        return bool(seen)


class FacetOracle:
    """Determines the asserted facets of a module's trials; `raising`: records that raised."""

    def __init__(self, facts: ModuleFacts, raising: Iterable[TrialRecord]) -> None:
        self._facts = facts
        self._callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
        self._oracle = Oracle(facts, frozenset(one.trial.subject for one in raising))

    def facets_of(self, record: TrialRecord, again: ObservedTrial | None) -> AssertedFacets | None:
        """Returns the facets that a test of a record asserts; None if it cannot become a test.

        Args:
            again: the same trial in another process: facets that differ there are not asserted.
        """
        if again is None:
            return None
        same = stable_part(record.observation, [again.observation])
        if same is None:
            return None
        finding = normal_form(TrialFinding(record.trial, same.observation, unstable=same.unstable), self._facts)
        subject = self._callables.get(record.trial.subject)
        if finding is None or reason_unfit(finding, subject, self._facts, traced=True):
            return None
        verdict = self._oracle.judge(finding)
        return facets_of(verdict.expectations) if verdict.expectations else None


def facets_of(expectations: Iterable[SpecExpectation]) -> AssertedFacets:
    """Returns the facets that expectations read."""
    facets = {"ends"}
    match, whole, weak = None, False, True
    for expectation in expectations:
        if expectation.kind == "raises":
            match, whole = expectation.match, expectation.whole
            facets |= {"message"} if match else set()
        elif expectation.kind in ("output", "warns"):
            facets.add("output" if expectation.kind == "output" else "warnings")
        else:
            facets.add(_facet(expectation))
        weak = weak and expectation.kind in ("is_instance", "length")
    return AssertedFacets(frozenset(facets), match, whole, weak)


def _facet(one: SpecExpectation) -> str:
    if one.actual in (CODE, PRINTED_ERRORS):
        return "code" if one.actual == CODE else "errors"
    if one.actual.startswith("result.") and one.actual.count(".") == 1:
        return one.actual
    if one.kind == "is_instance":
        return "result.type"
    if one.kind == "length" and one.actual == "result":
        return "result.length"
    return "result" if _LATER.match(one.actual) else f"effect:{one.actual}"
