"""Plants performance faults in a module: a sleep, a wait for a lock, a quadratic loop, a lost cache.

What a function returns stays the same. The same source and seed give the same faults.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Literal

from ..utils.python_source import parse_python

Kind = Literal["sleep", "lock", "quadratic loop", "lost cache"]
KINDS: tuple[Kind, ...] = ("sleep", "lock", "quadratic loop", "lost cache")
SECONDS = 0.002
"""What a planted sleep or wait takes in each call."""

_CACHES = ("lru_cache", "cache", "cached_property")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A planted fault: the module's source with it, in the function `name` at a line of the original."""

    kind: Kind
    name: str
    line: int
    source: str


def slowdowns(source: str) -> list[Slowdown]:
    """All faults that can be planted in public functions and methods, in order of lines. Raises SyntaxError."""
    tree = parse_python(source)
    found: list[Slowdown] = []
    for at, (name, node) in enumerate(_functions(tree)):
        for kind, body, decorators in _changes(node):
            changed = copy.deepcopy(tree)
            # A property and its setter have one name.
            _, twin = list(_functions(changed))[at]
            twin.body, twin.decorator_list = body, decorators
            text = ast.unparse(ast.fix_missing_locations(changed))
            found.append(Slowdown(kind, name, node.lineno, text))
    return found


def sample(found: list[Slowdown], count: int, seed: int) -> list[Slowdown]:
    """At most so many of them, of each kind as many as there are of the others, if there are."""
    chance = random.Random(seed)
    by_kind = {kind: [one for one in found if one.kind == kind] for kind in KINDS}
    for rows in by_kind.values():
        chance.shuffle(rows)
    chosen: list[Slowdown] = []
    while len(chosen) < count and any(by_kind.values()):
        for kind in KINDS:
            if by_kind[kind] and len(chosen) < count:
                chosen.append(by_kind[kind].pop())
    return sorted(chosen, key=lambda one: (one.line, one.kind))


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    for node in tree.body:
        if isinstance(node, _Function) and not node.name.startswith("_"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, _Function) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member


def _changes(node: _Function) -> Iterator[tuple[Kind, list[ast.stmt], list[ast.expr]]]:
    """The kinds of faults that fit a function, with its new body and decorators."""
    own, decorators = node.body, node.decorator_list
    yield "sleep", _with(own, 0, f"import time\ntime.sleep({SECONDS})"), decorators
    held = f"import threading\nheld = threading.Lock()\nheld.acquire()\nheld.acquire(timeout={SECONDS})"
    yield "lock", _with(own, 0, held), decorators
    arguments = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    for at, statement in enumerate(own):
        looped = _looped(statement, arguments)
        if looped:
            yield (
                "quadratic loop",
                _with(own, at, f"for _ in {looped}:\n    for _ in {looped}:\n        pass"),
                decorators,
            )
            break
    kept = [one for one in decorators if _name(one) not in _CACHES]
    if len(kept) < len(decorators):
        is_property = any(_name(one) == "cached_property" for one in decorators)
        yield "lost cache", own, [*kept, *([ast.Name("property")] if is_property else [])]


def _with(body: list[ast.stmt], at: int, text: str) -> list[ast.stmt]:
    """A body with statements before one of its own; a docstring stays first."""
    has_docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    place = max(at, int(has_docstring))
    return [*body[:place], *parse_python(text).body, *body[place:]]


def _looped(statement: ast.stmt, arguments: Container[str]) -> str:
    """What a statement goes through, where it is an argument or held by `self`, so that it is there; "" for nothing."""
    for node in ast.walk(statement):
        over = node.iter if isinstance(node, ast.For | ast.comprehension) else None
        if isinstance(node, ast.Call) and _name(node) in ("sorted", "sum", "max", "min", "list") and node.args:
            over = node.args[0]
        if isinstance(over, ast.Call) and _name(over) == "enumerate" and over.args:
            over = over.args[0]
        is_held = isinstance(over, ast.Attribute) and isinstance(over.value, ast.Name) and over.value.id == "self"
        if over is not None and (is_held or (isinstance(over, ast.Name) and over.id in arguments)):
            return ast.unparse(over)
    return ""


def _name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
