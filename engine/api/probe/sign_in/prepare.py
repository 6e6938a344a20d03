"""Finds with which credentials and users an application is explored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .....core.errors import SandboxFailure
from ...document.application import AppObserver
from ...document.asked_names import name_asked_for, takes_name, with_name, with_wrapper, wrapper_of
from ...document.auth import (
    Credential,
    candidate_credentials,
    credential_forms,
    in_words,
    is_read_by_code,
    with_credentials,
)
from ...model.model import Api, Operation
from ..baselines import find_working_credentials
from ..resource_model import ResourceModel, build_request
from .failure import MissingCredential
from .header_schemes import is_over, with_header_schemes, without_schemes
from .shapes import basic_logins, logins, with_sign_up_fields
from .try_out import SeededUser, find_users, sign_in_failure
from .users import USER, sign_in_users, with_constants

_MOST_WRAPPING = 12
_WITH_BODY = ("POST", "PUT", "PATCH")


@dataclass(frozen=True, slots=True)
class CredentialSources:
    """Where the credentials of an application may come from.

    Attributes:
        secrets: variables that hold them; the application's environment has values for these.
        seeded: users that the application has already.
        values: what a person has set some of `secrets` to.
        literals: credentials that stand in the project's source, by the variables that are to hold them for the tests.
        headers: headers with names of credentials that the code reads itself.
    """

    secrets: Sequence[str] = ()
    seeded: Sequence[SeededUser] = ()
    values: Mapping[str, str] | None = None
    literals: Mapping[str, str] | None = None
    headers: Sequence[str] = ()


async def find_credentials(
    observer: AppObserver,
    world: ResourceModel,
    sources: CredentialSources,
    *,
    users: bool = True,
    until: float | None = None,
) -> dict[str, Credential]:
    """Find what opens the security schemes, and note it in the resource model; by the names in a spec's `auth`.

    Variables of the application that hold a secret come first, then what stands in its source; where none opens what is
    secured, a user signs in. The model's API gets a scheme for each header that is one in all but name.

    Args:
        users: whether users may sign in; without it only secrets of variables are tried.
        until: when to stop asking which headers sign in, by the monotonic clock; None for never.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    described = world.api
    filled = world.api = with_sign_up_fields(described, world.samples)
    names = _NamesAskedFor(observer, world, until)
    original = world.api = await names.corrected({})
    api = world.api = await with_header_schemes(observer, world, sources.headers, until)
    offered = candidate_credentials(api, sources.secrets, sources.values, sources.literals)
    found = await find_working_credentials(observer, world, offered)
    world.auth = {scheme: credential.name for scheme, credential in found.items()}
    credentials = {credential.name: credential for credential in found.values()}
    closed = [operation for operation in api.operations if world.needs_auth(operation) and not world.secured(operation)]
    # Where the document says nothing of security, whether something is refused shows it.
    if users and (closed or not api.schemes):
        world.users = await find_users(observer, world, sources.seeded)
        if not world.users:
            world.sign_in_failure = await sign_in_failure(observer, world)
    if world.users:
        for scheme, declared in api.schemes.items():
            if world.users[USER].kind in {kind for kind, _ in credential_forms(declared)}:
                world.auth.setdefault(scheme, USER)
        _note_logins(world)
    world.api = await _with_optional_sign_in(observer, world, until)
    _note_missing(world, original, sources.secrets)
    world.api = _without_unused_fields(world, described, filled)
    # Who is let in is told what is missing, too.
    credentials |= world.users
    world.api = await names.corrected(credentials)
    return credentials


@dataclass(slots=True)
class _NamesAskedFor:
    """Finds the names that the application asks for where its document has others; see `with_wrapper`.

    Attributes:
        until: when to stop, by the monotonic clock; None for never.
        told: names of the operations whose answer has told whether they ask for another name.
    """

    observer: AppObserver
    world: ResourceModel
    until: float | None
    told: set[str] = field(default_factory=set)

    async def corrected(self, credentials: dict[str, Credential]) -> Api:
        """Return the model's API with these names, asked for with some credentials."""
        api, found = self.world.api, dict[str, tuple[str, str]]()
        wrapping = [(one, here) for one in api.operations if (here := self._wrapper_of(one))]
        for operation, here in wrapping[:_MOST_WRAPPING]:
            if is_over(self.until):
                break
            there = await self._asked_by(operation, here, credentials)
            if there:
                found[operation.name] = (here, there)
        return with_wrapper(api, found) if found else api

    def _wrapper_of(self, operation: Operation) -> str:
        if operation.method not in _WITH_BODY or operation.name in self.told:
            return ""
        return wrapper_of(operation, self.world.api.components)

    async def _asked_by(self, operation: Operation, here: str, credentials: dict[str, Credential]) -> str:
        made = build_request(self.world, operation, linked=False)
        if made is None:
            return ""
        request = with_credentials(made[0], credentials)
        answers = await self.observer.answers([request])
        if not answers or answers[0].keeps_out:
            return ""
        self.told.add(operation.name)
        there = name_asked_for(answers[0], here)
        # An inner field that is missed looks the same: the other name has to be taken.
        again = await self.observer.answers([with_name(request, here, there)]) if there else []
        return there if again and takes_name(again[0], there) else ""


def _without_unused_fields(world: ResourceModel, described: Api, filled: Api) -> Api:
    """Return the API where only a sign-up by which somebody has signed up takes other fields than were described.

    Args:
        filled: see `with_sign_up_fields`.
    """
    before = {new.name: old for new, old in zip(filled.operations, described.operations, strict=True) if new is not old}
    sign_in = world.users[USER].sign_in if world.users else None
    used = {(request["method"], request["path"]) for request in (sign_in.requests if sign_in is not None else ())}
    operations = (
        replace(one, body=before[one.name].body) if one.name in before and (one.method, one.path) not in used else one
        for one in world.api.operations
    )
    return replace(world.api, operations=tuple(operations))


async def _with_optional_sign_in(observer: AppObserver, world: ResourceModel, until: float | None) -> Api:
    """Return the API where operations that may do without a sign-in, and let in who has none, let everybody in."""
    made: dict[str, Operation] = {}
    for operation in world.api.operations:
        if not operation.sign_in_optional or () in operation.security or is_over(until):
            continue
        built = build_request(world, operation, linked=False)
        anonymous = {key: entry for key, entry in built[0].items() if key != "auth"} if built is not None else None
        answers = await observer.answers([anonymous]) if anonymous is not None else []
        if answers and answers[0].lets_in:
            made[operation.name] = replace(operation, security=(*operation.security, ()))
    return replace(world.api, operations=tuple(made.get(one.name, one) for one in world.api.operations))


def _note_missing(world: ResourceModel, original: Api, secrets: Sequence[str]) -> None:
    """Note which operations nobody can open; their headers are parameters again, so that what they refuse is tested."""
    closed = [known for known in world.api.operations if world.needs_auth(known) and not world.secured(known)]
    schemes = dict.fromkeys(scheme for known in closed for way in known.security for scheme in way)
    wanted = dict.fromkeys(named for scheme in schemes if (named := in_words(world.api.schemes.get(scheme, {}))))
    if wanted:
        labels = tuple(operation.label for operation in closed)
        world.missing = MissingCredential(labels, tuple(wanted), tuple(secrets))
    names = frozenset(known.name for known in closed if is_read_by_code(world.api, known))
    world.api = without_schemes(world.api, original, names)


def _note_logins(world: ResourceModel) -> None:
    """Note what logs the first user in, so that the login itself is tested with it."""
    every = (*logins(world.api, world.samples), *basic_logins(world.api))
    known = {(operation.method, operation.path): operation for operation in every}
    sign_in = world.users[USER].sign_in
    requests = sign_in.requests if sign_in is not None else ()
    for request in requests[-1:]:
        operation = known.get((request["method"], request["path"]))
        content = (request.get("body") or {}).get("content")
        if operation is not None and content is not None:
            world.logins[operation.name] = with_constants(content, USER)
        if operation is not None and request.get("headers"):
            world.login_headers[operation.name] = with_constants(request["headers"], USER)


async def sign_in_again(observer: AppObserver, world: ResourceModel) -> None:
    """Sign the users in for the second observation, with other names. Raises SandboxFailure where that fails."""
    if not world.users:
        return
    if not await sign_in_users(observer, world.users, 1):
        raise SandboxFailure("the users who signed in could not do so a second time")
