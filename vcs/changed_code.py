"""Lists the changed files since a commit and the changed functions in them, for the planner."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..utils.python_source import parse_python
from .comparison import compare

_Function = ast.FunctionDef | ast.AsyncFunctionDef


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


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """What differs in one module.

    Attributes:
        symbols: qualified names of functions, classes and methods, in order of appearance; None for the whole module.
        unused: names that differ, and that no public function of the module uses.
    """

    symbols: tuple[str, ...] | None
    unused: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether no function differs."""
        return self.symbols == ()


def changed_symbols(before: bytes | str | None, after: bytes | str) -> SymbolChange:
    """Compares two sources of a module. One that does not parse has changed as a whole; None means a new module."""
    if before is None:
        return SymbolChange(None)
    try:
        old, new = _parts(parse_python(before)), _parts(parse_python(after))
    except (SyntaxError, RecursionError):
        return SymbolChange(None)
    if old.rest != new.rest:
        return SymbolChange(None)
    differing = [name for name in new.prints if old.prints.get(name) != new.prints[name]]
    gone = [name for name in old.prints if name not in new.prints]
    return _public_changes(new, {*differing, *gone})


@dataclass(slots=True)
class _ModuleParts:
    """A module split into named parts.

    Attributes:
        prints: what each name is bound to, by name (`f`, `C`, `C.method`, an import, a constant), in order.
        uses: the names of the module that each of them mentions.
        testable: functions, classes and methods, in order.
        rest: the other statements.
    """

    prints: dict[str, list[str]] = field(default_factory=dict)
    uses: dict[str, set[str]] = field(default_factory=dict)
    testable: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    def add(self, name: str, print_: str, nodes: Iterable[ast.AST], *, testable: bool = False) -> None:
        """Adds a definition of a name; overloads, or a property and its setter, share one name."""
        self.prints.setdefault(name, []).append(print_)
        self.uses.setdefault(name, set()).update(_names(nodes))
        if testable and name not in self.testable:
            self.testable.append(name)


def _parts(tree: ast.Module) -> _ModuleParts:
    parts = _ModuleParts()
    for number, node in enumerate(tree.body):
        if isinstance(node, _Function):
            parts.add(node.name, ast.dump(node), [node], testable=True)
        elif isinstance(node, ast.ClassDef):
            _add_class(parts, node)
        elif (number == 0 and _is_text(node)) or _for_scripts(node):
            continue
        elif not _add_binding(parts, node):
            parts.rest.append(ast.dump(node))
    return parts


def _add_class(parts: _ModuleParts, node: ast.ClassDef) -> None:
    """Adds a class without its methods, and each method."""
    others = [statement for statement in node.body if not isinstance(statement, _Function)]
    shell = [*node.decorator_list, *node.bases, *node.keywords, *others]
    print_ = "\n".join((*map(ast.dump, shell), f"{len(node.decorator_list)} {len(node.bases)} {len(node.keywords)}"))
    parts.add(node.name, print_, shell, testable=True)
    for statement in node.body:
        if isinstance(statement, _Function):
            parts.add(f"{node.name}.{statement.name}", ast.dump(statement), [statement], testable=True)


def _add_binding(parts: _ModuleParts, node: ast.stmt) -> bool:
    """Adds an import or an assignment to plain names; returns False for anything else."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        # What a star import binds, and what `__future__` changes, concerns the whole module.
        if any(alias.name == "*" for alias in node.names) or getattr(node, "module", "") == "__future__":
            return False
        origin = f"{node.level} {node.module}" if isinstance(node, ast.ImportFrom) else "import"
        for alias in node.names:
            parts.add(_bound_by(node, alias), f"{origin} {alias.name} {alias.asname}", [])
        return True
    # Imports for type checkers bind names that annotations use.
    if isinstance(node, ast.If) and _for_types(node.test) and not node.orelse:
        return all(
            isinstance(statement, ast.Import | ast.ImportFrom) and _add_binding(parts, statement)
            for statement in node.body
        )
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    # Unpacking and attributes: not followed.
    if not names or len(names) != len(targets):
        return False
    for name in names:
        # A changed export list changes no behaviour of a function.
        if name != "__all__":
            parts.add(name, ast.dump(node), [node])
    return True


def _bound_by(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if alias.asname or isinstance(node, ast.ImportFrom):
        return alias.asname or alias.name
    return alias.name.partition(".")[0]


def _for_types(test: ast.expr) -> bool:
    return (test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")) == "TYPE_CHECKING"


def _for_scripts(node: ast.stmt) -> bool:
    """Whether a node is `if __name__ == "__main__":`, which an import does not run."""
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yields every name that is mentioned, also in annotations written as text."""
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                yield inner.id
            elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value.isidentifier():
                yield inner.value


def _public_changes(module: _ModuleParts, changed: set[str]) -> SymbolChange:
    """Maps the changed names to the public functions they affect."""
    ends: set[str] = set()
    unused: list[str] = []
    for name in sorted(changed):
        reached = _reached(module, name)
        ends |= reached
        still_there = name in module.prints
        if not reached and still_there and name.partition(".")[0] not in ends:
            unused.append(name)
    kept = [name for name in module.testable if name in ends and name.partition(".")[0] not in ends - {name}]
    return SymbolChange(tuple(kept), tuple(unused))


def _reached(module: _ModuleParts, name: str) -> set[str]:
    """The public functions, classes or methods that `name` is, or that use it through private names."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [name]
    while pending:
        item = pending.pop()
        if item in seen:
            continue
        seen.add(item)
        owner, dot, member = item.partition(".")
        if dot and (member.startswith("_") or item not in module.testable):
            pending.append(owner)
        elif item in module.testable and not owner.startswith("_"):
            found.add(item)
        else:
            pending += [user for user, names in module.uses.items() if owner in names and user != item]
    return found
