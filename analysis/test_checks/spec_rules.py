"""Checks the quality of test specs beyond their schema: common rules, and rules per test type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...utils.error_formatter import SpecIssue
from .spec_http import api_rules, e2e_rules, performance_rules
from .spec_python import integration_rules, unit_rules
from .spec_values import SpecPlace, issue, mapping, objects, text

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
    for index, case in objects(spec.get("cases")):
        for position, expectation in objects(case.get("expect")):
            place: SpecPlace = ("cases", index, "expect", position)
            evidence = expectation.get("evidence")
            if evidence is None:
                fix = "add evidence: the path and the lines that say or show what is expected"
                yield issue(place, "no_evidence", "the expectation names no evidence", fix, expectation)
            else:
                yield from _lines_in_order((*place, "evidence", "lines"), mapping(evidence).get("lines"))


def _lines_in_order(place: SpecPlace, lines: Any) -> Iterator[SpecIssue]:
    if not isinstance(lines, list) or len(lines) != 2 or not all(isinstance(line, int) for line in lines):
        return
    if lines[0] > lines[1]:
        yield issue(place, "lines_reversed", "the last line comes before the first", "swap the two lines", lines)
