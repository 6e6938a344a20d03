"""Texts that a document says to choose from."""

from __future__ import annotations

import re
from dataclasses import replace

from ....utils.python_names import BUILTIN_NAMES
from ..model.domain import ParameterDomain

_OPTION = r"""(?:``|[`'"])([\w-]+)(?:``|[`'"])"""
_BETWEEN = r"(?:,|\s|\bor\b|\band\b)+"
_OPTIONS = re.compile(rf"\b(?:one of|either|any of):?\s+({_OPTION}(?:{_BETWEEN}{_OPTION})+)", re.IGNORECASE)


def with_options(domain: ParameterDomain, text: str) -> ParameterDomain:
    """The domain of an entry with the texts that it says to choose from: "one of 'auto', 'left' or 'right'"."""
    found = _OPTIONS.search(text) if domain.kind == "text" else None
    words = [match[1] for match in re.finditer(_OPTION, found[1])] if found is not None else []
    # Code in backquotes may be types or parameters: "either `str` or `bytes`", "either `name` or `path` must be given".
    names = found is not None and "`" in found[1] and found[0].lower().startswith("either")
    if not words or names or not BUILTIN_NAMES.isdisjoint(words):
        return domain
    return replace(domain, words=tuple(map(repr, words)))
