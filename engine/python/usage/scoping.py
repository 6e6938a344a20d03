"""Resolves the free names of statements taken from documents and tests to the imports that bind them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping

from ....utils.python_names import bound_outside_patterns, loaded_names, names_of
from ....utils.python_source import parse_or_none
from ..model.model import ModuleFacts
from .project_index import ProjectIndex

_BUILTINS = frozenset(dir(builtins))
_NEVER = frozenset({"input", "open_url", "exit", "quit", "breakpoint", "help", "copyright", "credits", "license"})
_UNSTABLE = tuple(
    "random. time.time uuid.uuid os.environ os.getpid os.getcwd os.listdir os.scandir sys.argv requests. socket. "
    "threading.".split()
)
_UNSTABLE_NAMES = frozenset({"id", "input", "globals", "locals", "vars", "__file__", "breakpoint"})


class NameScope:
    """Resolves the free names of statements that are about one target module.

    Args:
        facts: the target.
        index: the project, for re-exports.
        imports: names that the statements' own file binds by import, with the statement that binds each.
    """

    def __init__(self, facts: ModuleFacts, index: ProjectIndex, imports: Mapping[str, str] | None = None) -> None:
        self._facts = facts
        self._index = index
        self._imports = dict(imports or {})
        self._own = definitions(facts)
        self._module_imports = dict(facts.imports)

    def imports_for(self, nodes: list[ast.stmt], fixtures: Iterable[str] = ()) -> tuple[str, ...] | None:
        """Import statements, sorted, that bind every free name; None when some name cannot be bound."""
        free = self.free(nodes, fixtures)
        found: set[str] = set()
        for name in free:
            statement = self.statement_for(name)
            if statement is None:
                return None
            found.add(statement)
        return tuple(sorted(found))

    def free(self, nodes: list[ast.stmt], fixtures: Iterable[str] = ()) -> list[str]:
        """Names the nodes read and neither bind themselves nor find among the builtins."""
        bound = bound_outside_patterns(nodes) | set(fixtures)
        names = dict.fromkeys(name for node in nodes for name in loaded_names(node))
        return [name for name in names if name not in bound and (name not in _BUILTINS or name in self._own)]

    def statement_for(self, name: str) -> str | None:
        """The import statement that binds a name: the file's own, the target's definitions, the target's imports."""
        statement = self._imports.get(name)
        if statement is not None:
            return self._public(statement, name)
        if name in self._own:
            return f"from {self._facts.module} import {name}"
        statement = self._module_imports.get(name)
        if statement is not None and "__future__" not in statement:
            return statement
        return _STANDARD.get(name)

    def is_own(self, name: str) -> bool:
        """Whether a name is bound by import to the target's own definition of that name."""
        return name in self._own and self.statement_for(name) == f"from {self._facts.module} import {name}"

    def is_package(self, name: str) -> bool:
        """Whether a name means a module of the target's own package, as `np` in `import numpy as np`."""
        words = self._imports.get(name, "").split()
        return words[:1] == ["import"] and words[1].partition(".")[0] == self._facts.module.partition(".")[0]

    def _public(self, statement: str, name: str) -> str:
        """Replaces the import of a re-exported definition of the target by an import from the target itself."""
        words = statement.split()
        own = words[0] == "from" and name in self._own and " as " not in statement
        if own and self._index.defines(words[1], name, self._facts):
            return f"from {self._facts.module} import {name}"
        return statement

    def plain(self, node: ast.stmt) -> ast.stmt:
        """Rewrites `module.name` as `name` where that is the target's own definition."""
        return _Plain(self).visit(node)

    def is_target(self, module_name: str, attribute: str) -> bool:
        """Whether `module_name.attribute` means a definition of the target."""
        statement = self._imports.get(module_name) or ""
        if attribute not in self._own or self._means_another(attribute):
            return False
        words = statement.split()
        package = self._facts.module.partition(".")[0]
        if module_name == package and self._own.get(module_name) == "function":
            return True  # documents write `name.name(…)` below `from name import name`
        if words[:1] == ["import"]:
            return self._index.defines(words[1], attribute, self._facts)
        if words[:1] == ["from"] and len(words) >= 4:
            return self._index.defines(f"{words[1]}.{words[3]}", attribute, self._facts)
        return not statement and module_name == package

    def _means_another(self, name: str) -> bool:
        """Whether the statements' own file binds the name to something that is not the target's."""
        statement = self._imports.get(name)
        return statement is not None and self._public(statement, name) != f"from {self._facts.module} import {name}"


class _Plain(ast.NodeTransformer):
    def __init__(self, scope: NameScope) -> None:
        self._scope = scope

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        module = node.value.id if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load) else ""
        if module and self._scope.is_target(module, node.attr):
            return ast.copy_location(ast.Name(id=node.attr, ctx=ast.Load()), node)
        return node


def definitions(facts: ModuleFacts) -> dict[str, str]:
    """Names a module defines itself, with what they are: function, class or constant."""
    found = {name: "constant" for name, _ in facts.constants}
    found.update({function.qualname: "function" for function in facts.functions})
    found.update({owner.name: "class" for owner in facts.classes})
    return found


def is_reproducible(text: str) -> bool:
    """Whether the source stays clear of clocks, randomness, the network, the environment, the terminal and private
    parts of the interpreter, such as `sys._current_frames()`."""
    if any(mark in text for mark in _UNSTABLE) or ".now(" in text or ".today(" in text or ".utcnow(" in text:
        return False
    tree = parse_or_none(text)
    if tree is None or not names_of(tree).isdisjoint(_UNSTABLE_NAMES | _NEVER):
        return False
    return not any(isinstance(node, ast.Attribute) and _is_interpreters_own(node) for node in ast.walk(tree))


def _is_interpreters_own(node: ast.Attribute) -> bool:
    private = node.attr.startswith("_") and not node.attr.startswith("__")
    return private and isinstance(node.value, ast.Name) and node.value.id in ("sys", "os", "gc", "threading")


# Names of the standard library that documents use without importing them.
_STANDARD = {
    name: f"import {name}"
    for name in (
        "collections datetime decimal fractions functools io itertools json math operator os pathlib re string uuid"
    ).split()
} | {
    member: f"from {module} import {member}"
    for module, members in (
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("collections", "OrderedDict Counter defaultdict namedtuple deque"),
        ("pathlib", "Path"),
        ("io", "StringIO BytesIO"),
        ("functools", "partial reduce"),
        ("itertools", "count islice chain repeat cycle"),
        ("operator", "itemgetter attrgetter add"),
        ("pprint", "pprint"),
        ("string", "ascii_lowercase"),
        ("datetime", "timedelta date"),
    )
    for member in members.split()
}
