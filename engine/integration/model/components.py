"""The plain data of integration targets: components, seams, edges, and the cases of the spec.

A component is a module of the project. A seam is a place in the source where one module calls another; an edge is a
call between modules that was observed when a flow ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ....utils.canonical import attributes
from ...python.model.spec_case import Case, SpecExpectation
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


JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One call of a flow: the component it calls, and the variable for its value (`save_as`, empty for none)."""

    component: str
    expression: str
    mode: str = "call"
    save_as: str = ""

    def to_json(self) -> JsonObject:
        """The JSON form; without `save_as` where the value is not kept."""
        return {key: text for key, text in asdict(self).items() if text or key != "save_as"}


@dataclass(frozen=True, slots=True)
class FlowCase:
    """One flow: arrangement, calls in order, expectations.

    Attributes:
        crosses: pairs of component names, caller first.
        steps: at least one; the last one's value is `result`.
        services: names of the spec's services that it needs.
        step_texts: the steps in words, `steps` of the JSON form.
    """

    id: str
    title: str
    crosses: tuple[tuple[str, str], ...]
    steps: tuple[FlowStep, ...]
    expect: tuple[SpecExpectation, ...]
    fixtures: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    priority: str = "medium"
    preconditions: tuple[str, ...] = ()
    step_texts: tuple[str, ...] = ()
    expected: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FlowCase:
        """Read one case. Raises KeyError, TypeError or ValueError where the schema is not kept."""
        arrange = data.get("arrange") or {}
        return cls(
            id=str(data["id"]),
            title=str(data["title"]),
            crosses=tuple((str(cross["from"]), str(cross["to"])) for cross in data["crosses"]),
            steps=tuple(
                FlowStep(**{name: str(value) for name, value in step.items()}) for step in data["act"]["steps"]
            ),
            expect=tuple(SpecExpectation.from_json(expectation) for expectation in data["expect"]),
            **{name: tuple(arrange.get(name) or ()) for name in ("fixtures", "services", "statements")},
            priority=str(data.get("priority") or "medium"),
            preconditions=tuple(data.get("preconditions") or ()),
            step_texts=tuple(data.get("steps") or ()),
            expected=str(data.get("expected") or ""),
        )

    def to_json(self) -> JsonObject:
        """The JSON form, as the integration spec's schema has it."""
        return {
            **attributes(self, "id", "title", "priority", "preconditions"),
            "steps": list(self.step_texts),
            "expected": self.expected,
            "crosses": [{"from": source, "to": target} for source, target in self.crosses],
            "arrange": {name: list(getattr(self, name)) for name in ("fixtures", "services", "statements")},
            "act": {"steps": [step.to_json() for step in self.steps]},
            "expect": [expectation.to_json() for expectation in self.expect],
        }

    def as_case(self) -> Case:
        """The same as a case of one act: the steps before the last are statements. Raises ValueError for no steps."""
        if not self.steps:
            raise ValueError(f"{self.id} has no step")
        *before, last = self.steps
        statements = [*self.statements, *(_statement(step) for step in before)]
        return Case(
            id=self.id,
            title=self.title,
            subject=last.component,
            expression=last.expression,
            mode=last.mode,
            expect=self.expect,
            fixtures=self.fixtures,
            statements=tuple(statements),
        )


def _statement(step: FlowStep) -> str:
    forms = {"call": step.expression, "await": f"asyncio.run({step.expression})", "iterate": f"list({step.expression})"}
    if step.mode not in forms:
        raise ValueError(f"only the last step may have the mode {step.mode}")
    value = forms[step.mode]
    return f"{step.save_as} = {value}" if step.save_as else value
