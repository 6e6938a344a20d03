"""Reads the seams of a package's scripts: which module uses which, and which use files, a service or are a program."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tree_sitter import Node

from ....core.errors import TargetImportError
from ....sandbox.javascript.project import package_of
from ....sandbox.javascript.syntax import SUFFIXES, string_value, text_of, walk
from ....sandbox.javascript.syntax import field as child
from ..declarations import with_declarations
from ..facts import read_module
from ..model import Module

FILES = "files"
SERVICE = "service"
PROCESS = "process"
_FILE_MODULES = frozenset({"fs", "node:fs", "fs/promises", "node:fs/promises"})
_MOST_COMPONENTS = 12
_ENDINGS = (*SUFFIXES, *(f"/index{suffix}" for suffix in SUFFIXES))
_COMPILED = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}


@dataclass(frozen=True, slots=True)
class Program:
    """A command of a package: its name, and the script that Node runs; POSIX, relative to the project."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class ScriptSeams:
    """An entry module and what it reaches.

    Attributes:
        entry: the module that the tests call.
        components: the modules that it reaches, the nearest first, by their paths.
        edges: (path, path) of every import between them.
        outside: by path, which of `files` and `service` a module uses.
        programs: the commands that begin in the entry.
    """

    entry: Module
    components: Mapping[str, Module]
    edges: tuple[tuple[str, str], ...]
    outside: Mapping[str, frozenset[str]]
    programs: tuple[Program, ...] = ()

    @property
    def modules(self) -> tuple[Module, ...]:
        """The entry, then the other components."""
        return (self.entry, *self.components.values())

    @property
    def is_integration(self) -> bool:
        """Whether there is anything that the entry is integrated with."""
        return bool(self.components or any(self.outside.values()) or self.programs)


@dataclass(slots=True)
class Scripts:
    """The scripts of a project, each parsed when it is first asked for.

    Args:
        root: the project, which must not change meanwhile.
    """

    root: Path
    _read: dict[tuple[str, str], Module] = field(default_factory=dict[tuple[str, str], Module])

    def module(self, path: str, package: str = "") -> Module:
        """A module, for an entry with its package's name. Raises as `read_module`."""
        if (path, package) not in self._read:
            self._read[path, package] = read_module(self.root, path, package)
        return self._read[path, package]


def read_seams(root: Path, path: str, scripts: Scripts | None = None) -> ScriptSeams:
    """Read the seams of one module. Blocks.

    Args:
        path: of the entry, POSIX, relative to the project's root.
        scripts: those of the project, where several entries are read; None to parse for this one.

    Raises:
        TargetImportError: the entry does not parse.
        OSError: it cannot be read.
    """
    scripts = scripts or Scripts(root)
    package = package_of(root, path)
    entry = with_declarations(root, scripts.module(path, str(package.manifest.get("name") or "")))
    components: dict[str, Module] = {}
    edges: list[tuple[str, str]] = []
    waiting = [entry]
    while waiting:
        here = waiting.pop(0)
        for other in _imported_modules(scripts, here):
            if other != path and other not in components and len(components) < _MOST_COMPONENTS:
                try:
                    components[other] = with_declarations(root, scripts.module(other))
                except (TargetImportError, OSError):
                    continue
                waiting.append(components[other])
            if other == path or other in components:
                edges.append((here.path, other))
    outside = {one.path: _outside(one) for one in (entry, *components.values())}
    programs = tuple(one for one in programs_of(root, package.folder) if one.path == path)
    return ScriptSeams(entry, components, tuple(dict.fromkeys(edges)), outside, programs)


def _imported_modules(scripts: Scripts, module: Module) -> list[str]:
    """The modules of the project that a module uses when it runs, and those whose classes its functions are given.

    Those that it takes other types from are none of them.
    """
    root = scripts.root
    found = [resolved(root, module.path, source) for source in _sources(module.root)]
    for source in dict.fromkeys(source for source, _ in module.imports.values()):
        path = resolved(root, module.path, source)
        if path is not None and path not in found and _gives_classes(scripts, path, module, source):
            found.append(path)
    return list(dict.fromkeys(path for path in found if path is not None and path != module.path))


def _gives_classes(scripts: Scripts, path: str, module: Module, source: str) -> bool:
    wanted = {name for origin, name in module.imports.values() if origin == source}
    try:
        classes = scripts.module(path).classes
    except (TargetImportError, OSError):
        return False
    return any(one.name in wanted for one in classes)


def resolved(root: Path, path: str, source: str) -> str | None:
    """The module that an import means; None for a package, or what is not there."""
    if not source.startswith("."):
        return None
    base = posixpath.normpath((PurePosixPath(path).parent / source).as_posix())
    if base.startswith(".."):
        return None
    suffix = PurePosixPath(base).suffix
    names = [base] if suffix in SUFFIXES else []
    names += [base.removesuffix(suffix) + other for other in _COMPILED.get(suffix, ())]
    names += [base + ending for ending in _ENDINGS]
    return next((name for name in names if (root / name).is_file()), None)


def _sources(tree: Node) -> Iterator[str]:
    """What is imported or required anywhere in a module, without imports of types."""
    for node in walk(tree):
        if node.type in ("import_statement", "export_statement"):
            if not _only_types(node) and (source := string_value(child(node, "source"))):
                yield source
        elif node.type == "call_expression" and text_of(child(node, "function")) in ("require", "import"):
            arguments = child(node, "arguments")
            first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
            if source := string_value(first):
                yield source


def _only_types(node: Node) -> bool:
    if any(one.type == "type" for one in node.children):
        return True
    names = [one for one in walk(node) if one.type == "import_specifier"]
    plain = any(one.type == "identifier" for clause in node.named_children for one in clause.named_children)
    return bool(names) and not plain and all(text_of(one).startswith("type ") for one in names)


def _outside(module: Module) -> frozenset[str]:
    found = set()
    if _FILE_MODULES & set(_sources(module.root)):
        found.add(FILES)
    if any(
        node.type == "call_expression" and text_of(child(node, "function")) == "fetch" for node in walk(module.root)
    ):
        found.add(SERVICE)
    return frozenset(found)


def programs_of(root: Path, folder: str) -> list[Program]:
    """The commands that a package installs, whose script is there and is JavaScript.

    Args:
        folder: of the package, POSIX, relative to the root.
    """
    manifest = package_of(root, (PurePosixPath(folder) / "package.json").as_posix()).manifest
    said = manifest.get("bin")
    name = str(manifest.get("name") or "").rpartition("/")[2]
    named: Mapping[str, object] = said if isinstance(said, dict) else {name: said} if name and said else {}
    found = []
    for command, script in sorted(named.items()):
        inside = posixpath.normpath(str(script))
        # A manifest may name any file of the machine.
        if inside.startswith(("/", "../")):
            continue
        path = posixpath.normpath((PurePosixPath(folder) / inside).as_posix())
        fits = re.fullmatch(r"[A-Za-z][\w-]*", command) and PurePosixPath(path).suffix in (".js", ".mjs", ".cjs")
        if fits and (root / path).is_file():
            found.append(Program(command, path))
    return found


def entries_of(root: Path, modules: Sequence[str], *, programs: bool) -> list[str]:
    """The modules, of some, that are integrated with anything, those that reach most others first.

    Args:
        modules: paths, POSIX, relative to the root.
        programs: whether the scripts of their packages' commands are added.
    """
    folders = {package_of(root, path).folder for path in modules} if programs else set[str]()
    commands = [one.path for folder in sorted(folders) for one in programs_of(root, folder)]
    scripts = Scripts(root)
    found: list[tuple[int, str]] = []
    for path in dict.fromkeys((*modules, *commands)):
        try:
            seams = read_seams(root, path, scripts)
        except (TargetImportError, OSError):
            continue
        exports = bool(seams.entry.functions or seams.entry.classes)
        if seams.is_integration and (exports or seams.programs):
            found.append((len(seams.components), path))
    found.sort(key=lambda one: (-one[0], one[1]))
    return [path for _, path in found]
