"""Real web servers on the loopback device, for tests that fetch documents."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, Mapping[str, str], bytes]


@dataclass(slots=True)
class Host:
    """A server that answers from a table of paths.

    Attributes:
        answers: path → status, headers and body, or a function that writes the answer itself.
        asked: paths in the order in which they were asked for.
        headers: what the last request said of itself.
    """

    answers: dict[str, Answer | Callable[[BaseHTTPRequestHandler], None]]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def url(self, path: str = "", *, scheme: str = "http", name: str = "127.0.0.1") -> str:
        """An address of this server."""
        return f"{scheme}://{name}:{self.port}{path}"


@contextmanager
def web_host(
    answers: Mapping[str, Answer | Callable[[BaseHTTPRequestHandler], None]], *, tls: ssl.SSLContext | None = None
) -> Iterator[Host]:
    """A server that is up for as long as the block runs."""
    host = Host(dict(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.asked.append(self.path)
            host.headers = {name.lower(): value for name, value in self.headers.items()}
            answer = host.answers.get(self.path, (404, {}, b"not here"))
            if callable(answer):
                answer(self)
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    host.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def page(body: bytes | str, media_type: str = "application/json", status: int = 200) -> Answer:
    """An answer with a body."""
    return status, {"Content-Type": media_type}, body.encode() if isinstance(body, str) else body


def moved(to: str, status: int = 302) -> Answer:
    """A redirect."""
    return status, {"Location": to}, b""
