"""Groups of pairs, several at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from ..generators.commands import PreparationError
from ..generators.tools.generated import Terms
from ..generators.watched import adopt_orphans
from .trial import Group, Result, proven, tried

_POOLS = 3


def tried_in_processes(groups: Sequence[Group], terms: Terms, suites: Path | None, jobs: int) -> Iterator[list[Result]]:
    """Try groups in processes that adopt what their programs leave; the results of each as they come.

    Args:
        suites: folder that the suites are laid in; None to run the proofs only.
        jobs: groups tried at the same time.

    Raises:
        PreparationError: groups are left that end their process again and again.
    """
    left = list(groups)
    for _ in range(_POOLS):
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=adopt_orphans) as pool:
            waiting = {pool.submit(_one, group, terms, suites): group for group in left}
            for done in as_completed(waiting):
                try:
                    found = done.result()
                except BrokenProcessPool:
                    continue  # whose process it was cannot be known: all that are left go to the next pool
                left.remove(waiting[done])
                yield found
        if not left:
            return
    raise PreparationError(f"{len(left)} modules could not be tried, because the process that tried them was ended")


def _one(group: Group, terms: Terms, suites: Path | None) -> list[Result]:
    return proven(group, terms) if suites is None else tried(group, terms, suites)
