"""Finds with which credentials and users an application is explored."""

from __future__ import annotations

from collections.abc import Sequence

from .....core.errors import SandboxFailure
from ...document.application import AppObserver
from ...document.auth import Credential, candidate_credentials, credential_kind
from ..baselines import find_working_credentials
from ..resource_model import ResourceModel
from .shapes import basic_logins, logins
from .try_out import SeededUser, find_users, sign_in_failure
from .users import USER, constants_of, with_constants, worker_users


async def find_credentials(
    observer: AppObserver,
    world: ResourceModel,
    secrets: Sequence[str],
    seeded: Sequence[SeededUser] = (),
    *,
    users: bool = True,
) -> dict[str, Credential]:
    """Find what opens the security schemes, and note it in the resource model; by the names in a spec's `auth`.

    Variables of the application that hold a secret come first; where none opens what is secured, a user signs in.

    Args:
        users: whether users may sign in; without it only secrets of variables are tried.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    api = world.api
    found = await find_working_credentials(observer, world, candidate_credentials(api, secrets))
    world.auth = {scheme: credential.name for scheme, credential in found.items()}
    credentials = {credential.name: credential for credential in found.values()}
    closed = [operation for operation in api.operations if world.needs_auth(operation) and not world.secured(operation)]
    # Where the document says nothing of security, whether something is refused shows it.
    if not users or not (closed or not api.schemes):
        return credentials
    world.users = await find_users(observer, world, seeded)
    if not world.users:
        world.sign_in_failure = await sign_in_failure(observer, world)
        return credentials
    for scheme, declared in api.schemes.items():
        form = credential_kind(declared)
        if form is not None and form[0] == world.users[USER].kind:
            world.auth.setdefault(scheme, USER)
    _note_logins(world)
    return {**credentials, **world.users}


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
    keeps = any(user.sign_in is not None and user.sign_in.keeps for user in world.users.values())
    if not await observer.sign_in(worker_users(world.users, 1), constants_of(world.users, 1), keeps=keeps):
        raise SandboxFailure("the users who signed in could not do so a second time")
