"""What an endpoint can do, found out once and remembered in the state folder's cache."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...store.files.files import make_folder, write_file
from ...utils.canonical import digest_of, pretty_json
from .endpoint import NEW_LIMIT, OLD_LIMIT
from .structured import Mode


@dataclass(frozen=True, slots=True)
class EndpointCapabilities:
    """Of one model at one endpoint.

    Attributes:
        mode: how it is asked for JSON.
        proven: it has answered so before; only what is not proven is ever given up.
        without: request parameters that it refuses.
        unlimited: it pays no heed to the limit of an answer under its new name, and is told it under both.
    """

    mode: Mode = Mode.SCHEMA
    proven: bool = False
    without: frozenset[str] = frozenset()
    unlimited: bool = False

    @property
    def limits(self) -> tuple[str, ...]:
        """The parameters that limit an answer, as this endpoint takes them; old servers know `max_tokens` only."""
        old = self.unlimited or NEW_LIMIT in self.without
        return tuple(name for name in (NEW_LIMIT, *((OLD_LIMIT,) if old else ())) if name not in self.without)


class CapabilityFile:
    """Abilities by endpoint and model in one file; without a path they are known to this process only.

    The file is a cache: one that cannot be read is as good as none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, EndpointCapabilities] = {}

    def get(self, base_url: str, model: str) -> EndpointCapabilities:
        """What is known; the best is assumed of a new one."""
        key = digest_of([base_url, model])
        with self._lock:
            if key not in self._known:
                self._known[key] = _read(self._stored().get(key))
            return self._known[key]

    def learn(self, base_url: str, model: str, **changes: Any) -> EndpointCapabilities:
        """Remember what was found out.

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
                write_file(self._path, pretty_json({**self._stored(), key: _written(after)}))
        return after

    def _stored(self) -> dict[str, Any]:
        if self._path is None:
            return {}
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def _written(one: EndpointCapabilities) -> dict[str, Any]:
    said = {"mode": str(one.mode), "proven": one.proven, "without": sorted(one.without)}
    return {**said, "unlimited": one.unlimited}


def _read(stored: Any) -> EndpointCapabilities:
    try:
        without = frozenset(map(str, stored["without"]))
        return EndpointCapabilities(
            Mode(stored["mode"]), stored["proven"] is True, without, stored.get("unlimited") is True
        )
    except (KeyError, TypeError, ValueError):
        return EndpointCapabilities()
