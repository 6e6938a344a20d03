"""Finds readings that count, add up or group what was made, of several things with several parts each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from ...model.model import HttpAnswer, Json, Proposal
from ..baselines import BaselineFinder
from ..budget import is_wanted
from ..distinct import Others, producers_with_another, renamed
from ..execute import differs_from
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, is_complete, merge_setups, variables_in
from .answers import last_answer, usual_answers

_MOST_MAKERS = 4


async def total_proposals(
    finder: BaselineFinder,
    world: ResourceModel,
    second: Others,
    third: Others,
    most: int,
    wanted: Collection[str] | None = None,
) -> list[Proposal]:
    """Return readings that list nothing themselves, after several things were made, two of which are alike.

    A sum by category that forgets what came before, or counts things where it should add up, is right for one thing.

    Args:
        second, third: further requests by the name of their operation; see `second_things` and `third_things`.
        most: how many of them are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    lists = {known.operation.path for known in world.baselines.values() if known.operation.method == "POST"}
    found: list[Proposal] = []
    tried = (
        (reading, proposal)
        for reading in world.baselines.values()
        if reading.operation.method == "GET" and reading.operation.path not in lists
        if not reading.operation.path.endswith("}") and is_wanted(reading.operation, wanted)
        for proposal in islice(_of_several(world, reading, second, third), _MOST_MAKERS)
    )
    told: dict[str, set[str]] = {}
    plain: dict[str, tuple[HttpAnswer, HttpAnswer] | None] = {}
    for reading, proposal in islice(tried, most):
        name = reading.operation.name
        answer = await last_answer(finder, (*proposal.setup, proposal.request))
        known = told.setdefault(name, {reading.answer.text})
        if answer is None or answer.text in known:
            continue
        if name not in plain:
            plain[name] = await usual_answers(finder, (*reading.setup, reading.request))
        usual = plain[name]
        # What tells the time or a number of its own is another each time.
        if usual is not None and differs_from(answer, *usual):
            known.add(answer.text)
            found.append(proposal)
    return found


def _of_several(world: ResourceModel, reading: BaselineRequest, second: Others, third: Others) -> Iterator[Proposal]:
    for maker in world.baselines.values():
        if maker.operation.method != "POST" or maker.operation.name not in second:
            continue
        steps = _several(world, maker, second, third)
        setup = tuple(merge_setups(steps, reading.setup))
        # A reading of one thing tells of what is put into that one.
        inside = bool(variables_in(reading.request) & variables_in(maker.request))
        if (reading.operation.path_parameters and not inside) or not is_complete((*setup, reading.request)):
            continue
        name, words = f"of_several_after_{maker.operation.name}", f"of several after {maker.operation.label}"
        marks: Json = {"setup": setup, "priority": "critical"}
        yield make_proposal(reading, name, words, "state", dict(reading.request), **marks)


def _several(world: ResourceModel, maker: BaselineRequest, second: Others, third: Others) -> list[Json]:
    """Return requests that make a thing three times, and each time below another parent where it has one."""
    other = second[maker.operation.name]
    steps = merge_setups(maker.story, [other.saving])
    last = third.get(maker.operation.name)
    steps = merge_setups(steps, [last.saving] if last is not None else [])
    for parents, ends in ((second, "other"), (third, "third")):
        for producer, another, _ in producers_with_another(world, maker.operation, parents):
            names = {name: f"{ends}_{name}" for name in producer.saves}
            # The parts of another parent are under names of their own, and of them nothing is asked.
            inner = renamed([copy_request(other.request)], names)
            steps = merge_setups(merge_setups(steps, [another.saving]), inner)
    return steps
