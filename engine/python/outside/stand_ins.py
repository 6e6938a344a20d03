"""Repeats a trial that reached the world outside with stand-ins in place of what it reached."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..usage.project_index import ProjectIndex
from .arrangement import Arrangement, arranged, combined
from .clocks import stopped_clocks, without_waiting
from .uses import OutsideUse, is_type_tested, uses_in_module, uses_of_callable

_MOST = 12
_CLOCK, _SLEEP = "clock:", "sleep:"


def reached(observation: Observation) -> frozenset[str]:
    """Names what an act reached of the world outside: `clock:MODULE`, `sleep:MODULE`, `program`, `network`."""
    found = {one for one in observation.consulted if one.startswith((_CLOCK, _SLEEP))}
    if observation.outcome == "refused" and observation.raised is not None:
        message = observation.raised.message
        if message.startswith(("subprocess", "os.posix_spawn")):
            found.add("program")
        if message.startswith(("network", "socket", "ssl")):
            found.add("network")
    return frozenset(found)


class StandIns:
    """Finds stand-ins for the callables of one module.

    Args:
        facts: the target module.
        index: its project.
    """

    def __init__(self, facts: ModuleFacts, index: ProjectIndex) -> None:
        self._facts = facts
        self._index = index
        self._subjects = {one.qualname: one for one in facts.callables()}

    def trials(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the trial with stand-ins for all it reached, the plainest first; empty where there is none."""
        subject = self._subjects.get(trial.subject)
        if subject is None:
            return []
        choices: list[list[Arrangement]] = []
        for one in sorted(reached(observation)):
            found = self._for(one, subject)
            if not found:
                return []
            choices.append(found)
        return [arranged(trial, one) for one in _varied(choices)] if choices else []

    def _for(self, one: str, subject: CallableFacts) -> list[Arrangement]:
        if one.startswith(_CLOCK):
            return stopped_clocks(self._stoppable(one.removeprefix(_CLOCK), subject))
        if one.startswith(_SLEEP):
            module = one.removeprefix(_SLEEP)
            return without_waiting(self._uses_in(module), module)
        return []

    def _uses_in(self, module: str) -> tuple[OutsideUse, ...]:
        facts = self._index.facts_of(module)
        return uses_in_module(facts, self._index) if facts is not None else ()

    def _stoppable(self, module: str, subject: CallableFacts) -> list[OutsideUse]:
        """Reads of the clock in a module by what the subject calls, else by any code of it.

        A class that `isinstance` is about is not replaced: answers would differ from those with the real one.
        """
        facts = self._index.facts_of(module)
        if facts is None:
            return []
        source = self._index.source_of(facts)
        own = [use for use in uses_of_callable(self._facts, subject, self._index) if use.module == module]
        for uses in (own, self._uses_in(module)):
            found = [use for use in uses if not is_type_tested(source, use.written.rpartition(".")[0])]
            if stopped_clocks(found):
                return found
        return []


def _varied(choices: Sequence[Sequence[Arrangement]]) -> list[Arrangement]:
    """The first of each choice together; then each choice varied alone."""
    first = [choice[0] for choice in choices]
    found = [combined(first)]
    for at, choice in enumerate(choices):
        found += [combined([*first[:at], other, *first[at + 1 :]]) for other in choice[1:]]
    return found[:_MOST]
