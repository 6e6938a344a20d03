"""Walks a project once for its files, and finds its source roots in project files and by convention."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ....utils.python_source import parse_python
from ....utils.untrusted_files import MAX_SOURCE_BYTES, MIB, read_source, read_source_bytes
from ....utils.untrusted_folders import reason_to_skip, walk_files

_CONVENTIONAL = ("src", "lib", "python")
_SKIPPED = frozenset(
    "build dist node_modules __pycache__ venv env virtualenv site-packages dist-packages htmlcov wheelhouse "
    "__pypackages__ buck-out bower_components".split()
)
_DOCUMENTS = (".md", ".rst", ".txt")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
MOST_FILES = 200_000
"""The most Python files of a project that are read."""
_MAXIMUM_BYTES = 2_000_000


def declared_roots(root: Path, tree: ProjectTree) -> tuple[str, ...]:
    """The source roots relative to `root`, deepest first; the project root itself is always the last."""
    found = {"."}
    for project in (".", *tree.projects):
        folder = root / project
        if project != "." and project not in tree.packages:
            found.add(project)
        names = {*_from_pyproject(folder / "pyproject.toml"), *_from_setup_cfg(folder / "setup.cfg")}
        names.update(_from_setup_py(folder / "setup.py"))
        names.update(name for name in _CONVENTIONAL if _holds_source(tree, _joined(project, name)))
        for name in names:
            joined = _joined(project, name)
            if (root / joined).is_dir() and joined not in tree.packages:
                found.add(joined)
    for path in tree.python:
        parts = PurePosixPath(path).parts
        if "src" in parts[:-1]:
            folder = "/".join(parts[: parts.index("src") + 1])
            if folder not in tree.packages:
                found.add(folder)
    return tuple(sorted(found, key=lambda one: (-len(PurePosixPath(one).parts) if one != "." else 1, one)))


def _joined(project: str, name: str) -> str:
    joined = PurePosixPath(project) / name
    return "." if ".." in joined.parts or joined.is_absolute() else joined.as_posix()


def _holds_source(tree: ProjectTree, folder: str) -> bool:
    return folder not in tree.packages and any(path.startswith(f"{folder}/") for path in tree.python)


def _from_pyproject(path: Path) -> set[str]:
    data = read_toml(path)
    package_dir = table_at(data, "tool", "setuptools", "package-dir")
    found = {value for key, value in package_dir.items() if key == "" and isinstance(value, str)}
    found.update(_strings(table_at(data, "tool", "setuptools", "packages", "find").get("where", [])))
    poetry = table_at(data, "tool", "poetry").get("packages", [])
    if isinstance(poetry, list):
        found.update(one["from"] for one in poetry if isinstance(one, dict) and isinstance(one.get("from"), str))
    wheel = table_at(data, "tool", "hatch", "build", "targets", "wheel")
    found.update(_strings(wheel.get("sources", [])))
    found.update(PurePosixPath(string).parent.as_posix() for string in _strings(wheel.get("packages", [])))
    found.update(_strings(table_at(data, "tool", "pytest", "ini_options").get("pythonpath", [])))
    return {one for one in found if one}


def read_toml(path: Path) -> dict[str, Any]:
    """The contents of a TOML file; empty where it cannot be read or parsed."""
    try:
        return tomllib.loads(read_source(path.parent, path.name))
    except (OSError, ValueError, RecursionError):  # among them numbers with too many digits
        return {}


def table_at(data: Any, *keys: str) -> dict[str, Any]:
    """The table under nested keys; empty where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def read_config(path: Path) -> configparser.ConfigParser:
    """The contents of an INI file; empty where it cannot be read or parsed."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(read_source(path.parent, path.name))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return configparser.ConfigParser(interpolation=None)
    return parser


def parse_file(path: Path) -> ast.Module:
    """The syntax tree of a file, for reading it without running it; an empty one where it does not parse."""
    try:
        return parse_python(read_source_bytes(path.parent, path.name), str(path))
    except (OSError, SyntaxError):
        return ast.Module([], [])


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _from_setup_cfg(path: Path) -> set[str]:
    parser = read_config(path)
    found = set(parser.get("options.packages.find", "where", fallback="").split())
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        key, separator, value = line.partition("=")
        if separator and not key.strip():
            found.add(value.strip())
    return found


def _from_setup_py(path: Path) -> set[str]:
    """`package_dir={"": "src"}` and `find_packages("src")` of a setup script, read without running it."""
    found: set[str] = set()
    for node in ast.walk(parse_file(path)):
        if isinstance(node, ast.keyword) and node.arg == "package_dir" and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "" and isinstance(value, ast.Constant):
                    found.add(str(value.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("find_"):
            named = [keyword.value for keyword in node.keywords if keyword.arg == "where"]
            for value in (*node.args[:1], *named):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found.add(value.value)
    return found


@dataclass(slots=True)
class ProjectTree:
    """The project's files as POSIX paths relative to its root, each list sorted.

    Attributes:
        packages: folders with an `__init__.py`.
        projects: folders that hold a pyproject.toml, setup.py or setup.cfg, "." for the root.
        skipped: (path, reason) of what would be among them and cannot be read: pipes, links that lead out, too deep;
            and a row for all Python files beyond `MOST_FILES`.
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
        below = [path.removeprefix(prefix) for path in self.python if path.startswith(prefix)]
        inside = {path.split("/")[0].removesuffix(".py") for path in below}
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
    beyond: tuple[tuple[str, str], ...] = ()

    def skip(path: str, reason: str) -> None:
        if reason_to_skip(path) or path.lower().endswith((".py", ".toml", ".cfg", *_DOCUMENTS)):
            skipped.append((path, reason))

    for file in walk_files(root, _is_kept, skipped=skip):
        path = file.relative_to(root).as_posix()
        if file.suffix.lower() in (".py", *_DOCUMENTS) and file.stat().st_size > MAX_SOURCE_BYTES:
            skip(path, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        elif path.endswith(".py"):
            if len(python) == MOST_FILES:
                reason = f"only {MOST_FILES:,} of a project are read; name a folder as --root"
                beyond = (("further Python files", reason),)
                break
            python.append(path)
        elif path.lower().endswith(_DOCUMENTS):
            documents.append(path)
        if file.name in ("pyproject.toml", "setup.py", "setup.cfg"):
            projects.add(path.rpartition("/")[0] or ".")
    return ProjectTree(
        root=root,
        python=tuple(sorted(python)),
        documents=tuple(sorted(documents)),
        packages=frozenset(path.rpartition("/")[0] or "." for path in python if path.endswith("__init__.py")),
        projects=tuple(sorted(projects)),
        skipped=(*beyond, *sorted(skipped)),  # of many only the first are shown
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
