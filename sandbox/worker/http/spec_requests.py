"""Sends the requests of an API test spec to the application, and signs its users in."""

import base64
import contextlib
import re
from typing import Any

_MOST_TEXT = 200_000
HEADERS = "/@headers/"
"""What comes before the name of a header, in small letters, where one is saved in place of a part of the body."""


def filled(value: Any, names: Any) -> Any:
    """A value with `{{name}}` replaced by what was saved under it; a text that is nothing else becomes the value."""
    if isinstance(value, dict):
        return {key: filled(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{\{(\w+)\}\}", value)
    if whole:
        return names[whole.group(1)]
    return re.sub(r"\{\{(\w+)\}\}", lambda found: str(names[found.group(1)]), value)


def pointed(value, pointer):
    """What a JSON Pointer leads to. Raises KeyError, IndexError, TypeError or ValueError where it leads nowhere."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def path_of(request):
    """The path with its parameters in place."""
    path = request["path"]
    for name, value in (request.get("path_parameters") or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        path = path.replace("{" + name + "}", text)
    return path


def send(application, request, names):
    """One request; what is to be saved of the answer goes to `names`. `user` in it names who asks.

    What the answer lacks has no name then: it is a later request that cannot be sent without it, and the answer counts.
    """
    answer = _answer(application, request, names)
    for name, pointer in (request.get("save") or {}).items():
        names.pop(name, None)
        header = pointer.removeprefix(HEADERS)
        with contextlib.suppress(KeyError, IndexError, TypeError, ValueError):
            names[name] = pointed(answer.json, pointer) if header == pointer else answer.headers[header]
    return {
        "status": answer.status,
        "headers": answer.headers,
        "text": answer.text[: None if request.get("whole") else _MOST_TEXT],
    }


def _answer(application, request, names):
    request = filled({key: entry for key, entry in request.items() if key != "save"}, names)
    body = request.get("body")
    headers = dict(request.get("headers") or {})
    if request.get("cookies"):
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in request["cookies"].items())
    more = {}
    if body is not None and "content" in body:
        kind = body["media_type"]
        as_json = (kind.endswith("json")) and not body.get("raw")
        as_form = "form" in kind and isinstance(body["content"], dict)
        more = {"json" if as_json else "form" if as_form else "content": body["content"]}
        if "content" in more:
            more["content"] = str(more["content"])
        more["media_type"] = kind
    client = application.as_user(request["user"]) if request.get("user") else application
    return client.request(request["method"], path_of(request), query=request.get("query"), headers=headers, **more)


def signing_in(users):
    """The function that signs users up and in, and returns the headers of each.

    Args:
        users: {"requests", "kind", "parameter", "pointer", "values"} by the user's name: `values` fill the requests, of
            which the last answers with the token or the cookies.
    """

    def sign_in(application):
        return {name: _signed_in(application, user) for name, user in users.items()}

    return sign_in


def _signed_in(application, user):
    answer: Any = None
    # A test client sends the cookies of whoever came before: their login would end.
    if user["kind"] == "api_key_cookie" and hasattr(application, "forget_cookies"):
        application.forget_cookies()
    for request in user["requests"]:
        answer = _answer(application, request, dict(user["values"])).succeeded()
    if user["kind"] == "basic":
        secret = f"{user['values'][user['pointer']]}:{user['values']['password']}"
        return {"Authorization": "Basic " + base64.b64encode(secret.encode()).decode()}
    if user["kind"] == "api_key_cookie":
        return {"Cookie": answer.cookies}
    token = pointed(answer.json, user["pointer"])
    if user["kind"] == "bearer":
        return {"Authorization": f"{user.get('parameter') or 'Bearer'} {token}"}
    return {user["parameter"]: token}
