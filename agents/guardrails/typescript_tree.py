"""Parses TypeScript and JavaScript with tree-sitter and refuses every source that two parsers could read differently.

The limits for generated code rely on this tree, so a source is refused (`UnreadableSource`) when it does not parse
without an error, uses a construct outside the allowlist of node types, or contains text where tree-sitter and a
JavaScript engine might disagree about where strings, comments, regular expressions or markup begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_BYTES = 131_072
MAX_DEPTH = 400

_NODE_TYPES = frozenset(
    """program comment expression_statement statement_block empty_statement lexical_declaration variable_declaration
    variable_declarator if_statement else_clause for_statement for_in_statement while_statement do_statement
    switch_statement switch_body switch_case switch_default try_statement catch_clause finally_clause throw_statement
    return_statement break_statement continue_statement labeled_statement function_declaration
    generator_function_declaration function_signature class_declaration abstract_class_declaration class class_body
    class_heritage extends_clause implements_clause class_static_block public_field_definition method_definition
    abstract_method_signature accessibility_modifier override_modifier import_statement import_clause named_imports
    import_specifier namespace_import import_require_clause export_statement export_clause export_specifier
    namespace_export import meta_property

    identifier property_identifier private_property_identifier shorthand_property_identifier
    shorthand_property_identifier_pattern statement_identifier type_identifier this super true false null undefined
    number string string_fragment escape_sequence template_string template_substitution regex regex_pattern regex_flags
    array object pair computed_property_name spread_element member_expression subscript_expression optional_chain
    call_expression arguments new_expression arrow_function function_expression generator_function formal_parameters
    required_parameter optional_parameter parenthesized_expression sequence_expression assignment_expression
    augmented_assignment_expression binary_expression unary_expression update_expression ternary_expression
    await_expression yield_expression as_expression satisfies_expression non_null_expression array_pattern
    object_pattern pair_pattern rest_pattern assignment_pattern object_assignment_pattern

    type_annotation predefined_type generic_type type_arguments type_parameters type_parameter union_type
    intersection_type array_type literal_type object_type property_signature method_signature call_signature
    construct_signature index_signature mapped_type_clause function_type constructor_type tuple_type optional_type
    rest_type readonly_type parenthesized_type type_query index_type_query lookup_type nested_type_identifier
    nested_identifier conditional_type infer_type this_type type_predicate type_predicate_annotation asserts
    asserts_annotation type_alias_declaration interface_declaration interface_body extends_type_clause constraint
    default_type opting_type_annotation omitting_type_annotation enum_declaration enum_body enum_assignment""".split()
)
_NAME = re.compile(r"#?[A-Za-z_$][\w$]*", re.ASCII)
_TEXT_LEAVES = frozenset({"string_fragment", "regex_pattern", "regex_flags", "comment"})
_SPACE = re.compile(r"[ \t\r\n\v\f\xa0\ufeff]*")
# Control characters, carriage returns without a line feed, and the line separators that end a comment for an engine.
_ODD_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u2028\u2029]|\r(?!\n)")
_OPERATOR_WORDS = frozenset("return typeof case in delete void throw new else do await instanceof".split())
_RESERVED = _OPERATOR_WORDS | frozenset(
    """break catch class const continue debugger default enum export extends finally for function if import super
    switch this try var while with""".split()
)
_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|\r\n|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "v": "\v", "f": "\f", "0": "\0", "\n": "", "\r": ""}
_WRAPPERS = frozenset(
    {"parenthesized_expression", "await_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)


class UnreadableSource(ValueError):
    """The source cannot be read with certainty; the message says why."""


def parse_source(source: str) -> Node:
    """Parses a file or a script; returns the root node.

    Raises:
        UnreadableSource: too large, nested too deeply, not parsable, or ambiguous.
    """
    from tree_sitter import Parser

    if _ODD_CHARACTERS.search(source):
        raise UnreadableSource("it contains control characters or unusual line ends")
    try:
        encoded = source.encode()
    except UnicodeEncodeError as error:
        raise UnreadableSource("it is not valid Unicode") from error
    if len(encoded) > MAX_BYTES:
        raise UnreadableSource(f"it is longer than {MAX_BYTES} bytes")
    root = Parser(_language()).parse(encoded).root_node
    _refuse_ambiguity(root, encoded)
    return root


@cache
def _language() -> Language:
    # Imported on first use: only Playwright and Maestro files need the grammar.
    import tree_sitter_typescript
    from tree_sitter import Language

    return Language(tree_sitter_typescript.language_typescript())


def walk(root: Node, *, comments: bool = False) -> Iterator[tuple[Node, Node | None]]:
    """All nodes of a tree in source order, parents first, each with its parent; without comments unless asked for.

    Raises:
        UnreadableSource: the tree is deeper than `MAX_DEPTH`.
    """
    pending: list[tuple[Node, Node | None, int]] = [(root, None, 0)]
    while pending:
        node, parent, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise UnreadableSource(f"line {_line(node)} is nested too deeply")
        if node.type == "comment" and not comments:
            continue
        yield node, parent
        pending += [(child, node, depth + 1) for child in reversed(node.children)]


def text_of(node: Node | None) -> str:
    """The source text of a node; empty for None."""
    return node.text.decode() if node is not None and node.text is not None else ""


def is_name(node: Node) -> bool:
    """Whether a leaf is an identifier or a keyword."""
    return not node.child_count and node.type not in _TEXT_LEAVES and _NAME.fullmatch(text_of(node)) is not None


def constant_text(node: Node | None) -> str | None:
    """The value of a string, or of a template without substitutions; None for every other node."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    parts = template_parts(node)
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else None


def template_parts(node: Node) -> list[str | Node]:
    """Texts and substituted expressions of a string or template by turns; the first and last item are texts."""
    raw, start = node.text or b"", node.start_byte
    parts: list[str | Node] = []
    begin = 1
    for child in node.named_children:
        if child.type == "template_substitution":
            parts += [_unescaped(raw[begin : child.start_byte - start].decode()), child]
            begin = child.end_byte - start
    return [*parts, _unescaped(raw[begin:-1].decode())]


def operands(node: Node | None) -> list[Node]:
    """The named children of a node without comments: the arguments of `arguments`, the items of an array."""
    return [child for child in node.named_children if child.type != "comment"] if node is not None else []


def unwrapped(node: Node) -> Node:
    """An expression without parentheses, `await`, `as …`, `satisfies …`, `!` and the `${}` around it."""
    while node.type in _WRAPPERS or node.type == "template_substitution":
        inner = operands(node)
        if not inner or (node.type == "template_substitution" and len(inner) != 1):
            return node
        node = inner[0]
    return node


def _refuse_ambiguity(root: Node, source: bytes) -> None:
    """Raises UnreadableSource at the first construct that is unknown or readable in two ways."""
    before: Node | None = None
    end = 0
    for node, parent in walk(root, comments=True):
        if node.is_error or node.is_missing:
            raise UnreadableSource(f"line {_line(node)} cannot be parsed")
        if node.is_named and node.type not in _NODE_TYPES:
            raise UnreadableSource(f"line {_line(node)} has a construct that is not admitted: {node.type}")
        if node.child_count:
            continue
        # tree-sitter skips more characters than engines do; what it skips must be plain white space.
        gap = source[end : node.start_byte].decode()
        if not _SPACE.fullmatch(gap) or source.startswith((b"<!--", b"-->"), node.start_byte):
            raise UnreadableSource(f"line {_line(node)} has text outside of the code, or a comment of HTML")
        end = max(end, node.end_byte)
        if node.type == "comment":
            continue
        text = text_of(node)
        if node.type.endswith("identifier") and (
            not _NAME.fullmatch(text) or (node.type == "identifier" and text in _RESERVED)
        ):
            raise UnreadableSource(f"line {_line(node)} has a name that is reserved or not plain ASCII")
        if node.type in ("/", "/=") and parent is not None and not _is_certain_slash(before, parent):
            raise UnreadableSource(f"line {_line(node)} has a slash that may be read in two ways")
        if node.type == "<" and not _is_after_value(before):
            raise UnreadableSource(f"line {_line(node)} has a `<` that may begin markup")
        before = node
    if root.has_error or not _SPACE.fullmatch(source[end:].decode()):
        raise UnreadableSource("it cannot be parsed to its end")


def _is_certain_slash(before: Node | None, parent: Node) -> bool:
    """Whether the text before a slash agrees with the parser: a value before a division, none before a regex."""
    if parent.type == "regex":
        # The closing slash of the literal follows its pattern.
        if before is None or before.type == "regex_pattern":
            return True
        if is_name(before):
            return before.type in _OPERATOR_WORDS
        if before.type == "!":
            # `a! / b` divides, `!/b/` is a regex: certain only where no value can end before the `!`.
            previous = before.prev_sibling or (before.parent.prev_sibling if before.parent else None)
            return previous is not None and previous.type in ("(", ",", "&&", "||", "=", "return")
        return before.type not in (")", "]", "}", "++", "--", "`", '"', "'", "/", "number")
    if before is None or parent.type not in ("binary_expression", "augmented_assignment_expression"):
        return False
    return before.type in (")", "]", "'", '"', "`", "/", "regex_flags", "number", "this") or (
        is_name(before) and before.type not in _OPERATOR_WORDS
    )


def _is_after_value(before: Node | None) -> bool:
    """Whether a `<` follows a value or a type, where markup cannot begin."""
    if before is None:
        return False
    if is_name(before):
        return before.type not in _OPERATOR_WORDS | {"of", "yield", "default"}
    return before.type in (")", "]", "'", '"', "`", "/", "regex_flags", "number")


def _line(node: Node) -> int:
    return node.start_point[0] + 1


def _unescaped(text: str) -> str:
    def replace(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            return chr(min(int(code, 16), 0x10FFFF))
        plain = found[4] or ""
        return _ESCAPED.get(plain, plain)

    return _ESCAPE.sub(replace, text)
