"""Finds observations that show nothing beside another one, so that a reader would refuse a test of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from http import HTTPStatus

from ..document.auth import auth_names
from ..model.model import MALFORMED, ObservedProposal, Operation
from ..probe.lists.filled import FILLED
from ..probe.lists.members import count_members
from ..probe.propose import PUT_UNKNOWN
from ..probe.propose_updates import UPDATES
from ..probe.sign_in.letter_case import LOGIN_SPELT, SPELT, SPELT_AFTER
from .shown import refusal_of, stable_values
from .superseded_readings import ByOperation, has_reading, superseded_readings

_AS_BEFORE = ("succeeds", "with_everything")
_LOGIN = re.compile(r"/(?:(?:log|sign)[-_]?in|(?:access[-_]?)?token)/?$", re.IGNORECASE)
_TOO_LOW = "_below_its_minimum"
_PATHS = "broken_path"
_WRONG_TYPE = "_of_the_wrong_type"
_BARE_TOKEN = "with_a_token_without_"
_OTHER_WORD = "_before_its_token"
_SKIPPED = re.compile(r"without_(?:post|put|patch|delete|get)_")
"""What the names of requests begin with of which one before them was left out."""
_METHODS = "methods"
_TAKEN = "with_a_taken_"


def without_superseded(worth: Sequence[ObservedProposal]) -> list[ObservedProposal]:
    """Leave out what another observation of the same operation shows as well, and more.

    Left out are

    - updates with the values of the creation, or twice the same, where others change something;
    - a login sent twice, and sign-ups beside others;
    - names that differ from others in their case only, and are others;
    - a second thing where a list shows several, and what another user makes where that is read;
    - what is refused as something plainer is: it was not looked at;
    - what a router or a parser of bodies answers by itself, but for one of each kind.

    Of readings see `superseded_readings`.
    """
    by_operation: dict[str, list[ObservedProposal]] = {}
    for seen in worth:
        by_operation.setdefault(seen.proposal.operation.name, []).append(seen)
    left_out = {id(seen) for own in by_operation.values() for seen in _superseded(own, by_operation)}
    left_out |= {id(seen) for seen in superseded_readings(by_operation)}
    left_out |= {id(seen) for seen in _routed(worth)} | {id(seen) for seen in _malformed(worth)}
    return [seen for seen in worth if id(seen) not in left_out]


def _routed(worth: Sequence[ObservedProposal]) -> Iterator[ObservedProposal]:
    """Yield what a router answers by itself, as to an address that nobody knows: other methods, values of no route.

    What the document declares of an operation is shown of that one. A status that a validator answers with is shown of
    one method of a path.
    """
    routed: dict[tuple[str, str, int], str] = {}
    for seen in worth:
        proposal, status = seen.proposal, seen.answer.status
        if str(status) in proposal.operation.responses:
            continue
        is_unfit = proposal.group == _PATHS and proposal.name.endswith(_WRONG_TYPE)
        place = (proposal.operation.path, proposal.name, status)
        if (
            proposal.group == _METHODS
            or (is_unfit and status == HTTPStatus.NOT_FOUND)
            or (is_unfit and routed.setdefault(place, proposal.operation.name) != proposal.operation.name)
        ):
            yield seen


def _malformed(worth: Sequence[ObservedProposal]) -> Iterator[ObservedProposal]:
    """Yield bodies that do not parse and are refused like those of the largest table: a framework reads them all."""
    found = [seen for seen in worth if seen.proposal.group == MALFORMED]
    tables = Counter(map(_table, found))
    if len(tables) > 1:
        table = max(tables, key=lambda one: (tables[one], not one[1]))
        shown = {seen.answer.status for seen in found if _table(seen) == table}
        yield from (seen for seen in found if _table(seen) != table and seen.answer.status in shown)


def _table(seen: ObservedProposal) -> tuple[tuple[str, ...], bool]:
    return auth_names(seen.proposal.request), bool(seen.proposal.setup)


def _superseded(own: Sequence[ObservedProposal], by_operation: ByOperation) -> Iterator[ObservedProposal]:
    operation = own[0].proposal.operation
    changing = {seen.answer.status for seen in own if seen.proposal.group == "updates"}
    is_login = _LOGIN.search(operation.path) is not None
    names = {seen.proposal.name for seen in own}
    makes_unknown = any(seen.proposal.group == PUT_UNKNOWN and seen.answer.ok for seen in own)
    # Only of sign-ups is the spelling of names asked; the users of all tests have signed up before.
    is_sign_up = bool(names & {SPELT, SPELT_AFTER})
    is_listed = operation.method == "POST" and _is_listed(operation, by_operation)
    is_read_of_another = has_reading(f"after_{operation.name}_by_another_user", by_operation)
    is_removal = operation.method == "DELETE" and has_reading(f"after_{operation.name}", by_operation)
    for seen in own:
        name = seen.proposal.name
        if (
            (operation.method in UPDATES and name in (*_AS_BEFORE, "twice") and seen.answer.status in changing)
            or (is_login and name == "twice" and seen.answer.ok)
            or (operation.method == "PUT" and makes_unknown and _is_of_nothing(seen, by_operation))
            or _is_plain_spelling(seen, names)
            or (name == "beside_another" and (is_sign_up or is_listed) and seen.answer.ok)
            or (name == "by_another_user" and is_read_of_another and seen.answer.ok)
            or (_is_done_as_often(seen, own) if seen.answer.ok else _is_refused_as_another(seen, own, is_removal))
        ):
            yield seen


def _is_plain_spelling(seen: ObservedProposal, names: Collection[str]) -> bool:
    """Whether names are two that differ in their case only: that is how texts are compared, and no rule of anybody's.

    What is a rule is that they are one: a sign-up that is refused so, and a login that is not.
    """
    name = seen.proposal.name
    if name == SPELT:
        return "succeeds" in names
    return (name == SPELT_AFTER and seen.answer.ok) or (name.startswith(LOGIN_SPELT) and not seen.answer.ok)


def _is_of_nothing(seen: ObservedProposal, by_operation: ByOperation) -> bool:
    """Whether an update that sends nothing is refused after a removal: it lacks what a new thing needs."""
    operations = (own[0].proposal.operation for own in by_operation.values())
    path = seen.proposal.operation.path
    removals = {f"after_{one.name}" for one in operations if (one.method, one.path) == ("DELETE", path)}
    is_empty = (seen.proposal.request.get("body") or {}).get("content") in (None, {})
    return seen.proposal.name in removals and is_empty and not seen.answer.ok


def _is_listed(operation: Operation, by_operation: ByOperation) -> bool:
    """Whether a list of what an operation makes is shown with several members."""
    path = operation.path.rstrip("/")
    return any(
        one.proposal.name == FILLED and count_members(one.answer) > 1
        for own in by_operation.values()
        for one in own
        if one.proposal.operation.path.rstrip("/") == path
    )


def _is_done_as_often(seen: ObservedProposal, own: Sequence[ObservedProposal]) -> bool:
    """Whether a removal that was not needed does what a second one does, or an administrator makes what all make."""
    operation, name = seen.proposal.operation, seen.proposal.name
    if operation.method == "DELETE" and _SKIPPED.match(name):
        plainer = "twice"
    elif operation.method == "POST" and name == "as_an_administrator" and not operation.path_parameters:
        plainer = "succeeds"
    else:
        return False
    return any(one.proposal.name == plainer and stable_values(one) == stable_values(seen) for one in own)


def _is_refused_as_another(seen: ObservedProposal, own: Sequence[ObservedProposal], is_removal: bool) -> bool:
    """Whether a request is refused as a plainer one is, so that what sets it apart was not looked at.

    Args:
        is_removal: whether a reading shows that the operation removes something.
    """
    name, group = seen.proposal.name, seen.proposal.group
    start, skipped = name.removesuffix(_TOO_LOW), _SKIPPED.match(name) is not None
    alike = {one.proposal.name for one in own if one is not seen and refusal_of(one) == refusal_of(seen)}
    taken = sum(one.startswith(_TAKEN) for one in alike)
    return (
        (name == "wrong_media_type" and "no_body" in alike)
        or (name == "no_body" and any(one.proposal.name in alike for one in own if one.proposal.group == "broken_body"))
        or (start != name and group == _PATHS and any(one.startswith(f"{start}_") for one in alike))
        or (name.endswith(_OTHER_WORD) and any(one.startswith(_BARE_TOKEN) for one in alike))
        or (is_removal and (name == "twice" or skipped) and any(one.startswith("unknown_") for one in alike))
        or (skipped and "twice" in alike)
        # Where each of two names is refused as both together are, they show more than the same request again.
        or (name.startswith(_TAKEN) and "twice" in alike and taken == 0)
        or (name == "twice" and taken > 1)
        or (name == "of_one_with_other_values" and taken > 0)
    )
