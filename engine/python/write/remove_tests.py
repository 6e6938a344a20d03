"""Removes the tests of dropped cases from a test file without rendering it again; the rest stays unchanged."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Collection, Container, Iterator
from typing import TypeGuard

from ruff.__main__ import find_ruff_bin

from ....core.errors import EnvironmentFault
from ....utils.case_names import TestNode, cases_of_test, row_case, rows_of
from ....utils.python_source import parse_python
from .repair import case_ranges

_UNUSED_IMPORTS = ("check", "--isolated", "--select", "F401", "--fix", "--quiet", "--exit-zero", "-")
_SECONDS = 60


def without_tests(source: str, drop: Collection[str]) -> str:
    """Removes the tests, or the parametrised rows, of some cases.

    A test of several cases is removed only with all of them. Classes without tests and unused imports are removed too.
    A file that does not parse is returned unchanged.

    Raises:
        EnvironmentFault: ruff, which removes the imports, cannot be run.
    """
    try:
        tree = parse_python(source)
    except SyntaxError:
        return source
    data = source.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    spans = list(_spans(tree.body, set(drop)))
    if not spans:
        return source
    for first, last in sorted({_bytes(span, starts, data) for span in spans}, reverse=True):
        data = data[:first] + data[last:]
    return _without_unused_imports(data.decode())


def proven_cases(source: str, known: Container[str] = ()) -> set[str]:
    """Returns ids of all cases in a test file.

    Args:
        known: case ids that test names may encode; see `utils/case_names.py`.
    """
    return {name for range_ in case_ranges(source, known) for name in range_.case_ids}


def _spans(body: list[ast.stmt], drop: set[str], owner: str | None = None) -> Iterator[ast.AST]:
    """Generates the nodes to remove."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            tests = [statement for statement in node.body if _is_test(statement)]
            dropped = [test for test in tests if _is_dropped(test, node.name, drop)]
            if tests and len(dropped) == len(tests):
                yield node
            else:
                yield from _spans(node.body, drop, node.name)
        elif _is_test(node):
            if _is_dropped(node, owner, drop):
                yield node
            else:
                yield from (row for row, name in rows_of(node) if row_case(owner, node, name, drop) in drop)


def _is_test(node: ast.stmt) -> TypeGuard[TestNode]:
    return isinstance(node, TestNode) and node.name.startswith("test")


def _is_dropped(node: ast.stmt, owner: str | None, drop: set[str]) -> bool:
    ids = set(cases_of_test(node, owner, drop)) if _is_test(node) else set()
    return bool(ids) and ids <= drop


def _bytes(node: ast.AST, starts: list[int], data: bytes) -> tuple[int, int]:
    """Returns a node's byte range: whole lines for a definition, up to the comma for a row."""
    line, last_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        line = min([line, *(decorator.lineno for decorator in node.decorator_list)])
        return starts[line - 1], min(starts[last_line], len(data))
    first, last = starts[line - 1] + node.col_offset, starts[last_line - 1] + node.end_col_offset  # type: ignore[attr-defined]
    after = data[last:].lstrip()
    if after.startswith(b","):
        last = len(data) - len(after) + 1
    return first, last


def _without_unused_imports(source: str) -> str:
    try:
        done = subprocess.run(
            [find_ruff_bin(), *_UNUSED_IMPORTS],
            input=source.encode(),
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFault(f"ruff cannot be run: {error}", advice="pip install ruff") from error
    return done.stdout.decode() if done.returncode == 0 and done.stdout else source
