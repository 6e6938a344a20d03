"""Pynguin: search, then assertions chosen by mutants; in an environment of its own, because it pins pytest below 9."""

from __future__ import annotations

import os
from pathlib import Path

from ..environments import environment, pinned
from ..sources import Source
from ..watched import run_watched
from .generated import Generated, Terms, complaint


class Pynguin:
    """Its defaults, with a bounded search and a bounded phase for assertions."""

    name = "pynguin"
    peer = True

    def version(self) -> str:
        """The pinned release."""
        return pinned(self.name, "pynguin")

    def generate(self, source: Source, terms: Terms) -> Generated:
        """See Tool."""
        home = environment(self.name, terms.folder, source.subject)
        root = source.copy(terms.work / "pynguin")
        out = terms.work / "pynguin-out"
        out.mkdir(parents=True, exist_ok=True)
        command = [home.program("pynguin"), "--project-path", str(root / source.import_root)]
        command += ["--module-name", source.subject.module, "--output-path", str(out), "--seed", str(terms.seed)]
        command += ["--maximum-search-time", str(terms.seconds), "--maximum-mutation-time", str(terms.seconds)]
        load = os.getloadavg()[0]
        done = run_watched(
            command,
            cwd=out,
            environment={
                **os.environ,
                "PYNGUIN_DANGER_AWARE": "1",
                "PYTHONHASHSEED": "0",
                "PATH": f"{home.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            },
            wall_seconds=terms.wall_seconds,
            memory_mib=terms.memory_mib,
            niceness=terms.niceness,
            first=lambda: bool(_written(out)),
        )
        files = {f"tests/generated/{path.name}": path.read_bytes() for path in _written(out)}
        crash = "" if files and done.exit_code == 0 else complaint(done.exit_code, done.output)
        return Generated(
            self.name,
            self.version(),
            files={} if crash else files,
            crash=crash,
            wall_seconds=done.wall_seconds,
            cpu_seconds=done.cpu_seconds,
            peak_mib=done.peak_mib,
            first_seconds=done.first_seconds,
            load=load,
        )


def _written(out: Path) -> list[Path]:
    return [path for path in sorted(out.glob("test_*.py")) if path.stat().st_size]
