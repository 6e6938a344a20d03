"""Decides whether an address in a Playwright test is the application's: relative to its base and constant enough."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .typescript_tree import constant_text, operands, template_parts, text_of, unwrapped, walk

if TYPE_CHECKING:
    from tree_sitter import Node

BASE_VARIABLES = frozenset({"BASE_URL"})
"""Environment variables that hold the application's address."""
_BASE_NAMES = frozenset({"baseURL", "BASE_URL"})
_SCHEME = re.compile(r"[a-z][0-9+.-]*:[/\\]", re.IGNORECASE)
_CODE = re.compile(r"\s*(?:javascript|data|vbscript|blob|file|view-source):", re.IGNORECASE)
_MAX_INDIRECTIONS = 8
_BASE = "\0"
"""Stands for the application's base address at the beginning of a prefix."""
_REFERENCES = frozenset({"identifier", "shorthand_property_identifier"})
_BINDINGS = frozenset({"identifier", "type_identifier", "shorthand_property_identifier_pattern"})


def names_an_address(text: str) -> bool:
    """Whether a text holds an absolute address, a part of one, or one that keeps only the scheme (`//host`)."""
    plain = re.sub(r"[\t\r\n]", "", text).strip()
    return bool(_SCHEME.search(plain) or _CODE.match(plain) or re.match(r"[/\\]{2}|:[/\\]{2}", plain))


def process_variable(node: Node) -> str | None:
    """The variable that `process.env.NAME` reads; None for every other expression."""
    if node.type != "member_expression" or node.child_by_field_name("optional_chain") is not None:
        return None
    owner, _, name = text_of(node).rpartition(".")
    return name if owner == "process.env" else None


class AddressReader:
    """Reads the addresses of one file, or of one script of a flow.

    Args:
        root: the file's syntax tree.
    """

    def __init__(self, root: Node) -> None:
        self._values = _constants(root)

    def is_own(self, node: Node | None, depth: int = 0) -> bool:
        """Whether an expression is certainly an address of the application, or no address at all."""
        if node is None:
            return False
        node = unwrapped(node)
        if depth > _MAX_INDIRECTIONS:
            return False
        if node.type in ("object", "number", "regex", "undefined", "null"):
            return True
        if alternatives := _alternatives(node):
            return all(self.is_own(alternative, depth + 1) for alternative in alternatives)
        prefix = self._prefix(node, depth)
        if prefix is None:
            return False
        text, is_whole = prefix
        if names_an_address(text.removeprefix(_BASE)):
            return False
        if text.startswith(_BASE):
            # Behind the base only a path, query or fragment: `BASE_URL + '.evil.example'` is another host.
            return bool(re.match(r"\0[/?#][^/\\]", text)) or (is_whole and text in (_BASE, f"{_BASE}/"))
        return is_whole or bool(re.match(r"[/?#.][^/\\]|[\w-]+/", text))

    def starts_at_base(self, node: Node) -> bool:
        """Whether the constant beginning of an address is the application's base."""
        prefix = self._prefix(unwrapped(node), 0)
        return prefix is not None and prefix[0].startswith(_BASE)

    def _prefix(self, node: Node, depth: int) -> tuple[str, bool] | None:
        """The constant beginning of a text, and whether that is the whole; None when nothing is constant."""
        return _joined(self._term(unwrapped(term), depth) for term in _terms(node))

    def _term(self, node: Node, depth: int) -> tuple[str, bool] | None:
        if depth > _MAX_INDIRECTIONS:
            return None
        text = constant_text(node)
        if text is not None:
            return text, True
        if node.type == "template_string":
            return self._template(node, depth)
        if node.type in _REFERENCES and text_of(node) in self._values:
            return self._constant(text_of(node), depth)
        if _is_base(node):
            return _BASE, True
        if node.type == "call_expression" and text_of(node.child_by_field_name("function")) == "encodeURIComponent":
            return "x", False  # Encoded text contains no slash, so any word represents it.
        if process_variable(node) is not None:
            return "x", False  # Variables named by the cases are trusted as path segments.
        alternatives = [unwrapped(alternative) for alternative in _alternatives(node)]
        if alternatives and _is_base(alternatives[0]):
            # Whatever is added begins with a slash, so another value that ends in one would make `//host`.
            others = [constant_text(alternative) for alternative in alternatives[1:]]
            safe = all(text is not None and not text.endswith(("/", "\\")) for text in others)
            return (_BASE, True) if safe or all(map(_is_base, alternatives)) else None
        found = [self._term(alternative, depth + 1) for alternative in alternatives]
        return (
            ("x", False)
            if found and all(found_item and re.match(r"\w", found_item[0]) for found_item in found)
            else None
        )

    def _constant(self, name: str, depth: int) -> tuple[str, bool] | None:
        values = self._values[name]
        value = values[0] if len(values) == 1 else None
        if value is None:
            return None
        value = unwrapped(value)
        if value.type == "array":
            # The variable of `for (const path of ['/a', '/b'])`.
            return ("/x", False) if all(self.is_own(item, depth + 1) for item in operands(value)) else None
        if not self.is_own(value, depth + 1):
            return None
        return self._prefix(value, depth + 1)

    def _template(self, node: Node, depth: int) -> tuple[str, bool] | None:
        return _joined(
            (part, True) if isinstance(part, str) else self._prefix(unwrapped(part), depth + 1)
            for part in template_parts(node)
        )


def _joined(parts: Iterable[tuple[str, bool] | None]) -> tuple[str, bool] | None:
    """The constant beginning of texts that stand one behind the other, as of one of them."""
    text = ""
    for found in parts:
        if found is None:
            return (text, False) if text else None
        text += found[0]
        if not found[1]:
            return text, False
    return text, True


def _is_base(node: Node) -> bool:
    """Whether an expression is the base address: the fixture `baseURL`, or the environment variable."""
    if node.type in _REFERENCES:
        return text_of(node) in _BASE_NAMES
    return process_variable(node) in BASE_VARIABLES


def _alternatives(node: Node) -> list[Node]:
    """The values that `a ?? b`, `a || b` or `c ? a : b` may have; empty for every other expression."""
    if node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) in ("??", "||"):
        fields = ("left", "right")
    elif node.type == "ternary_expression":
        fields = ("consequence", "alternative")
    else:
        return []
    return [value for field in fields if (value := node.child_by_field_name(field)) is not None]


def _terms(node: Node) -> list[Node]:
    """The terms of a sum, from left to right."""
    terms: list[Node] = []
    pending = [node]
    while pending:
        node = pending.pop()
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if (
            node.type == "binary_expression"
            and left is not None
            and right is not None
            and text_of(node.child_by_field_name("operator")) == "+"
        ):
            pending += [unwrapped(right), unwrapped(left)]
        else:
            terms.append(node)
    return terms


def _constants(root: Node) -> dict[str, list[Node | None]]:
    """The values of all bound names; None for a binding whose value is not constant.

    A name bound twice has two values, so that no scope has to be resolved. The fixture `({ baseURL })` is left out.
    """
    found: dict[str, list[Node | None]] = {}
    for node, parent in walk(root):
        if node.type == "variable_declarator" and parent is not None:
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            _bind(found, name, value if text_of(parent.child_by_field_name("kind")) == "const" else None)
        elif node.type == "for_in_statement":
            kind, operator = (text_of(node.child_by_field_name(field)) for field in ("kind", "operator"))
            fixed = kind == "const" and operator == "of"
            _bind(found, node.child_by_field_name("left"), node.child_by_field_name("right") if fixed else None)
        elif node.type in ("assignment_expression", "augmented_assignment_expression"):
            _bind(found, node.child_by_field_name("left"), None)
        elif node.type in ("required_parameter", "optional_parameter"):
            _bind(found, node.child_by_field_name("pattern"), None, is_parameter=True)
        elif node.type in ("arrow_function", "catch_clause"):
            _bind(found, node.child_by_field_name("parameter"), None)
        elif node.type in ("import_clause", "import_require_clause", "update_expression"):
            _bind(found, node, None)
        elif node.type.endswith(("_declaration", "function_expression")):
            _bind(found, node.child_by_field_name("name"), None)
    return found


def _bind(
    found: dict[str, list[Node | None]], target: Node | None, value: Node | None, *, is_parameter: bool = False
) -> None:
    """Records what a target binds: an identifier takes the value, the names of a pattern take an unknown one."""
    if target is None or target.type in ("member_expression", "subscript_expression"):
        return
    if target.type == "identifier":
        found.setdefault(text_of(target), []).append(value)
        return
    for node, parent in walk(target):
        if node.type not in _BINDINGS:
            continue
        in_pattern = is_parameter and parent is not None and parent.type == "object_pattern"
        is_fixture = in_pattern and node.type != "identifier" and text_of(node) == "baseURL"
        if not is_fixture:
            found.setdefault(text_of(node), []).append(None)
