"""Builds trials of a module as it is where an optional import fails.

`try: from .fast import parse` with a fallback is behaviour of the module. A trial loads the module once more, as a
module object of its own, while the import fails; the rest of the process is not affected.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_names
from ....utils.python_source import parse_expression, parse_python, source_lines
from ..model.model import Arc, ModuleFacts, Trial
from .analyse import absolute_module, package_of

SOURCE = "without"
_WITHOUT = "_without_"
_FAILURES = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_IMPORTS = ("from importlib.util import find_spec, module_from_spec", "from unittest.mock import patch", "import sys")


@dataclass(frozen=True, slots=True)
class OptionalImport:
    """A `try` at the top of a module that handles the failure of its imports.

    Attributes:
        modules: dotted names it imports, which nothing else in the module needs.
        names: names that are bound by the import, or instead of it.
        line: of the `try`.
    """

    modules: tuple[str, ...]
    names: tuple[str, ...]
    line: int


def optional_imports(source: str, facts: ModuleFacts) -> list[OptionalImport]:
    """Finds the optional imports of a module, in order. Raises SyntaxError."""
    body = parse_python(source).body
    package = package_of(facts)
    needed = {name for node in body for name in _imported(node, package)}
    found: list[OptionalImport] = []
    for node in body:
        if not isinstance(node, ast.Try) or not any(_catches(handler) for handler in node.handlers):
            continue
        modules = [name for statement in node.body for name in _imported(statement, package)]
        modules = [name for name in dict.fromkeys(modules) if not _is_needed(name, needed, facts)]
        names = {name for one in (*node.body, *node.handlers) for name in _bound(one)}
        if modules:
            found.append(OptionalImport(tuple(modules), tuple(sorted(names)), node.lineno))
    return found


def rank_optional_imports(
    found: Iterable[OptionalImport], source: str, facts: ModuleFacts, open_arcs: set[Arc]
) -> list[OptionalImport]:
    """Selects the optional imports that uncovered arcs may depend on, those with most such arcs first."""
    lines = source_lines(source)
    ranked: list[tuple[int, OptionalImport]] = []
    for one in found:
        names = set(one.names)
        own = [owner.lines for owner in facts.classes if owner.name in names]
        own += [function.lines for function in facts.functions if function.qualname in names]
        count = 0
        for start, _ in open_arcs:
            within = any(first <= abs(start) <= last for first, last in own)
            count += within or (0 < start <= len(lines) and not names.isdisjoint(re.findall(r"\w+", lines[start - 1])))
        if count:
            ranked.append((count, one))
    return [one for _, one in sorted(ranked, key=lambda pair: (-pair[0], pair[1].line))]


def without_import(trial: Trial, facts: ModuleFacts, missing: OptionalImport) -> Trial | None:
    """Rewrites a trial to use a copy of the module that was loaded while the imports failed; None if it cannot.

    A function of its own makes the copy, so that the test shows the behaviour rather than the loading.
    """
    variable = facts.module.rpartition(".")[2]
    named: dict[str, str] = {}
    kept: list[str] = []
    for statement in trial.imports:
        for text, names in _by_module(statement, facts.module, variable):
            named.update(names)
            if text:
                kept.append(text)
    if not named or trial.wanted is not None:
        return None
    rewriter = _Renamed(named)
    try:
        bound = assigned_names(trial.arrange)
        if variable in bound or bound & set(named):
            return None
        arrange = [ast.unparse(rewriter.visit(parse_python(text))) for text in trial.arrange]
        act = ast.unparse(rewriter.visit(parse_expression(trial.act)))
    except SyntaxError:
        return None
    if not rewriter.used:
        return None
    maker = f"{variable}{_WITHOUT}{'_and_'.join(module.rpartition('.')[2] for module in missing.modules)}"
    blocked = ", ".join(f"{module!r}: None" for module in missing.modules)
    *others, last = missing.modules
    listed = f"{', '.join(others)} and {last}" if others else last
    definition = (
        f"def {maker}():\n"
        f'    """The module as it is where {listed} cannot be imported."""\n'
        f"    spec = find_spec({facts.module!r})\n"
        "    module = module_from_spec(spec)\n"
        f"    with patch.dict(sys.modules, {{{blocked}}}):\n"
        "        spec.loader.exec_module(module)\n"
        "    return module"
    )
    return replace(
        trial,
        act=act,
        arrange=(definition, f"{variable} = {maker}()", *arrange),
        imports=tuple(sorted({*kept, *_IMPORTS})),
        source=SOURCE,
        wanted=None,
        wanted_line=0,
    )


def missing_import_slug(statements: Iterable[str]) -> str:
    """`without_fast` for statements that load the module without `fast`; empty for others."""
    for text in statements:
        if text.startswith("def ") and _WITHOUT in text.partition("(")[0]:
            return f"without_{text.partition('(')[0].partition(_WITHOUT)[2]}"
    return ""


def module_copy_variable(trial: Trial, facts: ModuleFacts) -> str:
    """The variable that holds the trial's copy of the module; empty for a trial of the module itself."""
    return facts.module.rpartition(".")[2] if trial.source == SOURCE else ""


def _imported(node: ast.stmt, package: str) -> Iterator[str]:
    """Modules that a statement imports; for `from . import name` the name is taken for a module."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        source = absolute_module(node, package)
        if node.level and not node.module:
            yield from (f"{source}.{name.name}" for name in node.names if source)
        elif source:
            yield source


def _is_needed(name: str, needed: set[str], facts: ModuleFacts) -> bool:
    """Whether the module cannot be loaded, or found, without it."""
    own = facts.module == name or facts.module.startswith(f"{name}.")
    return own or any(one == name or one.startswith(f"{name}.") for one in needed)


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(type_, ast.Name) and type_.id in _FAILURES for type_ in types)


def _bound(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.FunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in one.names)


def _by_module(statement: str, module: str, variable: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Splits imports of the module off a statement; yields the rest and the expressions that replace the names."""
    parent, _, last = module.rpartition(".")
    for node in parse_python(statement).body:
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield "", {name.asname or name.name: f"{variable}.{name.name}" for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == parent and any(one.name == last for one in node.names):
            taken = {name.asname or name.name: variable for name in node.names if name.name == last}
            rest = [name for name in node.names if name.name != last]
            yield (ast.unparse(ast.ImportFrom(node.module, rest, node.level)) if rest else ""), taken
        elif isinstance(node, ast.Import) and len(node.names) == 1 and node.names[0].name == module:
            yield "", {node.names[0].asname or module: variable}
        else:
            yield ast.unparse(node), {}


class _Renamed(ast.NodeTransformer):
    """Replaces names and dotted names by expressions."""

    def __init__(self, named: dict[str, str]) -> None:
        self.named = named
        self.used = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        new = self.named.get(ast.unparse(node))
        return self._put(new) if new is not None else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        new = self.named.get(node.id)
        return self._put(new) if new is not None and isinstance(node.ctx, ast.Load) else node

    def _put(self, text: str) -> ast.expr:
        self.used = True
        return parse_expression(text)
