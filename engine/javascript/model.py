"""Defines what is read of a module: plain data, with nodes of its tree."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import line_of
from .jsdoc import DocComment


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    Attributes:
        name: `{…}` patterns have the name that documentation gives them, else `options`.
        type: node of its type; None where it has none.
        fields: names that a pattern takes out of it, with the source of their defaults or "".
        default: source of its default, else empty.
    """

    name: str
    type: Node | None = None
    optional: bool = False
    default: str = ""
    rest: bool = False
    fields: tuple[tuple[str, str], ...] = ()
    pattern: Node | None = None


@dataclass(frozen=True, slots=True)
class Throw:
    """A `throw new X(…)`: the class and a pattern of the message."""

    type: str
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or constructor.

    Attributes:
        owner: class that it belongs to; empty for functions.
        kind: `function`, `method`, `static`, `getter` or `constructor`.
        node: of the whole function.
    """

    name: str
    kind: str
    parameters: tuple[Parameter, ...]
    node: Node
    doc: DocComment = field(default_factory=DocComment)
    owner: str = ""
    returns: Node | None = None
    is_async: bool = False
    is_generator: bool = False

    @property
    def qualname(self) -> str:
        """`Cart.add`, `total`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def body(self) -> Node | None:
        """Its block or expression."""
        return child(self.node, "body")

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line."""
        return line_of(self.node), self.node.end_point[0] + 1


@dataclass(frozen=True, slots=True)
class Class:
    """A class with its public members; `constructor` is None where it has none of its own."""

    name: str
    node: Node
    members: tuple[Function, ...] = ()
    constructor: Function | None = None
    base: str = ""
    doc: DocComment = field(default_factory=DocComment)
    abstract: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it is derived from an error class."""
        return self.base.endswith("Error")


@dataclass(frozen=True, slots=True)
class Module:
    """What a module exports, and what it defines.

    Attributes:
        path: POSIX, relative to the project.
        commonjs: whether it exports by `module.exports`.
        exports: exported name → local name, `default` and `module.exports =` among them under "default".
        functions, classes: exported ones by their local names, in the order of the source.
        types: nodes of type aliases, interfaces and enums by name; `typedefs` those of comments.
        constants: values of constants of the module by name.
        imports: local name → (module, imported name).
        inner: every function of the module by name, exported or not.
    """

    path: str
    source: bytes
    root: Node
    commonjs: bool = False
    exports: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    types: Mapping[str, Node] = field(default_factory=dict)
    typedefs: Mapping[str, DocComment] = field(default_factory=dict)
    constants: Mapping[str, Node] = field(default_factory=dict)
    imports: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    throws: tuple[Throw, ...] = ()
    inner: Mapping[str, Function] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """sha256 of the source in hex."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def callables(self) -> tuple[Function, ...]:
        """All exported functions and members of exported classes."""
        return (*self.functions, *(member for one in self.classes for member in one.members))

    def exported_as(self, local: str) -> str:
        """The name under which a local name is exported; empty where it is not."""
        return next((name for name, own in self.exports.items() if own == local), "")


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a parameter.

    Attributes:
        source: its JavaScript.
        phrase: what is special about it, as a condition: "no lines", "a negative quantity".
        kind: `typical`, `empty`, `zero`, `boundary`, `listed`, `unknown`, `guess`, …
        needs: exported names that the source uses.
    """

    source: str
    phrase: str = ""
    kind: str = "typical"
    needs: frozenset[str] = frozenset()


OMITTED = Value("", kind="omitted")
