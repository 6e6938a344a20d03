"""Renders setup requests: those that several tests share become functions named after what they create."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....utils.python_source import parse_python
from ..document.operations import snake_case
from ..model.literals import saved_names_in
from ..probe.resource_model import resource_of
from .render_request import call, saved

Json = Mapping[str, Any]
_WORDS = {"POST": "create", "PUT": "set", "PATCH": "change", "DELETE": "delete", "GET": "read"}


@dataclass(frozen=True, slots=True)
class SetupFunction:
    """A request that creates something.

    Attributes:
        name: name of the function.
        arguments: names of saved values that it needs.
        result: name its result is bound to; "" for none.
        lines: the function's body.
    """

    name: str
    arguments: tuple[str, ...]
    result: str
    lines: tuple[str, ...]

    def call(self, client: str, used: str) -> str:
        """Render the call; its result is bound where the following source uses it."""
        made = f"{self.name}({', '.join([client, *self.arguments])})"
        return (
            f"{self.result} = {made}" if any(is_used(part, used) for part in self.result.split(", ") if part) else made
        )


def is_used(name: str, source: str) -> bool:
    """Whether source code reads a name; the same word inside a string does not count."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(parse_python(source)))


@dataclass(slots=True)
class SetupFunctions:
    """The setup functions of a file, each once, in order of first use."""

    auth: Mapping[str, Json]
    known: dict[str, SetupFunction] = field(default_factory=dict)

    def of(self, requests: Iterable[Json]) -> list[SetupFunction]:
        """Return the functions for requests."""
        return [self._step(request) for request in requests]

    def _step(self, request: Json) -> SetupFunction:
        key = json.dumps(request, sort_keys=True)
        if key not in self.known:
            self.known[key] = self._made(request)
        return self.known[key]

    def _made(self, request: Json) -> SetupFunction:
        save: Mapping[str, str] = request.get("save") or {}
        sent = {name: one for name, one in request.items() if name != "save"}
        arguments = tuple(saved_names_in(sent))
        made = f"{call(sent, self.auth)}.succeeded()"
        if not save:
            return SetupFunction(self._free(_name(request, "")), arguments, "", (made,))
        name, pointer = next(iter(save.items()))
        if len(save) == 1:
            return SetupFunction(
                self._free(_name(request, name)), arguments, name, (f"return {saved(pointer, f'{made}.json')}",)
            )
        values = ", ".join(saved(one, "answer") for one in save.values())
        lines = (f"answer = {made}.json", f"return {values}")
        return SetupFunction(self._free(_name(request, name)), arguments, ", ".join(save), lines)

    def _free(self, name: str) -> str:
        taken = {one.name for one in self.known.values()}
        if name not in taken:
            return name
        word, _, rest = name.partition("_")
        made = name = name if rest.startswith("other_") else f"{word}_other_{rest}"
        number = 2
        while made in taken:
            made, number = f"{name}_{number}", number + 1
        return made

    def functions(self, client: str = "api") -> list[str]:
        """Render the functions."""
        return [
            "\n".join(
                [f"def {one.name}({', '.join([client, *one.arguments])}):", *(f"    {line}" for line in one.lines)]
            )
            for one in self.known.values()
        ]


def _name(request: Json, variable: str) -> str:
    word = _WORDS.get(request["method"], request["method"].lower())
    resource = resource_of(request["path"]) or "root"
    tail = request["path"].rstrip("/").rpartition("/")[2]
    if request["method"] == "POST" and "{" in request["path"] and "{" not in tail and not tail.endswith("s"):
        # POST /orders/{id}/cancel acts on what is there.
        return snake_case(f"{tail}_{resource_of(request['path'].rpartition('/')[0])}")
    other = "other_" if variable.startswith("other_") else ""
    name = re.sub(r"\W", "_", f"{word}_{other}{resource}")
    return name if name.isidentifier() else f"step_{name}"
