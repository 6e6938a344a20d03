"""Orders the steps of a plan for scripts, by the facts and the score of `importance`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from tree_sitter import Node

from .....core.errors import TargetImportError
from .....engine.javascript.facts import read_module
from .....engine.javascript.model import Module
from .....sandbox.javascript.syntax import text_of, walk
from .....utils.untrusted_files import source_or_empty
from .....vcs.recent_changes import RecentChanges, recent_changes
from ....contract.protocol import JsonObject
from .importance import ModuleFacts

_DECISIONS = frozenset(
    {
        *("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"),
        *("switch_case", "catch_clause", "ternary_expression"),
    }
)
_SHORT_CIRCUITS = ("&&", "||", "??")
_WORDS = re.compile(r"[\w$]+")


def scripts_in_order_of_importance(
    steps: Sequence[JsonObject], root: Path, tests: Sequence[str], named: Collection[str] = ()
) -> list[JsonObject]:
    """Return the generate steps of one kind, the most important module first; each of several says its `importance`.

    A module that does not parse counts as one without names and branches.

    Args:
        steps: in order of paths; not changed.
        tests: paths of the project's tests of scripts.
        named: paths of modules that somebody has named one by one, which come first.
    """
    if len(steps) < 2:
        return list(steps)
    history, words = recent_changes(root), [_words(source_or_empty(root, path)) for path in tests]
    scored: list[tuple[bool, float, JsonObject]] = []
    for step in steps:
        path, is_named = str(step["params"]["target"]["path"]), step["params"]["target"]["path"] in named
        facts = _facts(root, path, step["params"]["target"].get("symbols"), words, history)
        reason = f"named in the request, {facts.reason}" if is_named else facts.reason
        importance = {"score": facts.score, "reason": reason}
        scored.append((not is_named, -facts.score, {**step, "params": {**step["params"], "importance": importance}}))
    return [step for _, _, step in sorted(scored, key=lambda row: row[:2])]


def _facts(
    root: Path,
    path: str,
    symbols: Sequence[str] | None,
    tests: Sequence[frozenset[str]],
    history: RecentChanges,
) -> ModuleFacts:
    try:
        module = read_module(root, path)
    except (TargetImportError, OSError):
        module = None
    names = _public(module) if module is not None else {}
    wanted = {name: node for name, node in names.items() if not symbols or name in symbols}
    nodes = list(wanted.values()) if symbols or module is None else [module.root]
    # Tests name a module by the path that they import.
    using = [words for words in tests if PurePosixPath(path).name.partition(".")[0] in words]
    has_history = history.commits > 1
    return ModuleFacts(
        public=len(wanted),
        branches=sum(_is_decision(node) for one in nodes for node in walk(one)),
        untested=sum(not any(set(name.split(".")) <= words for words in using) for name in wanted),
        changes=history.by_path.get(path, 0) if has_history else 0,
        commits=history.commits if has_history else 0,
        is_private=any(part.startswith("_") for part in PurePosixPath(path).parts),
    )


def _public(module: Module) -> Mapping[str, Node]:
    """What a module exports by its names: functions, classes and methods."""
    found = {one.name: one.node for one in module.classes}
    found |= {one.qualname: one.node for one in module.callables if one.kind != "constructor"}
    return {name: node for name, node in found.items() if not any(part[:1] in "_#" for part in name.split("."))}


def _is_decision(node: Node) -> bool:
    return node.type in _DECISIONS or (
        node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) in _SHORT_CIRCUITS
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))
