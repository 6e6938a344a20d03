"""A server on loopback that speaks the part of GitHub's REST API that testwright uses.

What it keeps is real: git's objects and refs, and pull requests beside them. Every answer fits the
schema that GitHub's OpenAPI document has for the operation (tests/data/github/schemas.json); one that does not is
answered with 500, and fails the test.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from testwright.tests.support.github.answers import Answer, Refused, fitting
from testwright.tests.support.github.git_store import GitStore
from testwright.tests.support.github.operations import ROUTES, Repository

WRITER, READER = "gho_mayReadAndWrite0000000000000000000000", "gho_mayReadOnly000000000000000000000000"
_WHO = {WRITER: "writer", READER: "reader"}


@dataclass(frozen=True)
class Seen:
    """One request that the server answered."""

    method: str
    path: str
    status: int
    conditional: bool = False
    body: dict[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}"


@dataclass
class _Fault:
    """An answer given in place of the usual one, once; `after` the work was done, or instead of it."""

    method: str
    pattern: str
    status: int
    headers: dict[str, str]
    message: str
    after: bool


class LocalGitHub:
    """The server's state, and what it has seen.

    Attributes:
        url: the API's address.
        seen: requests in the order of their answers.
        misfits: answers of its own that fit no schema; the server is at fault then, and the block fails at its end.
        remaining: requests left in this hour.
        reset: when the hour ends, in seconds since the epoch.
        truncated: whether trees are said to be cut.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self._faults: list[_Fault] = []
        self.misfits: list[str] = []
        self.seen: list[Seen] = []
        self.url = ""
        self.remaining = 5000
        self.reset = time.time() + 3600
        self.truncated = False
        self.lock = threading.Lock()

    def add(
        self, full_name: str, files: Mapping[str, str | bytes], *, private: bool = False, **details: Any
    ) -> GitStore:
        """Add a repository with one commit on `main`."""
        store = GitStore()
        store.commit_files(files, "first")
        about = {"full_name": full_name, "private": private, "archived": False, **details}
        self.repositories[full_name.lower()] = Repository(self.url, store, about, [])
        return store

    def fail(
        self, method: str, pattern: str, status: int, message: str = "", *, after: bool = False, **headers: str
    ) -> None:
        """Answer the next request of this kind with a failure; underscores in names of headers become dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._faults.append(_Fault(method, pattern, status, named, message or f"failure {status}", after))

    def asked(self, method: str, pattern: str = "") -> list[Seen]:
        """The requests of a kind that were answered with success."""
        return [one for one in self.seen if one.method == method and re.search(pattern, one.path) and one.status < 400]

    def answer(self, method: str, target: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Answer a request, and note it."""
        parts = urlsplit(target)
        fault = next((f for f in self._faults if f.method == method and re.search(f.pattern, parts.path)), None)
        if fault is not None:
            self._faults.remove(fault)
        try:
            if fault is not None and not fault.after:
                raise Refused(fault.status, fault.message, fault.headers)
            found = self._answered(method, parts.path, parse_qs(parts.query), headers, body)
            if fault is not None:
                raise Refused(fault.status, fault.message, fault.headers)
        except Refused as refused:
            found = refused.answer()
        except AssertionError as error:
            self.misfits.append(str(error))
            found = Refused(500, str(error)).answer()
        found.headers["x-ratelimit-limit"] = "5000"
        found.headers.setdefault("x-ratelimit-remaining", str(max(0, self.remaining)))
        found.headers.setdefault("x-ratelimit-reset", str(int(self.reset)))
        conditional = "if-none-match" in headers
        self.seen.append(Seen(method, unquote(parts.path), found.status, conditional, body))
        return found

    def _answered(
        self, method: str, path: str, query: dict[str, list[str]], headers: dict[str, str], body: dict[str, Any]
    ) -> Answer:
        token = headers.get("authorization", "").removeprefix("token ").removeprefix("Bearer ")
        if token and token not in _WHO:
            raise Refused(401, "Bad credentials")
        if (method, path) == ("GET", "/rate_limit"):  # costs nothing
            core = {"limit": 5000, "remaining": max(0, self.remaining), "used": 0, "reset": int(self.reset)}
            return fitting("rate-limit-overview", {"resources": {"core": core, "search": core}})
        found = re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", path)
        here = self.repositories.get(found[1].lower()) if found else None
        if found is None or here is None or (here.details["private"] and not token):
            raise Refused(404, "Not Found")
        if here.details.get("moved"):
            raise Refused(301, "Moved Permanently")
        if method != "GET" and _WHO.get(token) != "writer":
            raise Refused(403 if token else 404, "Resource not accessible by integration" if token else "Not Found")
        answer = self._handled(method, found[1], found[2] or "", query, body)
        if method == "GET":
            etag = f'"{hashlib.sha256(answer.content).hexdigest()}"'
            answer.headers["etag"] = etag
            if headers.get("if-none-match") == etag:
                return Answer(304, b"", {"etag": etag})  # not counted against the limit
        if self.remaining <= 0:
            raise Refused(403, "API rate limit exceeded for user ID 1.", {"x-ratelimit-remaining": "0"})
        self.remaining -= 1
        return answer

    def _handled(self, method: str, name: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> Answer:
        for verb, pattern, handler in ROUTES:
            found = re.fullmatch(pattern, path)
            if verb == method and found is not None:
                repository = self.repositories[name.lower()]
                repository.truncated = self.truncated
                return handler(repository, *map(unquote, found.groups()), query=query, body=body)
        raise Refused(404, "Not Found")


@contextmanager
def local_github() -> Iterator[LocalGitHub]:
    """Serve an empty GitHub while the block runs."""
    github = LocalGitHub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one packet: two would wait for each other's receipt

        def _serve(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with github.lock:
                answer = github.answer(self.command, self.path, headers, json.loads(sent or b"{}"))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815 - named by the library

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the library
            """Say nothing: `seen` has it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    github.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert github.misfits == []
