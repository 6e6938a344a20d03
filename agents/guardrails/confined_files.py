"""Confines the paths of an engineer's files to test folders: the contract's pattern would admit `../x`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from ...core.errors import SchemaValidationError, UsageError
from ...store.files.project_files import project_path
from ..contract.protocol import JsonObject

_SUFFIXES = {
    "playwright": (".spec.ts", ".test.ts", ".spec.js", ".test.js"),
    "maestro": (".yaml", ".yml"),
}
_HIDDEN = frozenset({".maestro"})
_MARKERS = frozenset({"test", "tests", "e2e", "__tests__", "spec", "specs", "playwright", ".maestro", "maestro"})


def confine_files(files: Iterable[Mapping[str, str]], framework: str) -> list[JsonObject]:
    """Returns the files with normalized paths.

    Each path must stay inside the project, in a test folder, in no hidden folder but `.maestro`, and have the suffix
    of the framework's tests, so that no workflow, manifest or source file is ever written.

    Raises:
        SchemaValidationError: a path violates this, or two files have the same path; nothing may be written then.
    """
    kept: dict[str, JsonObject] = {}
    for index, file in enumerate(files):
        reason = _refusal(str(file["path"]), framework)
        path = "" if reason else project_path(str(file["path"]))
        if not reason and path in kept:
            reason = "another file has the same path"
        if reason:
            problem = {
                "path": f"$.files[{index}].path",
                "message": f"{file['path']!r} may not be written: {reason}",
                "severity": "error",
                "suggestion": f"name a file below tests/ that ends in {_SUFFIXES[framework][0]}",
            }
            raise SchemaValidationError(problem["message"], advice=problem["suggestion"], details={"errors": [problem]})
        kept[path] = {"path": path, "contents": file["contents"]}
    return list(kept.values())


def _refusal(path: str, framework: str) -> str:
    try:
        inside = PurePosixPath(project_path(path))
    except UsageError:
        return "it leads out of the project"
    folders = inside.parts[:-1]
    if any(part.startswith(".") and part not in _HIDDEN for part in folders) or inside.name.startswith("."):
        return "it lies in a hidden folder"
    if not any(part.lower() in _MARKERS for part in folders):
        return "it lies in no folder of tests"
    if not inside.name.endswith(_SUFFIXES[framework]):
        return f"it does not end in {' or '.join(_SUFFIXES[framework])}"
    return ""
