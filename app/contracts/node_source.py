"""Reads from a graph node's source what it reads and writes of the state, and which agents, tools and events it uses.

The functions that a node calls inside `graph/` are followed. Nothing is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ...utils.own_source import OWN_FOLDER

_ASKING = frozenset({"call_agent", "ask_to_steer", "answered", "ask"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class SourceFacts:
    """What was found; names are as they stand in the code.

    Attributes:
        reads, writes: keys of the graph's state. A key counts as written where a mapping literal has it.
        agents: roles. tools: names. events: values of `EventType`. raises: classes.
    """

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    raises: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Module:
    name: str
    functions: dict[str, _Function]
    constants: dict[str, ast.expr]
    imported: dict[str, tuple[str, str]]
    with_role: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    keys: Collection[str]
    roles: Collection[str]
    tools: Collection[str]


def facts_of(
    module: str, function: str, *, keys: Collection[str], roles: Collection[str], tools: Collection[str]
) -> SourceFacts:
    """Read a node.

    Args:
        module: its path below the package with dots, such as `graph.planning_graph.nodes.build_plan`.
        keys: of its graph's state. roles: of agents. tools: names of tools; other texts are none of these.
    """
    facts, words = SourceFacts(), _Vocabulary(keys, roles, tools)
    waiting, met = [(module, function)], set[tuple[str, str]]()
    while waiting:
        place = waiting.pop()
        if place in met or not place[0].startswith("graph."):
            continue
        met.add(place)
        source = _module(place[0])
        found = source.functions.get(place[1]) if source is not None else None
        if source is not None and found is not None:
            waiting += _read(found, source, facts, words)
    return facts


def _read(function: _Function, module: _Module, facts: SourceFacts, words: _Vocabulary) -> Iterator[tuple[str, str]]:
    """Add what one function does; yields the functions that it names."""
    for node in ast.walk(function):
        _read_state(node, facts, words)
        _read_calls(node, module, facts, words)
        if isinstance(node, ast.Name):
            if node.id in module.functions:
                yield module.name, node.id
            elif node.id in module.imported:
                yield module.imported[node.id]
            elif node.id in module.constants:
                facts.agents |= _roles_in(module.constants[node.id], module) & set(words.roles)


def _read_state(node: ast.AST, facts: SourceFacts, words: _Vocabulary) -> None:
    keys = set(words.keys)
    match node:
        case ast.Subscript(value=ast.Name("state" | "values"), slice=ast.Constant(value=str(key))):
            facts.reads |= {key} & keys
        case ast.Call(func=ast.Attribute(ast.Name("state" | "values"), "get"), args=[ast.Constant(value=str(key)), *_]):
            facts.reads |= {key} & keys
        case ast.Dict(keys=found):
            facts.writes |= {str(key.value) for key in found if isinstance(key, ast.Constant)} & keys
        case _:
            pass


def _read_calls(node: ast.AST, module: _Module, facts: SourceFacts, words: _Vocabulary) -> None:
    match node:
        case ast.Call(func=ast.Attribute(attr="call"), args=[ast.Constant(value=str(name)), *_]):
            facts.tools |= {name} & set(words.tools)
        case ast.Call(func=ast.Name(name), args=arguments) if name in _ASKING:
            # A role stands in the call, or in a constant of the module.
            given = [module.constants.get(one.id) if isinstance(one, ast.Name) else one for one in arguments]
            facts.agents |= {str(one.value) for one in given if isinstance(one, ast.Constant)} & set(words.roles)
        case ast.Attribute(ast.Name("EventType"), name):
            facts.events.add(name.lower())
        case ast.Raise(exc=ast.Call(func=ast.Name(name))) if name[:1].isupper():
            facts.raises.add(name)
        case _:
            pass


def _roles_in(constant: ast.expr, module: _Module) -> set[str]:
    """Roles in a table of things that have one: the first argument of a class with the attribute `role`."""
    return {
        call.args[0].value
        for call in ast.walk(constant)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in module.with_role
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


@cache
def _module(name: str) -> _Module | None:
    path = module_path(name)
    if path is None:
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, _Function)}
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    imported = {
        alias.asname or alias.name: (source, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level
        for source in [absolute(name, node, is_package=path.name == "__init__.py")]
        for alias in node.names
    }
    with_role = frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.target.id == "role"
    )
    return _Module(name, functions, constants, imported, with_role)


def module_path(name: str) -> Path | None:
    """The file of a module below the package; None where there is none."""
    base = OWN_FOLDER.joinpath(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def absolute(module: str, node: ast.ImportFrom, *, is_package: bool) -> str:
    """The module that a relative import names, below the package."""
    parts = module.split(".") if is_package else module.split(".")[:-1]
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])
