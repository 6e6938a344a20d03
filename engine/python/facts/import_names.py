"""Gives each imported name of a test file one meaning: colliding names are imported under an alias."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ....utils.python_source import parse_expression, parse_python
from ..model.model import ModuleFacts
from ..model.spec_case import SpecExpectation
from ..source.import_block import Binding, read_imports

# Names that generated tests use themselves.
_OWN_MODULES = frozenset(
    {"asyncio", "contextlib", "io", "itertools", "math", "pathlib", "pytest", "re", "tempfile", "unittest"}
)
_OWN_LOCALS = frozenset({"capsys", "expected", "output", "request", "result", "scenario", "self", "tmp_path"})


@dataclass(frozen=True, slots=True)
class NamedSource:
    """The source of one case, with imported names as the test file binds them."""

    statements: tuple[str, ...]
    expression: str
    expect: tuple[SpecExpectation, ...]


class ImportNames:
    """Collects the imports of all cases of one file.

    Args:
        expected: import statements of all cases; a module among them keeps its name, and members of a standard
            library module (`datetime.datetime`) are accessed through it.
    """

    def __init__(self, expected: Iterable[str] = ()) -> None:
        self._bound: dict[str, Binding] = {}
        plain = [binding for binding in read_imports(expected) if binding.name is None and binding.alias is None]
        self._modules = {one.module for one in plain if "." not in one.module}

    def adopt(
        self,
        statements: tuple[str, ...],
        expression: str,
        imports: Iterable[str],
        expect: tuple[SpecExpectation, ...],
        value_imports: Iterable[str],
    ) -> NamedSource:
        """Binds the imports of a case and renames its source accordingly. Raises SyntaxError.

        Args:
            imports: for `statements`, `expression` and the `actual` of expectations.
            value_imports: for the values and exceptions of expectations.
        """
        texts = [*statements, expression, *(expectation.actual for expectation in expect)]
        # Expectations about NaN use `math`.
        renamed = self._bind((*imports, "import math"), texts)
        values = [text for expectation in expect for text in (expectation.value, expectation.exception) if text]
        own = list(value_imports)
        known = {binding.bound for binding in read_imports(own)}
        # A value may also be written with the names that its trial imported.
        own += [binding.statement for binding in read_imports(imports) if binding.bound not in known]
        renamed_values = self._bind(own, values)
        return NamedSource(
            tuple(_rename(statement, renamed) for statement in statements),
            _rename(expression, renamed),
            tuple(
                replace(
                    expectation,
                    actual=_rename(expectation.actual, renamed),
                    value=None if expectation.value is None else _rename(expectation.value, renamed_values),
                    exception=None if expectation.exception is None else _rename(expectation.exception, renamed_values),
                )
                for expectation in expect
            ),
        )

    def statements(self) -> list[str]:
        """Every import so far, sorted, one binding a statement."""
        return sorted({value.statement for value in self._bound.values()})

    def _bind(self, imports: Iterable[str], texts: list[str]) -> dict[str, str]:
        """Adds the bindings that the texts read; returns the names that must change, old to new."""
        read = {
            node.id for text in texts for node in ast.walk(parse_python(text.strip())) if isinstance(node, ast.Name)
        }
        renamed: dict[str, str] = {}
        for binding in read_imports(imports):
            if binding.bound not in read or binding.name == "*":
                continue
            if binding.name is None and binding.alias is None and "." in binding.module:
                # `import a.b` and `import a.c` both bind `a`: all of them are kept.
                self._bound[binding.module] = binding
                continue
            if binding.name is None and binding.alias and binding.module in self._modules:
                renamed[binding.bound] = binding.module
                binding = Binding(binding.module)
            if self._through_module(binding):
                renamed[binding.bound] = f"{binding.module}.{binding.name}"
                self._bound[binding.module] = Binding(binding.module)
                continue
            taken = self._taken(binding)
            if taken is not None:
                renamed[binding.bound] = taken.bound
                binding = taken
            self._bound[binding.bound] = binding
        return renamed

    def _through_module(self, binding: Binding) -> bool:
        """Whether a member is accessed through its module: one of the standard library that the file imports anyway."""
        standard = binding.module in self._modules and binding.module in sys.stdlib_module_names
        return standard and binding.name is not None and binding.alias is None

    def _taken(self, binding: Binding) -> Binding | None:
        """The binding under an alias, where its own name has another meaning; else None."""
        name = binding.bound
        held = self._bound.get(name)
        reserved = name in _OWN_LOCALS or (name in _OWN_MODULES and (binding.module, binding.name) != (name, None))
        # pytest would collect an imported function or class by such a name as a test.
        collected = name.startswith(("test", "Test"))
        if (held is None or held == binding) and not reserved and not collected:
            return None
        base = f"{name}_module" if binding.name is None else f"{name}_of_{binding.module.rpartition('.')[2].strip('_')}"
        if collected:
            base = f"tested_{name}"
        choice, number = base, 2
        while choice in self._bound and self._bound[choice] != replace(binding, alias=choice):
            choice, number = f"{base}_{number}", number + 1
        return replace(binding, alias=choice)


def imported_from_origin(imports: Iterable[str], facts: ModuleFacts) -> list[str]:
    """Import statements in which names that the target itself imports from the standard library come from there."""
    own = {name: read_imports([statement]) for name, statement in facts.imports}
    found: list[str] = []
    for binding in read_imports(imports):
        origin = [one for one in own.get(binding.name or "", []) if one.bound == binding.name]
        standard = bool(origin) and origin[0].module.partition(".")[0] in sys.stdlib_module_names
        if binding.module == facts.module and binding.alias is None and standard:
            binding = origin[0]
        found.append(binding.statement)
    return found


def _rename(source: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return source
    renaming = _Renaming(renamed)
    tree = renaming.visit(parse_python(source.strip()))
    return ast.unparse(tree) if renaming.changed else source


class _Renaming(ast.NodeTransformer):
    def __init__(self, renamed: Mapping[str, str]) -> None:
        self.changed = False
        self._renamed = renamed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._renamed or not isinstance(node.ctx, ast.Load):
            return node
        self.changed = True
        return parse_expression(self._renamed[node.id])
