"""Finds observations that show nothing beside another one, so that a reader would refuse a test of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..model.json_values import leaves
from ..model.model import ObservedProposal
from .effects.lists import FILLED
from .propose_updates import UPDATES
from .resource_model import parse_json

_AS_BEFORE = ("succeeds", "with_everything")
_SPELT = ("with_a_capital_letter", "with_a_small_letter")


def without_superseded(worth: Sequence[ObservedProposal]) -> list[ObservedProposal]:
    """Leave out what another observation of the same operation shows as well, and more.

    These are updates with the values of the creation, where others change something; an empty list as success, where a
    filled one is shown; a sign-up under another spelling alone; and a body of another media type that is answered as no
    body at all is: it was not looked at.
    """
    by_operation: dict[str, list[ObservedProposal]] = {}
    for seen in worth:
        by_operation.setdefault(seen.proposal.operation.name, []).append(seen)
    left_out = {id(seen) for own in by_operation.values() for seen in _superseded(own)}
    return [seen for seen in worth if id(seen) not in left_out]


def _superseded(own: Sequence[ObservedProposal]) -> Iterator[ObservedProposal]:
    method = own[0].proposal.operation.method
    changing = {seen.answer.status for seen in own if seen.proposal.group == "updates"}
    is_filled = any(seen.proposal.name == FILLED for seen in own)
    bodiless = {(seen.answer.status, seen.answer.text) for seen in own if seen.proposal.name == "no_body"}
    for seen in own:
        name = seen.proposal.name
        is_update = method in UPDATES and name in _AS_BEFORE and seen.answer.status in changing
        is_empty = is_filled and name == "succeeds" and _is_empty(parse_json(seen.answer))
        is_unread = name == "wrong_media_type" and (seen.answer.status, seen.answer.text) in bodiless
        is_spelt = name in _SPELT and any(one.proposal.name == "succeeds" for one in own)
        if is_update or is_empty or is_unread or is_spelt:
            yield seen


def _is_empty(value: object) -> bool:
    """Whether an answer is an empty list, or an object whose only list is."""
    if value == []:
        return True
    lists: Iterable[object] = value.values() if isinstance(value, dict) else ()
    held = [one for one in lists if isinstance(one, list)]
    return bool(held) and not any(leaf not in ({}, []) for one in held for _, leaf in leaves(one))
