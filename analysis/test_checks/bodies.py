"""Rules for the marks and the body of a test, shared by all Python frameworks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from ...utils.python_names import callee, keyword_value
from .assertions import asserting_nodes, assertion_issues, asserts
from .code_model import Function, TestFunction, TestModule, structure_issue

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
    name = module.origin(callee(mark))
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
    by_name = keyword_value(mark, "reason")
    by_place = mark.args[1] if len(mark.args) > 1 and name.startswith("unittest.") else None
    given = by_name if by_name is not None else by_place
    return given is not None and not (isinstance(given, ast.Constant) and not given.value)


_SKIPS = ("pytest.skip", "pytest.xfail", "unittest.SkipTest", "self.skipTest")
_BROAD = ("Exception", "BaseException", "AssertionError")
_SAME = "both sides are the same"
_EQUALITY_ASSERTS = ("assertEqual", "assertIs", "assertIn", "assertAlmostEqual", "assertListEqual", "assertDictEqual")


def body_issues(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    """Yields every body rule that one test breaks."""
    yield from assertion_issues(module, test)
    yield from _tautologies(module, test)
    guarded = _inside_raises(module, test.node)
    for node in ast.walk(test.node):
        if isinstance(node, ast.Call):
            yield from _call_issues(module, test, node)
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from _swallowed(module, test, node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield from _suppressed(module, test, node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare) and id(node) not in guarded:
            fix = "write assert before it"
            yield structure_issue(node.lineno, f"{test.name} compares without asserting", fix, "idle_comparison")


def _call_issues(module: TestModule, test: TestFunction, node: ast.Call) -> Iterator[CodeIssue]:
    name = module.origin(node.func)
    if name not in _SKIPS:
        return
    if name == "pytest.xfail" or not _is_conditional(test.node, node):
        yield structure_issue(node.lineno, f"{test.name} skips itself", "test something, or leave the test out", "skip")


def _is_conditional(function: Function, node: ast.AST) -> bool:
    """Whether a node is in a branch or a handler."""
    for outer in ast.walk(function):
        if isinstance(outer, ast.If | ast.ExceptHandler | ast.IfExp) and any(item is node for item in ast.walk(outer)):
            return True
    return False


def _tautologies(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    """Yields assertions that cannot fail.

    Of a thing with itself only where nothing else is asserted: its own equality may be meant.
    """
    asserting = asserting_nodes(module, test.node)
    reasons = {id(node): _always_holds(node) for node in asserting}
    all_idle = all(reasons.values())
    for node in asserting:
        reason = reasons[id(node)]
        if reason and (all_idle or reason != _SAME):
            fix = "assert something that can fail"
            yield structure_issue(node.lineno, f"{test.name} asserts what is always true: {reason}", fix, "tautology")


def _always_holds(node: ast.AST) -> str:
    """Why an assertion cannot fail, or an empty text."""
    if isinstance(node, ast.Assert):
        return _always_true(node.test)
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    if not isinstance(node, ast.Call) or not node.args or not name.startswith("assert"):
        return ""
    first = node.args[0]
    if name in _EQUALITY_ASSERTS and len(node.args) >= 2 and _same(first, node.args[1]):
        return _SAME
    if name == "assertTrue":
        return _always_true(first)
    return "a constant" if name == "assertFalse" and isinstance(first, ast.Constant) and not first.value else ""


def _same(left: ast.expr, right: ast.expr) -> bool:
    """Whether two expressions are equal and have no calls, which might return different values."""
    return ast.dump(left) == ast.dump(right) and not any(isinstance(node, ast.Call) for node in ast.walk(left))


def _always_true(test: ast.expr) -> str:
    if isinstance(test, ast.Constant) and test.value:
        return "a constant"
    # `assert (value, "message")`: a tuple with items is true.
    if isinstance(test, ast.Tuple) and test.elts:
        return "a tuple"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Constant):
        return "" if test.operand.value else "a constant"
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return next((reason for value in test.values if (reason := _always_true(value))), "")
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    ):
        left, right = test.left, test.comparators[0]
        # Constants that differ always fail, which shows by itself.
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return "" if left.value != right.value else "two constants"
        if _same(left, right):
            return _SAME
    return ""


def _swallowed(module: TestModule, test: TestFunction, node: ast.Try | ast.TryStar) -> Iterator[CodeIssue]:
    """Yields handlers that do nothing where they hide an assertion, or whether anything was raised."""
    inside = [item for statement in node.body for item in asserting_nodes(module, statement)]
    elsewhere = len(asserting_nodes(module, test.node)) > len(inside)
    # `try: act(); assert False / except KeyError: pass` is an assertion that KeyError is raised.
    expects = _fails(module, node.body[-1]) or any(_fails(module, statement) for statement in node.orelse)
    for handler in node.handlers:
        if not _is_idle(handler):
            continue
        broad = _catches_all(module, handler)
        # A narrow handler is fine in a test that asserts elsewhere, or that requires the exception.
        if broad or (not expects and (inside or not elsewhere)):
            fix = "expect the exception, or let it fail the test"
            yield structure_issue(handler.lineno, f"{test.name} swallows an exception", fix, "swallowed")


def _is_idle(handler: ast.ExceptHandler) -> bool:
    # A constant may be a docstring, `...` or the value that is returned.
    idle, plain = ast.Pass | ast.Continue | ast.Break | ast.Return | ast.Expr, ast.Constant | None
    return all(isinstance(node, idle) and isinstance(getattr(node, "value", None), plain) for node in handler.body)


def _catches_all(module: TestModule, handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(item is None or module.origin(item) in _BROAD for item in caught)


def _fails(module: TestModule, node: ast.stmt) -> bool:
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant) and not node.test.value
    inner = node.value if isinstance(node, ast.Expr) else node
    return isinstance(inner, ast.Call | ast.Raise) and asserts(module, inner)


def _suppressed(module: TestModule, test: TestFunction, node: ast.With | ast.AsyncWith) -> Iterator[CodeIssue]:
    for item in node.items:
        if isinstance(item.context_expr, ast.Call) and module.origin(item.context_expr.func) == "contextlib.suppress":
            fix = "expect the exception, or let it fail the test"
            yield structure_issue(node.lineno, f"{test.name} suppresses an exception", fix, "swallowed")


def _inside_raises(module: TestModule, function: Function) -> set[int]:
    """Ids of the nodes below a `with raises`, where an idle comparison is the act itself."""
    found: set[int] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.With | ast.AsyncWith):
            continue
        for item in node.items:
            call = item.context_expr
            name = module.origin(call.func).lower() if isinstance(call, ast.Call) else ""
            if "raises" in name or "warns" in name:
                found |= {id(item) for item in ast.walk(node)}
    return found
