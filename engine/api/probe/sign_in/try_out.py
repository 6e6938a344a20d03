"""Tries to sign users in, and returns those whose requests the application lets through."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import product

from ...document.application import AppObserver
from ...document.apps import IDENTITIES
from ...document.auth import Credential, Kind, SignIn, credential_forms, is_read_by_code
from ...model.json_values import resolve_pointer
from ...model.model import Api, HttpAnswer, Json, Operation
from ...values.data import NOTHING
from ..execute import all_worked
from ..resource_model import ResourceModel, build_request, parse_json
from .failure import SignInFailure
from .shapes import basic_logins, is_for_administrators, logins, readings_first, sign_ups, user_body
from .users import ADMIN, OTHER, USER, sign_in_users, user_values

_MOST = 3
_MOST_CHECKED = 6
_SIGN_UP_AND_LOGIN = 2
_INSTEAD: tuple[Mapping[str, str], ...] = ({}, {"name": "email"}, {"email": "name"})
_TOKENS = ("access_token", "accessToken", "token", "auth_token", "jwt", "id_token", "key", "session_token", "sessionId")
_HOLDERS = ("", "/data", "/user", "/result", "/token", "/tokens", "/session")


@dataclass(frozen=True, slots=True)
class SeededUser:
    """A user that the application creates itself, or that a person named.

    Attributes:
        identity: name or e-mail address.
        variable: environment variable with the password.
        secret: its value, which is never written down.
    """

    identity: str
    variable: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Refused:
    """A request that is refused to everybody who has not signed in, and how."""

    request: Json
    answer: HttpAnswer


def seeded_users(sign_in: str, environment: Mapping[str, str], variables: Mapping[str, str]) -> tuple[SeededUser, ...]:
    """Return the users that the application may have from its start.

    Args:
        sign_in: `NAME:VARIABLE` of the settings; empty for none.
        environment: where the variable's value comes from.
        variables: those of the application: ADMIN_EMAIL and ADMIN_PASSWORD in them are a user, CLIENT_ID and
            CLIENT_SECRET a client that signs in for itself.
    """
    found: list[SeededUser] = []
    identity, _, variable = sign_in.rpartition(":")
    if identity and environment.get(variable):
        found.append(SeededUser(identity, variable, environment[variable]))
    for name, secret in variables.items():
        for ending in IDENTITIES if name.endswith("_PASSWORD") else ():
            known = variables.get(name.removesuffix("_PASSWORD") + ending)
            if known:
                found.append(SeededUser(known, name, secret))
        client = variables.get(f"{name.removesuffix('SECRET')}ID") if name.endswith("CLIENT_SECRET") else ""
        if client:
            found.append(SeededUser(client, name, secret))
    return tuple(dict.fromkeys(found))


async def find_users(
    observer: AppObserver, world: ResourceModel, seeded: Sequence[SeededUser] = ()
) -> dict[str, Credential]:
    """Return the users that can sign in, by name; empty where nobody can. They are signed in from then on.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    guarded = await _guarded(observer, world)
    for kind, parameter in _ways(world.api, guarded):
        # What signs up costs hashes of passwords: no more is tried than it takes.
        async with aclosing(_signing_up(observer, world, kind)) as sign_ins:
            async for sign_in, prefix in _with_prefixes(sign_ins, kind, parameter):
                own = Credential(USER, kind, "USER_PASSWORD", prefix, sign_in=sign_in)
                users = await _verified(observer, guarded, {USER: own})
                if users:
                    return await _with_others(observer, world, users, seeded, guarded)
        for user in seeded:
            async with aclosing(_logging_in(observer, world, kind, user)) as sign_ins:
                async for sign_in, prefix in _with_prefixes(sign_ins, kind, parameter):
                    own = Credential(USER, kind, user.variable, prefix, sign_in=sign_in)
                    users = await _verified(observer, guarded, {USER: own})
                    if users:
                        return users
    return {}


async def _with_prefixes(
    sign_ins: AsyncIterator[SignIn], kind: Kind, parameter: str
) -> AsyncIterator[tuple[SignIn, str]]:
    async for sign_in in sign_ins:
        for prefix in _prefixes(kind, parameter):
            yield sign_in, prefix


async def sign_in_failure(observer: AppObserver, world: ResourceModel) -> SignInFailure | None:
    """Return why nobody can sign in; None where the API has no operations for that.

    Asked where `find_users` found nobody. What fails first counts: the sign-up, else the login after it.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    sign_up, login = sign_ups(world.api, world.samples)[:1], logins(world.api, world.samples)[:1]
    requests = [made for known in (*sign_up, *login) if (made := _request(world, known, {})) is not None]
    if not requests:
        return None
    answers = await observer.answers(requests, names=user_values(USER, SignIn(())))
    at = next((at for at, answer in enumerate(answers) if not answer.ok), len(answers) - 1)
    last, label = answers[at], f"{requests[at]['method']} {requests[at]['path']}"
    # What a login that works answers may hold a token.
    shown = last.failure.splitlines()[0] if last.failure else "" if last.ok else " ".join(last.text.split())
    return SignInFailure(label, f"{last.status or ''} {shown}".strip(), last.ok)


def _ways(api: Api, guarded: Sequence[_Refused]) -> list[tuple[Kind, str]]:
    """Return the kinds of credentials that a login may give: those of the document, then what a refusal asks for."""
    declared = [form for scheme in api.schemes.values() for form in credential_forms(scheme)]
    asked: list[tuple[Kind, str]] = [("basic", "")] if any(_asks_for_a_pair(one.answer) for one in guarded) else []
    usual: list[tuple[Kind, str]] = [("bearer", ""), ("api_key_cookie", "")]
    return list(dict.fromkeys([*declared, *asked, *usual]))


def _asks_for_a_pair(answer: HttpAnswer) -> bool:
    return answer.header("www-authenticate").lower().startswith("basic")


def _prefixes(kind: Kind, parameter: str) -> tuple[str, ...]:
    """Return what precedes a token in its header; of other kinds the name of their parameter."""
    return ("", "Token", "JWT") if kind == "bearer" else (parameter,)


async def _with_others(
    observer: AppObserver,
    world: ResourceModel,
    users: dict[str, Credential],
    seeded: Sequence[SeededUser],
    guarded: Sequence[_Refused],
) -> dict[str, Credential]:
    """Add a second user, and one that the application has already, where they can sign in, too."""
    own = users[USER]
    more = {**users, OTHER: replace(own, name=OTHER, variable="OTHER_PASSWORD")}
    both = await _verified(observer, guarded, more)
    users, signed_in = both or users, bool(both)
    for user in seeded:
        async with aclosing(_logging_in(observer, world, own.kind, user)) as sign_ins:
            async for sign_in in sign_ins:
                admin = Credential(ADMIN, own.kind, user.variable, own.parameter, sign_in=sign_in)
                found = await _verified(observer, guarded, {**users, ADMIN: admin})
                if found:
                    return found
                signed_in = False
    for admin in _administrators(world, own):
        found = await _verified(observer, guarded, {**users, ADMIN: admin})
        if found:
            return found
        signed_in = False
    return users if signed_in else await _verified(observer, guarded, users)


def _administrators(world: ResourceModel, own: Credential) -> Iterator[Credential]:
    """Yield administrators who sign up as such, by another sign-up than users do, and then log in as users do."""
    sign_in = own.sign_in
    if sign_in is None or sign_in.identity or len(sign_in.requests) < _SIGN_UP_AND_LOGIN:
        return
    for sign_up in list(filter(is_for_administrators, sign_ups(world.api, world.samples)))[:_MOST]:
        before = _request(world, sign_up, {})
        if before is not None and before["path"] != sign_in.requests[0]["path"]:
            requests = (before, *sign_in.requests[1:])
            yield replace(own, name=ADMIN, variable="ADMIN_PASSWORD", sign_in=replace(sign_in, requests=requests))


async def _signing_up(observer: AppObserver, world: ResourceModel, kind: Kind) -> AsyncGenerator[SignIn]:
    """Yield sign-ups with the login that follows them, tried once."""
    for sign_up in sign_ups(world.api, world.samples)[:_MOST]:
        before = _request(world, sign_up, {})
        if before is None:
            continue
        if kind == "basic":
            for part in ("name", "email"):
                yield SignIn((before,), part)
            continue
        # A field of the login that the sign-up does not have is filled by another one.
        for request in _login_requests(world, _INSTEAD, besides=sign_up):
            found = await _tried(observer, (before, request), SignIn(()), kind)
            if found is not None:
                yield found
        alone = await _tried(observer, (before,), SignIn(()), kind)
        if alone is not None:
            yield alone


async def _logging_in(
    observer: AppObserver, world: ResourceModel, kind: Kind, user: SeededUser
) -> AsyncGenerator[SignIn]:
    """Yield logins of a user that exists already, tried once."""
    if kind == "basic":
        yield SignIn((), "name", user.identity, user.secret)
        return
    for request in _login_requests(world, _INSTEAD[:1]):
        known = SignIn((), "", user.identity, user.secret)
        found = await _tried(observer, (request,), known, kind)
        if found is not None:
            yield found


def _login_requests(
    world: ResourceModel, instead: Sequence[Mapping[str, str]], besides: Operation | None = None
) -> Iterator[Json]:
    """Yield requests that may log a user in: with a body, or in HTTP's basic scheme."""
    for login, other in product(logins(world.api, world.samples)[:_MOST], instead):
        request = _request(world, login, other)
        if request is not None and login is not besides:
            yield request
    for login, part in product(basic_logins(world.api)[:_MOST], ("basic", "basic_email")):
        header = {"Authorization": f"Basic {{{{{part}}}}}"}
        yield {"method": login.method, "path": login.path, "headers": header}


def _request(world: ResourceModel, operation: Operation, instead: Mapping[str, str]) -> Json | None:
    body = user_body(operation, world.samples, instead)
    made = build_request(world, operation, linked=False, body=body) if body is not NOTHING else None
    return {key: entry for key, entry in made[0].items() if key != "auth"} if made is not None else None


async def _tried(observer: AppObserver, requests: Sequence[Json], known: SignIn, kind: Kind) -> SignIn | None:
    """Send the requests, and return the sign-in where the last answer holds what a user needs."""
    values = user_values(USER, known)
    answers = await observer.answers(requests, names=values)
    if not all_worked(answers, requests):
        return None
    if kind == "api_key_cookie":
        return replace(known, requests=tuple(requests)) if "set-cookie" in answers[-1].headers else None
    pointer = _token_of(answers[-1])
    return replace(known, requests=tuple(requests), pointer=pointer) if pointer else None


def _token_of(answer: HttpAnswer) -> str:
    content = parse_json(answer)
    for holder in _HOLDERS:
        for name in _TOKENS:
            token = resolve_pointer(content, f"{holder}/{name}")
            if isinstance(token, str) and len(token) > 7:
                return f"{holder}/{name}"
    return ""


async def _verified(
    observer: AppObserver, guarded: Sequence[_Refused], users: dict[str, Credential]
) -> dict[str, Credential]:
    """Return the users where each is let through to what is refused to anonymous requests; empty where not."""
    for keeps in (True, False):
        tried = {
            name: replace(credential, sign_in=replace(credential.sign_in, keeps=keeps))
            for name, credential in users.items()
            if credential.sign_in is not None
        }
        if not await sign_in_users(observer, tried):
            continue
        if all([await _is_let_through(observer, guarded, name) for name in tried]):
            return tried
    await observer.sign_in({}, {}, keeps=False)
    return {}


async def _guarded(observer: AppObserver, world: ResourceModel) -> list[_Refused]:
    """Return requests that are refused to everybody who has not signed in."""
    declared = [operation for operation in world.api.operations if world.needs_auth(operation)]
    found: list[_Refused] = []
    for operation in sorted(declared or world.api.operations, key=readings_first):
        made = build_request(world, operation, linked=False)
        if made is None or len(found) == _MOST_CHECKED:
            continue
        request = {key: entry for key, entry in made[0].items() if key != "auth"}
        answers = await observer.answers([request])
        # Without a header that it requires, a request is refused for its form.
        by_form = is_read_by_code(world.api, operation) and answers and answers[0].status in (400, 422)
        if by_form or (answers and answers[0].keeps_out):
            found.append(_Refused(request, answers[0]))
    return [one for one in found if one.answer.keeps_out] or found


async def _is_let_through(observer: AppObserver, guarded: Sequence[_Refused], name: str) -> bool:
    for refused in guarded:
        anonymous = refused.answer.status
        # Asked twice, each time after a reset: a user that does not outlive it is known by that.
        answers = [await observer.answers([{**refused.request, "user": name}]) for _ in range(2)]
        if all(answer and _lets_through(answer[0], anonymous) for answer in answers):
            return True
    return False


def _lets_through(answer: HttpAnswer, anonymous: int) -> bool:
    """Whether an answer to a user is another than that to somebody who has not signed in, with this status."""
    return answer.lets_in and (answer.status != anonymous or anonymous < 400)
