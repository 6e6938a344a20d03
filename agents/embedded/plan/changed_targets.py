"""Limits targets to changed code, which is passed as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...contract.protocol import JsonObject
from .target_index import ModuleTarget, TargetIndex


def changed_targets(
    targets: Sequence[ModuleTarget], changes: Mapping[str, Any], index: TargetIndex
) -> tuple[ModuleTarget, ...]:
    """Select the targets with changes, limited to the changed symbols.

    Args:
        changes: `files`: path → qualified names, or None for a file that changed as a whole.
    """
    files: Mapping[str, Any] = changes["files"]
    kept: list[ModuleTarget] = []
    for target in targets:
        path = target.place.path
        if path not in files:
            continue
        names = files[path]
        if names is None:
            kept.append(target)
            continue
        known = index.symbols_of(target.place.module)
        wanted = _both(target.symbols, tuple(name for name in names if name in known))
        if wanted:
            kept.append(ModuleTarget(target.place, wanted))
    return tuple(kept)


def unchanged_rows(
    targets: Sequence[ModuleTarget], kept: Sequence[ModuleTarget], changes: Mapping[str, Any]
) -> list[JsonObject]:
    """Build rows of `skipped` for the targets left out: one row for all unchanged files together."""
    left = {target.place.path for target in targets} - {target.place.path for target in kept}
    reasons = {row["target"]: str(row["reason"]) for row in changes["left_out"] if row["target"] in left}
    rows: list[JsonObject] = [{"target": path, "reason": reason} for path, reason in sorted(reasons.items())]
    others = len(left) - len(reasons)
    if others:
        modules = "1 module" if others == 1 else f"{others} modules"
        rows.append({"target": modules, "reason": f"no change since {changes['since']} ({str(changes['base'])[:12]})"})
    return rows


def _both(requested: tuple[str, ...] | None, changed: tuple[str, ...]) -> tuple[str, ...]:
    """Intersect requested and changed names; a method belongs to its class."""
    if requested is None:
        return changed
    within = [name for name in changed if name in requested or name.partition(".")[0] in requested]
    around = [name for name in requested if name.partition(".")[0] in changed and name not in within]
    return (*within, *around)
