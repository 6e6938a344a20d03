"""Finds sleeps and requests to other machines in test files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from .code_model import Function, TestModule, structure_issue

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
