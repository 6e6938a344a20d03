"""Renders how a person signs the users of a reproduction in, as shell lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...document.auth import Credential, auth_names
from ...model.model import Json
from .. import curl
from .users import PAIRS, constant, with_constants


def signed_in_lines(requests: Sequence[Json], credentials: Mapping[str, Credential], *, seconds: int = 0) -> str:
    """Render requests as shell lines, after those that sign in the users who ask them.

    Args:
        seconds: time limit of the last request; 0 for none.
    """
    used = dict.fromkeys(name for request in requests for name in auth_names(request) if name in credentials)
    text = str(requests)
    # A request may hold a user's name or password without being the user's own.
    named = [name for name, known in credentials.items() if known.sign_in and f"{{{{{constant(name, '')}" in text]
    users = [name for name in dict.fromkeys((*used, *named)) if credentials[name].sign_in is not None]
    lines = [line for name in users for line in _sign_in(name, credentials[name], text, with_login=name in used)]
    shown = {
        name: replace(known, variable=_variable(name)) if known.sign_in is not None else known
        for name, known in credentials.items()
    }
    made = "\n".join([*lines, curl.curl_lines(requests, shown, seconds=seconds)])
    for name in users:
        # A variable with that ending is taken for a secret, and what is made up here would be redacted.
        made = re.sub(rf"(?<!\w){constant(name, 'password')}\b", constant(name, "phrase"), made)
    return made


def _variable(name: str) -> str:
    return constant(name, "token")


def _sign_in(name: str, credential: Credential, text: str, *, with_login: bool) -> Iterable[str]:
    sign_in = credential.sign_in
    assert sign_in is not None
    who, address, password = (constant(name, part) for part in ("name", "email", "password"))
    if sign_in.identity:
        yield f"{who}={shlex.quote(sign_in.identity)}; {address}=${who}; {password}=${credential.variable}"
    else:
        yield f'{who}=someone$RANDOM; {address}="${who}@example.com"; {password}="Aa1-$RANDOM$RANDOM$RANDOM"'
    for part, (known, ending) in PAIRS.items():
        # A request with a wrong password holds a pair that the login itself does not.
        if f"{{{{{part}}}}}" in str(sign_in.requests) or f"{{{{{constant(name, part)}}}}}" in text:
            pair = f"${constant(name, known)}:${password}{ending}"
            yield f'{constant(name, part)}=$(printf %s "{pair}" | base64 | tr -d "\\n")'
    requests = [with_constants(request, name) for request in sign_in.requests]
    before = requests if credential.kind == "basic" or not with_login else requests[:-1]
    for request in before:
        # The last of several is shown whole; here its answer does not matter.
        yield f"{curl.curl_lines([request], {}).replace('curl -s -i', 'curl -s', 1)} > /dev/null"
    if not with_login:
        return
    if credential.kind == "basic":
        yield f'{_variable(name)}="${constant(name, sign_in.pointer)}:${password}"'
    elif credential.kind == "api_key_cookie":
        told = curl.curl_lines(requests[-1:], {})
        yield f"{_variable(name)}=$({told} | sed -n 's/^[Ss]et-[Cc]ookie: \\([^;]*\\).*/\\1/p' | paste -sd';')"
    else:
        saving = {**requests[-1], "save": {_variable(name).lower(): sign_in.pointer}}
        yield curl.curl_lines([saving, saving], {}).splitlines()[0]
