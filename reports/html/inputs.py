"""Defines what the page is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model import Report


@dataclass(frozen=True, slots=True)
class PageInputs:
    """What the page shows; all texts are without secrets, and none of them is trusted.

    Attributes:
        sources: texts of the targets, by their paths in the project; those that could not be read are left out.
        tests: texts of the test files, by their paths in the project.
        earlier: the report of an earlier run of the same project, to compare with.
    """

    report: Report
    sources: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)
    earlier: Report | None = None
