"""One meaning for each imported name of a test file: what collides is imported under another name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...utils.python_source import parse_python
from .import_block import Binding, read_imports
from .spec_case import Expectation

# Names that generated tests use themselves.
_OWN_MODULES = frozenset(
    {"asyncio", "contextlib", "io", "itertools", "math", "pathlib", "pytest", "re", "tempfile", "unittest"}
)
_OWN_LOCALS = frozenset({"capsys", "expected", "output", "request", "result", "scenario", "self", "tmp_path"})


@dataclass(frozen=True, slots=True)
class NamedSource:
    """The source of one case, with imported names as the file binds them."""

    statements: tuple[str, ...]
    expression: str
    expect: tuple[Expectation, ...]


class ImportNames:
    """Collects the imports of all cases of one file."""

    def __init__(self) -> None:
        self._bound: dict[str, Binding] = {}

    def adopt(
        self,
        statements: tuple[str, ...],
        expression: str,
        imports: Iterable[str],
        expect: tuple[Expectation, ...],
        value_imports: Iterable[str],
    ) -> NamedSource:
        """Bind what a case needs and return its source accordingly. Raises SyntaxError.

        Args:
            imports: for `statements`, `expression` and the `actual` of expectations.
            value_imports: for the values and exceptions of expectations.
        """
        texts = [*statements, expression, *(one.actual for one in expect)]
        # `math` serves expectations about NaN.
        renamed = self._bind((*imports, "import math"), texts)
        values = [text for one in expect for text in (one.value, one.exception) if text]
        renamed_values = self._bind(value_imports, values)
        return NamedSource(
            tuple(_rename(one, renamed) for one in statements),
            _rename(expression, renamed),
            tuple(
                replace(
                    one,
                    actual=_rename(one.actual, renamed),
                    value=None if one.value is None else _rename(one.value, renamed_values),
                    exception=None if one.exception is None else _rename(one.exception, renamed_values),
                )
                for one in expect
            ),
        )

    def statements(self) -> list[str]:
        """Every import so far, sorted, one binding a statement."""
        return sorted({one.statement for one in self._bound.values()})

    def _bind(self, imports: Iterable[str], texts: list[str]) -> dict[str, str]:
        """Take up the bindings the texts read; what has to change its name, old to new."""
        read = {
            node.id for text in texts for node in ast.walk(parse_python(text.strip())) if isinstance(node, ast.Name)
        }
        renamed: dict[str, str] = {}
        for binding in read_imports(imports):
            if binding.bound not in read or binding.name == "*":
                continue
            if binding.name is None and binding.alias is None and "." in binding.module:
                # `import a.b` binds `a`, and so do its neighbours: all of them are kept.
                self._bound[binding.module] = binding
                continue
            taken = self._taken(binding)
            if taken is not None:
                renamed[binding.bound] = taken.bound
                binding = taken
            self._bound[binding.bound] = binding
        return renamed

    def _taken(self, binding: Binding) -> Binding | None:
        """The binding under another name, where its own is used for something else."""
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


def _rename(source: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return source
    tree = parse_python(source.strip())
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in renamed:
            node.id = renamed[node.id]
            changed = True
    return ast.unparse(tree) if changed else source
