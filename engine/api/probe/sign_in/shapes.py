"""Finds the operations that log in and sign up by their shape: what they take, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...document.operations import snake_case
from ...model.model import Api, Json, Operation, RequestBody
from ...values.data import NOTHING, SampleValues
from .users import constant

_LOGIN = re.compile(r"log_?in|sign_?in|token|session|authenticate|auth$|auth_|jwt")
_SIGN_UP = re.compile(r"sign_?up|register|registration|create_(?:user|account)|users?$|accounts?$|join|new_user")
_SIGN_UP_ALONE = re.compile(r"sign_?up|register|registration")
"""What names nothing but a sign-up: users and accounts are also added by others."""
_NOT = re.compile(r"reset|recover|forgot|refresh|logout|sign_?out|verify|revoke|confirm|change|test_token|delete")
_ENDS_SESSION = re.compile(r"(?<![a-z])(?:log|sign)_?(?:out|off)(?![a-z])")
_PASSWORD = re.compile(r"^(?:user_?)?(?:password|passwd|pwd|pass)(?:_?(?:1|2|confirm|confirmation|repeat|again))?$")
_CONFIRMED = re.compile(r"^(?:confirm|confirmation|repeat|re)_?password$")
_EMAIL = re.compile(r"e_?mail")
_NAME = re.compile(r"^(?:user_?name|login|user|user_?id|nick_?name|identifier|account|handle)$")
_CLIENT = {"client_id": "name", "client_secret": "password"}
"""The parts of a client that signs in for itself, as OAuth2 names them."""
_GRANT = "client_credentials"
_OLD_PASSWORD = re.compile(r"^(?:current|old|existing|previous)_?(?:password|passwd|pwd|pass)$")
_ANY_PASSWORD = re.compile(r"password|passwd|(?:^|_)(?:pwd|pass)(?:$|_)")


def readings_first(operation: Operation) -> tuple[bool, bool]:
    """Return what operations are sorted by to ask those first that change nothing, and of these what needs no thing."""
    return operation.method != "GET", "{" in operation.path


def logins(api: Api, samples: SampleValues) -> list[Operation]:
    """Return the operations that may log in, the likeliest first."""
    addresses = set(_token_urls(api))
    found = [
        (operation, _is_token_url(operation, addresses), bool(_LOGIN.search(_words(operation))))
        for operation in _takers(api, samples)
        if not _NOT.search(_words(operation))
    ]
    likely = [entry for entry in found if entry[1] or entry[2]]
    # A sign-up takes more than a login does, and may be called a creation of a session's user.
    likely.sort(key=lambda entry: (not entry[1], _is_sign_up(entry[0]), len(_properties(entry[0], samples))))
    return [operation for operation, _, _ in likely]


def ends_session(operation: Operation) -> bool:
    """Whether an operation signs somebody out, so that nothing works after it: by what it is called."""
    return _ENDS_SESSION.search(_words(operation)) is not None


def basic_logins(api: Api) -> list[Operation]:
    """Return the operations that give a token for a name and a password in HTTP's basic scheme."""
    return [
        known
        for known in (*api.operations, *api.others)
        if known.method == "POST" and "{" not in known.path and (known.body is None or not known.body.required)
        if any(_is_basic(api.schemes.get(scheme, {})) for way in known.security for scheme in way)
        if _LOGIN.search(_words(known)) and not _NOT.search(_words(known))
    ]


def _is_basic(scheme: Mapping[str, Any]) -> bool:
    return scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "basic"


def sign_ups(api: Api, samples: SampleValues) -> list[Operation]:
    """Return the operations by which somebody may sign up, the likeliest first."""
    found = [known for known in _takers(api, samples) if _is_sign_up(known) and not _NOT.search(_words(known))]
    # Who signs up has not signed in: operations for everybody come first.
    return sorted(found, key=_unlikeliness)


def _unlikeliness(sign_up: Operation) -> tuple[bool, bool, int]:
    secured = bool(sign_up.security) and () not in sign_up.security
    return secured, is_for_administrators(sign_up), len(sign_up.path)


def is_for_administrators(sign_up: Operation) -> bool:
    """Whether a sign-up is one of administrators by its name."""
    return bool(re.search(r"(?:^|[\W_])(?:admin(?:istrator)?s?|super_?user|staff)(?:$|[\W_])", _words(sign_up)))


def with_sign_up_fields(api: Api, samples: SampleValues) -> Api:
    """Return the API where the likeliest sign-up of which no document says what it takes takes what the login does.

    Its name tells that it is one. As it is where another sign-up is known, or no login.
    """
    known = logins(api, samples)
    login = known[0].body if known else None
    told = [one for one in api.operations if one.method == "POST" and "{" not in one.path and _is_untold(one, samples)]
    nameless = [one for one in told if _is_sign_up(one) and not _NOT.search(_words(one))]
    if login is None or not nameless or sign_ups(api, samples):
        return api
    likeliest = min(nameless, key=lambda one: (not _SIGN_UP_ALONE.search(_words(one)), *_unlikeliness(one)))
    made = replace(likeliest, body=_with_fields(likeliest.body, login, samples))
    return replace(api, operations=tuple(made if one is likeliest else one for one in api.operations))


def _is_untold(operation: Operation, samples: SampleValues) -> bool:
    """Whether a document says nothing of what an operation takes; the code may tell a part of it."""
    body = operation.body
    return body is None or body.read or not (body.examples or samples.properties(body.schema))


def _with_fields(own: RequestBody | None, login: RequestBody, samples: SampleValues) -> RequestBody:
    whole = samples.merged(login.schema)
    more = {} if own is None else samples.merged(own.schema)
    properties = {**whole.get("properties", {}), **more.get("properties", {})}
    required = [
        *dict.fromkeys([*(whole.get("required") or whole.get("properties", {})), *(more.get("required") or ())])
    ]
    return replace(
        login, schema={**whole, "properties": properties, "required": required}, required=True, examples=(), read=True
    )


def _takers(api: Api, samples: SampleValues) -> Iterator[Operation]:
    """Yield what takes a password together with a name or an e-mail address."""
    for operation in (*api.operations, *api.others):
        parts = set(_parts(_properties(operation, samples)).values())
        if operation.method == "POST" and "{" not in operation.path and "password" in parts and len(parts - {""}) > 1:
            yield operation


def part_of(field_name: str) -> str:
    """Return which part of a user a field holds: `name`, `email`, `password`, or "" for none."""
    name = snake_case(field_name)
    if _PASSWORD.match(name) or _CONFIRMED.match(name):
        return "password"
    if _EMAIL.search(name):
        return "email"
    return "name" if _NAME.match(name) else ""


def _parts(names: Iterable[str]) -> dict[str, str]:
    """Return the part that each field holds; a client's where no field is a password: users may name a client, too."""
    found = {name: part_of(name) for name in names}
    if "password" in found.values():
        return found
    return {name: _CLIENT.get(snake_case(name), part) for name, part in found.items()}


def _is_sign_up(operation: Operation) -> bool:
    return bool(_SIGN_UP.search(_words(operation))) and not re.search(r"log_?in|sign_?in|token", _words(operation))


def _words(operation: Operation) -> str:
    last = [part for part in operation.path.split("/") if part and "{" not in part][-2:]
    return f"{snake_case(operation.id)} {' '.join(map(snake_case, last))}"


def _properties(operation: Operation, samples: SampleValues) -> Mapping[str, Any]:
    if operation.body is None:
        return {}
    found = samples.properties(operation.body.schema)
    # Some wrap what they take: {"user": {"email", "password"}}.
    inner = [samples.properties(schema) for schema in found.values()] if len(found) == 1 else []
    return inner[0] if inner and inner[0] else found


def _token_urls(api: Api) -> Iterator[str]:
    for scheme in api.schemes.values():
        flows = scheme.get("flows")
        for flow in flows.values() if isinstance(flows, Mapping) else ():
            if isinstance(flow, Mapping) and flow.get("tokenUrl"):
                yield str(flow["tokenUrl"])


def _is_token_url(operation: Operation, addresses: set[str]) -> bool:
    return any(address.rstrip("/").endswith(operation.path.strip("/")) for address in addresses)


def user_body(operation: Operation, samples: SampleValues, instead: Mapping[str, str]) -> Any:
    """Return the body of a login or sign-up with `{{name}}`, `{{email}}` and `{{password}}` in their fields.

    Args:
        instead: the part to use for another: {"name": "email"} where a name is an e-mail address.
    """
    assert operation.body is not None
    content = samples.value(operation.body.schema, "body")
    if not isinstance(content, dict):
        return NOTHING
    return _with_parts(content, operation.body.schema, samples, instead)


def _with_parts(content: Json, schema: Any, samples: SampleValues, instead: Mapping[str, str]) -> Json:
    made = dict(content)
    parts = _parts(samples.properties(schema))
    for name, inner in samples.properties(schema).items():
        if samples.properties(inner):
            # A user in an object of its own, whose name may be that of a part.
            if name in made or len(samples.properties(schema)) == 1:
                made[name] = _with_parts(dict(made.get(name) or {}), inner, samples, instead)
            continue
        if parts[name]:
            made[name] = f"{{{{{instead.get(parts[name], parts[name])}}}}}"
        elif name == "grant_type" and parts.get("client_secret") and samples.problem(_GRANT, inner) is None:
            made[name] = _GRANT
    return made


def old_passwords(content: Any) -> list[str]:
    """Return the fields of a body that repeat the password a user has: `current_password` of a change of it."""
    return [name for name in content if _OLD_PASSWORD.match(snake_case(name))] if isinstance(content, dict) else []


def with_own_password(content: Any, user: str) -> Any:
    """Return a body with the password of a user in the fields that repeat it; as it is where `user` is empty."""
    old = old_passwords(content) if user else []
    return {**content, **{name: f"{{{{{constant(user, 'password')}}}}}" for name in old}} if old else content


def new_passwords(content: Json) -> list[str]:
    """Return the fields of a body that changes a password which hold the one to come."""
    old = old_passwords(content)
    return [name for name in content if name not in old and _ANY_PASSWORD.search(snake_case(name))]
