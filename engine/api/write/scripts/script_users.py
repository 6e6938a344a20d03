"""Writes how the tests of a script sign their users in, and the credentials that variables hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .....core.errors import AgentFailure
from .....utils.redact import placeholder_secret
from ....javascript.domain.value_pools import quoted_text
from ...document.auth import is_secret
from ...model.json_values import saved_names_in
from ...probe.sign_in.users import ADMIN, OTHER, USER, constant
from .script_requests import request_source, script_key, script_name, script_place

Json = Mapping[str, Any]
_PARTS = ("name", "email", "password")
_WORDS = {USER: "tester", OTHER: "visitor", ADMIN: "admin"}
_RANDOM = "randomUUID().slice(0, 8)"


def credential_lines(auth: Mapping[str, Json], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a constant for each credential that a variable holds: what a request sends of it.

    Args:
        environment: the application's variables.
    """
    for name, entry in auth.items():
        if "sign_in" in entry:
            continue
        variable, kind = str(entry["variable"]), str(entry["kind"])
        plain = environment.get(variable, "")
        value = f"process.env.{variable}"
        if plain and not is_secret(variable):
            value = quoted_text(plain)  # as the application has it, whatever is set where the tests run
        elif plain != placeholder_secret(variable):
            value += f" ?? {quoted_text(plain)}"
        parameter = str(entry.get("parameter") or "api_key")
        if kind == "bearer":
            sent = f"{{ Authorization: `Bearer ${{{value}}}` }}"
        elif kind == "basic":
            sent = f"{{ Authorization: `Basic ${{btoa({value})}}` }}"
        elif kind == "api_key_cookie":
            sent = f"{{ Cookie: `{parameter}=${{{value}}}` }}"
        else:
            sent = f"{{ {script_key(parameter)}: `${{{value}}}` }}"
        yield f"const {name.upper()} = {sent};"


def user_lines(users: Mapping[str, Json], used: str) -> Iterator[str]:
    """Yield the constants that hold the users; names and passwords are others in each session.

    Args:
        used: the rest of the file: constants that it does not use are left out.
    """
    for name, entry in users.items():
        login, email, password = (constant(name, part) for part in _PARTS)
        identity = entry["sign_in"].get("identity")
        random = f"`{_WORDS.get(name, 'tester')}${{{_RANDOM}}}"
        made = {login: f"{random}`", email: f"{random}@example.com`", password: f"`Aa1-${{{_RANDOM}}}`"}
        if login in used and email in used:
            made[email] = f"`${{{login}}}@example.com`"
        if identity:
            own = f"process.env.{entry['variable']}"
            made = {login: quoted_text(identity), email: quoted_text(identity), password: own}
        yield from (f"const {one} = {value};" for one, value in made.items() if one in used)


def sign_in_functions(users: Mapping[str, Json], typed: bool) -> Iterator[str]:
    """Yield the functions that sign users in: `signIn` returns the headers of each by name.

    Args:
        typed: whether the file is in TypeScript.

    Raises:
        AgentFailure: a request cannot be sent from a script.
    """
    client = "request: APIRequestContext" if typed else "request"
    functions: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    entries: list[str] = []
    for name, entry in users.items():
        sign_in = entry["sign_in"]
        parts = tuple(part for part in _PARTS if part in saved_names_in(sign_in["requests"]))
        if entry["kind"] == "basic":
            parts = tuple(part for part in _PARTS if part in (*parts, sign_in["pointer"], "password"))
        body = tuple(_signing_in(entry, sign_in["requests"]))
        function = functions.setdefault((body, parts), "logIn" if sign_in.get("identity") else "signUp")
        given = ", ".join(["request", *(constant(name, part) for part in parts)])
        entries.append(f"    {script_name(name)}: await {function}({given}),")
    if len(set(functions.values())) != len(functions):
        raise AgentFailure("users who sign in in several ways are not written in one script")
    result = "Promise<Record<string, Record<string, string>>>"
    head = f"async function signIn({client}){f': {result}' if typed else ''} {{"
    yield "\n".join(
        ["/** What each user sends with every request, once signed in. */", head, "  return {", *entries, "  };", "}"]
    )
    for (body, parts), function in functions.items():
        typing = ": string" if typed else ""
        given = ", ".join([client, *(f"{part}{typing}" for part in parts)])
        yield "\n".join([f"async function {function}({given}) {{", *(f"  {line}" for line in body), "}"])


def _signing_in(entry: Json, requests: Sequence[Json]) -> Iterator[str]:
    kind, parameter = str(entry["kind"]), str(entry.get("parameter") or "")
    pointer = str(entry["sign_in"].get("pointer") or "")
    for number, request in enumerate(requests):
        yield f"const answer{number or ''} = await {request_source(request, {})};"
        yield f"expect(answer{number or ''}.status()).toBeLessThan(400);"
    last = f"answer{len(requests) - 1 or ''}"
    if kind == "basic":
        yield f"return {{ Authorization: `Basic ${{btoa(`${{{pointer}}}:${{password}}`)}}` }};"
    elif kind == "api_key_cookie":
        yield f"const cookies = {last}.headers()['set-cookie'].split('\\n');"
        yield "return { Cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };"
    else:
        token = script_place(pointer, f"(await {last}.json())")
        prefix = parameter or "Bearer"
        sent = f"Authorization: `{prefix} ${{{token}}}`" if kind == "bearer" else f"{script_key(parameter)}: {token}"
        yield f"return {{ {sent} }};"
