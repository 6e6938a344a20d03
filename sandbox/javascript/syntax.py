"""Parses JavaScript and TypeScript with tree-sitter, and reads parts of the tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
TYPED = (".ts", ".tsx", ".mts", ".cts")


def is_typescript(path: str) -> bool:
    """Whether a file is TypeScript by its suffix."""
    return PurePosixPath(path).suffix in TYPED


def parse(source: bytes, path: str) -> Node:
    """Parse a file; the root node. What does not parse is in nodes of its own, see `first_error`."""
    return _parser(PurePosixPath(path).suffix in (".ts", ".mts", ".cts")).parse(source).root_node


@cache
def _parser(angle_casts: bool) -> Parser:
    # `<T>value` is a cast in TypeScript and markup everywhere else.
    language = tree_sitter_typescript.language_typescript if angle_casts else tree_sitter_typescript.language_tsx
    return Parser(Language(language()))


def text_of(node: Node | None) -> str:
    """The source of a node; empty for None."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def line_of(node: Node) -> int:
    """The line a node begins in, counted from 1."""
    return node.start_point[0] + 1


def field(node: Node | None, name: str) -> Node | None:
    """A child by its field; None for none."""
    return node.child_by_field_name(name) if node is not None else None


def walk(node: Node | None, *, into_functions: bool = True) -> Iterator[Node]:
    """A node and all below it, in the order of the source.

    Args:
        into_functions: go into functions and classes that are defined inside.
    """
    if node is None:
        return
    queue = [node]
    while queue:
        here = queue.pop()
        yield here
        if here is not node and not into_functions and here.type in FUNCTIONS | {"class_declaration", "class"}:
            continue
        queue.extend(reversed(here.children))


FUNCTIONS = frozenset(
    {
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "generator_function_declaration",
        "generator_function",
    }
)


def first_error(root: Node) -> Node | None:
    """The first place that does not parse; None where everything does."""
    if not root.has_error:
        return None
    return next((node for node in walk(root) if node.is_error or node.is_missing), None)


def string_value(node: Node | None) -> str | None:
    """The text of a string literal without substitutions or escapes; None for anything else."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    if any(child.type in ("template_substitution", "escape_sequence") for child in node.children):
        return None
    return text_of(node)[1:-1]
