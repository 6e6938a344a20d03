"""Model of a Python test file for the structure rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...utils.error_formatter import CodeIssue
from ...utils.python_names import dotted_name, last_name

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class TestFunction:
    """A function that the framework would run as a test."""

    __test__ = False

    node: Function
    owner: ast.ClassDef | None = None

    @property
    def name(self) -> str:
        """`Class.test_x` or `test_x`."""
        return f"{self.owner.name}.{self.node.name}" if self.owner else self.node.name


@dataclass(frozen=True, slots=True)
class TestModule:
    """The parsed file.

    Attributes:
        origins: local name → dotted origin, from the imports (`sleep` → `time.sleep`).
        star: whether a star import hides what names mean.
        functions: every function and method of the module, by name.
        names: every name that the module reads or binds, outside of attributes.
        bases: the last part of the name of every base class.
    """

    __test__ = False

    tree: ast.Module
    origins: dict[str, str] = field(default_factory=dict)
    star: bool = False
    functions: dict[str, list[Function]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)

    def origin(self, node: ast.AST) -> str:
        """The dotted name that a name or attribute chain refers to; empty for anything else."""
        name = dotted_name(node)
        root, _, rest = name.partition(".")
        known = self.origins.get(root, root)
        return f"{known}.{rest}" if rest else known

    def classes(self) -> Iterator[ast.ClassDef]:
        """The classes at the top of the module."""
        return (node for node in self.tree.body if isinstance(node, ast.ClassDef))


def read_module(tree: ast.Module) -> TestModule:
    """Builds the model of a file."""
    origins: dict[str, str] = {}
    star = False
    functions: dict[str, list[Function]] = {}
    names: set[str] = set()
    bases: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.partition(".")[0]
                origins[alias.asname or package] = alias.name if alias.asname else package
        elif isinstance(node, ast.ImportFrom):
            star |= any(alias.name == "*" for alias in node.names)
            origins |= {alias.asname or alias.name: f"{node.module or ''}.{alias.name}" for alias in node.names}
        elif isinstance(node, Function):
            functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.ClassDef):
            bases |= {last_name(base) for base in node.bases}
    return TestModule(tree, origins, star, functions, names, bases)


def methods(owner: ast.ClassDef) -> Iterator[Function]:
    """The functions directly in a class."""
    return (node for node in owner.body if isinstance(node, Function))


def structure_issue(line: int, message: str, suggestion: str, rule: str) -> CodeIssue:
    """Builds the issue of a broken structure rule."""
    return CodeIssue("structure", line, message, suggestion, rule)


def is_meant_for_others(module: TestModule, owner: ast.ClassDef) -> bool:
    """Whether a class is a base class: classes of the file derive from it, or its name shows it."""
    return owner.name in module.bases or re.search(r"^_|Mixin|Base|Abstract|Common|Shared", owner.name) is not None
