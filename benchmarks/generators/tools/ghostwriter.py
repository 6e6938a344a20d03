"""The ghostwriter of Hypothesis: property tests written from signatures, `hypothesis write MODULE`."""

from __future__ import annotations

import os

from ..environments import environment, pinned
from ..sources import Source
from ..watched import run_watched
from .generated import Generated, Terms, complaint


class Ghostwriter:
    """Its defaults, for a whole module."""

    name = "ghostwriter"
    peer = True

    def version(self) -> str:
        """The pinned release of Hypothesis."""
        return pinned(self.name, "hypothesis")

    def generate(self, source: Source, terms: Terms) -> Generated:
        """See Tool. The file is the part of its output that is a program: errors are told on the same stream."""
        home = environment(self.name, terms.folder, source.subject)
        root = source.copy(terms.work / "ghostwriter")
        out = terms.work / "ghostwriter-out"
        out.mkdir(parents=True, exist_ok=True)
        name = f"test_{source.subject.module.replace('.', '_')}.py"
        made = out / name
        load = os.getloadavg()[0]
        done = run_watched(
            ["sh", "-c", 'exec "$0" write "$1" > "$2"', home.program("hypothesis"), source.subject.module, str(made)],
            cwd=out,
            environment={**os.environ, "PYTHONPATH": str(root / source.import_root), "PYTHONHASHSEED": "0"},
            wall_seconds=terms.wall_seconds,
            memory_mib=terms.memory_mib,
            niceness=terms.niceness,
        )
        written = made.read_bytes() if made.is_file() else b""
        crash = ""
        if done.exit_code != 0 or b"def test" not in written:
            crash = complaint(done.exit_code, done.output)
        return Generated(
            self.name,
            self.version(),
            files={} if crash else {f"tests/generated/{name}": written},
            crash=crash,
            wall_seconds=done.wall_seconds,
            cpu_seconds=done.cpu_seconds,
            peak_mib=done.peak_mib,
            first_seconds=None if crash else done.wall_seconds,
            load=load,
        )
