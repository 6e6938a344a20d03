"""Selects the most complex modules, functions or classes by the number of decisions in their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source_bytes
from .request.parsed_request import Superlative
from .target_index import ModuleTarget, TargetIndex

MODULES = 3
SYMBOLS = 5
"""How many are selected where the request does not say."""

_DECISIONS = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)


def most_complex(
    targets: Sequence[ModuleTarget], wanted: Superlative, index: TargetIndex
) -> tuple[tuple[ModuleTarget, ...], str]:
    """Select from the targets, and say what was selected. Ties go to the first path, then the first line."""
    ranked: list[tuple[int, str, str]] = []
    places = {target.place.path: target.place for target in targets}
    for target in targets:
        path = target.place.path
        compared = "class" if wanted.kind == "class" else "function"
        symbols = [(name, count) for name, count, kind in _symbols(index, target) if kind == compared]
        if target.symbols is not None:
            symbols = [(name, count) for name, count in symbols if name in target.symbols]
        if wanted.kind == "module":
            ranked.append((-sum(count for _, count in symbols), path, ""))
        else:
            ranked += [(-count, path, name) for name, count in symbols if not _private(name)]
    count = wanted.count or (MODULES if wanted.kind == "module" else SYMBOLS)
    chosen: dict[str, list[str]] = {}
    for _, path, name in sorted(ranked, key=lambda row: row[:2])[:count]:
        chosen.setdefault(path, []).append(name)
    selected = [
        ModuleTarget(places[path], None if wanted.kind == "module" else tuple(names))
        for path, names in sorted(chosen.items())
    ]
    kinds = {"module": "modules", "function": "functions", "class": "classes"}
    of = f"the most complex {wanted.kind}" if count == 1 else f"the {count} most complex {kinds[wanted.kind]}"
    return tuple(selected), of


def _symbols(index: TargetIndex, target: ModuleTarget) -> Iterator[tuple[str, int, str]]:
    """Qualified name, decisions and kind of each top-level function and class, and of each method."""
    try:
        source = read_source_bytes(index.layout.root, target.place.path)
        body = parse_python(source, target.place.path).body
    except (SyntaxError, OSError):
        return  # what cannot be read is reported where it is a target
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, decisions(node), "function"
        elif isinstance(node, ast.ClassDef):
            yield node.name, decisions(node), "class"
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield f"{node.name}.{member.name}", decisions(member), "function"


def decisions(node: ast.AST) -> int:
    """One more than the places where the code decides: the cyclomatic number, with each `and`, `or` and `case`."""
    found = 1
    for inner in ast.walk(node):
        if isinstance(inner, ast.BoolOp):
            found += len(inner.values) - 1
        elif isinstance(inner, ast.comprehension):
            found += 1 + len(inner.ifs)
        elif isinstance(inner, (*_DECISIONS, ast.match_case)):
            found += 1
    return found


def _private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))
