"""Checks specs that hold Python source: unit and integration tests, and timed calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...utils.error_formatter import SpecIssue
from ...utils.python_names import BUILTIN_NAMES, bound_names, imported_names, loaded_names, mentioned_names
from ...utils.python_source import parse_expression, parse_python
from .spec_values import (
    SpecPlace,
    expectation_rules,
    issue,
    mapping,
    objects,
    parsed_expression,
    text,
    texts,
    unbound_name,
)

_REWRITING = "write one expression; statements belong to arrange.statements"
_BINDING = "import {name!r}, or bind it in arrange.statements or arrange.fixtures"


@dataclass(slots=True)
class CaseScope:
    """Names a case may use; `open` when a star import makes them unknowable."""

    names: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    open: bool = False

    def missing(self, tree: ast.AST, extra: set[str]) -> list[str]:
        """Names a tree reads that nothing binds, sorted."""
        if self.open:
            return []
        return sorted(set(loaded_names(tree)) - self.names - extra - BUILTIN_NAMES - bound_names(tree))


def unit_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks that sources parse, names are bound, the act uses the subject, expectations can hold."""
    scope, issues = read_imports(spec)
    yield from issues
    module = text(mapping(spec.get("target")).get("module"))
    cases = spec.get("cases")
    if module and cases and module.partition(".")[0] not in {module.partition(".")[0] for module in scope.modules}:
        message = f"no import brings in {module!r}, which is what the spec tests"
        yield issue(("imports",), "target_not_imported", message, f"add an import such as 'from {module} import …'")
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        arrange = mapping(case.get("arrange"))
        bound, trees, found = _statements((*place, "arrange", "statements"), arrange.get("statements"), scope, arrange)
        yield from found
        act = mapping(case.get("act"))
        expression, found = _expression((*place, "act", "expression"), act.get("expression"), scope, bound)
        yield from found
        # Names that expectations may use besides: captured standard error, and the raised exception.
        raising = any(item.get("kind") == "raises" for _, item in objects(case.get("expect")))
        known = bound | {"result", *({"printed_err", "raised"} if raising else {"printed_err"})}
        yield from expectation_rules(place, case, lambda tree, known=known: scope.missing(tree, known), scope.names)
        if expression is not None and not found:
            yield from _subject_used(place, case, [*trees, expression], scope)


def python_flow_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks the unit rules, and that every named component, edge and service exists."""
    scope, issues = read_imports(spec)
    yield from issues
    target = mapping(spec.get("target"))
    components = {text(item.get("name")) for _, item in objects(target.get("components"))}
    services = {text(item.get("name")) for _, item in objects(spec.get("services"))}
    yield from _components(spec, components)
    runs_program = any(item.get("kind") == "process" for _, item in objects(spec.get("services")))
    if len(components) == 1 and spec.get("cases") and not runs_program:
        place = ("target", "components")
        message, fix = "one component integrates with nothing", "name another component, or run its program"
        yield issue(place, "one_component", message, fix, next(iter(components)))
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        arrange = mapping(case.get("arrange"))
        for position, name in texts(arrange.get("services")):
            if name not in services:
                where = (*place, "arrange", "services", position)
                fix = "describe it in `services`"
                yield issue(where, "unknown_service", f"no service is called {name!r}", fix, name)
        yield from _edges((*place, "crosses"), case.get("crosses"), components | services)
        names = {"fixtures": [*(name for _, name in texts(arrange.get("fixtures"))), *sorted(services)]}
        bound, _, found = _statements((*place, "arrange", "statements"), arrange.get("statements"), scope, names)
        yield from found
        for position, step in objects(mapping(case.get("act")).get("steps")):
            where = (*place, "act", "steps", position)
            yield from _component((*where, "component"), step.get("component"), components)
            yield from _expression((*where, "expression"), step.get("expression"), scope, bound)[1]
            bound.add(text(step.get("save_as")))
        known = bound | {"result"}
        yield from expectation_rules(place, case, lambda tree, known=known: scope.missing(tree, known), scope.names)


def timed_call_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks performance tests that time a Python expression."""
    scope, issues = read_imports(spec)
    yield from issues
    for index, case in objects(spec.get("cases")):
        arrange = mapping(case.get("arrange"))
        place: SpecPlace = ("cases", index)
        bound, _, found = _statements((*place, "arrange", "statements"), arrange.get("statements"), scope, arrange)
        yield from found
        act = mapping(case.get("act"))
        for name in ("expression", "compared"):
            yield from _expression((*place, "act", name), act.get(name), scope, bound)[1]
        yield from _statements((*place, "act", "first"), act.get("first"), scope, {"fixtures": sorted(bound)})[2]
        known = bound | {"result"}
        told = {**case, "expect": case.get("returns")}
        yield from expectation_rules(place, told, lambda tree, known=known: scope.missing(tree, known), scope.names)
        yield from _measured_calls(place, case, act)


def _measured_calls(place: SpecPlace, case: dict[str, Any], act: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks that a limit has the call that it compares with."""
    for position, item in objects(case.get("expect")):
        for metric, needed in (("growth_ratio", "compared"), ("repeat_share", "first")):
            if item.get("metric") == metric and not act.get(needed):
                message = f"{metric} compares with what `{needed}` gives, which is missing"
                yield issue((*place, "expect", position, "metric"), "nothing_to_compare", message, f"add act.{needed}")


def read_imports(spec: dict[str, Any]) -> tuple[CaseScope, list[SpecIssue]]:
    """The names bound by the spec's imports, and the imports that are invalid."""
    scope, issues = CaseScope(), []
    for index, source in texts(spec.get("imports")):
        place: SpecPlace = ("imports", index)
        try:
            body = parse_python(source).body
        except SyntaxError as error:
            fix = "write one import statement"
            issues.append(issue(place, "unparsable", f"the import is not Python: {error.msg}", fix, source))
            continue
        for node in body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                fix = "move it to the case's arrange.statements"
                issues.append(issue(place, "not_an_import", "this is not an import statement", fix, source))
                continue
            _bind(scope, node)
    return scope, issues


def _bind(scope: CaseScope, node: ast.Import | ast.ImportFrom) -> None:
    names = imported_names(node)
    scope.open |= "*" in names
    scope.names |= names
    if isinstance(node, ast.ImportFrom):
        scope.modules.add(node.module or "")
        scope.aliases |= {alias.asname: alias.name for alias in node.names if alias.asname}
    else:
        scope.modules |= {alias.name for alias in node.names}


def _statements(
    place: SpecPlace, statements: Any, scope: CaseScope, arrange: dict[str, Any]
) -> tuple[set[str], list[ast.AST], list[SpecIssue]]:
    """Names bound by fixtures and statements, the parsed statements, and their issues."""
    bound = {name for _, name in texts(arrange.get("fixtures"))}
    trees: list[ast.AST] = []
    issues: list[SpecIssue] = []
    for index, source in texts(statements):
        try:
            tree = parse_python(source)
        except SyntaxError as error:
            fix = "write one complete Python statement"
            message = f"the statement is not Python: {error.msg}"
            issues.append(issue((*place, index), "unparsable", message, fix, source))
            scope = CaseScope(open=True)
            continue
        for name in scope.missing(tree, bound):
            issues.append(unbound_name((*place, index), name, source, _BINDING))
        bound |= bound_names(tree)
        trees.append(tree)
    return bound, trees, issues


def _expression(
    place: SpecPlace, source: Any, scope: CaseScope, bound: set[str]
) -> tuple[ast.expr | None, list[SpecIssue]]:
    return parsed_expression(place, source, lambda tree: scope.missing(tree, bound), _REWRITING, _BINDING)


def _subject_used(
    place: SpecPlace, case: dict[str, Any], trees: list[ast.AST], scope: CaseScope
) -> Iterator[SpecIssue]:
    """Checks leniently that a case uses its subject: its last name counts anywhere, operators count as dunders."""
    subject = text(case.get("subject")).strip()
    name = subject.rpartition(".")[2]
    # Operators call dunder methods without naming them.
    if not name.isidentifier() or (name.startswith("__") and name.endswith("__")):
        return
    for _, expectation in objects(case.get("expect")):
        try:
            trees.append(parse_expression(text(expectation.get("actual")) or "None"))
        except SyntaxError:
            continue
    names = set(mentioned_names(trees))
    if name not in names and name not in {scope.aliases.get(name, name) for name in names}:
        where, message = (*place, "act", "expression"), f"the case never uses its subject {subject!r}"
        fix = f"call {subject!r} in the act, or name the subject that is tested"
        yield issue(where, "subject_unused", message, fix, mapping(case.get("act")).get("expression"))


def _components(spec: dict[str, Any], names: set[str]) -> Iterator[SpecIssue]:
    target = mapping(spec.get("target"))
    seen: set[str] = set()
    for index, item in objects(target.get("components")):
        name = text(item.get("name"))
        if name and name in seen:
            place = ("target", "components", index, "name")
            yield issue(place, "duplicate_component", f"two components are called {name!r}", "rename one", name)
        seen.add(name)
    roles = [item.get("role") for _, item in objects(target.get("components"))]
    if roles and "entry" not in roles:
        yield issue(("target", "components"), "no_entry", "no component is the entry", "give one the role 'entry'")
    yield from _edges(("target", "edges"), target.get("edges"), names)


def _edges(place: SpecPlace, edges: Any, components: set[str]) -> Iterator[SpecIssue]:
    for index, edge in objects(edges):
        for end in ("from", "to"):
            yield from _component((*place, index, end), edge.get(end), components)


def _component(place: SpecPlace, name: Any, components: set[str]) -> Iterator[SpecIssue]:
    if text(name) and name not in components:
        fix = f"use one of: {', '.join(sorted(components))}"
        yield issue(place, "unknown_component", f"no component is called {name!r}", fix, name)
