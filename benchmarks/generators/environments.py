"""Virtual environments of the peers and of the subjects, made once from the pins in `benchmarks/peers`."""

from __future__ import annotations

import hashlib
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .commands import prepared_by
from .corpus import Subject
from .interpreters import full_version

PINS = Path(__file__).resolve().parents[1] / "peers"


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        digest: of its pins and of the package whose dependencies it holds.
    """

    folder: Path
    digest: str

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def program(self, name: str) -> str:
        """The path of one of its programs."""
        return str(self.folder / "bin" / name)


def pinned(name: str, package: str) -> str:
    """The version of a package in the pins called `name`. Raises KeyError."""
    versions = dict(line.split("==") for line in (PINS / f"{name}.txt").read_text().split())
    return versions[package]


def environment(
    name: str, folder: Path, subject: Subject | None = None, python: Path = Path(sys.executable)
) -> Environment:
    """The environment with the pins called `name`, below `folder`; made where it is not there yet.

    Args:
        subject: a further package, whose dependencies are installed too, but not itself.
        python: the interpreter it is made with; default: the one that runs this.

    Raises:
        PreparationError: it could not be made.
    """
    pins = PINS / f"{name}.txt"
    needs = _needs(subject)
    version = full_version(python)
    digest = hashlib.sha256(f"{pins.read_text()}\n{' '.join(needs)}\n{version}".encode()).hexdigest()[:12]
    place = folder / "environments" / f"{name}-{digest}"
    made = place / "made"
    if not made.is_file():
        shutil.rmtree(place, ignore_errors=True)
        prepared_by([str(python), "-m", "venv", str(place)])
        _pip(place, "install", "-r", str(pins))
        if needs and subject is not None:
            _pip(place, "install", "-c", str(pins), *needs)
            if subject.requires is None:
                _pip(place, "uninstall", "--yes", subject.package)
        made.touch()
    return Environment(place, digest)


def _needs(subject: Subject | None) -> tuple[str, ...]:
    """What is installed for a subject: what it is known to require, else itself, which brings its dependencies."""
    if subject is None or not subject.further:
        return ()
    return (subject.requirement,) if subject.requires is None else subject.requires


def _pip(place: Path, action: str, *arguments: str) -> None:
    command = [str(place / "bin" / "python"), "-m", "pip", action, "--quiet", "--disable-pip-version-check"]
    prepared_by([*command, *arguments])
