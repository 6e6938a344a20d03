"""Reads audit logs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from testwright.store.files.audit import AuditEntry
from testwright.store.files.journal import read_journal


def read_attempts(path: Path) -> Iterator[AuditEntry]:
    """The stored attempts in order. Fields of a later version are left out. Raises StoreCorrupt."""
    known = {known_field.name for known_field in fields(AuditEntry)}
    for entry in read_journal(path):
        values = {name: value for name, value in entry.items() if name in known}
        given: dict[str, Any] = {**values, "errors": tuple(values.get("errors", ()))}
        yield AuditEntry(**given)
