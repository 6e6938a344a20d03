"""Finds the servers and the clients among a project's modules.

A seam through requests: one module makes or is a server (http.server, socketserver, WSGI), another sends requests to an
address that its caller passes. Flows connect the two on the loopback device, on a free port.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ....utils.python_source import parse_python
from ...python.model.model import CallableFacts, ClassFacts, ModuleFacts
from ...python.source.annotations import type_hint

Form = Literal["made", "handler", "wsgi"]
HTTP_SERVERS = frozenset({"HTTPServer", "ThreadingHTTPServer", "WSGIServer"})
SERVERS = HTTP_SERVERS | {"TCPServer", "ThreadingTCPServer", "BaseServer"}
_HTTP_HANDLERS = frozenset({"BaseHTTPRequestHandler", "SimpleHTTPRequestHandler"})
_HANDLERS = _HTTP_HANDLERS | {"StreamRequestHandler", "BaseRequestHandler"}
_NETWORK = re.compile(r"(urllib\.request|urllib3?|http\.client|requests|httpx|socket|xmlrpc\.client)(\.\w+)*")
_URL = re.compile(r"((base|root|server|service|api|remote)_?)?(url|uri|endpoint)")
_HOST = re.compile(r"((server|remote)_?)?(host|hostname)")
_PORT = re.compile(r"((server|remote|tcp)_?)?port")
_BINDS = re.compile(r"host|hostname|bind|interface|address")


@dataclass(frozen=True, slots=True)
class Server:
    """A server of the project.

    Attributes:
        form: `made`: a function or class that returns a server; `handler`: a class for a server's requests;
            `wsgi`: an application.
        http: whether it uses HTTP; other servers are reached through a socket.
    """

    module: str
    name: str
    form: Form
    http: bool = True


def servers_in(facts: ModuleFacts, source: str) -> tuple[Server, ...]:
    """Finds the servers of a module, functions that make one first; a handler only where nothing makes its server."""
    # Most modules have none: a text search saves the analysis.
    if not any(word in source for word in ("Server", "RequestHandler", "start_response")):
        return ()
    derived = {owner.name: owner for owner in facts.classes if _last(owner.bases) & SERVERS}
    found: list[Server] = []
    returned = _returned(source, facts.path)
    for function in facts.functions:
        made = _made(function, returned) & (SERVERS | set(derived))
        if function.public and made and _can_be_bound(function):
            http = any(name in HTTP_SERVERS or _is_http(derived.get(name)) for name in made)
            found.append(Server(facts.module, function.name, "made", http or _names_http(source)))
        # A WSGI application, by the usual names of its two parameters.
        elif function.public and [item.name for item in function.parameters] == ["environ", "start_response"]:
            found.append(Server(facts.module, function.name, "wsgi"))
    for value in derived.values():
        if value.constructor is not None and _can_be_bound(value.constructor):
            found.append(Server(facts.module, value.name, "made", _is_http(value) or _names_http(source)))
    # A handler alone can be tested behind a server of the standard library.
    if not found:
        found += [
            Server(facts.module, owner.name, "handler", bool(_last(owner.bases) & _HTTP_HANDLERS))
            for owner in facts.classes
            if _last(owner.bases) & _HANDLERS and not owner.name.startswith("_")
        ]
    return tuple(found)


def is_client(function: CallableFacts, owner: ClassFacts | None, source: str) -> bool:
    """Whether a callable sends requests to an address that is passed to it or to its object's constructor."""
    made = owner.constructor if owner is not None and function.kind != "constructor" else None
    given = [*function.parameters, *(made.parameters if made is not None else ())]
    takes = any(address_kind(item.name) in ("url", "port") for item in given)
    return takes and uses_network(source)


def uses_network(source: str) -> bool:
    """Whether a module imports a network library."""
    if not any(word in source for word in ("urllib", "http", "requests", "socket", "xmlrpc")):
        return False
    for node in ast.walk(parse_python(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
        if any(_NETWORK.fullmatch(name) for name in names):
            return True
    return False


def address_kind(name: str) -> Literal["url", "host", "port", ""]:
    """The part of an address that a parameter of this name takes; empty for other parameters."""
    if _URL.fullmatch(name):
        return "url"
    return "host" if _HOST.fullmatch(name) else "port" if _PORT.fullmatch(name) else ""


def binding(function: CallableFacts) -> Mapping[str, str]:
    """Values for the parameters of a server's maker that set where it listens: this machine, any free port."""
    found: dict[str, str] = {}
    for item in function.parameters:
        pair = "tuple" in (item.annotation or "").lower() or ("address" in item.name and item.annotation is None)
        if pair and _BINDS.search(item.name.removeprefix("server_")):
            found[item.name] = "('127.0.0.1', 0)"
        elif _PORT.fullmatch(item.name):
            found[item.name] = "0"
        elif _BINDS.fullmatch(item.name):
            found[item.name] = "'127.0.0.1'"
    return found


def _can_be_bound(function: CallableFacts) -> bool:
    return any(value != "'127.0.0.1'" for value in binding(function).values())


def _made(function: CallableFacts, returned: Mapping[str, set[str]]) -> set[str]:
    """Last names of the classes that a function returns, by its annotation or its `return` statements."""
    declared = (
        {hint.name.rpartition(".")[2] for hint in type_hint(function.returns).members()}
        if function.returns
        else set[str]()
    )
    return declared | returned.get(function.name, set())


def _returned(source: str, path: str) -> dict[str, set[str]]:
    """By function of the module: the names that it calls to build its results."""
    found: dict[str, set[str]] = {}
    for node in parse_python(source, path).body:
        if isinstance(node, ast.FunctionDef):
            bound = {
                inner.targets[0].id: _called(inner.value)
                for inner in ast.walk(node)
                if isinstance(inner, ast.Assign)
                and isinstance(inner.targets[0], ast.Name)
                and isinstance(inner.value, ast.Call)
            }
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Call | ast.Name):
                    value = inner.value
                    name = bound.get(value.id, "") if isinstance(value, ast.Name) else _called(value)
                    found.setdefault(node.name, set()).add(name)
    return found


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _last(bases: tuple[str, ...]) -> set[str]:
    return {base.rpartition(".")[2] for base in bases}


def _is_http(owner: ClassFacts | None) -> bool:
    return owner is not None and bool(_last(owner.bases) & HTTP_SERVERS)


def _names_http(source: str) -> bool:
    return any(name in source for name in _HTTP_HANDLERS)
