"""Finds second things with other values, and stories that are told with those values instead of the plainest ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ..model.model import HttpAnswer, Json, Proposal
from .baselines import BaselineFinder
from .distinct import Others, distinct_requests, third_request
from .execute import all_worked
from .propose_values import copy_request, make_proposal
from .resource_model import BaselineRequest, ResourceModel, fields_of, merge_setups


async def second_things(finder: BaselineFinder, world: ResourceModel) -> dict[str, BaselineRequest]:
    """Return, for each creating operation, a second successful request with other values. Raises SandboxFailure."""
    made: dict[str, BaselineRequest] = {}
    for baseline in list(world.baselines.values()):
        for request, saves in distinct_requests(baseline, world):
            answers = await finder.send((*baseline.story, request))
            answer = answers[-1] if len(answers) == len(baseline.story) + 1 else HttpAnswer(broken_link=True)
            if answer.failure and not answer.broken_link:
                title = f"{baseline.operation.label} a second time, with other values"
                broken = Proposal(baseline.operation, "a_second_time", title, "resilience", request, baseline.story)
                finder.broken.setdefault(baseline.operation.name, broken)
                break
            if answer.ok:
                made[baseline.operation.name] = BaselineRequest(
                    baseline.operation, request, baseline.story, answer, saves
                )
                break
    return made


async def third_things(finder: BaselineFinder, world: ResourceModel, second: Others) -> dict[str, BaselineRequest]:
    """Return, for each creating operation, a third successful request: with the values of the first but for its texts.

    Of three things two are alike in what they are sorted, grouped and counted by, and stand apart in their names.

    Args:
        second: second requests by the name of their operation.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    made: dict[str, BaselineRequest] = {}
    for name, other in second.items():
        baseline = world.baselines[name]
        found = third_request(baseline, other, world)
        if found is None:
            continue
        request, saves = found
        setup = tuple(merge_setups(baseline.story, other.story))
        answers = await finder.send((*setup, request))
        if all_worked(answers, (*setup, request)):
            made[name] = replace(other, request=request, setup=setup, answer=answers[-1], saves=saves)
    return made


async def varied_stories(
    finder: BaselineFinder, world: ResourceModel, second: Others, most: int, *, alone: bool = True
) -> dict[str, BaselineRequest]:
    """Return baselines whose resources are made with the values of second things; those that fail so are left out.

    A default that is written again, a sum of ones and a field that is dropped pass with the plainest values.

    Args:
        most: how many stories are tried, and how many requests with values that succeed only in place of the first.
        alone: whether the latter are tried.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: dict[str, BaselineRequest] = {}
    if alone:
        second = {**await _alone(finder, world, second, most), **second}
    bodies = _second_bodies(world, second)
    stories = ((name, _with_second_values(known.story, bodies)) for name, known in world.baselines.items())
    changed = ((name, story) for name, story in stories if story != list(world.baselines[name].story))
    for name, story in islice(changed, most):
        baseline = world.baselines[name]
        answers = await finder.send(story)
        if all_worked(answers, story):
            request, setup = copy_request(story[-1]), tuple(story[:-1])
            found[name] = replace(baseline, request=request, setup=setup, answer=answers[-1])
    return found


async def _alone(finder: BaselineFinder, world: ResourceModel, second: Others, most: int) -> dict[str, BaselineRequest]:
    """Return requests with other values that succeed only in place of the first: what is lent is not lent twice."""
    found: dict[str, BaselineRequest] = {}
    lacking = [known for name, known in world.baselines.items() if name not in second]
    posts = [known for known in lacking if known.operation.method == "POST"]
    tried = ((known, request) for known in posts for request, _ in distinct_requests(known, world))
    for baseline, request in islice(((known, one) for known, one in tried if known.operation.name not in found), most):
        answers = await finder.send((*baseline.setup, request))
        if len(answers) == len(baseline.setup) + 1 and answers[-1].ok:
            found[baseline.operation.name] = replace(baseline, request=request, answer=answers[-1])
    return found


def second_creations(world: ResourceModel, second: Others) -> Iterator[Proposal]:
    """Yield the request for each second thing while the first is there: what the first holds is nothing of its own."""
    for name, other in second.items():
        marks: Json = {"setup": world.baselines[name].story, "priority": "high", "wants": "success"}
        request = copy_request(other.request)
        yield make_proposal(other, "beside_another", "makes another one", "success", request, **marks)


def with_other_choices(world: ResourceModel, second: Others) -> dict[str, BaselineRequest]:
    """Return second things that differ from the first in their flags only, or else in their choices: what is public.

    Those without any are left out.
    """
    found: dict[str, BaselineRequest] = {}
    for name, other in second.items():
        body, usual = other.request.get("body"), world.baselines[name].request.get("body")
        if body is None or usual is None or other.operation.body is None or not isinstance(body["content"], dict):
            continue
        properties = world.samples.properties(other.operation.body.schema)
        flags = {key: value for key, value in body["content"].items() if isinstance(value, bool)}
        choices = {
            key: value
            for key, value in body["content"].items()
            if "enum" in world.samples.merged(properties.get(key, True))
        }
        content = {**usual["content"], **(flags or choices)}
        if content != usual["content"]:
            found[name] = replace(other, request={**other.request, "body": {**body, "content": content}})
    return found


def _second_bodies(world: ResourceModel, second: Others) -> dict[str, tuple[Json, Json]]:
    """Return the requests that make something with a body, with those for second things; by the first, as text."""
    return {
        _unsaved(world.baselines[name].request): (world.baselines[name].request, other.request)
        for name, other in second.items()
        if other.operation.method == "POST" and other.request.get("body") and name in world.baselines
    }


def _with_second_values(steps: Iterable[Json], bodies: Mapping[str, tuple[Json, Json]]) -> list[Json]:
    """Return requests with the bodies of second things, saved under the names of the first ones."""
    chosen: dict[tuple[str, str], str] = {}
    made: list[Json] = []
    for step in steps:
        usual, other = bodies.get(_unsaved(step), (None, None))
        changed = dict(step)
        if usual is not None and other is not None:
            changed["body"] = other["body"]
            chosen |= _names_chosen(usual, other)
        values = step.get("path_parameters")
        if values:
            # A name that the client chooses stands in later paths as it is.
            changed["path_parameters"] = {name: chosen.get((name, str(value)), value) for name, value in values.items()}
        made.append(changed)
    return made


def _names_chosen(usual: Json, other: Json) -> dict[tuple[str, str], str]:
    before, after = fields_of(usual) or {}, fields_of(other) or {}
    return {(name, text): after[name] for name, text in before.items() if isinstance(text, str) and name in after}


def _unsaved(step: Json) -> str:
    return json.dumps(copy_request(step), sort_keys=True)
