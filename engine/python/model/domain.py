"""The domain of a parameter as plain data: which values a person would pass to it, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DomainKind = Literal[
    "any",
    "integer",
    "real",
    "boolean",
    "text",
    "bytes",
    "none",
    "sequence",
    "set",
    "mapping",
    "tuple",
    "matrix",
    "graph",
    "iterator",
    "choice",
    "callable",
    "object",
    "path",
    "file",
    "date",
    "datetime",
    "duration",
    "pattern",
    "type",
    "union",
    "other",
]
DomainSource = Literal["annotation", "docstring", "prose", "doctest", "call site", "default", "use", "name", "none"]
PreconditionKind = Literal[
    "sorted",
    "non-empty",
    "unique",
    "positive",
    "non-negative",
    "digits",
    "binary digits",
    "letters",
    "palindrome",
    "absolute path",
    "square",
    "index into",
    "member of",
    "part of",
    "same length as",
    "at most",
]

# What persons say of a parameter, by a word or by a value.
SAID_SOURCES: frozenset[str] = frozenset({"annotation", "docstring", "doctest", "call site"})
# Evidence strong enough to say that a value is certainly outside: a name alone is not.
STRONG_SOURCES = SAID_SOURCES | {"use"}


@dataclass(frozen=True, slots=True)
class Precondition:
    """A condition on a value; `other` names the parameter that it relates to, for those of two parameters."""

    kind: PreconditionKind
    other: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.other}".strip()


@dataclass(frozen=True, slots=True)
class ParameterDomain:
    """The values that a parameter, a receiver's attribute or an element takes.

    Attributes:
        kind: the kind of value; `other` for a type of the standard library that has no kind of its own.
        type_name: the type as a person would write it: `list`, `deque`, `Decimal`, a class of the project.
        module: the module that defines the class, for objects of the project.
        element: domain of the items of a sequence, set, iterator or matrix (a cell), or of a graph's nodes.
        key: domain of a mapping's keys.
        value: domain of a mapping's values; of a graph's weights, None for a graph without weights.
        fields: domains of a tuple's positions, of a record's keys, or of an object's attributes that the code reads.
        links: attributes of an object that hold another object of the same class: `next`, or `left` and `right`.
        alternatives: the members of a union, the plainest first.
        choices: source text of the only values, or of the tokens that a text is made of.
        words: source text of texts that the code tells apart from each other; others are possible.
        parts: source text of signs that the code looks for in a text: separators, and what it replaces.
        samples: source text of texts in which the code's regular expressions find something.
        arity: number of arguments a callable is called with; -1 when any.
        length: fixed number of items.
        minimum, maximum: inclusive bounds of a number.
        preconditions: conditions in force, in a fixed order.
        optional: whether None is accepted too.
        style: how the values of a graph's adjacency are written: `list`, `set`, `mapping`, `pairs` or `edges`.
        description: the domain in words.
        source: the strongest evidence for the kind.
        lines: lines of the target that are the evidence; (0, 0) for none.
    """

    kind: DomainKind
    type_name: str = ""
    module: str = ""
    element: ParameterDomain | None = None
    key: ParameterDomain | None = None
    value: ParameterDomain | None = None
    fields: tuple[tuple[str, ParameterDomain], ...] = ()
    links: tuple[str, ...] = ()
    alternatives: tuple[ParameterDomain, ...] = ()
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    arity: int | None = None
    length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    preconditions: tuple[Precondition, ...] = ()
    optional: bool = False
    style: str = ""
    description: str = ""
    source: DomainSource = "none"
    lines: tuple[int, int] = (0, 0)

    @property
    def strong(self) -> bool:
        """Whether the evidence suffices to call a value outside."""
        return self.source in STRONG_SOURCES

    def requires(self, kind: PreconditionKind) -> bool:
        """Whether a precondition of this kind is in force."""
        return any(one.kind == kind for one in self.preconditions)

    def related(self, kind: PreconditionKind) -> str:
        """The parameter that a precondition of this kind relates to; empty without one."""
        return next((one.other for one in self.preconditions if one.kind == kind), "")


UNKNOWN = ParameterDomain("any")


@dataclass(frozen=True, slots=True)
class CallableDomains:
    """The domains of one callable's parameters, in order of declaration, by its qualified name."""

    qualname: str
    parameters: tuple[tuple[str, ParameterDomain], ...] = ()

    def of(self, name: str) -> ParameterDomain:
        """The domain of a parameter; `UNKNOWN` for one without evidence."""
        return next((domain for parameter, domain in self.parameters if parameter == name), UNKNOWN)
