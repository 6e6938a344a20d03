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
