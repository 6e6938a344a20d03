"""Completes a served document that says nothing of what operations take by what their handlers read."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..model.model import Json

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
    known = {str(path).rstrip("/"): item for path, item in _mapping(read.get("paths")).items()}
    needed = False
    for path, item in _mapping(made.get("paths")).items():
        told = _mapping(known.get(str(path).rstrip("/")))
        for method, operation in _mapping(item).items():
            own = _mapping(told.get(method))
            if not isinstance(operation, dict) or not own:
                continue
            if method in _WITH_BODY and own.get("requestBody") and not operation.get("requestBody"):
                operation["requestBody"] = {**own["requestBody"], READ: True}
                needed = True
            _add_queries(operation, own, _mapping(item))
    schemas = _mapping(_mapping(read.get("components")).get("schemas"))
    if needed and schemas:
        components = made.setdefault("components", {})
        components["schemas"] = {**schemas, **_mapping(components.get("schemas"))}
    return made


def _add_queries(operation: Json, own: Mapping[str, Any], item: Mapping[str, Any]) -> None:
    listed = [*(operation.get("parameters") or ()), *(item.get("parameters") or ())]
    taken = {one.get("name") for one in listed if isinstance(one, Mapping)}
    added = [one for one in own.get("parameters") or () if one.get("in") == "query" and one.get("name") not in taken]
    if added:
        operation["parameters"] = [*(operation.get("parameters") or ()), *({**one, "required": False} for one in added)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
