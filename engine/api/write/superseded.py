"""Finds observations that show nothing beside another one, so that a reader would refuse a test of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..model.json_values import leaves
from ..model.model import ObservedProposal
from ..probe.effects.lists import FILLED
from ..probe.propose_updates import UPDATES
from ..probe.resource_model import parse_json

_AS_BEFORE = ("succeeds", "with_everything")
_QUERIES = ("with_query", "edges_query")
_LOGIN = re.compile(r"/(?:(?:log|sign)[-_]?in|(?:access[-_]?)?token)/?$", re.IGNORECASE)
_TOO_LOW = "_below_its_minimum"
_PATHS = "broken_path"
_SPELT = ("with_a_capital_letter", "with_a_small_letter")


def without_superseded(worth: Sequence[ObservedProposal]) -> list[ObservedProposal]:
    """Leave out what another observation of the same operation shows as well, and more.

    These are updates with the values of the creation, or twice the same, where others change something; an empty list
    as success, or picked from by queries, and one after a creation, where a filled one is shown; a login sent twice; a
    sign-up under another spelling alone; a number too low in a path that is answered as no number is; and a body of
    another media type that is answered as no body at all is: it was not looked at.
    """
    by_operation: dict[str, list[ObservedProposal]] = {}
    for seen in worth:
        by_operation.setdefault(seen.proposal.operation.name, []).append(seen)
    creations = {seen.proposal.operation.path: seen.proposal.operation.name for seen in worth if _is_creation(seen)}
    left_out = {id(seen) for own in by_operation.values() for seen in _superseded(own, creations)}
    return [seen for seen in worth if id(seen) not in left_out]


def _is_creation(seen: ObservedProposal) -> bool:
    return seen.proposal.operation.method == "POST"


def _superseded(own: Sequence[ObservedProposal], creations: Mapping[str, str]) -> Iterator[ObservedProposal]:
    operation = own[0].proposal.operation
    changing = {seen.answer.status for seen in own if seen.proposal.group == "updates"}
    is_filled = any(seen.proposal.name == FILLED for seen in own)
    created = f"after_{creations.get(operation.path, '')}"
    is_login = _LOGIN.search(operation.path) is not None
    has_usual = any(seen.proposal.name == "succeeds" for seen in own)
    for seen in own:
        name, group = seen.proposal.name, seen.proposal.group
        is_empty = _is_empty(parse_json(seen.answer))
        if (
            (operation.method in UPDATES and name in (*_AS_BEFORE, "twice") and seen.answer.status in changing)
            or (is_filled and is_empty and (name == "succeeds" or group in _QUERIES))
            or (is_filled and name == created)
            or (is_login and name == "twice" and seen.answer.ok)
            or (name in _SPELT and has_usual)
            or _is_answered_as(seen, own)
        ):
            yield seen


def _is_answered_as(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a request is answered as a plainer one is, so that what sets it apart was not looked at."""
    name, told = seen.proposal.name, (seen.answer.status, seen.answer.text)
    start = name.removesuffix(_TOO_LOW)
    return any(
        (name == "wrong_media_type" and other.proposal.name == "no_body")
        or (start != name and seen.proposal.group == _PATHS and other.proposal.name.startswith(f"{start}_"))
        for other in own
        if other is not seen and (other.answer.status, other.answer.text) == told
    )


def _is_empty(value: object) -> bool:
    """Whether an answer is an empty list, or an object whose only list is."""
    if value == []:
        return True
    lists: Iterable[object] = value.values() if isinstance(value, dict) else ()
    held = [one for one in lists if isinstance(one, list)]
    return bool(held) and not any(leaf not in ({}, []) for one in held for _, leaf in leaves(one))
