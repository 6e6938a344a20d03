"""Compares two observations, on different days and with different hash seeds, to find the stable parts of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.model import HttpAnswer, Json, ObservedProposal
from ..model.pointers import escape_key
from .resource_model import parse_json, resolve_pointer

_MOST_DEEP = 30


def merge_observations(first: ObservedProposal, second: ObservedProposal) -> ObservedProposal:
    """Return the first observation with the differences from the second marked as unstable."""
    one, other = first.answer, second.answer
    if (
        not first.complete
        or not second.complete
        or one.status != other.status
        or bool(one.failure) != bool(other.failure)
    ):
        both_fail = bool(one.failure) and bool(other.failure)
        return ObservedProposal(first.proposal, first.answers, frozenset({""}), both_fail)
    mine, theirs = parse_json(one), parse_json(other)
    if mine is None or theirs is None:
        return ObservedProposal(
            first.proposal, first.answers, frozenset() if one.text == other.text else frozenset({""}), True
        )
    return ObservedProposal(first.proposal, first.answers, frozenset(_differing(mine, theirs, "", 0)), True)


def _differing(one: Any, other: Any, pointer: str, depth: int) -> Iterator[str]:
    if type(one) is not type(other) or depth > _MOST_DEEP:
        yield pointer
    elif isinstance(one, dict):
        if one.keys() != other.keys():
            yield pointer
            return
        for key, value in one.items():
            yield from _differing(value, other[key], f"{pointer}/{escape_key(str(key))}", depth + 1)
    elif isinstance(one, list):
        if len(one) != len(other):
            yield pointer
            return
        for number, (value, theirs) in enumerate(zip(one, other, strict=True)):
            yield from _differing(value, theirs, f"{pointer}/{number}", depth + 1)
    elif one != other:
        yield pointer


def saved_values(requests: Sequence[Json], answers: Sequence[HttpAnswer]) -> dict[str, Any]:
    """Return the values that the requests of a setup saved, by name."""
    found: dict[str, Any] = {}
    for request, answer in zip(requests, answers, strict=False):
        save: Mapping[str, str] = request.get("save") or {}
        for name, pointer in save.items():
            found[name] = resolve_pointer(parse_json(answer), pointer)
    return found
