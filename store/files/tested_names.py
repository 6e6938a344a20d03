"""Tells which names of a module a test file exercises: by syntax, so that a file needs neither a spec nor a run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from ...utils.python_source import parse_or_none

GONE = "it is gone from the module"


def lost_names(old: str, new: str, target: str, source: str) -> dict[str, str]:
    """Map names of the tested module that an old version of its test file exercises, and the new one does not, to why.

    The reason is empty where the source does not tell it: the name is still there.

    Args:
        target: path of the tested file, POSIX.
        source: its text now.
    """
    before, after = _names(old, target), _names(new, target)
    if before is None or after is None:
        return {}
    tree = parse_or_none(source)
    public = dict(_public(tree)) if tree is not None else {}
    lost = {name for name, last in public.items() if last in before.used and last not in after.used}
    lost = {name for name in lost if name.partition(".")[0] in before.imported}
    # Where a class is lost as a whole, its methods need no mention.
    lost = {name for name in lost if "." not in name or name.partition(".")[0] not in lost}
    gone = before.imported - after.imported - _bound(tree) if tree is not None else set[str]()
    return {name: GONE if name in gone else "" for name in sorted(lost | gone)}


class _Names:
    def __init__(self, tree: ast.Module, target: str) -> None:
        self.imported: set[str] = set()
        self.used: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_of(node.module or "", target):
                self.imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Name):
                self.used.add(node.id)
            elif isinstance(node, ast.Attribute):
                self.used.add(node.attr)


def _names(text: str, target: str) -> _Names | None:
    tree = parse_or_none(text)
    return None if tree is None else _Names(tree, target)


def _is_of(module: str, target: str) -> bool:
    """Whether a dotted name may be that of a file: its parts are the last ones of the path."""
    parts = PurePosixPath(target).with_suffix("").parts
    parts = parts[:-1] if parts[-1:] == ("__init__",) else parts
    names = tuple(module.split("."))
    return bool(module) and parts[-len(names) :] == names


def _public(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the qualified names of public functions, classes and methods, each with its last part."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in tree.body:
        if not isinstance(node, (*functions, ast.ClassDef)) or node.name.startswith("_"):
            continue
        yield node.name, node.name
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(member, functions) and not member.name.startswith("_"):
                yield f"{node.name}.{member.name}", member.name


def _bound(tree: ast.Module) -> set[str]:
    """Every name that stands anywhere in a module: what is not among them has gone from it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return found
