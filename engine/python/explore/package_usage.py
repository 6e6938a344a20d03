"""Runs the examples of a module's package, and adds what they pass to the module to how the project uses it."""

from __future__ import annotations

from collections.abc import Sequence

from ....sandbox.deadline import deadline_after, is_past_deadline
from ..model.model import ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from ..search.parallel_observers import Watcher
from ..usage.passed_values import with_passed_values
from ..usage.usage import ProjectUsage

_AT_ONCE = 20
_MOST_SECONDS = 10.0
_MOST_ENDLESS = 2
_WITHOUT_END = frozenset({"timed_out", "out_of_memory", "crashed"})


async def with_examples_run(
    usage: ProjectUsage, facts: ModuleFacts, examples: Sequence[Trial], observer: Watcher
) -> ProjectUsage:
    """Returns the usage with what examples pass. After two that do not end by themselves, or ten seconds, the others
    are not run. Raises SandboxFailure.

    Args:
        examples: trials that record; see `package_examples`.
    """
    seen: list[tuple[Trial, ObservedTrial]] = []
    if not any(facts.callables()):
        return usage
    with deadline_after(_MOST_SECONDS):
        for first in range(0, len(examples), _AT_ONCE):
            batch = examples[first : first + _AT_ONCE]
            seen += zip(batch, await observer.watch(batch), strict=True)
            endless = sum(one.observation.outcome in _WITHOUT_END for _, one in seen)
            if endless >= _MOST_ENDLESS or is_past_deadline():
                break
    return with_passed_values(usage, facts, seen)
