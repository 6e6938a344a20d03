"""Classifies methods by name: those that add to their object, remove from it, or advance its state."""

from __future__ import annotations

import re

from ...python.inputs.receivers import changes_state
from ...python.model.model import CallableFacts

_FILLS = re.compile(
    r"(add|set|put|push|insert|append|extend|register|update|enqueue|store|save|remember|feed|write|record|create|assign|"
    r"attach|include|deposit|book|schedule|deliver|keep|receive|import|ingest|enrol|join|post|log|track|credit|open)(_.*)?"
)

ANSWER_VARIABLE = "taken"
"""The variable for the result of a step before the act."""
_ENDS = re.compile(r"(close|shutdown|stop|clear|reset|quit|exit|terminate|join|kill|wait|destroy)(_.*)?")
_TAKES = re.compile(r"(remove|take|pop|discard|delete|withdraw|cancel|unregister|drop|forget|release)(_.*)?")


def fills_object(member: CallableFacts) -> bool:
    """Whether a method probably adds something to its object."""
    if member.kind != "method" or not member.public or member.is_async or member.is_generator or member.has_setter:
        return False
    return _FILLS.fullmatch(member.name) is not None and (changes_state(member) or bool(member.parameters))


def takes_from_object(member: CallableFacts) -> bool:
    """Whether a method probably removes from its object something that an argument names."""
    if member.kind != "method" or not member.public or member.is_async or member.is_generator:
        return False
    return _TAKES.fullmatch(member.name) is not None and any(
        parameter.required for parameter in member.parameters if parameter.name not in ("self", "cls")
    )


def advances_object(member: CallableFacts) -> bool:
    """Whether a method without required arguments probably advances its object's state (`order.send()`)."""
    if member.kind != "method" or not changes_state(member) or fills_object(member) or member.name.startswith("__"):
        return False
    return not any(
        parameter.required for parameter in member.parameters if parameter.name != "self"
    ) and not _ENDS.fullmatch(member.name)
