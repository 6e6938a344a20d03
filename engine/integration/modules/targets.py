"""Selects the modules to write integration tests for, each with the modules it reaches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import count
from pathlib import Path

from ...python.facts.analyse import subjects
from ...python.model.model import CallableFacts
from ...python.project.layout import Layout, ModulePlace
from ..model.components import Component, IntegrationTarget
from ..model.programs import ProjectProgram, find_programs
from .seams import SeamMap, find_seams

MOST_TARGETS = 12
MOST_COMPONENTS = 50


def integration_targets(
    root: Path, layout: Layout, paths: Collection[str] | None = None, seams: SeamMap | None = None
) -> tuple[IntegrationTarget, ...]:
    """Finds entry modules whose public code or program reaches another module of the project, most modules first.

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
        target = _target(place, seams, places, tuple(program for program in programs if program.place == place))
        if target is not None:
            found.append((-len([component for component in target.components if not component.vocabulary]), target))
    found.sort(key=lambda one: (one[0], one[1].entry.place.path))
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
        one for one in target.subjects if (symbols is None or named(one, symbols)) and not named(one, left_out)
    )
    programs = target.programs if symbols is None else ()
    return replace(target, subjects=chosen, programs=programs) if chosen or programs else None


def _target(
    place: ModulePlace, seams: SeamMap, places: dict[str, ModulePlace], programs: tuple[ProjectProgram, ...]
) -> IntegrationTarget | None:
    facts = seams.facts[place.module]
    runs_at_import = place.module.rpartition(".")[2] == "__main__"
    callables = () if runs_at_import else subjects(facts)
    reach = {function.qualname: _reached(function, seams, place.module) for function in callables}
    reach = {
        name: modules
        for name, modules in reach.items()
        if any(not seams.is_vocabulary(one) and one in places for one in modules)
    }
    imported = [one for one in seams.imported(place.module) if one in places] if programs else []
    if not reach and all(seams.is_vocabulary(one) for one in imported):
        return None
    order = {callable_.qualname: at for at, callable_ in enumerate(facts.callables())}
    ranked = sorted(reach, key=lambda name: (-len(reach[name]), order[name]))
    nearest = [one for one in seams.nearest(place.module, ranked) if one in places]
    names = list(dict.fromkeys((place.module, *nearest, *imported)))[:MOST_COMPONENTS]
    components: list[Component] = []
    for module in names:
        name = _name(module, [component.name for component in components])
        digest = seams.facts[module].digest
        components.append(Component(name, places[module], digest, seams.is_vocabulary(module)))
    asked = {seam.target for seam in seams.seams if seam.source == place.module}
    servers = tuple(server for server in seams.servers if server.module in asked and server.module in names)
    return IntegrationTarget(components[0], tuple(components), tuple(ranked), programs, servers)


def _reached(one: CallableFacts, seams: SeamMap, module: str) -> frozenset[str]:
    """Modules that a callable reaches; for a class those that constructing it reaches."""
    if one.kind != "constructor":
        return seams.reached(module, one.qualname)
    makers = ("__init__", "__post_init__", "__new__")
    return frozenset().union(*(seams.reached(module, f"{one.qualname}.{name}") for name in makers))


def _name(module: str, taken: list[str]) -> str:
    """The shortest suffix of a dotted name that no other component has."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = "_".join(parts[-length:])[:100]
        if name not in taken and name.isascii():
            return name
    return next(name for name in (f"component_{number}" for number in count(2)) if name not in taken)
