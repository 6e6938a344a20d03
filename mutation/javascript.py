"""Generates mutants of a JavaScript or TypeScript file from its tree, and trivial implementations of functions.

A mutant replaces a part of the text, so that the rest of the file keeps its lines. Each is a slip that people make.
Loops of a changed file count their rounds (`guarded`), so that one without an end is ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from .catalog import sample
from .model import Mutant

__all__ = ["guarded", "mutants_of_script", "replaced", "sample", "trivial_bodies"]

Change = tuple[str, Node, str]
"""Operator, replaced node, replacement."""

_COMPARISONS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "===": ("!==",), "!==": ("===",), "==": ("!=",), "!=": ("==",),
}  # fmt: skip
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
_LOGIC = {"&&": "||", "||": "&&", "??": "&&"}
_TWINS = {
    "toLowerCase": "toUpperCase", "toUpperCase": "toLowerCase", "startsWith": "endsWith", "endsWith": "startsWith",
    "trimStart": "trimEnd", "trimEnd": "trimStart", "some": "every", "every": "some", "push": "unshift",
    "unshift": "push", "shift": "pop", "pop": "shift", "indexOf": "lastIndexOf", "lastIndexOf": "indexOf",
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "padStart": "padEnd", "padEnd": "padStart",
    "keys": "values", "values": "keys", "find": "findLast", "add": "delete", "first": "last",
}  # fmt: skip
_DROPPED = frozenset({"trim", "sort", "reverse", "filter", "slice", "toLowerCase", "toUpperCase", "flat", "concat"})
_ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
_BOUNDS = re.compile(r"(?<!\\)\{(\d+)(?:(,)(\d*))?\}")
_LOOPS = frozenset({"while_statement", "for_statement", "do_statement", "for_in_statement"})


def mutants_of_script(root: Node, source: bytes, path: str) -> tuple[Mutant, ...]:
    """Every mutant of a file, in the order of the source.

    Args:
        root: the file's tree.
        path: POSIX, relative to the project.
    """
    found = []
    for node in _nodes(root):
        for operator, part, replacement in _changes(node):
            found.append(_mutant(operator, part, replacement, source, path))
    return tuple(sorted(found, key=lambda one: (one.start, one.end, one.operator, one.replacement)))


def trivial_bodies(body: Node, answers: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Texts that take the place of a function's body, with the answer that they always give.

    Args:
        answers: sources of expressions.
    """
    is_block = body.type == "statement_block"
    for answer in answers:
        yield (f"{{ return {answer}; }}" if is_block else f"({answer})"), answer


def replaced(source: bytes, start: int, end: int, replacement: str) -> bytes:
    """The source with a part replaced."""
    return source[:start] + replacement.encode() + source[end:]


def guarded(source: bytes, parse: Callable[[bytes], Node]) -> bytes:
    """The source with a counter at the beginning of each loop's body; in the same lines."""
    places = []
    for node in _nodes(parse(source)):
        body = node.child_by_field_name("body") if node.type in _LOOPS else None
        if body is not None and body.type == "statement_block":
            places.append(body.start_byte + 1)
    for place in sorted(places, reverse=True):
        source = source[:place] + b" globalThis.__testwrightTick?.();" + source[place:]
    return source


def _nodes(root: Node) -> Iterator[Node]:
    queue = [root]
    while queue:
        node = queue.pop()
        yield node
        # Types, imports and documentation do nothing when the program runs.
        if not node.type.endswith(("_annotation", "_type")) and node.type not in _IDLE:
            queue.extend(reversed(node.children))


_IDLE = frozenset(
    {
        "import_statement",
        "interface_declaration",
        "type_alias_declaration",
        "type_arguments",
        "type_parameters",
        "comment",
        "string",
        "decorator",
    }
)


def _changes(node: Node) -> Iterator[Change]:
    maker = _OPERATORS.get(node.type)
    if maker is not None:
        yield from maker(node)


def _binary(node: Node) -> Iterator[Change]:
    sign = node.child_by_field_name("operator")
    text = _text(sign)
    if sign is None:
        return
    for other in _COMPARISONS.get(text, ()):
        yield "comparison", sign, other
    if text in _ARITHMETIC and not _joins_text(node):
        yield "arithmetic", sign, _ARITHMETIC[text]
    if text in _LOGIC:
        yield "logic", sign, _LOGIC[text]


def _joins_text(node: Node) -> bool:
    sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    return any(one is not None and one.type in ("string", "template_string") for one in sides)


def _number(node: Node) -> Iterator[Change]:
    text = _text(node).replace("_", "")
    if re.fullmatch(r"\d+", text):
        yield "constant", node, str(int(text) + 1)
    elif re.fullmatch(r"\d*\.\d+", text):
        yield "constant", node, f"{float(text) * 2:.10g}"


def _string(node: Node) -> Iterator[Change]:
    parent = node.parent
    if parent is not None and parent.type == "pair" and parent.child_by_field_name("key") == node:
        return
    if parent is not None and parent.type in ("import_statement", "export_statement", "literal_type"):
        return
    if parent is not None and parent.type == "arguments" and _text(parent.parent).startswith("require("):
        return
    if parent is not None and parent.type == "expression_statement":  # 'use strict'
        return
    if parent is not None and parent.type == "binary_expression" and _text(node.parent).startswith("typeof"):
        return
    yield "text", node, "''" if len(_text(node)) > 2 else "'changed'"


def _flag(node: Node) -> Iterator[Change]:
    yield "constant", node, "false" if node.type == "true" else "true"


def _condition(node: Node) -> Iterator[Change]:
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    inner = condition.named_children[0] if condition.type == "parenthesized_expression" else condition
    yield "condition", inner, f"!({_text(inner)})"
    if node.type != "while_statement":
        yield "condition", inner, "false"


def _negation(node: Node) -> Iterator[Change]:
    sign, inner = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if (inner is not None and _text(sign) == "!") or (
        inner is not None and _text(sign) == "-" and inner.type != "number"
    ):
        yield "negation", node, f"({_text(inner)})"


def _call(node: Node) -> Iterator[Change]:
    function = node.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return
    name, holder = function.child_by_field_name("property"), function.child_by_field_name("object")
    text = _text(name)
    if name is None or holder is None:
        return
    if text in _TWINS:
        yield "method", name, _TWINS[text]
    if text in _DROPPED:
        yield "call", node, _text(holder)


def _update(node: Node) -> Iterator[Change]:
    sign = node.child_by_field_name("operator")
    if sign is not None and node.parent is not None and node.parent.type != "for_statement":
        yield "update", sign, "--" if _text(sign) == "++" else "++"


def _augmented(node: Node) -> Iterator[Change]:
    sign = node.child_by_field_name("operator")
    if sign is not None and _text(sign) in _ASSIGNMENTS:
        yield "arithmetic", sign, _ASSIGNMENTS[_text(sign)]


def _pattern(node: Node) -> Iterator[Change]:
    """A bound of a regular expression counts one more, and an anchor is forgotten."""
    text = _text(node)
    body, _, flags = text[1:].rpartition("/")
    for found in _BOUNDS.finditer(body):
        least, comma, most = int(found[1]), found[2] or "", found[3] or ""
        others = [f"{{{least},{int(most) + 1}}}"] if most else []
        if not most or least < int(most):
            others.append(f"{{{least + 1}{comma}{most}}}")
        for other in others:
            yield "pattern", node, f"/{body[: found.start()]}{other}{body[found.end() :]}/{flags}"
    if body.startswith("^") and len(body) > 1:
        yield "pattern", node, f"/{body[1:]}/{flags}"
    if body.endswith("$") and not body.endswith("\\$") and len(body) > 1:
        yield "pattern", node, f"/{body[:-1]}/{flags}"


def _statement(node: Node) -> Iterator[Change]:
    """A statement that does something is left out."""
    inner = node.named_children[0] if node.named_children else None
    if inner is None or node.parent is None or node.parent.type == "program":
        return
    if inner.type in ("call_expression", "assignment_expression", "await_expression") and not _text(inner).startswith(
        "super("
    ):
        yield "statement", node, ";"


def _exit(node: Node) -> Iterator[Change]:
    yield "statement", node, ";"


def _return(node: Node) -> Iterator[Change]:
    if node.named_children and _text(node.named_children[0]) not in ("undefined", "null"):
        yield "result", node.named_children[0], "undefined"


def _default(node: Node) -> Iterator[Change]:
    value = node.child_by_field_name("right") or node.child_by_field_name("value")
    if value is not None and value.type == "object" and value.named_children:
        yield "default", value, "{}"


_OPERATORS: Mapping[str, Callable[[Node], Iterator[Change]]] = {
    "binary_expression": _binary,
    "number": _number,
    "string": _string,
    "regex": _pattern,
    "true": _flag,
    "false": _flag,
    "if_statement": _condition,
    "while_statement": _condition,
    "ternary_expression": _condition,
    "unary_expression": _negation,
    "call_expression": _call,
    "update_expression": _update,
    "augmented_assignment_expression": _augmented,
    "expression_statement": _statement,
    "throw_statement": _exit,
    "continue_statement": _exit,
    "break_statement": _exit,
    "return_statement": _return,
    "assignment_pattern": _default,
}


def _mutant(operator: str, part: Node, replacement: str, source: bytes, path: str) -> Mutant:
    line = part.start_point[0] + 1
    begin = source.rfind(b"\n", 0, part.start_byte) + 1
    stop = source.find(b"\n", part.end_byte)
    stop = len(source) if stop < 0 else stop
    before = source[begin:stop].decode("utf-8", "replace").strip()
    after = replaced(source, part.start_byte, part.end_byte, replacement)
    shown = after[begin : stop + len(replacement.encode()) - (part.end_byte - part.start_byte)]
    lines = tuple(range(line, part.end_point[0] + 2))
    shown_text = shown.decode("utf-8", "replace").strip()
    return Mutant(operator, path, line, lines, part.start_byte, part.end_byte, replacement, before, shown_text)


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""
