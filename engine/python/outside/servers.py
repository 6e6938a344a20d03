"""Stands in for HTTP servers: notes each request and answers it, at the transport of requests, httpx and urllib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .answers import reads_json, text_answers
from .arrangement import Arrangement, Instead
from .bodies import Bodies
from .parts import BASE
from .uses import OutsideUse

_REQUESTS = '''\
def {name}(sent, answer, status=200):
    """Return what sends requests: it notes each of them and answers it."""

    def send(adapter, request, **options):
        body = request.body.decode() if isinstance(request.body, bytes) else request.body
        sent.append(f"{{request.method}} {{request.url}} {{body or ''}}".strip())
        response = requests.Response()
        response.status_code = status
        response.url = request.url
        response.request = request
        response.raw = io.BytesIO({body})
        return response

    return send'''
_HTTPX = '''\
def {name}(sent, answer, status=200):
    """Return {what} that notes each request and answers it."""

    {kind}def handle(request):
        sent.append(f"{{request.method}} {{request.url}} {{request.content.decode()}}".strip())
        return httpx.Response(status, {content}=answer)

    return {made}'''
_URLLIB = '''\
def {name}(sent, answer, status=200):
    """Return a stand-in for urlopen that notes each request and answers it."""

    def urlopen(request, *arguments, **options):
        url = request if isinstance(request, str) else request.full_url
        sent.append(url)
        body = io.BytesIO({body})
        if status >= 400:
            raise urllib.error.HTTPError(url, status, "refused", email.message.Message(), body)
        return urllib.response.addinfourl(body, email.message.Message(), url, status)

    return urlopen'''
_URLLIB_IMPORTS = "email.message io urllib.error urllib.response".split()
_CLIENTS = ("httpx", "requests", "urllib")
_PLACES = {
    "requests": "requests.adapters.HTTPAdapter.send",
    "httpx": "httpx.HTTPTransport.handle_request",
    "async httpx": "httpx.AsyncHTTPTransport.handle_async_request",
}
_REFUSALS = {
    "requests": "requests.ConnectionError('the server is down')",
    "httpx": "httpx.ConnectError('the server is down')",
    "async httpx": "httpx.ConnectError('the server is down')",
    "urllib": "urllib.error.URLError('the server is down')",
}
_REFUSING = '''\
def refusing(*arguments, **options):
    """Fail as a client does whose server is down."""
    raise {error}'''
_CODES = range(400, 600)
_NETWORK_ERRORS = frozenset(
    "RequestException ConnectionError Timeout HTTPError RequestError ConnectError TransportError TimeoutException "
    "URLError OSError Exception HTTPStatusError".split()
)
_STATUS_ERRORS = frozenset("RequestException HTTPError HTTPStatusError URLError OSError Exception".split())
_SERVER_FAULT = 500


def answering_servers(
    uses: Sequence[OutsideUse], imported: Iterable[str], bodies: Bodies, answers: Sequence[str], *, asynchronous: bool
) -> list[Arrangement]:
    """Returns what answers requests: well, then with each status that the code looks at, then not at all.

    Args:
        imported: top-level names of what the modules import, for clients that are passed in.
        answers: sources of JSON values, for code that reads such.
        asynchronous: whether the code awaits its client.
    """
    client = _client(uses, set(imported))
    if not client:
        return []
    kind = f"async {client}" if asynchronous and client == "httpx" else client
    as_json = reads_json(bodies)
    contents = list(answers) if as_json else text_answers(bodies)
    make = _Server(kind, uses, as_json=as_json)
    found = [make.answering(content) for content in contents]
    found += [make.answering(contents[0], status) for status in _statuses(bodies)]
    if {name.rpartition(".")[2] for name in bodies.handled()} & _NETWORK_ERRORS:
        found.append(make.refusing())
    return [one for one in found if one.statements]


def _client(uses: Sequence[OutsideUse], imported: set[str]) -> str:
    """Returns the client that the code calls, else the only one that its modules import."""
    called = [name for name in _CLIENTS if any(_is_of(use, name) for use in uses)]
    known = [name for name in _CLIENTS if name in imported]
    return called[0] if called else known[0] if len(known) == 1 else ""


def _is_of(use: OutsideUse, client: str) -> bool:
    return use.name.startswith("urllib.request.urlopen" if client == "urllib" else f"{client}.")


def _statuses(bodies: Bodies) -> list[int]:
    named = sorted(value for value in bodies.constants() if type(value) is int and value in _CODES)
    handled = {name.rpartition(".")[2] for name in bodies.handled()} & _STATUS_ERRORS
    return named or ([_SERVER_FAULT] if handled else [])


class _Server:
    def __init__(self, kind: str, uses: Sequence[OutsideUse], *, as_json: bool) -> None:
        self._kind = kind
        self._as_json = as_json
        self._places = [_PLACES[kind]] if kind in _PLACES else [use.place() for use in uses if _is_of(use, "urllib")]
        self._name = f"{kind.replace(' ', '_')}_answering_{'json' if as_json else 'text'}"

    def answering(self, content: str, status: int = 200) -> Arrangement:
        """Returns the statements for a server that gives this answer to each request."""
        body = "json.dumps(answer).encode()" if self._as_json else "answer.encode()"
        imports: tuple[str, ...] = ("import json",) if self._as_json else ()
        code = f", status={status}" if status != 200 else ""
        data = ("sent = []", f"answer = {content}")
        stand_in = f"{self._name}(sent, answer{code})"
        if self._kind == "requests":
            helper = _REQUESTS.format(name=self._name, body=body)
            imports = (*imports, "import io", "import requests")
            return Arrangement((helper, *data, *self._patches(stand_in)), imports)
        if self._kind == "urllib":
            imports = (*imports, *(f"import {name}" for name in _URLLIB_IMPORTS))
            helper = _URLLIB.format(name=self._name, body=body)
            return Arrangement((helper, *data, *self._patches(stand_in)), imports)
        return self._httpx(data, code)

    def _httpx(self, data: tuple[str, ...], code: str) -> Arrangement:
        """Returns the statements for httpx: its transport is patched, or the code is given a client."""
        client = "httpx.AsyncClient" if self._kind.startswith("async") else "httpx.Client"
        form = {"kind": "async " if self._kind.startswith("async") else "", "content": self._name.rpartition("_")[2]}
        imports = ("import httpx",)
        helper = _HTTPX.format(name=self._name, what="a transport of httpx", made="handle", **form)
        patched = (helper, *data, *self._patches(f"staticmethod({self._name}(sent, answer{code}))"))
        name = self._name.replace("httpx", "client")
        made = f"{client}(base_url={BASE!r}, transport=httpx.MockTransport(handle))"
        helper = _HTTPX.format(name=name, what="a client of httpx", made=made, **form)
        given = Arrangement((helper, *data), imports, fixtures=())
        instead = Instead(given, f"{client}(base_url={BASE!r})", f"{name}(sent, answer{code})")
        return Arrangement(patched, imports, instead=instead)

    def _patches(self, stand_in: str) -> dict[str, None]:
        return dict.fromkeys(f"monkeypatch.setattr({place!r}, {stand_in})" for place in self._places)

    def refusing(self) -> Arrangement:
        """Returns the statements for a server that is down."""
        imported = "urllib.error" if self._kind == "urllib" else self._kind.removeprefix("async ")
        helper = _REFUSING.format(error=_REFUSALS[self._kind])
        return Arrangement((helper, *self._patches("refusing")), (f"import {imported}",))
