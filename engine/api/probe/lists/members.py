"""Counts what is in the lists of an answer."""

from __future__ import annotations

from ...model.json_values import lists
from ...model.model import HttpAnswer
from ..resource_model import parse_json


def count_members(answer: HttpAnswer) -> int:
    """Return how many members the lists of an answer have; those in other lists do not count."""
    return sum(len(members) for _, members in lists(parse_json(answer), frozenset()))


def list_lengths(answer: HttpAnswer) -> list[int]:
    """Return how many members each list of an answer has, in the order of the answer."""
    return [len(members) for _, members in lists(parse_json(answer), frozenset())]
