"""Names and docstrings for the tables and constants of a test file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.operations import name_of, snake_case

Json = Mapping[str, Any]
_GROUPS = {
    "broken_body": "refuses broken bodies",
    "broken_query": "refuses broken queries",
    "broken_path": "refuses broken paths",
    "broken_header": "refuses broken headers",
    "broken_cookie": "refuses broken cookies",
    "edges_body": "takes bodies at the edge",
    "edges_query": "takes queries at the edge",
    "edges_path": "takes paths at the edge",
    "edges_header": "takes headers at the edge",
    "edges_cookie": "takes cookies at the edge",
    "with_query": "takes queries",
    "filters": "filters",
    "credentials": "refuses other credentials",
}
_METHODS = "methods"
_FILLERS = "a an first in last least longest made most no not of one shortest the too with without".split()
"""Words that a name does not end with: what they are about differs from row to row."""


def table_name(cases: Sequence[Json]) -> str:
    """Return what the rows of a table have in common, in snake case."""
    group = str(cases[0].get("group"))
    if group == _METHODS:
        return "paths_have_no_such_method"
    words = _common_start([str(case["id"]).removeprefix("tc_") for case in cases])
    operation = operation_name(cases[0]).split("_")
    kept = len(operation) if words[: len(operation)] == operation else 0
    while len(words) > kept and words[-1] in _FILLERS:
        words.pop()
    base = "_".join(words or operation)
    return f"{base}_{_GROUPS.get(group, group).replace(' ', '_')}"


def table_sentence(cases: Sequence[Json]) -> str:
    """Return what the rows of a table have in common, as a sentence."""
    group, operation = str(cases[0].get("group")), cases[0]["operation"]
    if group == _METHODS:
        return f"These paths have no method {cases[0]['act']['request']['method']}"
    words = _GROUPS.get(group, group.replace("_", " "))
    return f"{operation['method']} {operation['path']} {words}"


def operation_name(case: Json) -> str:
    """Return the name of a case's operation in snake case."""
    told = case["operation"]
    return name_of(str(told.get("operation_id") or ""), str(told["method"]), str(told["path"]))


def schema_name(schema: Any, cases: Sequence[Json]) -> str:
    """Name a schema in snake case: after its component, else after the operation that answers with it.

    Args:
        cases: the cases whose answers it describes.
    """
    whole = schema if isinstance(schema, dict) else {}
    items = whole.get("items")
    inner = items.get("$ref", "") if isinstance(items, dict) else ""
    reference = str(whole.get("$ref") or "").rpartition("/")[2]
    if reference or inner:
        return snake_case(reference or f"{inner.rpartition('/')[2]}_list")
    errors = all(_refused(case) for case in cases)
    names = list(dict.fromkeys(operation_name(case) for case in cases))
    if len(names) == 1:
        return f"{names[0]}_{'error' if errors else 'answer'}"
    return "error" if errors else _shape(whole)


def _refused(case: Json) -> bool:
    return any(one["kind"] == "status" and min(one["statuses"]) >= 400 for one in case["expect"])


def _shape(whole: Json) -> str:
    """`list_of_string`, `object_of_integer`, `object`."""
    kind = str(whole.get("type") or "answer").replace("array", "list")
    inner = whole.get("items") or whole.get("additionalProperties")
    told = inner.get("type") if isinstance(inner, dict) else ""
    return snake_case(f"{kind}_of_{told}" if isinstance(told, str) and told else kind)


def _common_start(names: Sequence[str]) -> list[str]:
    common: list[str] = []
    for parts in zip(*(name.split("_") for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return common
