"""Completes a served document that says nothing of what operations take by what their handlers read."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..model.model import Json
from .schemas import PREFIX, resolve_part

READ = "x-read-in-code"
"""Marks a body that the code tells and no document: it promises nothing."""
_WITH_BODY = ("post", "put", "patch")


def with_read_bodies(document: Json, read: Json) -> Json:
    """Return a document with the bodies and queries that only handlers tell, marked; the document itself comes first.

    Args:
        document: its paths are those at which the application answers.
        read: what was made from routes and their handlers.
    """
    made = copy.deepcopy(document)
    schemas = _mapping(_mapping(read.get("components")).get("schemas"))
    own_schemas = _mapping(_mapping(made.get("components")).get("schemas"))
    # A model of the code may be another one than the component of its name.
    names = {str(name): _other_name(str(name), {*schemas, *own_schemas}) for name in schemas if name in own_schemas}
    known = {str(path).rstrip("/"): item for path, item in _mapping(read.get("paths")).items()}
    needed = False
    for path, item in _mapping(made.get("paths")).items():
        told = _mapping(known.get(str(path).rstrip("/")))
        for method, operation in _mapping(item).items():
            own = _mapping(told.get(method))
            if not isinstance(operation, dict) or not own:
                continue
            if method in _WITH_BODY and own.get("requestBody") and not operation.get("requestBody"):
                operation["requestBody"] = {**_referring(own["requestBody"], names), READ: True}
                needed = True
            _add_queries(operation, own, _mapping(item), made)
    if needed and schemas:
        told = {names.get(str(name), name): _referring(schema, names) for name, schema in schemas.items()}
        made["components"] = {**_mapping(made.get("components")), "schemas": {**told, **own_schemas}}
    return made


def _other_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-read"
    return name


def _referring(value: Any, names: Mapping[str, str]) -> Any:
    """Return a part of a document that refers to components by other names."""
    if isinstance(value, list):
        return [_referring(entry, names) for entry in value]
    if not isinstance(value, Mapping):
        return value
    made = {key: _referring(entry, names) for key, entry in value.items()}
    name = str(made.get("$ref")).removeprefix(PREFIX)
    return {**made, "$ref": f"{PREFIX}{names[name]}"} if name in names else made


def _add_queries(operation: Json, own: Mapping[str, Any], item: Mapping[str, Any], document: Json) -> None:
    listed = [*(operation.get("parameters") or ()), *(item.get("parameters") or ())]
    taken = {resolve_part(one, document).get("name") for one in listed}
    added = [one for one in own.get("parameters") or () if one.get("in") == "query" and one.get("name") not in taken]
    if added:
        operation["parameters"] = [*(operation.get("parameters") or ()), *({**one, "required": False} for one in added)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
