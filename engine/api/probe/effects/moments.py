"""Finds lists whose order depends on the second in which their members were made.

Many databases write the time down in whole seconds. Members of one second then stand in an order of their own, and in
another one where the clock has gone on between two requests: a test that tells their order fails now and then.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...document.application import AppObserver
from ...document.auth import Credential, with_credentials
from ...model.json_values import escape_key, leaves, lists, resolve_pointer
from ...model.model import UNSAFE, HttpAnswer, ObservedProposal
from ...values.paging import cuts, sorts
from ..execute import all_worked, saved_values
from ..lists.members import most_members
from ..resource_model import parse_json

_WHOLE_SECONDS = re.compile(r"(?<!\d)\d\d:\d\d:\d\d(?!\d)(?!\.0*[1-9])|\b1[5-9]\d{8}\b")
_PAUSE = 1.05
_MOST_LISTS = 8
_MOST_FIELDS = 3
_MOST_FIELD = 300
MOST_TOLD = 1500
"""Letters of a value that a test holds."""


async def mark_unordered(
    observer: AppObserver,
    seen: Sequence[ObservedProposal],
    credentials: Mapping[str, Credential],
    seconds: float = math.inf,
) -> list[ObservedProposal]:
    """Return observations with the lists marked whose order another second changes.

    Of each operation one list is read again, with a pause between the requests that fill it, and one for each order
    that is asked for. Those that no time is left for count as lists of no order: a guess would fail now and then.

    Args:
        seconds: how long it may take, approximately.

    Raises:
        SandboxFailure: the worker ended.
    """
    fullest: dict[str, ObservedProposal] = {}
    for observed in filter(_may_depend, seen):
        name = reading_of(observed)
        if name not in fullest or _fullness(observed) > _fullness(fullest[name]):
            fullest[name] = observed
    found: dict[str, dict[str, int]] = {}
    until = time.monotonic() + seconds
    chosen = list(fullest.items())[:_MOST_LISTS]
    for name, observed in sorted(chosen, key=lambda item: _changes(item[1])):
        if time.monotonic() + _PAUSE * _changes(observed) <= until:
            found[name] = await _moved(observer, observed, credentials)
        else:
            found[name] = {pointer: len(members) for pointer, members in _lists(observed.answer)}
    return [_marked(observed, found.get(reading_of(observed), {})) for observed in seen]


def reading_of(observed: ObservedProposal) -> str:
    """The name of an operation, with the order that is asked for where one is."""
    query = observed.proposal.request.get("query") or {}
    order = {name: str(value) for name, value in sorted(query.items()) if sorts(name)}
    name = observed.proposal.operation.name
    return f"{name} {json.dumps(order)}" if order else name


def _may_depend(observed: ObservedProposal) -> bool:
    """Whether a list is read that at least two requests have filled, with times in whole seconds somewhere."""
    read = observed.proposal.request["method"] == "GET" and observed.complete and observed.answer.ok
    timed = any(_WHOLE_SECONDS.search(answer.text) for answer in observed.answers)
    return read and _changes(observed) > 1 and timed and most_members(observed.answer) > 1


def _changes(observed: ObservedProposal) -> int:
    return sum(step["method"] in UNSAFE for step in observed.proposal.setup)


def _fullness(observed: ObservedProposal) -> tuple[bool, int]:
    """Which of two lists tells more of an order: one that nothing was cut from has the same members in any."""
    return not any(map(cuts, observed.proposal.request.get("query") or ())), most_members(observed.answer)


def _lists(answer: HttpAnswer) -> Iterator[tuple[str, list[Any]]]:
    yield from lists(parse_json(answer), frozenset())


async def _moved(
    observer: AppObserver, observed: ObservedProposal, credentials: Mapping[str, Credential]
) -> dict[str, int]:
    """Return the length of each list whose members stand in another order after a pause between the requests."""
    found: dict[str, int] = {}
    steps = [with_credentials(one, credentials) for one in (*observed.proposal.setup, observed.proposal.request)]
    again = await observer.answers(steps)
    later = await observer.answers(steps, pause=_PAUSE)
    if not all_worked(again, steps) or not all_worked(later, steps):
        return found
    for pointer, members in _lists(observed.answer):
        others = [resolve_pointer(parse_json(answers[-1]), pointer) for answers in (again, later)]
        if not all(isinstance(other, list) and len(other) == len(members) for other in others):
            continue
        varying = set(_varying(members, others[0]))
        # A second may have ended in between without a pause, too.
        orders = {tuple(_told(member, varying) for member in one) for one in (members, *others)}
        if len(orders) > 1 and len({tuple(sorted(order)) for order in orders}) == 1:
            found[pointer] = len(members)
    return found


def _varying(members: Iterable[Any], others: Iterable[Any]) -> Iterator[str]:
    """Yield where members of any order differ from those of another time, such as in new ids."""
    values, theirs = _values(members), _values(others)
    yield from (place for place in values.keys() | theirs.keys() if values.get(place) != theirs.get(place))


def _values(members: Iterable[Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for member in members:
        for place, leaf in leaves(member):
            found.setdefault(place, []).append(json.dumps(leaf))
    return {place: sorted(values) for place, values in found.items()}


def _told(member: Any, varying: set[str]) -> str:
    """Return what a member is told apart by, without what is another each time or a time of day."""
    kept = {
        place: leaf for place, leaf in leaves(member) if place not in varying and not _WHOLE_SECONDS.search(str(leaf))
    }
    return json.dumps(kept, sort_keys=True)


def _marked(observed: ObservedProposal, moved: Mapping[str, int]) -> ObservedProposal:
    if not moved or not observed.answer.ok or observed.proposal.request["method"] != "GET":
        return observed
    unordered: set[str] = set()
    unstable: set[str] = set()
    cut = any(map(cuts, observed.proposal.request.get("query") or ()))
    for pointer, members in _lists(observed.answer):
        if cut and pointer in moved and len(members) < moved[pointer]:
            # Which of them are left out depends on the order, too.
            unstable |= {f"{pointer}/{number}" for number in range(len(members))}
        elif pointer in moved and len(members) > 1:
            unordered.add(pointer)
    return replace(observed, unordered=frozenset(unordered), unstable=observed.unstable | unstable)


def told_of_members(
    observed: ObservedProposal, place: str, members: Sequence[Any], secret: frozenset[str]
) -> list[Any]:
    """Return what all members of a list are told apart by in any order, sorted; empty where nothing is steady.

    Of objects these are a few short fields, or their saved ids; of scalars it is what they are. Empty as well where
    that is too long for a test.

    Args:
        place: the pointer of the list.
        secret: pointers of what no test may hold.
    """
    hidden = observed.unstable_body | secret
    kinds = {type(member) for member in members}
    if kinds <= {str} or kinds <= {int}:
        places = {place, *(f"{place}/{number}" for number in range(len(members)))}
        return [] if places & hidden or len(json.dumps(members)) > MOST_TOLD else sorted(members)
    if kinds != {dict}:
        return []
    saved = {**observed.constants, **saved_values(observed.proposal.setup, observed.answers)}
    whole = {f"{place}/{number}" for number in range(len(members))}
    names = {value: f"{{{{{name}}}}}" for name, value in saved.items() if isinstance(value, str | int) and value}
    plain: list[str] = []
    ids: list[str] = []
    for key in members[0]:
        values = [member.get(key) for member in members]
        places = {f"{place}/{number}/{escape_key(key)}" for number in range(len(members))}
        if {type(value) for value in values} not in ({str}, {int}) or len(set(values)) == 1:
            continue
        if max(len(str(value)) for value in values) > _MOST_FIELD:
            continue
        if not (places | whole) & hidden:
            plain.append(key)
        elif not places & secret and all(value in names for value in values):
            ids.append(key)
    keys = plain[:_MOST_FIELDS] or ids[:1]
    told = [{key: names[member[key]] if key in ids else member[key] for key in keys} for member in members]
    short = keys and len(json.dumps(told)) <= MOST_TOLD
    return sorted(told, key=lambda one: tuple(one.values())) if short else []
