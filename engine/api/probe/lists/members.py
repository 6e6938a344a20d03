"""Counts what is in the lists of an answer, and asks for a list of one member."""

from __future__ import annotations

from typing import Any

from ...document.schemas import type_of
from ...model.json_values import lists
from ...model.model import ApiParameter, HttpAnswer, Json
from ..propose_values import copy_request
from ..resource_model import BaselineRequest, ResourceModel, parse_json, put_parameter


def list_lengths(answer: HttpAnswer) -> list[int]:
    """Return how many members each list of an answer has, in the order of the answer; not of lists in other lists."""
    return [len(members) for _, members in lists(parse_json(answer), frozenset())]


def count_members(answer: HttpAnswer) -> int:
    """Return how many members the lists of an answer have together."""
    return sum(list_lengths(answer))


def most_members(answer: HttpAnswer) -> int:
    """Return how many members the longest list of an answer has; 0 without any."""
    return max(list_lengths(answer), default=0)


def lists_nothing(answer: HttpAnswer) -> bool:
    """Whether an answer has a list, and no member in any."""
    lengths = list_lengths(answer)
    return bool(lengths) and not any(lengths)


def asked_for_one(world: ResourceModel, reading: BaselineRequest, parameter: ApiParameter) -> Json | None:
    """Return a reading with 1 for a parameter that cuts its list; None where the document does not allow that."""
    value: Any = "1" if type_of(world.samples.merged(parameter.schema)) == "string" else 1
    if world.samples.problem(value, parameter.schema) is not None:
        return None
    request = copy_request(reading.request)
    put_parameter(request, parameter, value)
    return request
