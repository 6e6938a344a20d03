"""Says how requests and answers are written for each client: that of a started application, and test clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.json_values import formatted, literal

Json = Mapping[str, Any]
FORM = "application/x-www-form-urlencoded"
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of the client in `api_process.py`; other clients have subclasses.

    Attributes:
        client: name of the client in the tests.
        query: argument that holds the query.
        status, seconds: expressions for an answer's status and duration.
        body: what follows an answer where its JSON is meant.
        cookies: expression for the cookies of an `answer` as a header.
        started: whether the tests start the application.
        forgets: statement by which a client forgets its cookies; empty where it has none, or cannot.
    """

    client: str = "api"
    query: str = "query"
    status: str = "response.status"
    seconds: str = "response.seconds"
    body: str = ".json"
    cookies: str = "answer.cookies"
    started: bool = True
    forgets: str = ""

    def path(self, path: str) -> str:
        """Render a path."""
        return formatted(path)

    def called(self, client: str, request: Json, method: str, parts: Sequence[str]) -> str:
        """Render a call.

        Args:
            method: source of the method where it is no constant.
            parts: its arguments, the path first.
        """
        name = str(request["method"])
        if method or name not in _VERBS:
            return f"{client}.request({', '.join([method or literal(name), *parts])})"
        return f"{client}.{name.lower()}({', '.join(parts)})"

    def asked(self, call: str, *, timed: bool) -> list[str]:
        """Render the lines that bind `response`.

        Args:
            timed: whether `seconds` is used after them.
        """
        return [f"response = {call}"]

    def succeeded(self, call: str) -> str:
        """Render a call that has to succeed; it has the value of the answer."""
        return f"{call}.succeeded()"

    def helpers(self, source: str) -> list[str]:
        """Return the functions that a file needs for what is rendered here."""
        return []

    def content(self, body: Json, given: str | None) -> list[str]:
        """Render the arguments for a body.

        Args:
            given: the variable that holds it; None where it stands in the call.
        """
        name = "json" if is_json(body) else "form" if isinstance(body.get("content"), dict) else "content"
        return [f"{name}={given or self.value(body)}", *self._typed(body, "media_type")]

    def headers(self, body: Json | None) -> list[str]:
        """Render the items of a request's headers that its body asks for."""
        return []

    def value(self, body: Json) -> str:
        """Render the content of a body."""
        content = body.get("content")
        as_it_is = content is None or isinstance(content, dict) or is_json(body)
        return literal(content if as_it_is else str(content))

    def values(self, query: Json) -> str:
        """Render the values of a query."""
        return literal(query)

    def _typed(self, body: Json, argument: str) -> list[str]:
        usual = usual_type(body)
        return [] if body["media_type"] == usual else [f"{argument}={literal(body['media_type'])}"]


class ClientDialect(Dialect):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """What test clients have in common."""

    __slots__ = ()

    def path(self, path: str) -> str:
        """Render a path; what follows a question mark would be the query."""
        return formatted(path.replace("?", "%3F").replace("#", "%23"))


class HttpxDialect(ClientDialect):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """httpx, and `TestClient` of Starlette and FastAPI."""

    __slots__ = ()

    def called(self, client: str, request: Json, method: str, parts: Sequence[str]) -> str:
        """Render a call; some verbs have no body among their arguments."""
        if not method and request["method"] in ("GET", "DELETE") and request.get("body") is not None:
            method = literal(request["method"])
        # The explicit base: `super()` does not know a class that slots have made anew.
        return Dialect.called(self, client, request, method, parts)

    def succeeded(self, call: str) -> str:
        """Render a call that has to succeed."""
        return f"{call}.raise_for_status()"

    def content(self, body: Json, given: str | None) -> list[str]:
        """Render the argument for a body; its type is among the headers."""
        name = "json" if is_json(body) else "data" if isinstance(body.get("content"), dict) else "content"
        return [f"{'files' if is_multipart(body) else name}={given or self.value(body)}"]

    def headers(self, body: Json | None) -> list[str]:
        """Render the type of a body, where it is not the usual one."""
        if body is None or "content" not in body or body["media_type"] == usual_type(body) or is_multipart(body):
            return []
        return [f'"Content-Type": {literal(body["media_type"])}']

    def value(self, body: Json) -> str:
        """Render the content of a body; the fields of a multipart form are pairs of a file's name and its content."""
        if not is_multipart(body):
            return Dialect.value(self, body)
        fields: list[str] = []
        for name, value in body["content"].items():
            items: list[Any] = value if isinstance(value, list) else [value]
            fields += [f"({literal(name)}, {_file_pair(item)})" for item in items]
        return f"[{', '.join(fields)}]"


class WerkzeugDialect(ClientDialect):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """The client of Werkzeug, which is Flask's `test_client()` as well."""

    __slots__ = ()

    def asked(self, call: str, *, timed: bool) -> list[str]:
        """Render the lines that bind `response`; its answers do not say how long they took."""
        lines = [f"response = {call}"]
        if not timed:
            return lines
        return ["began = time.perf_counter()", *lines, f"{self.seconds} = time.perf_counter() - began"]

    def called(self, client: str, request: Json, method: str, parts: Sequence[str]) -> str:
        """Render a call."""
        if method or request["method"] not in _VERBS:
            return f"{client}.open({', '.join(parts)}, method={method or literal(request['method'])})"
        return Dialect.called(self, client, request, method, parts)

    def succeeded(self, call: str) -> str:
        """Render a call that has to succeed."""
        return f"succeeded({call})"

    def helpers(self, source: str) -> list[str]:
        """Return `succeeded`, where it is called."""
        return [_SUCCEEDED] if "succeeded(" in source else []

    def content(self, body: Json, given: str | None) -> list[str]:
        """Render the arguments for a body."""
        name = "json" if is_json(body) else "data"
        return [f"{name}={given or self.value(body)}", *self._typed(body, "content_type")]

    def value(self, body: Json) -> str:
        """Render the content of a body; files are pairs of their content and their name."""
        if is_json(body) or not isinstance(body.get("content"), dict):
            return Dialect.value(self, body)
        fields = (f"{literal(name)}: {_werkzeug_field(value)}" for name, value in body["content"].items())
        return f"{{{', '.join(fields)}}}"

    def values(self, query: Json) -> str:
        """Render the values of a query: as texts, where Python writes them otherwise than JSON does."""
        return literal(_plain_values(query))


class DjangoDialect(WerkzeugDialect):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """Django's `Client`."""

    __slots__ = ()

    def called(self, client: str, request: Json, method: str, parts: Sequence[str]) -> str:
        """Render a call; what reads has no body among its arguments, and a POST without one would be an empty form."""
        otherwise = (request["method"], request.get("body") is not None) in (("GET", True), ("POST", False))
        if method or request["method"] not in _VERBS or otherwise:
            # It takes a body as it is sent.
            whole = any(part.startswith("content_type=") for part in parts)
            sent = [_as_json(part) if whole else part for part in parts]
            return f"{client}.generic({', '.join([method or literal(request['method']), *sent])})"
        return Dialect.called(self, client, request, method, parts)

    def content(self, body: Json, given: str | None) -> list[str]:
        """Render the arguments for a body; objects and lists become JSON by themselves."""
        content = body.get("content")
        if is_multipart(body):
            return [f"data={given or self.value(body)}"]
        if is_json(body):
            plain = given is None and isinstance(content, dict | list)
            value = literal(content) if plain else f"json.dumps({given or literal(content)})"
        elif isinstance(content, dict):
            value = f"urlencode({given or literal(_plain_values(content))}, doseq=True)"
        else:
            value = given or self.value(body)
        return [f"data={value}", f"content_type={literal(body['media_type'])}"]

    def value(self, body: Json) -> str:
        """Render the content of a body; files are uploaded ones."""
        if not is_multipart(body):
            return Dialect.value(self, body)
        fields = (f"{literal(name)}: {_django_field(value)}" for name, value in body["content"].items())
        return f"{{{', '.join(fields)}}}"

    def values(self, query: Json) -> str:
        """Render the values of a query: as texts, where Python writes them otherwise than JSON does."""
        return literal(_plain_values(query))


_SUCCEEDED = '''def succeeded(response):
    """The answer, which is one of success."""
    assert response.status_code < 400, response.text
    return response'''


def is_json(body: Json) -> bool:
    """Whether a body is sent as JSON."""
    return "json" in str(body.get("media_type")) and not body.get("raw")


def is_multipart(body: Json) -> bool:
    """Whether a body is a form that may hold files."""
    return str(body.get("media_type")).startswith("multipart/") and isinstance(body.get("content"), dict)


def usual_type(body: Json) -> str:
    """Return the media type that a client sends unasked."""
    return "application/json" if is_json(body) else FORM if isinstance(body.get("content"), dict) else ""


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else value


def _plain_values(values: Json) -> Json:
    return {name: _plain(value) for name, value in values.items()}


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and "filename" in value


def _file_pair(item: Any) -> str:
    if _is_file(item):
        return f"({literal(item['filename'])}, {literal(item['content'])})"
    return f"(None, {literal(str(_plain(item)))})"


def _form_field(value: Any, file: Callable[[str, str], str]) -> str:
    """A field of a form as source; `file` writes an uploaded one from the sources of its name and its content."""
    if isinstance(value, list):
        return f"[{', '.join(_form_field(item, file) for item in value)}]"
    if _is_file(value):
        return file(literal(value["filename"]), literal(value["content"]))
    return literal(_plain(value))


def _werkzeug_field(value: Any) -> str:
    return _form_field(value, lambda name, content: f"(io.BytesIO({content}.encode()), {name})")


def _as_json(part: str) -> str:
    name, _, value = part.partition("=")
    return f"data=json.dumps({value})" if name == "data" and value[:1] in ("{", "[") else part


def _django_field(value: Any) -> str:
    return _form_field(value, lambda name, content: f"SimpleUploadedFile({name}, {content}.encode())")


STARTED = Dialect()
_FORGETS = "client.cookies.clear()"
_COOKIES = '"; ".join(f"{name}={value}" for name, value in answer.cookies.items())'
HTTPX = HttpxDialect(
    "client", "params", "response.status_code", "response.elapsed.total_seconds()", ".json()", _COOKIES, False, _FORGETS
)
_SET_COOKIES = '"; ".join(cookie.partition(";")[0] for cookie in answer.headers.getlist("Set-Cookie"))'
WERKZEUG = WerkzeugDialect(
    "client", "query_string", "response.status_code", "seconds", ".json", _SET_COOKIES, started=False
)
_MORSELS = '"; ".join(f"{name}={one.value}" for name, one in answer.cookies.items())'
DJANGO = DjangoDialect(
    "client", "query_params", "response.status_code", "seconds", ".json()", _MORSELS, False, _FORGETS
)
_DIALECTS = {
    "django": DJANGO,
    "fastapi": HTTPX,
    "starlette": HTTPX,
    "httpx": HTTPX,
    "flask": WERKZEUG,
    "werkzeug": WERKZEUG,
}


def dialect_of(spec: Json) -> Dialect:
    """Return the dialect of a spec's tests."""
    client = client_of(spec)
    return STARTED if client is None else _DIALECTS[str(client["kind"])]


def client_of(spec: Json) -> Json | None:
    """Return the test client that a spec names; None where its tests start the application."""
    found: Json | None = (spec["target"].get("application") or {}).get("client")
    return found
