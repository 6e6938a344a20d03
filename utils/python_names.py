"""Reads names in Python syntax trees: dotted names, names that are bound, names that are read.

The functions that list bound names differ in what they count; the wrong one changes generated tests.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count

from .python_source import parse_or_none, parse_python, shared_module, walk

BUILTIN_NAMES = frozenset(dir(builtins)) | {"__name__", "__file__"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def unique_name(name: str, taken: Container[str]) -> str:
    """`name`, or the first of `name_2`, `name_3`, … that is not taken."""
    numbered = (f"{name}_{number}" for number in count(2))
    return next(choice for choice in chain((name,), numbered) if choice not in taken)


def dotted_name(node: ast.AST) -> str:
    """`a.b.c` for a chain of attributes on a name; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    """The last part of a name or attribute chain, whatever the chain begins with; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def callee(node: ast.expr) -> ast.expr:
    """What a call calls; anything else itself, such as a decorator without arguments."""
    return node.func if isinstance(node, ast.Call) else node


def printed_argument(node: ast.AST) -> ast.expr | None:
    """What `print(x)` and `console.print(x)` show: the only argument; None for other calls and for several things."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "print" or len(node.args) != 1 or node.keywords:
        return None
    return None if isinstance(node.args[0], ast.Starred) else node.args[0]


def method_call(statement: ast.stmt) -> tuple[str, ast.Call] | None:
    """The method that a statement only calls, and the call; None for other statements."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return (call.func.attr, call) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None


def named_functions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Generates the functions of a module and the methods of its classes, with their qualified names."""
    for node in tree.body:
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from named_functions(node, f"{prefix}{node.name}.")


def keyword_value(node: ast.expr, name: str) -> ast.expr | None:
    """The argument that a call passes by a name; None without one, or where the node is no call."""
    keywords = node.keywords if isinstance(node, ast.Call) else ()
    return next((keyword.value for keyword in keywords if keyword.arg == name), None)


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that a tree binds anywhere: assignments, imports, definitions, parameters, handlers, patterns."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        else:
            found |= _bound_by(node)
    return found


def bound_outside_patterns(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that nodes bind, without those of `match` patterns; an unnamed `except` counts as `_`."""
    found: set[str] = set()
    for node in nodes:
        for inner in walk(node):
            found |= {inner.name or "_"} if isinstance(inner, ast.ExceptHandler) else _bound_by(inner)
    return found


def _bound_by(node: ast.AST) -> set[str]:
    """Names that one node binds: a name in a target, a parameter, a definition, an import."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return {node.id}
    if isinstance(node, ast.arg):
        return {node.arg}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    return {node.asname or node.name.partition(".")[0]} if isinstance(node, ast.alias) else set()


def assigned_names(statements: Iterable[str]) -> set[str]:
    """Names that statements assign or define, without imports and parameters. Raises SyntaxError."""
    return set[str]().union(*map(_assigned, statements))


@lru_cache(maxsize=4096)
def _assigned(statement: str) -> frozenset[str]:
    found: set[str] = set()
    for node in walk(parse_python(statement.strip())):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
    return frozenset(found)


def bound_variables(tree: ast.AST) -> set[str]:
    """The parameters and variables that a tree binds itself: by assignment, in a loop, in a comprehension."""
    nodes = list(walk(tree))
    given = {one.arg for one in nodes if isinstance(one, ast.arg)}
    return given | {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def imported_names(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names one import statement binds; `*` for a star import."""
    return {name for alias in node.names for name in _bound_by(alias)}


def imported_module(node: ast.ImportFrom, package: Sequence[str]) -> str:
    """The dotted name of the module that an import statement names.

    Args:
        package: parts of the name of the package that the statement stands in; relative imports start there.
    """
    above = package[: len(package) - node.level + 1] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def names_of(tree: ast.AST) -> set[str]:
    """Every plain name in a tree, read or bound."""
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def loaded_names(node: ast.AST) -> list[str]:
    """Names that a tree reads, in order of appearance, once each; not those that a comprehension or a lambda in it
    binds for itself."""
    parts = list(walk(node))
    scopes = [part for part in parts if isinstance(part, (*_COMPREHENSIONS, ast.Lambda))]
    own = {id(name) for scope in scopes for name in _names_of_its_own(scope)}
    names = [
        one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in own
    ]
    return list(dict.fromkeys(names))


def _names_of_its_own(node: ast.AST) -> Iterator[ast.Name]:
    """The places where a comprehension or a lambda reads what it binds itself."""
    inner: list[ast.AST] = []
    bound: set[str] = set()
    if isinstance(node, ast.Lambda):
        arguments = node.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        bound = {one.arg for one in given if one is not None}
        inner = [node.body]
    elif isinstance(node, _COMPREHENSIONS):
        bound = {one.id for made in node.generators for one in walk(made.target) if isinstance(one, ast.Name)}
        # The first iterable is read outside.
        inner = [one for one in ast.iter_child_nodes(node) if one is not node.generators[0]]
        inner += [node.generators[0].target, *node.generators[0].ifs]
    for part in inner:
        yield from (one for one in walk(part) if isinstance(one, ast.Name) and one.id in bound)


def assigned_variable(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Name and value of a plain assignment to one variable; None for any other statement."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    return None


def assigned_variables(statements: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Names and last values of the plain assignments to one variable among some statements."""
    return dict(found for statement in statements if (found := assigned_variable(statement)) is not None)


def assigned_values(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield name and value of each variable that an assignment gives one, with an annotation or without."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    for target in targets:
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, value


@lru_cache(maxsize=16384)
def assignment_in(text: str) -> tuple[str, ast.expr] | None:
    """Name and value, which is for reading only, of a plain assignment to one variable; None for any other text."""
    tree = shared_module(text)
    return assigned_variable(tree.body[0]) if tree is not None and len(tree.body) == 1 else None


def assignments_in(texts: Iterable[str]) -> dict[str, ast.expr]:
    """Names and values, which are for reading only, of the plain assignments to one variable among some texts."""
    return dict(found for text in texts if (found := assignment_in(text)) is not None)


def mentioned_names(trees: Iterable[ast.AST]) -> Iterator[str]:
    """Every name and attribute that trees mention."""
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, ast.Name | ast.Attribute):
                yield last_name(node)


def with_renamed(text: str, renamed: Mapping[str, str]) -> str:
    """Python code with other names for variables, parameters, and functions and classes that it defines; texts stay.

    Args:
        renamed: the new names, by the old ones; code without any of these, or that does not parse, stays as it is.
    """
    return _with_renamed(text, tuple(renamed.items())) if any(name in text for name in renamed) else text


@lru_cache(maxsize=4096)
def _with_renamed(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    tree, renamed = parse_or_none(text.strip()), dict(pairs)
    if tree is None:
        return text
    changed = False
    for node in walk(tree):
        if isinstance(node, ast.Name) and node.id in renamed:
            node.id, changed = renamed[node.id], True
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in renamed:
            node.name, changed = renamed[node.name], True
        elif isinstance(node, ast.arg) and node.arg in renamed:
            node.arg, changed = renamed[node.arg], True
    return ast.unparse(tree) if changed else text
