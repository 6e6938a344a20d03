"""Finds the function that makes what a module exports in a wrapper (UMD, or a function that is called at once)."""

from __future__ import annotations

from tree_sitter import Node

from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import text_of

_FUNCTIONS = frozenset({"function_expression", "arrow_function"})
_AROUND = frozenset({"parenthesized_expression", "unary_expression"})


def factory_of(tree: Node) -> Node | None:
    """The factory that a wrapper is given, else the function that is called at once; None without a wrapper.

    Args:
        tree: the root node of a module.
    """
    for statement in tree.named_children:
        call = _bare(statement.named_children[0]) if statement.type == "expression_statement" else None
        if call is None or call.type != "call_expression" or "exports" not in text_of(call):
            continue
        arguments = child(call, "arguments")
        given = [_bare(one) for one in (arguments.named_children if arguments is not None else ())]
        factories = [one for one in given if one is not None and one.type in _FUNCTIONS]
        if factories:
            return factories[-1]
        called = _bare(child(call, "function"))
        if called is not None and called.type == "member_expression":
            called = _bare(child(called, "object"))  # (function () { … }).call(this)
        if called is not None and called.type in _FUNCTIONS:
            return called
    return None


def _bare(node: Node | None) -> Node | None:
    """An expression without brackets and signs around it."""
    while node is not None and node.type in _AROUND and node.named_children:
        node = node.named_children[0]
    return node
