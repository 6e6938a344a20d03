"""Proposes readings of lists that have members from the start, by each filter and page; nothing is made first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...document.schemas import type_of
from ...model.model import ApiParameter, Proposal
from ...values import paging
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, parse_json, put_parameter
from .filled import FILTERS, PAGES

_LEAST = 2
_MOST_VALUES = 2


def stored_lists(world: ResourceModel) -> Iterator[Proposal]:
    """Yield readings of lists that nobody has filled, by values of their members, and their first and second page."""
    for reading in world.baselines.values():
        if reading.operation.method != "GET" or reading.setup:
            continue
        members = _members(parse_json(reading.answer))
        if len(members) < _LEAST:
            continue
        for parameter in reading.operation.parameters:
            if parameter.where == "query":
                yield from _by(world, reading, parameter, members)


def queries_varied(world: ResourceModel, stored: Iterable[Proposal]) -> Iterator[tuple[str, str]]:
    """Yield the names of the operation and of the parameter that each reading of a stored list varies."""
    for proposal in stored:
        usual = world.baselines[proposal.operation.name].request.get("query") or {}
        for name, value in proposal.request["query"].items():
            if value != usual.get(name):
                yield proposal.operation.name, name


def _members(answer: Any) -> list[dict[str, Any]]:
    """Return the objects of an answer that is a list, or an object with one list in it."""
    if isinstance(answer, dict):
        lists = [entry for entry in answer.values() if isinstance(entry, list)]
        answer = lists[0] if len(lists) == 1 else None
    listed = answer if isinstance(answer, list) else []
    return [member for member in listed if isinstance(member, dict)]


def _by(
    world: ResourceModel, reading: BaselineRequest, parameter: ApiParameter, members: list[dict[str, Any]]
) -> Iterator[Proposal]:
    name, whole = parameter.name, world.samples.merged(parameter.schema)
    if paging.pages(name):
        values: list[Any] = [1, 2]
    elif paging.counts(name) or paging.skips(name):
        values = [1]
    else:
        # The rarest values tell most: what all have in common picks out nothing.
        held = [member[name] for member in members if isinstance(member.get(name), str | int | float)]
        values = [value for value, _ in sorted(Counter(held).items(), key=lambda one: one[1])][:_MOST_VALUES]
    for value in values:
        given = str(value) if type_of(whole) in ("string", "") and not isinstance(value, bool) else value
        if world.samples.problem(given, parameter.schema) is not None:
            continue
        request = copy_request(reading.request)
        put_parameter(request, parameter, given)
        title, words = f"by_{name}_{str(value)[:30]}", f"lists by {name} {value}"
        group = PAGES if paging.cuts(name) else FILTERS
        yield make_proposal(reading, title, words, "success", request, group=group, priority="high")
