"""What every generator is given, and what it leaves: plain data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..sources import Source

_ERROR = re.compile(r"[\w.]*(Error|Exception)\b")
_SHOWN = 200


@dataclass(frozen=True)
class Terms:
    """The same for all generators.

    Attributes:
        folder: environments, sources and caches lie below it.
        work: where copies of projects are made; emptied for each module and generator.
        seconds: what Pynguin may search, and again what it may take for its assertions.
        mutants: size of the sample; 0 for none.
        memory_mib: address space of each process.
        niceness: of the generators; below 0 gives them a processor on a busy machine, where the user may.
        wall_seconds: after which a generator is stopped.
    """

    folder: Path
    work: Path
    seconds: int = 60
    seed: int = 0
    mutants: int = 100
    memory_mib: int = 4096
    niceness: int = 0
    wall_seconds: float = 900.0


@dataclass(frozen=True)
class Generated:
    """What a generator made of a module.

    Attributes:
        files: the suite, by POSIX path relative to the project.
        crash: why there is none; empty when there is one.
        first_seconds: when the first test file was there.
        again_seconds: wall time of a second run over the unchanged project, where that was measured.
        load: of the machine when it began, in waiting processes.
    """

    tool: str
    version: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    crash: str = ""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: float = 0.0
    first_seconds: float | None = None
    again_seconds: float | None = None
    load: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Of the suite."""
        whole = hashlib.sha256()
        for path, contents in sorted(self.files.items()):
            whole.update(f"{path}\0{len(contents)}\0".encode() + contents)
        return whole.hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        files = {path: base64.b64encode(contents).decode() for path, contents in self.files.items()}
        return {**asdict(self), "files": files, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Generated:
        """From its JSON form."""
        files = {path: base64.b64decode(contents) for path, contents in raw["files"].items()}
        fields: dict[str, Any] = {**raw, "files": files, "notes": tuple(raw["notes"])}
        return cls(**fields)


def complaint(exit_code: int | None, output: str) -> str:
    """Why there is no suite, in one line: how the program ended, and the last error it printed, or its last line."""
    ending = "stopped after its time" if exit_code is None else f"exit {exit_code}"
    lines = [" ".join(line.split()) for line in output.strip().splitlines()]
    errors = [number for number, line in enumerate(lines) if _ERROR.match(line)]
    told = " ".join(lines[errors[-1] :] if errors else lines[-1:])
    return f"{ending}: {told[:_SHOWN] or 'it printed nothing'}"


class Tool(Protocol):
    """A generator.

    Attributes:
        name: as it stands in tables.
        peer: whether its results are kept for later runs.
    """

    name: str
    peer: bool

    def version(self) -> str:
        """What decides over its results besides the module, the seed and the seconds."""
        ...

    def generate(self, source: Source, terms: Terms) -> Generated:
        """Run it as its user would. A crash is a result; raises PreparationError when it cannot be set up."""
        ...
