"""Proposes readings sorted by fields of what is read, and readings of single fields of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...document.schemas import type_of
from ...model.json_values import escape_key, resolve_pointer
from ...model.model import ApiParameter, Json, Proposal
from ...values import paging
from ...values.data import NOTHING
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, parse_json, put_parameter

SORTED = "sorted"
"""The group of readings of a filled list that is sorted by what its members are answered with."""
PICKED = "picked"
"""The group of readings that ask for a field of what is read."""
_MOST_SORTED = 9
_MOST_PICKED = 2
_ENVELOPE = re.compile(
    r"\w*count|(?:\w+_)?total\w*|page\w*|pages|per_?page|\w*size|limit|offset|next\w*|prev\w*|status|success|ok|code|message",
    re.IGNORECASE,
)
"""Names of what an answer tells of a page, and not of the things on it."""
_WRAPPERS = frozenset({"data", "result", "payload"})


def sorted_by_answers(
    world: ResourceModel, reading: BaselineRequest, makers: Iterable[BaselineRequest], setup: tuple[Json, ...]
) -> Iterator[Proposal]:
    """Yield readings of a list sorted by what its members are answered with, where no document says by what it may be.

    They are tests where that has an effect; see `with_effect`.
    """
    makers = list(makers)
    drawn = {name for maker in makers for name in _drawn_ids(maker)}
    fields = [name for name in _fields_of_all(makers) if name not in drawn]
    for parameter in reading.operation.parameters:
        if parameter.where == "query" and paging.sorts(parameter.name):
            for field in [value for name in fields[:_MOST_SORTED] for value in (name, f"-{name}")]:
                yield from _asked(world, reading, parameter, field, f"lists by {parameter.name} {field}", setup, SORTED)


def picked_fields(world: ResourceModel, filled: Iterable[Proposal]) -> Iterator[Proposal]:
    """Yield readings that ask for a field of what is read, where a query does so by its name: `fields`.

    They are tests where that has an effect; see `with_effect`.

    Args:
        filled: readings of lists of what was made, which take the place of empty ones.
    """
    setups = {proposal.operation.name: proposal.setup for proposal in filled}
    for reading in world.baselines.values():
        if reading.operation.method != "GET":
            continue
        setup = setups.get(reading.operation.name, reading.setup)
        made = [one for one in world.baselines.values() if one.operation.method == "POST" and one.saving in setup]
        fields = told_fields(parse_json(reading.answer)) or _fields_of_all(reversed(made))
        for parameter in reading.operation.parameters:
            if parameter.where == "query" and paging.picks(parameter.name):
                for field in fields[:_MOST_PICKED]:
                    words = f"shows {parameter.name} {field}"
                    yield from _asked(world, reading, parameter, field, words, setup, PICKED)


def told_fields(answer: Any) -> list[str]:
    """Return the names of texts and numbers of the thing that an answer tells; see `thing_in`."""
    _, thing = thing_in(answer)
    return [name for name, value in thing.items() if isinstance(value, str | int | float)]


def thing_in(answer: Any, pointer: str = "") -> tuple[str, Json]:
    """Return the first object of an answer that holds texts or numbers, with its pointer: also of a list, or wrapped.

    What tells a page or a status beside them is only their envelope. An empty one where there is none.
    """
    if isinstance(answer, list):
        return thing_in(answer[0], f"{pointer}/0") if answer else (pointer, {})
    if not isinstance(answer, dict):
        return pointer, {}
    own = [name for name, value in answer.items() if isinstance(value, str | int | float)]
    wraps = [name for name, value in answer.items() if isinstance(value, list) or name in _WRAPPERS]
    things = [name for name in wraps if thing_in(answer[name])[1]]
    # A thing has a name of its own; a page has counts and links, and one list.
    if own and not (len(things) == 1 and all(_ENVELOPE.fullmatch(name) for name in own)):
        return pointer, answer
    inner = (thing_in(value, f"{pointer}/{escape_key(str(name))}") for name, value in answer.items())
    return next((found for found in inner if found[1]), (pointer, {}))


def _fields_of_all(makers: Iterable[BaselineRequest]) -> list[str]:
    return list(dict.fromkeys(name for maker in makers for name in told_fields(parse_json(maker.answer))))


def _drawn_ids(maker: BaselineRequest) -> Iterator[str]:
    """Yield the names of ids that an application draws: members sorted by them are in another order each time."""
    answer, sent = parse_json(maker.answer), json.dumps(maker.request)
    for pointer in maker.saves.values():
        value = resolve_pointer(answer, pointer)
        if isinstance(value, str) and not value.isdigit() and json.dumps(value) not in sent:
            yield pointer.rpartition("/")[2]


def _asked(
    world: ResourceModel,
    reading: BaselineRequest,
    parameter: ApiParameter,
    field: str,
    words: str,
    setup: tuple[Json, ...],
    group: str,
) -> Iterator[Proposal]:
    value = field_value(world, parameter, field)
    if value is not NOTHING:
        request = copy_request(reading.request)
        put_parameter(request, parameter, value)
        name = f"{'filled_by' if group == SORTED else 'shows'}_{parameter.name}_{field}"
        marks: Json = {"setup": setup, "group": group, "priority": "high"}
        yield make_proposal(reading, name, words, "success", request, **marks)


def field_value(world: ResourceModel, parameter: ApiParameter, field: str) -> Any:
    """Return the value by which a parameter names a field; NOTHING where a document says which it may name."""
    whole = world.samples.merged(parameter.schema)
    several = type_of(whole) == "array"
    inner = world.samples.merged(whole.get("items", True)) if several else whole
    value = [field] if several else field
    if {"enum", "pattern"} & inner.keys() or world.samples.problem(value, parameter.schema) is not None:
        return NOTHING
    return value
