"""Which tool is served by whom, and the way of one call there and back (T-12)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from mcp.types import CallToolResult, Tool
from referencing import Registry
from referencing.exceptions import Unresolvable

from ....config.tool_servers import ToolMapping
from ....core.errors import SettingsError
from ....utils.error_formatter import issues_told, schema_issues
from ...toolbox.definition import defaults_of
from .server import ExternalServer, text_of
from .templates import Missing, filled, roots

CONSUMED = (
    "check_syntax",
    "get_ast_analysis",
    "get_codebase_context",
    "get_openapi_spec",
    "lint_code",
    "repo.read_file",
    "repo.tree",
    "run_build",
)
"""The tools that others may serve. What runs, judges, writes or accepts tests is ours alone."""
_IN_ANSWERS = frozenset({"answer", "arguments", "item", "root", "text"})
_MOST_ISSUES = 5


@dataclass(frozen=True, slots=True)
class ExternalRoute:
    """One tool of ours at one server.

    Attributes:
        theirs: the tool as the server describes it.
        ours: the built-in tool it stands for; None where there is none.
    """

    mapping: ToolMapping
    server: ExternalServer
    theirs: Tool
    ours: Tool | None
    root: Path

    async def call(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer, in our shape and held to both schemas.

        Raises:
            ServerGone, ToolTimeout: see `ExternalServer.call`.
            ToolFailure: the server says that it failed, or something does not fit; the message names the server.
        """
        given = self._asked(arguments)
        result = await self.server.call(self.theirs.name, given)
        if result.is_error:
            raise self.server.failure(self.theirs.name, f"failed: {text_of(result) or 'it does not say why'}")
        return self._fitting(self._answer(result, arguments))

    def _asked(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Our arguments as theirs; one that has no value is left out."""
        given = arguments
        if self.mapping.arguments is not None:
            given = {}
            scope = {**self._defaults(), **arguments, "root": str(self.root)}
            for name, template in self.mapping.arguments:
                try:
                    given[name] = filled(template, scope)
                except Missing:
                    continue
        told = _misfits(self.theirs.input_schema, given)
        if told:
            raise self.server.failure(self.theirs.name, f"does not take the arguments that were mapped for it: {told}")
        return given

    def _defaults(self) -> dict[str, Any]:
        return defaults_of((self.ours or self.theirs).input_schema)

    def _answer(self, result: CallToolResult, arguments: dict[str, Any]) -> Any:
        text = text_of(result)
        answer: Any = result.structured_content
        if answer is None:
            answer = _parsed(text)
        answer, text = self.server.untrusted.answer(answer), self.server.untrusted.answer(text)
        if self.mapping.answer is None:
            return answer
        scope = {"answer": answer, "text": text, "arguments": {**self._defaults(), **arguments}, "root": str(self.root)}
        try:
            return filled(self.mapping.answer, scope)
        except Missing as error:
            raise self.server.failure(
                self.theirs.name, f"answered without what its mapping takes from it: {error}"
            ) from error

    def _fitting(self, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise self.server.failure(self.theirs.name, "gave no structured answer")
        needed = self.ours.output_schema if self.ours is not None else None
        told = _misfits(needed, answer) if needed else ""
        if told:
            raise self.server.failure(
                self.theirs.name, f"answered what does not fit {self.mapping.tool}: {told}", misfit=True
            )
        return answer


@dataclass(slots=True)
class Routing:
    """The routes to servers of others, by our tool, and what did not come about, as sentences for the report."""

    routes: dict[str, ExternalRoute] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def routed(servers: Iterable[ExternalServer], built_in: Mapping[str, Tool], root: Path) -> Routing:
    """Who serves what. A server that names its tools goes before one that only happens to offer some; then by order.

    Args:
        servers: open ones.
        built_in: our tools, by name.
    """
    routing = Routing()
    known = list(servers)
    for server in [*(one for one in known if one.entry.tools is not None), *known]:
        said = server.entry.tools
        if said is None:
            offered = [ToolMapping(tool=name, name=name) for name in CONSUMED if name in server.tools]
        else:
            offered = list(said)
        for mapping in offered:
            if mapping.tool in routing.routes:
                continue
            theirs = server.tools.get(mapping.name)
            why = "it does not offer it" if theirs is None else _unusable(theirs)
            if theirs is not None and not why:
                ours = built_in.get(mapping.tool)
                routing.routes[mapping.tool] = ExternalRoute(mapping, server, theirs, ours, root)
                continue
            instead = "the built-in one serves" if mapping.tool in built_in else "nobody serves it"
            told = f"{mapping.tool} is not served by the tool server {server.name!r}: {why}; {instead}."
            if told not in routing.warnings:
                routing.warnings.append(told)
    return routing


def check_mappings(servers: Iterable[ExternalServer], built_in: Mapping[str, Tool]) -> None:
    """Raises SettingsError: a mapping is for a tool that is ours alone or unknown, or its template is wrong."""
    for server in servers:
        for mapping in server.entry.tools or ():
            where = f"The tool server {server.name!r}, tools.{mapping.tool}"
            if mapping.tool not in CONSUMED:
                raise SettingsError(
                    f"{where}: no tool of this name can be served by others.", advice=f"They are {', '.join(CONSUMED)}."
                )
            ours = built_in.get(mapping.tool)
            names = set(ours.input_schema.get("properties", {})) if ours is not None else None
            try:
                for _, template in mapping.arguments or ():
                    _known(roots(template), None if names is None else {*names, "root"})
                _known(roots(mapping.answer), _IN_ANSWERS)
            except ValueError as error:
                raise SettingsError(f"{where}: {error}.", advice="See docs/mcp-servers.md for templates.") from error


def _known(names: Iterable[str], known: Iterable[str] | None) -> None:
    for name in names:
        if known is not None and name not in known:
            raise ValueError(f"{{{name}}} is not known there; known are {', '.join(sorted(known))}")


def _unusable(tool: Tool) -> str:
    for schema in (tool.input_schema, tool.output_schema):
        if schema is not None:
            try:
                Draft202012Validator.check_schema(schema)
            except SchemaError:
                return "a schema it declares is no JSON Schema"
    return ""


def _misfits(schema: Mapping[str, Any], value: Any) -> str:
    """What does not fit, in words; references outside the schema are never fetched."""
    try:
        issues = schema_issues(Draft202012Validator(schema, registry=Registry()).iter_errors(value))
    except Unresolvable as error:
        return f"the schema refers to what is not in it ({error.ref})"
    return issues_told(issues[:_MOST_ISSUES]) + (
        f" and {len(issues) - _MOST_ISSUES} more" if len(issues) > _MOST_ISSUES else ""
    )


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
