"""What a test's body must and must not do, whichever framework runs it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from .code_model import Function, TestFunction, TestModule, structure

SLEEPS = ("time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "gevent.sleep")
_REQUESTS = frozenset(
    [f"{library}.{verb}" for library in ("requests", "httpx") for verb in
     ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream")]
    + ["urllib.request.urlopen", "urllib.request.urlretrieve", "socket.create_connection", "aiohttp.request"]
    + ["http.client.HTTPConnection", "http.client.HTTPSConnection", "ftplib.FTP", "smtplib.SMTP", "telnetlib.Telnet"]
)  # fmt: skip
_NEAR = ("localhost", "127.", "[::1]", "::1", "0.0.0.0", "testserver")
_RAISING = ("pytest.raises", "pytest.warns", "pytest.deprecated_call")
_SKIPS = ("pytest.skip", "pytest.xfail", "pytest.importorskip", "unittest.SkipTest")
_EQUALITY_ASSERTS = ("assertEqual", "assertIs", "assertIn", "assertAlmostEqual", "assertListEqual", "assertDictEqual")


def body_issues(module: TestModule, test: TestFunction) -> Iterator[CodeIssue]:
    """Every body rule that one test breaks."""
    asserting = [node for node in ast.walk(test.node) if _asserts(module, node)]
    if not asserting and not _calls_asserting_helper(module, test.node):
        fix = "assert what the case expects, or expect its exception"
        yield structure(test.node.lineno, f"{test.name} asserts nothing", fix, "no_assertion")
    guarded = _inside_raises(module, test.node)
    for node in ast.walk(test.node):
        if isinstance(node, ast.Call):
            yield from _call_issues(module, test, node)
        elif isinstance(node, ast.Assert):
            yield from _assert_issues(test, node)
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from _swallowed(test, node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield from _suppressed(module, test, node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare) and id(node) not in guarded:
            fix = "write assert before it"
            yield structure(node.lineno, f"{test.name} compares without asserting", fix, "idle_comparison")


def _asserts(module: TestModule, node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return module.origin(node.exc.func) == "AssertionError"
    if not isinstance(node, ast.Call):
        return False
    origin = module.origin(node.func)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else origin.rpartition(".")[2]
    return name.startswith("assert") or origin in (*_RAISING, "pytest.fail", "self.fail")


def _calls_asserting_helper(module: TestModule, function: Function, seen: frozenset[str] = frozenset()) -> bool:
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        helper = module.helpers.get(name)
        if helper is None or name in seen:
            continue
        if any(_asserts(module, one) for one in ast.walk(helper)):
            return True
        if _calls_asserting_helper(module, helper, seen | {name}):
            return True
    return False


def _call_issues(module: TestModule, test: TestFunction, node: ast.Call) -> Iterator[CodeIssue]:
    name = module.origin(node.func)
    if name in SLEEPS and not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0):
        fix = "wait for the event itself, or replace the clock"
        yield structure(node.lineno, f"{test.name} sleeps", fix, "sleep")
    elif name in _REQUESTS and not _stays_here(node):
        fix = "use a stand-in, or a server on the loopback address"
        yield structure(node.lineno, f"{test.name} reaches for the network with {name}", fix, "network")
    elif name in _SKIPS or name == "self.skipTest":
        yield structure(node.lineno, f"{test.name} skips itself", "test something, or leave the test out", "skip")
    elif name.startswith("self.assert"):
        yield from _method_assert_issues(test, node, name.removeprefix("self."))


def _stays_here(node: ast.Call) -> bool:
    for argument in node.args[:2]:
        value = argument.elts[0] if isinstance(argument, ast.Tuple) and argument.elts else argument
        if isinstance(value, ast.JoinedStr) and value.values:
            value = value.values[0]
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            host = value.value.partition("://")[2] or value.value
            return host.startswith(_NEAR)
    return False


def _assert_issues(test: TestFunction, node: ast.Assert) -> Iterator[CodeIssue]:
    reason = _always_true(node.test)
    if reason:
        fix = "assert something that can fail"
        yield structure(node.lineno, f"{test.name} asserts what is always true: {reason}", fix, "tautology")


def _always_true(test: ast.expr) -> str:
    if isinstance(test, ast.Constant) and test.value:
        return "a constant"
    if isinstance(test, ast.Tuple) and test.elts:
        return "a tuple"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Constant):
        return "" if test.operand.value else "a constant"
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return next((reason for one in test.values if (reason := _always_true(one))), "")
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    ):
        left, right = test.left, test.comparators[0]
        if ast.dump(left) == ast.dump(right) and not any(isinstance(one, ast.Call) for one in ast.walk(left)):
            return "both sides are the same"
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return "" if left.value != right.value else "two constants"
    return ""


def _method_assert_issues(test: TestFunction, node: ast.Call, name: str) -> Iterator[CodeIssue]:
    same = name in _EQUALITY_ASSERTS and len(node.args) >= 2 and ast.dump(node.args[0]) == ast.dump(node.args[1])
    always = name == "assertTrue" and node.args and _always_true(node.args[0])
    never = name == "assertFalse" and node.args and isinstance(node.args[0], ast.Constant) and not node.args[0].value
    if same or always or never:
        fix = "assert something that can fail"
        yield structure(node.lineno, f"{test.name} asserts what is always true", fix, "tautology")


def _swallowed(test: TestFunction, node: ast.Try | ast.TryStar) -> Iterator[CodeIssue]:
    for handler in node.handlers:
        idle = all(
            isinstance(one, ast.Pass | ast.Continue | ast.Break)
            or (isinstance(one, ast.Return) and (one.value is None or isinstance(one.value, ast.Constant)))
            or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
            for one in handler.body
        )
        if idle:
            fix = "expect the exception, or let it fail the test"
            yield structure(handler.lineno, f"{test.name} swallows an exception", fix, "swallowed")


def _suppressed(module: TestModule, test: TestFunction, node: ast.With | ast.AsyncWith) -> Iterator[CodeIssue]:
    for item in node.items:
        if isinstance(item.context_expr, ast.Call) and module.origin(item.context_expr.func) == "contextlib.suppress":
            fix = "expect the exception, or let it fail the test"
            yield structure(node.lineno, f"{test.name} suppresses an exception", fix, "swallowed")


def _inside_raises(module: TestModule, function: Function) -> set[int]:
    """Statements below a `with raises`: there an idle comparison is the act itself."""
    found: set[int] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.With | ast.AsyncWith):
            continue
        for item in node.items:
            call = item.context_expr
            name = module.origin(call.func).lower() if isinstance(call, ast.Call) else ""
            if "raises" in name or "warns" in name:
                found |= {id(one) for one in ast.walk(node)}
    return found
