"""Finds what runs a project's scripts: its package, its own Jest or ours, and how Jest is configured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ...core.errors import ToolMissing
from ...utils.untrusted_files import read_json
from ...utils.user_folders import cloned_folders, exposes_home
from ..target import PythonTarget
from .collection import Collection, read_collection
from .node import NodeRuntime, find_node
from .npm_folder import NpmFolder

JEST = NpmFolder(Path(__file__).with_name("jest_tools"), "jest", "Jest")
_CONFIGS = tuple(f"jest.config.{ending}" for ending in ("js", "cjs", "mjs", "json", "ts", "mts", "cts"))
_OLDEST = 28
_SHUFFLES = (29, 5)
"""The first version that runs the tests of a file in a random order."""


@dataclass(frozen=True, slots=True)
class ScriptPackage:
    """The package that a script belongs to: the nearest folder above it that has a package.json, or the root.

    Attributes:
        folder: POSIX, relative to the project's root; "." for the root.
        manifest: what its package.json says; empty without one.
        config_folder: the nearest folder, this one or one above it, that has a configuration of Jest; POSIX, relative
            to the project's root. Empty where there is none.
        typescript: whether it has a tsconfig.json.
    """

    folder: str
    manifest: Mapping[str, Any] = field(default_factory=dict)
    config_folder: str = ""
    typescript: bool = False

    @property
    def configured(self) -> bool:
        """Whether Jest is configured for it."""
        return bool(self.config_folder)

    @property
    def dependencies(self) -> frozenset[str]:
        """Names of all packages that it says it needs."""
        kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
        parts = [self.manifest.get(kind) for kind in kinds]
        return frozenset(name for part in parts if isinstance(part, dict) for name in part)

    @property
    def is_module(self) -> bool:
        """Whether its `.js` files are ES modules."""
        return self.manifest.get("type") == "module"


def package_of(root: Path, path: str) -> ScriptPackage:
    """Find the package of a script.

    Args:
        path: POSIX, relative to the root.
    """
    for folder in PurePosixPath(path).parents:
        if (root / folder / "package.json").is_file():
            return _package(root, folder.as_posix())
    return _package(root, ".")


def _package(root: Path, folder: str) -> ScriptPackage:
    try:
        manifest = read_json(root, (PurePosixPath(folder) / "package.json").as_posix())
    except (OSError, ValueError):
        manifest = {}
    manifest = manifest if isinstance(manifest, dict) else {}
    place = root / folder
    return ScriptPackage(folder, manifest, _config_folder(root, folder), (place / "tsconfig.json").is_file())


def _config_folder(root: Path, folder: str) -> str:
    for above in (PurePosixPath(folder), *PurePosixPath(folder).parents):
        try:
            manifest = read_json(root, (above / "package.json").as_posix())
        except (OSError, ValueError):
            manifest = {}
        own = isinstance(manifest, dict) and "jest" in manifest
        if own or any((root / above / name).is_file() for name in _CONFIGS):
            return above.as_posix()
    return ""


def collection_of(root: Path, package: ScriptPackage) -> Collection:
    """Where the package's Jest looks for tests, as far as its configuration is written out."""
    if not package.config_folder:
        return Collection(package.folder, {})
    return read_collection(root, package.config_folder, _CONFIGS)


@dataclass(frozen=True, slots=True)
class ScriptProject:
    """Everything needed to run tests of one package's scripts. Made by `prepare_scripts`.

    Attributes:
        target: makes workspaces, copies of the project without installed packages.
        jest: the folder of the package `jest`.
        own: whether that is the project's own.
        version: of Jest: major and minor.
        modules: folders `node_modules` of the project, by the POSIX folder that they lie in.
    """

    target: PythonTarget
    package: ScriptPackage
    node: NodeRuntime
    jest: Path
    own: bool
    version: tuple[int, int]
    modules: Mapping[str, Path] = field(default_factory=dict)

    @property
    def checks_types(self) -> bool:
        """Whether its Jest may refuse files whose types do not fit: ts-jest is installed."""
        return self.own and any((folder / "ts-jest").is_dir() for folder in self.modules.values())

    @property
    def shuffles(self) -> bool:
        """Whether this Jest can run tests in a random order."""
        return self.version >= _SHUFFLES


def prepare_scripts(target: PythonTarget, path: str) -> ScriptProject:
    """Find Node and Jest for the package of a script; ours is installed where the project has none. Blocks.

    Args:
        path: of the script, POSIX, relative to the project.

    Raises:
        ToolMissing: there is no Node, or Jest cannot be had or used; with advice.
        StorageError: Jest cannot be written to the cache.
    """
    package = package_of(target.snapshot.path, path)
    node = find_node(root=target.root)
    modules = dict(installed_modules(target.root, package.folder))
    for folder in modules.values():
        jest = folder / "jest"
        if (jest / "package.json").is_file():
            version = version_of(inside_project(target.root, jest))
            if version[0] < _OLDEST:
                raise ToolMissing(
                    f"the project has Jest {version[0]}.{version[1]}, and tests are written for {_OLDEST} and newer",
                    advice="npm install --save-dev jest@latest",
                )
            return ScriptProject(target, package, node, inside_project(target.root, jest), True, version, modules)
    if package.configured or "jest" in package.dependencies:
        raise ToolMissing(
            "the project names Jest, and it is not installed there",
            advice="run `npm install` in the project; `testwright doctor` shows what was found",
            details={"needs": "npm"},
        )
    ours = JEST.install(target.caches).folder / "node_modules" / "jest"
    return ScriptProject(target, package, node, ours, False, version_of(ours), modules)


def installed_modules(root: Path, folder: str) -> Iterator[tuple[str, Path]]:
    """Yield the folders of installed packages that a package's scripts are served from, the nearest first.

    Raises:
        ToolMissing: one leads out of the project.
    """
    for above in (PurePosixPath(folder), *PurePosixPath(folder).parents):
        found = root / above / "node_modules"
        if found.is_dir():
            yield above.as_posix(), inside_project(root, found)


def inside_project(root: Path, installed: Path) -> Path:
    """Resolve links of a folder of installed packages: the sandbox shows it, and a clone may bring links to anywhere.

    Raises:
        ToolMissing: it leads out of the project and its repository.
    """
    real = installed.resolve()
    around = next((clone for clone in cloned_folders(root) if real.is_relative_to(clone)), None)
    if around is None or "node_modules" not in real.relative_to(around).parts or exposes_home(real):
        raise ToolMissing(
            f"{installed} leads to {real}, which is no folder of packages inside the project or its repository",
            advice="run `npm install` in the project, so that its packages lie in its own node_modules",
            details={"needs": "npm"},
        )
    return real


def version_of(package: Path, title: str = "Jest") -> tuple[int, int]:
    """Read major and minor version of an installed package. Raises ToolMissing, which calls it by its title."""
    try:
        major, minor, *_ = str(json.loads((package / "package.json").read_text("utf-8"))["version"]).split(".")
        return int(major), int(minor)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ToolMissing(f"{package} is no {title}: {fault}", advice="run `npm install` in the project") from fault
