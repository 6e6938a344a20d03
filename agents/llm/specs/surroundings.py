"""Describes what stands around a module: what it delegates to, the README lines that name it, what tools say of it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....engine.python.project.layout import Layout, find_layout
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import read_source

MOST_DELEGATES = 1600
MOST_README = 800
MOST_CONTEXT = 1600
LEAST_CONTEXT = 400
_LONG_MESSAGE = 12_000
MOST_EVIDENCE = 1600
_MOST_EXAMPLES = 20
_LONGEST_LINE = 160
_MOST_README_LINES = 8
_SHORTEST_NAME = 4
_SHORTEST_REPEAT = 12
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def delegates(root: Path, path: str, source: str, shown: str) -> str:
    """Signatures and first docstring lines of what a module calls: its helpers that are not shown, project functions.

    Args:
        path: of the module.
        shown: the text of the module that the model reads anyway.
    """
    tree = parse_or_none(source)
    if tree is None:
        return ""
    lines = [_described(node) for node in tree.body if isinstance(node, _Function) and f"def {node.name}(" not in shown]
    lines += list(_imported(root, path, tree))
    return _bounded(lines, MOST_DELEGATES)


def _imported(root: Path, path: str, tree: ast.Module) -> Iterator[str]:
    """What the module imports from others of the project."""
    layout = find_layout(root)
    modules = layout.by_module()
    package = next((place.module for place in layout.modules if place.path == path), "").split(".")
    own = package if path.endswith("__init__.py") else package[:-1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        above = own[: len(own) - (node.level - 1)] if node.level else []
        name = ".".join([*above, *([node.module] if node.module else [])])
        place = modules.get(name)
        if place is None or place.path == path:
            continue
        wanted = {alias.name for alias in node.names}
        other = parse_or_none(read_source(root, place.path, errors="replace"))
        for found in other.body if other is not None else ():
            if isinstance(found, _Function | ast.ClassDef) and found.name in wanted:
                yield f"{name}: {_described(found)}"


def _described(node: _Function | ast.ClassDef) -> str:
    first = (ast.get_docstring(node) or "").partition("\n")[0]
    says = f"  # {first}" if first else ""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}{says}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}{says}"


def readme_lines(root: Path, module: str, names: Sequence[str]) -> str:
    """Lines of the project's README and documents that name a module or one of its public names."""
    layout: Layout = find_layout(root)
    wanted = [module, *(name for name in names if len(name) >= _SHORTEST_NAME and not name.startswith("_"))]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)")
    found: list[str] = []
    for document in sorted(layout.documents, key=lambda one: ("readme" not in one.lower(), one)):
        try:
            text = read_source(root, document, errors="replace")
        except OSError:
            continue
        found += [f"{document}: {line.strip()}" for line in text.splitlines() if pattern.search(line)]
        if len(found) >= _MOST_README_LINES:
            break
    return _bounded(found[:_MOST_README_LINES], MOST_README)


def public_names(source: str) -> list[str]:
    """Public functions and classes of a module."""
    tree = parse_or_none(source)
    nodes = tree.body if tree is not None else []
    return [node.name for node in nodes if isinstance(node, _Function | ast.ClassDef) and node.name[0] != "_"]


def tool_context(inputs: Mapping[str, Any], path: str, shown: Collection[str] = ()) -> str:
    """What the tools answered about the code around a target, whoever serves them: passages, summary, findings.

    Args:
        shown: texts that the model reads anyway; lines of them are left out. Where they are long, less is told beside.
    """
    lines: list[str] = []
    analysis = inputs.get("ast_analysis")
    summary = str(analysis.get("summary") or "") if isinstance(analysis, Mapping) else ""
    if summary and not _is_shown(summary, shown):
        lines.append(f"{path}: {summary}")
    checks = inputs.get("checks")
    for name, said in (checks if isinstance(checks, Mapping) else {}).items():
        lines += [f"{name}: {line}" for line in said]
    known = evidence_lines(inputs.get("evidence"))
    lines += known
    context = inputs.get("codebase_context")
    snippets = context.get("snippets") if isinstance(context, Mapping) else None
    for snippet in snippets if isinstance(snippets, list) else ():
        if isinstance(snippet, Mapping) and snippet.get("path") != path:
            text = textwrap.dedent(str(snippet.get("text") or ""))
            passage = [line for line in text.splitlines() if line.strip() and not _is_shown(line, shown)]
            lines += [f"# {snippet.get('path')}", *passage] if passage else []
    beyond = max(0, sum(map(len, shown)) - _LONG_MESSAGE)
    room = max(LEAST_CONTEXT, MOST_CONTEXT - beyond // 2)
    return _bounded(lines, room + (MOST_EVIDENCE if known else 0))


def _is_shown(line: str, shown: Collection[str]) -> bool:
    """Whether a line that says more than a bracket or a word stands in one of some texts."""
    text = line.strip()
    return len(text) >= _SHORTEST_REPEAT and any(text in one for one in shown)


def evidence_lines(evidence: Any) -> list[str]:
    """What the evidence loop found, what says most first: conflicts, values with their places, hypotheses, commits."""
    if not isinstance(evidence, Mapping):
        return []
    lines = [f"sources contradict: {row['act']} is {row['one']} or {row['other']}" for row in evidence["conflicts"]]
    for row in evidence["examples"][:_MOST_EXAMPLES]:
        said = f"raises {row['raises']}" if row.get("raises") else f"-> {row['want']}"
        lines.append(f"{row['path']}:{row['line']}: {row['act']} {said}")
    shown = {row["act"] for row in evidence["examples"]}
    stated = [row["statement"] for row in evidence["hypotheses"]]
    lines += [f"perhaps: {text}" for text in stated if not any(text.startswith(act) for act in shown)]
    for piece in evidence["pieces"]:
        if piece["kind"] == "history":
            lines.append(f"commit {piece['title']}")
    return lines


def _bounded(lines: Sequence[str], limit: int) -> str:
    kept: list[str] = []
    size = 0
    for line in lines:
        cut = line[:_LONGEST_LINE].rstrip()
        size += len(cut) + 1
        if size > limit:
            return "\n".join([*kept, "…"])
        kept.append(cut)
    return "\n".join(kept)
