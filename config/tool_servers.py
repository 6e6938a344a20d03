"""The entries of `mcpServers`: tool servers of others, as the configuration names them. They hold no secrets.

The shape is the usual one of MCP clients, with a few keys of our own: `timeout`, `startTimeout`, `maxAnswerBytes`,
`optional` and `tools`. `docs/mcp-servers.md` describes them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ..core.errors import SettingsError
from ..utils.redact import Redactor, is_secret_name, without_secrets
from .variables import has_reference

MOST_FILE_BYTES = 1024 * 1024
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$"
_RESERVED = "built-in"
_OF_OTHER_CLIENTS = frozenset(
    {"description", "always_allow", "auto_approve", "icon", "gallery", "version", "note", "comment", "auto_start"}
)
_HTTP_TYPES = ("http", "streamable-http", "streamableHttp", "streamable_http")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _pairs(value: Any) -> Any:
    return [[str(key), one] for key, one in value.items()] if isinstance(value, Mapping) else value


Pairs = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_pairs)]
Templates = Annotated[tuple[tuple[str, Any], ...] | None, BeforeValidator(_pairs)]


class ToolMapping(BaseModel):
    """How one tool of ours is asked for at a server.

    Attributes:
        tool: our name.
        name: theirs.
        arguments: their argument → template over our arguments; None hands ours over as they are.
        answer: template that makes our answer from theirs; None takes theirs as it is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str = Field(min_length=1)
    name: str = Field(min_length=1)
    arguments: Templates = None
    answer: Any = None


class ToolServer(BaseModel):
    """One server: a command (stdio) or a URL (streamable HTTP).

    Attributes:
        args, env, url, headers: may hold `${NAME}` and `${NAME:-default}`.
        cwd: where a command starts; None for the project's root.
        timeout: seconds for one call.
        start_timeout: seconds until it has answered `initialize` and listed its tools.
        answer_bytes: the most one answer may have, as JSON.
        optional: whether a run goes on with the built-in tools when it does not start.
        tools: which tools it serves; None for every tool of ours that it offers under the same name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=_NAME)
    command: str | None = Field(default=None, min_length=1)
    args: tuple[str, ...] = ()
    env: Pairs = ()
    cwd: Path | None = None
    url: str | None = None
    headers: Pairs = ()
    timeout: float = Field(default=60.0, gt=0, le=3600)
    start_timeout: float = Field(default=30.0, gt=0, le=600)
    answer_bytes: int = Field(default=1024 * 1024, ge=1024, le=16 * 1024 * 1024)
    optional: bool = False
    tools: tuple[ToolMapping, ...] | None = None

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> ToolServer:
        if self.name == _RESERVED:
            raise ValueError(f"the name {_RESERVED!r} is taken")
        if (self.command is None) == (self.url is None):
            raise ValueError("give either a command or a url")
        if self.command is None and (self.args or self.env or self.cwd):
            raise ValueError("args, env and cwd belong to a command")
        if self.url is None and self.headers:
            raise ValueError("headers belong to a url")
        if self.url is not None and not has_reference(self.url) and urlsplit(self.url).scheme not in ("http", "https"):
            raise ValueError("the url must begin with http:// or https://")
        for name, value in (*self.env, *self.headers):
            if is_secret_name(name) and value and not has_reference(value):
                raise ValueError(f"{name} must come from the environment: write ${{NAME}} in its place")
        return self

    @model_validator(mode="after")
    def _without_secrets(self) -> ToolServer:
        """What is stored must be what was given: anything that looks like a secret has to be a reference."""
        dumped = self.model_dump(mode="json")
        if without_secrets(dumped, Redactor.from_environment(os.environ)) != dumped:
            raise ValueError("it holds what looks like a secret: put it into the environment and write ${NAME}")
        return self

    @property
    def transport(self) -> Literal["stdio", "http"]:
        """How it is spoken to."""
        return "stdio" if self.command is not None else "http"


def servers_from(shape: Any, *, folder: Path | None = None) -> tuple[ToolServer, ...]:
    """The servers of an `mcpServers` object, in its order; switched-off ones are left out.

    Args:
        shape: server name → entry, or entries as they were stored.
        folder: where a relative `cwd` starts.

    Raises:
        ValueError: an entry is wrong; the message names it.
    """
    if isinstance(shape, Sequence) and not isinstance(shape, str):
        return tuple(one if isinstance(one, ToolServer) else ToolServer.model_validate(one) for one in shape)
    if not isinstance(shape, Mapping):
        raise ValueError("must be an object of servers by name")
    found: list[ToolServer] = []
    for name, entry in shape.items():
        try:
            if not isinstance(entry, Mapping):
                raise ValueError("must be an object")
            values = _values(entry, folder)
            if not values.pop("disabled", False):
                found.append(ToolServer.model_validate({**values, "name": str(name)}))
        except ValidationError as error:
            raise ValueError(f"{name}: {_told(error)}") from error
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return tuple(found)


def read_servers(path: Path) -> tuple[ToolServer, ...]:
    """The servers of a JSON file with an `mcpServers` object.

    Raises:
        SettingsError: it cannot be read, or is not of that form.
    """
    form = 'Its form is {"mcpServers": {"NAME": {"command": "…", "args": []}}}, see docs/mcp-servers.md.'
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_FILE_BYTES + 1)
        if len(raw) > MOST_FILE_BYTES:
            raise ValueError("it is larger than 1 MiB")
        held = json.loads(raw)
        if not isinstance(held, dict) or not isinstance(held.get("mcpServers"), dict):
            raise ValueError("it has no object mcpServers")
        return servers_from(held["mcpServers"], folder=path.parent.absolute())
    except OSError as error:
        raise SettingsError(f"The tool servers in {path} cannot be read: {error.strerror}.", advice=form) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"The tool servers in {path} are not usable: {error}.", advice=form) from error


def _values(entry: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Fields of a `ToolServer` from an entry: names in any spelling, keys of other clients left out."""
    values = {_CAMEL.sub("_", str(key)).replace("-", "_").lower(): one for key, one in entry.items()}
    values = {key: value for key, value in values.items() if key not in _OF_OTHER_CLIENTS}
    kind = values.pop("type", None)
    if kind == "sse":
        raise ValueError("the transport sse is no longer part of the protocol; use its streamable HTTP endpoint")
    if kind not in (None, "stdio", *_HTTP_TYPES):
        raise ValueError(f"type {kind!r} is not known; it is stdio or http")
    if kind is not None and (kind == "stdio") != ("command" in values):
        raise ValueError(f"type {kind!r} needs a {'command' if kind == 'stdio' else 'url'}")
    if "max_answer_bytes" in values:
        values["answer_bytes"] = values.pop("max_answer_bytes")
    if "tools" in values:
        values["tools"] = _mappings(values["tools"])
    if isinstance(values.get("cwd"), str) and folder is not None:
        values["cwd"] = folder / values["cwd"]
    return values


def _mappings(tools: Any) -> list[dict[str, Any]]:
    """From a list of names, or tool of ours → their name, or → {"name", "arguments", "answer"}."""
    if isinstance(tools, Sequence) and not isinstance(tools, str):
        return [{"tool": one, "name": one} if isinstance(one, str) else one for one in tools]
    if not isinstance(tools, Mapping):
        raise ValueError("tools must be a list of names, or an object of tools by name")
    found = []
    for tool, said in tools.items():
        if not isinstance(said, str | Mapping):
            raise ValueError(f"tools.{tool} must be a name, or an object with name, arguments and answer")
        given = {"name": said} if isinstance(said, str) else {"name": tool, **said}
        found.append({**given, "tool": tool})
    return found


def _told(error: ValidationError) -> str:
    rows = ((".".join(str(part) for part in row["loc"]), row["msg"]) for row in error.errors(include_url=False))
    return "; ".join(f"{place}: {said}" if place else said.removeprefix("Value error, ") for place, said in rows)
