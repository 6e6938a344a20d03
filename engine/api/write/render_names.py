"""Names for the tables and constants of a test file, and the constants: schemas, and objects that answers share."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import responses
from typing import Any

from ....utils.python_names import unique_name
from ..document.operations import name_of, snake_case
from ..model.json_values import literal, saved_names_in
from ..model.model import MALFORMED
from ..probe.lists.filled import FILTERS, PAGES
from ..probe.resource_model import resource_of
from .outcome_names import FINDS_NOTHING, UNFIT, UNKNOWN

Json = Mapping[str, Any]
_PARTS = {"body": "bodies", "query": "queries", "path": "paths", "header": "headers", "cookie": "cookies"}
_GROUPS = {
    **{f"broken_{part}": f"refuses broken {parts}" for part, parts in _PARTS.items()},
    **{f"edges_{part}": f"takes {parts} at the edge" for part, parts in _PARTS.items()},
    "with_query": "takes queries",
    FILTERS: "filters",
    PAGES: "in pages",
    UNKNOWN: "refuses filters that name nothing",
    FINDS_NOTHING: "finds nothing",
    UNFIT: "refuses queries",
    "for_others": "filters for other users",
    "sorted": "sorts",
    "credentials": "refuses other credentials",
    "updates": "changes what it is given",
    "conditional": "heeds conditions",
}
_ACROSS = {
    "methods": ("paths_refuse_other_methods", "These paths have no such methods"),
    MALFORMED: ("bodies_that_are_no_json_are_refused", "A body has to be JSON"),
    "anonymous": ("anonymous_requests_are_refused", "Nobody gets through without signing in"),
    "roles": ("plain_users_are_refused", "What is for administrators is refused to others"),
}
_FILLERS = "a an first in last least longest made most no not of one shortest the too with without".split()
"""Words that a name does not end with: what they are about differs from row to row."""


def group_name(operation: str, group: str) -> str:
    """Return what cases of a group show, in snake case: their ids, and so the names of tables, begin with it.

    Args:
        operation: the name of their operation.
    """
    return _ACROSS[group][0] if group in _ACROSS else f"{operation}_{_GROUPS.get(group, group).replace(' ', '_')}"


def table_name(cases: Sequence[Json]) -> str:
    """Return what the rows of a table have in common, in snake case."""
    group = str(cases[0].get("group"))
    if group in _ACROSS:
        return _ACROSS[group][0]
    words = _common_start([str(case["id"]).removeprefix("tc_") for case in cases])
    # The ids of the engine's own cases say it.
    said = group_name(operation_name(cases[0]), group)
    if "_".join(words).startswith(said):
        return said
    operation = operation_name(cases[0]).split("_")
    kept = len(operation) if words[: len(operation)] == operation else 0
    while len(words) > kept and words[-1] in _FILLERS:
        words.pop()
    base = "_".join(words or operation)
    return f"{base}_{_GROUPS.get(group, group).replace(' ', '_')}"


def table_sentence(cases: Sequence[Json]) -> str:
    """Return what the rows of a table have in common, as a sentence."""
    group, operation = str(cases[0].get("group")), cases[0]["operation"]
    if group in _ACROSS:
        return _ACROSS[group][1]
    words = _GROUPS.get(group, group.replace("_", " "))
    return f"{operation['method']} {operation['path']} {words}"


def operation_name(case: Json) -> str:
    """Return the name of a case's operation in snake case."""
    operation = case["operation"]
    return name_of(str(operation.get("operation_id") or ""), str(operation["method"]), str(operation["path"]))


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
    statuses = [expectation["statuses"] for expectation in case["expect"] if expectation["kind"] == "status"]
    return any(min(codes) >= 400 for codes in statuses)


def _shape(whole: Json) -> str:
    """`list_of_string`, `object_of_integer`, `object`."""
    kind = str(whole.get("type") or "answer").replace("array", "list")
    inner = whole.get("items") or whole.get("additionalProperties")
    inner_type = inner.get("type") if isinstance(inner, dict) else ""
    return snake_case(f"{kind}_of_{inner_type}" if isinstance(inner_type, str) and inner_type else kind)


def _common_start(names: Sequence[str]) -> list[str]:
    common: list[str] = []
    for parts in zip(*(name.split("_") for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return common


_LEAST_USES = 4
_LEAST_LENGTH = 50
_MOST_DIFFERENT = 3


@dataclass(slots=True)
class SharedPayloads:
    """The shared objects of a file: names by the keys of the object; see `find_shared_payloads`.

    Attributes:
        exact: keys of refusals, which are named by what they say: one that says something else is none of them.
    """

    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    objects: dict[tuple[str, ...], Json] = field(default_factory=dict)
    exact: set[tuple[str, ...]] = field(default_factory=set)

    def source(self, value: Any) -> str:
        """Render a value of an answer."""
        if isinstance(value, list):
            return "[" + ", ".join(self.source(item) for item in value) + "]"
        plain = literal(value)
        if not isinstance(value, Mapping) or _kind(value) not in self.names:
            return plain
        name, base = self.names[_kind(value)], self.objects[_kind(value)]
        different = {key: entry for key, entry in value.items() if not _same(entry, base[key])}
        if different and _kind(value) in self.exact:
            return plain
        changed = f"{{**{name}, {literal(different)[1:]}" if different else name
        return changed if len(different) <= _MOST_DIFFERENT and len(changed) < len(plain) else plain

    def lines(self) -> list[str]:
        """Render the constants."""
        return [f"{name} = {literal(self.objects[kind])}" for kind, name in self.names.items()]


def find_shared_payloads(cases: Sequence[Json], taken: Sequence[str]) -> SharedPayloads:
    """Find objects of one shape that occur at least four times in answers, and name the commonest.

    Args:
        taken: names that the file already uses.
    """
    found: dict[tuple[str, ...], list[tuple[str, Json]]] = {}
    statuses: dict[str, list[int]] = {}
    for case in cases:
        for payload in _objects(case):
            found.setdefault(_kind(payload), []).append((str(case["operation"]["path"]), payload))
            statuses.setdefault(json.dumps(payload, sort_keys=True), []).append(_status(case))
    made = SharedPayloads()
    for kind, uses in found.items():
        counts = Counter(json.dumps(payload, sort_keys=True) for _, payload in uses if not saved_names_in(payload))
        if len(uses) < _LEAST_USES or not counts:
            continue
        # The commonest, of those the first.
        best = counts.most_common(1)[0][0]
        base = next(payload for _, payload in uses if json.dumps(payload, sort_keys=True) == best)
        if len(literal(base)) >= _LEAST_LENGTH:
            known = [*taken, *made.names.values()]
            if min(statuses[best]) >= 400:
                made.names[kind] = unique_name(_refusal_name(base, statuses[best][0]), known)
                made.exact.add(kind)
            else:
                made.names[kind] = _payload_name(uses[0][0], known)
            made.objects[kind] = base
    return made


def _objects(case: Json) -> Iterator[Json]:
    for expectation in case["expect"]:
        if expectation["kind"] == "body_equals":
            values = expectation["value"] if isinstance(expectation["value"], list) else [expectation["value"]]
            yield from (each for each in values if isinstance(each, Mapping))


def _kind(value: Json) -> tuple[str, ...]:
    return tuple(sorted(value))


def _same(first: Any, second: Any) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _payload_name(path: str, taken: Sequence[str]) -> str:
    base = snake_case(resource_of(path)).upper() or "ANSWER"
    base = base if base.isidentifier() else "ANSWER"
    return unique_name(base, taken)


_CODE_KEYS = ("code", "error", "error_code", "type")
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+")
_MOST_WORDS = 4


def _refusal_name(payload: Json, status: int) -> str:
    """Name a refusal by the code that it tells, by its message if that is short, else by its status."""
    texts = [text for text in payload.values() if isinstance(text, str)]
    codes = [text for key, text in payload.items() if key in _CODE_KEYS and isinstance(text, str)]
    code = next((text for text in codes if _CODE.fullmatch(text)), "")
    phrase = responses.get(status, "")
    short = [text for text in texts if 1 < len(text.split()) <= _MOST_WORDS and text != phrase]
    name = snake_case(code or next(iter(short), phrase)).upper()
    return name if name.isidentifier() else f"REFUSED_{status}"


def _status(case: Json) -> int:
    return next((int(one["statuses"][0]) for one in case["expect"] if one["kind"] == "status"), 200)


def schema_names(
    spec: Json, source: Callable[[Any], str] = literal, taken: Sequence[str] = ("ROOT", "ENVIRONMENT", "SCHEMAS")
) -> dict[str, str]:
    """Name the schemas that answers are validated against: source → name.

    Args:
        source: writes a schema.
        taken: names that the file already uses.
    """
    used: dict[str, tuple[Any, list[Json]]] = {}
    for case in spec["cases"]:
        for expectation in case["expect"]:
            if expectation["kind"] == "body_schema" and "schema" in expectation:
                schema = expectation["schema"]
                used.setdefault(source(schema), (schema, []))[1].append(case)
    found: dict[str, str] = {}
    for text, (schema, cases) in used.items():
        name = schema_name(schema, cases) or "answer"
        # Documents may give several schemas one name; then the operation says which one it is.
        names = [one.upper() for one in (name, f"{operation_name(cases[0])}_{name}")]
        names = [one if one[0].isalpha() else f"A_{one}" for one in names]
        free = [one for one in names if one not in (*taken, *found.values())]
        found[text] = free[0] if free else unique_name(names[-1], (*taken, *found.values()))
    return found


def schema_lines(spec: Json, names: Mapping[str, str]) -> Iterator[str]:
    """Render the schemas; what several of them reference is one shared constant."""
    schemas: dict[str, Any] = {}
    for case in spec["cases"]:
        for expectation in case["expect"]:
            if expectation["kind"] == "body_schema" and "schema" in expectation:
                schemas[names[literal(expectation["schema"])]] = expectation["schema"]
    shared: dict[str, Any] = {}
    for schema in schemas.values():
        shared |= schema.get("$defs", {}) if isinstance(schema, dict) else {}
    definitions = [schema.get("$defs", {}) for schema in schemas.values() if isinstance(schema, dict)]
    # Two documents may define one name in different ways; then each schema keeps its own definitions.
    one_way = all(shared[name] == part for parts in definitions for name, part in parts.items())
    if shared and one_way:
        yield f"SCHEMAS = {literal(dict(sorted(shared.items())))}"
    for name, schema in schemas.items():
        if one_way and isinstance(schema, dict) and "$defs" in schema:
            own = literal({key: part for key, part in schema.items() if key != "$defs"})
            yield f'{name} = {own[:-1]}, "$defs": SCHEMAS}}'
        else:
            yield f"{name} = {literal(schema)}"
