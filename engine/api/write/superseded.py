"""Finds observations that show nothing beside another one, so that a reader would refuse a test of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..model.json_values import leaves, resolve_pointer
from ..model.model import ObservedProposal
from ..probe.effects.lists import FILLED
from ..probe.propose_updates import UPDATES
from ..probe.resource_model import parse_json

_AS_BEFORE = ("succeeds", "with_everything")
_QUERIES = ("with_query", "edges_query")
_LOGIN = re.compile(r"/(?:(?:log|sign)[-_]?in|(?:access[-_]?)?token)/?$", re.IGNORECASE)
_TOO_LOW = "_below_its_minimum"
_PATHS = "broken_path"
_WRONG_TYPE = "_of_the_wrong_type"
_SPELT = ("with_a_capital_letter", "with_a_small_letter")


def without_superseded(worth: Sequence[ObservedProposal]) -> list[ObservedProposal]:
    """Leave out what another observation of the same operation shows as well, and more.

    These are updates with the values of the creation, or twice the same, and readings after them, where others change
    something; an empty list as success, or picked from by queries, and one after a creation, where a filled one is
    shown; a login sent twice; a sign-up under another spelling alone, or beside another; a number too low in a path
    that is answered as no number is; and a body of another media type that is answered as no body at all is: it was
    not looked at. Of no body and an empty one that are answered alike one is enough, and so is one method of a path for
    a value that its route does not take.
    """
    by_operation: dict[str, list[ObservedProposal]] = {}
    for seen in worth:
        by_operation.setdefault(seen.proposal.operation.name, []).append(seen)
    operations = (seen.proposal.operation for seen in worth)
    creations = {operation.path: operation.name for operation in operations if operation.method == "POST"}
    left_out = {id(seen) for own in by_operation.values() for seen in _superseded(own, creations)}
    routed: dict[tuple[str, str, int], str] = {}
    for seen in worth:
        proposal = seen.proposal
        # What the document declares of an operation is shown of that one.
        is_declared = str(seen.answer.status) in proposal.operation.responses
        if proposal.group == _PATHS and proposal.name.endswith(_WRONG_TYPE) and not is_declared:
            first = routed.setdefault(
                (proposal.operation.path, proposal.name, seen.answer.status), proposal.operation.name
            )
            left_out |= {id(seen)} if first != proposal.operation.name else set()
    return [seen for seen in worth if id(seen) not in left_out]


def _superseded(own: Sequence[ObservedProposal], creations: Mapping[str, str]) -> Iterator[ObservedProposal]:
    operation = own[0].proposal.operation
    changing = {seen.answer.status for seen in own if seen.proposal.group == "updates"}
    is_filled = any(seen.proposal.name == FILLED for seen in own)
    created = f"after_{creations.get(operation.path, '')}"
    is_login = _LOGIN.search(operation.path) is not None
    has_usual = any(seen.proposal.name == "succeeds" for seen in own)
    # Only of sign-ups is the spelling of names asked; the users of all tests have signed up before.
    is_sign_up = any(seen.proposal.name.startswith(_SPELT) for seen in own)
    for seen in own:
        name, group = seen.proposal.name, seen.proposal.group
        is_empty = _is_empty(parse_json(seen.answer))
        if (
            (operation.method in UPDATES and name in (*_AS_BEFORE, "twice") and seen.answer.status in changing)
            or (is_filled and is_empty and (name == "succeeds" or group in _QUERIES))
            or (is_filled and name == created)
            or (is_login and name == "twice" and seen.answer.ok)
            or (name in _SPELT and has_usual)
            or (name == "beside_another" and is_sign_up)
            or any(other.proposal.name.startswith(f"{name}_with_") for other in own if name.startswith("after_"))
            or _is_answered_as(seen, own)
        ):
            yield seen


def _is_answered_as(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a request is answered as a plainer one is, so that what sets it apart was not looked at."""
    name, told = seen.proposal.name, _told(seen)
    start = name.removesuffix(_TOO_LOW)
    return any(
        (name == "wrong_media_type" and other.proposal.name == "no_body")
        or (name == "no_body" and other.proposal.group == "broken_body")
        or (start != name and seen.proposal.group == _PATHS and other.proposal.name.startswith(f"{start}_"))
        for other in own
        if other is not seen and _told(other) == told
    )


def _told(seen: ObservedProposal) -> tuple[int, str]:
    """What a refusal says: the place that a validator names, or all of it."""
    value = parse_json(seen.answer)
    place = resolve_pointer(value, "/detail/0/loc") if isinstance(value, dict) else None
    return seen.answer.status, seen.answer.text if place is None else str(place)


def _is_empty(value: object) -> bool:
    """Whether an answer is an empty list, or an object whose only list is."""
    if value == []:
        return True
    lists: Iterable[object] = value.values() if isinstance(value, dict) else ()
    held = [one for one in lists if isinstance(one, list)]
    return bool(held) and not any(leaf not in ({}, []) for one in held for _, leaf in leaves(one))
