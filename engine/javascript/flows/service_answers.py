"""Reads which requests a package sends to a service, and what it reads of the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from ....sandbox.javascript.syntax import field as child
from ....sandbox.javascript.syntax import string_value, text_of, walk
from ..domain.shapes import Shape
from ..domain.types import TypeReader
from ..domain.values import Values
from ..model import Function, Module

_PLAIN = re.compile(r"'([\w.~-]+)'|(-?\d+(?:\.\d+)?)")
_ORIGINS = re.compile(r"(?:base|url|host|origin|endpoint|server|address|api)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the code sends.

    Attributes:
        method: GET, POST, …
        parts: texts and names, by turns, of the path after the address: `/rates/`, `currency`, …
        body: source of what the service answers.
    """

    method: str
    parts: tuple[str, ...]
    body: str

    def key(self, given: Mapping[str, str]) -> str | None:
        """`GET /rates/EUR` with the sources of some parameters; None where one of them is no plain value."""
        path = ""
        for at, part in enumerate(self.parts):
            if at % 2 == 0:
                path += part
                continue
            plain = _PLAIN.fullmatch(given.get(part, ""))
            if plain is None:
                return None
            path += plain[1] or plain[2]
        return f"{self.method} {path}"


def requests_of(function: Function, module: Module, reader: TypeReader, values: Values) -> list[Request]:
    """The requests of one function whose address is given to it and whose paths can be told."""
    body = function.body
    found = []
    for node in walk(body):
        if node.type != "call_expression" or text_of(child(node, "function")) != "fetch":
            continue
        arguments = child(node, "arguments")
        given = arguments.named_children if arguments is not None else []
        parts = _parts(given[0]) if given else None
        if parts is not None:
            method = _method(given[1] if len(given) > 1 else None)
            found.append(Request(method, parts, _answer(function, body, reader, values)))
    return found


def _parts(node: Node) -> tuple[str, ...] | None:
    """Texts and names of what follows the address; None where the address is not given."""
    if node.type != "template_string":
        return None
    found = [""]
    pieces = list(node.named_children)
    first = pieces[0] if pieces else None
    if first is None or first.type != "template_substitution" or not _ORIGINS.search(text_of(first)):
        return None
    for one in pieces[1:]:
        if one.type == "template_substitution":
            name = text_of(one.named_children[0] if one.named_children else None)
            name = re.sub(r"^encodeURIComponent\((\w+)\)$", r"\1", name)
            if not re.fullmatch(r"\w+", name):
                return None
            found += [name, ""]
        else:
            found[-1] += text_of(one)
    return tuple(found) if found[0].startswith("/") else None


def _method(options: Node | None) -> str:
    for one in options.named_children if options is not None and options.type == "object" else ():
        if text_of(child(one, "key")) == "method":
            return (string_value(child(one, "value")) or "GET").upper()
    return "GET"


def _answer(function: Function, body: Node | None, reader: TypeReader, values: Values) -> str:
    """A body that has what the function reads of the answer: by types, else by the names of fields."""
    for node in walk(body):
        if node.type != "call_expression" or text_of(child(child(node, "function"), "property")) != "json":
            continue
        holder = node.parent
        while holder is not None and holder.type in ("await_expression", "parenthesized_expression", "as_expression"):
            typed = [one for one in holder.named_children[1:] if one.type.endswith(("_type", "identifier"))]
            if holder.type == "as_expression" and typed:
                return _typical(reader.of_node(typed[0]), values)
            holder = holder.parent
        if holder is None:
            continue
        if holder.type == "return_statement" or holder == body:
            return _typical(reader.of_node(function.returns), values)
        if holder.type == "member_expression":
            return _fields([text_of(child(holder, "property"))], values)
        if holder.type == "variable_declarator":
            return _of_variable(holder, body, reader, values)
    return "{}"


def _of_variable(node: Node, body: Node | None, reader: TypeReader, values: Values) -> str:
    annotation, name = child(node, "type"), child(node, "name")
    if annotation is not None and annotation.named_children:
        return _typical(reader.of_node(annotation.named_children[0]), values)
    if name is not None and name.type == "object_pattern":
        return _fields(list(_bound(name)), values)
    read = [
        text_of(child(one, "property"))
        for one in walk(body)
        if one.type == "member_expression" and text_of(child(one, "object")) == text_of(name)
    ]
    return _fields(list(dict.fromkeys(read)), values)


def _bound(pattern: Node) -> Iterator[str]:
    for one in pattern.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield text_of(one)
        elif one.type in ("pair_pattern", "object_assignment_pattern"):
            yield text_of(child(one, "key") or child(one, "left"))


def _fields(names: Sequence[str], values: Values) -> str:
    parts = [(name, values.of(Shape(), name)) for name in names]
    return f"{{ {', '.join(f'{name}: {found[0].source}' for name, found in parts if found)} }}" if parts else "{}"


def _typical(shape: Shape, values: Values) -> str:
    found = values.of(shape, "answer") if shape.known else []
    return found[0].source if found else "{}"
