"""Canonical JSON and digests of it: equal data has equal bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .outgoing_text import json_text


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces, plain ASCII.

    Raises:
        TypeError: the value holds something JSON has no form for.
        ValueError: the value holds NaN or an infinity, or refers to itself.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest_of(value: Any) -> str:
    """sha256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def pretty_json(value: Any) -> str:
    """JSON for files that people read too: sorted keys, two spaces, one newline at the end."""
    return json_text(value, sort_keys=True, indent=2, allow_nan=False) + "\n"


def attributes(item: object, *names: str) -> dict[str, Any]:
    """Attributes of an object by their names, as JSON has them: a tuple becomes a list."""
    found = {name: getattr(item, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
