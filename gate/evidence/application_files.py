"""Selects the files that count for an HTTP application's tests: the one that creates it and those of its handlers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def application_files(root: Path, spec: Mapping[str, Any]) -> list[str]:
    """Paths relative to the project, the application's own first, each once.

    Args:
        root: the project's root; what is no Python file below it is left out.
        spec: an API test spec.
    """
    found: list[str] = []
    for path in (*_application(root, spec.get("target") or {}), *_handlers(spec)):
        if path.endswith(".py") and path not in found and _is_below(root, path):
            found.append(path)
    return found


def _application(root: Path, target: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(target.get("path"), str):
        yield target["path"]
    module = str((target.get("application") or {}).get("import") or "").partition(":")[0].replace(".", "/")
    for folder in target.get("import_roots") or (".",) if module else ():
        for path in (Path(folder) / f"{module}.py", Path(folder) / module / "__init__.py"):
            if (root / path).is_file():
                yield path.as_posix()


def _handlers(spec: Mapping[str, Any]) -> Iterator[str]:
    for case in spec.get("cases") or ():
        for one in case.get("expect") or ():
            path = (one.get("evidence") or {}).get("path")
            if isinstance(path, str):
                yield path


def _is_below(root: Path, path: str) -> bool:
    place = (root / path).resolve()
    return place.is_file() and place.is_relative_to(root.resolve())
