"""Finds the endpoints that a request for API tests names: `POST /orders`, `/orders`, "the orders endpoints"."""

from __future__ import annotations

import re

from ....engine.python.project.layout import Layout
from ....utils.untrusted_files import read_source

_ENDPOINT = re.compile(r"(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)\s+)?/\S*")
_MOST_READ = 400


def is_endpoint(text: str) -> bool:
    """Whether a mention is written as an endpoint: a path from the root of an address, or a method and a path."""
    return _ENDPOINT.fullmatch(text) is not None and text != "/"


def names_endpoints(word: str, layout: Layout) -> bool:
    """Whether a word is part of a path that the project's code writes down: `orders` of `"/orders/{number}"`."""
    if not re.fullmatch(r"[\w-]+", word):
        return False
    written = re.compile(rf"[\"'](?:/[\w{{}}:<>.-]+)*/{re.escape(word)}(?:[/\"'])", re.IGNORECASE)
    for place in layout.modules[:_MOST_READ]:
        try:
            if written.search(read_source(layout.root, place.path)):
                return True
        except (OSError, UnicodeDecodeError):
            continue
    return False
