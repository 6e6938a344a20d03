"""Tells what a function of a web application is for: which requests it handles, what it changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

VERBS = ("get", "post", "put", "patch", "delete")
_UPDATES = re.compile(r"update|change|set_|edit|replace|modify|patch")
_REMOVALS = re.compile(r"delete|remove|close|destroy|discard")
OWNERS = re.compile(r"owner|author|user_id|user\.id|current_user|created_by", re.IGNORECASE)
"""Words in code that say whose something is."""
_LISTS = re.compile(r"list|find|search|all|query")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function with what is known of its purpose; `verbs`: the HTTP methods that it handles, in small letters."""

    node: FunctionNode
    verbs: frozenset[str]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def updates(self) -> bool:
        return bool(self.verbs & {"put", "patch"}) or (not self.verbs and bool(_UPDATES.search(self.name)))

    @property
    def removes(self) -> bool:
        return "delete" in self.verbs or (not self.verbs and bool(_REMOVALS.search(self.name)))

    @property
    def creates(self) -> bool:
        return "post" in self.verbs

    def walk(self) -> Iterator[ast.AST]:
        """Yield the nodes of its body, without its decorators."""
        for statement in self.node.body:
            yield from ast.walk(statement)


def functions_of(tree: ast.Module) -> list[Function]:
    found: list[Function] = []
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            found.append(Function(node, frozenset(_verbs(node))))
    return found


def _verbs(node: FunctionNode) -> Iterator[str]:
    # A method of a view class is called like the method of HTTP that it handles.
    if node.name in VERBS and node.args.args and node.args.args[0].arg == "self":
        yield node.name
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        name = decorator.func.attr
        if name in VERBS:
            yield name
        elif name in ("route", "api_route"):
            methods = [word.value for word in decorator.keywords if word.arg == "methods"]
            named = [one.value for value in methods for one in ast.walk(value) if isinstance(one, ast.Constant)]
            yield from (str(one).lower() for one in named or ["get"])


def models_answered(tree: ast.Module) -> frozenset[str]:
    """Return the names of classes that handlers declare as what they answer."""
    found: set[str] = set()
    for function in functions_of(tree):
        if not function.verbs:
            continue
        parts: list[ast.expr] = [function.node.returns] if function.node.returns is not None else []
        for decorator in function.node.decorator_list:
            if isinstance(decorator, ast.Call):
                parts += [word.value for word in decorator.keywords if word.arg == "response_model"]
        found |= {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    return frozenset(found)
