"""Domains from shapes: what kind of value the code can do these things with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ....utils.python_source import literal_or
from ..model.domain import UNKNOWN, DomainKind, ParameterDomain, Precondition
from ..model.model import ClassFacts, ModuleFacts
from ..shapes.graphs import graph_of
from ..shapes.shape import Shape, contradict, unify
from ..shapes.text_uses import IN_PIECES, looks_for_other_text, signs_in, told_apart
from ..source.matching_texts import texts_around_matches
from . import example_tables as tables
from .from_types import ClassLookup, domain_of_class

OwnersOf = Callable[[Sequence[str]], "tuple[ModuleFacts, ClassFacts] | None"]
"""Finds the one class of the project whose objects have all of some attributes."""

_MAXIMUM_DEPTH = 6
_MOST_PATTERNS = 3
# Attributes that hold another object of the class wherever they are read.
LINKS = frozenset("next prev previous left right parent child down random".split())
_OF_CONTAINERS = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))
_FLAT: dict[str, DomainKind] = {"boolean": "boolean", "bytes": "bytes"}
# What a moment has and nothing else does; a text has methods of some of its names.
_TIMES = frozenset({"tzinfo", "microsecond"})


@dataclass(slots=True)
class ShapeDomains:
    """Makes domains of the shapes of one module.

    Args:
        owners: finds classes by the attributes of their objects.
        home: the module that the shapes' classes are defined in.
        named: finds the class that a name means in that module.
    """

    owners: OwnersOf
    home: str
    named: ClassLookup = lambda _: None
    _seen: list[Shape] = field(default_factory=list[Shape])

    def domain(self, shape: Shape | None, *, asked: bool = False) -> ParameterDomain:
        """The domain of a shape; `UNKNOWN` where its uses leave the kind open, and for one inside of itself.

        Args:
            asked: whether the callable itself asks the value for its class, as one that refuses others does.
        """
        if shape is None:
            return UNKNOWN
        root = shape.root()
        if root in self._seen or len(self._seen) > _MAXIMUM_DEPTH:
            return UNKNOWN
        self._seen.append(root)
        try:
            found = self._decide(root, asked=asked)
        finally:
            self._seen.pop()
        return found if found.kind == "any" else replace(found, source="use")

    def _decide(self, root: Shape, *, asked: bool = False) -> ParameterDomain:
        found = self._object(root)
        if found is not None:
            # Where other code asks for its class, only some values are such objects.
            return found if asked or f"tested {found.type_name}" not in root.traits else UNKNOWN
        if "called" in root.traits:
            return self._callable(root)
        if "path" in root.traits:
            return ParameterDomain("path")
        if _TIMES & root.attributes.keys():
            return ParameterDomain("datetime")
        if "moment" in root.traits:
            return ParameterDomain("date")
        graph = graph_of(root, self.domain)
        if graph is not None:
            return graph
        if self._is_mapping(root):
            return self._mapping(root)
        return self._plain(root)

    def _plain(self, root: Shape) -> ParameterDomain:
        """Sets, texts, sequences and numbers: the kind with the most votes."""
        kinds = root.kinds
        sequential = bool(IN_PIECES & root.traits.keys()) or kinds["list"] or kinds["tuple"] or root.each is not None
        if "hashed" in root.traits and not kinds["text"] and (sequential or kinds["set"] or kinds["dict"]):
            return UNKNOWN  # a key or member is no list, set or dictionary, whatever else is done with some of them
        if kinds["set"] and kinds["set"] >= max(kinds["list"], kinds["text"]):
            return ParameterDomain("set", type_name="set", element=self._known(root.each))
        if kinds["text"] and kinds["text"] >= kinds["list"] + kinds["tuple"]:
            return self._text(root) if not kinds["integer"] or kinds["text"] > 1 else UNKNOWN
        if sequential:
            return self._text(root) if _is_of_characters(root) else self._sequence(root)
        for kind, name in _FLAT.items():
            if kinds[kind]:
                return ParameterDomain(name)
        return self._number(root)

    # Objects and functions

    def _object(self, root: Shape) -> ParameterDomain | None:
        """The object of a class: one that the module makes it of, or the one class that has these attributes."""
        if len(root.classes) == 1 and not self._lacks_items(name := next(iter(root.classes)), root):
            member_of = self.named(name) if "enumeration" in root.traits else None
            if member_of is not None:
                return domain_of_class(*member_of, self.named)
            return ParameterDomain("object", type_name=name, module=self.home, links=_links(root))
        names = [name for name in root.attributes if not name.startswith("[") and not name.startswith("__")]
        if not names or root.classes or all(name in _OF_CONTAINERS and _is_called(root, name) for name in names):
            return None  # what every dictionary or list can do suggests no class that can do it, too
        found = self.owners(names)
        if found is None:
            return None
        where, owner = found
        links = tuple(sorted({*_links(root), *(LINKS & set(names))}))
        return ParameterDomain("object", type_name=owner.name, module=where.module, links=links)

    def _lacks_items(self, name: str, root: Shape) -> bool:
        """Whether code indexes a value, and objects of a class have no items: they are a few of the values."""
        found = self.named(name) if root.index is not None else None
        if found is None or found[1].bases:
            return False
        return all(member.name != "__getitem__" for member in found[1].members)

    def _callable(self, root: Shape) -> ParameterDomain:
        arities = [int(trait[6:]) for trait in root.traits if trait.startswith("arity ")]
        arity = min(arities, default=len(root.arguments) or -1)
        result = self.domain(root.result)
        if root.result is not None and result.kind == "any" and "truth" in root.result.root().traits:
            result = ParameterDomain("boolean")
        if (
            result.kind == "any"
            and root.result is not None
            and {"number", "ordered", "added"} & root.result.root().traits.keys()
        ):
            result = ParameterDomain("integer")
        return ParameterDomain("callable", arity=arity, value=result if result.kind != "any" else None)

    # Containers

    def _known(self, shape: Shape | None) -> ParameterDomain | None:
        domain = self.domain(shape)
        return domain if domain.kind != "any" else None

    @staticmethod
    def _is_mapping(root: Shape) -> bool:
        kinds = root.kinds
        if any(name.startswith("[") for name in root.attributes):
            return True
        if kinds["dict"]:
            return kinds["dict"] >= kinds["list"]
        index = root.index.root() if root.index is not None else None
        if (
            index is not None
            and root.item is not None
            and not index.kinds["integer"]
            and not root.traits.keys() & {"len", "iterated"}
        ):
            inner = root.item.root()
            if inner is not root and (
                inner.kinds["dict"] or (inner.index is not None and inner.index.root().kinds["text"])
            ):
                return True  # a dictionary of dictionaries
        # Indexed with its own items or with texts: by keys, not by positions.
        return (
            index is not None
            and not index.kinds["integer"]
            and (index.kinds["text"] > 0 or (root.each is not None and root.each.root() is index))
        )

    def _mapping(self, root: Shape) -> ParameterDomain:
        if root.each is not None and not contradict(root.get_index(), root.each):
            unify(root.get_index(), root.each)
        fields = tuple(
            (name[1:-1], self.domain(shape)) for name, shape in sorted(root.attributes.items()) if name.startswith("[")
        )
        return ParameterDomain(
            "mapping", type_name="dict", key=self._known(root.index), value=self._known(root.item), fields=fields
        )

    def _sequence(self, root: Shape) -> ParameterDomain:
        """A sequence, a matrix or a tuple of parts."""
        general = root.each is not None or root.item is not None
        if root.each is not None and root.item is not None:
            unify(root.each, root.item)
        inner = root.each or root.item
        if inner is not None and "unpacked" in root.traits and root.positions:
            # As many items as names, however else it is read.
            for shape in root.positions.values():
                unify(inner, shape)
            return self._tuple(root)
        if root.positions and not general and ("unpacked" in root.traits or "positions" in root.traits):
            return self._tuple(root)
        if inner is not None and root.positions:
            for shape in root.positions.values():
                unify(inner, shape)
        if inner is not None and _is_row(inner.root()):
            cell = inner.root().item or inner.root().each
            return ParameterDomain("matrix", element=self._cell(cell))
        element = self.domain(inner)
        made = bool(root.kinds["list"] or {"mutated", "assigned"} & root.traits.keys())
        domain = ParameterDomain("sequence", type_name="list" if made else "Sequence", element=element)
        if element.kind == "any":
            domain = replace(domain, element=None if inner is None else self._numeric(inner.root()))
        if inner is not None and "character" in inner.root().traits:
            return ParameterDomain("text")
        if "sorted" in root.traits or _is_searched_by_halves(root, made):
            domain = replace(domain, preconditions=(Precondition("sorted"),))
        return domain

    def _numeric(self, root: Shape) -> ParameterDomain | None:
        """Numbers, where items are only added, subtracted or compared in order."""
        if {"number"} & root.traits.keys():
            return ParameterDomain("integer", source="use")
        return None

    def _cell(self, shape: Shape | None) -> ParameterDomain:
        """The cell of a matrix: a bit where it is only compared with 0 and 1."""
        domain = self.domain(shape)
        if shape is None or domain.kind == "any":
            return ParameterDomain("integer")
        values = {text for _, text in shape.root().compared}
        if domain.kind == "integer" and values and values <= {"0", "1"} and "number" not in shape.root().traits:
            return replace(domain, minimum=0.0, maximum=1.0)
        return domain

    def _tuple(self, root: Shape) -> ParameterDomain:
        positions = sorted(at for at in root.positions if at >= 0)
        if -1 in root.positions and positions in ([0], []):
            positions = [0, 1]
        if not positions or positions != list(range(len(positions))):
            return ParameterDomain(
                "sequence", type_name="Sequence", element=self._known(next(iter(root.positions.values())))
            )
        if "unpacked" not in root.traits and len(positions) < 2:
            # Only the first item is read: any sequence has one.
            return ParameterDomain("sequence", type_name="Sequence", element=self._known(root.positions.get(0)))
        if -1 in root.positions and len(positions) > 1:
            unify(root.get_position(positions[-1]), root.positions[-1])
        fields = tuple((str(at), self.domain(root.get_position(at))) for at in positions)
        changed = bool({"assigned"} & root.traits.keys())
        return ParameterDomain("tuple", type_name="list" if changed else "tuple", fields=fields, length=len(fields))

    # Plain kinds

    def _text(self, root: Shape) -> ParameterDomain:
        each = [part.root() for part in (root.each, root.item) if part is not None]
        conditions: list[Precondition] = []
        as_numbers = "as number" in root.traits or any("as number" in part.traits for part in each)
        tested = "digit test" in root.traits or any("digit test" in part.traits for part in each)
        if as_numbers and not tested and not looks_for_other_text(root):
            conditions.append(Precondition("digits"))
        length = 1 if "character" in root.traits else None
        choices = _tokens([root, *each])
        return ParameterDomain(
            "text",
            choices=choices,
            words=told_apart(root),
            parts=signs_in(root),
            samples=_samples(root),
            length=length,
            preconditions=tuple(conditions),
        )

    def _number(self, root: Shape) -> ParameterDomain:
        kinds = root.kinds
        if not (kinds["integer"] or kinds["real"] or "number" in root.traits):
            return self._tokens_only(root)
        kind: DomainKind = "real" if kinds["real"] > kinds["integer"] else "integer"
        low, high = _bounds(root)
        return ParameterDomain(kind, minimum=low, maximum=high)

    @staticmethod
    def _tokens_only(root: Shape) -> ParameterDomain:
        tokens = _tokens([root])
        if tokens and all(token.startswith(("'", '"')) for token in tokens):
            return ParameterDomain("text", choices=tokens)
        # A number, or a text that is one.
        return replace(UNKNOWN, preconditions=(Precondition("digits"),)) if "as number" in root.traits else UNKNOWN


def _is_called(root: Shape, name: str) -> bool:
    return "called" in root.attributes[name].root().traits


def _is_searched_by_halves(root: Shape, made: bool) -> bool:
    """Whether the middle item is compared, as in a binary search; what is changed meanwhile is a heap or a sort."""
    if root.index is None or root.item is None or made:
        return False
    return "halved" in root.index.root().traits and "ordered" in root.item.root().traits


def _links(root: Shape) -> tuple[str, ...]:
    """Attributes that hold another object of the same class."""
    return tuple(sorted(name for name, shape in root.attributes.items() if shape.root() is root))


def _is_of_characters(root: Shape) -> bool:
    """Whether the items of something that is only read are characters: tested for digits, compared with one, joined."""
    if "letters" in root.traits:
        return not root.kinds["list"]
    if root.kinds["list"] or root.kinds["tuple"] or {"mutated", "assigned"} & root.traits.keys():
        return False
    # First and last characters are looked at, and what is between them cut out: positions of a tuple are not cut.
    ends = [root.positions[at] for at in (0, -1) if at in root.positions and "sliced" in root.traits]
    for part in (root.each, root.item, *ends):
        inner = part.root() if part is not None else None
        if (
            inner is None
            or not (inner.kinds["text"] or inner.tokens)
            or inner.each is not None
            or inner.item is not None
        ):
            continue
        constants = [literal_or(text, "") for _, text in inner.compared] + [
            literal_or(text, "") for text in inner.tokens
        ]
        single = constants and all(isinstance(text, str) and len(text) < 2 for text in constants)
        if single or {"digit test", "added", "character", "as number"} & inner.traits.keys():
            return True
    return False


def _is_row(root: Shape) -> bool:
    """Whether the items of a sequence are indexed or measured themselves, and are no texts: rows of a matrix."""
    if root.kinds["text"] or root.kinds["dict"] or root.kinds["tuple"] or root.attributes:
        return False
    index = root.index.root() if root.index is not None else None
    return "indexed" in root.traits and (index is None or not index.kinds["text"])


def _tokens(parts: Sequence[Shape]) -> tuple[str, ...]:
    """Constants that a text or its characters are among: they are looked up in a literal, or searched in one."""
    for at, part in enumerate(parts):
        single = all(isinstance(text := literal_or(token, None), str) and len(text) == 1 for token in part.tokens)
        # A text that may be one of some words may be others, too; characters that are told apart make up the text.
        if part.tokens and ("option" not in part.traits or (at and single)):
            return tuple(part.tokens)
    return ()


def _samples(root: Shape) -> tuple[str, ...]:
    """Texts in which the code finds something: what its patterns match, letters of both cases, blanks.

    There is something beside it that stays.
    """
    found = [text for one in list(root.patterns)[:_MOST_PATTERNS] for text in texts_around_matches(*one)]
    traits = {"letter case", "blanks around", "blanks between"} & root.traits.keys()
    # What is told apart by signs or as a number is no prose.
    if not found and traits and not {"as number", "digit test"} & root.traits.keys() and not root.searched:
        words = tables.CASED_WORDS[1] if "blanks between" in traits else tables.CASED_WORDS[0]
        found = [f"  {words} " if "blanks around" in traits else words]
    return tuple(map(repr, found))


def _bounds(root: Shape) -> tuple[float | None, float | None]:
    """What a check at the beginning of a body leaves."""
    low: float | None = None
    high: float | None = None
    for trait in root.traits:
        if not trait.startswith("holds "):
            continue
        _, sign, text = trait.split(" ", 2)
        try:
            value = float(text)
        except ValueError:
            continue
        if sign in (">", ">="):
            low = value + (1 if sign == ">" else 0)
        elif sign in ("<", "<="):
            high = value - (1 if sign == "<" else 0)
    return low, high
