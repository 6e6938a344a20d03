"""Bundles documents into one: external parts become named components, every reference is local, circles are listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ...utils.graphs import reachable
from ...utils.python_names import unique_name
from .documents import Library, locate, references_in
from .grammar import SECTIONS, SWAGGER_SECTIONS, copy_with_children
from .problems import Parts, Problem, keys_of, look_up, mapping, pointer_of

_REFERABLE = frozenset({*SECTIONS, "path_item"})
_PLAIN_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_LINKS = 16
DocumentPlace = tuple[str, Parts]
"""A document's location, and a place in it."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundled document.

    Attributes:
        value: the document; parts of it may be shared with what was read: never change it in place.
        circular: references to what contains itself, as `#/components/schemas/Node`, sorted.
        origins: place in `value` → where that part was taken from, for what was not there before.
    """

    value: dict[str, Any]
    circular: tuple[str, ...]
    problems: tuple[Problem, ...]
    origins: dict[Parts, DocumentPlace]
    root: str

    def origin(self, parts: Parts) -> DocumentPlace:
        """Maps a place of the bundle to the document and place it was taken from."""
        for end in range(len(parts), 0, -1):
            if parts[:end] in self.origins:
                location, start = self.origins[parts[:end]]
                return location, (*start, *parts[end:])
        return self.root, parts


def bundle(library: Library, *, swagger: bool) -> Bundle:
    """Bundles a root document, which is an object, with those it refers to.

    Args:
        swagger: whether it is Swagger 2.0, whose components lie elsewhere.
    """
    work = _Bundling(library, swagger)
    value = work.run()
    return Bundle(value, _circular(value), tuple(work.problems), work.origins, library.root.location)


@dataclass(slots=True)
class _Bundling:
    library: Library
    swagger: bool
    problems: list[Problem] = field(default_factory=list)
    origins: dict[Parts, DocumentPlace] = field(default_factory=dict)
    placed: dict[tuple[str, DocumentPlace], Parts] = field(default_factory=dict)
    queue: list[tuple[str, DocumentPlace, Parts]] = field(default_factory=list)
    anchors: dict[str, dict[str, Parts]] = field(default_factory=dict)

    def run(self) -> dict[str, Any]:
        root = self.library.root
        value = self._copy(root.value, "document", (root.location, ()), (), ())
        while self.queue:
            kind, (location, parts), into = self.queue.pop(0)
            found = look_up(self.library.documents[location].value, parts)
            self.origins[into] = (location, parts)
            content = self._copy(found[0] if found else {}, kind, (location, parts), into, ())
            value = _with(value, into, content)
        return value

    def _copy(self, value: Any, kind: str, here: DocumentPlace, into: Parts, through: tuple[DocumentPlace, ...]) -> Any:
        """Copies a value with references rewritten.

        Args:
            here: where the value was read.
            into: where the copy will lie.
            through: path items that are being put in place around it.
        """
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref") if kind in _REFERABLE else None
        if isinstance(reference, str):
            target = self._target(reference, kind, here)
            if target is not None and kind == "path_item":
                return self._inlined(value, target, here, into, through)
            if target is not None:
                value = {**value, "$ref": self._local(kind, target)}
        location, parts = here

        def copy(below: Parts, entry: Any, what: str) -> Any:
            return self._copy(entry, what, (location, (*parts, *below)), (*into, *below), through)

        return copy_with_children(value, kind, copy)

    def _inlined(
        self, value: Any, target: DocumentPlace, here: DocumentPlace, into: Parts, through: tuple[DocumentPlace, ...]
    ) -> Any:
        """Inlines the path item that a path item refers to; its own properties take precedence."""
        own = {key: entry for key, entry in value.items() if key != "$ref"}
        # Path items are put in place, so a circle of them would never end.
        if target in through or len(through) >= _MOST_LINKS:
            self._tell(here, "the reference leads in a circle and never to a path item", "give the path item itself")
            return own
        found = look_up(self.library.documents[target[0]].value, target[1])
        content = self._copy(mapping(found and found[0]), "path_item", target, into, (*through, target))
        # Properties come from the referenced item, except for the item's own ones, which keep their place.
        self.origins.setdefault(into, target)
        self.origins |= {(*into, key): (here[0], (*here[1], key)) for key in own}
        return {**content, **mapping(self._copy(own, "path_item", here, into, through))}

    def _target(self, reference: str, kind: str, here: DocumentPlace) -> DocumentPlace | None:
        """Resolves a reference; None, and a recorded problem, when it leads nowhere."""
        location, fragment = locate(here[0], reference)
        document = self.library.documents.get(location)
        if document is None:
            named = self._anchors(here[0]).get(reference.partition("#")[0])
            # Neither a document that was read nor a named place of this one.
            if named is None:
                why = self.library.failures.get(location, "it was not read")
                self._tell(
                    here, f"the reference {reference!r} cannot be followed: {why}", "correct it, or add the file"
                )
                return None
            location, document = here[0], self.library.documents[here[0]]
            keys: Parts = (*named, *keys_of(fragment))
        elif fragment and not fragment.startswith("/"):
            keys = self._anchors(location).get(f"#{fragment}", ("", fragment))
        else:
            keys = keys_of(fragment)
        found = look_up(document.value, keys)
        if found is None:
            where = f" in {location.partition('?')[0]}" if location != here[0] else ""
            self._tell(here, f"the reference {reference!r} leads to nothing{where}", "correct it, or add what it names")
            return None
        if not isinstance(found[0], dict) and not (kind == "schema" and isinstance(found[0], bool)):
            self._tell(here, f"the reference {reference!r} does not lead to an object", f"refer to a {kind}")
            return None
        return location, found[1]

    def _local(self, kind: str, target: DocumentPlace) -> str:
        """The bundle's reference to a target; a part of another document gets a component name first."""
        # Parts of the root document stay where they are.
        if target[0] == self.library.root.location:
            return f"#{pointer_of(target[1])}"
        key = (kind, target)
        if key not in self.placed:
            section = (SWAGGER_SECTIONS.get(kind, "definitions"),) if self.swagger else ("components", SECTIONS[kind])
            self.placed[key] = into = self._free_name(section, target)
            self.queue.append((kind, target, into))
        return f"#{pointer_of(self.placed[key])}"

    def _free_name(self, section: tuple[str, ...], target: DocumentPlace) -> Parts:
        stem = target[0].rpartition("/")[2].partition(".")[0]
        wanted = _PLAIN_NAME.sub("_", str(target[1][-1]) if target[1] else stem).strip("_") or "component"
        names = look_up(self.library.root.value, section)
        existing = mapping(names[0]) if names else {}
        placed = {str(place[-1]) for place in self.placed.values() if place[:-1] == section}
        return (*section, unique_name(wanted, {*existing, *placed}))

    def _anchors(self, location: str) -> dict[str, Parts]:
        """Named places of a document: `#anchor` for `$anchor`, the address for `$id`."""
        if location not in self.anchors:
            self.anchors[location] = dict(_named(self.library.documents[location].value))
        return self.anchors[location]

    def _tell(self, here: DocumentPlace, message: str, suggestion: str) -> None:
        self.problems.append(Problem(message, (*here[1], "$ref"), "reference", suggestion=suggestion, location=here[0]))


def _named(root: Any) -> Iterator[tuple[str, Parts]]:
    pending: list[tuple[Any, Parts]] = [(root, ())]
    while pending:
        value, parts = pending.pop()
        if isinstance(value, dict):
            for key, mark in (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", "")):
                if isinstance(value.get(key), str):
                    yield mark + value[key], parts
            pending += [(entry, (*parts, key)) for key, entry in value.items()]
        elif isinstance(value, list):
            pending += [(entry, (*parts, index)) for index, entry in enumerate(value)]


def _with(value: dict[str, Any], parts: Parts, content: Any) -> dict[str, Any]:
    """Copies an object with a value set at a place, creating the keys in between."""
    key = str(parts[0])
    inner = content if len(parts) == 1 else _with(mapping(value.get(key)), parts[1:], content)
    return {**value, key: inner}


def _circular(value: dict[str, Any]) -> tuple[str, ...]:
    """References whose target leads back to them."""

    @cache
    def following(reference: str) -> frozenset[str]:
        found = look_up(value, keys_of(reference)) if reference.startswith("#") else None
        return frozenset(references_in(found[0])) if found else frozenset()

    everything = reachable(references_in(value), following)
    return tuple(sorted(item for item in everything if item in reachable(following(item), following)))
