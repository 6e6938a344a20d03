"""A finding that tests can assert, with its expectations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..model.model import TrialFinding
from ..model.spec_case import WEAK_KINDS
from .oracle import OracleVerdict


@dataclass(frozen=True, slots=True)
class AssertableFinding:
    """A finding in normal form with its expectations."""

    finding: TrialFinding
    verdict: OracleVerdict

    @property
    def documented(self) -> bool:
        """Whether an expectation comes from a document."""
        return any(expectation.origin == "documented" for expectation in self.verdict.expectations)

    @property
    def silent(self) -> bool:
        """Whether the only expectation is that None is returned."""
        return all(
            (expectation.kind, expectation.actual, expectation.value) == ("is", "result", "None")
            for expectation in self.verdict.expectations
        )

    @property
    def answers(self) -> bool:
        """Whether a value other than None was returned."""
        value = self.finding.observation.value
        return value is not None and value.source != "None"

    @property
    def weak(self) -> bool:
        """Whether the expectations cover only the type or the length of the result."""
        demands = self.verdict.expectations
        return all(
            demand.kind in WEAK_KINDS or demand.actual.startswith("callable(") or self._counts_items(demand.actual)
            for demand in demands
        )

    def _counts_items(self, actual: str) -> bool:
        """Whether an expectation only counts the items of a list or dictionary that the test made."""
        counted = re.fullmatch(r"len\((\w+)\)", actual)
        made = rf"{counted[1]} = [\[{{(]" if counted is not None else None
        return made is not None and any(re.match(made, text) for text in self.finding.trial.arrange)
