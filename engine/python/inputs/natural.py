"""Gives the natural values of parameters, by their domains: the representatives of one callable fit together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ....utils.python_source import literal_or
from ..domain.example_tables import INTEGERS, WORDS
from ..domain.examples import ExampleContext, NaturalValue, natural_values
from ..domain.from_shapes import LINKS
from ..domain.from_types import domain_of_annotation
from ..domain.inference import infer_domains, project_classes
from ..domain.records import COLUMN_NAMES, is_namespace
from ..facts.type_inference import name_entry
from ..model.domain import UNKNOWN, CallableDomains, ParameterDomain
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Parameter
from ..outside.databases import DATABASE_FILE, is_database_path
from ..source.annotations import TypeHint
from ..usage.project_index import ProjectIndex
from .calls import takes_clock
from .content_objects import ContentObjects

_MAXIMUM_DEPTH = 2
_OBJECTS = 3
_ABOUT_LINES = re.compile(
    r"new[_-]?lines?|(?:\b|_)lines(?:\b|_)|splitlines|multi[_-]?line|line[ _-]?breaks?", re.IGNORECASE
)
# The types that stand for kinds whose values are made elsewhere.
_BUILT_BY_TYPE = {"path": "PathLike", "file": "TextIO", "pattern": "pattern", "type": "type"}


class TypedValues(Protocol):
    """The part of `values.Values` that makes objects; a protocol, because that module imports this one."""

    def of_type(self, hint: TypeHint, where: ModuleFacts, depth: int = 0) -> list[Candidate]:
        """Values of a type."""
        ...

    def of_class(self, where: ModuleFacts, owner: ClassFacts, depth: int = 0) -> list[Candidate]:
        """Objects of a class."""
        ...


_COLLECTIONS = ("sequence", "set", "mapping", "iterator")


class NaturalInputs:
    """Finds the natural values of parameters.

    Args:
        facts: the target module.
        index: where project classes are looked up.
        domains: the domains of the target's parameters.
        made: makes objects and values of other types.
    """

    def __init__(
        self, facts: ModuleFacts, index: ProjectIndex, domains: Sequence[CallableDomains], made: TypedValues
    ) -> None:
        self._index = index
        self._made = made
        self._domains = {facts.module: {one.qualname: one for one in domains}}
        self._several = False  # whether the object that is being built is one of several

    def domain(self, one: CallableFacts, name: str, where: ModuleFacts) -> ParameterDomain:
        """The domain of a parameter of a callable in a module of the project."""
        if where.module not in self._domains:
            classes = project_classes(where, self._index)
            inferred = infer_domains(where, classes, source=self._index.source_of(where))
            self._domains[where.module] = {one.qualname: one for one in inferred}
        known = self._domains[where.module].get(one.qualname)
        return known.of(name) if known is not None else self._declared(one, name, where)

    def _declared(self, one: CallableFacts, name: str, where: ModuleFacts) -> ParameterDomain:
        """What the annotation says of a parameter that the module does not define, such as that of a base class."""
        annotation = next((item.annotation for item in one.parameters if item.name == name), None)
        return domain_of_annotation(annotation, lambda text: self._index.class_in(text, where), dict(where.constants))

    def of_parameter(
        self, one: CallableFacts, parameter: Parameter, where: ModuleFacts, depth: int = 0
    ) -> tuple[NaturalValue, ...]:
        """The natural values of a parameter, the representative first; empty where its domain is not known."""
        if is_database_path(one, parameter, where, self._index):
            return (NaturalValue(DATABASE_FILE),)
        domain = self.domain(one, parameter.name, where)
        entry = name_entry(parameter.name)
        if (
            (domain.kind == "any" and not domain.preconditions)
            or takes_clock(parameter)
            or (entry and entry[0] == "Clock")
        ):
            return ()  # clocks stand still or tick: no plain function does
        others: dict[str, str] = {}
        for other in {condition.other for condition in domain.preconditions if condition.other}:
            related = self.domain(one, other, where)
            values = natural_values(related, self._context(one, other, related, where, depth))
            if values:
                others[other] = values[0].candidate.source
        context = self._context(one, parameter.name, domain, where, depth)
        return natural_values(domain, replace(context.beside(others), default=parameter.default or ""))

    def _context(
        self, one: CallableFacts, name: str, domain: ParameterDomain, where: ModuleFacts, depth: int
    ) -> ExampleContext:
        before = [item.name for item in one.parameters]
        before = before[: before.index(name)] if name in before else []
        alike = [self.domain(one, other, where) for other in before]
        place = sum(_similar(other, domain) for other in alike)

        def build(wanted: ParameterDomain, at: int) -> list[Candidate]:
            outer, self._several = self._several, self._several or wanted is not domain
            try:
                return self._build(wanted, at, where, depth, name)
            finally:
                self._several = outer

        others = [self.domain(one, item.name, where) for item in one.parameters if item.name != name]
        collections = [other for other in others if other.kind in _COLLECTIONS]
        items = next((other.element for other in collections if other.element is not None), None)
        # `format(value, ".2f")` passes a specification, whatever the method calls it.
        known = "format_spec" if one.name == "__format__" else name.strip("_").lower()
        about_lines = _ABOUT_LINES.search(f"{one.name} {one.documentation.summary}") is not None
        return ExampleContext(
            known, place, None, build, among=bool(collections), items=items, several_lines=about_lines
        )

    def _build(self, domain: ParameterDomain, place: int, where: ModuleFacts, depth: int, name: str) -> list[Candidate]:
        """Objects of a class of the project, and values of types that domains do not describe further."""
        if is_namespace(domain):
            return [_namespace(place)]
        if domain.kind == "object":
            home = self._index.facts_of(domain.module) if domain.module else where
            found = self._index.class_in(domain.type_name, home or where)
            made = self._objects(domain, *found, depth, name, place) if found is not None else []
        else:
            made = self._made.of_type(_hint_of(domain), where, depth + 1)
        at = place % len(made) if made and not domain.links else 0
        return [*made[at:], *made[:at]]

    def _objects(
        self, domain: ParameterDomain, where: ModuleFacts, owner: ClassFacts, depth: int, name: str, place: int
    ) -> list[Candidate]:
        """Objects with content before the plainest ones; linked ones before single ones."""
        if depth > _MAXIMUM_DEPTH:
            return []
        if owner.makers:
            return self._made.of_class(where, owner, depth + 1)
        content, links = self._content(where, owner, depth, domain.links)
        linked = content.linked(domain.links, name, place) if domain.links and name.isidentifier() else []
        # Several objects with several items each are more than a person reads.
        single = content.objects(_OBJECTS, links, filled=not self._several)
        return [*linked, *single, *self._made.of_class(where, owner, depth + 1)]

    def with_content(self, where: ModuleFacts, owner: ClassFacts, depth: int) -> list[Candidate]:
        """Objects of a class with content, different ones; empty where its constructor takes none."""
        if depth > _MAXIMUM_DEPTH:
            return []
        content, links = self._content(where, owner, depth, ())
        return content.objects(_OBJECTS, links)

    def _content(
        self, where: ModuleFacts, owner: ClassFacts, depth: int, links: Sequence[str]
    ) -> tuple[ContentObjects, tuple[str, ...]]:
        """What builds objects of a class, and the parameters that take further objects of it."""

        def items(constructor: CallableFacts, parameter: Parameter) -> list[Candidate]:
            values = self.of_parameter(constructor, parameter, where, depth + 1)
            return [value.candidate for value in values if not value.degenerate]

        constructor = self._index.constructor(where, owner)
        linking = {*links, *LINKS}
        for parameter in constructor.parameters if constructor is not None else ():
            taken = self.domain(constructor, parameter.name, where) if constructor is not None else UNKNOWN
            if taken.kind == "object" and taken.type_name == owner.name:
                linking.add(parameter.name)  # an object of the same class is linked, not passed as content
        return ContentObjects(where, owner, constructor, items), tuple(sorted(linking))


def _namespace(place: int) -> Candidate:
    """A plain object with an attribute for each column of sample rows."""
    values = zip(COLUMN_NAMES, (repr(WORDS[place % len(WORDS)]), INTEGERS[place % len(INTEGERS)]), strict=True)
    given = ", ".join(f"{literal_or(name, '')}={value}" for name, value in values)
    return Candidate(f"SimpleNamespace({given})", ("from types import SimpleNamespace",))


def _hint_of(domain: ParameterDomain) -> TypeHint:
    if domain.kind == "type" and domain.type_name:
        return TypeHint("type", (TypeHint(domain.type_name),))
    return TypeHint(domain.type_name or _BUILT_BY_TYPE.get(domain.kind, domain.kind))


def _similar(left: ParameterDomain, right: ParameterDomain) -> bool:
    """Whether two parameters would get the same values."""
    if left.kind in ("choice", "other", "object"):
        return (left.kind, left.type_name, left.choices) == (right.kind, right.type_name, right.choices)
    return left.kind == right.kind
