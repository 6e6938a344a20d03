"""Selects the operations of a document that a caller names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from .problems import mapping, sequence, text

_NAMED = re.compile(r"(?:([A-Za-z]{3,20})\s+)?(/\S*)")
_PARAMETER = re.compile(r"\\\{[^{}]*\\\}")
Operation = dict[str, Any]


def named_operation(said: str) -> tuple[str, str] | None:
    """Method (in capitals, empty for any) and path of `GET /orders` or `/orders`; None for anything else."""
    found = _NAMED.fullmatch(said.strip())
    return ((found.group(1) or "").upper(), found.group(2)) if found else None


def matching_operations(document: dict[str, Any], entries: Sequence[Operation], said: str) -> list[Operation]:
    """Selects the named operations from those of `operation_list`.

    Args:
        said: an operationId; or a path with or without a method, which may be a template, a real path, contain the
            servers' base path, or be the beginning of paths when none is equal.
    """
    by_id = [entry for entry in entries if entry["id"] == said.strip()]
    named = named_operation(said)
    if by_id or named is None:
        return by_id
    method, path = named
    offered = [entry for entry in entries if method in ("", entry["method"])]
    for wanted in _spellings(document, path):
        equal = [item for item in offered if item["path"].rstrip("/") == wanted]
        real = equal or [item for item in offered if _template(item["path"]).fullmatch(wanted)]
        if real:
            return real
    for wanted in _spellings(document, path):
        below = [item for item in offered if item["path"].startswith(f"{wanted}/")]
        if below:
            return below
    return []


def _spellings(document: dict[str, Any], path: str) -> list[str]:
    """The path itself, then without the base path of each server."""
    plain = path.partition("?")[0].rstrip("/")
    spelled = [plain]
    for server in sequence(document.get("servers")):
        try:
            base = urlsplit(text(mapping(server).get("url"))).path.rstrip("/")
        except ValueError:
            continue
        if base and plain.startswith(f"{base}/"):
            spelled.append(plain.removeprefix(base))
    return list(dict.fromkeys(spelled))


def _template(path: str) -> re.Pattern[str]:
    return re.compile(_PARAMETER.sub("[^/]+", re.escape(path.rstrip("/"))))
