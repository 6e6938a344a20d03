"""Infers the domain of each parameter of a module from all evidence, the strongest first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from ....utils.python_source import expression_or_none, parse_or_none
from ..facts.type_inference import inferred_hints, name_entry, uses_of
from ..model.domain import UNKNOWN, CallableDomains, DomainSource, ParameterDomain
from ..model.model import MOST_PARAMETERS, CallableFacts, Candidate, ClassFacts, Documentation, ModuleFacts, Parameter
from ..shapes.reader import Imported, ModuleShapes, read_shapes, with_constants
from ..shapes.shape import Shape
from ..source.annotations import TypeHint
from ..usage.project_index import ProjectIndex
from .describe import described
from .from_literals import domain_of_values, is_library_function
from .from_prose import Prose
from .from_shapes import OwnersOf, ShapeDomains
from .from_types import ClassLookup, domain_of_annotation, domain_of_class, domain_of_default, domain_of_hint
from .named_flags import flags_domain
from .phrases import takes_tuple
from .records import named_source, with_columns, without_own_items
from .refine import refined
from .relations import with_relations, with_shared

Known = Mapping[tuple[str, str], Sequence[Candidate]]
"""Values that real calls pass, by qualified name and parameter; their origins say where the calls stand."""

_DOCUMENTED = frozenset({"doctest", "document", "readme"})
_MAIN_SUBJECTS = 3
_MOST_IMPORTED = 8
_ORDERING = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
_NAME = re.compile(r"\b[A-Z_a-z]\w+")
_OF_NAMED_FLAGS = frozenset({"any", "integer", "other"})
_OF_FLAGS = frozenset({"truth", "stored", "argument", "compared", "assigned"})
_PARSES_BY = re.compile(r"argument:(\w+\.)*strptime:1")
_MOMENT_FORMATS = ("'%d/%m/%Y'", "'%Y-%m-%dT%H:%M'")
_TEXT_NAME = re.compile(r"(string|text|word|sentence|str)_?\d?")


@dataclass(frozen=True, slots=True)
class ProjectClasses:
    """How classes of the project are found from one module.

    Attributes:
        named: the class that a name means in the module.
        suggested: the class that a parameter's name suggests.
        having: the one class whose objects have all of some attributes.
        any_module: the public class of a name, whichever module of the project defines it.
        imported_constant: the source of a constant that a name imports, such as a type alias.
        imported_modules: the modules of the project that the module imports functions and classes from.
    """

    named: ClassLookup
    suggested: ClassLookup = lambda _: None
    any_module: ClassLookup = lambda _: None
    having: OwnersOf = lambda _: None
    imported_constant: Callable[[str], str | None] = lambda _: None
    imported_modules: Callable[[], Imported] = dict


def project_classes(facts: ModuleFacts, index: ProjectIndex) -> ProjectClasses:
    """Finds classes as seen from a module through a project's index."""
    return ProjectClasses(
        lambda name: index.class_in(name, facts),
        partial(suggested_class, facts, index),
        index.find_class,
        lambda names: index.class_with(names, facts),
        lambda name: index.imported_constant(name, facts),
        partial(_imported_modules, facts, index),
    )


def _imported_modules(facts: ModuleFacts, index: ProjectIndex) -> Imported:
    """Reads the first few modules of the project from which a module imports names."""
    trees: dict[str, ast.Module | None] = {}
    found: dict[str, tuple[ast.Module, str]] = {}
    for name, _ in facts.imports:
        module, original = index.origin_of(name, facts) or ("", "")
        other = index.facts_of(module) if module and module != facts.module else None
        if other is None or (module not in trees and len(trees) >= _MOST_IMPORTED):
            continue
        if module not in trees:
            trees[module] = parse_or_none(index.source_of(other))
        tree = trees[module]
        if tree is not None:
            found[name] = (tree, original)
    return found


def suggested_class(facts: ModuleFacts, index: ProjectIndex, name: str) -> tuple[ModuleFacts, ClassFacts] | None:
    """The class that a parameter's name suggests; for general words such as `item` only one that the module knows."""
    found = index.class_for_variable(name, facts)
    if found is None or found[0] is facts or name_entry(name) is None:
        return found
    return found if index.class_in(found[1].name, facts) is not None else None


def infer_domains(
    facts: ModuleFacts, classes: ProjectClasses | None = None, known: Known | None = None, *, source: str = ""
) -> tuple[CallableDomains, ...]:
    """Infers the domains of all parameters of a module's callables; without running anything, in milliseconds.

    Args:
        classes: finds classes of the project; by default those of the module by their names.
        known: values that real calls pass.
        source: the module's text, for how bodies use their parameters.
    """
    inference = _Inference(facts, classes or ProjectClasses(own_classes(facts)), known or {}, source)
    return with_shared(tuple(inference.of_callable(one) for one in facts.callables()), facts.classes)


@lru_cache(maxsize=8)
def annotated_domains(facts: ModuleFacts) -> tuple[CallableDomains, ...]:
    """The domains that the annotations of a module declare."""
    look_up, constants = own_classes(facts), dict(facts.constants)
    return tuple(
        CallableDomains(
            one.qualname,
            tuple((item.name, domain_of_annotation(item.annotation, look_up, constants)) for item in one.parameters),
        )
        for one in facts.callables()
    )


def own_classes(facts: ModuleFacts) -> ClassLookup:
    """Looks a class up among those that a module defines."""
    classes: dict[str, ClassFacts] = {owner.name: owner for owner in facts.classes}

    def look_up(name: str) -> tuple[ModuleFacts, ClassFacts] | None:
        owner = classes.get(name)
        return (facts, owner) if owner is not None else None

    return look_up


def _is_flag(one: CallableFacts, item: Parameter) -> bool:
    """Whether a default says that a parameter is a flag, and the body itself does nothing else with it than ask it."""
    if item.default not in ("True", "False"):
        return False
    return all(what.partition(":")[0] in _OF_FLAGS for name, what in one.uses if name == item.name)


def _names_in(annotation: str | None) -> list[str]:
    return _NAME.findall(annotation or "")


class _Inference:
    def __init__(self, facts: ModuleFacts, classes: ProjectClasses, known: Known, source: str) -> None:
        self._facts = facts
        self._look_up = classes.named
        self._suggested = classes.suggested
        self._any_module = classes.any_module
        self._known = known
        self._constants = dict(facts.constants)
        for name in {
            name for one in facts.callables() for item in one.parameters for name in _names_in(item.annotation)
        }:
            imported = classes.imported_constant(name)
            if imported is not None:
                self._constants.setdefault(name, imported)
        tree = parse_or_none(source) if source else None
        self._shapes = ModuleShapes()
        if tree is not None:
            named = with_constants(tree, lambda name: self._constants.get(name) or classes.imported_constant(name))
            self._shapes = read_shapes(named, classes.imported_modules())
        self._used = ShapeDomains(classes.having, facts.module, classes.named)
        for (_, name), shape in self._shapes.parameters.items():
            if _TEXT_NAME.fullmatch(name):
                # What it is indexed for are characters, whatever else is looked up with them.
                shape.mark("letters").get_item().vote("text")
        self._owners = {owner.name: owner for owner in facts.classes}

    def of_callable(self, one: CallableFacts) -> CallableDomains:
        """The domains of one callable's parameters; of none where there are too many for a call."""
        parameters = one.parameters if len(one.parameters) <= MOST_PARAMETERS else ()
        prose = Prose(one, self._further(one), self._look_up, self._any_module)
        domains = {item.name: self._of_parameter(one, item, prose) for item in parameters}
        shapes = {item.name: shape for item in parameters if (shape := self._shape(one, item)) is not None}
        related = with_columns(one, with_relations(domains, shapes))
        complete = tuple((name, replace(domain, description=described(domain))) for name, domain in related.items())
        return CallableDomains(one.qualname, complete)

    def _further(self, one: CallableFacts) -> list[Documentation]:
        """Documentation besides the callable's own: its class's for a constructor, its module's for main subjects."""
        found: list[Documentation] = []
        owner = self._owners.get(one.owner or "")
        if owner is not None and one.kind == "constructor":
            found.append(owner.documentation)
        public = [function for function in self._facts.functions if function.public]
        if one.owner is None and len(public) <= _MAIN_SUBJECTS:
            found.append(self._facts.documentation)
        return found

    def _of_parameter(self, one: CallableFacts, item: Parameter, prose: Prose) -> ParameterDomain:
        documented, lines = prose.domain(item.name)
        member = documented.element
        if item.kind == "var_positional" and member is not None and member.kind == "object":
            documented = replace(member, source=documented.source)  # `*intervals` names all, the domain is that of one
        asked = any(name == item.name and what.startswith("isinstance:") for name, what in one.uses)
        used = self._used.domain(self._shape(one, item), asked=asked)
        used = replace(without_own_items(used, self._owners.get(one.owner or ""), item.name), lines=one.lines)
        own = tuple(sign for sign in used.parts if sign in one.read_constants)
        # What others look for in the same text comes second to what the callable itself looks for.
        used = replace(used, parts=own or used.parts)
        declared = replace(domain_of_annotation(item.annotation, self._look_up, self._constants), lines=one.lines)
        called = self._of_calls(one, item)
        open_to_flags = declared.kind in _OF_NAMED_FLAGS and not called  # numbers that a document shows are its own way
        evidence = [
            *([flags_domain(self._facts, one, item.name)] if open_to_flags else []),
            declared,
            *([replace(documented, lines=lines)] if documented.source == "docstring" else []),
            *called,
            *self._of_order(one, item, used),
            named_source(one, item.name, self._texts_about(one)),
            *([self._of_default(item)] if _is_flag(one, item) else []),
            self._of_member(one, item),
            *self._of_moments(one, item),
            used,
            *([replace(documented, lines=lines)] if documented.source == "prose" else []),
            self._of_default(item),
            self._of_name(one, item),
        ]
        found = UNKNOWN
        for domain in evidence:
            found = refined(found, domain)
        if found.kind == "sequence" and takes_tuple(one, item.name):
            found = replace(found, type_name="tuple")
        return replace(found, optional=found.optional or item.default == "None")

    def _texts_about(self, one: CallableFacts) -> list[str]:
        owner = self._owners.get(one.owner or "")
        return [one.documentation.text, *([owner.documentation.text] if owner is not None else [])]

    def _shape(self, one: CallableFacts, item: Parameter) -> Shape | None:
        return self._shapes.parameters.get((one.qualname, item.name))

    def _of_default(self, item: Parameter) -> ParameterDomain:
        """What the default is; that of a name in capitals what the module says that the name is."""
        named = item.default is not None and item.default.isidentifier() and item.default.isupper()
        return domain_of_default(self._constants.get(item.default or "", item.default) if named else item.default)

    def _of_member(self, one: CallableFacts, item: Parameter) -> ParameterDomain:
        """The members of the enumeration of which a default is one."""
        holder, _, member = (item.default or "").rpartition(".")
        found = self._look_up(holder) if holder.isidentifier() else None
        if found is None or found[1].kind != "enum" or all(member != name for name, _ in found[1].fields):
            return UNKNOWN
        return replace(domain_of_class(*found, self._look_up), source="use", lines=one.lines)

    def _of_moments(self, one: CallableFacts, item: Parameter) -> list[ParameterDomain]:
        """The formats of dates and times that an object is made with to parse them."""
        owner = self._owners.get(one.owner or "")
        members = owner.members if owner is not None and one.kind == "constructor" else ()
        uses = [what for member in members for name, what in member.uses if name == f"self.{item.name}"]
        parses = any(_PARSES_BY.fullmatch(what) for what in uses)
        return [ParameterDomain("text", choices=_MOMENT_FORMATS, source="use", lines=one.lines)] if parses else []

    def _of_order(self, one: CallableFacts, item: Parameter, used: ParameterDomain) -> list[ParameterDomain]:
        """What an object is put in order beside: another one of its class, whoever else has the same attributes."""
        owner = self._owners.get(one.owner or "")
        if owner is None or one.name not in _ORDERING or item.name in ("self", "cls"):
            return []
        if used.kind not in ("any", "object"):
            return []
        return [replace(domain_of_class(self._facts, owner, self._look_up), source="use", lines=one.lines)]

    def _of_calls(self, one: CallableFacts, item: Parameter) -> list[ParameterDomain]:
        """What documented examples, then other real calls pass."""
        known = self._known.get((one.qualname, item.name), ())
        found: list[ParameterDomain] = []
        for source, documented in (("doctest", True), ("call site", False)):
            chosen = [value for value in known if (value.origin in _DOCUMENTED) == documented]
            nodes = [node for value in chosen if (node := expression_or_none(value.source)) is not None]
            functions = bool(chosen) and all(map(is_library_function, chosen))
            domain = ParameterDomain("callable", arity=-1) if functions else domain_of_values(nodes, self._look_up)
            if domain.kind not in ("any", "none"):
                named: DomainSource = "doctest" if source == "doctest" else "call site"
                found.append(replace(domain, source=named))
        return found

    def _of_name(self, one: CallableFacts, item: Parameter) -> ParameterDomain:
        """What the name suggests, where the uses in the body do not contradict."""
        entry = name_entry(item.name)
        found = self._suggested(item.name) if not item.annotation else None
        if found is not None:
            return replace(domain_of_class(*found, self._look_up), source="name")
        hints = inferred_hints(self._facts, one, item)
        if not hints:
            return UNKNOWN
        domain = domain_of_hint(hints[0], self._look_up)
        if domain.kind == "any" and entry is not None:
            domain = domain_of_hint(TypeHint(entry[0]), self._look_up)
        member = self._suggested(item.name[:-1]) if item.name.endswith("s") else None
        if domain.kind == "sequence" and domain.element is None and member is not None:
            # `intervals` are objects of `Interval`.
            domain = replace(domain, element=domain_of_class(*member, self._look_up))
        if domain.kind == "callable":
            calls = [use[7:] for use in uses_of(self._facts, one, item.name) if use.startswith("called:")]
            domain = replace(domain, arity=min(map(int, calls), default=domain.arity))
        if item.kind == "var_positional" and domain.kind == "sequence":
            domain = domain.element or UNKNOWN  # `*words` names all of them, the domain is that of one
        return replace(domain, source="name")
