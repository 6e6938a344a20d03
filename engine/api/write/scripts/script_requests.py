"""Writes values and requests of an API spec as JavaScript, in the words of Playwright's request context."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from .....core.errors import AgentFailure
from ....javascript.domain.value_pools import quoted_text
from ...document.auth import auth_names
from ...model.json_values import is_constant
from ..dialects import FORM
from ..render_checks import cookie_of, path_of

Json = Mapping[str, Any]
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_BODILESS = ("GET", "HEAD")
_FORBIDDEN = ("CONNECT", "TRACE", "TRACK")
_ORDER = ("method", "headers", "params", "data", "form", "multipart", "maxRedirects")
_SAFE = "/%:@!$&'()*+,;=~-._{}"
_MOST_SAFE = 2**53
_REPEATED = re.compile(r"(.)\1{20,}$", re.DOTALL)
_RESERVED = frozenset(
    "await break case catch class const default delete do else export import in let new return".split()
)


def script_name(name: str) -> str:
    """The name of a variable or function in JavaScript: `order_id` → `orderId`; constants stay as they are."""
    if is_constant(name):
        return name
    first, *rest = [part for part in name.split("_") if part] or ["value"]
    made = first + "".join(part[:1].upper() + part[1:] for part in rest)
    return f"{made}Value" if made in _RESERVED or made[0].isdigit() else made


def script_text(text: str) -> str:
    """A text; `{{name}}` in it becomes the variable."""
    whole = _VARIABLE.fullmatch(text)
    if whole:
        return script_name(whole[1])
    if _VARIABLE.search(text):
        parts = _VARIABLE.split(text)
        inner = "".join(
            f"${{{script_name(part)}}}"
            if number % 2
            else quoted_text(part)[1:-1].replace("\\'", "'").replace("`", "\\`").replace("${", "\\${")
            for number, part in enumerate(parts)
        )
        return f"`{inner}`"
    end = _REPEATED.search(text)
    if end and end[1] not in "\r\n":
        tail = f"{quoted_text(end[1])}.repeat({len(end[0])})"
        return f"{quoted_text(text[: end.start()])} + {tail}" if end.start() else tail
    return quoted_text(text)


def script_value(value: Any) -> str:
    """A JSON value as source."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return script_text(value)
    if isinstance(value, Mapping):
        pairs = [f"{script_key(str(name))}: {script_value(one)}" for name, one in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(script_value, value))}]"
    return repr(value)


def script_key(name: str) -> str:
    """The name of a property as it stands before its colon."""
    if _VARIABLE.search(name):
        return f"[{script_text(name)}]"
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) and name != "__proto__" else quoted_text(name)


def script_place(pointer: str, of: str) -> str:
    """The expression for a part of a value, by its JSON pointer."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    parts = []
    for key in keys:
        if key.isdigit():
            parts.append(f"[{int(key)}]")
        else:
            parts.append(f".{key}" if script_key(key) == key else f"[{quoted_text(key)}]")
    return of + "".join(parts)


def request_source(request: Json, auth: Mapping[str, Json], *, redirects: bool = False) -> str:
    """A request as a call: `request.post('/orders', { data: { sku: 'A-1' } })`.

    Args:
        auth: the spec's credentials; users that sign in are members of `users`.
        redirects: the answer is a redirect, which is not followed.

    Raises:
        AgentFailure: `fetch` refuses to send such a request.
    """
    method = str(request["method"]).upper()
    if method in _FORBIDDEN:
        raise AgentFailure(f"fetch sends no {method}")
    options = _body(request, method)
    used = [(name, auth[name]) for name in auth_names(request) if name in auth]
    keys = [name.upper() for name, entry in used if _is_in_query(entry)]
    query, in_address = request.get("query") or {}, ""
    if any(isinstance(one, (list, tuple, Mapping)) or one is None for one in query.values()):
        in_address = f"?{urlencode({name: _plain(one) for name, one in query.items()}, doseq=True)}"
        if keys:
            raise AgentFailure("a key and lists in one query are not written as a script")
    elif keys or query:
        options["params"] = _spread(keys, query)
    sent = [
        f"users.{script_name(name)}" if "sign_in" in entry else name.upper()
        for name, entry in used
        if not _is_in_query(entry)
    ]
    headers = {name: options.pop(name) for name in ("Content-Type",) if name in options}
    headers |= request.get("headers") or {}
    if cookies := cookie_of(request):
        headers["Cookie"] = cookies
        if any(entry["kind"] == "api_key_cookie" for _, entry in used):
            raise AgentFailure("cookies of a user and of a request are not sent together in scripts")
    if sent or headers:
        options["headers"] = _spread(sent, headers)
    if redirects:
        options["maxRedirects"] = "0"
    if method not in _VERBS:
        options["method"] = quoted_text(method)
    given = ", ".join(f"{name}: {options[name]}" for name in _ORDER if name in options)
    address = script_text(quote(path_of(request), safe=_SAFE) + in_address)
    call = f"request.{method.lower() if method in _VERBS else 'fetch'}"
    return f"{call}({address}, {{ {given} }})" if given else f"{call}({address})"


def _is_in_query(entry: Json) -> bool:
    return entry["kind"] == "api_key_query" and "sign_in" not in entry


def _spread(names: Sequence[str], values: Json) -> str:
    """An object with what constants hold, and with values of its own."""
    if len(names) == 1 and not values:
        return names[0]
    own = [f"{script_key(str(name))}: {script_value(one)}" for name, one in values.items()]
    return f"{{ {', '.join([*(f'...{name}' for name in names), *own])} }}"


def _body(request: Json, method: str) -> dict[str, str]:
    """The options for a request's body; its media type is under `Content-Type` where it has to be said."""
    body = request.get("body")
    if body is None or "content" not in body:
        return {}
    if method in _BODILESS:
        raise AgentFailure(f"fetch sends no body with a {method}")
    content, media_type = body["content"], str(body["media_type"])
    if "json" in media_type and not body.get("raw"):
        said = {} if media_type == "application/json" else {"Content-Type": media_type}
        if isinstance(content, (Mapping, list)) and not _is_beyond(content):
            return {"data": script_value(content), **said}
        return {"data": f"Buffer.from({quoted_text(json.dumps(content))})", "Content-Type": media_type}
    if isinstance(content, Mapping):
        return _form(content, media_type)
    # Playwright turns a text that is no JSON into one, a buffer is sent as it is.
    return {"data": f"Buffer.from({script_text(str(content))})", "Content-Type": media_type}


def _form(fields: Json, media_type: str) -> dict[str, str]:
    if media_type.startswith("multipart/"):
        if any(isinstance(one, (list, tuple)) for one in fields.values()):
            raise AgentFailure("a field of a multipart form that is sent several times is not written as a script")
        parts = []
        for name, one in fields.items():
            shown = script_value(_plain(one))
            if isinstance(one, Mapping) and "filename" in one:
                buffer = f"Buffer.from({script_text(str(one['content']))})"
                kind = "mimeType: 'application/octet-stream'"
                shown = f"{{ name: {quoted_text(str(one['filename']))}, {kind}, buffer: {buffer} }}"
            parts.append(f"{script_key(str(name))}: {shown}")
        return {"multipart": f"{{ {', '.join(parts)} }}"}
    if media_type == FORM and not any(isinstance(one, (list, tuple)) for one in fields.values()):
        return {"form": script_value({name: _plain(one) for name, one in fields.items()})}
    encoded = urlencode({name: _plain(one) for name, one in fields.items()}, doseq=True, safe="{}")
    return {"data": f"Buffer.from({script_text(encoded)})", "Content-Type": media_type}


def _plain(value: Any) -> Any:
    """A value as it stands in a form or a query."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_beyond(value: Any) -> bool:
    """Whether a number is in it that JavaScript does not send as it is."""
    if isinstance(value, Mapping):
        return any(map(_is_beyond, value.values()))
    if isinstance(value, list):
        return any(map(_is_beyond, value))
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) > _MOST_SAFE
