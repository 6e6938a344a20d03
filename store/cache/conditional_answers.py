"""Keeps answers of a server with their ETags in files, one an address, so that they are asked for conditionally."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...core.errors import StorageError
from ...utils.untrusted_files import MIB, read_bytes
from ..files.files import write_file

Known = tuple[str | None, str | None, Any, str | None]
_LARGEST = 16 * MIB


class ConditionalAnswers(MutableMapping[str, Known]):
    """Answers by address: ETag, date of the last change, data, next page.

    What is lost, broken, or cannot be written is asked for again: nothing depends on it.

    Args:
        folder: made when the first answer is kept.
        leave_out: answers of addresses with this in them are not kept.
    """

    def __init__(self, folder: Path, *, leave_out: str = "/git/blobs/") -> None:
        self._folder = folder
        self._leave_out = leave_out

    def __getitem__(self, address: str) -> Known:
        try:
            found = json.loads(read_bytes(self._folder, self._name(address), most=_LARGEST))
        except (OSError, ValueError, RecursionError):
            raise KeyError(address) from None
        if not isinstance(found, list) or len(found) != 5 or found[0] != address:
            raise KeyError(address)
        return (found[1], found[2], found[3], found[4])

    def __setitem__(self, address: str, known: Known) -> None:
        text = json.dumps([address, *known], separators=(",", ":"))
        if self._leave_out not in address and len(text) <= _LARGEST:
            with suppress(OSError, StorageError):
                write_file(self._folder / self._name(address), text)

    def __delitem__(self, address: str) -> None:
        (self._folder / self._name(address)).unlink(missing_ok=True)

    def __iter__(self) -> Iterator[str]:
        for place in sorted(self._folder.glob("*.json")):
            with suppress(OSError, ValueError):
                yield json.loads(place.read_bytes())[0]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _name(self, address: str) -> str:
        return f"{hashlib.sha256(address.encode()).hexdigest()[:40]}.json"
