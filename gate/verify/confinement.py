"""Finds tests that change files outside their temporary folder: a kept test runs where the user's files are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from .interference import display_name

_SHOWN = 3
# What tools write for themselves beside a project, and caches, which anybody may lose.
_OWN_FOLDERS = frozenset({".pytest_cache", ".hypothesis", ".cache", ".mypy_cache", ".ruff_cache"})


def changed_outside(things: Iterable[str]) -> tuple[str, ...]:
    """Select what a test must leave alone: files of the project, of the home folder and of the system.

    Args:
        things: names as a watched run notes them; see sandbox/worker/suites/interleaving.py.
    """
    return tuple(thing for thing in things if thing.startswith(("./", "<home>", "/")) and not _is_cache(thing))


def confinement_reason(changed: Iterable[str]) -> str:
    """Say in one sentence why a test that changes these files is not kept."""
    shown = " and ".join(display_name(thing) for thing in tuple(changed)[:_SHOWN])
    return f"it changes files outside its temporary folder: {shown}"


def _is_cache(thing: str) -> bool:
    parts = PurePosixPath(thing).parts
    return bool(_OWN_FOLDERS & set(parts)) or parts[-1].startswith(".coverage")
