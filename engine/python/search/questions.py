"""Asks, for a callable without a representative example, the one question that a person would have to answer."""

from __future__ import annotations

from ..model.model import CallableFacts, ModuleFacts, Observation, Parameter
from ..source.annotations import type_hint

_PLAIN_TYPES = frozenset("int str float bool bytes complex None Any object".split())
_ANSWERED_IN = "Show one in a docstring example, or under [tool.testwright.examples] in pyproject.toml."


def question_about(item: CallableFacts, facts: ModuleFacts, last: Observation | None) -> str:
    """Returns the question whose answer would make a call of `item` possible or telling; empty where none would.

    Args:
        last: the last observation of a call of it; None where none was made.
    """
    returned = last is not None and last.outcome == "returned"
    silent = returned and last is not None and last.value is not None and last.value.source == "None"
    if returned and (silent or not item.parameters):
        return (
            f"What comes before `{item.qualname}` in real use, so that it has something to change? "
            "Show it in a docstring example."
        )
    owner = next((one for one in facts.classes if one.name == item.owner), None)
    constructor = owner.constructor if owner is not None else None
    unbuilt = last is None or last.outcome == "arrange_failed"
    if unbuilt and item.kind in ("method", "property") and constructor is not None:
        parameter = _least_known(constructor)
        if parameter is not None:
            return f"What does the `{parameter.name}` of a `{item.owner}` look like? {_ANSWERED_IN}"
        return f"How is a `{item.owner}` made that `{item.name}` can be called on? {_ANSWERED_IN}"
    parameter = _least_known(item) or next((one for one in item.parameters if returned), None)
    if parameter is None:
        return f"What must be there before `{item.qualname}` can be called? Show it in a docstring example."
    return f"What does the `{parameter.name}` of `{item.qualname}` look like? {_ANSWERED_IN}"


def _least_known(item: CallableFacts) -> Parameter | None:
    """Returns the parameter that says least about its values: without annotation, then of a class, then any other."""

    def knowledge(parameter: Parameter) -> int:
        if parameter.annotation is None:
            return 0
        return 1 + ({hint.name for hint in type_hint(parameter.annotation).members()} <= _PLAIN_TYPES)

    required = [one for one in item.parameters if one.required]
    return min(required, key=knowledge, default=None)
