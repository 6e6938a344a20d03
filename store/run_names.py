"""Finds the run that a person means: by its id, by how its id begins, or as the latest."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from ..core.errors import RunNotFound, UsageError
from .database.database import Store
from .files.run_folder import RunFolder, run_ids

LATEST = "latest"
_SHORTEST = 8
_GIVEN_BY_US = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NAMED = 5


def find_run(name: str, store: Store, state_dir: Path, *, root: Path | None = None) -> str:
    """The id of a run.

    Args:
        name: an id, the beginning of one, or `latest` for the newest run; a run with that very id goes first.
        root: of the project whose newest run counts; None for all that are kept there.

    Raises:
        RunNotFound: there is no such run.
        UsageError: several ids begin so, or none can.
    """
    recorded = [run.run_id for run in store.runs.all(root=None if root is None else str(root))]
    known = dict.fromkeys([*recorded, *run_ids(state_dir)])
    if name in known:
        return name
    if name == LATEST:
        if recorded:
            return recorded[0]
        raise RunNotFound(f"There are no runs in {state_dir}.", advice="`testwright run` makes the first one.")
    found = [run_id for run_id in known if name and run_id.startswith(name)]
    if len(found) > 1:
        named = ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
        raise UsageError(f"Several runs begin with {name}: {named}.", advice="Give more of the id.")
    # An id that nobody knows is refused in the same words everywhere.
    return found[0] if found else RunFolder(state_dir, name).require().run_id


def short_ids(ids: Collection[str]) -> dict[str, str]:
    """Beginnings of ids that name one run each: eight characters, or more where two runs share them.

    An id that a person gave with `--run-id` stays as it is.
    """
    return {run_id: _short(run_id, ids) if _GIVEN_BY_US.fullmatch(run_id) else run_id for run_id in ids}


def _short(run_id: str, ids: Collection[str]) -> str:
    others = [other for other in ids if other != run_id]
    lengths = (n for n in range(_SHORTEST, len(run_id)) if not any(other.startswith(run_id[:n]) for other in others))
    return run_id[: next(lengths, len(run_id))]
