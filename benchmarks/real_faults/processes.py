"""Groups of pairs, several at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from ..generators.tools.generated import Terms
from ..generators.watched import adopt_orphans
from .trial import Group, Result, proven, tried


def tried_in_processes(groups: Sequence[Group], terms: Terms, suites: Path | None, jobs: int) -> Iterator[list[Result]]:
    """Try groups in processes that adopt what their programs leave; the results of each as they come.

    Args:
        suites: folder that the suites are laid in; None to run the proofs only.
        jobs: groups tried at the same time.
    """
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=adopt_orphans) as pool:
        waiting = [pool.submit(_one, group, terms, suites) for group in groups]
        for done in as_completed(waiting):
            yield done.result()


def _one(group: Group, terms: Terms, suites: Path | None) -> list[Result]:
    return proven(group, terms) if suites is None else tried(group, terms, suites)
