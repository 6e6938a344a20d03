"""Starts a server of the project on the loopback device for one flow: statements, helper and fixture.

In a trial the first statement defines the helper; in a test file the helper is at the top, and the fixture `running`
stops what a flow starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...python.inputs.calls import function_form
from ...python.model.model import CallableFacts, Trial
from ..model.servers import Server, binding

FIXTURE = "running"
HELPER = "serving"
IMPORTS = ("import contextlib", "import threading")
SERVER_HELPER = '''@contextlib.contextmanager
def serving(server):
    """Serve in a thread until the block ends; a server listens from the moment it is made."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()'''
PRELUDE = f"{SERVER_HELPER}\n\nrunning = contextlib.ExitStack()"
PYTEST_FIXTURE = '''@pytest.fixture
def running():
    """What a test starts is stopped when it ends, however it ends."""
    with contextlib.ExitStack() as stack:
        yield stack'''
UNITTEST_FIXTURE = ("running = contextlib.ExitStack()", "self.addCleanup(running.close)")

Arguments = Callable[[CallableFacts, dict[str, str]], list[str] | None]


def server_statements(
    server: Server, maker: CallableFacts | None, arguments: Arguments
) -> tuple[list[str], set[str]] | None:
    """Statements that start a server as `server` at `host` and `port`, and their imports; None where it cannot be made.

    Args:
        maker: the function or constructor that makes the server.
        arguments: returns arguments for a call; the given ones are passed by name.
    """
    imports = {f"from {server.module} import {server.name}"}
    if server.form == "handler":
        module, name = ("http.server", "HTTPServer") if server.http else ("socketserver", "TCPServer")
        imports.add(f"from {module} import {name}")
        made = f"{name}(('127.0.0.1', 0), {server.name})"
    elif server.form == "wsgi":
        imports.add("from wsgiref.simple_server import make_server")
        made = f"make_server('127.0.0.1', 0, {server.name})"
    else:
        given = arguments(maker, dict(binding(maker))) if maker is not None else None
        if given is None or maker is None or (maker.kind != "constructor" and function_form(maker, (), "") is None):
            return None
        made = f"{server.name}({', '.join(given)})"
    return [f"server = {made}", f"host, port = {FIXTURE}.enter_context(serving(server))"], imports


def with_server_helper(trial: Trial) -> Trial:
    """Adds the helper as the trial's first statement."""
    return replace(trial, arrange=(PRELUDE, *trial.arrange), imports=tuple(sorted({*trial.imports, *IMPORTS})))


def without_server_helper(trial: Trial) -> Trial:
    """Removes the helper from the trial: in a test file, a fixture and a function provide its names."""
    if not uses_server(trial):
        return trial
    return replace(trial, arrange=trial.arrange[1:], fixtures=tuple(sorted({*trial.fixtures, FIXTURE, HELPER})))


def uses_server(trial: Trial) -> bool:
    """Whether a trial defines the helper."""
    return PRELUDE in trial.arrange


def server_service() -> dict[str, Any]:
    """The helper as a service entry of a spec."""
    return {"name": HELPER, "kind": "http", "stand_in": "real", "fixture": FIXTURE, "setup": [SERVER_HELPER]}


def needs_helper(fixtures: Sequence[str]) -> bool:
    """Whether a case starts a server."""
    return FIXTURE in fixtures
