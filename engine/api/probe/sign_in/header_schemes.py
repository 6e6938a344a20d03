"""Finds headers that are security schemes in all but name, by what the application answers to a made-up value.

A handler that declares `authorization: str = Header()` and compares it has a parameter in the document and no scheme;
OpenAPI even says that a parameter of that name is to be ignored. What counts is the answer: a header with such a name
whose made-up value is refused with 401 or 403, and without which the request does not work either, signs in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...document.application import AppObserver
from ...document.auth import header_scheme
from ...model.model import Api, ApiParameter, Operation
from ..resource_model import ResourceModel, build_request, put_parameter
from .shapes import logins, sign_ups

_MOST_ASKED = 12


async def with_header_schemes(observer: AppObserver, world: ResourceModel, read: Sequence[str] = ()) -> Api:
    """Return the API with a security scheme in place of each parameter that signs in; as it is where none does.

    Args:
        read: headers with names of credentials that the code reads itself, in a middleware perhaps: the schemes of
            operations that answer 401 or 403 although no document asks for anything.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    api = world.api
    asked = [known for known in api.operations if _of(known)]
    refusing: set[str] = set()
    for operation in sorted(asked, key=_readings_first)[:_MOST_ASKED]:
        names = {parameter.name.lower() for parameter in _of(operation)}
        if not names <= refusing and await _status(observer, world, operation, _of(operation)) in (401, 403):
            refusing |= names
    signing_in = {known.name for found in (logins, sign_ups) for known in found(api, world.samples)}
    operations: list[Operation] = []
    for operation in api.operations:
        found = [parameter for parameter in _of(operation) if parameter.name.lower() in refusing]
        # Without a header that may be left out, an operation may let everybody in, and tell some more than others.
        if found and not any(parameter.required for parameter in found):
            status = await _status(observer, world, operation, ())
            found = [] if 200 <= status < 400 else found
        if not found and read and not operation.security and operation.name not in signing_in:
            status = await _status(observer, world, operation, _of(operation))
            if status in (401, 403):
                ways = tuple((name.lower(),) for name in read)
                operations.append(replace(operation, security=ways))
                refusing |= {name.lower() for name in read}
                continue
        operations.append(_secured(operation, found) if found else operation)
    names = {name.lower(): name for name in read}
    schemes = {name: scheme for name in sorted(refusing) if (scheme := header_scheme(names.get(name, name)))}
    return replace(api, operations=tuple(operations), schemes={**schemes, **api.schemes}) if schemes else api


def without_schemes(api: Api, original: Api, closed: frozenset[str]) -> Api:
    """Return the API with the parameters of those operations that nobody is let in to, as the document has them.

    Args:
        original: the API as its document describes it.
        closed: names of the operations whose credentials nobody knows.
    """
    own = {operation.name: operation for operation in original.operations}
    operations = tuple(own[known.name] if known.name in closed else known for known in api.operations)
    used = {scheme for known in operations for way in known.security for scheme in way}
    schemes = {name: scheme for name, scheme in api.schemes.items() if name in used or name in original.schemes}
    return replace(api, operations=operations, schemes=schemes)


def _of(operation: Operation) -> list[ApiParameter]:
    """Return the parameters of an operation that may sign in, by their names."""
    return [
        parameter
        for parameter in operation.parameters
        if parameter.where == "header" and header_scheme(parameter.name) is not None
    ]


def _secured(operation: Operation, found: Sequence[ApiParameter]) -> Operation:
    names = tuple(parameter.name.lower() for parameter in found)
    ways = [way for way in operation.security if way] or [()]
    return replace(
        operation,
        parameters=tuple(parameter for parameter in operation.parameters if parameter not in found),
        security=tuple((*way, *names) for way in ways),
    )


async def _status(
    observer: AppObserver, world: ResourceModel, operation: Operation, headers: Sequence[ApiParameter]
) -> int:
    """Return what a request is answered with that has made-up values in some headers and none of the others'; or 0."""
    bare = replace(operation, parameters=tuple(known for known in operation.parameters if known not in _of(operation)))
    made = build_request(world, bare, linked=False)
    if made is None:
        return 0
    request = {key: entry for key, entry in made[0].items() if key != "auth"}
    for parameter in headers:
        value = world.samples.value(parameter.schema, parameter.name)
        put_parameter(request, parameter, value if isinstance(value, str | int) else "made-up")
    answers = await observer.answers([request])
    return answers[0].status if answers else 0


def _readings_first(operation: Operation) -> tuple[bool, bool]:
    return "{" in operation.path, operation.method != "GET"
