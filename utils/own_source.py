"""Computes a digest of testwright's own code and environment; caches of another build are ignored.

Standard library only and quick to import.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ..core.version import VERSION

OWN_FOLDER = Path(__file__).resolve().parent.parent
"""The folder of the package."""

NOT_SHIPPED = frozenset({"tests", "benchmarks", "examples", "docs", "build", "dist"})
"""Folders of a checkout that are no part of the product: what changes in them changes nothing that it does."""

_CONTENT = (".py", ".json", ".md", ".js", ".mjs", ".toml")
_FOREIGN = frozenset({"__pycache__", "node_modules"})


@functools.cache
def own_digest() -> str:
    """Over version, sources and the interpreter with its installed packages; the same for as long as we run."""
    total = hashlib.sha256(f"{VERSION}\0{sys.version}\0{sys.platform}\n".encode())
    for path in _files(OWN_FOLDER):
        total.update(os.fsencode(path.relative_to(OWN_FOLDER)) + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    for name in _distributions():
        total.update(name.encode("utf-8", "surrogateescape") + b"\n")
    return total.hexdigest()


def packages(root: Path = OWN_FOLDER) -> list[str]:
    """The top folders that hold the product's code, schemas and prompts, in alphabetical order."""
    with os.scandir(root) as found:
        names = [entry.name for entry in found if entry.is_dir()]
    return sorted(name for name in names if name.isidentifier() and name not in NOT_SHIPPED | _FOREIGN)


def _files(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("*.py"))
    for package in packages(root):
        waiting = [root / package]
        while waiting:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(found, key=lambda entry: entry.name)
            for entry in entries:
                if entry.is_dir():
                    if entry.name not in _FOREIGN:
                        waiting.append(Path(entry.path))
                elif entry.name.endswith(_CONTENT):
                    yield Path(entry.path)


def _distributions() -> list[str]:
    """Names and versions of the packages beside us: formatters and runners shape what we write and keep."""
    found: set[str] = set()
    for entry in sys.path:
        try:
            found.update(name for name in os.listdir(entry or ".") if name.endswith((".dist-info", ".egg-info")))  # noqa: PTH208 - names only
        except OSError:
            continue
    return sorted(found)
