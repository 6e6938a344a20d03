"""Makes other valid values: for a second, different resource, and for an update that changes something."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ....utils.regex_examples import fits
from ..document.schemas import type_of
from ..model.model import Json, Operation
from ..values.data import FORMATS, NOTHING, SampleValues, bounds
from .resource_model import BaselineRequest, ResourceModel, fields_of

Others = Mapping[str, BaselineRequest]
"""Requests with other values by the name of their operation."""
NO_OTHERS: Others = MappingProxyType({})

_OTHER_FORMATS = {
    "date": "2025-06-11",
    "date-time": "2025-06-11T08:15:00Z",
    "email": "grace@example.com",
    "uuid": "87654321-4321-4765-9876-cba987654321",
    "uri": "https://example.org/",
    "ipv4": "192.0.2.2",
}
_THIRD_FORMATS = {
    "date": "2024-11-20",
    "date-time": "2024-11-20T16:45:00Z",
    "email": "edith@example.com",
    "uuid": "45678123-4567-4812-8567-456781234567",
    "uri": "https://example.net/",
    "ipv4": "192.0.2.10",
}
"""Values that come after the plainest ones in the alphabet and before the other ones."""
_LARGER = 1000
_STEPS = (11, 13, 17, 19)
"""By how much the numbers of a second resource differ from those of the first, one after the other."""
_SMALL_STEPS = (1, 2, 3, 4)
_REQUEST_KEYS = re.compile(r"idempot|request-?id", re.IGNORECASE)
_OTHER_NAMES = {"Ada": "Grace", "Lovelace": "Hopper", "ada": "grace", "Ada Lovelace": "Grace Hopper"}


def distinct_requests(baseline: BaselineRequest, world: ResourceModel) -> Iterator[tuple[Json, Json]]:
    """Yield requests for a second resource, each with what to save of its answer: then one of letters and digits only.

    A name that the client chooses may have to be a code, and the document need not say so. Of what is bounded by what
    is left, such as seats, little more is asked for after that. At last it has nothing in objects that may hold
    members of any name: their names may have to be numbers or ids.
    """
    tried: list[tuple[Json, Json]] = []
    kinds = ((False, _STEPS, True), (True, _STEPS, True), (True, _SMALL_STEPS, True), (True, _STEPS, False))
    for plain, steps, filled in kinds:
        found = distinct_request(baseline, world, plain=plain, steps=steps, filled=filled)
        if found is not None and found not in tried:
            tried.append(found)
            yield found


def distinct_request(
    baseline: BaselineRequest,
    world: ResourceModel,
    *,
    plain: bool = False,
    steps: Sequence[int] = _STEPS,
    filled: bool = True,
) -> tuple[Json, Json] | None:
    """Return the request for a second resource and what to save of its answer; None where none can be made.

    Args:
        plain: whether other texts have letters and digits only.
        steps: by how much its numbers differ, one after the other.
        filled: whether objects that may hold members of any name have some.
    """
    operation, request = baseline.operation, baseline.request
    makes = operation.method == "POST" or (operation.method == "PUT" and operation.path.endswith("}"))
    # A body that is plain text has no fields to change.
    if not makes or isinstance((request.get("body") or {}).get("content"), str):
        return None
    made: Json = {key: entry for key, entry in request.items() if key != "save"}
    if operation.method == "PUT":
        last = operation.path_parameters[-1]
        value = (request.get("path_parameters") or {}).get(last.name)
        other = other_value(last.schema, value, world.samples)
        # The name is an id of another resource: a second one under it would need a second parent.
        if other is NOTHING or "{{" in str(value):
            return None
        made["path_parameters"] = {**request["path_parameters"], last.name: other}
    content = fields_of(request)
    if operation.body is not None and content is not None:
        full = world.samples.value(operation.body.schema, "body", full=True)
        whole = with_optional(content, full if filled else without_members(operation.body.schema, full, world.samples))
        properties = world.samples.properties(operation.body.schema)
        schemas = {name: properties.get(name, True) for name in whole}
        made["body"] = {**request["body"], "content": _all_changed(schemas, whole, world.samples, plain, steps)}
    if made == {key: entry for key, entry in request.items() if key != "save"}:
        return None
    return _of_its_own(baseline, made, 2, "other")


def with_optional(content: Json, full: Any) -> Json:
    """Return a body with the properties that it lacks of a full one, also in the one object that it wraps, and in
    objects of nothing."""
    if not isinstance(full, dict):
        return content
    whole = {**full, **content}
    for name, value in content.items():
        inside = isinstance(value, dict) and isinstance(full.get(name), dict)
        if inside and (len(whole) == 1 or not value):
            whole[name] = {**full[name], **value}
    return whole


def without_members(schema: Any, value: Any, samples: SampleValues) -> Any:
    """Return a value without the members of objects that name none of theirs, where they may be empty."""
    if isinstance(value, list):
        inner = samples.merged(schema).get("items", True)
        return [without_members(inner, one, samples) for one in value]
    if not isinstance(value, dict):
        return value
    named = samples.properties(schema)
    if not named:
        return {} if samples.problem({}, schema) is None else value
    return {name: without_members(named.get(name, True), entry, samples) for name, entry in value.items()}


def wrapper_in(content: Json) -> str:
    """Return the one field that a body has everything in, `note` of `{"note": {"text": "…"}}`; empty for none."""
    name = next(iter(content)) if len(content) == 1 else ""
    return name if name and isinstance(content[name], dict) else ""


def unwrapped(request: Json) -> Json:
    """Return what a body tells by name, of `{"note": {"text": "…"}}` the note; empty where it tells nothing so."""
    content = fields_of(request) or {}
    wrapper = wrapper_in(content)
    return content[wrapper] if wrapper else content


def _of_its_own(baseline: BaselineRequest, request: Json, number: int, word: str) -> tuple[Json, Json]:
    """Return a further request like a first one, with a key of its own, and what it saves under names of its own."""
    key = request_key(baseline)
    if key:
        # The same key would ask for the first one again.
        request = {**request, "headers": {**request["headers"], key: f"{request['headers'][key]}-{number}"}}
    saves = {f"{word}_{name}": pointer for name, pointer in baseline.saves.items()}
    return ({**request, "save": saves} if saves else request), saves


def third_request(baseline: BaselineRequest, other: BaselineRequest, world: ResourceModel) -> tuple[Json, Json] | None:
    """Return a request that creates a third thing, like the first but for its texts, and what to save of its answer.

    None where none can be made.

    Args:
        other: the request for the second one.
    """
    operation, body = baseline.operation, baseline.request.get("body")
    content, second = fields_of(baseline.request), fields_of(other.request)
    if body is None or operation.method != "POST" or content is None or second is None:
        return None
    assert operation.body is not None
    properties = world.samples.properties(operation.body.schema)
    made = {
        name: third_value(properties.get(name, True), value, second.get(name), world.samples)
        for name, value in content.items()
    }
    request: Json = {key: entry for key, entry in baseline.request.items() if key != "save"}
    return _of_its_own(baseline, {**request, "body": {**body, "content": made}}, 3, "third")


def third_value(schema: Any, value: Any, other: Any, samples: SampleValues) -> Any:
    """Return a text that is neither of two, and not beyond the second in the alphabet; else the value as it is.

    Three texts in the order in which they are made are sorted neither up nor down then, where that is allowed. Of what
    a body wraps in an object each text is another one.
    """
    whole = samples.merged(schema)
    if isinstance(value, dict) and isinstance(other, dict):
        inner = samples.properties(schema)
        return {
            name: third_value(inner.get(name, True), entry, other.get(name), samples) for name, entry in value.items()
        }
    if not isinstance(value, str) or "{{" in value or "enum" in whole:
        return value
    for text in _third_texts(whole, value, other):
        if text not in (value, other) and samples.problem(text, schema) is None and _fits_pattern(whole, text):
            return text
    return value


def _third_texts(whole: Mapping[str, Any], value: str, other: Any) -> list[str]:
    """Return texts to try, first those that are not beyond the second one; of a format those that have it."""
    up = isinstance(other, str) and other > value
    if "format" in whole:
        name = str(whole["format"])
        found = [_THIRD_FORMATS[name], FORMATS[name]] if name in _THIRD_FORMATS else []
        return sorted(found, key=lambda text: isinstance(other, str) and (text > other) == up)
    plain = isinstance(other, str) and other.isalnum()
    # Capital letters come before small ones, or with them: the first letter is of the same kind.
    first = "A" if value[:1].isupper() else "a"
    before = [f"{first} third {value}", f"{first}3-{value}", f"{first}3{value}", f"{first}{value}"]
    after = [f"{value} again", f"{value}3", f"{value}c"]
    found = [*(before if up else after), *(after if up else before)]
    found.append(_with_last_digit(value, 2))
    return [text for text in found if text.isalnum() or not plain]


def _with_last_digit(text: str, more: int) -> str:
    """Return a text whose last digit is another one; patterns such as `ORD-001` allow little else."""
    return re.sub(r"\d(?=\D*$)", lambda match: str((int(match.group()) + more) % 10), text)


def _fits_pattern(whole: Mapping[str, Any], text: str) -> bool:
    pattern = whole.get("pattern")
    return not isinstance(pattern, str) or fits(pattern, text)


def alike_pair(baseline: BaselineRequest, world: ResourceModel) -> tuple[Json, Json] | None:
    """Return two requests that create resources which go together, and save their ids; None where none can be made.

    Both have every property, the same options and large numbers: a transfer needs two accounts of one currency, and
    one of them must hold something. Only their texts differ, because names are often unique.
    """
    operation, content = baseline.operation, fields_of(baseline.request)
    if operation.method != "POST" or not baseline.saves or operation.body is None or content is None:
        return None
    full = world.samples.value(operation.body.schema, "body", full=True)
    full = without_members(operation.body.schema, full, world.samples)
    properties = world.samples.properties(operation.body.schema)
    whole = {**(full if isinstance(full, dict) else {}), **content}
    first = {name: _enlarged(properties.get(name, True), value, world.samples) for name, value in whole.items()}
    texts = {name: value for name, value in first.items() if isinstance(value, str)}
    other = {name: other_or_same(properties.get(name, True), value, world.samples) for name, value in texts.items()}
    options = {name for name in texts if "enum" in world.samples.merged(properties.get(name, True))}
    second = {**first, **{name: value for name, value in other.items() if name not in options}}
    saves = {f"other_{name}": pointer for name, pointer in baseline.saves.items()}
    request = {key: entry for key, entry in baseline.request.items() if key != "save"}
    made = [{**request, "body": {**request["body"], "content": body}} for body in (first, second)]
    return {**made[0], "save": dict(baseline.saves)}, {**made[1], "save": saves}


def _enlarged(schema: Any, value: Any, samples: SampleValues) -> Any:
    whole = samples.merged(schema)
    if isinstance(value, bool) or not isinstance(value, int) or isinstance(whole.get("enum"), list):
        return value
    most = bounds(whole)[1]
    larger = value + _LARGER if most is None else min(int(most), value + _LARGER)
    return larger if samples.problem(larger, schema) is None else value


def request_key(baseline: BaselineRequest) -> str:
    """Return the header that names a request, so that it is carried out once; empty for none."""
    return next((name for name in baseline.request.get("headers") or {} if _REQUEST_KEYS.search(name)), "")


def _all_changed(
    schemas: Mapping[str, Any], values: Json, samples: SampleValues, plain: bool, apart: Sequence[int]
) -> Json:
    """Return other values for all properties, each number by a step of its own: a sum and a product differ then."""
    steps = iter(apart)
    made: Json = {}
    for name, schema in schemas.items():
        value = values[name]
        counted = isinstance(value, int | float) and not isinstance(value, bool)
        step = next(steps, apart[-1]) if counted else apart[0]
        made[name] = other_or_same(schema, value, samples, step=step, plain=plain)
    return made


def other_or_same(schema: Any, value: Any, samples: SampleValues, *, step: int = _STEPS[0], plain: bool = False) -> Any:
    """Return another valid value; the value as it is where none is found, or where it is saved by a request before."""
    if "{{" in str(value):
        return value
    other = other_value(schema, value, samples, step=step, plain=plain)
    return value if other is NOTHING else other


def told_apart(content: Json, schema: Any, samples: SampleValues) -> list[Json]:
    """Return a body with other values where two of its properties have the same: sender and receiver, start and end.

    The later property of two gets the other value, then the earlier one. Empty where no two are the same.
    """
    properties = samples.properties(schema)
    found: list[Json] = []
    for names in (list(content), list(reversed(content))):
        seen: set[str] = set()
        made: Json = {}
        for name in names:
            value = content[name]
            text = json.dumps(value, sort_keys=True)
            again = not isinstance(value, bool | list | None) and "{{" not in text and text in seen
            made[name] = _another_whole(properties.get(name, True), value, samples) if again else value
            seen.add(text)
        ordered = {name: made[name] for name in content}
        if ordered != content and ordered not in found and samples.problem(ordered, schema) is None:
            found.append(ordered)
    return found


def _another_whole(schema: Any, value: Any, samples: SampleValues) -> Any:
    """Return another value, of an object another object with the same properties."""
    if not isinstance(value, dict):
        return other_or_same(schema, value, samples)
    properties = samples.properties(schema)
    return {name: _another_whole(properties.get(name, True), entry, samples) for name, entry in value.items()}


def other_value(schema: Any, value: Any, samples: SampleValues, *, step: int = _STEPS[0], plain: bool = False) -> Any:
    """Return another valid value; NOTHING where none is found.

    Args:
        step: by how much a number differs, where its bounds allow that.
        plain: whether a text has letters and digits only, where it has no format.
    """
    whole = samples.merged(schema)
    if isinstance(value, dict):
        # What a body wraps: {"article": {"title": …}}.
        inner, others = samples.properties(schema), whole.get("additionalProperties", True)
        made = {
            name: other_or_same(inner.get(name, others), entry, samples, step=step, plain=plain)
            for name, entry in value.items()
        }
        return made if made != value and samples.problem(made, schema) is None else NOTHING
    for candidate in _candidates(whole, value, step):
        if plain and isinstance(candidate, str) and not candidate.isalnum() and not whole.keys() & {"format", "enum"}:
            continue
        if candidate != value and samples.problem(candidate, schema) is None:
            return candidate
    return NOTHING


def _candidates(whole: Any, value: Any, apart: int) -> list[Any]:
    if isinstance(whole.get("enum"), list):
        return list(whole["enum"])
    kind = type_of(whole)
    if isinstance(value, bool):
        return [not value]
    if kind in ("integer", "number", "") and isinstance(value, int | float):
        low, high = bounds(whole)
        step = whole.get("multipleOf") or 1
        found = [value + step * apart, value + step, value - step, high, low]
        return [candidate for candidate in found if candidate is not None]
    if kind in ("string", "") and isinstance(value, str):
        by_format = _OTHER_FORMATS.get(str(whole.get("format") or ""))
        # An address has no blanks, whether or not the document says that it is one.
        address = f"other.{value}" if re.fullmatch(r"[\w.+-]+@[\w.-]+", value) else ""
        found = [*([by_format] if by_format else []), _OTHER_NAMES.get(value, ""), address, f"other {value}"]
        found += [f"other-{value}"]
        found += [f"other{value}", f"{value}2", f"{value}b", _with_last_digit(value, 1)]
        longest = whole.get("maxLength")
        found = [candidate for candidate in found if candidate and (longest is None or len(candidate) <= longest)]
        return [candidate for candidate in found if _fits_pattern(whole, candidate)]
    return []


def renamed(steps: Iterable[Json], names: Mapping[str, str]) -> list[Json]:
    """Return requests with other names for what they save and use."""
    found: list[Json] = []
    for step in steps:
        text = re.sub(r"\{\{(\w+)\}\}", lambda match: f"{{{{{names.get(match[1], match[1])}}}}}", json.dumps(step))
        made: Json = json.loads(text)
        if made.get("save"):
            made["save"] = {names.get(name, name): pointer for name, pointer in made["save"].items()}
        found.append(made)
    return found


def producers_with_another(
    world: ResourceModel, operation: Operation, others: Others
) -> Iterator[tuple[BaselineRequest, BaselineRequest, dict[str, str]]]:
    """Yield what makes the resource of each path parameter, what makes a second one, and the names of that one's
    variables by those of the first.

    Args:
        others: second requests by the name of their operation; see `distinct_request`.
    """
    for parameter in operation.path_parameters:
        producer = world.producer_of(operation, parameter)
        other = others.get(producer.operation.name) if producer is not None else None
        if producer is not None and other is not None and other.saves:
            yield producer, other, {name: f"other_{name}" for name in producer.saves}
