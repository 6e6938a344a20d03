"""Orders the steps of a plan by the importance of the code they test.

A run may be stopped at any time, by a ceiling or by a person; what it has tested by then should be what matters most:
code that is public, complex, changed lately and untested. The score of a module, from its source, its tests and its
history alone:

    (public names + branches) × untested × changes × visibility

- public names: functions, classes and methods of which no part begins with an underscore; branches: places where the
  code decides, private code included, since public names call it;
- untested: from 1/4, where tests name every public name, to 1, where they name none;
- changes: from 1 to 2, where ten or more of the last hundred commits changed the file;
- visibility: 1, or 1/2 where a part of the module's own name begins with an underscore.

Equal scores keep the order of paths.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .....utils.names.counted import counted
from .....utils.python_source import parse_or_none
from .....utils.untrusted_files import source_or_empty
from .....vcs.recent_changes import RecentChanges, recent_changes
from ....contract.protocol import JsonObject
from ..most_complex import decisions
from ..target_index import TargetIndex
from .names_in_tests import NamesInTests

_TESTED = 0.25
"""The share of its score that a module keeps whose public names all have tests: named is not yet covered."""
_MANY_CHANGES = 10
_PRIVATE = 0.5


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What the importance of a module, or of some symbols of one, is made of.

    Attributes:
        public: its public names.
        branches: places where its code decides.
        untested: those of `public` that no test file names.
        changes: how many of the last commits changed its file.
        commits: how many commits were read; 0 without a history.
        is_private: a part of its dotted name begins with an underscore.
    """

    public: int
    branches: int
    untested: int
    changes: int = 0
    commits: int = 0
    is_private: bool = False

    @property
    def score(self) -> float:
        """The importance, 0 or more, with two digits."""
        untested = self.untested / self.public if self.public else 1.0
        changes = 1 + min(self.changes, _MANY_CHANGES) / _MANY_CHANGES
        known = _TESTED + (1 - _TESTED) * untested
        return round((self.public + self.branches) * known * changes * (_PRIVATE if self.is_private else 1.0), 2)

    @property
    def reason(self) -> str:
        """What the score comes from, in a few words."""
        parts = ["private module"] if self.is_private else []
        if self.public:
            parts += [counted(self.public, "public name"), _untested(self.untested, self.public)]
        parts.append(counted(self.branches, "branch", "branches"))
        if self.changes:
            parts.append(f"changed in {self.changes} of the last {counted(self.commits, 'commit')}")
        return ", ".join(parts)


def in_order_of_importance(
    steps: Sequence[JsonObject], index: TargetIndex, named: Sequence[str] = ()
) -> list[JsonObject]:
    """Return generate steps with the most important module first; each of several says its `importance`.

    A step whose target is no module of the project (a document, a page) was named by the request, and stays first; then
    come the modules that somebody has named one by one.

    Args:
        steps: in order of paths; not changed.
        named: paths of those modules, in the order said.
    """
    places = {place.path: place for place in index.modules}
    if sum(_path(step) in places for step in steps) < 2:
        return list(steps)
    root = index.layout.root
    facts = _Facts(index, NamesInTests(root, index.layout.test_files), recent_changes(root))
    said = {path: number for number, path in enumerate(named)}
    scored: list[tuple[int, float, JsonObject]] = []
    for step in steps:
        if _path(step) not in places:
            scored.append((-1, 0.0, step))
            continue
        found = facts.of(step["params"]["target"])
        reason = f"named in the request, {found.reason}" if _path(step) in said else found.reason
        importance = {"score": found.score, "reason": reason}
        more = {**step, "params": {**step["params"], "importance": importance}}
        scored.append((said.get(_path(step), len(said)), found.score, more))
    return [step for _, _, step in sorted(scored, key=lambda row: (row[0], -row[1]))]


def _path(step: JsonObject) -> str:
    target = step["params"]["target"]
    return str(target.get("path") or "") if isinstance(target, Mapping) else ""


class _Facts:
    """Reads the facts about the modules of one project."""

    def __init__(self, index: TargetIndex, tests: NamesInTests, history: RecentChanges) -> None:
        self._index = index
        self._tests = tests
        self._history = history
        self._places = {place.path: place for place in index.modules}

    def of(self, target: Mapping[str, Any]) -> ModuleFacts:
        """The facts about a step's target: all of a module, or its `symbols`."""
        place = self._places[str(target["path"])]
        wanted = target.get("symbols")
        names = tuple(wanted) if wanted else self._index.symbols_of(place.module)
        public = [name for name in names if not any(part.startswith("_") for part in name.split("."))]
        # A first commit alone holds every file and tells nothing.
        has_history = self._history.commits > 1
        return ModuleFacts(
            public=len(public),
            branches=_branches(source_or_empty(self._index.layout.root, place.path), wanted),
            untested=len(self._tests.untested(place, public)),
            changes=self._history.by_path.get(place.path, 0) if has_history else 0,
            commits=self._history.commits if has_history else 0,
            is_private=any(part.startswith("_") for part in place.module.split(".")),
        )


def _branches(source: str, symbols: Sequence[str] | None) -> int:
    """Count the branches of a module, or of some of its functions, classes and methods; 0 where it is not Python."""
    tree = parse_or_none(source)
    if tree is None:
        return 0
    if not symbols:
        return decisions(tree) - 1
    return sum(decisions(node) - 1 for name, node in _definitions(tree) if name in symbols)


def _definitions(tree: ast.Module) -> list[tuple[str, ast.AST]]:
    found: list[tuple[str, ast.AST]] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append((node.name, node))
        if isinstance(node, ast.ClassDef):
            methods = (ast.FunctionDef, ast.AsyncFunctionDef)
            found += [(f"{node.name}.{member.name}", member) for member in node.body if isinstance(member, methods)]
    return found


def _untested(untested: int, public: int) -> str:
    if not untested:
        return "all named in tests"
    return "none named in tests" if untested == public else f"{untested} not named in tests"
