"""Renders the steps of a plan, and what happened, for the prompts of agents that steer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..prompt import bullets

LONGEST_TEXT = 4000
"""Characters of a request, or of other data, in a prompt."""
_MOST_LINES = 60
_LONGEST_LINE = 240
_MOST_NAMES = 12


def step_lines(steps: Iterable[Mapping[str, Any]]) -> str:
    """One line a step: what it is about, how it ended, what it kept, what of it has no test, and why."""
    return latest(_line(step) for step in steps)


def latest(lines: Iterable[str]) -> str:
    """The last lines, each cut at its limit; how many were left out is said."""
    found = [line[:_LONGEST_LINE] for line in lines]
    left_out = len(found) - _MOST_LINES
    head = [f"({left_out} earlier ones are left out)"] if left_out > 0 else []
    return bullets([*head, *found[-_MOST_LINES:]])


def _line(step: Mapping[str, Any]) -> str:
    names = [str(name) for name in step.get("untested") or ()]
    parts = [
        f"{step.get('id')} ({step.get('type')})",
        str(step.get("path") or ""),
        f"{step.get('status')}",
        f"{step.get('kept')} tests kept" if step.get("kept") else "",
        f"without a test: {', '.join(names[:_MOST_NAMES])}" if names else "",
        f"not reached: {'; '.join(map(str, step.get('reasons') or ()))}" if step.get("reasons") else "",
        f"error: {step['error']}" if step.get("error") else "",
    ]
    return ", ".join(part for part in parts if part)
