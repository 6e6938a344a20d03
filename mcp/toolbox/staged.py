"""Which staged files a test file needs: the conftest files around it, and the helpers beside it that it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...utils.confined_paths import read_text
from ...utils.python_source import parse_python


def with_needed(staged: Path, path: str, *, conftest: bool = True) -> dict[str, str]:
    """A staged test file with everything staged that it needs, by path in the project; the test file first.

    Args:
        staged: the run's folder of staged files.
        conftest: whether conftest.py files are read at all (unittest has none).

    Raises:
        ToolFailure: one of them cannot be read.
    """
    files: dict[str, str] = {}
    waiting = [path]
    while waiting:
        here = waiting.pop(0)
        if here in files:
            continue
        files[here] = read_text(staged / here, here)
        candidates = [*_conftests(here), *_imported(here, files[here])] if conftest else _imported(here, files[here])
        waiting += sorted({one for one in candidates if (staged / one).is_file() and not (staged / one).is_symlink()})
    return files


def _conftests(path: str) -> Iterator[str]:
    for folder in PurePosixPath(path).parents:
        yield (folder / "conftest.py").as_posix()


def _imported(path: str, text: str) -> Iterator[str]:
    """Where modules that a file imports would stand: beside it, or below the project's root; and their packages."""
    try:
        tree = parse_python(text)
    except SyntaxError:
        return
    folder = PurePosixPath(path).parent
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _places(folder, alias.name, 0, ())
        elif isinstance(node, ast.ImportFrom):
            yield from _places(folder, node.module or "", node.level, [alias.name for alias in node.names])


def _places(folder: PurePosixPath, module: str, level: int, names: tuple[str, ...] | list[str]) -> Iterator[str]:
    parts = module.split(".") if module else []
    bases = [folder, PurePosixPath()]
    if level:
        bases = [folder.parents[level - 2]] if 1 < level <= len(folder.parents) + 1 else [folder]
    for base in bases:
        inner = base.joinpath(*parts)
        for one in (inner, *(inner / name for name in names if name != "*")):
            yield f"{one.as_posix()}.py"
            yield f"{one.as_posix()}/__init__.py"
