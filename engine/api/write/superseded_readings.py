"""Finds readings that show nothing beside another one: of empty lists, after changes, by queries and by users."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..document.auth import auth_names
from ..model.json_values import leaves
from ..model.model import ObservedProposal
from ..probe.lists.filled import BY_USERS, FILLED, FILTERS, PAGES
from ..probe.propose_updates import BY_NEW
from ..probe.resource_model import parse_json
from .shown import has_members, is_empty_list, refusal_of, stable_values

_QUERIES = ("with_query", "edges_query")
_WHOLE = "_with_other_values"
_SINGLE = "_with_another_"
_SEVERAL = re.compile(r"^of_several_")
_ONE_USER = re.compile(r"_of_one_user(?=_|$)")
_OTHER_USER = re.compile(r"_of_another_user(?=_|$)")
ByOperation = Mapping[str, Sequence[ObservedProposal]]
"""Observations by the name of their operation."""


def superseded_readings(by_operation: ByOperation) -> Iterator[ObservedProposal]:
    """Yield readings that another one shows as well, and more.

    These are

    - an empty list as success, or picked from by queries, and one after a creation, where a filled one is shown;
    - one after an update that changes nothing, where others change something;
    - one after a change of one field, where the update tells that field and another reading all of them;
    - one by the id that an update answers with, where that is the id of before;
    - what is not found below a thing that was removed, where that thing is not found either;
    - a list after a removal below one of its members, or of what another user made, where the member is read;
    - lists by a filter, a page or a user that are those by another one.
    """
    creations = {
        own[0].proposal.operation.path: own[0].proposal.operation.name
        for own in by_operation.values()
        if own[0].proposal.operation.method == "POST"
    }
    for own in by_operation.values():
        operation = own[0].proposal.operation
        if operation.method != "GET":
            # What is read after a change is asked of readings only.
            continue
        yield from _of_empty_lists(own, creations.get(operation.path, ""))
        for seen in own:
            if (
                _is_without_change(seen, own)
                or _is_of_one_field(seen, own, by_operation)
                or _is_not_found_as_another(seen, own, by_operation)
                or _is_found_as_before(seen, own)
                or _is_read_of_the_member(seen, by_operation)
                or _is_listed_of_another(seen, by_operation)
                or _shows_as_another(seen, own)
                or _is_picked_out_already(seen, own)
            ):
                yield seen


def has_reading(name: str, by_operation: ByOperation, path: str = "") -> bool:
    """Whether there is a reading of a name.

    Args:
        path: that of its operation; empty for any.
    """
    return any(
        one.proposal.name == name and path in ("", one.proposal.operation.path)
        for own in by_operation.values()
        for one in own
    )


def _of_empty_lists(own: Sequence[ObservedProposal], creation: str) -> Iterator[ObservedProposal]:
    """Yield the plain readings of a list that is empty, and the one after a creation, where another one has members.

    Args:
        creation: the name of the operation that puts something into the list.
    """
    if own[0].proposal.operation.path.endswith("}"):
        return  # one thing, whatever lists it has
    is_filled = any(seen.proposal.name == FILLED and has_members(seen) for seen in own)
    has_some = is_filled or any(has_members(seen) and seen.proposal.setup for seen in own)
    for seen in own:
        name, group = seen.proposal.name, seen.proposal.group
        is_plain = name == "succeeds" or group in _QUERIES
        if (has_some and is_plain and seen.answer.ok and is_empty_list(seen)) or (
            is_filled and creation and name == f"after_{creation}"
        ):
            yield seen


def _is_without_change(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a reading comes after a plain update where others come after updates that change something."""
    name = seen.proposal.name
    return name.startswith("after_") and any(other.proposal.name.startswith(f"{name}_with_") for other in own)


def _is_of_one_field(seen: ObservedProposal, own: Sequence[ObservedProposal], by_operation: ByOperation) -> bool:
    """Whether a reading comes after an update of one field, which that update tells itself, as another reading all."""
    start, found, field = seen.proposal.name.partition(_SINGLE)
    change = start.removeprefix("after_")
    if not found or start == change or BY_NEW in seen.proposal.name or not seen.answer.ok:
        return False
    updates = (one for one in by_operation.get(change, ()) if one.proposal.name == f"with_another_{field}")
    is_whole = any(one.proposal.name.startswith(f"{start}{_WHOLE}") and one.answer.ok for one in own)
    return is_whole and any(_tells(one, field) for one in updates)


def _tells(update: ObservedProposal, field: str) -> bool:
    """Whether the answer to an update holds what the request has sent of a field, in any spelling of its name."""
    content: Any = (update.proposal.request.get("body") or {}).get("content")
    sent = [leaf for place, leaf in leaves(content) if _plain(place) == _plain(field)]
    return update.answer.ok and any(
        _plain(place) == _plain(field) and leaf in sent for place, leaf in leaves(parse_json(update.answer))
    )


def _plain(place: str) -> str:
    """Return the last name of a place without what spellings differ in: `tagList` is `tag_list`."""
    return re.sub(r"[\W_]", "", place.rpartition("/")[2]).lower()


def _is_not_found_as_another(
    seen: ObservedProposal, own: Sequence[ObservedProposal], by_operation: ByOperation
) -> bool:
    """Whether a reading is refused after an update of all fields as after one, or below a removed thing as it itself.

    Where the refusal may be about the id of the reading's own thing, it shows that this one went with the other.
    """
    name, operation = seen.proposal.name, seen.proposal.operation
    if seen.answer.ok or not name.startswith("after_"):
        return False
    alike = [one.proposal.name for one in own if one is not seen and refusal_of(one) == refusal_of(seen)]
    if name.endswith(_WHOLE):
        return any(one.startswith(name.removesuffix(_WHOLE) + _SINGLE) for one in alike)
    change = by_operation.get(name.removeprefix("after_"), ())
    removed = change[0].proposal.operation if change else None
    if removed is None or removed.method != "DELETE" or not operation.path.startswith(f"{removed.path}/"):
        return False
    own_ids = [one.name for one in operation.path_parameters[len(removed.path_parameters) :]]
    gone = [f"unknown_{one.name}".lower() for one in removed.path_parameters[-1:]]
    is_about_own = any(f"unknown_{one}".lower() in alike for one in own_ids)
    return any(one in alike for one in gone) and not is_about_own and has_reading(name, by_operation, removed.path)


def _is_read_of_the_member(seen: ObservedProposal, by_operation: ByOperation) -> bool:
    """Whether a list is read after a removal below one of its members, and that member after the same."""
    name, path = seen.proposal.name, seen.proposal.operation.path.rstrip("/")
    change = by_operation.get(name.removeprefix("after_"), ())
    if not name.startswith("after_") or not change or change[0].proposal.operation.method != "DELETE":
        return False
    item = re.match(rf"{re.escape(path)}/\{{[^/}}]+\}}(?=/)", change[0].proposal.operation.path)
    return item is not None and has_reading(name, by_operation, item[0])


def _is_listed_of_another(seen: ObservedProposal, by_operation: ByOperation) -> bool:
    """Whether a list is read of what another user made, where the thing itself is."""
    name, path = seen.proposal.name, seen.proposal.operation.path.rstrip("/")
    paths = (own[0].proposal.operation.path for own in by_operation.values())
    items = [one for one in paths if one.rpartition("/")[0] == path and one.endswith("}")]
    return name.endswith("_by_another_user") and any(has_reading(name, by_operation, one) for one in items)


def _is_found_as_before(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a thing is read by the id that an update answers with, and is found by its old one as well.

    One such reading is enough, after the update that changes most.
    """
    before, by_new, _ = seen.proposal.name.partition(BY_NEW)
    if not by_new:
        return False
    gone = any(one.proposal.name == before and not one.answer.ok for one in own)
    start, single, _ = before.partition(_SINGLE)
    return not gone or (bool(single) and any(one.proposal.name.startswith(f"{start}{_WHOLE}{BY_NEW}") for one in own))


def is_after_update(name: str) -> bool:
    """Whether a reading by the usual id is called like one after an update that changes something."""
    return name.startswith("after_") and BY_NEW not in name and (name.endswith(_WHOLE) or _SINGLE in name)


def _shows_as_another(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether several things, or a list by one of two users, show what another reading does.

    Where somebody asks, the list of the other user stays: that of who asks may be filtered by who that is.
    """
    name = seen.proposal.name
    if seen.proposal.group == BY_USERS:
        asked = bool(auth_names(seen.proposal.request))
        twin = _ONE_USER.sub("_of_another_user", name) if asked else _OTHER_USER.sub("_of_one_user", name)
        status = seen.answer.status
        return twin != name and any(one.proposal.name == twin and one.answer.status == status for one in own)
    return _SEVERAL.match(name) is not None and any(
        other.proposal.name == _SEVERAL.sub("", name) and stable_values(other) == stable_values(seen) for other in own
    )


def _is_picked_out_already(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a filter finds nothing, or is refused, as another value of it is; or a page is that of another query.

    A page that is the whole list shows no page. Where members are others each time only their number is known, and
    pages by other parameters may have others. A value that a member has says most where it finds nothing.
    """
    before = own[: own.index(seen)]
    if seen.proposal.group == PAGES:
        pages = [one for one in before if one.proposal.group == PAGES]
        alike = [one for one in pages if _is_known(seen) or _keys(one) == _keys(seen)]
        plain = [one for one in own if one.proposal.name == FILLED]
        return has_members(seen) and any(stable_values(one) == stable_values(seen) for one in (*plain, *alike))
    if seen.proposal.group != FILTERS or has_members(seen) or _is_of_a_member(seen):
        return False
    others = [one for one in own if one in before or _is_of_a_member(one)]
    return any(
        one.proposal.group == FILTERS
        and _keys(one) == _keys(seen)
        and not has_members(one)
        and refusal_of(one) == refusal_of(seen)
        for one in others
    )


def _keys(seen: ObservedProposal) -> set[str]:
    return set(seen.proposal.request.get("query") or {})


def _is_known(seen: ObservedProposal) -> bool:
    """Whether anything of the members of a list is the same in two observations."""
    return any(place.count("/") > 1 or place[1:2].isdigit() for place, _ in stable_values(seen)[1])


def _is_of_a_member(seen: ObservedProposal) -> bool:
    """Whether a query has a value that something which was made has under its name: `tag` in `tagList`."""
    bodies = ((step.get("body") or {}).get("content") for step in seen.proposal.setup)
    made = [(re.sub(r"(/\d+)+$", "", place), leaf) for content in bodies for place, leaf in leaves(content)]
    query = seen.proposal.request.get("query") or {}
    return any(
        leaf == value and _plain(place).startswith(_plain(name))
        for name, value in query.items()
        for place, leaf in made
    )
