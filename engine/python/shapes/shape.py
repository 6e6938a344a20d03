"""Shapes: what the code does with a value, unified where two expressions stand for values of one kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Shape:
    """What is known of the values that an expression may have; a node of a union-find forest.

    Attributes:
        kinds: votes for kinds of values: integer, real, text, boolean, bytes, list, tuple, set, dict, iterator.
        traits: uses without further parts: `iterated`, `sliced`, `len`, `mutated`, `number`, `ordered`, `digit`, …
        each: what iterating gives.
        index, item: what stands between square brackets, and what that gives.
        positions: items at constant positions, and parts of an unpacked value.
        attributes: attributes that are read or set.
        arguments, result: of a callable.
        classes: classes of the module that its objects are made of.
        tokens: source texts of constants that it must be one of, as the keys of a literal that it is looked up in.
        compared: operator and source text of constants that it is compared with.
        patterns: regular expressions that it is searched with, and their flags.
        compiled: the regular expressions that it is, and their flags.
        searched: source text of constants that it is searched for, split at or replaced in.
    """

    parent: Shape | None = None
    kinds: Counter[str] = field(default_factory=Counter[str])
    traits: dict[str, None] = field(default_factory=dict[str, None])
    each: Shape | None = None
    index: Shape | None = None
    item: Shape | None = None
    positions: dict[int, Shape] = field(default_factory=dict[int, "Shape"])
    attributes: dict[str, Shape] = field(default_factory=dict[str, "Shape"])
    arguments: list[Shape] = field(default_factory=list["Shape"])
    result: Shape | None = None
    classes: dict[str, None] = field(default_factory=dict[str, None])
    tokens: dict[str, None] = field(default_factory=dict[str, None])
    compared: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    patterns: dict[tuple[str, int], None] = field(default_factory=dict[tuple[str, int], None])
    compiled: dict[tuple[str, int], None] = field(default_factory=dict[tuple[str, int], None])
    searched: dict[str, None] = field(default_factory=dict[str, None])

    def root(self) -> Shape:
        """The shape that stands for all that were unified with this one."""
        found = self
        while found.parent is not None:
            found = found.parent
        if self is not found:
            self.parent = found
        return found

    def mark(self, *traits: str) -> Shape:
        """Adds traits; returns the shape."""
        self.root().traits.update(dict.fromkeys(traits))
        return self

    def vote(self, kind: str, weight: int = 1) -> Shape:
        """Adds votes for a kind; returns the shape."""
        self.root().kinds[kind] += weight
        return self

    def get_each(self) -> Shape:
        """What iterating over it gives."""
        root = self.root()
        if root.each is None:
            root.each = Shape()
        return root.each.root()

    def get_index(self) -> Shape:
        """What it is indexed with."""
        root = self.root()
        if root.index is None:
            root.index = Shape()
        return root.index.root()

    def get_item(self) -> Shape:
        """What indexing it gives."""
        root = self.root()
        if root.kinds["list"] and not root.kinds["dict"]:
            return root.get_each()
        if root.item is None:
            root.item = Shape()
        return root.item.root()

    def get_position(self, at: int) -> Shape:
        """The item at a constant position."""
        root = self.root()
        if root.kinds["list"] and not root.kinds["tuple"]:
            return root.get_each()  # the items of a list are alike
        return root.positions.setdefault(at, Shape()).root()

    def get_attribute(self, name: str) -> Shape:
        """The attribute of a name."""
        return self.root().attributes.setdefault(name, Shape()).root()

    def get_result(self) -> Shape:
        """What calling it gives."""
        root = self.root()
        if root.result is None:
            root.result = Shape()
        return root.result.root()

    def get_argument(self, at: int) -> Shape:
        """What it is called with at a position."""
        root = self.root()
        while len(root.arguments) <= at:
            root.arguments.append(Shape())
        return root.arguments[at].root()


def unify(left: Shape, right: Shape) -> Shape:
    """Makes two shapes one, and their parts; returns it."""
    pending = [(left, right)]
    while pending:
        one, other = (shape.root() for shape in pending.pop())
        if one is not other:
            pending.extend(_merge(one, other))
    return left.root()


def _merge(one: Shape, other: Shape) -> list[tuple[Shape, Shape]]:
    """Moves all of `other` into `one`; returns the pairs of parts to unify."""
    other.parent = one
    one.kinds.update(other.kinds)
    one.traits.update(other.traits)
    one.classes.update(other.classes)
    one.tokens.update(other.tokens)
    one.compared.update(other.compared)
    one.searched.update(other.searched)
    one.patterns.update(other.patterns)
    one.compiled.update(other.compiled)
    pairs: list[tuple[Shape, Shape]] = []
    for name in ("each", "index", "item", "result"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine is None:
            setattr(one, name, theirs)
        elif theirs is not None:
            pairs.append((mine, theirs))
    for at, shape in other.positions.items():
        pairs.append((one.positions.setdefault(at, shape), shape))
    for name, shape in other.attributes.items():
        pairs.append((one.attributes.setdefault(name, shape), shape))
    for at, shape in enumerate(other.arguments):
        if at < len(one.arguments):
            pairs.append((one.arguments[at], shape))
        else:
            one.arguments.append(shape)
    return pairs


def made_of(kind: str, each: Shape | None = None) -> Shape:
    """A new container of a kind."""
    shape = Shape().vote(kind)
    shape.each = each
    return shape


@dataclass(slots=True)
class Function:
    """The shapes of a function's parameters, in order, and of its result.

    Attributes:
        bound: whether the first parameter is the object that it is called on.
        read_anew: reads the body once more, into shapes of their own, for a function that may return what it was given:
            what one call passes through it has nothing to do with what another does. None for other functions.
    """

    parameters: dict[str, Shape]
    result: Shape = field(default_factory=Shape)
    bound: bool = False
    is_property: bool = False
    read_anew: Callable[[], Function] | None = None


_NUMERIC = frozenset({"integer", "real", "boolean"})
_SEQUENTIAL = frozenset({"list", "tuple"})


def contradict(left: Shape, right: Shape) -> bool:
    """Whether two shapes are certainly of different kinds, so that they must not become one."""
    one, other = left.root().kinds, right.root().kinds
    if not one or not other or one.keys() & other.keys():
        return False
    return not ({*one, *other} <= _NUMERIC or {*one, *other} <= _SEQUENTIAL)
