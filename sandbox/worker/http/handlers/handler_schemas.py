"""Tells what a schema of marshmallow takes that a handler loads or dumps the body of its request with."""

WAYS = ("load", "dump", "validate")
_KINDS = {"Integer": "integer", "Number": "number", "Boolean": "boolean", "List": "array", "Nested": "object"}
_KINDS |= {"Mapping": "object", "String": "string"}
_FORMATS = {"Email": "email", "Url": "uri", "UUID": "uuid", "DateTime": "date-time", "Date": "date"}


def keys_of(schema, way, partial=False):
    """The keys that a schema, or its class, takes of a body, each with its JSON schema and whether it must be there.

    Nothing of any other object. Nothing of it is called.

    Args:
        way: one of `WAYS`.
        partial: whether a call says that keys may lack.
    """
    fields = getattr(schema, "_declared_fields" if isinstance(schema, type) else "fields", None)
    if way not in WAYS or not isinstance(fields, dict) or not callable(getattr(schema, "dump", None)):
        return
    for name, field in fields.items():
        if getattr(field, "load_only" if way == "dump" else "dump_only", False):
            continue
        key = getattr(field, "data_key", None) or name
        if isinstance(key, str):
            yield key, _told(field), bool(way != "dump" and not partial and getattr(field, "required", False))


def _told(field):
    kinds = [one.__name__ for one in type(field).__mro__]
    named = next((name for name in kinds if name in _FORMATS or name in _KINDS), "")
    if named in _FORMATS:
        return {"type": "string", "format": _FORMATS[named]}
    return {"type": _KINDS[named]} if named else {}
