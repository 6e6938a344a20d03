"""Defines what a tool is: its schemas, its handler, who is offered it, and how its arguments are checked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from jsonschema import Draft202012Validator

from ...core.errors import ToolInputError
from ...utils.error_formatter import join_issues, schema_issues
from .services import ToolServices

Json = dict[str, Any]
Audience = Literal["graphs", "clients", "both"]

_MAX_ERRORS, _MAX_SUGGESTIONS = 50, 10
TIMEOUT_META = "testwright/timeout_seconds"
CACHED_META = "testwright/cached"
"""Where an answer came from: `run`, this run's memory; `kept`, an earlier run; `memory`, the server's memory. Absent
for an answer that was computed."""

ERROR_META = "testwright/error"
"""The typed form of an error: `type`, `message`, `advice`, `details`."""


@dataclass(frozen=True, slots=True)
class Link:
    """A resource that an answer points to."""

    uri: str
    name: str
    description: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer: its data, links to details, and its source (see `CACHED_META`; "" when it was computed)."""

    data: Json
    links: tuple[Link, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ClientForm:
    """How a tool for graphs is offered to clients of the product server, for a project below a served root.

    Attributes:
        description: replaces the tool's own; written for the model that chooses a tool.
        file_argument: the argument that names an existing file.
        paths_argument: the argument that lists files or folders, which need not exist.
        has_root: whether an argument `root` is added, which names the project.
        needs_project: whether the answer depends on a project at all.
        runs_code: whether it runs code: it then waits for its turn like a run, and reports progress.
    """

    title: str
    description: str
    file_argument: str | None = None
    paths_argument: str | None = None
    has_root: bool = True
    needs_project: bool = True
    open_world: bool = False
    runs_code: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool.

    Attributes:
        input_schema: JSON Schema of the arguments; its defaults are filled in before the call.
        output_schema: JSON Schema of the answer's data.
        run: the handler, called with a context and the arguments: with `ToolServices` for graphs, with `ClientCall` for
            clients. It returns plain JSON or a `ToolAnswer`; one that is not `async` runs in a thread. It raises
            ToolFailure for what the caller may read.
        description: what it does; for clients also when to choose it, what comes back and what it costs. The handler's
            docstring by default.
        cache_key: computes a key from the arguments if equal content gives equal answers, else None. The key covers
            everything the answer depends on, by content: answers are shared between runs, projects and machines.
        answer_key: computes the same key from an answer; without it `cache_key` is computed again after the work.
            An answer is kept only if both keys are equal: then no file changed meanwhile.
        timeout_seconds: how long a caller should wait.
        read_only: whether it changes nothing.
        idempotent: whether a second call changes nothing further.
        destructive: whether existing data may be lost.
        open_world: whether it reaches beyond the served folders.
        audience: who is offered it.
        client_form: how clients are offered a tool for both audiences.
        is_long: whether clients may have an answer before the work has ended, see `serving/background.py`.
    """

    name: str
    input_schema: Json
    output_schema: Json
    run: Callable[..., Any]
    description: str = ""
    cache_key: Callable[[ToolServices, Json], str | None] | None = None
    answer_key: Callable[[Json, Json], str | None] | None = None
    timeout_seconds: float = 60.0
    read_only: bool = True
    idempotent: bool = True
    destructive: bool = False
    open_world: bool = False
    title: str | None = None
    audience: Audience = "graphs"
    client_form: ClientForm | None = None
    is_long: bool = False

    def __post_init__(self) -> None:
        """Takes the description from the handler's docstring."""
        description = self.description or " ".join((self.run.__doc__ or "").split())
        object.__setattr__(self, "description", description)

    async def call(self, context: Any, arguments: Mapping[str, Any]) -> Any:
        """Calls the handler; one that blocks runs in a thread."""
        if inspect.iscoroutinefunction(self.run):
            return await self.run(context, **arguments)
        return await asyncio.to_thread(self.run, context, **arguments)


client_tool = partial(ToolSpec, audience="clients", read_only=False, idempotent=False)
"""A tool for clients only; most of them start a run, a new one for each call."""


def with_defaults(input_schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Json:
    """The arguments, with the schema's defaults for those that are missing."""
    properties = input_schema.get("properties", {})
    return {name: part["default"] for name, part in properties.items() if "default" in part} | dict(arguments)


def check_arguments(name: str, validator: Draft202012Validator, arguments: Mapping[str, Any]) -> Json:
    """Checks a tool's arguments and returns them with defaults, unknown ones left out.

    Args:
        validator: of the tool's input schema.

    Raises:
        ToolInputError: they do not fit; it lists every error and the tool's parameters.
    """
    schema: Any = validator.schema
    properties = schema.get("properties", {})
    complete = with_defaults(schema, arguments)
    issues = schema_issues(validator.iter_errors(complete))
    if issues:
        required = schema.get("required", ())
        parameters = ", ".join(f"{parameter}{'' if parameter in required else '?'}" for parameter in properties)
        suggestions = [issue.suggestion for issue in issues[:_MAX_SUGGESTIONS] if issue.suggestion]
        raise ToolInputError(
            f"the arguments of {name} do not fit: {join_issues(issues)}",
            advice="; ".join([*suggestions, f"it takes {name}({parameters})"]),
            details={"errors": [issue.to_dict() for issue in issues[:_MAX_ERRORS]]},
        )
    known = {parameter: value for parameter, value in complete.items() if parameter in properties}
    return _with_whole_numbers(schema, known)


def _with_whole_numbers(schema: Mapping[str, Any], value: Any) -> Any:
    """The value with 1.0 as 1 where a schema wants an integer: to JSON Schema they are the same number."""
    if schema.get("type") == "integer" and isinstance(value, float):
        return int(value)
    if isinstance(value, dict) and "properties" in schema:
        return {name: _with_whole_numbers(schema["properties"].get(name, {}), part) for name, part in value.items()}
    return value
