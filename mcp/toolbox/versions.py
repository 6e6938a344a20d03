"""What answers of the built-in tools depend on besides their arguments and files: the code that makes them (A-09)."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ...core.version import VERSION

_PACKAGES_OF_TOOLS = ("analysis", "core", "engine", "gate", "mcp", "schemas", "utils")
_PACKAGES = ("docstring-parser", "jsonschema", "openapi-spec-validator", "pathspec", "pyyaml", "ruff")
_ENDINGS = (".py", ".json", ".mjs")


@cache
def code_stamp() -> str:
    """A hash of testwright's version and own code, of Python's version, and of the packages that tools check with.

    The code is read, not only its version: a checkout changes without one. Once per process, a few milliseconds.
    """
    stamp = hashlib.sha256(f"{VERSION} {platform.python_version()}".encode())
    for package in _PACKAGES:
        stamp.update(f" {package} {_version(package)}".encode())
    home = Path(__file__).resolve().parents[2]
    for path in sorted(one for package in _PACKAGES_OF_TOOLS for one in _files(home / package)):
        stamp.update(f" {path.relative_to(home).as_posix()} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return stamp.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in _ENDINGS and "node_modules" not in path.parts and path.is_file():
            yield path


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
