"""Finds the staged files that a test file depends on: conftest files around it, and helpers that it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...utils.confined_paths import read_text
from ...utils.python_source import parse_or_none


def with_dependencies(staged: Path, path: str, *, conftest: bool = True) -> dict[str, str]:
    """Reads a staged test file and all staged files it depends on, by path in the project; the test file comes first.

    Args:
        staged: the run's folder of staged files.
        conftest: whether conftest.py files are read at all (unittest has none).

    Raises:
        ToolFailure: one of them cannot be read.
    """
    files: dict[str, str] = {}
    queue = [path]
    while queue:
        current = queue.pop(0)
        if current in files:
            continue
        files[current] = read_text(staged / current, current, (staged,))
        candidates = set(_imported(current, files[current]))
        if conftest:
            candidates |= {(folder / "conftest.py").as_posix() for folder in PurePosixPath(current).parents}
        queue += sorted(name for name in candidates if (staged / name).is_file() and not (staged / name).is_symlink())
    return files


def _imported(path: str, text: str) -> Iterator[str]:
    """Yields candidate paths of the modules a file imports: beside it, or below the project's root; and packages."""
    folder = PurePosixPath(path).parent
    if not path.endswith(".py"):
        yield from _named_beside(folder, text)
        return
    tree = parse_or_none(text)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module_paths(folder, alias.name, 0, ())
        elif isinstance(node, ast.ImportFrom):
            yield from _module_paths(folder, node.module or "", node.level, [alias.name for alias in node.names])


def _named_beside(folder: PurePosixPath, text: str) -> Iterator[str]:
    """Yields candidate paths of what a script or a flow names: imports, programs it starts, other flows; and the
    configuration that is staged where the project has none.
    """
    yield "playwright.config.ts"
    for name in re.findall(r"(?:\bfrom |\brequire\()'\./([\w./-]+)'", text):
        yield from ((folder / f"{name}{ending}").as_posix() for ending in ("", ".ts", ".js"))
    for name in re.findall(r"(?<=')[\w-]+\.py(?=')|(?<=runFlow: )[\w./-]+\.yaml$", text, re.MULTILINE):
        yield (folder / name).as_posix()


def _module_paths(folder: PurePosixPath, module: str, level: int, names: tuple[str, ...] | list[str]) -> Iterator[str]:
    parts = module.split(".") if module else []
    bases = [folder, PurePosixPath()]
    if level:
        # A relative import: one dot is the file's own folder, each further dot one folder up.
        bases = [folder.parents[level - 2]] if 1 < level <= len(folder.parents) + 1 else [folder]
    for base in bases:
        inner = base.joinpath(*parts)
        # An imported name may be a module itself.
        for module_path in (inner, *(inner / name for name in names if name != "*")):
            yield f"{module_path.as_posix()}.py"
            yield f"{module_path.as_posix()}/__init__.py"
