"""Test files without a mark of who wrote them, and what there is in them to judge."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = re.compile(
    r"testwright|sha256=|never overwritten|\btc_[a-z0-9_]+|\brun[ _]id\b|[Gg]enerated by", re.IGNORECASE
)


@dataclass(frozen=True)
class TestFunction:
    """A test function or method.

    Attributes:
        name: `test_name` or `TestClass.test_name`.
        rows: of its table; 0 where it has none.
    """

    __test__ = False
    name: str
    rows: int
    lines: tuple[int, int]


def neutral(text: str) -> str:
    """A test file without comments that name its writer, a digest or a run, and without blank lines at its head.

    Raises:
        ValueError: a mark stands in the code itself.
    """
    kept = [line for line in text.splitlines(keepends=True) if not (_is_comment(line) and _MARKS.search(line))]
    found = "".join(kept).lstrip("\n")
    mark = re.search(r"testwright|sha256=", found, re.IGNORECASE)
    if mark is not None:
        line = found.count("\n", 0, mark.start()) + 1
        raise ValueError(f"line {line} has a mark of origin: {found.splitlines()[line - 1].strip()}")
    return found


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def test_functions(text: str) -> list[TestFunction]:
    """The test functions of a file, in its order."""
    return list(_functions(ast.parse(text), ""))


test_functions.__test__ = False  # pyrefly: ignore[missing-attribute] - pytest is not to take it for a test


def quoted(text: str, name: str) -> str:
    """The source of one test function with its decorators. Raises KeyError for a name that is not there."""
    lines = text.splitlines()
    for function in test_functions(text):
        if function.name == name:
            return "\n".join(lines[function.lines[0] - 1 : function.lines[1]])
    raise KeyError(name)


def _functions(node: ast.AST, prefix: str) -> Iterator[TestFunction]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name.startswith("test"):
            tables = [count for decorator in child.decorator_list if (count := _rows(decorator))]
            rows = 1 if tables else 0
            for count in tables:
                rows *= count
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield TestFunction(f"{prefix}{child.name}", rows, (first, child.end_lineno or child.lineno))


def _rows(decorator: ast.expr) -> int:
    """Rows of a `pytest.mark.parametrize` whose values stand there as a list or tuple; else 0."""
    if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("mark.parametrize"):
        return 0
    values = [*decorator.args[1:2], *(one.value for one in decorator.keywords if one.arg == "argvalues")]
    return len(values[0].elts) if values and isinstance(values[0], ast.List | ast.Tuple) else 0
