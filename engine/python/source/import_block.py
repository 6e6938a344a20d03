"""Renders the imports of a generated test file: unused ones dropped, merged, in the order of isort and ruff."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_names import dotted_name
from ....utils.python_source import parse_or_none, parse_python


@dataclass(frozen=True, slots=True)
class Binding:
    """One imported thing: `import module [as alias]`, or `from module import name [as alias]`."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name it binds."""
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def statement(self) -> str:
        """The binding as a statement of its own."""
        alias = f" as {self.alias}" if self.alias else ""
        return f"from {self.module} import {self.name}{alias}" if self.name else f"import {self.module}{alias}"


def read_imports(statements: Iterable[str]) -> list[Binding]:
    """Parses import statements into bindings, in order, without repeats; other statements are ignored."""
    return list(dict.fromkeys(binding for statement in statements for binding in _bindings(statement)))


@lru_cache(maxsize=1024)
def _bindings(statement: str) -> tuple[Binding, ...]:
    tree = parse_or_none(statement.strip())
    found: list[Binding] = []
    for node in tree.body if tree else ():
        if isinstance(node, ast.Import):
            found += [Binding(name.name, None, name.asname) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [Binding(node.module or "", name.name, name.asname) for name in node.names]
    return tuple(found)


def used_names(code: str) -> tuple[set[str], set[str]]:
    """The plain names and the dotted chains (`a.b.c` and each of its prefixes) that code reads. Raises SyntaxError."""
    names: set[str] = set()
    chains: set[str] = set()
    for node in ast.walk(parse_python(code)):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            chain = dotted_name(node)
            if chain:
                chains.add(chain)
    return names, chains


def import_block(statements: Iterable[str], *, code: str, first_party: str) -> str:
    """Renders the import lines that `code` needs, in isort's order; `first_party` is the target's top-level package."""
    names, chains = used_names(code)
    bindings = _without_repeats([binding for binding in read_imports(statements) if _is_used(binding, names, chains)])
    sections: dict[int, list[Binding]] = {}
    for binding in bindings:
        sections.setdefault(_section(binding.module, first_party), []).append(binding)
    return "\n\n".join("\n".join(_lines(sections[key])) for key in sorted(sections))


def _is_used(binding: Binding, names: set[str], chains: set[str]) -> bool:
    if binding.bound not in names:
        return False
    if binding.name is None and binding.alias is None and "." in binding.module:
        return binding.module in chains
    return True


def _without_repeats(bindings: list[Binding]) -> list[Binding]:
    """Keeps one binding a name; drops `import a` where `import a.b` binds `a` already."""
    deeper = {one.bound for one in bindings if one.name is None and one.alias is None and "." in one.module}
    kept: dict[str, Binding] = {}
    for binding in bindings:
        plain = binding.name is None and binding.alias is None
        if plain and "." in binding.module:
            kept[binding.module] = binding
        elif not (plain and binding.bound in deeper):
            kept.setdefault(binding.bound, binding)
    return list(kept.values())


def _section(module: str, first_party: str) -> int:
    top = module.partition(".")[0]
    if top == "__future__":
        return 0
    if first_party and top == first_party:
        return 3
    return 1 if top in sys.stdlib_module_names else 2


def _lines(bindings: list[Binding]) -> list[str]:
    plain = sorted((binding for binding in bindings if binding.name is None), key=lambda one: _natural(one.module))
    lines = [one.statement for one in plain]
    members: dict[str, list[Binding]] = {}
    for one in bindings:
        if one.name is not None and one.alias is None:
            members.setdefault(one.module, []).append(one)
    aliased = [binding for binding in bindings if binding.name is not None and binding.alias is not None]
    groups = {module: sorted(_member(one.name or "") for one in group) for module, group in members.items()}
    entries = [(_natural(module), names, "") for module, names in groups.items()]
    entries += [(_natural(one.module), [_member(one.name or "")], one.statement) for one in aliased]
    modules = {_natural(module): module for module in members}
    return lines + [
        alone or f"from {modules[module]} import {', '.join(name for _kind, _order, name in names)}"
        for module, names, alone in sorted(entries)
    ]


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """The sort key of isort: numbers inside a name compare as numbers."""
    parts = re.split(r"(\d+)", text.lower())
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part)


def _member(name: str) -> tuple[int, tuple[tuple[int, int, str], ...], str]:
    # isort's order of members: constants, classes, then everything else.
    constant = name.isupper() and len(name) > 1
    kind = 0 if constant else 1 if name[:1].isupper() else 2
    return kind, _natural(name), name
