"""Executes proposals, each on a fresh state, and compares the observations to find the stable parts of an answer.

Refusals are sent once more on one shared state, to find those that depend on it. The setup of negative cases is
dropped: a validation or authentication error does not depend on server state, and a short case can share a table.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ....utils.redact import is_secret_name
from ..document.application import AppObserver
from ..document.auth import Credential, with_credentials
from ..model.json_values import HEADERS, TELLING_HEADERS, escape_key, leaves, resolve_pointer
from ..model.model import REFUSALS, HttpAnswer, Json, ObservedProposal, Proposal
from .resource_model import ISSUED, parse_json, variables_in

_ROUNDS = 3
_MOST_UNANSWERED = 2
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_ONE_TIME = timedelta(minutes=5)
_TODAY = timedelta(days=1)
"""By how much a moment that an application has just written may be apart from ours, whatever its zone."""


async def execute_proposals(
    observer: AppObserver, proposals: Sequence[Proposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Execute proposals and return the observations in order. Raises SandboxFailure.

    Of an operation that has left two requests without an answer no more are sent: each would cost its whole time limit.
    """
    unanswered: Counter[str] = Counter()
    answers: list[tuple[HttpAnswer, ...]] = []
    for proposal in proposals:
        name = proposal.operation.name
        sent = unanswered[name] < _MOST_UNANSWERED
        answers.append(await _answers(observer, proposal, credentials, reset=True) if sent else ())
        last = answers[-1][-1] if answers[-1] else None
        unanswered[name] += last is not None and bool(last.failure) and not last.broken_link
    return [
        ObservedProposal(proposal, answer, constants=observer.constants)
        for proposal, answer in zip(proposals, answers, strict=True)
    ]


async def mark_state_dependent(
    observer: AppObserver, seen: Sequence[ObservedProposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Mark refused proposals that need a fresh state although they are refused for their form.

    Such a refusal is usually independent of state, so its tests share one. All of these requests are sent one after the
    other, forwards and backwards. Where an answer differs from the one on a fresh state (an application that counts
    failed attempts, for example), all refusals of its operation are marked, and the others are sent again.
    """
    alike = {at for at, observed in enumerate(seen) if _refused(observed)}
    for _ in range(_ROUNDS):
        touched: set[str] = set()
        await observer.answers((), reset=True)
        for at in (*sorted(alike, reverse=True), *sorted(alike)):
            fresh = seen[at]
            again = ObservedProposal(fresh.proposal, await _answers(observer, fresh.proposal, credentials, reset=False))
            both = merge_observations(fresh, again)
            if not both.steady or not both.unstable <= fresh.unstable:
                touched.add(fresh.proposal.operation.name)
        # No refusal was influenced by the others: the shared state is safe for all that are left.
        if not touched:
            break
        alike = {at for at in alike if seen[at].proposal.operation.name not in touched}
    else:
        alike = set()
    return [replace(observed, fresh=_refused(observed) and at not in alike) for at, observed in enumerate(seen)]


def _refused(observed: ObservedProposal) -> bool:
    return (
        observed.proposal.category in REFUSALS
        and observed.complete
        and observed.steady
        and 400 <= observed.answer.status < 500
    )


async def _answers(
    observer: AppObserver, proposal: Proposal, credentials: Mapping[str, Credential], *, reset: bool
) -> tuple[HttpAnswer, ...]:
    requests = [with_credentials(request, credentials) for request in (*proposal.setup, proposal.request)]
    # Another process, with another clock and other seeds, observes it a second time.
    return await observer.answers(requests, reset=reset, again=False)


_MOST_DEEP = 30


def merge_observations(first: ObservedProposal, second: ObservedProposal) -> ObservedProposal:
    """Return the first observation with the differences from the second marked as unstable."""
    here, there = first.answer, second.answer
    if (
        not first.complete
        or not second.complete
        or here.status != there.status
        or bool(here.failure) != bool(there.failure)
    ):
        both_fail = bool(here.failure) and bool(there.failure)
        return replace(first, unstable=frozenset({""}), steady=both_fail)
    # What an answer told once alone is nothing that a test can ask for.
    missing = _named(here) - _named(there)
    told = replace(here, headers={name: text for name, text in here.headers.items() if name not in missing})
    first = replace(first, answers=(*first.answers[:-1], told))
    mine, theirs = parse_json(here), parse_json(there)
    headers = {f"{HEADERS}{name}" for name in _named(here) | _named(there) if _differs(here, there, name)}
    if mine is None or theirs is None:
        different = frozenset[str]() if here.text == there.text else frozenset({""})
        return replace(first, unstable=first.unstable | different | headers, steady=True)
    differing = frozenset(_differing(mine, theirs, "", 0))
    return replace(first, unstable=first.unstable | differing | _stored(first, mine) | headers, steady=True)


_STORED = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.(?!0+(?!\d))\d{3,}(?:Z|[+-]\d\d:?\d\d)?"
)
"""Random ids, and moments that nobody has written: a database that is made anew has others of the same rows."""


def _stored(seen: ObservedProposal, value: Any) -> frozenset[str]:
    """Return where an answer tells an id or a moment of a row that was stored before, and that no request names."""
    sent = json.dumps([*seen.proposal.setup, seen.proposal.request])
    found = ((place, leaf) for place, leaf in leaves(value) if isinstance(leaf, str) and _STORED.fullmatch(leaf))
    return frozenset(place for place, leaf in found if leaf not in sent)


def differs_from(changed: HttpAnswer, usual: HttpAnswer, again: HttpAnswer) -> bool:
    """Whether an answer differs from another one in more than what that one varies in by itself, such as new ids.

    Args:
        usual, again: two answers to the same requests.
    """
    if changed.status != usual.status:
        return True
    mine, theirs, other = map(parse_json, (changed, usual, again))
    if mine is None or theirs is None or usual.status != again.status:
        # A text that is another each time tells nothing by its being another.
        varies = theirs is None and usual.status == again.status and usual.text != again.text
        return changed.text != usual.text and not varies
    varying = tuple(_differing(theirs, other, "", 0))
    return any(
        not any(pointer == one or pointer.startswith(f"{one}/") for one in varying)
        and not _are_close(resolve_pointer(mine, pointer), resolve_pointer(theirs, pointer))
        for pointer in _differing(mine, theirs, "", 0)
    )


def _are_close(first: Any, second: Any) -> bool:
    """Whether two values are moments of today, close to each other: what was made in the next second is no other thing.

    What a request says of a moment is at any time: a deadline that is moved by a minute is another one.
    """
    one, other = _moment(first), _moment(second)
    if one is None or other is None:
        return False
    now = datetime.now(UTC).replace(tzinfo=None)
    return abs(one - other) < _ONE_TIME and all(abs(moment - now) < _TODAY for moment in (one, other))


def _moment(value: Any) -> datetime | None:
    """Return a moment without its zone; None for any other text."""
    if not isinstance(value, str) or _MOMENT.match(value) is None:
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def _named(answer: HttpAnswer) -> frozenset[str]:
    return frozenset(name for name in answer.headers if TELLING_HEADERS.search(name))


def _differs(here: HttpAnswer, there: HttpAnswer, name: str) -> bool:
    return here.headers.get(name) != there.headers.get(name)


def _differing(first: Any, second: Any, pointer: str, depth: int) -> Iterator[str]:
    if type(first) is not type(second) or depth > _MOST_DEEP:
        yield pointer
    elif isinstance(first, dict):
        if first.keys() != second.keys():
            yield pointer
            return
        for key, value in first.items():
            yield from _differing(value, second[key], f"{pointer}/{escape_key(str(key))}", depth + 1)
    elif isinstance(first, list):
        if len(first) != len(second):
            yield pointer
            return
        for number, (value, theirs) in enumerate(zip(first, second, strict=True)):
            yield from _differing(value, theirs, f"{pointer}/{number}", depth + 1)
    elif first != second:
        yield pointer


def all_worked(answers: Sequence[HttpAnswer], requests: Sequence[Json]) -> bool:
    """Whether each of some requests was sent and succeeded."""
    return len(answers) == len(requests) and all(answer.ok for answer in answers)


def saved_values(requests: Sequence[Json], answers: Sequence[HttpAnswer]) -> dict[str, Any]:
    """Return the values that the requests of a setup saved, by name."""
    found: dict[str, Any] = {}
    for request, answer in zip(requests, answers, strict=False):
        save: Mapping[str, str] = request.get("save") or {}
        for name, pointer in save.items():
            header = pointer.removeprefix(HEADERS)
            found[name] = (
                resolve_pointer(parse_json(answer), pointer) if header == pointer else answer.headers.get(header)
            )
    return found


_CATEGORIES = ("validation", "authentication", "contract")
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


async def drop_setup(
    observer: AppObserver, seen: Sequence[ObservedProposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Remove the setup of refused proposals whose answer is identical without it.

    What is named elsewhere than in a body is made all the same: a reader asks what `/tickets/7` is, and without it the
    test depends on what is checked first. Where it is who asks that is refused, or a field of a body, which the refusal
    names, saved ids are replaced by their recorded values: nothing has these ids then, and an identical answer proves
    that they were not looked up. What may be a secret is not written down.

    Raises:
        SandboxFailure: the worker ended.
    """
    found: list[ObservedProposal] = []
    for observed in seen:
        proposal = observed.proposal
        # A token that a login gave is no value to write down.
        own = "{{" in str((proposal.request.get("headers") or {}).get("Authorization", ""))
        own = own or any(name.startswith(ISSUED) or is_secret_name(name) for name in variables_in(proposal.request))
        named = {key: part for key, part in proposal.request.items() if key != "body" or not _names_field(observed)}
        refers = proposal.category != "authentication" and variables_in(named)
        if proposal.category not in _CATEGORIES or not proposal.setup or own or refers or not _is_refused(observed):
            found.append(observed)
            continue
        request = with_values(proposal.request, saved_values(proposal.setup, observed.answers))
        answers = await observer.answers([with_credentials(request, credentials)]) if request is not None else ()
        is_same = [(one.status, one.text) for one in answers] == [(observed.answer.status, observed.answer.text)]
        if request is not None and is_same:
            observed = replace(observed, proposal=replace(proposal, request=request, setup=()), answers=answers)
        found.append(observed)
    return found


def _names_field(seen: ObservedProposal) -> bool:
    """Whether the refusal of a body names the field that is broken."""
    # What is broken begins with its place: `user.email null`.
    field = seen.proposal.breaks.partition(" ")[0].rpartition(".")[2]
    named = bool(field) and re.search(rf"\b{re.escape(field)}\b", seen.answer.text) is not None
    return seen.proposal.group == "broken_body" and named


def _is_refused(seen: ObservedProposal) -> bool:
    return seen.complete and not seen.answer.failure and 400 <= seen.answer.status < 500


def with_values(request: Json, values: Mapping[str, Any]) -> Json | None:
    """Replace saved names in a request by their values; None where one is unknown or not a scalar."""
    names = variables_in(request)
    if any(not isinstance(values.get(name), str | int | float) for name in names):
        return None
    return {key: _filled(entry, values) for key, entry in request.items()}


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(entry, values) for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _VARIABLE.fullmatch(value)
    if whole:
        return values.get(whole[1], value)
    return _VARIABLE.sub(lambda found: str(values.get(found[1], found[0])), value)
