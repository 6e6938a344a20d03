"""Caches what an endpoint and model support, detected once, in the state folder's cache."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...store.files.files import make_folder, write_file
from ...utils.canonical import digest_of, pretty_json
from ...utils.untrusted_files import read_json
from .endpoint import NEW_LIMIT, OLD_LIMIT
from .structured import Mode


@dataclass(frozen=True, slots=True)
class EndpointCapabilities:
    """Capabilities of one model at one endpoint.

    Attributes:
        mode: how JSON is requested.
        proven: a usable answer came in this mode before; only an unproven mode is replaced.
        without: request parameters that it refuses.
        unlimited: it ignores the new name of the answer limit, so both names are sent.
    """

    mode: Mode = Mode.SCHEMA
    proven: bool = False
    without: frozenset[str] = frozenset()
    unlimited: bool = False

    @property
    def limits(self) -> tuple[str, ...]:
        """Names of the parameters that limit an answer at this endpoint; old servers know `max_tokens` only."""
        old = self.unlimited or NEW_LIMIT in self.without
        return tuple(name for name in (NEW_LIMIT, *((OLD_LIMIT,) if old else ())) if name not in self.without)


class CapabilityFile:
    """Capabilities by endpoint and model in one file; without a path, in this process only.

    The file is a cache: an unreadable one counts as empty.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, EndpointCapabilities] = {}

    def get(self, base_url: str, model: str) -> EndpointCapabilities:
        """Return what is known; for a new model, the best case."""
        key = digest_of([base_url, model])
        with self._lock:
            if key not in self._known:
                self._known[key] = _from_json(self._stored().get(key))
            return self._known[key]

    def learn(self, base_url: str, model: str, **changes: Any) -> EndpointCapabilities:
        """Store changed capabilities.

        Raises:
            StorageError: the cache cannot be written.
        """
        before = self.get(base_url, model)
        after = replace(before, **changes)
        if after == before:
            return before
        key = digest_of([base_url, model])
        with self._lock:
            self._known[key] = after
            if self._path is not None:
                make_folder(self._path.parent)
                write_file(self._path, pretty_json({**self._stored(), key: _to_json(after)}))
        return after

    def _stored(self) -> dict[str, Any]:
        if self._path is None:
            return {}
        try:
            found = read_json(self._path.parent, self._path.name)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _to_json(known: EndpointCapabilities) -> dict[str, Any]:
    return {
        "mode": str(known.mode),
        "proven": known.proven,
        "without": sorted(known.without),
        "unlimited": known.unlimited,
    }


def _from_json(stored: Any) -> EndpointCapabilities:
    try:
        without = frozenset(map(str, stored["without"]))
        return EndpointCapabilities(
            Mode(stored["mode"]), stored["proven"] is True, without, stored.get("unlimited") is True
        )
    except (KeyError, TypeError, ValueError):
        return EndpointCapabilities()
