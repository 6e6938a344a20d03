"""Phrases the notes on a mutant measurement that its verdicts do not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...utils.names.counted import counted

_SHOWN = 3
_REASONS = {
    "time": "the time was up; more of it, or a smaller sample, lets all be tried",
    "ended": "the process that tries them ended early, perhaps by a mutant or a test; the score is of the rest",
    "judges": "no test judges",
}


def notes_of(facts: Sequence[Mapping[str, Any]], unanswered: int) -> list[str]:
    """Sentences on what the worker told.

    Args:
        facts: the worker's.
        unanswered: mutants that were to be tried and that the worker says nothing of.
    """
    return [*_of_tests(facts), *([_of_untried(facts, unanswered)] if unanswered else [])]


def _of_tests(facts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for fact in facts:
        failing = list(fact.get("failing") or ())
        names = ", ".join(failing[:_SHOWN]) + (" and more" if len(failing) > _SHOWN else "")
        if fact["kind"] == "control" and failing:
            one = len(failing) == 1
            verb, they = ("judges", "it does") if one else ("judge", "they do")
            tests = counted(len(failing), "test")
            yield f"{tests} {verb} no mutant, because {they} not pass in a forked process: {names}"
        if fact["kind"] == "after" and failing:
            needed = f"{counted(len(failing), 'test')} need{'s' if len(failing) == 1 else ''}"
            yield f"mutants have damaged files that {needed}, so the score may be too high: {names}"


def _of_untried(facts: Sequence[Mapping[str, Any]], number: int) -> str:
    """Without a last word of the worker, it was ended for its time."""
    why = next((fact["untried"] for fact in facts if fact["kind"] == "end"), "time")
    return f"{number} {'mutant is' if number == 1 else 'mutants are'} untried: {_REASONS.get(why, why)}"
