"""Finds the seams between a project's modules, and selects the modules to write integration tests for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from ....utils.graphs import reachable
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ...python.facts.analyse import facts_from_source, subjects
from ...python.model.model import CallableFacts, ModuleFacts
from ...python.project.layout import Layout, ModulePlace
from ...python.source.annotations import type_hint
from ...python.usage.project_index import ProjectIndex
from ..model.components import Component, IntegrationTarget, Seam
from ..model.programs import ProjectProgram, find_programs, takes_arguments
from ..model.servers import Server, is_client, servers_in
from .calls import calls_of, imported_modules

_MOST_MODULES = 2_000
_VOCABULARY = frozenset({"exception", "enum", "typeddict", "protocol", "namedtuple"})

Place = tuple[str, str]
"""A dotted module name and a qualified name inside it."""


@dataclass(slots=True)
class SeamMap:
    """All seams of a project, and reachability over its calls.

    Attributes:
        facts: the facts of each module that could be read, by dotted name.
        seams: every seam, by path and line.
        unread: modules that do not parse, with the reason.
        servers: what can serve requests on this machine, by module.
    """

    facts: dict[str, ModuleFacts] = field(default_factory=dict)
    seams: list[Seam] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    servers: list[Server] = field(default_factory=list)
    _calls: dict[Place, set[Place]] = field(default_factory=dict)
    _imports: dict[str, list[str]] = field(default_factory=dict)

    def reached(self, module: str, qualname: str) -> frozenset[str]:
        """The other modules that a callable reaches, directly or through further calls."""
        return frozenset(there for there, _ in self._called_from([(module, qualname)])) - {module}

    def nearest(self, module: str, qualnames: Iterable[str]) -> list[str]:
        """All other modules reached from some callables of a module, those that are fewer calls away first."""
        called = self._called_from([(module, name) for name in qualnames])
        return list(dict.fromkeys(there for there, _ in called if there != module))

    def reachable(self, entries: Iterable[str] | None = None) -> frozenset[Place]:
        """Every public callable that reaches another module, and everything that it calls, directly or not.

        Args:
            entries: dotted names of the modules whose callables are the start; None for all.
        """
        begin = set(self.facts if entries is None else entries)
        start = [
            (module, callable_.qualname)
            for module, facts in self.facts.items()
            for callable_ in (facts.callables() if module in begin else ())
            if callable_.public and self.reached(module, callable_.qualname)
        ]
        return frozenset([*start, *self._called_from(start)])

    def _called_from(self, start: list[Place]) -> list[Place]:
        return reachable(start, lambda here: sorted(self._calls.get(here, ())))[len(set(start)) :]

    def imported(self, module: str) -> list[str]:
        """All modules of the project that a module imports, directly or not, nearer ones first."""
        return reachable([module], lambda here: self._imports.get(here, ()))[1:]

    def is_vocabulary(self, module: str) -> bool:
        """Whether a module only defines exceptions, enums, constants or types."""
        facts = self.facts.get(module)
        if facts is None or facts.functions:
            return False
        return all(owner.kind in _VOCABULARY for owner in facts.classes)


def find_seams(root: Path, layout: Layout) -> SeamMap:
    """Finds every seam between the project's modules. Modules that do not parse are listed in `unread`."""
    found = SeamMap()
    sources: dict[str, str] = {}
    for place in layout.modules[:_MOST_MODULES]:
        facts = _read(root, place, found, sources)
        if facts is not None:
            found.facts.setdefault(place.module, facts)
    index = ProjectIndex(root, layout, tuple(found.facts.values()))
    for module, facts in found.facts.items():
        found.servers.extend(servers_in(facts, sources[module]))
    _add_server_calls(index, found)
    for module, facts in found.facts.items():
        found._imports[module] = imported_modules(sources[module], facts, index)
        for call in calls_of(sources[module], facts, index):
            found._calls.setdefault((module, call.caller), set()).add((call.module, call.name))
            if call.module != module:
                found.seams.append(Seam(module, call.caller, call.module, call.name, call.line))
        _add_request_seams(module, sources[module], found)
    _add_constructor_calls(found.facts, found._calls)
    found.seams.sort(key=lambda seam: (found.facts[seam.source].path, seam.line, seam.target, seam.name))
    return found


def _read(root: Path, place: ModulePlace, found: SeamMap, sources: dict[str, str]) -> ModuleFacts | None:
    try:
        contents = read_source_bytes(root, place.path)
        facts = facts_from_source(contents, place)
        sources.setdefault(place.module, decoded_source(contents))
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        found.unread[place.path] = str(error)
        return None
    return facts


def _add_server_calls(index: ProjectIndex, found: SeamMap) -> None:
    """Adds calls from a server to the classes of its constructor's parameters: its responses may use them."""
    for server in found.servers:
        facts = found.facts[server.module]
        makers = (*facts.functions, *(owner.constructor for owner in facts.classes if owner.constructor is not None))
        maker = next((maker for maker in makers if maker.qualname == server.name), None)
        for item in maker.parameters if maker is not None else ():
            for hint in type_hint(item.annotation).members() if item.annotation else ():
                known = index.class_in(hint.name, facts)
                if known is not None:
                    place = (known[0].module, known[1].name)
                    found._calls.setdefault((server.module, server.name), set()).add(place)


def _add_request_seams(module: str, source: str, found: SeamMap) -> None:
    """Adds seams from a client to each server of the other modules; see servers.py."""
    facts = found.facts[module]
    others = [server for server in found.servers if server.module != module]
    owners = {owner.name: owner for owner in facts.classes}
    for callable_ in facts.callables() if others else ():
        if callable_.public and is_client(callable_, owners.get(callable_.owner or ""), source):
            for server in others:
                found._calls.setdefault((module, callable_.qualname), set()).add((server.module, server.name))
                found.seams.append(Seam(module, callable_.qualname, server.module, server.name, callable_.lines[0]))


def _add_constructor_calls(facts: Mapping[str, ModuleFacts], calls: dict[Place, set[Place]]) -> None:
    """Adds calls from a class to all of its methods: code that names a class may call any of them."""
    for module, fact in facts.items():
        for owner in fact.classes:
            inner = {(module, member.qualname) for member in owner.members}
            calls.setdefault((module, owner.name), set()).update(place for place in inner if place in calls)


MOST_TARGETS = 12
MOST_COMPONENTS = 50


def integration_targets(
    root: Path, layout: Layout, paths: Collection[str] | None = None, seams: SeamMap | None = None
) -> tuple[IntegrationTarget, ...]:
    """Finds entry modules whose public code or program reaches another module of the project, most modules first.

    A program that reads a command line is an entry by itself: it is tested in a process of its own, with real files.

    Args:
        paths: POSIX paths of the modules that may be entries; None for all of them.
        seams: the seams of the project; found when not given.
    """
    seams = seams or find_seams(root, layout)
    programs = find_programs(root, layout)
    places = {place.module: place for place in layout.modules}
    found: list[tuple[int, IntegrationTarget]] = []
    for module in seams.facts:
        place = places.get(module)
        if place is None or (paths is not None and place.path not in paths):
            continue
        own = tuple(program for program in programs if program.place == place)
        target = _target(place, seams, places, own, is_command=bool(own) and takes_arguments(root, place))
        if target is not None:
            found.append((-len([component for component in target.components if not component.vocabulary]), target))
    found.sort(key=lambda ranked: (ranked[0], ranked[1].entry.place.path))
    return tuple(target for _, target in found)


def integration_target(
    root: Path, layout: Layout, path: str, symbols: Collection[str] | None = None
) -> IntegrationTarget | None:
    """The target of one entry module, or None where its code reaches no other module of the project.

    Args:
        symbols: qualified names that limit it; `Cart` means its members too.
    """
    found = integration_targets(root, layout, (path,))
    return restrict_target(found[0], symbols) if found else None


def restrict_target(
    target: IntegrationTarget, symbols: Collection[str] | None, left_out: Collection[str] = ()
) -> IntegrationTarget | None:
    """Limits a target to some symbols, without others; None where nothing is left."""

    def named(subject: str, names: Collection[str]) -> bool:
        return any(subject == name or subject.startswith(f"{name}.") for name in names)

    chosen = tuple(
        subject
        for subject in target.subjects
        if (symbols is None or named(subject, symbols)) and not named(subject, left_out)
    )
    programs = target.programs if symbols is None else ()
    return replace(target, subjects=chosen, programs=programs) if chosen or programs else None


def _target(
    place: ModulePlace,
    seams: SeamMap,
    places: dict[str, ModulePlace],
    programs: tuple[ProjectProgram, ...],
    *,
    is_command: bool,
) -> IntegrationTarget | None:
    facts = seams.facts[place.module]
    runs_at_import = place.module.rpartition(".")[2] == "__main__"
    callables = () if runs_at_import else subjects(facts)
    reach = {function.qualname: _reached(function, seams, place.module) for function in callables}
    reach = {
        name: modules
        for name, modules in reach.items()
        if any(not seams.is_vocabulary(module) and module in places for module in modules)
    }
    imported = [module for module in seams.imported(place.module) if module in places] if programs else []
    # Using only exceptions, enums or types of another module is no integration.
    if not reach and not is_command and all(seams.is_vocabulary(module) for module in imported):
        return None
    order = {callable_.qualname: at for at, callable_ in enumerate(facts.callables())}
    ranked = sorted(reach, key=lambda name: (-len(reach[name]), order[name]))
    nearest = [module for module in seams.nearest(place.module, ranked) if module in places]
    names = list(dict.fromkeys((place.module, *nearest, *imported)))[:MOST_COMPONENTS]
    components: list[Component] = []
    for module in names:
        name = _name(module, [component.name for component in components])
        digest = seams.facts[module].digest
        components.append(Component(name, places[module], digest, seams.is_vocabulary(module)))
    called = {seam.target for seam in seams.seams if seam.source == place.module}
    servers = tuple(server for server in seams.servers if server.module in called and server.module in names)
    return IntegrationTarget(components[0], tuple(components), tuple(ranked), programs, servers)


def _reached(function: CallableFacts, seams: SeamMap, module: str) -> frozenset[str]:
    """Modules that a callable reaches; for a class those that constructing it reaches."""
    if function.kind != "constructor":
        return seams.reached(module, function.qualname)
    makers = ("__init__", "__post_init__", "__new__")
    return frozenset().union(*(seams.reached(module, f"{function.qualname}.{name}") for name in makers))


def _name(module: str, taken: list[str]) -> str:
    """The shortest suffix of a dotted name that no other component has."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = "_".join(parts[-length:])[:100]
        if name not in taken and name.isascii():
            return name
    return next(name for name in (f"component_{number}" for number in count(2)) if name not in taken)
