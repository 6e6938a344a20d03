"""Checks that tests use something from outside the test file, and that no two tests have the same body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ...utils.error_formatter import CodeIssue
from .code_model import Function, TestFunction, TestModule, methods, structure_issue

_LIBRARIES = frozenset(
    "pytest unittest mock hypothesis typing typing_extensions __future__ freezegun time_machine faker _pytest nose "
    "parameterized ddt assertpy hamcrest sure dirty_equals".split()
)
_BASES = ("TestCase", "object")


def subject_issues(module: TestModule, tests: Iterable[TestFunction]) -> Iterator[CodeIssue]:
    """Yields tests that only look at objects they created themselves.

    Whatever is unknown counts as a subject: a parameter, an import that is no test library, a class of another file.
    """
    # What is tested may come from the star import, or be called by a fixture for every test.
    if module.star or _acts_for_all(module):
        return
    definitions = _definitions(module)
    for test in tests:
        if not _reaches_out(module, test, definitions):
            fix = "call what is tested and assert on its result"
            yield structure_issue(test.node.lineno, f"{test.name} never touches what is tested", fix, "no_subject")


def duplicate_issues(tests: Iterable[TestFunction]) -> Iterator[CodeIssue]:
    """Yields tests whose bodies and marks equal those of another one."""
    first: dict[str, TestFunction] = {}
    for test in tests:
        owner = test.owner.name if test.owner else ""
        marks = [ast.dump(decorator) for decorator in test.node.decorator_list]
        body = [ast.dump(statement) for statement in test.node.body if not _is_docstring(statement)]
        key = repr((owner, marks, ast.dump(test.node.args), body))
        earlier = first.setdefault(key, test)
        if earlier is not test and body and earlier.node.name != test.node.name:
            message = f"{test.name} does the same as {earlier.name} in line {earlier.node.lineno}"
            yield structure_issue(test.node.lineno, message, "test something else, or leave one out", "duplicate_body")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _acts_for_all(module: TestModule) -> bool:
    """Whether an autouse fixture, `usefixtures` or xunit set-up may be the subject of every test."""
    text = ast.dump(module.tree)
    return "autouse" in text or "usefixtures" in text or "setup_module" in module.functions


def _reaches_out(module: TestModule, test: TestFunction, definitions: dict[str, list[ast.AST]]) -> bool:
    arguments = test.node.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    # A parameter is a fixture or a row: it may bring the subject.
    if len(given) > (1 if test.owner else 0):
        return True
    roots: list[ast.AST] = [test.node]
    if test.owner is not None:
        if any(not module.origin(base).endswith(_BASES) for base in test.owner.bases):
            return True
        tests = [method for method in methods(test.owner) if method.name.startswith("test")]
        roots += [statement for statement in test.owner.body if statement not in tests]
        roots += test.owner.decorator_list
    return _outside(module, roots, definitions)


def _outside(module: TestModule, roots: list[ast.AST], definitions: dict[str, list[ast.AST]]) -> bool:
    seen: set[str] = set()
    pending = list(roots)
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Name):
                name = node.id
            elif isinstance(node, ast.Import | ast.ImportFrom | ast.Global):
                if isinstance(node, ast.Global) or any(_is_foreign(item) for item in _modules(node)):
                    return True
                continue
            else:
                continue
            if name in seen:
                continue
            seen.add(name)
            if name in module.origins and _is_foreign(module.origins[name]):
                return True
            if name in ("open", "exec", "eval", "__import__", "globals"):
                return True
            pending += definitions.get(name, ())
    return False


def _definitions(module: TestModule) -> dict[str, list[ast.AST]]:
    """The nodes that define the names at the top of the file."""
    found: dict[str, list[ast.AST]] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, Function | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
            if isinstance(node, ast.ClassDef):
                for method in methods(node):
                    found.setdefault(method.name, []).append(method)
    for node in module.tree.body:
        for inner in ast.walk(node) if not isinstance(node, Function | ast.ClassDef) else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.setdefault(inner.id, []).append(node)
    return found


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module or ''}"]
    return [alias.name for alias in node.names]


def _is_foreign(origin: str) -> bool:
    return origin.partition(".")[0] not in _LIBRARIES


SLEEPS = ("time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "gevent.sleep", "eventlet.sleep")
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request", "stream")
_REQUESTS = frozenset(
    [f"{library}.{verb}" for library in ("requests", "httpx", "urllib3") for verb in _VERBS]
    + ["urllib.request.urlopen", "urllib.request.urlretrieve", "socket.create_connection", "aiohttp.request"]
    + ["http.client.HTTPConnection", "http.client.HTTPSConnection", "ftplib.FTP", "smtplib.SMTP", "telnetlib.Telnet"]
)  # fmt: skip
_NEAR = re.compile(
    r"^(localhost|127\.|\[?::1\]?|0\.0\.0\.0|testserver|test$)|\.(localhost|test|invalid|example)(:|/|$)"
)
# With one of these the requests never leave the process.
_STAND_INS = frozenset("responses requests_mock respx httpretty vcr pook aioresponses pytest_httpx".split())


def sleep_and_network_issues(module: TestModule) -> Iterator[CodeIssue]:
    """Yields sleeps and requests to other machines anywhere in the file: tests, fixtures, helpers."""
    stood_in = any(origin.partition(".")[0] in _STAND_INS for origin in module.origins.values())
    constants = _constants(module.tree)
    for owner, node in _calls(module.tree):
        name = module.origin(node.func)
        if name in SLEEPS and not _is_zero(node):
            fix = "wait for the event itself, or replace the clock"
            yield structure_issue(node.lineno, f"{owner} sleeps with {name}", fix, "sleep")
        elif name in _REQUESTS and not stood_in:
            host = _host(node, constants)
            if host and not _NEAR.search(host):
                fix = "use a stand-in, or a server on the loopback address"
                yield structure_issue(
                    node.lineno, f"{owner} reaches for the network with {name}: {host}", fix, "network"
                )


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yields every call with the name of the outermost function around it."""
    for top in tree.body:
        members = top.body if isinstance(top, ast.ClassDef) else [top]
        prefix = f"{top.name}." if isinstance(top, ast.ClassDef) else ""
        for member in members:
            owner = f"{prefix}{member.name}" if isinstance(member, Function) else "the module"
            yield from ((owner, node) for node in ast.walk(member) if isinstance(node, ast.Call))


def _is_zero(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0


def _constants(tree: ast.Module) -> dict[str, str]:
    """Texts that names are bound to, for names bound to only one."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            text = node.value.value if isinstance(node.value, ast.Constant) else ""
            found.setdefault(node.targets[0].id, set()).add(text if isinstance(text, str) else "")
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _host(node: ast.Call, constants: dict[str, str]) -> str:
    """The literal host that a call names; empty if it is only known at run time."""
    given = [*node.args[:2], *(keyword.value for keyword in node.keywords if keyword.arg in ("url", "host", "address"))]
    for argument in given:
        value = argument.elts[0] if isinstance(argument, ast.Tuple) and argument.elts else argument
        text = _text(value, constants)
        if text.upper() in _METHODS:
            continue
        if text:
            return re.split(r"[/?#]", text.partition("://")[2] or text)[0]
    return ""


_METHODS = frozenset(item.upper() for item in _VERBS)


def _text(value: ast.expr, constants: dict[str, str]) -> str:
    if isinstance(value, ast.JoinedStr) and value.values:
        value = value.values[0]
    if isinstance(value, ast.FormattedValue):
        value = value.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _text(value.left, constants)
    if isinstance(value, ast.Name):
        return constants.get(value.id, "")
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
