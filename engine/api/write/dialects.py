"""Says how requests and answers are written for each client: that of a started application, and test clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..model.json_values import formatted, literal

Json = Mapping[str, Any]
FORM = "application/x-www-form-urlencoded"
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of a client.

    Attributes:
        client: name of the client in the tests.
        query, form: arguments of a request.
        status, seconds: expressions for an answer's status and duration.
        body: what follows an answer where its JSON is meant.
        succeeded: what follows a request that has to succeed.
        httpx: whether requests are those of httpx.
    """

    client: str
    query: str
    form: str
    status: str
    seconds: str
    body: str
    succeeded: str
    httpx: bool = False

    def path(self, path: str) -> str:
        """Render a path; clients of httpx would take what follows a question mark for the query."""
        return formatted(path.replace("?", "%3F").replace("#", "%23") if self.httpx else path)

    def verb(self, request: Json, method: str = "") -> str:
        """Render what begins a call, up to its arguments.

        Args:
            method: source of the method where it is no constant.
        """
        name = str(request["method"])
        # httpx has no body in the arguments of these.
        bare = self.httpx and name in ("GET", "DELETE") and request.get("body") is not None
        if method or bare or name not in _VERBS:
            return f"request({method or literal(name)}, "
        return f"{name.lower()}("

    def content(self, body: Json, given: str | None) -> Iterator[str]:
        """Render the arguments for a body.

        Args:
            given: the variable that holds it; None where it stands in the call.
        """
        media_type, content = body["media_type"], body.get("content")
        if "json" in media_type and not body.get("raw"):
            yield f"json={given or literal(content)}"
        elif not isinstance(content, dict):
            yield f"content={given or literal(str(content))}"
        elif self.httpx and media_type.startswith("multipart/"):
            yield f"files={given or _files(content)}"
        else:
            yield f"{self.form}={given or literal(content)}"
        if not self.httpx and media_type != self._usual(body):
            yield f"media_type={literal(media_type)}"

    def headers(self, body: Json | None) -> list[str]:
        """Render the items of a request's headers that its body asks for."""
        if not self.httpx or body is None or "content" not in body or body["media_type"] == self._usual(body):
            return []
        return [] if body["media_type"].startswith("multipart/") else [f'"Content-Type": {literal(body["media_type"])}']

    def value(self, body: Json) -> str:
        """Render a body as the cell of a table."""
        is_form = self.httpx and str(body.get("media_type")).startswith("multipart/")
        return (
            _files(body["content"])
            if is_form and isinstance(body.get("content"), dict)
            else literal(body.get("content"))
        )

    @staticmethod
    def _usual(body: Json) -> str:
        """Return the media type that a client sends unasked."""
        if "json" in body["media_type"] and not body.get("raw"):
            return "application/json"
        return FORM if isinstance(body.get("content"), dict) else ""


def _files(fields: Json) -> str:
    """Render the fields of a multipart form for httpx: pairs of a file's name and its content."""
    parts: list[str] = []
    for name, value in fields.items():
        items: list[Any] = value if isinstance(value, list) else [value]
        parts += [f"({literal(name)}, {_file_pair(item)})" for item in items]
    return f"[{', '.join(parts)}]"


def _file_pair(item: Any) -> str:
    if isinstance(item, dict) and "filename" in item:
        return f"({literal(item['filename'])}, {literal(item['content'])})"
    return f"(None, {literal(str(item).lower() if isinstance(item, bool) else str(item))})"


STARTED = Dialect("api", "query", "form", "response.status", "response.seconds", ".json", ".succeeded()")
HTTPX = Dialect(
    client="client",
    query="params",
    form="data",
    status="response.status_code",
    seconds="response.elapsed.total_seconds()",
    body=".json()",
    succeeded=".raise_for_status()",
    httpx=True,
)


def dialect_of(spec: Json, framework: str) -> Dialect:
    """Return the dialect of a spec's tests."""
    return HTTPX if framework == "pytest" and client_of(spec) else STARTED


def client_of(spec: Json) -> Json | None:
    """Return the test client that a spec names; None where its tests start the application."""
    found: Json | None = (spec["target"].get("application") or {}).get("client")
    return found
