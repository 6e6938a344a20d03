"""Composes an integration spec, valid against its schema, from flows and program runs, and renders its test file."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....core.errors import AgentFailure
from ....utils.generated_header import with_header
from ....utils.python_source import parse_python
from ...python.facts.names import ImportNames, imported_from_origin, message_part
from ...python.judge.assertable_finding import AssertableFinding
from ...python.judge.defects import suspected_defects
from ...python.judge.finding_selection import assertable_findings
from ...python.model.model import ModuleFacts
from ...python.model.spec_case import SpecExpectation
from ...python.source.import_block import import_block
from ...python.source.polish import polish
from ...python.usage.project_index import ProjectIndex
from ...python.write.case_namer import CaseNamer
from ...python.write.render import class_name, format_python
from ...python.write.render_pytest import PytestDialect, function_lines
from ...python.write.render_unittest import UnittestDialect, method_lines
from ..flows import loopback
from ..flows.explore import Flows, edges_taken
from ..flows.loopback import FIXTURE, PYTEST_FIXTURE, UNITTEST_FIXTURE, needs_helper
from ..model.components import Edge, FlowCase, FlowStep, IntegrationTarget

SCHEMA_VERSION = "1.0.0"
_MOST_EDGES = 200


@dataclass(frozen=True, slots=True)
class ProgramAdditions:
    """What program runs add to a spec; see program_cases.py."""

    cases: tuple[FlowCase, ...] = ()
    services: tuple[dict[str, Any], ...] = ()
    imports: tuple[str, ...] = ()
    edges: frozenset[Edge] = frozenset()
    defects: tuple[dict[str, Any], ...] = ()
    not_reached: tuple[dict[str, Any], ...] = ()


NO_ADDITIONS = ProgramAdditions()


def compose_integration_spec(
    target: IntegrationTarget,
    flows: Flows,
    index: ProjectIndex,
    *,
    framework: str,
    programs: Callable[[set[str]], ProgramAdditions] = lambda taken: NO_ADDITIONS,
) -> dict[str, Any]:
    """Composes the integration spec of one entry. Where `cases` is empty, `not_reached` has the reasons.

    Args:
        framework: pytest or unittest.
        programs: returns what the entry's programs add; its argument are the case ids in use.
    """
    exploration = flows.exploration
    facts = exploration.facts
    judged, without = assertable_findings(exploration)
    names = ImportNames(
        [text for finding in judged for text in (*finding.finding.trial.imports, *finding.verdict.imports)]
    )
    namer = CaseNamer(facts, [finding.finding for finding in judged])
    cases = [_case(finding, target, flows, facts, index, namer, names) for finding in judged]
    added = programs({case.id for case in cases})
    defects = suspected_defects(exploration)
    reported = {finding.finding.trial.subject for finding in judged} | {str(defect["subject"]) for defect in defects}
    helper_imports = loopback.IMPORTS if any(loopback.needs_helper(case.fixtures) for case in cases) else ()
    edges = {edge for edges_ in flows.edges for edge in edges_} | added.edges
    return {
        "schema_version": SCHEMA_VERSION,
        "test_type": "integration",
        "title": _title(target),
        "language": "python",
        "framework": framework,
        "target": {"components": components_json(target), "edges": edges_json(target, edges)},
        "imports": sorted({*names.statements(), *added.imports, *helper_imports}),
        "services": [*_services(cases), *added.services],
        "cases": [case.to_json() for case in (*cases, *added.cases)],
        "suspected_defects": [*defects, *added.defects],
        "not_reached": [*unreached_json(target, flows, without, reported), *added.not_reached],
    }


def _case(
    judged: AssertableFinding,
    target: IntegrationTarget,
    flows: Flows,
    facts: ModuleFacts,
    index: ProjectIndex,
    namer: CaseNamer,
    names: ImportNames,
) -> FlowCase:
    trial, verdict = judged.finding.trial, judged.verdict
    imports = imported_from_origin(trial.imports, facts)
    expect = with_exception_message(verdict.expectations, judged, flows.arcs.sources)
    source = names.adopt(trial.arrange, trial.act, imports, expect, verdict.imports)
    named = namer.name(trial.subject, source.statements, source.expression, trial.mode, source.expect)
    statements, steps = split_steps(source.statements, source.expression, trial.mode, target, index)
    served = loopback.needs_helper(trial.fixtures)
    crosses = crossed_components(
        target, edges_taken(flows.arcs, judged.finding.observation.arcs, target, served=served)
    )
    needed = {"folder": "tmp_path" in trial.fixtures, "serving": loopback.needs_helper(trial.fixtures)}
    return FlowCase(
        id=named.id,
        title=named.title,
        crosses=crosses,
        steps=steps,
        expect=source.expect,
        fixtures=tuple(fixture for fixture in trial.fixtures if fixture != loopback.HELPER),
        services=tuple(name for name, is_needed in needed.items() if is_needed),
        statements=statements,
        priority="high" if judged.documented else "medium",
        preconditions=tuple(" ".join(statement.split())[:900] for statement in statements[:50]),
        step_texts=tuple(f"{step.component}: {' '.join(step.expression.split())}"[:900] for step in steps),
        expected=named.expected,
    )


def with_exception_message(
    expect: tuple[SpecExpectation, ...], judged: AssertableFinding, sources: Sequence[str | None]
) -> tuple[SpecExpectation, ...]:
    """Adds an exception's message to the expectations where its words are in the code of a component."""
    finding = judged.finding
    raised = finding.observation.raised
    if raised is None or any(facet.startswith("message") for facet in finding.unstable):
        return expect
    match = message_part(raised.message, finding.trial.act)
    words = [
        words_
        for words_ in re.findall(r"[A-Za-z]{2,} [a-z]{2,}|[A-Za-z]{6,}", match or "")
        if words_ not in finding.trial.act
    ]
    if match is None or not any(word in text for word in words for text in sources if text):
        return expect
    return tuple(
        replace(expectation, match=match) if expectation.kind == "raises" and not expectation.match else expectation
        for expectation in expect
    )


def crossed_components(target: IntegrationTarget, edges: Iterable[Edge]) -> tuple[tuple[str, str], ...]:
    """Edges by the components' names, in the components' order."""
    order = {component.place.module: at for at, component in enumerate(target.components)}
    names = {component.place.module: component.name for component in target.components}
    known = [edge for edge in edges if edge.source in order and edge.target in order]
    known.sort(key=lambda edge: (order[edge.source], order[edge.target]))
    return tuple((names[edge.source], names[edge.target]) for edge in known)


def components_json(target: IntegrationTarget) -> list[dict[str, Any]]:
    """The components as the spec has them."""
    return [
        {
            "name": component.name,
            "role": "entry" if component is target.components[0] else "collaborator",
            "path": component.place.path,
            "module": component.place.module,
            "import_root": component.place.import_root,
            "digest": component.digest,
        }
        for component in target.components
    ]


def edges_json(target: IntegrationTarget, edges: Iterable[Edge]) -> list[dict[str, str]]:
    """The observed edges as the spec has them."""
    entry, modules = target.entry.name, {server.module for server in target.servers}
    served = {component.name for component in target.components if component.place.module in modules}
    return [
        {"from": source, "to": reached, "through": "requests" if source == entry and reached in served else "calls"}
        for source, reached in crossed_components(target, edges)[:_MOST_EDGES]
    ]


def unreached_json(
    target: IntegrationTarget, flows: Flows, without: dict[str, str], reported: set[str]
) -> list[dict[str, Any]]:
    """Subjects of the entry without a case, and why, by line."""
    lines = {function.qualname: function.lines[0] for function in flows.exploration.facts.callables()}
    reasons = {subject.qualname: subject.reason for subject in flows.exploration.unreached}
    reasons |= {subject: reason for subject, reason in without.items() if reason}
    found: list[dict[str, Any]] = []
    for subject in sorted(set(target.subjects) - reported, key=lambda subject: (lines.get(subject, 0), subject)):
        entry: dict[str, Any] = {"subject": subject, "reason": reasons.get(subject) or "no flow through it was found"}
        found.append({**entry, "line": lines[subject]} if lines.get(subject) else entry)
    return found


def _services(cases: Sequence[FlowCase]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if any("folder" in case.services for case in cases):
        found.append({"name": "folder", "kind": "filesystem", "stand_in": "real", "fixture": "tmp_path"})
    if any("serving" in case.services for case in cases):
        found.append(loopback.server_service())
    return found


def _title(target: IntegrationTarget) -> str:
    others = [component.name for component in target.components[1:] if not component.vocabulary]
    shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    title = f"Integration tests for {target.entry.place.module}"
    return f"{title} with {shown}"[:280] if shown else title[:280]


def split_steps(
    statements: Sequence[str], act: str, mode: str, target: IntegrationTarget, index: ProjectIndex
) -> tuple[tuple[str, ...], tuple[FlowStep, ...]]:
    """Splits a flow: arranging statements, then steps from the first unassigned call on; the act is the last."""
    components = _Components(target, index)
    bodies = [parse_python(statement).body for statement in statements]
    begin = len(statements)
    for at in range(len(statements) - 1, -1, -1):
        # Steps are calls without a gap between them and the act.
        if not _is_step(bodies[at]):
            break
        if isinstance(bodies[at][0], ast.Expr):
            begin = at
    # The steps are the unbroken series of calls before the act; everything before it is arrangement.
    for body in bodies:
        components.bind(body)
    steps = [components.step(bodies[at][0], statements[at]) for at in range(begin, len(statements))]
    # A step must name its component; where one cannot, all are arrangement.
    if any(step is None for step in steps):
        begin, steps = len(statements), []
    last = FlowStep(components.of_source(act), act, mode)
    return tuple(statements[:begin]), (*(step for step in steps if step is not None), last)


def _is_step(body: list[ast.stmt]) -> bool:
    if len(body) != 1:
        return False
    node = body[0]
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)


class _Components:
    """Finds the component that an expression calls, by the classes of variables and the modules of names."""

    def __init__(self, target: IntegrationTarget, index: ProjectIndex) -> None:
        self._target = target
        self._index = index
        self._variables: dict[str, str] = {}

    def bind(self, body: list[ast.stmt]) -> None:
        """Records the component whose object a variable holds."""
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = self._called(node.value)
                if name is not None:
                    self._variables[node.targets[0].id] = name

    def step(self, node: ast.stmt, source: str) -> FlowStep | None:
        """A statement as a step; None where no component is called."""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = self._called(node.value)
            return FlowStep(name, ast.unparse(node.value), save_as=node.targets[0].id) if name is not None else None
        if isinstance(node, ast.Expr):
            name = self._called(node.value)
            return FlowStep(name, source.strip()) if name is not None else None
        return None

    def of_source(self, expression: str) -> str:
        """The component that an expression calls; the entry where that is unknown."""
        body = parse_python(expression.strip()).body
        node = body[0] if body else None
        name = self._called(node.value) if isinstance(node, ast.Expr) else None
        return name or self._target.entry.name

    def _called(self, node: ast.expr) -> str | None:
        while isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.Await):
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return None
        return self._variables.get(node.id) or self._module_of(node.id)

    def _module_of(self, name: str) -> str | None:
        for component in self._target.components:
            facts = self._index.facts_of(component.place.module)
            names = {each.name for each in (*facts.functions, *facts.classes)} if facts is not None else set()
            if name in names:
                return component.name
        return None


def render_integration(spec: Mapping[str, Any], framework: str) -> str:
    """Renders the test file of an integration spec, header included.

    Args:
        spec: valid against the integration test schema.
        framework: pytest or unittest.

    Raises:
        AgentFailure: the spec's source does not make a Python file, or the framework is unknown.
        EnvironmentFault: ruff, which formats the file, cannot be run.
    """
    entry = spec["target"]["components"][0]
    if framework not in ("pytest", "unittest"):
        raise AgentFailure(
            f"integration tests cannot be written for {framework!r}", advice="ask for the framework pytest or unittest"
        )
    try:
        text = _source(spec, framework, entry)
        parse_python(text)
    except (SyntaxError, ValueError, KeyError) as error:
        raise AgentFailure(f"the spec for {entry['module']} does not render as Python: {error}") from error
    return with_header(format_python(text), target=str(entry["path"]))


def _source(spec: Mapping[str, Any], framework: str, entry: Mapping[str, Any]) -> str:
    flows = [FlowCase.from_json(case) for case in spec["cases"]]
    # A service that no flow uses would be dead code in the test file.
    used = {name for flow in flows for name in flow.services}
    services = [service for service in spec.get("services") or () if service["name"] in used]
    helpers = [polish(statement) for service in services for statement in service.get("setup") or ()]
    after = [polish(statement) for service in services for statement in service.get("teardown") or ()]
    names = {flow.id: f"test_{flow.id.removeprefix('tc_')}" for flow in flows}
    if after:
        name = "teardown_module" if framework == "pytest" else "tearDownModule"
        helpers.append("\n".join([f"def {name}():", *(textwrap.indent(statement, "    ") for statement in after)]))
    if framework == "pytest":
        dialect = PytestDialect()
        # Fixtures that pytest lacks come with the file.
        if any(needs_helper(flow.fixtures) for flow in flows):
            helpers.append(PYTEST_FIXTURE)
        tests = ["\n".join(function_lines(flow.as_case(), names[flow.id], dialect)) for flow in flows]
    else:
        dialect = _Unittest()
        owner = f"{class_name(str(entry['name']))}Flows"
        methods = ["\n".join(method_lines(flow.as_case(), names[flow.id], dialect, owner=owner)) for flow in flows]
        inner = "\n\n".join(methods)
        head = f"class {owner}(unittest.TestCase):"
        tests = [head + "\n" + "\n".join(f"    {line}" if line else "" for line in inner.split("\n"))]
    code = "\n\n\n".join([*helpers, *tests])
    # `asyncio.run` stands in the rendered steps, not in the spec's imports.
    waiting = any(step.mode == "await" for flow in flows for step in flow.steps)
    imports = [*(spec.get("imports") or ()), *sorted(dialect.imports), *(["import asyncio"] if waiting else [])]
    block = import_block(imports, code=code, first_party=str(entry["module"]).partition(".")[0])
    return "\n\n".join(part for part in (f'"""{spec["title"]}."""', block, "\n" + code) if part.strip())


class _Unittest(UnittestDialect):
    """The dialect of unittest; clean-ups stop the servers that a flow starts."""

    def fixture(self, name: str) -> list[str]:
        """The statements for a fixture, as for unit tests, and for `running`."""
        return list(UNITTEST_FIXTURE) if name == FIXTURE else super().fixture(name)
