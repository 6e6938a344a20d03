"""Checks marks that disable a test: skipped, or expected to fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from .code_model import TestModule, structure_issue

# What each mark is, and whether it may stand with a reason: what depends on the machine, or a known fault, may.
_MARKS = {
    "pytest.mark.skip": False,
    "pytest.mark.skipif": True,
    "pytest.mark.xfail": True,
    "unittest.skip": False,
    "unittest.skipIf": True,
    "unittest.skipUnless": True,
    "unittest.expectedFailure": False,
    "unittest.case.skip": False,
}


def skip_issues(module: TestModule, mark: ast.expr, who: str) -> Iterator[CodeIssue]:
    """Yields a mark that skips or excuses without a condition or a reason.

    Args:
        mark: a decorator, or an item of `pytestmark`.
    """
    target = mark.func if isinstance(mark, ast.Call) else mark
    name = module.origin(target)
    may_stand = _MARKS.get(name)
    if may_stand is None or (may_stand and _has_reason(mark, name)):
        return
    fix = "test something, or leave the test out"
    if may_stand:
        fix = "give the reason why it is, as reason='…'"
    yield structure_issue(mark.lineno, f"{who} is marked {name.rpartition('.')[2]}", fix, "skip")


def _has_reason(mark: ast.expr, name: str) -> bool:
    """Whether a mark has a reason, by name or position; the condition of an old `skipif` may be a text."""
    if not isinstance(mark, ast.Call):
        return False
    by_name = next((keyword.value for keyword in mark.keywords if keyword.arg == "reason"), None)
    by_place = mark.args[1] if len(mark.args) > 1 and name.startswith("unittest.") else None
    given = by_name if by_name is not None else by_place
    return given is not None and not (isinstance(given, ast.Constant) and not given.value)


def listed_marks(value: ast.expr) -> Iterator[ast.expr]:
    """The marks of a `pytestmark`: one, or a list of them."""
    yield from value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
