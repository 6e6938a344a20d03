"""Finds requests that take what only somebody who has signed up has: further logins, and tokens that a login gave."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.operations import snake_case
from ...document.schemas import type_of
from ...model.json_values import leaves
from ...model.model import Json, Operation
from ...values.data import NOTHING
from ..resource_model import BaselineRequest, ResourceModel, build_request, merge_setups, parse_json
from .shapes import logins, user_body
from .users import USER, with_constants

_INSTEAD: tuple[dict[str, str], ...] = ({}, {"name": "email"}, {"email": "name"})
Story = tuple[Json, tuple[Json, ...]]
"""A request, and those before it."""


def further_logins(world: ResourceModel, operation: Operation) -> Iterator[Story]:
    """Yield the request of a login by which nobody signs in, with the name and the password of the first user."""
    user = world.users.get(USER)
    known = operation.name in world.logins or operation.body is None or user is None or user.sign_in is None
    if known or operation not in logins(world.api, world.samples):
        return
    for instead in _INSTEAD:
        content = user_body(operation, world.samples, instead)
        made = build_request(world, operation, body=with_constants(content, USER)) if content is not NOTHING else None
        if made is not None:
            yield made


def with_issued_tokens(world: ResourceModel, operation: Operation) -> Iterator[Story]:
    """Yield a request whose body has a token as a login gives it under that name: `refresh_token`."""
    if operation.body is None:
        return
    properties = world.samples.properties(operation.body.schema)
    texts = [name for name, inner in properties.items() if type_of(world.samples.merged(inner)) in ("string", "")]
    named = [name for name in texts if snake_case(name).endswith("token")]
    makers = [
        known for known in world.baselines.values() if _logs_in(world, known) and known.operation is not operation
    ]
    for login in makers if named else ():
        given = {snake_case(place.rpartition("/")[2]): place for place, _ in leaves(parse_json(login.answer))}
        saves = {f"issued_{snake_case(name)}": given[snake_case(name)] for name in named if snake_case(name) in given}
        plain = build_request(world, operation)
        if not saves or plain is None or not isinstance(plain[0]["body"]["content"], dict):
            continue
        taken = {name: f"{{{{issued_{snake_case(name)}}}}}" for name in named if snake_case(name) in given}
        body = {**plain[0]["body"], "content": {**plain[0]["body"]["content"], **taken}}
        yield (
            {**plain[0], "body": body},
            tuple(merge_setups(plain[1], (*login.setup, {**login.request, "save": saves}))),
        )


def _logs_in(world: ResourceModel, known: BaselineRequest) -> bool:
    return known.operation.name in world.logins or known.operation in logins(world.api, world.samples)
