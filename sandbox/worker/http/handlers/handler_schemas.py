"""Tells what a schema of marshmallow takes that a handler loads or dumps the body of its request with."""

WAYS = ("load", "dump", "validate")
_KINDS = {"Integer": "integer", "Number": "number", "Boolean": "boolean", "List": "array", "Nested": "object"}
_KINDS |= {"Mapping": "object", "String": "string"}
_FORMATS = {"Email": "email", "Url": "uri", "UUID": "uuid", "DateTime": "date-time", "Date": "date"}


def keys_of(schema, way, partial):
    """The keys that a schema, or its class, takes of a body, each with its JSON schema and whether it must be there.

    Nothing of any other object, which may need a request to be looked at, and nothing of a schema of several things.

    Args:
        way: one of `WAYS`.
        partial: whether a call says that keys may lack; None where it says nothing.
    """
    kind = schema if isinstance(schema, type) else type(schema)
    if way not in WAYS or not any(one.__name__ == "Schema" and _is_library(one) for one in kind.__mro__):
        return
    fields = getattr(schema, "_declared_fields" if isinstance(schema, type) else "fields", None)
    if not isinstance(fields, dict) or getattr(schema, "many", False) is True:
        return
    lacking = bool(getattr(schema, "partial", False)) if partial is None else partial
    for name, field in fields.items():
        if getattr(field, "load_only" if way == "dump" else "dump_only", False):
            continue
        key = getattr(field, "data_key", None) or name
        if isinstance(key, str):
            yield key, _told(field), bool(way != "dump" and not lacking and getattr(field, "required", False))


def _is_library(kind):
    return kind.__module__.partition(".")[0] == "marshmallow"


def _told(field):
    kinds = [one.__name__ for one in type(field).__mro__]
    # One field of another thing: of which type depends on that.
    named = "" if "Pluck" in kinds else next((name for name in kinds if name in _FORMATS or name in _KINDS), "")
    if named in _FORMATS:
        return {"type": "string", "format": _FORMATS[named]}
    return {"type": _KINDS[named]} if named else {}
