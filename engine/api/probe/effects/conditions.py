"""Proposes requests on the condition of an entity tag: the one that a resource has, one that it had, and any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...model.model import Json, ObservedProposal, Proposal
from ..distinct import NO_OTHERS, Others, producers_with_another, renamed
from ..propose_updates import UPDATES, single_updates
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import SAVED_TAG, BaselineRequest, ResourceModel, merge_setups, saving_tag, with_header

CONDITIONAL = "conditional"
"""The group of conditional requests: only the status that the condition asks for is worth a test."""
_OTHER_TAG = '"an-older-version"'
_HEEDED = (304, 412, 428)
_MOST_FIELDS = 8
_MOST_CHANGES = 4


def conditional_proposals(world: ResourceModel, second: Others = NO_OTHERS) -> Iterator[Proposal]:
    """Yield requests on the condition that a resource has, or has no more, the entity tag that it answers with.

    Args:
        second: second requests by the name of their operation, whose tags are those of other things.
    """
    for reading in list(world.baselines.values()):
        if reading.operation.method != "GET" or not reading.answer.headers.get("etag", ""):
            continue
        yield from _unchanged(reading)
        for change in world.baselines.values():
            own = change.operation.path == reading.operation.path
            if own and change.operation.method in (*UPDATES, "DELETE"):
                yield from _preconditions(reading, change)
        yield from _after_changes(world, reading)
        yield from _with_anothers_tag(world, reading, second)


def heeding_conditions(seen: Iterable[ObservedProposal]) -> frozenset[str]:
    """Return the names of the operations that answer a condition as one: with nothing new, or that it is not met.

    One that heeds no conditions succeeds as without them, and to test that it does so under one tells nothing.
    """
    conditional = (one for one in seen if one.proposal.group == CONDITIONAL and one.complete)
    return frozenset(one.proposal.operation.name for one in conditional if one.answer.status in _HEEDED)


def _unchanged(reading: BaselineRequest) -> Iterator[Proposal]:
    """Yield readings of what has not changed, by who has its tag, has it among others, has any, or has another."""
    # The tag is read anew: it may depend on an id that is another each time.
    setup = (*reading.setup, saving_tag(reading.request))
    several = f"{_OTHER_TAG}, {SAVED_TAG}"
    asked = (
        ("not_modified", "answers nothing new to who has its entity tag", SAVED_TAG, 304),
        ("not_modified_among_several", "answers nothing new to who has its entity tag among others", several, 304),
        ("not_modified_for_any", "answers nothing new to who has any of it", "*", 304),
        ("modified", "answers to who has another entity tag", _OTHER_TAG, 200),
    )
    for name, words, tag, status in asked:
        steps = setup if SAVED_TAG in tag else reading.setup
        yield _conditional(reading, name, words, _on(reading.request, "If-None-Match", tag), steps, status)


def _preconditions(reading: BaselineRequest, change: BaselineRequest) -> Iterator[Proposal]:
    """Yield changes on the condition of the tag of now, of any, of one before another change, and of none."""
    stale = _on(change.request, "If-Match", _OTHER_TAG)
    words = "is refused where the resource has changed since"
    yield _conditional(change, "precondition_failed", words, stale, change.setup, 412)
    tagged = tuple(merge_setups(change.setup, (*reading.setup, saving_tag(reading.request))))
    right = _on(change.request, "If-Match", SAVED_TAG)
    usual = change.answer.status
    yield _conditional(change, "precondition_met", "works with the entity tag of now", right, tagged, usual)
    if change.operation.method in UPDATES:
        words = "is refused with the entity tag from before another change"
        yield _conditional(change, "precondition_outdated", words, right, (*tagged, copy_request(right)), 412)
    if "If-Match" in (change.request.get("headers") or {}):
        careless = copy_request(change.request)
        careless["headers"] = {name: text for name, text in careless["headers"].items() if name != "If-Match"}
        words = "is refused without the entity tag that it is based on"
        yield _conditional(change, "precondition_required", words, careless, change.setup, 428)


def _after_changes(world: ResourceModel, reading: BaselineRequest) -> Iterator[Proposal]:
    """Yield readings by who has the tag from before a change: of each field, and of what is below the resource.

    A tag that leaves out a field hides its changes. Who has the tag that a change answered with is up to date.
    """
    below = f"{reading.operation.path.rstrip('/')}/"
    others = 0
    for change in world.baselines.values():
        operation = change.operation
        if operation.path == reading.operation.path and operation.method in UPDATES:
            for field, content in list(single_updates(world, change))[:_MOST_FIELDS]:
                step = with_body(change.request, content)
                yield _changed(reading, change, step, f"{operation.name}_with_another_{field}", f"with another {field}")
            if change.answer.headers.get("etag", ""):
                setup = (*merge_setups(reading.setup, change.setup), saving_tag(change.request))
                request = _on(reading.request, "If-None-Match", SAVED_TAG)
                words = f"has the tag that {operation.label} answered with"
                yield _conditional(reading, f"not_modified_after_{operation.name}", words, request, setup, 304)
        elif operation.path.startswith(below) and operation.method == "POST" and others < _MOST_CHANGES:
            others += 1
            yield _changed(reading, change, copy_request(change.request), operation.name, "")


def _with_anothers_tag(world: ResourceModel, reading: BaselineRequest, second: Others) -> Iterator[Proposal]:
    """Yield a reading and a change on the condition of a tag that is the one of another thing of the same age."""
    for _, other, names in producers_with_another(world, reading.operation, second):
        [asked] = renamed([copy_request(reading.request)], names)
        # Below another parent the same thing is there or not: no tag of its own.
        last = reading.operation.path_parameters[-1].name
        if asked["path_parameters"][last] == reading.request["path_parameters"][last]:
            continue
        setup = (*merge_setups(reading.setup, other.story), saving_tag(asked))
        words = "answers to who has the entity tag of another one"
        request = _on(reading.request, "If-None-Match", SAVED_TAG)
        yield _conditional(reading, "modified_for_the_tag_of_another", words, request, setup, 200)
        for change in world.baselines.values():
            if change.operation.path == reading.operation.path and change.operation.method in UPDATES:
                steps = tuple(merge_setups(change.setup, setup))
                words = "is refused with the entity tag of another one"
                request = _on(change.request, "If-Match", SAVED_TAG)
                yield _conditional(change, "precondition_of_another", words, request, steps, 412)


def _changed(reading: BaselineRequest, change: BaselineRequest, step: Json, name: str, how: str) -> Proposal:
    # What needs a tag of its own gets it in its setup; the one that is asked with afterwards is from before the change.
    setup = (*merge_setups(reading.setup, change.setup), saving_tag(reading.request), step)
    request = _on(reading.request, "If-None-Match", SAVED_TAG)
    words = f"answers to who has the entity tag from before {change.operation.label} {how}".strip()
    return _conditional(reading, f"modified_by_{name}", words, request, setup, 200)


def _on(request: Json, header: str, tag: str) -> Json:
    return with_header(copy_request(request), header, tag)


def _conditional(
    baseline: BaselineRequest, name: str, words: str, request: Json, setup: tuple[Json, ...], status: int
) -> Proposal:
    marks: Json = {"setup": setup, "statuses": (status,), "group": CONDITIONAL, "priority": "high"}
    category = "success" if status < 400 else "state"
    return make_proposal(baseline, name, words, category, request, **marks)
