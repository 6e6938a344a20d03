"""Repeats trials under further hash seeds, where the order of a set may show in what they return.

Two orders of a few texts are equal by chance in every second or third process, so that one other seed proves little.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ....core.errors import ProjectError
from ....sandbox.target import PythonTarget
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import decoded_source, read_source_bytes
from ..model.model import ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from ..search.observer import Conditions, open_observer

FURTHER_HASH_SEEDS = (3, 4, 5, 6, 7)
_UNORDERED = frozenset({"set", "frozenset", "hash"})
_FEWEST_TEXTS = 2


async def under_hash_seeds(
    target: PythonTarget, facts: ModuleFacts, trials: Sequence[Trial], conditions: Conditions
) -> dict[int, list[ObservedTrial]]:
    """Returns what trials with several texts do under each of `FURTHER_HASH_SEEDS`, by their index.

    Empty for a module that makes no set: the hashes of numbers are the same in each process. Raises SandboxFailure.
    """
    asked = [index for index, trial in enumerate(trials) if _has_several_texts(trial)]
    if not asked or not _makes_sets(target, facts):
        return {}
    found: dict[int, list[ObservedTrial]] = {index: [] for index in asked}
    for seed in FURTHER_HASH_SEEDS:
        async with open_observer(target, facts, replace(conditions, hash_seed=seed)) as observer:
            for index, seen in zip(asked, await observer.watch([trials[at] for at in asked]), strict=True):
                found[index].append(seen)
    return found


def _has_several_texts(trial: Trial) -> bool:
    trees = [tree for text in (*trial.arrange, trial.act) if (tree := parse_or_none(text)) is not None]
    nodes = (node for tree in trees for node in ast.walk(tree))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)}
    return len(texts) >= _FEWEST_TEXTS


def _makes_sets(target: PythonTarget, facts: ModuleFacts) -> bool:
    with suppress(OSError, UnicodeDecodeError, ProjectError):
        tree = parse_or_none(decoded_source(read_source_bytes(target.snapshot.path, facts.path)))
        return tree is not None and any(
            isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Name) and node.id in _UNORDERED)
            for node in ast.walk(tree)
        )
    return False
