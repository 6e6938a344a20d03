"""The modules that reviews are of: those it is developed with, those drawn by lot, and those kept aside."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

from ..generators.corpus import TWELVE, Subject, further

POOL = Path(__file__).with_name("pool.toml")
SETS = ("dev", "lot", "final")


def drawn(name: str, seed: int, count: int, path: Path = POOL) -> list[Subject]:
    """Modules of a set, drawn by lot, in the order of their names.

    Args:
        name: `dev` (the twelve of the benchmark and further ones), `lot` or `final`.
        count: of modules; all where there are fewer, or where it is 0.

    Raises:
        ValueError: the set is not one of `SETS`, or the list holds what is no module.
    """
    subjects = pool(name, path)
    if count and count < len(subjects):
        subjects = random.Random(seed).sample(subjects, count)
    return sorted(subjects, key=lambda subject: (subject.module, subject.package))


def pool(name: str, path: Path = POOL) -> list[Subject]:
    """All modules of a set, in the order of the list. Raises ValueError."""
    if name not in SETS:
        raise ValueError(f"{name}: not one of {', '.join(SETS)}")
    listed = [further(text) for text in tomllib.loads(path.read_text(encoding="utf-8"))[name]["modules"]]
    return [*TWELVE, *listed] if name == "dev" else listed


def kept_aside(path: Path = POOL) -> list[str]:
    """The packages of the final set, as the lot falls: six of its candidates by its seed."""
    final = tomllib.loads(path.read_text(encoding="utf-8"))["final"]
    return sorted(random.Random(final["seed"]).sample(sorted(final["candidates"]), 6))


def named(words: Sequence[str]) -> list[Subject]:
    """Modules as they are named by hand, `PACKAGE==VERSION:module`. Raises ValueError."""
    return [further(word) for word in words]
