"""Lists the changed files since a commit and the changed functions in them, for the planner."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .comparison import compare
from .symbols import changed_symbols


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """The Python code of a project that differs from a commit.

    Attributes:
        since: the requested ref.
        base: the commit it came to.
        files: POSIX paths relative to the root → qualified names that changed; None where the whole file did.
        left_out: files that differ without a function of theirs having changed, each with the reason.
    """

    since: str
    base: str
    files: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: `since`, `base`, `files`, `left_out` (target, reason)."""
        return {
            "since": self.since,
            "base": self.base,
            "files": {path: None if names is None else list(names) for path, names in self.files.items()},
            "left_out": [{"target": path, "reason": reason} for path, reason in self.left_out],
        }


def changed_code(root: Path, since: str) -> ChangedCode:
    """Compares the project's Python files with the merge base of HEAD and `since`. Blocks: use `asyncio.to_thread`.

    Commits, staged and unstaged changes count, and new files that git does not ignore. New files and files that do not
    parse are listed as a whole; renamed files are compared with their old path; deleted files are left out.

    Raises:
        EnvironmentFault: there is no git.
        HistoryError: git cannot compare; the advice explains what to do.
    """
    comparison = compare(root, since)
    files: dict[str, tuple[str, ...] | None] = {}
    left_out: list[tuple[str, str]] = []
    for change in comparison.changes:
        found = changed_symbols(change.before, change.after)
        if not found.nothing:
            files[change.path] = found.symbols
        elif found.unused:
            left_out.append((change.path, f"only {', '.join(found.unused)} changed, which no public function uses"))
        elif change.renamed_from is not None and change.before is not None:
            left_out.append((change.path, f"it was {change.renamed_from}, and no function of it changed"))
        else:
            left_out.append((change.path, "only comments, formatting or removed code"))
    return ChangedCode(comparison.ref, comparison.base, files, tuple(left_out))
