"""What a built-in tool is: a name, its two schemas, and one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .services import ToolServices

TIMEOUT_META = "testwright/timeout_seconds"
CACHED_META = "testwright/cached"
"""Whose answer it is: `run` for one of this run, `kept` for one of an earlier run; absent for a new one."""


class ToolFunction(Protocol):
    """Called with the services and the arguments, defaults of the input schema filled in; answers plain JSON."""

    def __call__(self, services: ToolServices, /, **arguments: Any) -> Awaitable[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool.

    Attributes:
        input_schema: JSON Schema of the arguments; its defaults are filled in before the call.
        output_schema: JSON Schema of the answer.
        run: does the work; long or blocking work goes to a thread. Raises ToolFailure for what the caller may read.
        cache_key: a key for the arguments when equal content gives equal answers, else None. It is made of everything
            the answer depends on, by content: answers are shared between runs, projects and machines.
        answer_key: the same key, made from an answer; None where `cache_key` is asked once more after the work. An
            answer is kept when it has the key it was asked by: its files did not change meanwhile.
        timeout_seconds: how long a caller should wait.
        read_only: whether it changes nothing.
        idempotent: whether a second call changes nothing further.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    run: ToolFunction
    cache_key: Callable[[ToolServices, dict[str, Any]], str | None] | None = None
    answer_key: Callable[[dict[str, Any], dict[str, Any]], str | None] | None = None
    timeout_seconds: float = 60.0
    read_only: bool = True
    idempotent: bool = True


def defaults_of(input_schema: dict[str, Any]) -> dict[str, Any]:
    """What an input schema fills in for arguments that are not given."""
    properties: dict[str, Any] = input_schema.get("properties", {})
    return {name: one["default"] for name, one in properties.items() if "default" in one}


def closed_object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """An object schema that knows exactly these properties; all are required unless said otherwise."""
    wanted = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": wanted, "additionalProperties": False}
