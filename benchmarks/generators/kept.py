"""What is kept between runs: suites that peers made, and what was measured of them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from .sources import Source
from .tools.generated import Generated, Terms, Tool

MEASUREMENT = 1  # raised when suites are measured in another way, so that nothing old is taken for new


class Kept:
    """A folder of JSON files, named by what they depend on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def generated(self, tool: Tool, source: Source, terms: Terms) -> Generated | None:
        """What a tool made under the same terms, if that is known."""
        raw = self._read(self._made(tool, source, terms))
        return Generated.from_dict(raw) if raw is not None else None

    def keep_generated(self, tool: Tool, source: Source, terms: Terms, generated: Generated) -> None:
        """Remember what a tool made."""
        self._write(self._made(tool, source, terms), generated.to_dict())

    def measured(self, source: Source, generated: Generated, sample: str) -> dict[str, Any] | None:
        """The figures of the same suite by the same mutants, if they are known."""
        return self._read(self._figures(source, generated, sample))

    def keep_measured(self, source: Source, generated: Generated, sample: str, figures: dict[str, Any]) -> None:
        """Remember the figures of a suite."""
        self._write(self._figures(source, generated, sample), figures)

    def _made(self, tool: Tool, source: Source, terms: Terms) -> Path:
        about = [tool.version(), source.sha256, source.subject.module, terms.seconds, terms.seed, terms.memory_mib]
        return self._place(tool.name, source, about)

    def _figures(self, source: Source, generated: Generated, sample: str) -> Path:
        about = [generated.digest, source.sha256, source.subject.module, sample, MEASUREMENT]
        return self._place("figures", source, about)

    def _place(self, name: str, source: Source, about: list[Any]) -> Path:
        key = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
        return self._folder / f"{name}-{source.subject.module}-{key}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            return None

    def _write(self, path: Path, value: dict[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(json.dumps(value, indent=1, sort_keys=True))
        beside.replace(path)
