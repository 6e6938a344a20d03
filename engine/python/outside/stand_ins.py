"""Repeats a trial that reached the world outside with stand-ins in place of what it reached."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..source.moments import NOW
from ..source.titles import arguments_of
from ..usage.project_index import ProjectIndex
from .answers import json_answers
from .arrangement import Arrangement, arranged, combined
from .bodies import bodies_of
from .clocks import stopped_clocks, without_waiting
from .programs import finished_programs
from .servers import answering_servers
from .uses import OutsideUse, reachable, type_tested, uses_in_module, uses_of_callable

_MOST = 12
_HOUR = 3600
_CLOCK, _SLEEP = "clock:", "sleep:"
PROGRAM, NETWORK = "program", "network"


def reached(observation: Observation) -> frozenset[str]:
    """Names what an act reached of the world outside: `clock:MODULE`, `sleep:MODULE`, `program`, `network`."""
    found = {one for one in observation.consulted if one.startswith((_CLOCK, _SLEEP))}
    if observation.outcome == "refused" and observation.raised is not None:
        message = observation.raised.message
        if message.startswith(("subprocess", "os.posix_spawn")):
            found.add(PROGRAM)
        if message.startswith(("network", "socket", "ssl")):
            found.add(NETWORK)
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
            found = self._for(one, subject, trial)
            if not found:
                return []
            choices.append(found)
        if not choices:
            return []
        found = [arranged(trial, one) for one in _varied(choices)]
        return [found[0], *_later(trial, found[0], subject), *found[1:]]

    def _for(self, one: str, subject: CallableFacts, trial: Trial) -> list[Arrangement]:
        if one.startswith(_CLOCK):
            return self._stopped(one.removeprefix(_CLOCK), subject)
        if one.startswith(_SLEEP):
            module = one.removeprefix(_SLEEP)
            return without_waiting(self._uses_in(module), module)
        uses = uses_of_callable(self._facts, subject, self._index)
        bodies = bodies_of(self._facts, subject, self._index)
        answers = json_answers(self._facts, subject, self._index, _texts_passed(trial, subject))
        if one == PROGRAM:
            return finished_programs(uses, bodies, answers)
        modules = {where.module: where for where, _ in reachable(self._facts, subject, self._index)}
        imported = {_top(statement) for where in modules.values() for _, statement in where.imports}
        return answering_servers(uses, imported, bodies, answers, asynchronous=subject.is_async)

    def _uses_in(self, module: str) -> tuple[OutsideUse, ...]:
        facts = self._index.facts_of(module)
        return uses_in_module(facts, self._index) if facts is not None else ()

    def _stopped(self, module: str, subject: CallableFacts) -> list[Arrangement]:
        """What stops the clocks that a module reads for what the subject calls, else for any code of it."""
        facts = self._index.facts_of(module)
        if facts is None:
            return []
        source = self._index.source_of(facts)
        own = [use for use in uses_of_callable(self._facts, subject, self._index) if use.module == module]
        found = (stopped_clocks(uses, type_tested(uses, source)) for uses in (own, self._uses_in(module)))
        return next((one for one in found if one), [])


def _later(trial: Trial, stopped: Trial, subject: CallableFacts) -> list[Trial]:
    """Returns the trial on an object with an hour gone by since something was done with it, where a clock allows it."""
    if subject.kind not in ("method", "property") or len(trial.arrange) < len(("built", "filled")):
        return []
    if not any(text.endswith(f"lambda: {NOW})") for text in stopped.arrange):
        return []
    return [replace(stopped, arrange=(*stopped.arrange, f"{NOW} += {_HOUR}"))]


def _texts_passed(trial: Trial, subject: CallableFacts) -> dict[str, str]:
    """Returns the texts that the act passes to the subject, by parameter."""
    try:
        given = arguments_of(trial.act, subject)
    except SyntaxError:
        return {}
    constants = {one.name: one.node.value for one in given if isinstance(one.node, ast.Constant)}
    return {name: value for name, value in constants.items() if name and isinstance(value, str)}


def _top(statement: str) -> str:
    """The top-level package that an import statement imports."""
    return statement.split()[1].partition(".")[0]


def _varied(choices: Sequence[Sequence[Arrangement]]) -> list[Arrangement]:
    """The first of each choice together; then each choice varied alone."""
    first = [choice[0] for choice in choices]
    found = [combined(first)]
    for at, choice in enumerate(choices):
        found += [combined([*first[:at], other, *first[at + 1 :]]) for other in choice[1:]]
    return found[:_MOST]
