"""Renders requests of a spec as calls of the generated client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.auth import auth_names
from ..model.literals import formatted, literal

FORM = "application/x-www-form-urlencoded"
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
Json = Mapping[str, Any]


def call(
    request: Json, auth: Mapping[str, Json], *, client: str = "api", given: Mapping[str, str] | None = None
) -> str:
    """Render a request as a call.

    Args:
        auth: the spec's credentials.
        given: parts (`path`, `query`, `body`, `headers`) that a variable replaces.
    """
    given = given or {}
    parts = [given.get("path") or formatted(path_of(request))]
    secrets = [(name.upper(), auth[name]["kind"]) for name in auth_names(request) if name in auth]
    query, headers = request.get("query") or {}, request.get("headers") or {}
    query_parts = [f"**{name}" for name, kind in secrets if kind == "api_key_query"]
    header_parts = [f"**{name}" for name, kind in secrets if kind != "api_key_query"]
    parts += _mapping("query", given.get("query"), query, query_parts)
    cookies = cookie_of(request)
    jar = [name for name, kind in secrets if kind == "api_key_cookie"]
    if len(jar) + bool(cookies) > 1:
        # There is one header for all cookies.
        joined = ", ".join([*([formatted(cookies)] if cookies else []), *(f'{name}["Cookie"]' for name in jar)])
        header_parts = [header_part for header_part in header_parts if header_part.removeprefix("**") not in jar]
        header_parts.append(f'"Cookie": "; ".join([{joined}])')
    elif cookies:
        headers = {**headers, "Cookie": cookies}
    parts += _mapping("headers", given.get("headers"), headers, header_parts)
    body = request.get("body")
    if body is not None and ("content" in body or "body" in given):
        if "json" in body["media_type"] and not body.get("raw"):
            parts.append(f"json={given.get('body') or literal(body['content'])}")
            if body["media_type"] != "application/json":
                parts.append(f"media_type={literal(body['media_type'])}")
        elif isinstance(body.get("content"), dict):
            parts.append(f"form={given.get('body') or literal(body['content'])}")
            if body["media_type"] != FORM:
                parts.append(f"media_type={literal(body['media_type'])}")
        else:
            parts.append(f"content={given.get('body') or literal(str(body['content']))}")
            parts.append(f"media_type={literal(body['media_type'])}")
    method = request["method"]
    if method in _VERBS:
        return f"{client}.{method.lower()}({', '.join(parts)})"
    return f"{client}.request({literal(method)}, {', '.join(parts)})"


def _mapping(name: str, given: str | None, value: Json, more: list[str]) -> list[str]:
    if given and not more:
        return [f"{name}={given}"]
    inner = [*more, *([f"**{given}"] if given else [f"{literal(key)}: {literal(one)}" for key, one in value.items()])]
    if not inner:
        return []
    if len(inner) == 1 and inner[0].startswith("**"):
        return [f"{name}={inner[0][2:]}"]
    return [f"{name}={{{', '.join(inner)}}}"]


def cookie_of(request: Json) -> str:
    """Return the Cookie header of a request; "" without cookies."""
    return "; ".join(f"{name}={value}" for name, value in (request.get("cookies") or {}).items())


def path_of(request: Json) -> str:
    """Return the path with its parameters in place; saved values stay `{{name}}`."""
    path = str(request["path"])
    for name, value in (request.get("path_parameters") or {}).items():
        path = path.replace("{" + str(name) + "}", str(value).lower() if isinstance(value, bool) else str(value))
    return path


def saved(pointer: str, of: str) -> str:
    """Render the expression for a part of an answer."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    return of + "".join(f"[{int(key)}]" if key.isdigit() else f"[{literal(key)}]" for key in keys)
