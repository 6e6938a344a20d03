"""Tells what a class-based view takes by the form or the serializer that it names.

Forms are Django's (`form_class`, as of its own login), serializers those of Django REST framework. What a field cannot
tell in a schema is left out.
"""

_FORMATS = {"EmailField": "email", "URLField": "uri", "UUIDField": "uuid", "DateField": "date"}
_FORMATS["DateTimeField"] = "date-time"
_KINDS = {"IntegerField": "integer", "FloatField": "number", "DecimalField": "number", "BooleanField": "boolean"}
_TEXTS = {"CharField", "SlugField", "RegexField", "UsernameField"}


def body_of(owner, method):
    """The body that a view takes, in the form of a route; empty where its class names neither form nor serializer.

    Args:
        owner: the class of the view; None for a function.
        method: in capitals; a partial update requires nothing.
    """
    if method not in ("POST", "PUT", "PATCH") or owner is None:
        return {}
    form = getattr(owner, "authentication_form", None) or getattr(owner, "form_class", None)
    fields = getattr(form, "base_fields", None)
    if fields:
        return {"body": _schema(fields, method), "media_type": "application/x-www-form-urlencoded"}
    serializer = getattr(owner, "serializer_class", None)
    try:
        fields = dict(serializer().fields) if isinstance(serializer, type) else {}
    except Exception:  # code of the project: it may need a request
        return {}
    taken = {name: field for name, field in fields.items() if not getattr(field, "read_only", False)}
    return {"body": _schema(taken, method), "media_type": "application/json"} if taken else {}


def _schema(fields, method):
    required = [name for name, field in fields.items() if getattr(field, "required", False) and method != "PATCH"]
    schema = {"type": "object", "properties": {name: _field(field) for name, field in fields.items()}}
    return {**schema, "required": required} if required else schema


def _field(field):
    kinds = [one.__name__ for one in type(field).__mro__]
    choices = getattr(field, "choices", None)
    if isinstance(choices, (list, dict)) and choices:
        return {"enum": [value for value, _ in (choices.items() if isinstance(choices, dict) else choices) if value]}
    kind = next((name for name in kinds if name in _FORMATS or name in _KINDS or name in _TEXTS), "")
    if kind in _KINDS:
        found = {"type": _KINDS[kind]}
        bounds = (("minimum", "min_value"), ("maximum", "max_value"))
    elif kind:
        found = {"type": "string", **({"format": _FORMATS[kind]} if kind in _FORMATS else {})}
        bounds = (("minLength", "min_length"), ("maxLength", "max_length"))
    else:
        return {}
    limits = {name: getattr(field, attribute, None) for name, attribute in bounds}
    return {**found, **{name: limit for name, limit in limits.items() if isinstance(limit, (int, float))}}
