"""Renders how the tests of a file sign their users in, and which client asks each request."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.json_values import quoted
from ..probe.sign_in.users import ADMIN, OTHER, PAIRS, PARTS, USER, constant
from .dialects import STARTED, Dialect
from .render_checks import is_used, saved

Json = Mapping[str, Any]
_WORDS = {USER: "tester", OTHER: "visitor", ADMIN: "admin"}


def users_of(auth: Mapping[str, Json]) -> dict[str, Json]:
    """Return those entries of a spec's `auth` that sign in."""
    # They sign in one after the other, in the order in which they did so before.
    return {name: auth[name] for name in (USER, OTHER, ADMIN) if auth.get(name, {}).get("sign_in")}


def user_constants(users: Mapping[str, Json], environment: Mapping[str, str], text: str | None = None) -> list[str]:
    """Render the constants that hold the users; names and passwords are others in each session.

    Args:
        environment: the application's variables, which the file has as ENVIRONMENT.
        text: the rest of the file: constants that it does not use are left out; None for all.
    """
    lines: dict[str, str] = {}
    for name, entry in users.items():
        login, email, password = (constant(name, part) for part in ("name", "email", "password"))
        pairs = {
            constant(
                name, part
            ): f'base64.b64encode(f"{{{constant(name, who)}}}:{{{password}}}{ending}".encode()).decode()'
            for part, (who, ending) in PAIRS.items()
            if text is None or is_used(constant(name, part), text)
        }
        text = None if text is None else "\n".join([text, *pairs.values()])
        identity, variable = entry["sign_in"].get("identity"), quoted(str(entry["variable"]))
        if identity:
            own = f"{'ENVIRONMENT' if entry['variable'] in environment else 'os.environ'}[{variable}]"
            lines |= {login: quoted(identity), email: quoted(identity), password: own}
        else:
            address = "@example.com"
            random = f'f"{_WORDS.get(name, "tester")}{{secrets.token_hex(4)}}'
            known = text is None or is_used(login, text)
            lines |= {login: f'{random}"', email: f'f"{{{login}}}{address}"' if known else f'{random}{address}"'}
            lines[password] = 'f"Aa1-{secrets.token_urlsafe(12)}"'
        lines |= pairs
    return [f"{name} = {value}" for name, value in lines.items() if text is None or is_used(name, text)]


def user_imports(users: Mapping[str, Json]) -> set[str]:
    """Return the import statements that the constants need."""
    entries = [entry["sign_in"] for entry in users.values()]
    found = {"import os"} if any(entry.get("identity") for entry in entries) else set[str]()
    found |= {"import secrets"} if any(not entry.get("identity") for entry in entries) else set()
    encoded = any(entry["kind"] == "basic" or "{{basic" in str(entry["sign_in"]) for entry in users.values())
    return found | ({"import base64"} if encoded else set())


def sign_in_functions(
    users: Mapping[str, Json], rendered: Mapping[str, Sequence[str]], dialect: Dialect = STARTED
) -> Iterator[str]:
    """Render `sign_in`, which gives the application the headers of each user, and what one user does.

    Args:
        rendered: the calls that sign a user in, by the user's name; the last ends in what holds the token.
    """
    functions: dict[tuple[str, ...], str] = {}
    entries: list[str] = []
    for name, entry in users.items():
        before = [dialect.succeeded(line) for line in rendered[name][:-1]]
        # Who was signed in before is signed out by a login that sends their cookie.
        before[:0] = [dialect.forgets] if dialect.forgets and entry["kind"] == "api_key_cookie" else []
        body = (*before, *_headers(entry, rendered[name], dialect))
        used = [part for part in PARTS if part in _names(body)]
        named = "signed_up" if entry["sign_in"].get("identity") is None else "logged_in"
        named = f"{named}_as_{name}" if named in functions.values() and body not in functions else named
        function = functions.setdefault(body, named)
        arguments = ", ".join([dialect.client, *(constant(name, part) for part in used)])
        entries.append(f'        "{name}": {function}({arguments}),')
    yield "\n".join(
        [
            f"def sign_in({dialect.client}):",
            '    """Sign the users of these tests in; what each sends with its requests, by name."""',
            "    return {",
            *entries,
            "    }",
        ]
    )
    for body, function in functions.items():
        used = [part for part in PARTS if part in _names(body)]
        words = "Sign somebody up and in" if function.startswith("signed_up") else "Log somebody in"
        yield "\n".join(
            [
                f"def {function}({', '.join([dialect.client, *used])}):",
                f'    """{words}; the headers of their requests."""',
                *(f"    {line}" for line in body),
            ]
        )


def _names(lines: Sequence[str]) -> set[str]:
    tree = ast.parse("\n".join(line.removeprefix("return ") for line in lines))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _headers(entry: Json, calls: Sequence[str], dialect: Dialect) -> list[str]:
    kind, parameter = entry["kind"], str(entry.get("parameter") or "")
    if kind == "basic":
        pair = f'f"{{{entry["sign_in"]["pointer"]}}}:{{password}}".encode()'
        before = [dialect.succeeded(line) for line in calls[-1:]]
        return [*before, f'return {{"Authorization": "Basic " + base64.b64encode({pair}).decode()}}']
    answer = f"answer = {dialect.succeeded(calls[-1])}"
    if kind == "api_key_cookie":
        return [answer, f'return {{"Cookie": {dialect.cookies}}}']
    token = saved(entry["sign_in"]["pointer"], f"answer{dialect.body}")
    if kind == "bearer":
        return [answer, f'return {{"Authorization": "{parameter or "Bearer"} " + {token}}}']
    return [answer, f'return {{"{parameter}": {token}}}']


_FIXTURES = '''@pytest.fixture(scope="module")
def {name}(api):
    """{who}, on the state that other tests have left."""
    return api.as_user("{name}")'''
_FRESH = '''@pytest.fixture
def fresh_{name}(fresh_api):
    """{who}, on the state after the start."""
    return fresh_api.as_user("{name}")'''
_WHO = {
    "user": "The application as somebody asks it who has signed up",
    "other_user": "The application as somebody else asks it",
    "admin": "The application as its administrator asks it",
}


def user_fixtures(users: Mapping[str, Json], used: set[str]) -> Iterator[str]:
    """Render the clients of those users that tests use.

    Args:
        used: names of clients in the tests: `user`, `fresh_user`.
    """
    for name in users:
        who = _WHO.get(name, f"The application as {name} asks it")
        if name in used:
            yield _FIXTURES.format(name=name, who=who)
        if f"fresh_{name}" in used:
            yield _FRESH.format(name=name, who=who)
