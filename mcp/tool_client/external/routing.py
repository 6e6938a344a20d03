"""Decides which server serves which tool, and maps calls and answers of external tools."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from ....config.tool_servers import ToolMapping
from ....core.errors import SettingsError
from ...sdk import CallToolResult, Tool, text_of
from ...toolbox.tool_spec import Json, check_arguments, with_defaults
from .schemas import misfits, schema_error
from .server import ExternalServer

EACH, AS = "$each", "$as"
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<path>[A-Za-z_][\w-]*(?:\.[\w-]+)*)\}|[{}]")

REPLACEABLE_TOOLS = (
    "check_syntax",
    "get_ast_analysis",
    "get_codebase_context",
    "get_openapi_spec",
    "lint_code",
    "repo.read_file",
    "repo.tree",
    "run_build",
)
"""The tools that external servers may serve. Those that run, judge, write or accept tests are always ours."""
_ANSWER_NAMES = frozenset({"answer", "arguments", "item", "root", "text"})


@dataclass(frozen=True, slots=True)
class ExternalRoute:
    """One tool, served by one external server.

    Attributes:
        theirs: the tool as the server describes it.
        ours: the built-in tool it replaces; None where there is none.
    """

    mapping: ToolMapping
    server: ExternalServer
    theirs: Tool
    ours: Tool | None
    root: Path

    async def call(self, arguments: Json) -> tuple[Json, None]:
        """Calls the tool and returns the answer in the form of ours; it never comes from a cache.

        External servers are not trusted: arguments are checked against our schema and theirs, answers against both.

        Raises:
            ToolInputError: the arguments do not fit our tool.
            ServerGone, ToolTimeout: see `ExternalServer.call`.
            ToolFailure: the server reports a failure, or something does not fit; the message names the server.
        """
        if self.ours is not None:
            check_arguments(self.mapping.tool, Draft202012Validator(self.ours.input_schema), arguments)
        result = await self.server.call(self.theirs.name, await asyncio.to_thread(self._map_arguments, arguments))
        if result.is_error:
            raise self.server.failure(self.theirs.name, f"failed: {text_of(result) or 'it does not say why'}")
        return await asyncio.to_thread(self._checked_answer, self._map_answer(result, arguments)), None

    def _map_arguments(self, arguments: Json) -> Json:
        """Maps our arguments to theirs; one without a value is left out."""
        mapped = arguments
        # Without a mapping the tool is taken to have the parameters of ours.
        if self.mapping.arguments is not None:
            mapped = {}
            scope = {**self._with_defaults(arguments), "root": str(self.root)}
            for name, template in self.mapping.arguments:
                with suppress(MissingValue):
                    mapped[name] = fill(template, scope)
        if wrong := misfits(self.theirs.input_schema, mapped):
            raise self.server.failure(self.theirs.name, f"does not take the arguments that were mapped for it: {wrong}")
        return mapped

    def _with_defaults(self, arguments: Json) -> Json:
        return with_defaults((self.ours or self.theirs).input_schema, arguments)

    def _map_answer(self, result: CallToolResult, arguments: Json) -> Any:
        text = text_of(result)
        answer: Any = result.structured_content
        # Structured content comes first; text counts where there is none.
        if answer is None:
            answer = _parsed(text)  # servers of older protocols send JSON as text
        clean = self.server.untrusted.without_secrets
        answer, text = clean(answer), clean(text)
        # Without a mapping the answer must have the form of ours, which is checked next.
        if self.mapping.answer is None:
            return answer
        sent = self._with_defaults(arguments)
        scope = {"answer": answer, "text": text, "arguments": sent, "root": str(self.root)}
        try:
            return fill(self.mapping.answer, scope)
        except MissingValue as error:
            raise self.server.failure(
                self.theirs.name, f"answered without what its mapping takes from it: {error}"
            ) from error

    def _checked_answer(self, answer: Any) -> Json:
        if not isinstance(answer, dict):
            raise self.server.failure(self.theirs.name, "gave no structured answer")
        schema = self.ours.output_schema if self.ours is not None else None
        if schema and (wrong := misfits(schema, answer)):
            raise self.server.failure(
                self.theirs.name, f"answered what does not fit {self.mapping.tool}: {wrong}", misfit=True
            )
        return answer


@dataclass(slots=True)
class Routing:
    """The routes by tool, and warnings for the report about tools that could not be routed."""

    routes: dict[str, ExternalRoute] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def plan_routes(servers: Iterable[ExternalServer], built_in: Mapping[str, Tool], root: Path) -> Routing:
    """Assigns tools to servers. Servers that name their tools come before those that only offer some of the same name.

    Args:
        servers: open ones, in order of precedence.
        built_in: our tools, by name.
    """
    routing = Routing()
    candidates = list(servers)
    for server in [*(server for server in candidates if server.entry.tools is not None), *candidates]:
        mappings = server.entry.tools
        if mappings is None:
            mappings = [ToolMapping(tool=name, name=name) for name in REPLACEABLE_TOOLS if name in server.tools]
        for mapping in mappings:
            # An earlier server serves it.
            if mapping.tool in routing.routes:
                continue
            theirs = server.tools.get(mapping.name)
            reason = "it does not offer it" if theirs is None else schema_error(theirs)
            if theirs is not None and not reason:
                ours = built_in.get(mapping.tool)
                routing.routes[mapping.tool] = ExternalRoute(mapping, server, theirs, ours, root)
                continue
            instead = "the built-in one serves" if mapping.tool in built_in else "no server serves it"
            warning = f"{mapping.tool} is not served by the tool server {server.name!r}: {reason}; {instead}."
            if warning not in routing.warnings:
                routing.warnings.append(warning)
    return routing


def check_mappings(servers: Iterable[ExternalServer], built_in: Mapping[str, Tool]) -> None:
    """Checks the mappings of all servers. Raises SettingsError: a tool cannot be mapped, or a template is wrong."""
    for server in servers:
        for mapping in server.entry.tools or ():
            where = f"The tool server {server.name!r}, tools.{mapping.tool}"
            if mapping.tool not in REPLACEABLE_TOOLS:
                raise SettingsError(
                    f"{where}: no tool of this name can be served by others.",
                    advice=f"They are {', '.join(REPLACEABLE_TOOLS)}.",
                )
            ours = built_in.get(mapping.tool)
            # A tool without a built-in counterpart may have any parameters.
            names = set(ours.input_schema.get("properties", {})) if ours is not None else None
            try:
                for _, template in mapping.arguments or ():
                    _known(referenced_names(template), None if names is None else {*names, "root"})
                _known(referenced_names(mapping.answer), _ANSWER_NAMES)
            except ValueError as error:
                raise SettingsError(f"{where}: {error}.", advice="See docs/mcp-servers.md for templates.") from error


def _known(names: Iterable[str], known: Iterable[str] | None) -> None:
    for name in names:
        if known is not None and name not in known:
            raise ValueError(f"{{{name}}} is not known there; known are {', '.join(sorted(known))}")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class MissingValue(LookupError):
    """A template refers to a missing value; the message names it."""


def fill(template: Any, scope: Mapping[str, Any]) -> Any:
    """Returns the template with its references replaced by values.

    Raises:
        Missing: a reference has no value, or that of `$each` is no list.
    """
    if isinstance(template, str):
        return _text(template, scope)
    if isinstance(template, list | tuple):
        return [fill(part, scope) for part in template]
    if isinstance(template, Mapping):
        if EACH in template:
            items = fill(template[EACH], scope)
            if not isinstance(items, list):
                raise MissingValue(f"{template[EACH]} is no list")
            return [fill(template[AS], {**scope, "item": item}) for item in items]
        return {key: fill(part, scope) for key, part in template.items()}
    return template


def referenced_names(template: Any) -> Iterator[str]:
    """Yields the first part of every reference in a template.

    Raises:
        ValueError: the template is not well formed.
    """
    if isinstance(template, str):
        for piece in _PIECE.finditer(template):
            if piece.group() in ("{", "}"):
                raise ValueError(f"{template!r} has a single brace; write {{{{ or }}}} for one")
            if piece["path"]:
                yield piece["path"].partition(".")[0]
    elif isinstance(template, list | tuple):
        for part in template:
            yield from referenced_names(part)
    elif isinstance(template, Mapping):
        if (EACH in template or AS in template) and set(template) != {EACH, AS}:
            raise ValueError(f"an object with {EACH} has {EACH} and {AS}, nothing else")
        for part in template.values():
            yield from referenced_names(part)


def _text(template: str, scope: Mapping[str, Any]) -> Any:
    # A single reference keeps the type of its value.
    whole = _PIECE.fullmatch(template)
    if whole is not None and whole["path"]:
        return _value(whole["path"], scope)

    def render(piece: re.Match[str]) -> str:
        # `{{` or `}}`.
        if not piece["path"]:
            return piece.group()[0]
        value = _value(piece["path"], scope)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PIECE.sub(render, template)


def _value(path: str, scope: Mapping[str, Any]) -> Any:
    value: Any = scope
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise MissingValue(f"there is no {path}")
    return value
