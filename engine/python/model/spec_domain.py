"""The entries of a spec's `domains`: what a parameter takes, in words, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from .domain import CallableDomains
from .model import ModuleFacts

MOST_DOMAINS = 1000
_LONGEST_DESCRIPTION = 500


def spec_domains(facts: ModuleFacts) -> list[dict[str, Any]]:
    """The known domains of the parameters of public callables, in order of the source, as the schema has them.

    `subject` is the qualified name of the callable, the class for a constructor; `lines` are lines of the target that
    are the evidence, and left out where there are none.
    """
    public = {one.qualname for one in facts.callables() if one.public}
    return list(islice(_entries(one for one in facts.domains if one.qualname in public), MOST_DOMAINS))


def _entries(known: Iterable[CallableDomains]) -> Iterator[dict[str, Any]]:
    for one in known:
        for name, domain in one.parameters:
            if domain.source != "none" and domain.description:
                text = domain.description[:_LONGEST_DESCRIPTION]
                entry = {"subject": one.qualname, "parameter": name, "description": text, "source": domain.source}
                yield {**entry, "lines": list(domain.lines)} if domain.lines[0] > 0 else entry
