"""Writes expectations of an API spec as `expect` statements, which Jest and Playwright Test both read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .....core.errors import AgentFailure
from ....javascript.domain.value_pools import quoted_text
from ...model.json_values import escape_key
from .script_requests import script_place, script_text, script_value

Json = Mapping[str, Any]
_COMPARED = {
    **{"less": "toBeLessThan", "at_most": "toBeLessThanOrEqual"},
    **{"greater": "toBeGreaterThan", "at_least": "toBeGreaterThanOrEqual"},
}
_TYPES = {
    **{"string": "'string'", "number": "'number'", "boolean": "'boolean'"},
}
BODY = "body"
"""The constant that holds an answer's JSON where several expectations are about it."""


def expects_redirect(case: Json) -> bool:
    """Whether the answer of a case is a redirect."""
    codes = [code for one in case["expect"] if one["kind"] == "status" for code in one["statuses"]]
    return any(300 <= code < 400 for code in codes)


def check_lines(expect: Sequence[Json], schemas: Mapping[str, str]) -> list[str]:
    """The statements after the act, which holds the answer in `response`.

    Args:
        schemas: names of the file's schemas, by their source.

    Raises:
        AgentFailure: an expectation cannot be written as a test.
    """
    looks = sum(_looks_into(one) for one in expect)
    named = looks > 1 or any(one["kind"] == "body_value" for one in expect)
    body = BODY if named else "await response.json()"
    lines: list[str] = []
    for one in expect:
        if named and _looks_into(one) and f"const {BODY} = await response.json();" not in lines:
            lines.append(f"const {BODY} = await response.json();")
        lines += _check(one, body, schemas)
    return lines


def _looks_into(one: Json) -> bool:
    return str(one["kind"]) in ("body_equals", "body_schema", "body_value")


def _check(one: Json, body: str, schemas: Mapping[str, str]) -> Iterator[str]:
    kind = str(one["kind"])
    if kind == "status":
        statuses = list(one["statuses"])
        if len(statuses) == 1:
            yield f"expect(response.status()).toBe({statuses[0]});"
        else:
            yield f"expect({script_value(statuses)}).toContain(response.status());"
    elif kind == "header":
        place = script_place(f"/{str(one['name']).lower()}", "response.headers()")
        wanted = "toBeDefined()" if one.get("value") is None else f"toBe({script_value(one['value'])})"
        yield f"expect({place}).{wanted};"
    elif kind == "body_equals":
        yield f"expect({body}).toEqual({script_value(one['value'])});"
    elif kind == "body_schema" and "schema" in one:
        yield f"expect(mismatches({body}, {schemas[script_value(one['schema'])]})).toEqual([]);"
    elif kind == "body_value":
        yield _value(one, body)
    elif kind == "body_contains":
        yield f"expect(await response.text()).toContain({script_text(str(one['text']))});"
    else:
        # How long an answer takes is what load tests are for; a schema by its name is not in the file.
        raise AgentFailure(f"an expectation of kind {kind!r} is not written in tests that are scripts")


def _value(one: Json, body: str) -> str:
    pointer, operator, value = str(one["pointer"]), one["operator"], one.get("value")
    place = script_place(pointer, body)
    if operator in ("equals", "not_equals"):
        matcher = "toEqual" if isinstance(value, (Mapping, list)) else "toBe"
        return f"expect({place}).{'not.' * (operator == 'not_equals')}{matcher}({script_value(value)});"
    if operator in _COMPARED:
        return f"expect({place}).{_COMPARED[operator]}({script_value(value)});"
    if operator == "has_length":
        return f"expect(Object.keys({place})).toHaveLength({value});"
    if operator == "in_any_order":
        return _in_any_order(place, list(value or ()))
    if operator == "has_type":
        return _type(place, str(value))
    if operator == "matches":
        return f"expect({place}).toMatch(new RegExp({quoted_text(str(value))}));"
    parent, _, key = pointer.rpartition("/")
    if not pointer:
        raise AgentFailure("the whole body cannot be absent")
    name = quoted_text(key.replace("~1", "/").replace("~0", "~"))
    return f"expect({script_place(parent, body)}).{'not.' * (operator != 'exists')}toHaveProperty([{name}]);"


def _in_any_order(place: str, members: list[Any]) -> str:
    """All members of a list and how often each is in it, in any order; of objects by the fields that are told."""
    if not members or not isinstance(members[0], Mapping):
        return f"expect([...{place}].sort()).toEqual({script_value(members)}.sort());"
    keys = list(members[0])
    fields = ", ".join(script_place(f"/{escape_key(key)}", "one") for key in keys)
    told = script_value([[one[key] for key in keys] for one in members])
    as_texts = f"{place}.map((one) => JSON.stringify([{fields}])).sort()"
    return f"expect({as_texts}).toEqual({told}.map((one) => JSON.stringify(one)).sort());"


def _type(place: str, kind: str) -> str:
    if kind in _TYPES:
        return f"expect(typeof {place}).toBe({_TYPES[kind]});"
    conditions = {"integer": f"Number.isInteger({place})", "array": f"Array.isArray({place})"}
    if kind in conditions:
        return f"expect({conditions[kind]}).toBe(true);"
    if kind == "null":
        return f"expect({place}).toBeNull();"
    if kind == "object":
        return f"expect({place}).toEqual(expect.any(Object));"
    raise AgentFailure(f"{kind!r} is no JSON type")
