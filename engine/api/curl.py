"""Shell lines that repeat requests by hand (B-02)."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from .auth import Credential
from .model import Json

ADDRESS = "${API_BASE_URL:-http://127.0.0.1:8000}"
_READ = "python3 -c 'import json, sys; print(json.load(sys.stdin){})'"


def lines(requests: Sequence[Json], credentials: Mapping[str, Credential]) -> str:
    """One line for each request; the last shows the whole answer, the others only keep what later ones use."""
    made = [_line(one, credentials, last=number == len(requests) - 1) for number, one in enumerate(requests)]
    return "\n".join(made)


def _line(request: Json, credentials: Mapping[str, Credential], *, last: bool) -> str:
    parts = ["curl -s", *(["-i"] if last else [])]
    if request["method"] != "GET":
        parts.append("-I" if request["method"] == "HEAD" else f"-X {request['method']}")
    credential = credentials.get(str(request.get("auth")))
    parts.append(f'"{_with_variables(_address(request, credential))}"')
    parts += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in (request.get("headers") or {}).items()]
    parts += _secret(credential)
    if request.get("cookies"):
        parts.append("-b " + shlex.quote("; ".join(f"{name}={value}" for name, value in request["cookies"].items())))
    body = request.get("body")
    if body is not None:
        parts.append(f"-H 'Content-Type: {body['media_type']}'")
        parts.append(f"--data-binary {_data(body)}")
    command = " ".join(parts)
    save: Mapping[str, str] = request.get("save") or {}
    if last:
        return command
    if not save:
        return f"{command} > /dev/null"
    name, pointer = next(iter(save.items()))
    keys = "".join(f"[{int(key)}]" if key.isdigit() else f'["{key}"]' for key in pointer.split("/")[1:])
    return f"{name.upper()}=$({command} | {_READ.format(keys)})"


def _address(request: Json, credential: Credential | None) -> str:
    path, query = request["path"], dict(request.get("query") or {})
    for name, value in (request.get("path_parameters") or {}).items():
        path = path.replace("{" + name + "}", _plain(value) if "{{" in str(value) else quote(_plain(value), safe=""))
    address = ADDRESS + path
    if query:
        address += "?" + urlencode({name: _listed(one) for name, one in query.items()}, doseq=True, safe="{}")
    if credential is not None and credential.kind == "api_key_query":
        address += f"{'&' if query else '?'}{credential.parameter}=${credential.variable}"
    return address


def _secret(credential: Credential | None) -> list[str]:
    if credential is None or credential.kind == "api_key_query":
        return []
    variable, parameter = credential.variable, credential.parameter
    forms = {
        "bearer": f'-H "Authorization: Bearer ${variable}"',
        "basic": f'-u "${variable}"',
        "api_key_header": f'-H "{parameter}: ${variable}"',
        "api_key_cookie": f'-b "{parameter}=${variable}"',
    }
    return [forms[credential.kind]]


def _data(body: Mapping[str, Any]) -> str:
    content = body.get("content")
    text = json.dumps(content) if "json" in body["media_type"] and not body.get("raw") else str(content)
    if "{{" not in text:
        return shlex.quote(text)
    # A variable of the shell cannot stand in single quotes: they end before it and begin again after it.
    quoted = shlex.quote(text) if shlex.quote(text).startswith("'") else f"'{text}'"
    numbered = (
        re.sub(r'"\{\{(\w+)\}\}"', lambda found: f"{{{{{found.group(1)}}}}}", quoted) if body.get("numbers") else quoted
    )
    return re.sub(r"\{\{(\w+)\}\}", lambda found: f"'\"${{{found.group(1).upper()}}}\"'", numbered)


def _with_variables(text: str) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: f"${{{found.group(1).upper()}}}", text)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list) else _plain(value)


def numbers_bare(request: Json, saved: Mapping[str, Any]) -> Json:
    """The request with its body marked where what was saved is a number, which is written without quotes."""
    body = request.get("body")
    if not body or "{{" not in json.dumps(body):
        return request
    names = re.findall(r"\{\{(\w+)\}\}", json.dumps(body))
    if all(isinstance(saved.get(one), int | float) for one in names):
        return {**request, "body": {**body, "numbers": True}}
    return request
