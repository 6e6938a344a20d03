"""Renders requests as shell lines with curl, so that a person can repeat them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from ..document.auth import Credential, auth_names
from ..model.json_values import HEADERS
from ..model.model import Json

ADDRESS = "${API_BASE_URL:-http://127.0.0.1:8000}"
_READ = "python3 -c 'import json, sys; print(json.load(sys.stdin){})'"
_SAFE = "/%:@!$&'()*+,;=~-._"
"""What api_process.py leaves as it is in a path."""
_NAME = re.compile(r"\{\{(\w+)\}\}")
_SPECIAL = re.compile(r'([\\"`$])')


def curl_lines(requests: Sequence[Json], credentials: Mapping[str, Credential], *, seconds: int = 0) -> str:
    """Render each request; the last shows the whole answer, earlier ones only save what later ones use.

    Args:
        seconds: time limit of the last request; 0 for none.
    """
    last = len(requests) - 1
    lines = [_lines(item, credentials, last=at == last, seconds=seconds) for at, item in enumerate(requests)]
    return "\n".join(line for part in lines for line in part)


def _lines(request: Json, credentials: Mapping[str, Credential], *, last: bool, seconds: int) -> list[str]:
    command = _command(request, credentials, last=last, seconds=seconds)
    save: Mapping[str, str] = request.get("save") or {}
    if last:
        return [command]
    if not save:
        return [f"{command} > /dev/null"]
    if len(save) == 1:
        name, pointer = next(iter(save.items()))
        header = pointer.removeprefix(HEADERS)
        if header != pointer:
            shown = command.replace("curl -s", "curl -s -i", 1)
            return [f"{name.upper()}=$({shown} | sed -n 's/^{header}: *//Ip' | tr -d '\\r')"]
        return [f"{name.upper()}=$({command} | {_READ.format(_keys(pointer))})"]
    reading = f'printf "%s" "$ANSWER" | {_READ}'
    return [
        f"ANSWER=$({command})",
        *(f"{name.upper()}=$({reading.format(_keys(pointer))})" for name, pointer in save.items()),
    ]


def _keys(pointer: str) -> str:
    parts = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    # The program stands in single quotes: none may be in it.
    return "".join(f"[{int(key)}]" if key.isdigit() else f"[{json.dumps(key)}]" for key in parts).replace(
        "'", "\\u0027"
    )


def _command(request: Json, credentials: Mapping[str, Credential], *, last: bool, seconds: int) -> str:
    used = [credentials[name] for name in auth_names(request) if name in credentials]
    address = _address(request, used)
    parts = ["curl -s", *(["-i"] if last else []), *([f"--max-time {seconds}"] if last and seconds else [])]
    # What would be a set or a range of addresses, or a way up, is sent as it stands.
    parts += ["-g"] if re.search(r"[][{}]", _NAME.sub("", address.removeprefix(ADDRESS))) else []
    parts += ["--path-as-is"] if "/." in address else []
    # curl turns GET with data into POST unless the method is given.
    if request["method"] != "GET" or request.get("body") is not None:
        parts.append("-I" if request["method"] == "HEAD" else f"-X {request['method']}")
    parts.append(f'"{_with_variables(address)}"')
    parts += [f"-H {_quoted(f'{name}: {value}')}" for name, value in (request.get("headers") or {}).items()]
    parts += [_secret(credential) for credential in used if credential.kind not in ("api_key_query", "api_key_cookie")]
    parts += _cookies(request, [credential for credential in used if credential.kind == "api_key_cookie"])
    body = request.get("body")
    if body is not None:
        parts += _body(body)
    return " ".join(parts)


def _cookies(request: Json, used: Sequence[Credential]) -> list[str]:
    given = [f"{name}={value}" for name, value in (request.get("cookies") or {}).items()]
    if not used:
        return ["-b " + _quoted("; ".join(given))] if given else []
    # Variables of the shell stand between double quotes.
    safe = [_with_variables(_SPECIAL.sub(r"\\\1", text)) for text in given]
    secret = [
        f"{credential.parameter}=${credential.variable}" if credential.sign_in is None else f"${credential.variable}"
        for credential in used
    ]
    return ['-b "' + "; ".join([*safe, *secret]) + '"']


def _body(body: Mapping[str, Any]) -> list[str]:
    kind, content = body["media_type"], body.get("content")
    # Everything except a form is sent as it stands.
    if not isinstance(content, dict) or "form" not in kind:
        return [f"-H {_quoted('Content-Type: ' + kind)}", f"--data-raw {_data(body)}"]
    if not kind.startswith("multipart/"):
        encoded = _named(urlencode({name: _listed(entry) for name, entry in content.items()}, doseq=True))
        return [f"-H {_quoted('Content-Type: ' + kind)}", f"--data-raw {_quoted(encoded)}"]
    arguments: list[str] = []
    for name, value in content.items():
        for field in value if isinstance(value, list) else [value]:
            if isinstance(field, dict):
                arguments.append("-F " + _quoted(f"{name}={field['content']};filename={field['filename']}"))
            else:
                arguments.append("--form-string " + _quoted(f"{name}={_plain(field)}"))
    return arguments


def _address(request: Json, used: Sequence[Credential]) -> str:
    """Render the address for double quotes; ids stay `{{name}}`."""
    path = request["path"]
    for name, value in (request.get("path_parameters") or {}).items():
        path = path.replace("{" + name + "}", _plain(value))
    address = ADDRESS + _SPECIAL.sub(r"\\\1", _named(quote(path, safe=_SAFE)))
    query = {name: _listed(entry) for name, entry in (request.get("query") or {}).items()}
    parts = [_named(urlencode(query, doseq=True))] if query else []
    parts += [
        f"{quote(credential.parameter)}=${credential.variable}"
        for credential in used
        if credential.kind == "api_key_query"
    ]
    return f"{address}?{'&'.join(parts)}" if parts else address


def _named(text: str) -> str:
    """Restore the `{{name}}` in a part of an address after URL quoting."""
    return re.sub(r"%7B%7B(\w+)%7D%7D", r"{{\1}}", text)


def _secret(credential: Credential) -> str:
    variable, parameter = credential.variable, credential.parameter
    forms = {
        "bearer": f'-H "Authorization: {parameter or "Bearer"} ${variable}"',
        "basic": f'-u "${variable}"',
        "api_key_header": f'-H "{parameter}: ${variable}"',
    }
    return forms[credential.kind]


def _data(body: Mapping[str, Any]) -> str:
    content = body.get("content")
    if "json" not in body["media_type"] or body.get("raw"):
        return _quoted(str(content))
    text = json.dumps(content)
    for name in body.get("bare") or ():  # numbers and the like stand without quotes
        text = text.replace(f'"{{{{{name}}}}}"', f"{{{{{name}}}}}")
    return _quoted(text)


def _quoted(text: str) -> str:
    """Quote a text as one shell word; `{{name}}` becomes the variable."""
    if not _NAME.search(text):
        return shlex.quote(text)
    # A variable cannot stand in single quotes: they end before it and begin again after it.
    kept = "'" + text.replace("'", "'\"'\"'") + "'"
    return _NAME.sub(lambda found: f"'\"${{{found.group(1).upper()}}}\"'", kept)


def _with_variables(text: str) -> str:
    return _NAME.sub(lambda found: f"${{{found.group(1).upper()}}}", text)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list) else _plain(value)


def numbers_bare(request: Json, saved: Mapping[str, Any]) -> Json:
    """Mark the fields of the body whose saved value is a number, which is rendered without quotes."""
    body = request.get("body")
    if not body or "{{" not in json.dumps(body):
        return request
    names = sorted(set(_NAME.findall(json.dumps(body))))
    numbers = [name for name in names if isinstance(saved.get(name), int | float)]
    bare = [name for name in numbers if not isinstance(saved[name], bool)]
    return {**request, "body": {**body, "bare": bare}} if bare else request
