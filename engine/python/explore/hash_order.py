"""Repeats trials under further hash seeds, where the order of a set may show in what they return.

Two orders of a few texts are equal by chance in every second or third process, so that one other seed proves little.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ....core.errors import ProjectError
from ....sandbox.target import PythonTarget
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ..model.model import ModuleFacts, Observation, Trial
from ..model.observation_json import ObservedTrial
from ..search.observer import Conditions, open_observer

FURTHER_HASH_SEEDS = (3, 4, 5, 6, 7)
_UNORDERED = frozenset({"set", "frozenset", "hash"})
_RAN = frozenset({"returned", "raised"})


async def under_hash_seeds(
    target: PythonTarget, facts: ModuleFacts, chosen: Sequence[tuple[Trial, ObservedTrial]], conditions: Conditions
) -> dict[int, list[ObservedTrial]]:
    """Returns what trials whose outcome has texts do under each of `FURTHER_HASH_SEEDS`, by their index.

    Empty for a module that makes no set: the hashes of numbers are the same in each process. A seed for which no time
    is left tells nothing. Raises SandboxFailure.
    """
    asked = [index for index, (_, seen) in enumerate(chosen) if _shows_texts(seen.observation)]
    if not asked or not _makes_sets(target, facts):
        return {}
    trials = [chosen[index][0] for index in asked]

    async def repeat(seed: int) -> Sequence[ObservedTrial]:
        async with open_observer(target, facts, replace(conditions, hash_seed=seed)) as observer:
            return await observer.watch(trials)

    found: dict[int, list[ObservedTrial]] = {index: [] for index in asked}
    for answers in await asyncio.gather(*(repeat(seed) for seed in FURTHER_HASH_SEEDS)):
        for index, seen in zip(asked, answers, strict=True):
            found[index] += [seen] if seen.observation.outcome in _RAN else []
    return found


def _shows_texts(observation: Observation) -> bool:
    """Whether an outcome has quotation marks, or prints: the order of what it holds may show."""
    parts = [one for _, one in observation.effects]
    if observation.value is not None:
        parts += [observation.value, *(part for _, part in observation.value.attributes)]
    return bool(observation.output) or any("'" in (one.source or "") or '"' in (one.source or "") for one in parts)


def _makes_sets(target: PythonTarget, facts: ModuleFacts) -> bool:
    with suppress(OSError, UnicodeDecodeError, ProjectError):
        tree = parse_or_none(decoded_source(read_source_bytes(target.snapshot.path, facts.path)))
        return tree is not None and any(
            isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Name) and node.id in _UNORDERED)
            for node in ast.walk(tree)
        )
    return False
