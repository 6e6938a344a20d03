"""What to do about the faults that ended steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.outcome import StepExit
from ..utils.names.counted import counted
from .reading import mapping, text

Json = Mapping[str, Any]
_MOST_NAMED = 3


def is_rejected(step: Json) -> bool:
    """Whether the safety gate rejected a step."""
    return mapping(step.get("result")).get("exit_reason") == StepExit.NOT_APPROVED


def advice_of_faults(plan: list[Json]) -> Iterator[str]:
    """What to do about the faults that ended steps, and about those that were not approved, in the plan's order.

    What several of them need is said once.
    """
    concerned: dict[str, list[str]] = {}
    for step in plan:
        advice = text(mapping(mapping(step.get("result")).get("failure")).get("advice"))
        if is_rejected(step):
            why = text(step.get("error_message")).removeprefix("not approved: ")
            yield f"The safety gate rejected a step: {why}{f'. {advice}' if advice else ''}"
        # What helps against a ceiling is said once, of the whole run.
        is_ceiling = mapping(step.get("result")).get("exit_reason") == StepExit.BUDGET_EXHAUSTED
        if step.get("status") == "failed" and advice and not is_ceiling:
            target = text(mapping(mapping(step.get("params")).get("target")).get("path"))
            concerned.setdefault(advice, []).extend([target] if target else [])
    for advice, targets in concerned.items():
        named = list(dict.fromkeys(targets))
        more = f" and {counted(len(named) - 1, 'other')}" if len(named) > _MOST_NAMED else ""
        shown = named[:1] if more else named
        yield f"{', '.join(shown)}{more}: {advice}" if named else advice
