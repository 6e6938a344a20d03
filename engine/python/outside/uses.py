"""Finds what code uses of the world outside, and by which names: `datetime.now()` is `datetime.datetime.now`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_names import dotted_name
from ....utils.python_source import parse_or_none
from ..model.model import CallableFacts, ModuleFacts
from ..usage.project_index import ProjectIndex

_DEPTH = 5
_DATETIME = "datetime."


@dataclass(frozen=True, slots=True)
class OutsideUse:
    """One call of a function that is not the project's.

    Attributes:
        module: dotted name of the calling module.
        name: where the function is defined, as in `subprocess.run`.
        written: how the calling module names it, as in `sp.run`.
    """

    module: str
    name: str
    written: str

    def place(self, depth: int = 0) -> str:
        """What has to be patched: the function, or with `depth` 1 the class that has it."""
        return ".".join([self.module, *self.written.split(".")[: -depth or None]])


def uses_in_module(facts: ModuleFacts, index: ProjectIndex) -> tuple[OutsideUse, ...]:
    """Finds all calls of imported functions in a module, in order of appearance."""
    return _uses(facts, _calls_in(index.source_of(facts)))


def uses_of_callable(facts: ModuleFacts, one: CallableFacts, index: ProjectIndex) -> tuple[OutsideUse, ...]:
    """Finds calls of imported functions that a callable makes itself or by callables of the project."""
    found: dict[OutsideUse, None] = {}
    for where, item in reachable(facts, one, index):
        found.update(dict.fromkeys(_uses(where, item.calls)))
    return tuple(found)


def reachable(
    facts: ModuleFacts, one: CallableFacts, index: ProjectIndex
) -> Iterator[tuple[ModuleFacts, CallableFacts]]:
    """Generates a callable and those of the project that it calls, directly or by others; methods by their names."""
    seen: set[tuple[str, str]] = set()
    waiting = [(facts, one)]
    owner = next((item for item in facts.classes if item.name == one.owner), None)
    if owner is not None and owner.constructor is not None:
        waiting.append((facts, owner.constructor))
    for _ in range(_DEPTH):
        following: list[tuple[ModuleFacts, CallableFacts]] = []
        for where, item in waiting:
            if (where.module, item.qualname) in seen:
                continue
            seen.add((where.module, item.qualname))
            yield where, item
            following += _called(where, item, index)
        waiting = following


def _called(where: ModuleFacts, item: CallableFacts, index: ProjectIndex) -> list[tuple[ModuleFacts, CallableFacts]]:
    names = {name.rpartition(".")[2]: name for name in item.calls}
    found = [(where, other) for other in where.callables() if other.name in names or other.qualname in names]
    for last, written in names.items():
        origin = index.origin_of(written.partition(".")[0], where)
        other = index.facts_of(origin[0]) if origin is not None else None
        if other is not None and other is not where:
            found += [(other, one) for one in other.callables() if one.name == last or one.qualname == last]
    return found


def _uses(facts: ModuleFacts, calls: Iterable[str]) -> tuple[OutsideUse, ...]:
    known = {name: _origin(statement) for name, statement in facts.imports}
    found: dict[OutsideUse, None] = {}
    for written in calls:
        first, _, rest = written.partition(".")
        origin = known.get(first)
        if origin:
            found[OutsideUse(facts.module, f"{origin}.{rest}" if rest else origin, written)] = None
    return tuple(found)


def _origin(statement: str) -> str:
    """The dotted origin of what an import statement binds; `import a.b` binds `a`."""
    tree = parse_or_none(statement)
    node = tree.body[0] if tree is not None and tree.body else None
    if isinstance(node, ast.ImportFrom) and len(node.names) == 1:
        return f"{node.module}.{node.names[0].name}" if node.module else ""
    if isinstance(node, ast.Import) and len(node.names) == 1:
        name = node.names[0]
        return name.name if name.asname else name.name.partition(".")[0]
    return ""


@lru_cache(maxsize=32)
def _calls_in(source: str) -> tuple[str, ...]:
    tree = parse_or_none(source)
    nodes = ast.walk(tree) if tree is not None else ()
    found = (dotted_name(node.func) for node in nodes if isinstance(node, ast.Call))
    return tuple(dict.fromkeys(name for name in found if name))


def type_tested(uses: Iterable[OutsideUse], source: str) -> frozenset[str]:
    """Returns the classes of `datetime` that uses read and code asks `isinstance` about, by their names there."""
    found = {(use.name.split(".")[1], use.written.rpartition(".")[0]) for use in uses if use.name.startswith(_DATETIME)}
    return frozenset(name for name, written in found if is_type_tested(source, written))


def is_type_tested(source: str, name: str) -> bool:
    """Whether the code asks `isinstance` about a name: a class in its place would change the answer."""
    tree = parse_or_none(source)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and dotted_name(node.func) == "isinstance" and len(node.args) == 2:
            kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            if name in {dotted_name(kind) for kind in kinds}:
                return True
    return False
