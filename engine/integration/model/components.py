"""The plain data of integration targets: components, seams and edges.

A component is a module of the project. A seam is a place in the source where one module calls another; an edge is a
call between modules that was observed when a flow ran.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...python.project.layout import ModulePlace
from .programs import ProjectProgram
from .servers import Server


@dataclass(frozen=True, slots=True)
class Seam:
    """A place where one module's code uses another's.

    Attributes:
        source: dotted name of the module that calls.
        caller: qualified name of the function or method that does.
        target: dotted name of the module that is called.
        name: qualified name of what is called there.
        line: in the calling module's file.
    """

    source: str
    caller: str
    target: str
    name: str
    line: int


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """Which module reaches which, by dotted names."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Component:
    """A module of an integration target.

    Attributes:
        name: an identifier, unique among the components of a target.
        digest: sha256 of the file's bytes, in hex.
        vocabulary: it only defines exceptions, enums, constants or types: reaching it alone is no integration.
    """

    name: str
    place: ModulePlace
    digest: str
    vocabulary: bool = False


@dataclass(frozen=True, slots=True)
class IntegrationTarget:
    """One entry module with the modules it reaches.

    Attributes:
        components: the entry first, then its collaborators, those that are nearer first.
        subjects: public callables of the entry whose code reaches another component, most components first.
        programs: programs that start in the entry.
        servers: servers of the collaborators, where the entry sends requests.
    """

    entry: Component
    components: tuple[Component, ...]
    subjects: tuple[str, ...]
    programs: tuple[ProjectProgram, ...] = ()
    servers: tuple[Server, ...] = ()

    def named(self, module: str) -> Component | None:
        """The component of a dotted name."""
        return next((component for component in self.components if component.place.module == module), None)
