"""Finds lists whose order depends on the seed of hashes: an application that keeps them in sets tells them in any."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from time import monotonic
from typing import Any

from .....core.errors import EnvironmentFault
from .....sandbox.target import PythonTarget
from ...document.application import AppConditions, AppLaunch, AppObserver, open_application
from ...document.auth import Credential
from ...model.json_values import escape_key, resolve_pointer
from ...model.model import ObservedProposal
from ..execute import execute_proposals
from ..resource_model import ResourceModel, parse_json
from ..sign_in.prepare import sign_in_again
from .moments import reading_of

_SEEDS = (2, 3, 5)
_MORE_SEEDS = (7, 11, 13, 17, 19, 23)
"""Tried where the first have shown that the application has sets: of a set of two, every other seed agrees."""
_MOST_TRIED = 60
_MOST_TRIED_OF_SETS = 300
_ELSEWHERE = frozenset({"node", "npm", "npx", "yarn", "pnpm", "bun", "deno", "go", "java", "ruby", "php", "dotnet"})
"""Programs that start applications for which a seed of Python's hashes means nothing."""
Place = tuple[str, str]
"""What is read, by `reading_of`, and where a list stands in its answers, whatever the members above it are."""


async def mark_sets(
    target: PythonTarget,
    launch: AppLaunch,
    conditions: AppConditions,
    world: ResourceModel,
    seen: Sequence[ObservedProposal],
    credentials: Mapping[str, Credential],
    seconds: float = math.inf,
) -> list[ObservedProposal]:
    """Return observations with the lists of texts marked that other seeds put in another order.

    Two seeds may agree by chance. Nothing more is started where no answer has a list of several texts, nor after a
    start that fails: what was seen before stands.

    Args:
        seconds: how long it may take, approximately; what one start has shown stands without the others.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    until = monotonic() + seconds
    asked: dict[Place, ObservedProposal] = {}
    for observed in seen:
        for pointer, _ in _texts(observed):
            asked.setdefault(_place(observed, pointer), observed)
    moved: set[Place] = set()
    for seed in (*_SEEDS, *_MORE_SEEDS):
        if seed in _MORE_SEEDS and not moved:
            break
        left = [one for place, one in asked.items() if place not in moved]
        most = _MOST_TRIED_OF_SETS if moved else _MOST_TRIED
        tried = list({id(one): one for one in left}.values())[:most]
        if not tried or monotonic() >= until:
            break
        try:
            async with open_application(target, launch, replace(conditions, hash_seed=seed)) as observer:
                await sign_in_again(observer, world)
                moved.update(await _moved_in(observer, tried, credentials, until))
        except EnvironmentFault:
            break
    return [_marked(observed, moved) for observed in seen] if moved else list(seen)


async def _moved_in(
    observer: AppObserver, tried: Sequence[ObservedProposal], credentials: Mapping[str, Credential], until: float
) -> set[Place]:
    """Return the lists that one start of the application tells in another order."""
    moved: set[Place] = set()
    for one in tried:
        if monotonic() >= until:
            break
        [other] = await execute_proposals(observer, [one.proposal], credentials)
        # What hangs would take its whole limit each time.
        if other.answer.failure and not other.answer.broken_link:
            break
        moved.update(_moved(one, other))
    return moved


def runs_elsewhere(launch: AppLaunch) -> bool:
    """Whether an application is started by a program of another language, by its name."""
    return bool(launch.command) and PurePath(launch.command[0]).stem in _ELSEWHERE


def _place(observed: ObservedProposal, pointer: str) -> Place:
    return reading_of(observed), re.sub(r"/[0-9]+(?=/|$)", "/0", pointer)


def _texts(observed: ObservedProposal) -> Iterator[tuple[str, list[str]]]:
    """Yield each list of several texts in an answer that succeeds, with its pointer."""
    if observed.complete and observed.steady and observed.answer.ok:
        yield from _lists(parse_json(observed.answer), "")


def _lists(value: Any, pointer: str) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _lists(entry, f"{pointer}/{escape_key(str(key))}")
    elif isinstance(value, list):
        if len(value) > 1 and all(isinstance(one, str) for one in value):
            yield pointer, value
        for number, entry in enumerate(value):
            yield from _lists(entry, f"{pointer}/{number}")


def _moved(observed: ObservedProposal, other: ObservedProposal) -> Iterator[Place]:
    theirs = parse_json(other.answer)
    for pointer, members in _texts(observed):
        found = resolve_pointer(theirs, pointer)
        same = isinstance(found, list) and all(isinstance(one, str) for one in found) and found != members
        # Who asks may be among them, under another name each time: what both have tells the order.
        if same and [one for one in members if one in found] != [one for one in found if one in members]:
            yield _place(observed, pointer)


def _marked(observed: ObservedProposal, moved: set[Place]) -> ObservedProposal:
    found = {pointer for pointer, _ in _texts(observed) if _place(observed, pointer) in moved}
    return replace(observed, unordered=observed.unordered | found) if found else observed
