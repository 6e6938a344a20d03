"""Finds the environment variables by which whoever calls a program changes what it does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from ....sandbox.worker.suites.user_environment import KEPT, READS
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import ModulePlace

_FIXED = frozenset({"NO_COLOR"})
"""What each run of a program sets itself."""
_ASKS = re.compile(r"""["']([A-Za-z_][A-Za-z0-9_]*)["']\s+(?:not\s+)?in\s+(?:os\.)?environ\b""")


def variables_of(root: Path, places: Iterable[ModulePlace], given: Collection[str]) -> tuple[str, ...]:
    """The variables that modules ask for by name, sorted, without those of the system. Blocks.

    Args:
        given: variables that the project's settings set, which its programs need.
    """
    found: set[str] = set()
    for place in places:
        text = source_or_empty(root, place.path)
        found.update(READS.findall(text), _ASKS.findall(text))
    fixed = {*given, *_FIXED}
    return tuple(sorted(name for name in found if name not in fixed and not KEPT.fullmatch(name)))
