"""Walks a project once for the files that the engine reads: Python files, packages, documents."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

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
    """

    root: Path
    python: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()
    projects: tuple[str, ...] = ()
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
                found.update(_imported_names(self.root / path))
            self._imported = frozenset(found)
        return self._imported


def read_tree(root: Path) -> ProjectTree:
    """Walk `root`; hidden, generated and environment folders are left out, links to folders not followed."""
    python: list[str] = []
    documents: list[str] = []
    projects: set[str] = set()
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        relative = here.relative_to(root).as_posix()
        folders[:] = sorted(name for name in folders if _is_kept(here / name))
        prefix = "" if relative == "." else f"{relative}/"
        for name in sorted(files):
            if name.endswith(".py"):
                python.append(prefix + name)
            elif name.lower().endswith(_DOCUMENTS):
                documents.append(prefix + name)
            if name in ("pyproject.toml", "setup.py", "setup.cfg"):
                projects.add(relative)
        if len(python) > _MAXIMUM_FILES:
            break
    return ProjectTree(
        root=root,
        python=tuple(sorted(python)),
        documents=tuple(sorted(documents)),
        packages=frozenset(path.rpartition("/")[0] or "." for path in python if path.endswith("__init__.py")),
        projects=tuple(sorted(projects)),
    )


def _is_kept(folder: Path) -> bool:
    name = folder.name
    if name.startswith(".") or name in _SKIPPED or name.endswith((".egg-info", ".dist-info")):
        # A package may be called `build` or `env`: with an __init__.py it is source.
        return not name.startswith(".") and name in ("build", "env", "dist") and (folder / "__init__.py").is_file()
    return not (folder / "pyvenv.cfg").is_file()


def _imported_names(path: Path) -> set[str]:
    try:
        if path.stat().st_size > _MAXIMUM_BYTES:
            return set()
        return {match.decode("ascii", "replace") for match in _IMPORT.findall(path.read_bytes())}
    except OSError:
        return set()
