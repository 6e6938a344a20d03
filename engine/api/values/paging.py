"""Tells by the names of query parameters which of them count, page or sort a list."""

from __future__ import annotations

import re

_COUNTS = re.compile(
    r"[\W_]*(?:(?:page[\W_]?)?(?:size|limit)|(?:\w+_)?per_?page|count|top|first|take|max_?results)\W*", re.IGNORECASE
)
_SKIPS = re.compile(r"[\W_]*(?:(?:page[\W_]?)?offset|skip|start(?:_?(?:index|at))?)\W*", re.IGNORECASE)
_PAGES = re.compile(r"page(?:[\W_]?(?:number|no))?\W*", re.IGNORECASE)
_SORTS = re.compile(r"[\W_]*(?:(?:sort|order)(?:_?by)?|ordering)", re.IGNORECASE)
_PICKS = re.compile(
    r"[\W_]*(?:(?:(?:include|only|return|select(?:ed)?|sparse|partial)[\W_]?)?fields?|select|only|columns|projection)\W*",
    re.IGNORECASE,
)


def counts(name: str) -> bool:
    """Whether a parameter says how many members a list shows: `limit`, `per_page`; `credit_limit` does not."""
    return _COUNTS.fullmatch(name) is not None


def skips(name: str) -> bool:
    """Whether it says how many members are passed over: `offset`."""
    return _SKIPS.fullmatch(name) is not None


def pages(name: str) -> bool:
    """Whether it is the number of a page."""
    return _PAGES.fullmatch(name) is not None


def sorts(name: str) -> bool:
    """Whether it sorts a list."""
    return _SORTS.fullmatch(name) is not None


def picks(name: str) -> bool:
    """Whether it says which fields of what is read are shown."""
    return _PICKS.fullmatch(name) is not None


def cuts(name: str) -> bool:
    """Whether what it says leaves members out that are no different from others."""
    return counts(name) or skips(name) or pages(name)
