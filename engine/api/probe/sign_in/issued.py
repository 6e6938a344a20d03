"""Finds requests that take what only somebody who has signed up has: further logins, and tokens that a login gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...document.operations import snake_case
from ...document.schemas import type_of
from ...model.json_values import leaves
from ...model.model import Json, Operation
from ...values.data import NOTHING
from ..resource_model import ISSUED, ResourceModel, build_request, fields_of, merge_setups, parse_json
from .shapes import logins, sign_ups, user_body
from .users import USER, with_constants

_INSTEAD: tuple[dict[str, str], ...] = ({}, {"name": "email"}, {"email": "name"})
Story = tuple[Json, tuple[Json, ...]]
"""A request, and those before it."""


def further_logins(world: ResourceModel, operation: Operation) -> Iterator[Story]:
    """Yield the request of a login by which nobody signs in, with the name and the password of the first user."""
    user = world.users.get(USER)
    known = operation.name in world.logins or operation.body is None or user is None or user.sign_in is None
    if known or operation not in logins(world.api, world.samples) or operation in sign_ups(world.api, world.samples):
        return
    tried: list[Any] = []
    for instead in _INSTEAD:
        content = user_body(operation, world.samples, instead)
        if content is NOTHING or content in tried:
            continue
        tried.append(content)
        made = build_request(world, operation, body=with_constants(content, USER))
        if made is not None:
            yield made


def with_issued_tokens(world: ResourceModel, operation: Operation) -> Iterator[Story]:
    """Yield a request whose body has a token as a login gives it under that name: `refresh_token`."""
    if operation.body is None:
        return
    properties = world.samples.properties(operation.body.schema)
    texts = [name for name, inner in properties.items() if type_of(world.samples.merged(inner)) in ("string", "")]
    named = [name for name in texts if snake_case(name).endswith("token")]
    plain = build_request(world, operation) if named else None
    content = fields_of(plain[0]) if plain is not None else None
    if plain is None or content is None:
        return
    names = {*world.logins, *(known.name for known in logins(world.api, world.samples))} - {operation.name}
    for login in [known for known in world.baselines.values() if known.operation.name in names]:
        given: dict[str, str] = {}
        for place, leaf in leaves(parse_json(login.answer)):
            if isinstance(leaf, str) and leaf:
                given.setdefault(snake_case(place.rpartition("/")[2]), place)
        taken = {name: f"{ISSUED}{snake_case(name)}" for name in named if snake_case(name) in given}
        if taken:
            saves = {variable: given[snake_case(name)] for name, variable in taken.items()}
            told = {name: f"{{{{{variable}}}}}" for name, variable in taken.items()}
            body = {**plain[0]["body"], "content": {**content, **told}}
            setup = merge_setups(plain[1], (*login.setup, {**login.request, "save": saves}))
            yield {**plain[0], "body": body}, tuple(setup)
