"""Walks a project once for the files that the engine reads: Python files, packages, documents."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ....utils.untrusted_files import read_source_bytes
from ....utils.untrusted_folders import reason_to_skip, walk_files

_SKIPPED = frozenset(
    "build dist node_modules __pycache__ venv env virtualenv site-packages dist-packages htmlcov wheelhouse "
    "__pypackages__ buck-out bower_components".split()
)
_DOCUMENTS = (".md", ".rst", ".txt")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
_MAXIMUM_FILES = 20_000
_MAXIMUM_BYTES = 2_000_000


@dataclass(slots=True)
class ProjectTree:
    """The project's files as POSIX paths relative to its root, each list sorted.

    Attributes:
        packages: folders with an `__init__.py`.
        projects: folders that hold a pyproject.toml, setup.py or setup.cfg, "." for the root.
        skipped: (path, reason) of what would be among them and cannot be read: pipes, links that lead out, too deep.
    """

    root: Path
    python: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()
    projects: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    _imported: frozenset[str] | None = field(default=None, repr=False)

    def imports_name(self, dotted: str) -> bool:
        """Whether some file of the project imports `dotted` or something below it."""
        return any(name == dotted or name.startswith(f"{dotted}.") for name in self._names())

    def imports_below(self, folder: str) -> bool:
        """Whether some file imports a module or package lying directly in `folder` by its bare name."""
        prefix = "" if folder == "." else f"{folder}/"
        inside = {
            path[len(prefix) :].split("/")[0].removesuffix(".py") for path in self.python if path.startswith(prefix)
        }
        return any(name.split(".")[0] in inside for name in self._names())

    def _names(self) -> frozenset[str]:
        if self._imported is None:
            found: set[str] = set()
            for path in self.python:
                found.update(_imported_names(self.root, path))
            self._imported = frozenset(found)
        return self._imported


def read_tree(root: Path) -> ProjectTree:
    """Walk `root`; hidden, generated and environment folders, what is no regular file, and links out are left out."""
    python: list[str] = []
    documents: list[str] = []
    projects: set[str] = set()
    skipped: list[tuple[str, str]] = []

    def skip(path: str, reason: str) -> None:
        if reason_to_skip(path) or path.lower().endswith((".py", ".toml", ".cfg", *_DOCUMENTS)):
            skipped.append((path, reason))

    for file in walk_files(root, _is_kept, skipped=skip):
        path = file.relative_to(root).as_posix()
        if path.endswith(".py"):
            python.append(path)
        elif path.lower().endswith(_DOCUMENTS):
            documents.append(path)
        if file.name in ("pyproject.toml", "setup.py", "setup.cfg"):
            projects.add(path.rpartition("/")[0] or ".")
        if len(python) > _MAXIMUM_FILES:
            break
    return ProjectTree(
        root=root,
        python=tuple(sorted(python)),
        documents=tuple(sorted(documents)),
        packages=frozenset(path.rpartition("/")[0] or "." for path in python if path.endswith("__init__.py")),
        projects=tuple(sorted(projects)),
        skipped=tuple(sorted(skipped)),
    )


def _is_kept(folder: Path) -> bool:
    name = folder.name
    if name.startswith(".") or name in _SKIPPED or name.endswith((".egg-info", ".dist-info")):
        # A package may be called `build` or `env`: with an __init__.py it is source.
        return not name.startswith(".") and name in ("build", "env", "dist") and (folder / "__init__.py").is_file()
    return not (folder / "pyvenv.cfg").is_file()


def _imported_names(root: Path, path: str) -> set[str]:
    try:
        content = read_source_bytes(root, path, most=_MAXIMUM_BYTES)
        return {match.decode("ascii", "replace") for match in _IMPORT.findall(content)}
    except OSError:
        return set()
