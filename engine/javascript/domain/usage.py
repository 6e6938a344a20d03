"""Reads what a function does with its parameters: what it compares them with, which methods and fields it uses."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from ....sandbox.javascript.syntax import field as child
from ....sandbox.javascript.syntax import string_value, text_of
from ..model import Function, Module
from .patterns import is_match
from .shapes import Constant, Shape, elements_of, keys_of
from .value_pools import quoted_text

_OF_LISTS = frozenset(
    "map filter reduce reduceRight forEach some every find findIndex findLast flatMap push pop shift unshift sort "
    "reverse splice join fill flat entries keys values".split()
)
_OF_TEXTS = frozenset(
    "toLowerCase toUpperCase trim trimStart trimEnd split replace replaceAll match matchAll charAt charCodeAt "
    "codePointAt startsWith endsWith padStart padEnd repeat substring substr localeCompare normalize search".split()
)
_OF_DATES = frozenset(
    "getTime getFullYear getMonth getDate getDay getHours getUTCFullYear toISOString getUTCDay".split()
)
_OF_NUMBERS = frozenset("toFixed toPrecision".split())
_WITH_ELEMENT = frozenset("map filter forEach some every find findIndex findLast flatMap".split())
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "===", "!==", "==", "!="})
_ARITHMETIC = frozenset({"-", "*", "/", "%", "**"})
_SIDES = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SAME = frozenset({"trim", "toLowerCase", "toUpperCase", "toString", "normalize"})
_DEFAULTS = {"true": "boolean", "false": "boolean", "number": "number", "string": "string"}
_CALLS = 3
"""How deep calls of the module's own functions are followed."""
_MATH = frozenset("floor ceil round abs sqrt trunc max min pow sign log log10 hypot".split())


def uses_of(function: Function, module: Module, depth: int = 0) -> list[Shape]:
    """What the body does with each parameter, in their order, and what functions of the module that it calls do."""
    shapes = [Shape() for _ in function.parameters]
    names: dict[str, Shape] = {}
    for parameter, shape in zip(function.parameters, shapes, strict=True):
        if parameter.pattern is not None:
            _bind(parameter.pattern, shape, names)
    _Reader(module, names, depth).read(function.body)
    for shape in shapes:
        # Texts of the documentation that a pattern takes are better known than any that are made for it.
        told = [text for text in function.doc.quoted if any(is_match(one, text) for one in shape.patterns)]
        shape.constants += [Constant("one of", quoted_text(text)) for text in told]
    return shapes


def _bind(pattern: Node, shape: Shape, names: dict[str, Shape]) -> None:
    """Give the names of a pattern the shapes of what they are bound to."""
    if pattern.type in ("identifier", "shorthand_property_identifier_pattern"):
        names[text_of(pattern)] = shape
    elif pattern.type in ("required_parameter", "optional_parameter", "assignment_pattern"):
        inner = child(pattern, "pattern") or child(pattern, "left")
        if inner is not None:
            _bind(inner, shape, names)
    elif pattern.type == "object_pattern":
        shape.kinds.add("object")
        for one in pattern.named_children:
            key = child(one, "key") or child(one, "left") or one
            value = child(one, "value") or child(one, "left") or one
            if one.type != "rest_pattern":
                _bind(value, shape.of_field(text_of(key)), names)
    elif pattern.type == "array_pattern":
        shape.kinds.add("array")
        for one in pattern.named_children:
            _bind(one, shape.of_element(), names)


class _Reader:
    def __init__(self, module: Module, names: Mapping[str, Shape], depth: int = 0) -> None:
        self._module = module
        self._depth = depth
        self._names = dict(names)

    def read(self, node: Node | None) -> None:
        """Read a part of the body, in the order of the source."""
        if node is None:
            return
        reader = getattr(self, f"_read_{node.type}", None)
        if reader is not None:
            reader(node)
        for one in node.children:
            self.read(one)

    def _shape(self, node: Node | None) -> Shape | None:
        """The shape of an expression that is a parameter, or a part of one."""
        if node is None:
            return None
        if node.type == "identifier":
            return self._names.get(text_of(node))
        if node.type in ("parenthesized_expression", "non_null_expression", "as_expression"):
            return self._shape(node.named_children[0])
        if node.type == "member_expression":
            return self._member(node)
        if node.type == "subscript_expression":
            shape = self._shape(child(node, "object"))
            index = child(node, "index")
            if shape is not None and index is not None and (index.type == "number" or shape.element is not None):
                shape.kinds.add("array")
                return shape.of_element()
        if node.type == "call_expression" and text_of(child(child(node, "function"), "property")) in _SAME:
            return self._shape(child(child(node, "function"), "object"))
        if node.type == "binary_expression" and text_of(child(node, "operator")) in ("??", "||"):
            return self._shape(child(node, "left"))
        return None

    def _member(self, node: Node) -> Shape | None:
        shape, name = self._shape(child(node, "object")), text_of(child(node, "property"))
        if shape is None or name == "length":
            return None
        called = (
            node.parent is not None and node.parent.type == "call_expression" and child(node.parent, "function") == node
        )
        if called and name in _OF_LISTS | _OF_TEXTS | _OF_DATES | _OF_NUMBERS | {
            "includes",
            "indexOf",
            "slice",
            "concat",
        }:
            return None
        shape.kinds.add("object")
        return shape.of_field(name)

    def _read_variable_declarator(self, node: Node) -> None:
        shape, name = self._shape(child(node, "value")), child(node, "name")
        if shape is not None and name is not None:
            _bind(name, shape, self._names)

    def _read_for_in_statement(self, node: Node) -> None:
        shape, left = self._shape(child(node, "right")), child(node, "left")
        if shape is not None and left is not None and any(one.type == "of" for one in node.children):
            shape.kinds.add("array")
            _bind(left, shape.of_element(), self._names)

    def _read_spread_element(self, node: Node) -> None:
        shape = self._shape(node.named_children[0])
        if shape is None or node.parent is None:
            return
        if node.parent.type in ("array", "arguments"):
            shape.kinds.add("array")
        elif node.parent.type == "object":
            # `{ limit: 10, ...options }`: the defaults of options.
            shape.kinds.add("object")
            for one in node.parent.named_children[: node.parent.named_children.index(node)]:
                kind = _DEFAULTS.get(value.type) if (value := child(one, "value")) is not None else None
                if kind:
                    name = text_of(child(one, "key")).strip("'\"")
                    shape.of_field(name).kinds.add(kind)
                    shape.optional.add(name)

    def _read_member_expression(self, node: Node) -> None:
        self._member(node)

    def _read_call_expression(self, node: Node) -> None:
        function, arguments = child(node, "function"), child(node, "arguments")
        given = list(arguments.named_children) if arguments is not None else []
        if function is None:
            return
        called = self._shape(function) if function.type == "identifier" else None
        if called is not None:
            called.kinds.add("function")
            called.arity = len(given)
        name = text_of(child(function, "property")) if function.type == "member_expression" else text_of(function)
        holder = child(function, "object") if function.type == "member_expression" else None
        shape = self._shape(holder)
        if shape is not None:
            self._method(shape, name, given)
        for at, one in enumerate(given):
            inner = self._shape(one)
            if inner is not None:
                self._argument(inner, text_of(function), holder, name, at)
                self._passed(inner, text_of(function), at)

    def _passed(self, shape: Shape, name: str, at: int) -> None:
        """A parameter given to a function of the module: what that does with it holds here, too."""
        called = self._module.inner.get(name)
        if called is not None and self._depth < _CALLS and at < len(called.parameters):
            shape.merge(uses_of(called, self._module, self._depth + 1)[at])

    def _method(self, shape: Shape, name: str, given: list[Node]) -> None:
        """A method called on a parameter."""
        for names, kind in ((_OF_LISTS, "array"), (_OF_TEXTS, "string"), (_OF_DATES, "date"), (_OF_NUMBERS, "number")):
            if name in names:
                shape.kinds.add(kind)
        if name in ("match", "matchAll", "search") and given and (pattern := self._pattern(given[0])):
            shape.patterns.append(pattern)
        callback = given[0] if given and given[0].type in ("arrow_function", "function_expression") else None
        if callback is not None and name in _WITH_ELEMENT | {"reduce", "reduceRight"}:
            parameters = child(callback, "parameters") or child(callback, "parameter")
            bound = [parameters] if parameters is not None and parameters.type == "identifier" else []
            bound = bound or list(parameters.named_children if parameters is not None else ())
            wanted = bound[1:2] if name.startswith("reduce") else bound[:1]
            for one in wanted:
                _bind(one, shape.of_element(), self._names)
        text = string_value(given[0]) if given else None
        if text and name in ("split", "startsWith", "endsWith", "includes", "indexOf", "replace", "replaceAll"):
            shape.constants.append(Constant(name, text_of(given[0])))
            if name not in ("includes", "indexOf"):
                shape.kinds.add("string")

    def _argument(self, shape: Shape, function: str, holder: Node | None, name: str, at: int) -> None:
        """A parameter given to a function that says what it takes."""
        if function in ("Number", "parseInt", "parseFloat", "encodeURIComponent", "decodeURIComponent", "JSON.parse"):
            shape.kinds.add("string")
        elif function in ("Array.isArray", "Object.fromEntries"):
            shape.kinds.add("array")
        elif function in ("Object.keys", "Object.entries", "Object.values"):
            shape.kinds.add("object")
        elif function in ("Number.isInteger", "Number.isFinite", "Number.isNaN", "isNaN", "isFinite") or (
            function.startswith("Math.") and name in _MATH and at == 0
        ):
            shape.kinds.add("number")
        elif name in ("test", "exec") and (pattern := self._pattern(holder)):
            shape.kinds.add("string")
            shape.patterns.append(pattern)
        elif name in ("includes", "has", "get", "hasOwn"):
            self._one_of(shape, holder)

    def _pattern(self, node: Node | None) -> str:
        """The regular expression that a part is, or that a constant holds; empty for another one."""
        if node is not None and node.type == "identifier":
            node = self._module.constants.get(text_of(node))
        return text_of(node) if node is not None and node.type == "regex" else ""

    def _one_of(self, shape: Shape, holder: Node | None) -> None:
        """`LIST.includes(value)`, `TABLE.get(value)`: the values that the constant lists."""
        constant = holder
        if holder is not None and holder.type == "identifier":
            constant = self._module.constants.get(text_of(holder))
        for source in elements_of(constant):
            shape.constants.append(Constant("one of", source))

    def _read_subscript_expression(self, node: Node) -> None:
        """`TABLE[value]`: the keys of a constant table."""
        shape = self._shape(child(node, "index"))
        table = self._module.constants.get(text_of(child(node, "object")))
        if shape is not None and table is not None:
            shape.constants += [Constant("key", f"'{key}'") for key in keys_of(table)]

    def _read_binary_expression(self, node: Node) -> None:
        operator = text_of(child(node, "operator"))
        left, right = child(node, "left"), child(node, "right")
        if operator in _COMPARISONS:
            self._comparison(left, operator, right)
            self._comparison(right, _SIDES.get(operator, operator), left)
        elif operator in _ARITHMETIC:
            for one in (left, right):
                shape = self._shape(one)
                if shape is not None:
                    shape.kinds.add("number")
        elif operator == "in":
            shape, table = self._shape(left), self._module.constants.get(text_of(right))
            if shape is not None:
                shape.constants += [Constant("key", f"'{key}'") for key in keys_of(table)]

    def _comparison(self, one: Node | None, operator: str, other: Node | None) -> None:
        if one is None or other is None:
            return
        if one.type == "unary_expression" and text_of(child(one, "operator")) == "typeof":
            shape, kind = self._shape(child(one, "argument")), string_value(other)
            if shape is not None and kind:
                shape.kinds.add(kind)
            return
        source, name = self._constant(other)
        if not source:
            return
        if one.type == "member_expression" and text_of(child(one, "property")) == "length":
            shape = self._shape(child(one, "object"))
            if shape is not None:
                shape.constants.append(Constant(f"length {operator}", source, name))
            return
        shape = self._shape(one)
        if shape is None:
            return
        shape.constants.append(Constant(operator, source, name))
        if source[0] in "'\"":
            shape.kinds.add("string")
        elif operator in _SIDES and (source[0].isdigit() or source[0] == "-"):
            shape.kinds.add("number")

    def _constant(self, node: Node) -> tuple[str, str]:
        """Source and name of a constant: a literal, or a name of the module that has one."""
        if node.type in ("number", "string") or (
            node.type == "unary_expression" and text_of(node)[1:].replace(".", "").isdigit()
        ):
            return text_of(node), ""
        value = self._module.constants.get(text_of(node)) if node.type == "identifier" else None
        if value is not None and value.type in ("number", "string"):
            return text_of(value), text_of(node)
        return "", ""

    def _read_switch_statement(self, node: Node) -> None:
        shape, body = self._shape(child(node, "value")), child(node, "body")
        if shape is None and (value := child(node, "value")) is not None and value.type == "parenthesized_expression":
            shape = self._shape(value.named_children[0])
        if shape is None or body is None:
            return
        for one in body.named_children:
            value = child(one, "value")
            if value is not None and value.type in ("string", "number"):
                shape.constants.append(Constant("===", text_of(value)))
                shape.kinds.add("string" if value.type == "string" else "number")
