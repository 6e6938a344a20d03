"""Describes the users that tests sign in, and the values that stand for them in requests."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from ...document.application import AppObserver
from ...document.auth import Credential, SignIn, auth_names
from ...model.model import UNSAFE, Json

USER, OTHER, ADMIN = "user", "other_user", "admin"
PAIRS = {
    "basic": ("name", ""),
    "basic_email": ("email", ""),
    "basic_wrong": ("name", "-wrong"),
    "basic_email_wrong": ("email", "-wrong"),
}
"""What a header of HTTP's basic scheme holds: the name or the address, and what a wrong password has at its end."""
PARTS = ("name", "email", "password", *PAIRS)
"""What requests may hold of a user."""
_WORDS = {USER: "tester", OTHER: "visitor", ADMIN: "admin"}
# Of two observations each has names and passwords of its own, so that what holds one is known to differ.
_ENDINGS = ("1a2b3c4d", "5e6f7a8b")


def user_values(name: str, sign_in: SignIn, number: int = 0) -> dict[str, str]:
    """Return the name, e-mail address and password of a user while the application is explored.

    Args:
        number: 0 or 1, the observation.
    """
    made = f"{_WORDS[name]}{_ENDINGS[number]}"
    login, email, password = made, f"{made}@example.com", f"Aa1-{_ENDINGS[number]}{_ENDINGS[number]}"
    if sign_in.identity:
        login, email, password = sign_in.identity, sign_in.identity, sign_in.secret
    values = {"name": login, "email": email, "password": password}
    return values | {part: _basic(values[who], f"{password}{ending}") for part, (who, ending) in PAIRS.items()}


def _basic(login: str, password: str) -> str:
    return base64.b64encode(f"{login}:{password}".encode()).decode()


def constant(name: str, part: str) -> str:
    """Return the constant of a test file that holds a part of a user: USER_EMAIL."""
    return f"{name.removesuffix('_user').upper()}_{part.upper()}"


def constants_of(users: Mapping[str, Credential], number: int = 0) -> dict[str, str]:
    """Return the values of all constants by name."""
    return {
        constant(name, part): value
        for name, credential in users.items()
        if credential.sign_in is not None
        for part, value in user_values(name, credential.sign_in, number).items()
    }


def worker_users(users: Mapping[str, Credential], number: int = 0) -> Json:
    """Return the users in the form of the worker, see `spec_requests.signing_in`."""
    return {
        name: {
            "kind": credential.kind,
            "parameter": credential.parameter,
            "pointer": sign_in.pointer,
            "requests": list(sign_in.requests),
            "values": user_values(name, sign_in, number),
        }
        for name, credential in users.items()
        if (sign_in := credential.sign_in) is not None
    }


async def sign_in_users(observer: AppObserver, users: Mapping[str, Credential], number: int = 0) -> bool:
    """Have users sign in from now on; whether that works. Raises SandboxFailure.

    Args:
        number: 0 for the first observation, 1 for the second, in which they have other names.
    """
    keeps = any(user.sign_in is not None and user.sign_in.keeps for user in users.values())
    return await observer.sign_in(worker_users(users, number), constants_of(users, number), keeps=keeps)


def with_constants(value: Any, name: str) -> Any:
    """Replace `{{email}}` and the like by the constants of a user."""
    if isinstance(value, Mapping):
        return {key: with_constants(entry, name) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [with_constants(item, name) for item in value]
    if not isinstance(value, str):
        return value
    for part in PARTS:
        value = value.replace(f"{{{{{part}}}}}", f"{{{{{constant(name, part)}}}}}")
    return value


def _named() -> dict[str, str]:
    """Return what the first user is named by, by what the other one is."""
    return {f"{{{{{constant(OTHER, part)}}}}}": f"{{{{{constant(USER, part)}}}}}" for part in ("name", "email")}


def names_other(request: Json) -> bool:
    """Whether the path of a request names the other user: whom somebody follows."""
    named = _named()
    return any(isinstance(value, str) and value in named for value in (request.get("path_parameters") or {}).values())


def of_user(request: Json) -> Json:
    """Return a request whose path names the first user in place of the other one."""
    named = _named()
    place = {
        name: named.get(value, value) if isinstance(value, str) else value
        for name, value in request["path_parameters"].items()
    }
    return {**request, "path_parameters": place}


def is_made_by_user(step: Json) -> bool:
    """Whether the first user changes something by a request."""
    return step["method"] in UNSAFE and auth_names(step) == (USER,)


def by_other(step: Json) -> Json:
    """Return a request of the first user as one of the other user; any other as it is."""
    return {**step, "auth": OTHER} if is_made_by_user(step) else step
