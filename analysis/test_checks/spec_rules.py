"""Checks the quality of specs beyond their schema: common rules, those of API, end-to-end and performance tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from ...utils.error_formatter import SpecIssue
from .spec_python import python_flow_rules, timed_call_rules
from .spec_python import unit_rules as python_unit_rules
from .spec_scripts import script_flow_rules, script_rules
from .spec_values import SpecPlace, issue, mapping, objects, text

_IN_PATH = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_REFUSALS = ("validation", "authentication", "authorization", "not_found", "conflict")
_SCRIPTS = ("javascript", "typescript")
_BODYLESS = ("GET", "HEAD", "TRACE")


def unit_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks unit test specs by the rules of their language."""
    yield from (script_rules if spec.get("language") in _SCRIPTS else python_unit_rules)(spec)


def integration_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks integration test specs by the rules of their language."""
    yield from (script_flow_rules if spec.get("language") in _SCRIPTS else python_flow_rules)(spec)


def api_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks that requests are complete, variables are set before use, the act calls the operation, statuses fit."""
    auth = set(mapping(spec.get("auth")))
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        arrange = mapping(case.get("arrange"))
        known = set(mapping(arrange.get("variables")))
        yield from _sequence((*place, "arrange", "requests"), arrange.get("requests"), auth, known)
        request = mapping(mapping(case.get("act")).get("request"))
        yield from _request((*place, "act", "request"), request, auth, known)
        known |= set(mapping(request.get("save")))
        yield from _sequence((*place, "cleanup"), case.get("cleanup"), auth, known)
        yield from _operation(place, mapping(case.get("operation")), request)
        for position, item in objects(case.get("expect")):
            yield from _answer((*place, "expect", position), item, text(case.get("category")))


def e2e_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks that expectations name an existing action, requests are complete, and a page is opened first."""
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        arrange = mapping(case.get("arrange"))
        yield from _sequence((*place, "arrange", "requests"), arrange.get("requests"), set(), set())
        actions = mapping(case.get("act")).get("actions")
        count = len(actions) if isinstance(actions, list) else 0
        for position, item in objects(case.get("expect")):
            after = item.get("after_action")
            if isinstance(after, int) and after >= count:
                where = (*place, "expect", position, "after_action")
                fix = f"give a number below {count}"
                yield issue(where, "no_such_action", f"there is no action {after}; they count from 0", fix, after)
        yield from _first_action(place, case, mapping(spec.get("target")))


def _first_action(place: SpecPlace, case: dict[str, Any], target: dict[str, Any]) -> Iterator[SpecIssue]:
    actions = list(objects(mapping(case.get("act")).get("actions")))
    if target.get("platform") == "web" and actions and actions[0][1].get("kind") != "open":
        where = (*place, "act", "actions", 0)
        yield issue(
            where, "nothing_opened", "the first action works on a page that nothing has opened", "open one first"
        )


def performance_rules(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    """Checks that requests are complete, limits name existing tasks, pauses are ordered, timed code parses."""
    auth = set(mapping(spec.get("auth")))
    if spec.get("framework") == "pytest":
        yield from timed_call_rules(spec)
    for index, case in objects(spec.get("cases")):
        place: SpecPlace = ("cases", index)
        arrange, act = mapping(case.get("arrange")), mapping(case.get("act"))
        variables = set(mapping(arrange.get("variables")))
        yield from _sequence((*place, "arrange", "requests"), arrange.get("requests"), auth, variables)
        names: set[str] = set()
        for position, task in objects(act.get("tasks")):
            where = (*place, "act", "tasks", position)
            name = text(task.get("name"))
            if name in names:
                yield issue((*where, "name"), "duplicate_task", f"two tasks are called {name!r}", "rename one", name)
            names.add(name)
            yield from _sequence((*where, "requests"), task.get("requests"), auth, set(variables))
            pause = task.get("think_seconds")
            if isinstance(pause, list) and len(pause) == 2 and pause[0] > pause[1]:
                fix = "give the shortest first"
                yield issue((*where, "think_seconds"), "range_reversed", "the longest pause comes first", fix, pause)
        for position, item in objects(case.get("expect")):
            name = text(item.get("task"))
            if name and name not in names:
                where = (*place, "expect", position, "task")
                fix = f"use one of: {', '.join(sorted(names))}"
                yield issue(where, "unknown_task", f"no task is called {name!r}", fix, name)


def _sequence(place: SpecPlace, requests: Any, auth: set[str], known: set[str]) -> Iterator[SpecIssue]:
    for index, request in objects(requests):
        yield from _request((*place, index), request, auth, known)
        known |= set(mapping(request.get("save")))


def _request(place: SpecPlace, request: dict[str, Any], auth: set[str], known: set[str]) -> Iterator[SpecIssue]:
    auth_names = request.get("auth")
    for name in [text(item) for item in (auth_names if isinstance(auth_names, list) else [auth_names])]:
        if name and name not in auth:
            fix = "describe it in `auth`, or leave it out for an anonymous request"
            yield issue((*place, "auth"), "unknown_auth", f"the spec describes no auth {name!r}", fix, name)
    path = _VARIABLE.sub("", text(request.get("path")))
    given = mapping(request.get("path_parameters"))
    for part in _IN_PATH.findall(path):
        if part not in given:
            fix = f"add it to path_parameters, or write {{{{{part}}}}} for a saved value"
            yield issue(
                (*place, "path"), "unfilled_path", f"nothing fills {{{part}}} in the path", fix, request["path"]
            )
    for part in sorted(set(given) - set(_IN_PATH.findall(path))):
        where = (*place, "path_parameters", part)
        yield issue(where, "unused_parameter", f"the path has no {{{part}}}", "remove it, or put it into the path")
    if "body" in request and request.get("method") in _BODYLESS:
        fix = "remove the body, or use another method"
        yield issue((*place, "body"), "body_unused", f"{request['method']} requests carry no body", fix)
    sent = json.dumps({key: value for key, value in request.items() if key != "save"}, default=str)
    # Capitals name the users who sign in: USER_EMAIL.
    for variable in sorted(name for name in set(_VARIABLE.findall(sent)) - known if not name.isupper()):
        fix = "save it in an earlier request of the case, or set it in arrange.variables"
        yield issue(place, "unset_variable", f"nothing has set {{{{{variable}}}}} before this request", fix)


def _operation(place: SpecPlace, operation: dict[str, Any], request: dict[str, Any]) -> Iterator[SpecIssue]:
    if not operation or not request:
        return
    if operation.get("method") != request.get("method"):
        where = (*place, "act", "request", "method")
        fix = f"use {operation.get('method')}"
        yield issue(
            where, "other_operation", "the act does not call the operation's method", fix, request.get("method")
        )
    pattern = re.sub(r"\\\{[^{}]*\\\}", "[^/]+", re.escape(text(operation.get("path"))))
    if not re.fullmatch(pattern, _VARIABLE.sub("x", text(request.get("path")))):
        where = (*place, "act", "request", "path")
        fix = f"request {operation.get('path')!r}"
        yield issue(where, "other_operation", "the act does not call the operation's path", fix, request.get("path"))


def _answer(place: SpecPlace, item: dict[str, Any], category: str) -> Iterator[SpecIssue]:
    statuses = [status for status in item.get("statuses") or () if isinstance(status, int)]
    if category == "success" and statuses and all(status >= 400 for status in statuses):
        fix = "expect a status below 400, or give the case another category"
        yield issue((*place, "statuses"), "status_of_category", "a success case expects only errors", fix, statuses)
    if category in _REFUSALS and statuses and all(status < 400 for status in statuses):
        fix = "expect a status of 400 or above, or give the case another category"
        yield issue((*place, "statuses"), "status_of_category", f"a {category} case expects success", fix, statuses)
    if any(status >= 500 for status in statuses):
        fix = "expect what the contract says; report the defect instead"
        yield issue((*place, "statuses"), "pinned_failure", "a server error is expected", fix, statuses)
    if isinstance(item.get("schema"), dict):
        try:
            Draft202012Validator.check_schema(item["schema"])
        except SchemaError as error:
            fix = "give a valid JSON Schema"
            yield issue(
                (*place, "schema"), "bad_schema", f"this is no JSON Schema: {error.message}", fix, item["schema"]
            )


Rules = Callable[[dict[str, Any]], Iterator[SpecIssue]]
_RULES: dict[str, Rules] = {
    "unit": unit_rules,
    "integration": integration_rules,
    "api": api_rules,
    "e2e": e2e_rules,
    "performance": performance_rules,
}


def quality_issues(spec: dict[str, Any], test_type: str) -> Iterator[SpecIssue]:
    """Yields every quality rule the spec breaks; parts of the wrong shape are left to the schema.

    Args:
        test_type: selects the rules that apply in addition to the common ones.
    """
    for rules in (_unique_ids, _same_cases, _evidence, _RULES[test_type]):
        yield from rules(spec)


def _unique_ids(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    for section in ("cases", "suspected_defects"):
        first: dict[str, int] = {}
        for index, item in objects(spec.get(section)):
            name = text(item.get("id"))
            if name and name in first:
                message = f"the id {name!r} is that of {section}[{first[name]}] already"
                fix = "give every case an id of its own that says what differs"
                yield issue((section, index, "id"), "duplicate_id", message, fix, name)
            first.setdefault(name, index)


def _same_cases(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    first: dict[str, int] = {}
    for index, case in objects(spec.get("cases")):
        if not case.get("act"):
            continue
        content = repr([case.get("arrange"), case["act"], case.get("expect"), case.get("operation")])
        if content in first:
            message = f"the case arranges, does and expects the same as cases[{first[content]}]"
            fix = "remove it, or let it show something else"
            yield issue(("cases", index), "duplicate_case", message, fix, case.get("id"))
        first.setdefault(content, index)


def _evidence(spec: dict[str, Any]) -> Iterator[SpecIssue]:
    elsewhere = _is_site_from_elsewhere(spec)
    for index, case in objects(spec.get("cases")):
        for position, expectation in objects(case.get("expect")):
            place: SpecPlace = ("cases", index, "expect", position)
            evidence = expectation.get("evidence")
            if evidence is None:
                if elsewhere and expectation.get("origin") == "observed":
                    continue
                fix = "add evidence: the path and the lines that say or show what is expected"
                yield issue(place, "no_evidence", "the expectation names no evidence", fix, expectation)
            else:
                yield from _lines_in_order((*place, "evidence", "lines"), mapping(evidence).get("lines"))


def _is_site_from_elsewhere(spec: dict[str, Any]) -> bool:
    """Whether a command starts the site of browser tests, or it runs already: no line in the project is to be named."""
    target = mapping(spec.get("target"))
    made_here = mapping(target.get("application")).get("import") or target.get("path")
    elsewhere = mapping(target.get("application")).get("command") or target.get("base_url")
    return spec.get("test_type") == "e2e" and bool(elsewhere) and not made_here


def _lines_in_order(place: SpecPlace, lines: Any) -> Iterator[SpecIssue]:
    if not isinstance(lines, list) or len(lines) != 2 or not all(isinstance(line, int) for line in lines):
        return
    if lines[0] > lines[1]:
        yield issue(place, "lines_reversed", "the last line comes before the first", "swap the two lines", lines)
