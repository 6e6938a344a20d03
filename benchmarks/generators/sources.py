"""The source distributions of the subjects: fetched once, held to their digests, and stripped of their own tests."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .commands import PreparationError, prepared_by
from .corpus import Subject

TEST_FOLDERS = frozenset({"tests", "test"})
SIDE_FOLDERS = frozenset({"docs", "doc", "examples", "example"})


@dataclass(frozen=True)
class Source:
    """A subject's project, as every tool finds it.

    Attributes:
        root: the project; never written to, tools get copies.
        path: the module's file, POSIX, relative to `root`.
        import_root: the folder to put on the import path, POSIX, relative to `root`.
        sha256: of the archive it comes from.
    """

    subject: Subject
    root: Path
    path: str
    import_root: str
    sha256: str

    def copy(self, place: Path) -> Path:
        """A fresh copy of the project at `place`."""
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        return shutil.copytree(self.root, place, symlinks=True)


def fetched(subject: Subject, folder: Path) -> Source:
    """The project of a subject, below `folder`, downloaded where it is not there yet.

    Raises:
        PreparationError: it could not be downloaded, is not the pinned archive, or has no such module.
    """
    archive = _archive(subject, folder / "archives" / f"{subject.package}-{subject.version}")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if subject.sha256 and digest != subject.sha256:
        raise PreparationError(f"{archive.name} has the digest {digest}, and {subject.sha256} is pinned")
    root = folder / "projects" / f"{subject.package}-{subject.version}"
    if not root.is_dir():
        _unpacked(archive, root)
    path, import_root = located(root, subject.module)
    return Source(subject, root, path, import_root, digest)


def located(root: Path, module: str) -> tuple[str, str]:
    """A module's file and the folder it is imported from, both relative to the project. Raises PreparationError."""
    inner = module.replace(".", "/")
    for import_root in ("src", ".", "lib"):
        for name in (f"{inner}.py", f"{inner}/__init__.py"):
            path = root / import_root / name
            if path.is_file():
                return path.relative_to(root).as_posix(), import_root
    raise PreparationError(f"{root.name} has no module {module}")


def strip(root: Path) -> None:
    """Remove a project's own tests, documentation and examples."""
    for path in sorted(root.rglob("*"), key=lambda one: len(one.parts), reverse=True):
        relative = path.relative_to(root)
        if path.is_dir() and not path.is_symlink():
            side = len(relative.parts) == 1 and path.name.lower() in SIDE_FOLDERS
            if side or path.name.lower() in TEST_FOLDERS or path.name == "__pycache__":
                shutil.rmtree(path)
        elif is_test_file(path.name):
            path.unlink()


def is_test_file(name: str) -> bool:
    """Whether a file is by its name a test or a helper of tests."""
    named = name.startswith("test_") or name.endswith("_test.py") or name in ("conftest.py", "tests.py", "test.py")
    return named and name.endswith(".py")


def _archive(subject: Subject, into: Path) -> Path:
    found = sorted(into.glob("*.tar.gz"))
    if not found:
        command = ["pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest", str(into)]
        command += ["--no-binary", subject.package, subject.requirement]
        prepared_by([sys.executable, "-m", *command])
        found = sorted(into.glob("*.tar.gz"))
    if len(found) != 1:
        raise PreparationError(f"{subject.requirement} has no source distribution that is a .tar.gz")
    return found[0]


def _unpacked(archive: Path, root: Path) -> None:
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        [unpacked] = [path for path in Path(folder).iterdir() if path.is_dir()]
        strip(unpacked)
        unpacked.rename(root)
