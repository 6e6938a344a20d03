"""Texts that a document says to choose from."""

from __future__ import annotations

import re
from dataclasses import replace

from ..model.domain import ParameterDomain

_OPTION = r"""(?:``|[`'"])([\w-]+)(?:``|[`'"])"""
_OPTIONS = re.compile(rf"\b(?:one of|either|any of):?\s+({_OPTION}(?:(?:,|\s|\bor\b|\band\b)+{_OPTION})+)")


def with_options(domain: ParameterDomain, text: str) -> ParameterDomain:
    """The domain of an entry with the texts that it says to choose from: "one of 'auto', 'left' or 'right'"."""
    found = _OPTIONS.search(text) if domain.kind == "text" else None
    words = [match[1] for match in re.finditer(_OPTION, found[1])] if found is not None else []
    return replace(domain, words=tuple(map(repr, words))) if words else domain
