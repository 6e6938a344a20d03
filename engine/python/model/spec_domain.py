"""The typed form of an entry of a spec's `domains`: what a parameter takes, in words, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ....utils.canonical import attributes
from .domain import CallableDomains
from .model import ModuleFacts

MOST_DOMAINS = 1000
_LONGEST_DESCRIPTION = 500


@dataclass(frozen=True, slots=True)
class SpecDomain:
    """One parameter's domain.

    Attributes:
        subject: qualified name of the callable; the class for a constructor.
        lines: lines of the target that are the evidence; (0, 0) for none of its own.
    """

    subject: str
    parameter: str
    description: str
    source: str
    lines: tuple[int, int] = (0, 0)

    def to_json(self) -> dict[str, Any]:
        """The entry as the schema has it; without `lines` where there are none."""
        entry: dict[str, Any] = {
            **attributes(self, "subject", "parameter", "description", "source"),
        }
        if self.lines[0] > 0:
            entry["lines"] = list(self.lines)
        return entry


def spec_domains(facts: ModuleFacts) -> list[SpecDomain]:
    """The known domains of the parameters of public callables, in order of the source."""
    public = {one.qualname for one in facts.callables() if one.public}
    return list(_entries(one for one in facts.domains if one.qualname in public))[:MOST_DOMAINS]


def _entries(known: Iterable[CallableDomains]) -> Iterable[SpecDomain]:
    for one in known:
        for name, domain in one.parameters:
            if domain.source != "none" and domain.description:
                text = domain.description[:_LONGEST_DESCRIPTION]
                yield SpecDomain(one.qualname, name, text, domain.source, domain.lines)
