"""Describes what a parameter takes: by its type or documentation, and by what the function does with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from ....sandbox.javascript.syntax import field as child
from ....sandbox.javascript.syntax import string_value, text_of


@dataclass(frozen=True, slots=True)
class Constant:
    """Something a value is compared with.

    Attributes:
        operator: `<`, `===`, `key` (of a table), `contains`, `length <`, …
        source: of the other side, as a literal.
        name: of the constant, where it has one.
    """

    operator: str
    source: str
    name: str = ""


@dataclass(slots=True)
class Shape:
    """What a value may be.

    Attributes:
        kinds: words such as `number`, `array`, `object`; empty where nothing is known.
        literals: sources of the only values, where they are listed.
        fields, optional: of an object; `element` of a list, a set or a record, `key` of a map or record.
        items: of a tuple.
        class_name: of an instance.
        result: what a function returns; `arity` how many arguments it gets.
    """

    kinds: set[str] = field(default_factory=set)
    literals: list[str] = field(default_factory=list)
    fields: dict[str, Shape] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    element: Shape | None = None
    key: Shape | None = None
    items: list[Shape] = field(default_factory=list)
    class_name: str = ""
    result: Shape | None = None
    arity: int = 1
    constants: list[Constant] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)

    def of_field(self, name: str) -> Shape:
        """The shape of a field, made where there is none."""
        return self.fields.setdefault(name, Shape())

    def of_element(self) -> Shape:
        """The shape of an element, made where there is none."""
        if self.element is None:
            self.element = Shape()
        return self.element

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.kinds - {"any"} or self.literals or self.fields or self.class_name)

    def merge(self, use: Shape) -> None:
        """Add what is known from use: kinds only where none are declared, constants and fields always."""
        if not self.known:
            self.kinds |= use.kinds
            self.literals = self.literals or use.literals
            self.element = self.element or use.element
            self.key = self.key or use.key
            self.fields = self.fields or use.fields
            self.optional |= use.optional
            self.result, self.arity = self.result or use.result, use.arity
        self.constants += [one for one in use.constants if one not in self.constants]
        self.patterns += [one for one in use.patterns if one not in self.patterns]
        for name, shape in use.fields.items():
            if name in self.fields and self.fields[name] is not shape:
                self.fields[name].merge(shape)
        if self.element is not None and use.element is not None and self.element is not use.element:
            self.element.merge(use.element)


def keys_of(node: Node | None) -> Iterator[str]:
    """The keys of an object literal."""
    for one in node.named_children if node is not None and node.type == "object" else ():
        key = child(one, "key") if one.type == "pair" else None
        if key is not None and key.type in ("property_identifier", "string", "number"):
            yield text_of(key).strip("'\"")


def elements_of(node: Node | None) -> Iterator[str]:
    """Sources of the plain elements of a list, also of one that a Set is made of."""
    if node is not None and node.type == "new_expression":
        arguments = child(node, "arguments")
        node = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    for one in node.named_children if node is not None and node.type == "array" else ():
        if string_value(one) is not None or one.type == "number":
            yield text_of(one)
