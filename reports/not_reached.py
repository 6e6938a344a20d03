"""What no test reaches, once for each place: several kinds of tests may be about one file, and miss the same there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import NotReached, ReportTarget


def places_not_reached(targets: Sequence[ReportTarget]) -> list[tuple[str, NotReached]]:
    """Callables that got no test, each with the path of its file."""
    return _once((target.path, row) for target in targets for row in target.not_reached)


def places_not_taken(targets: Sequence[ReportTarget]) -> list[tuple[str, NotReached]]:
    """Ways through targets that no kept test took, each with the path of its file."""
    return _once((target.path, row) for target in targets for row in target.not_taken)


def _once(found: Iterable[tuple[str, NotReached]]) -> list[tuple[str, NotReached]]:
    """One row of those that give the same reason at the same place: one with a question where there is one."""
    kept: dict[tuple[str, NotReached], NotReached] = {}
    for path, row in found:
        key = (path, row.model_copy(update={"question": ""}))
        if key not in kept or not kept[key].question:
            kept[key] = row
    return [(path, row) for (path, _), row in kept.items()]
