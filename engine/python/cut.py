"""Taking the tests of dropped cases out of a file that was not rendered from its spec; the rest stays as it was."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Collection, Iterator

from ruff.__main__ import find_ruff_bin

from ...errors import EnvironmentFault
from ...utils.python_source import parse_python
from .repair import case_ranges

_UNUSED_IMPORTS = ("check", "--isolated", "--select", "F401", "--fix", "--quiet", "--exit-zero", "-")
_SECONDS = 60


def without_tests(source: str, drop: Collection[str]) -> str:
    """A test file without the tests, or the parametrised rows, of some cases.

    A test that proves several cases goes only with all of them. A class without a test left goes too, and so do the
    imports that only they needed. A file that does not parse is answered as it is.

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
    spans = list(_spans(tree.body, source, set(drop)))
    if not spans:
        return source
    for first, last in sorted({_bytes(one, starts, data) for one in spans}, reverse=True):
        data = data[:first] + data[last:]
    return _without_unused_imports(data.decode())


def proven_cases(source: str) -> set[str]:
    """Ids of all cases that a test file proves."""
    return {name for one in case_ranges(source) for name in one.case_ids}


def _spans(body: list[ast.stmt], source: str, drop: set[str]) -> Iterator[ast.AST]:
    """The nodes to take out."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            tests = [one for one in node.body if _is_test(one)]
            gone = [one for one in tests if _ids(one) and _ids(one) <= drop]
            if tests and len(gone) == len(tests):
                yield node
            else:
                yield from _spans(node.body, source, drop)
        elif _is_test(node):
            ids = _ids(node)
            if ids and ids <= drop:
                yield node
            else:
                yield from (row for row, name in _rows(node) if name in drop)


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _ids(test: ast.stmt) -> set[str]:
    text = ast.unparse(test)
    return proven_cases(text)


def _rows(test: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    for mark in getattr(test, "decorator_list", ()):
        for node in ast.walk(mark):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                value = keyword.value
                if keyword.arg == "id" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield node, value.value


def _bytes(node: ast.AST, starts: list[int], data: bytes) -> tuple[int, int]:
    """Where a node stands: whole lines for a definition, up to its comma for a row."""
    line, last_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        line = min([line, *(one.lineno for one in node.decorator_list)])
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
