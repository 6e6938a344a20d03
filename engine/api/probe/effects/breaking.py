"""Finds requests with unusual values that a document allows, and that an application breaks at.

Each becomes a suspected defect. What is answered to the others is no test: that a server takes or refuses a NUL is
nobody's promise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model.model import ApiParameter, HttpAnswer, Json, Proposal
from ...values.negative_requests import replace_value
from ...values.unusual import KINDS, UnusualValue, unusual_parts, unusual_values
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import with_optional
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import (
    BaselineRequest,
    ResourceModel,
    fields_of,
    is_complete,
    merge_setups,
    put_parameter,
    readings_of,
    resource_of,
)

_MOST_ALONE = 8
_MOST_UNANSWERED = 2
_MOST_READ = 3
_OUTSIDE_QUERIES = {"path": ("huge", "nul", "around"), "header": ("huge", "negative", "around", "signs")}
"""Kinds elsewhere: a path without a part is another path; long paths and odd headers are the server's matter."""
_WHOLE_BODIES = ([], None)
"""Bodies of another type than an object."""


@dataclass(frozen=True, slots=True)
class _Unusual:
    """A request with something unusual, and what that is, in words."""

    kind: str
    words: str
    request: Json


@dataclass(slots=True)
class _Tries:
    """Sends requests as long as some are left to be sent; after that nothing breaks."""

    finder: BaselineFinder
    left: int
    unanswered: int = 0

    async def answers(self, steps: Sequence[Json]) -> tuple[HttpAnswer, ...]:
        if not self.left or self.unanswered == _MOST_UNANSWERED:
            return ()
        self.left -= 1
        found = await self.finder.send(steps)
        self.unanswered += _breaks(found[-1]) and not found[-1].status
        return found


async def breaking_proposals(
    finder: BaselineFinder, world: ResourceModel, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return requests with unusual values that are answered with a server error or not at all, and readings that are
    after such a request.

    All fields have an unusual value of one kind at once; each has it alone where that breaks something or is refused.

    Args:
        most: how many requests are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[Proposal] = []
    known = [one for one in world.baselines.values() if is_wanted(one.operation, wanted)]
    for number, baseline in enumerate(known):
        # What one operation does not need is left for those after it.
        tries = _Tries(finder, most // (len(known) - number))
        most -= tries.left
        found += await _of_operation(tries, world, baseline)
        most += tries.left
    return found


async def _of_operation(tries: _Tries, world: ResourceModel, baseline: BaselineRequest) -> list[Proposal]:
    readings = _read_after(world, baseline)
    found: list[Proposal] = []
    for together, alone in (*_bodies(world, baseline), *_parameters(world, baseline)):
        whole, refused = await _tried(tries, baseline, together, readings)
        if not whole and not refused:
            continue
        single = [await _tried(tries, baseline, one, readings) for one in alone[:_MOST_ALONE] if len(alone) > 1]
        found += [proposal for broken, _ in single for proposal in broken] or whole
    return found


async def _tried(
    tries: _Tries, baseline: BaselineRequest, unusual: _Unusual, readings: Sequence[BaselineRequest]
) -> tuple[list[Proposal], bool]:
    """Return what breaks: the request itself and the first reading after it that does; and whether it was refused.

    What is stored before a server error breaks readings for good, which is worse than the error.
    """
    story = replace(baseline, request=unusual.request).story
    # What is not made in this story was made for nothing else.
    read = [reading for reading in readings if len(merge_setups(story, reading.setup)) == len(story)]
    answers = await tries.answers((*story, *(reading.request for reading in read)))
    marks: Json = {"priority": "low", "cause": KINDS[unusual.kind]}
    if len(answers) < len(story) or any(not answer.ok for answer in answers[: len(baseline.setup)]):
        return [], False
    broken: list[Proposal] = []
    if _breaks(answers[len(story) - 1]):
        name, words = f"with_{unusual.words}", f"with {unusual.words}"
        broken.append(make_proposal(baseline, name, words, "resilience", unusual.request, **marks))
    for reading, answer in zip(read, answers[len(story) :], strict=False):
        if _breaks(answer):
            words = f"after {baseline.operation.label} with {unusual.words}"
            broken.append(make_proposal(reading, words, words, "resilience", reading.request, setup=story, **marks))
            break
    return broken, 400 <= answers[len(story) - 1].status < 500


def _breaks(answer: HttpAnswer) -> bool:
    return answer.status >= 500 or (bool(answer.failure) and not answer.broken_link)


def _read_after(world: ResourceModel, baseline: BaselineRequest) -> list[BaselineRequest]:
    """Return readings of what an operation makes or changes, that need nothing else."""
    if baseline.operation.method not in ("POST", "PUT", "PATCH"):
        return []
    # Another list of the same things may show what was made here: that of all users, for administrators.
    alike = [one for one in world.baselines.values() if _lists_the_same(one, baseline)]
    known = {one.operation.name: one for one in (*readings_of(world, baseline.operation), *alike)}
    found = [one for one in known.values() if is_complete((*baseline.story, one.request))]
    kept = [replace(one, setup=tuple(step for step in one.setup if step != baseline.saving)) for one in found]
    return kept[:_MOST_READ]


def _lists_the_same(reading: BaselineRequest, baseline: BaselineRequest) -> bool:
    path = reading.operation.path
    return (
        reading.operation.method == "GET"
        and "{" not in path
        and resource_of(path) == resource_of(baseline.operation.path)
    )


def _bodies(world: ResourceModel, baseline: BaselineRequest) -> Iterator[tuple[_Unusual, list[_Unusual]]]:
    """Yield, for each kind, the request with all of its body so, and those with one part so."""
    body, content = baseline.operation.body, fields_of(baseline.request)
    if body is None or content is None or "json" not in body.media_type:
        return
    # Two requests for an operation, which break much: they come before what the number of requests may cut off.
    for other in _WHOLE_BODIES:
        words = f"{'null' if other is None else 'a list'} for a body"
        yield _Unusual("other", words, with_body(baseline.request, other)), []
    whole = with_optional(content, world.samples.value(body.schema, "body", full=True))
    kinds: dict[str, list[UnusualValue]] = {}
    # What is filled in later, and what code alone tells, may not fit as it stands.
    fits = world.samples.problem(whole, body.schema) is None
    for one in unusual_parts(body.schema, whole, world.samples):
        changed = replace_value(whole, one.place, one.value)
        # What names another resource is looked up and no more.
        if "{{" not in str(_at(whole, one.place)) and not (fits and world.samples.problem(changed, body.schema)):
            kinds.setdefault(one.kind, []).append(one)
    for kind, parts in kinds.items():
        together: Any = whole
        for part in reversed(parts):
            together = replace_value(together, part.place, part.value)
        alone = [_body_with(baseline, whole, part) for part in parts]
        told = alone[0].words if len(parts) == 1 else f"{KINDS[kind]} in all its fields"
        yield _Unusual(kind, told, with_body(baseline.request, together)), alone


def _at(value: Any, place: tuple[str | int, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def _body_with(baseline: BaselineRequest, whole: Any, part: UnusualValue) -> _Unusual:
    name = ".".join(str(key) for key in part.place)
    request = with_body(baseline.request, replace_value(whole, part.place, part.value))
    return _Unusual(part.kind, f"{KINDS[part.kind]} for {name}", request)


def _parameters(world: ResourceModel, baseline: BaselineRequest) -> Iterator[tuple[_Unusual, list[_Unusual]]]:
    """Yield, for each kind, the request with all of its query so, and those with one parameter so; likewise of its path
    and headers."""
    for where in ("query", "path", "header"):
        kinds: dict[str, list[tuple[ApiParameter, UnusualValue]]] = {}
        for parameter in baseline.operation.parameters:
            if parameter.where == where:
                for one in unusual_values(parameter.schema, world.samples, in_text=True):
                    if where == "query" or one.kind in _OUTSIDE_QUERIES[where]:
                        kinds.setdefault(one.kind, []).append((parameter, one))
        for values in kinds.values():
            alone = [_parameter_with(baseline, [value]) for value in values]
            yield _parameter_with(baseline, values), alone


def _parameter_with(baseline: BaselineRequest, values: Sequence[tuple[ApiParameter, UnusualValue]]) -> _Unusual:
    request = copy_request(baseline.request)
    for parameter, one in values:
        put_parameter(request, parameter, one.value)
    kind = values[0][1].kind
    names = " and ".join(parameter.name for parameter, _ in values)
    return _Unusual(kind, f"{KINDS[kind]} for {names}", request)
