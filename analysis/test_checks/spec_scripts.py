"""Checks specs of tests for scripts: sources parse, the act uses the subject, rows of tables fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine.javascript.flows.helpers import runner_of
from ...sandbox.javascript.syntax import parse
from ...utils.error_formatter import SpecIssue
from .spec_values import SpecPlace, issue, mapping, objects, text, texts


def script_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Yields what is wrong with the cases of a spec of unit tests for JavaScript or TypeScript."""
    exports = set(mapping(mapping(spec.get("target")).get("exports")).values())
    yield from _case_rules(spec, exports)


def script_flow_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Yields what is wrong with the cases of a spec of integration tests for JavaScript or TypeScript."""
    target = mapping(spec.get("target"))
    components = {text(one.get("name")) for _, one in objects(target.get("components"))}
    services = {text(one.get("name")) for _, one in objects(spec.get("services"))}
    names = {name for _, one in objects(target.get("components")) for name in mapping(one.get("exports")).values()}
    runners = {runner_of(name) for name in mapping(target.get("programs"))}
    yield from _case_rules(spec, names | runners)
    for index, case in objects(spec.get("cases")):
        for at, edge in objects(case.get("crosses")):
            for end in ("from", "to"):
                name = text(edge.get(end))
                if name not in components | services:
                    where = ("cases", index, "crosses", at, end)
                    fix = f"use one of: {', '.join(sorted(components | services))}"
                    yield issue(where, "unknown_component", f"no component or service is called {name!r}", fix, name)


def _case_rules(spec: dict[str, Any], exports: set[str]) -> Iterator[SpecIssue]:
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        act = mapping(case.get("act"))
        subject = text(case.get("subject"))
        if subject and subject.partition(".")[0] not in exports:
            fix = f"use one of: {', '.join(sorted(map(str, exports)))}"
            yield issue((*place, "subject"), "unknown_subject", f"the module exports no {subject!r}", fix, subject)
        member = subject.rpartition(".")[2]
        if member and text(act.get("callee")).rpartition(".")[2] != member:
            message = f"the act does not call {subject!r}"
            yield issue((*place, "act", "callee"), "subject_not_used", message, f"call {member!r}", act.get("callee"))
        sources = [((*place, "act", "callee"), text(act.get("callee")))]
        sources += [((*place, "act", "arguments", at), one) for at, one in texts(act.get("arguments"))]
        for at, one in objects(case.get("expect")):
            sources += [((*place, "expect", at, "value"), text(one.get("value")))] if "value" in one else []
        for where, source in sources:
            if source and not _is_expression(source):
                yield issue(where, "not_parsable", "it is no expression of JavaScript", "write one expression", source)
        statements = texts(mapping(case.get("arrange")).get("statements"))
        for at, one in statements:
            if parse(f"{one}\n".encode(), "statement.ts").has_error:
                where = (*place, "arrange", "statements", at)
                yield issue(where, "not_parsable", "it is no statement of JavaScript", "write one statement", one)


def _is_expression(source: str) -> bool:
    if source.startswith("..."):
        source = source[3:]
    tree = parse(f"({source});".encode(), "expression.ts")
    return not tree.has_error and len(tree.named_children) == 1
