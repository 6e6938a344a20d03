"""Test suites as text: how long they are, and strict xfail as a plain test."""

from __future__ import annotations

import ast
import subprocess
import sys

COLUMNS = 100
_RAISES = """

def _expected_to_raise(test):
    import functools

    @functools.wraps(test)
    def turned(*arguments, **named):
        try:
            test(*arguments, **named)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return
        raise AssertionError("nothing was raised")

    return turned
"""


def filled_lines(text: str) -> int:
    """Lines that hold more than white space."""
    return sum(bool(line.strip()) for line in text.splitlines())


def formatted(text: str) -> str:
    """Python as `ruff format` lays it out at 100 columns; as it is where ruff cannot read it."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(COLUMNS)]
    done = subprocess.run(
        [*command, "--stdin-filename", "test.py", "-"], input=text, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else text


def test_lines(files: dict[str, str]) -> int:
    """Non-blank lines of a suite's Python files once they are formatted."""
    return sum(filled_lines(formatted(text)) for path, text in files.items() if path.endswith(".py"))


test_lines.__test__ = False  # pyrefly: ignore[missing-attribute] - pytest is not to take it for a test


def without_xfail(text: str) -> str:
    """A test that is expected to raise, strictly, turned into a plain one that passes when it does.

    Mutants are judged by tests that pass. Pynguin marks what raises with `xfail(strict=True)`, which fails as soon as
    nothing is raised: it notices mutants as well as any other test, and it is to be given credit for them.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    marks = [
        mark
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for mark in node.decorator_list
        if _is_strict(mark)
    ]
    if not marks:
        return text
    lines = text.splitlines(keepends=True)
    for mark in marks:
        lines[mark.lineno - 1 : mark.end_lineno] = ["@_expected_to_raise\n"] + ["\n"] * (
            (mark.end_lineno or mark.lineno) - mark.lineno
        )
    place = _after_imports(tree)
    return "".join([*lines[:place], _RAISES.lstrip("\n"), "\n", *lines[place:]])


def _is_strict(mark: ast.expr) -> bool:
    if not isinstance(mark, ast.Call) or ast.unparse(mark.func) != "pytest.mark.xfail" or mark.args:
        return False
    return [(keyword.arg, ast.unparse(keyword.value)) for keyword in mark.keywords] == [("strict", "True")]


def _after_imports(tree: ast.Module) -> int:
    """The number of lines up to the end of the first import; 0 without one."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__":
            return node.end_lineno or node.lineno
    return 0
