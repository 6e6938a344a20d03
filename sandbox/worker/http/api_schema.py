"""What is wrong with a JSON value, by a JSON Schema: the keywords that describe answers of an API."""

import datetime
import re
import uuid

_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "integer": (int, float),
}


def mismatches(value, schema, place="$", root=None):
    """Every place where a value does not fit, with the reason; empty where it does."""
    root = schema if root is None else root
    if schema is True or schema == {}:
        return []
    if schema is False:
        return [f"{place} is not allowed"]
    found = []
    if "$ref" in schema:
        found += mismatches(value, _target(schema["$ref"], root), place, root)
    for part in schema.get("allOf", ()):
        found += mismatches(value, part, place, root)
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        if options:
            each = [mismatches(value, option, place, root) for option in options]
            if all(each):
                found += min(each, key=len)
    return found + _plain(value, schema, place, root)


def _plain(value, schema, place, root):
    allowed = schema.get("type")
    allowed = allowed if isinstance(allowed, list) else [allowed] if allowed else []
    if allowed and not any(_is(value, one) for one in allowed):
        return [f"{place} is {value!r}, not of type {' or '.join(allowed)}"]
    if "const" in schema and value != schema["const"]:
        return [f"{place} is {value!r}, not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is {value!r}, none of {schema['enum']!r}"]
    if isinstance(value, dict):
        return list(_object(value, schema, place, root))
    if isinstance(value, list):
        return list(_array(value, schema, place, root))
    if isinstance(value, str):
        return list(_text(value, schema, place))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return list(_number(value, schema, place))
    return []


def _is(value, kind):
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, object))


def _target(reference, root):
    found = root
    for key in reference.split("/")[1:]:
        found = found[key.replace("~1", "/").replace("~0", "~")]
    return found


def _object(value, schema, place, root):
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} lacks {name!r}"
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, one in value.items():
        if name in known:
            yield from mismatches(one, known[name], f"{place}.{name}", root)
        elif others is not True:
            yield from mismatches(one, others, f"{place}.{name}", root)


def _array(value, schema, place, root):
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        yield f"{place} has {len(value)} {'item' if len(value) == 1 else 'items'}"
    for number, one in enumerate(value):
        yield from mismatches(one, schema.get("items", True), f"{place}[{number}]", root)


def _text(value, schema, place):
    if len(value) < schema.get("minLength", 0) or len(value) > schema.get("maxLength", len(value)):
        yield f"{place} has {len(value)} {'character' if len(value) == 1 else 'characters'}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place} is {value!r}, outside the pattern {schema['pattern']!r}"
    reads = {
        "date": datetime.date.fromisoformat,
        "date-time": lambda text: datetime.datetime.fromisoformat(text.upper().replace("Z", "+00:00")[:19]),
        "uuid": uuid.UUID,
    }.get(schema.get("format"))
    if reads is not None:
        try:
            reads(value)
        except ValueError:
            yield f"{place} is {value!r}, no {schema['format']}"


def _number(value, schema, place):
    wrong = (
        value < schema.get("minimum", value)
        or value > schema.get("maximum", value)
        or value <= schema.get("exclusiveMinimum", value - 1)
        or value >= schema.get("exclusiveMaximum", value + 1)
    )
    if wrong:
        yield f"{place} is {value!r}, out of bounds"
