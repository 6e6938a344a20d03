"""Runs commands in processes that have nothing to import any more: this one has, and forks itself for each of them.

Started as a program with the number of a listening socket as its argument; see `commands.py`. A request is one message:
JSON with `words` (`main.py` or `-m MODULE`, and arguments), `folder` and `environment`, and the three standard streams.
Later messages are numbers of signals; the answer is the exit code, or a signal's number below zero. Who hangs up has
its command killed. It ends, with all its commands, when its stdin does.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_BROKEN = 70
_LARGEST = 1 << 20
_LOADED = (
    "testwright.cli.app",
    "testwright.cli.loading",
    "testwright.app.mcp_application",
    "testwright.mcp.serving.product_server",
    "testwright.mcp.serving.transport.http_server",
    "testwright.mcp.serving.transport.stdio",
    "testwright.mcp.tool_client.external.connection",
    "testwright.mcp.tool_client.external.server",
)


def load() -> None:
    """Import what the commands import, in the way in which they do.

    Raises:
        RuntimeError: a thread runs now, which a fork would not have.
    """
    sys.path[0] = str(ROOT)
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    from testwright.app.fast_imports import fast_imports

    with fast_imports():
        for name in _LOADED:
            import_module(name)
    if len([*Path("/proc/self/task").iterdir()]) > 1:
        raise RuntimeError("an import has started a thread")


class Commands:
    """The commands that run, each with the connection of who waits for it.

    Args:
        listener: where requests come in.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._waiting: dict[socket.socket, int | None] = {}
        self._woken, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        self._selector = selectors.DefaultSelector()
        for source in (sys.stdin, listener, self._woken):
            self._selector.register(source, selectors.EVENT_READ)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wakes.fileno())

    def serve(self) -> None:
        """Carry out requests until stdin ends."""
        while True:
            for key, _ in self._selector.select():
                source: Any = key.fileobj
                if source is sys.stdin:
                    self._kill_all()
                    return
                if source is self._listener:
                    connection, _ = source.accept()
                    self._waiting[connection] = None
                    self._selector.register(connection, selectors.EVENT_READ)
                elif source is self._woken:
                    source.recv(4096)
                    self._tell_ended()
                elif source in self._waiting:
                    self._hear(source)

    def _hear(self, connection: socket.socket) -> None:
        pid = self._waiting[connection]
        try:
            message, streams, _, _ = socket.recv_fds(connection, _LARGEST, 3)
        except ConnectionError:
            message, streams = b"", []
        if not message:
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
            self._forget(connection)
        elif pid is not None:
            os.kill(pid, int(message))
        else:
            self._waiting[connection] = self._begin(json.loads(message), streams)

    def _begin(self, request: dict[str, Any], streams: list[int]) -> int:
        pid = os.fork()
        if not pid:
            try:
                self._leave()
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                code = _become(request)
            except BaseException:  # noqa: BLE001 - whatever it is, this process must not go on as the server
                traceback.print_exc()
                code = _BROKEN
            os._exit(code)
        for stream in streams:
            os.close(stream)
        return pid

    def _leave(self) -> None:
        """Close, in a new process, what is the server's, and let signals do what they do in any program."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for one in (self._listener, self._woken, self._wakes, *self._waiting):
            one.close()

    def _tell_ended(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            for connection in [one for one, begun in self._waiting.items() if begun == pid]:
                with suppress(OSError):
                    connection.send(str(os.waitstatus_to_exitcode(status)).encode())
                self._forget(connection)

    def _forget(self, connection: socket.socket) -> None:
        del self._waiting[connection]
        self._selector.unregister(connection)
        connection.close()

    def _kill_all(self) -> None:
        for pid in self._waiting.values():
            if pid is not None:
                os.kill(pid, signal.SIGKILL)


def _become(request: dict[str, Any]) -> int:
    """Be the program that is asked for, to its end; its exit code."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    program, *arguments = request["words"]
    try:
        if program == "-m":
            sys.argv = arguments
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            from testwright.main import main

            sys.argv = [program, *arguments]
            main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        raise
    except Exception:  # noqa: BLE001 - as the interpreter shows it
        traceback.print_exc()
        code = 1
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # pyrefly: ignore[missing-attribute]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code or 0


if __name__ == "__main__":
    load()
    Commands(socket.socket(fileno=int(sys.argv[1]))).serve()
