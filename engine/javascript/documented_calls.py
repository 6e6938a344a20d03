"""Reads which function a documented call is about, and with what."""

from __future__ import annotations

from tree_sitter import Node

from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import parse, text_of, walk
from .model import Function, Module

_KNOWN_NAMES = frozenset(
    {"undefined", "NaN", "Infinity", "Date", "Map", "Set", "Math", "Number", "String", "Symbol", "Array"}
)


def documented_call(call: str, function: Function, module: Module) -> tuple[str, tuple[str, ...]] | None:
    """Receiver and arguments of a documented call of this function; None for another call."""
    tree = parse(call.encode(), "example.ts")
    statement = tree.named_children[0] if len(tree.named_children) == 1 and not tree.has_error else None
    node = statement.named_children[0] if statement is not None and statement.named_children else None
    while node is not None and node.type == "await_expression":
        node = node.named_children[0]
    if node is None or node.type != "call_expression":
        return None
    called, arguments = child(node, "function"), child(node, "arguments")
    if called is None or arguments is None or not _is_closed(arguments, module):
        return None
    receiver = ""
    if called.type == "member_expression":
        holder = child(called, "object")
        known = (function.name, *(() if function.owner else (module.exported_as(function.name),)))
        if text_of(child(called, "property")) not in known or holder is None:
            return None
        if not function.owner:
            # `bytes.format(1)`: a function beside the one that is exported as the whole module.
            if text_of(holder) not in module.exports.values() or text_of(holder) == function.name:
                return None
        elif holder.type == "new_expression" and text_of(child(holder, "constructor")) == function.owner:
            receiver = text_of(holder)
        elif not (function.kind == "static" and text_of(holder) == function.owner):
            return None
    elif function.owner or text_of(called) not in (function.name, module.exported_as(function.name)):
        return None
    return receiver, tuple(text_of(one) for one in arguments.named_children)


def _is_closed(node: Node, module: Module) -> bool:
    """Whether every name in a part is defined: by the module's exports, JavaScript, or the part itself."""
    bound = {text_of(child(one, "parameter") or one) for one in walk(node) if one.type == "arrow_function"}
    bound |= {
        text_of(one)
        for parameters in walk(node)
        if parameters.type == "formal_parameters"
        for one in walk(parameters)
        if one.type == "identifier"
    }
    names = {text_of(one) for one in walk(node) if one.type in ("identifier", "shorthand_property_identifier")}
    return names <= bound | _KNOWN_NAMES | set(module.exports.values())
