"""Looks up the project's classes and functions by name, so that values can be built from them.

Modules are analysed on first use; all files are scanned for class names at most once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ....utils.untrusted_files import read_source_bytes, source_or_empty
from ..facts.analyse import facts_from_source
from ..model.model import GENERATED_CONSTRUCTORS, MOST_PARAMETERS, CallableFacts, ClassFacts, ModuleFacts
from ..project.layout import Layout, ModulePlace

_CLASS = re.compile(r"^class[ \t]+(\w+)[ \t]*+(?:\(([^)]{0,2000})\))?+[ \t]*+:", re.MULTILINE)
_MAXIMUM_SCANNED = 3_000
_MAXIMUM_DEPTH = 8
_LEAST_ATTRIBUTES = 2
_LINKING = frozenset({"next", "left", "right", "prev", "children"})


class ProjectIndex:
    """Looks names up across a project's modules.

    Args:
        root: the project's root folder.
        layout: its layout.
        known: facts that are already at hand.
    """

    def __init__(self, root: Path, layout: Layout, known: tuple[ModuleFacts, ...] = ()) -> None:
        self._root = root
        self._places = layout.by_module()
        self._facts: dict[str, ModuleFacts | None] = {one.module: one for one in known}
        self._scanned: dict[str, list[tuple[str, str]]] | None = None

    def facts_of(self, module: str) -> ModuleFacts | None:
        """The facts of a module of the project, cached; None for foreign modules and for files that do not parse."""
        if module not in self._facts:
            place = self._places.get(module)
            self._facts[module] = self._read(place) if place is not None else None
        return self._facts[module]

    def _read(self, place: ModulePlace) -> ModuleFacts | None:
        try:
            return facts_from_source(read_source_bytes(self._root, place.path), place)
        except (OSError, SyntaxError):
            return None

    def modules(self) -> list[str]:
        """The dotted names of the project's modules, sorted."""
        return sorted(self._places)

    def class_in(self, name: str, facts: ModuleFacts) -> tuple[ModuleFacts, ClassFacts] | None:
        """The class that `name` (maybe dotted) refers to inside a module, through imports and re-exports."""
        return self._class_in(name.rpartition(".")[2], facts, 0)

    def _class_in(self, name: str, facts: ModuleFacts, depth: int) -> tuple[ModuleFacts, ClassFacts] | None:
        for owner in facts.classes:
            if owner.name == name:
                return facts, owner
        source = self.origin_of(name, facts)
        if source is None or depth > _MAXIMUM_DEPTH:
            return None
        module, original = source
        other = self.facts_of(module)
        return self._class_in(original, other, depth + 1) if other is not None and other is not facts else None

    def origin_of(self, name: str, facts: ModuleFacts) -> tuple[str, str] | None:
        """Module and name that an imported name comes from."""
        statement = dict(facts.imports).get(name, "")
        match = re.fullmatch(r"from (\S+) import (\w+)(?: as \w+)?", statement)
        return (match.group(1), match.group(2)) if match else None

    def imported_constant(self, name: str, facts: ModuleFacts) -> str | None:
        """The source of a constant of another module of the project, such as a type alias, that `name` refers to."""
        source = self.origin_of(name, facts)
        other = self.facts_of(source[0]) if source is not None else None
        return dict(other.constants).get(source[1]) if other is not None and source is not None else None

    def defines(self, module: str, name: str, target: ModuleFacts) -> bool:
        """Whether `module.name` is the target's own definition: the target itself, or a package that re-exports it."""
        for _ in range(_MAXIMUM_DEPTH):
            if module == target.module:
                return True
            facts = self.facts_of(module)
            if facts is None:
                return False
            source = self.origin_of(name, facts)
            if source is None:
                return self._star(facts, target)
            module, name = source
        return False

    def _star(self, facts: ModuleFacts, target: ModuleFacts) -> bool:
        """Whether a package re-exports the target by `from .more import *`."""
        text = self._text(self._places.get(facts.module))
        last = target.module.rpartition(".")[2]
        return re.search(rf"^from \.?[\w.]*\b{re.escape(last)} import \*", text, re.MULTILINE) is not None

    def source_of(self, facts: ModuleFacts) -> str:
        """The text of a module of the project; empty where it cannot be read."""
        return self._text(self._places.get(facts.module))

    def class_with(self, attributes: Collection[str], near: ModuleFacts) -> tuple[ModuleFacts, ClassFacts] | None:
        """The one class whose objects have all the attributes: of the module, else imported there, else of the project.

        None where none or several alike have them. In the rest of the project a single attribute counts only where it
        links objects, and modules of the same package come first.
        """
        imported = [found for name, _ in near.imports if (found := self.class_in(name, near)) is not None]
        for group in ([(near, owner) for owner in near.classes], imported):
            found = _closest(group, attributes)
            if found is not None:
                return found
        if len(attributes) < _LEAST_ATTRIBUTES and not _LINKING & set(attributes):
            return None
        package = near.module.rpartition(".")[0]
        others = list(self._mentioning(attributes))
        siblings = [found for found in others if found[0].module.rpartition(".")[0] == package]
        return _closest(siblings, attributes) or _closest(others, attributes)

    def _mentioning(self, attributes: Collection[str]) -> Iterator[tuple[ModuleFacts, ClassFacts]]:
        """Classes of modules whose text sets all the attributes."""
        modules = sorted({module for places in self._scan().values() for module, _ in places})
        for module in modules:
            text = self._text(self._places.get(module))
            if all(
                re.search(rf"\bself\.{re.escape(name)}\b|^[ \t]+{re.escape(name)}\b", text, re.M) for name in attributes
            ):
                facts = self.facts_of(module)
                yield from ((facts, owner) for owner in facts.classes) if facts is not None else ()

    def find_class(self, name: str) -> tuple[ModuleFacts, ClassFacts] | None:
        """A public class of that name anywhere in the project; the first module in sorted order wins."""
        for module, _ in self._scan().get(name, []):
            facts = self.facts_of(module)
            if facts is not None:
                found = next((owner for owner in facts.classes if owner.name == name), None)
                if found is not None:
                    return facts, found
        return None

    def class_for_variable(self, variable: str, near: ModuleFacts) -> tuple[ModuleFacts, ClassFacts] | None:
        """The class a parameter's name suggests: `shopping_cart` for `ShoppingCart`; the same module first."""
        wanted = variable.strip("_").replace("_", "").lower()
        if len(wanted) < 3:
            return None
        for owner in near.classes:
            if owner.name.lower() == wanted:
                return near, owner
        names = sorted(name for name in self._scan() if name.lower() == wanted and not name.startswith("_"))
        return self.find_class(names[0]) if names else None

    def subclasses(self, name: str) -> list[tuple[ModuleFacts, ClassFacts]]:
        """Classes that name `name` as a base, by module and name."""
        found: list[tuple[ModuleFacts, ClassFacts]] = []
        for child in sorted(self._scan()):
            for module, bases in self._scan()[child]:
                if re.search(rf"\b{re.escape(name)}\b", bases):
                    facts = self.facts_of(module)
                    owner = next((owner for owner in facts.classes if owner.name == child), None) if facts else None
                    if facts is not None and owner is not None:
                        found.append((facts, owner))
        return found[:8]

    def lineage(self, facts: ModuleFacts, owner: ClassFacts) -> list[tuple[ModuleFacts, ClassFacts]]:
        """The class and its bases within the project, nearest first."""
        found = [(facts, owner)]
        seen: set[tuple[str, str] | None] = {(facts.module, owner.name)}
        for where, one in found:
            for base in one.bases:
                parent = self.class_in(base.partition("[")[0], where)
                key = (parent[0].module, parent[1].name) if parent is not None else None
                if parent is not None and key not in seen and len(found) < _MAXIMUM_DEPTH:
                    seen.add(key)
                    found.append(parent)  # the loop goes on with it
        return found

    def constructor(self, facts: ModuleFacts, owner: ClassFacts) -> CallableFacts | None:
        """The constructor that makes an object of the class, its own or inherited; None for `object`'s.

        None, too, for one with too many parameters to be called: see `can_be_made`.
        """
        found = self._constructor(facts, owner)
        return found if found is not None and len(found.parameters) <= MOST_PARAMETERS else None

    def can_be_made(self, facts: ModuleFacts, owner: ClassFacts) -> bool:
        """Whether the constructor of a class has few enough parameters to be called."""
        found = self._constructor(facts, owner)
        return found is None or len(found.parameters) <= MOST_PARAMETERS

    def _constructor(self, facts: ModuleFacts, owner: ClassFacts) -> CallableFacts | None:
        lineage = self.lineage(facts, owner)
        if owner.kind in GENERATED_CONSTRUCTORS or owner.kind == "typeddict":
            # Generated constructors take the fields of all bases; a subclass may redefine a field.
            made = [one.constructor for _, one in reversed(lineage) if one.constructor is not None]
            if not made:
                return None
            merged = {parameter.name: parameter for one in made for parameter in one.parameters}
            return replace(made[-1], qualname=owner.name, owner=owner.name, parameters=tuple(merged.values()))
        return next((one.constructor for _, one in lineage if one.constructor is not None), None)

    def _text(self, place: ModulePlace | None) -> str:
        """The text of a module's file; empty where it cannot be read."""
        return source_or_empty(self._root, place.path) if place is not None else ""

    def _scan(self) -> dict[str, list[tuple[str, str]]]:
        """Maps class names to the modules that define them at top level, with the text of their bases."""
        if self._scanned is None:
            self._scanned = {}
            for place in sorted(self._places.values(), key=lambda one: one.path)[:_MAXIMUM_SCANNED]:
                for match in _CLASS.finditer(self._text(place)):
                    self._scanned.setdefault(match.group(1), []).append((place.module, match.group(2) or ""))
        return self._scanned


def attributes_of(owner: ClassFacts) -> frozenset[str]:
    """Names that the objects of a class have: fields, members, and what its code sets or reads of `self`."""
    found = {name for name, _ in owner.fields} | {member.name for member in owner.members}
    for member in (*owner.members, *([owner.constructor] if owner.constructor is not None else [])):
        for name, what in member.uses:
            if name.startswith("self."):
                found.add(name[5:])
            elif what.startswith("stored:"):
                found.add(what[7:])
    return frozenset(found)


def _closest(
    group: Sequence[tuple[ModuleFacts, ClassFacts]], attributes: Collection[str]
) -> tuple[ModuleFacts, ClassFacts] | None:
    """The class that has all the attributes and the fewest besides; None where two are alike in that."""
    having = {(where.module, owner.name): (where, owner) for where, owner in group}
    sized = sorted(
        (len(names), key) for key, (_, owner) in having.items() if (names := attributes_of(owner)) >= set(attributes)
    )
    # Several modules may each define a class of one name; classes of different names are too uncertain.
    if not sized or (len(sized) > 1 and sized[0][0] == sized[1][0] and sized[0][1][1] != sized[1][1][1]):
        return None
    return having[sized[0][1]]
