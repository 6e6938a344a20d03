"""What the answers of observations show, apart from what another observation would have otherwise."""

from __future__ import annotations

from ..model.json_values import leaves, lists, resolve_pointer
from ..model.model import ObservedProposal
from ..probe.lists.members import count_members
from ..probe.resource_model import parse_json


def refusal_of(seen: ObservedProposal) -> tuple[int, str]:
    """What a refusal says: the place that a validator names, or all of it."""
    value = parse_json(seen.answer)
    place = resolve_pointer(value, "/detail/0/loc") if isinstance(value, dict) else None
    return seen.answer.status, seen.answer.text if place is None else str(place)


def stable_values(seen: ObservedProposal) -> tuple[int, frozenset[tuple[str, str]]]:
    """The status of an answer, and the values in it that are the same in two observations, with their places.

    Of lists it has how many members they have.
    """
    value = parse_json(seen.answer)
    if value is None:
        return seen.answer.status, frozenset({("", seen.answer.text)})
    hidden = seen.unstable_body | seen.unordered
    found = (
        (place, repr(leaf))
        for place, leaf in leaves(value)
        if not any(place == one or place.startswith(f"{one}/") for one in hidden)
    )
    lengths = ((place, f"{len(members)} members") for place, members in lists(value, frozenset()))
    return seen.answer.status, frozenset((*found, *lengths))


def is_empty_list(seen: ObservedProposal) -> bool:
    """Whether an answer is a list without members, with counts and the like beside it; one with texts is a thing."""
    value = parse_json(seen.answer)
    found = dict(lists(value, frozenset()))
    empty = not any(leaf not in ({}, []) for one in found.values() for _, leaf in leaves(one))
    return bool(found) and empty and not any(isinstance(leaf, str) for _, leaf in leaves(value))


def has_members(seen: ObservedProposal) -> bool:
    """Whether an answer that succeeds has a list with members."""
    return seen.answer.ok and count_members(seen.answer) > 0
