"""Finds headers that are security schemes in all but name, by what the application answers to a made-up value.

A handler that declares `authorization: str = Header()` and compares it has a parameter in the document and no scheme;
OpenAPI even says that a parameter of that name is to be ignored. What counts is the answer: a header with such a name
whose made-up value is refused with 401 or 403, and without which the request does not work either, signs in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...document.application import AppObserver
from ...document.auth import header_scheme
from ...model.model import Api, ApiParameter, Operation
from ..resource_model import ResourceModel, build_request, put_parameter
from .shapes import logins, readings_first, sign_ups

_MOST_ASKED = 12


async def with_header_schemes(
    observer: AppObserver, world: ResourceModel, read: Sequence[str] = (), until: float | None = None
) -> Api:
    """Return the API with a security scheme in place of each parameter that signs in; as it is where none does.

    Args:
        read: headers with names of credentials that the code reads itself, in a middleware perhaps: the schemes of
            operations that answer 401 or 403 although no document asks for anything.
        until: when to stop asking, by the monotonic clock; None for never.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    api = world.api
    refusing: set[str] = set()
    for operation in sorted(filter(_of, api.operations), key=readings_first)[:_MOST_ASKED]:
        names = {parameter.name.lower() for parameter in _of(operation)}
        if names <= refusing or is_over(until):
            continue
        if await _status(observer, world, operation, _of(operation)) in (401, 403):
            refusing |= names
    found = {
        operation.name: parameters
        for operation in api.operations
        if (parameters := [parameter for parameter in _of(operation) if parameter.name.lower() in refusing])
    }
    # Without a header that may be left out, an operation may let everybody in, and tell some more than others.
    optional = {
        operation.name: []
        for operation in api.operations
        if operation.name in found and not any(parameter.required for parameter in found[operation.name])
    }
    closed = await _closed(observer, world, optional, lambda status: not 200 <= status < 400, until)
    found = {name: parameters for name, parameters in found.items() if name not in optional or name in closed}
    signing_in = {known.name for shape in (logins, sign_ups) for known in shape(api, world.samples)}
    bare = {
        operation.name: _of(operation)
        for operation in api.operations
        if read and operation.name not in found and not operation.security and operation.name not in signing_in
    }
    by_code = await _closed(observer, world, bare, lambda status: status in (401, 403), until)
    refusing |= {name.lower() for name in read} if by_code else set()
    ways = tuple((name.lower(),) for name in read)
    operations = tuple(
        replace(known, security=ways)
        if known.name in by_code
        else _secured(known, found[known.name])
        if known.name in found
        else known
        for known in api.operations
    )
    names = {name.lower(): name for name in read}
    schemes = {name: scheme for name in sorted(refusing) if (scheme := header_scheme(names.get(name, name)))}
    return replace(api, operations=operations, schemes={**schemes, **api.schemes}) if schemes else api


async def _closed(
    observer: AppObserver,
    world: ResourceModel,
    headers: Mapping[str, Sequence[ApiParameter]],
    is_refusal: Callable[[int], bool],
    until: float | None,
) -> set[str]:
    """Return the names of the operations that are refused with made-up values in some headers, and none in others.

    Each is asked, readings first, while there is time: one that lets everybody in must not be taken for a guarded one.

    Args:
        headers: by the names of the operations.
    """
    wanted = [operation for operation in world.api.operations if operation.name in headers]
    closed: set[str] = set()
    for operation in sorted(wanted, key=readings_first):
        if is_over(until):
            break
        if is_refusal(await _status(observer, world, operation, headers[operation.name])):
            closed.add(operation.name)
    return closed


def is_over(until: float | None) -> bool:
    """Whether a point of the monotonic clock has passed; None never does."""
    return until is not None and time.monotonic() > until


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
