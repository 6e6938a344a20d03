"""Asks for the answer that tells an effect, and for what the same request is answered otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.model import HttpAnswer, Json
from ..baselines import BaselineFinder
from ..execute import all_worked


async def last_answer(finder: BaselineFinder, steps: Sequence[Json], *, again: bool = False) -> HttpAnswer | None:
    """Return the answer to the last of some requests; None where not all of them work.

    Args:
        again: whether they are sent although they were sent before.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    answers = await finder.send(steps, again=again)
    return answers[-1] if all_worked(answers, steps) else None


async def usual_answers(finder: BaselineFinder, steps: Sequence[Json]) -> tuple[HttpAnswer, HttpAnswer] | None:
    """Return two answers to the last of the usual requests; None where they do not work any more.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    first, again = await last_answer(finder, steps), await last_answer(finder, steps, again=True)
    return (first, again) if first is not None and again is not None else None
