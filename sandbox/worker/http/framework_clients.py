"""The test clients of frameworks, each asked in the same way: what generated tests write, and no more."""

import importlib
import io
import json
import urllib.parse
from typing import Any

from . import api_serving


class Unfit(Exception):
    """Why the test client cannot be used."""


class Answer:
    """An answer in the form of `api_process.Response`."""

    def __init__(self, status, headers, text, cookies):
        self.status, self.headers, self.text, self.cookies = status, headers, text, cookies

    json = property(lambda self: json.loads(self.text))

    def succeeded(self):
        if self.status >= 400:
            raise AssertionError(f"the request was to succeed, but the answer is {self.status} {self.text[:200]}")
        return self


class StarletteClient:
    """`TestClient` of Starlette and FastAPI."""

    def __init__(self, application, follow):
        self._application, self._follow = application, follow
        self._client: Any = self._made()

    def _made(self) -> Any:
        from starlette.testclient import TestClient

        return TestClient(self._application, follow_redirects=self._follow)

    def __enter__(self):
        self._client.__enter__()
        return self

    def __exit__(self, *error):
        self._client.__exit__(*error)

    def another(self):
        return type(self)(self._application, self._follow)

    def forget_cookies(self):
        self._client.cookies.clear()

    def ask(self, method, path, query, headers, body, form, content, media_type):
        more: Any = {"json": body} if body is not None else {}
        if form is not None and media_type and media_type.startswith("multipart/"):
            more, media_type = {"files": [(name, _pair(one)) for name, one in _fields(form)]}, None
        elif form is not None:
            more = {"data": form}
        elif content is not None:
            more = {"content": content}
        if media_type and "content-type" not in map(str.lower, headers):
            headers = {**headers, "Content-Type": media_type}
        answer = self._client.request(method, path, params=query or None, headers=headers, **more)
        if answer.status_code < 300 and answer.raise_for_status() is None:
            raise Unfit("its httpx is older than 0.25")
        cookies = "; ".join(f"{name}={value}" for name, value in answer.cookies.items())
        return Answer(answer.status_code, dict(answer.headers), answer.text, cookies)


class WsgiClient(StarletteClient):
    """httpx, for any application of WSGI."""

    def _made(self):
        import httpx

        return httpx.Client(transport=httpx.WSGITransport(self._application), base_url="http://testserver")


class WerkzeugClient:
    """Werkzeug's client, for any application of WSGI."""

    def __init__(self, application, follow, *, cookies=True):
        self._application, self._cookies = application, cookies
        self._client: Any = self._made()

    def _made(self):
        from werkzeug.test import Client

        return Client(self._application, use_cookies=self._cookies)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def another(self):
        return type(self)(self._application, False, cookies=False)

    def forget_cookies(self):
        pass

    def ask(self, method, path, query, headers, body, form, content, media_type):
        more: Any = {"json": body} if body is not None else {}
        if form is not None:
            more = {"data": {name: _file(value) for name, value in form.items()}}
        elif content is not None:
            more = {"data": content}
        answer = self._client.open(
            path, method=method, query_string=_plain_values(query), headers=headers, content_type=media_type, **more
        )
        cookies = "; ".join(one.partition(";")[0] for one in answer.headers.getlist("Set-Cookie"))
        names = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status_code, names, answer.text, cookies)


class FlaskClient(WerkzeugClient):
    """Flask's `test_client()`."""

    def _made(self):
        return self._application.test_client(use_cookies=self._cookies)


class DjangoClient(StarletteClient):
    """Django's `Client`."""

    def _made(self):
        from django.test import Client

        return Client(raise_request_exception=False)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def ask(self, method, path, query, headers, body, form, content, media_type):
        from django.test.client import MULTIPART_CONTENT, encode_multipart

        data: Any = "" if content is None else content
        if body is not None:
            data, media_type = json.dumps(body), media_type or "application/json"
        elif form is not None and media_type and media_type.startswith("multipart/"):
            fields = {name: _named_file(value) for name, value in form.items()}
            data, media_type = encode_multipart("BoUnDaRyStRiNg", fields), MULTIPART_CONTENT
        elif form is not None:
            data, media_type = urllib.parse.urlencode(_plain_values(form), doseq=True), FORM
        if query:
            path = f"{path}?{urllib.parse.urlencode(_plain_values(query), doseq=True)}"
        answer = self._client.generic(method, path, data, media_type or "application/octet-stream", headers=headers)
        text = b"".join(answer) if answer.streaming else answer.content
        names = {name.lower(): value for name, value in answer.headers.items()}
        cookies = "; ".join(f"{name}={one.value}" for name, one in answer.cookies.items())
        return Answer(answer.status_code, names, text.decode("utf-8", "replace"), cookies)


FORM = "application/x-www-form-urlencoded"
CLIENTS = {
    "django": DjangoClient,
    "fastapi": StarletteClient,
    "starlette": StarletteClient,
    "httpx": WsgiClient,
    "flask": FlaskClient,
    "werkzeug": WerkzeugClient,
}
WITHOUT_USERS = ("werkzeug",)
"""Kinds whose clients have no headers of their own."""


def kind_of(application):
    """The kind of client that asks an application. Raises Unfit where none is there."""
    modules = {base.__module__.partition(".")[0] for base in type(application).__mro__}
    if "django" in modules:
        return "django"
    if api_serving.is_async(application):
        missing = _missing("starlette.testclient")
        if missing or not modules & {"fastapi", "starlette"}:
            raise Unfit(f"there is no TestClient: {missing}" if missing else "its framework has no known test client")
        return "fastapi" if "fastapi" in modules else "starlette"
    if "flask" in modules:
        return "flask"
    for kind, module in (("httpx", "httpx"), ("werkzeug", "werkzeug.test")):
        if not _missing(module):
            return kind
    raise Unfit("neither httpx nor Werkzeug is installed")


def _missing(module):
    try:
        importlib.import_module(module)
    except (ImportError, RuntimeError) as error:
        return str(error) or type(error).__name__
    return ""


def _fields(form):
    for name, value in form.items():
        for one in value if isinstance(value, list) else [value]:
            yield name, one


def _pair(one):
    is_file = isinstance(one, dict) and "filename" in one
    return (one["filename"], one["content"]) if is_file else (None, str(_plain(one)))


def _file(value):
    if isinstance(value, list):
        return [_file(one) for one in value]
    is_file = isinstance(value, dict) and "filename" in value
    return (io.BytesIO(value["content"].encode()), value["filename"]) if is_file else _plain(value)


def _named_file(value):
    if isinstance(value, list):
        return [_named_file(one) for one in value]
    if not (isinstance(value, dict) and "filename" in value):
        return _plain(value)
    stream = io.BytesIO(value["content"].encode())
    stream.name = value["filename"]
    return stream


def _plain_values(values):
    return {name: _plain(value) for name, value in values.items()}


def _plain(value):
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else value
