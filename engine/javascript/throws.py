"""Reads the errors that a module throws itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import line_of, text_of, walk
from .model import Throw


def throws_of(tree: Node) -> Iterator[Throw]:
    """Every `throw new X(…)` of a module, in the order of the source."""
    for node in walk(tree):
        if node.type != "throw_statement" or not node.named_children:
            continue
        made = node.named_children[0]
        if made.type not in ("new_expression", "call_expression"):
            continue
        name = text_of(child(made, "constructor") or child(made, "function"))
        arguments = child(made, "arguments")
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        yield Throw(name, _message_pattern(first), line_of(node))


def _message_pattern(node: Node | None) -> str:
    """A pattern of the messages that an argument may be: `.*` where it is not written out."""
    if node is None:
        return ""
    if node.type == "string":
        return re.escape(text_of(node)[1:-1].replace("\\'", "'").replace('\\"', '"'))
    if node.type == "template_string":
        parts = [
            ".*" if one.type == "template_substitution" else re.escape(text_of(one)) for one in node.named_children
        ]
        return "".join(parts)
    return ".*"
