"""Client of the mutant worker: runs trials on mutants through sandbox/worker/mutants/compare_trials.py.

If the worker is lost, unanswered trials count as not run.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from ....core.errors import SandboxFailure
from ....mutation.model import Mutant
from ....sandbox.deadline import within_deadline
from ....sandbox.protocol import Network, Session
from ....sandbox.target import PythonTarget
from ....utils.canonical import attributes
from ..model.model import ModuleFacts, Trial
from ..model.observation_json import ObservedTrial, observed_trial, parsed
from ..project.import_errors import import_failure, import_timeout
from ..search.observer import SILENCE_SECONDS, START_SECONDS, ClockSettings, Conditions, Observer, trial_json

CONDITIONS = Conditions(hash_seed=1, clock=ClockSettings("ticking"), cpu_seconds=1.0)
PORTION = 80


@dataclass(frozen=True, slots=True)
class MutantRequest:
    """A request to run trials on a mutant.

    Attributes:
        number: its id in the answer.
        imported: whether its line runs at import.
        trials: numbers of the trials to run on it, in order.
        enough: stop after so many trials that differ.
    """

    number: int
    mutant: Mutant
    imported: bool
    trials: tuple[int, ...]
    enough: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A trial with another outcome on a mutant: the facets that differ, and the message of its exception there."""

    trial: int
    facets: frozenset[str]
    message: str = ""


@dataclass(frozen=True, slots=True)
class MutantOutcome:
    """The result of one mutant; statuses as in worker/mutants/compare_trials.py."""

    number: int
    status: str
    ran: int
    differences: tuple[Difference, ...] = ()


class MutantWorkerClient:
    """Client of a worker that has loaded the target. Created by `open_mutant_worker`."""

    def __init__(self, session: Session) -> None:
        self._session: Session | None = session

    async def learn(self, trials: Sequence[Trial]) -> list[ObservedTrial | None]:
        """Runs further trials on the original module; they are numbered in order. None where the worker is lost."""
        return [one async for part in self.learning(trials) for one in part]

    async def learning(self, trials: Sequence[Trial]) -> AsyncGenerator[list[ObservedTrial | None]]:
        """Runs trials like `learn`, in portions: the worker runs the next one while the caller handles one."""
        parts = [trials[start : start + PORTION] for start in range(0, len(trials), PORTION)]
        for place, part in enumerate(parts):
            if not place:
                await self._send(_trials_json(part))
            answers = await self._receive(len(part))
            if place + 1 < len(parts):
                await self._send(_trials_json(parts[place + 1]))
            yield [*map(_observed, answers)] + [None] * (len(part) - len(answers))

    async def run(self, asked: Iterable[MutantRequest]) -> list[MutantOutcome]:
        """Runs mutants; returns the outcomes in the order of their numbers."""
        everything = list(asked)
        if everything:
            await self._send({"mutants": [_asked_json(one) for one in everything]})
        answers = await self._receive(len(everything))
        outcomes: list[MutantOutcome] = []
        for answer in answers:
            with suppress(ValueError):  # a mutant wrote in the worker's place: it has no outcome
                outcomes.append(parsed(answer, _outcome))
        return sorted(outcomes, key=lambda outcome: outcome.number)

    async def _send(self, request: object) -> None:
        if self._session is not None:
            try:
                await self._session.send(json.dumps(request).encode())
            except SandboxFailure:
                self._session = None

    async def _receive(self, expected: int) -> list[bytes]:
        """Receives so many answers; fewer if the worker is lost."""
        answers: list[bytes] = []
        try:
            while self._session is not None and len(answers) < expected:
                line = await self._session.receive(within_deadline(SILENCE_SECONDS))
                if line is None:
                    self._session = None
                else:
                    answers.append(line)
        except (TimeoutError, SandboxFailure):
            self._session = None
        return answers


@asynccontextmanager
async def open_mutant_worker(
    target: PythonTarget, facts: ModuleFacts, network: Network = "none"
) -> AsyncGenerator[MutantWorkerClient]:
    """Opens a worker on a fresh workspace, with the real clock where the target does not import under a fake one.

    Raises:
        TargetImportError: the target does not import here.
        SandboxFailure: the worker does not start.
    """
    async with target.workspace() as workspace:
        for clock in (CONDITIONS.clock, None):
            conditions = replace(CONDITIONS, clock=clock, network=network)
            observer = Observer(target, facts, conditions, workspace)
            program = observer.program("mutants.compare_trials")
            async with target.sandbox.session(program) as session:
                more = {"project": str(workspace.project), "target": facts.path, "jobs": os.cpu_count() or 1}
                scratch = workspace.scratch / "lockstep"
                await session.send(json.dumps(observer.configuration(scratch) | more).encode())
                try:
                    line = await session.receive(START_SECONDS + target.import_seconds)
                except TimeoutError as timeout:
                    raise import_timeout(facts, target) from timeout
                answer = _opening(line)
                if "import_error" in answer:
                    if conditions.clock is not None:
                        continue
                    raise import_failure(facts, target, answer, workspace.project)
                if "ready" not in answer:
                    raise SandboxFailure(f"The worker that runs mutants of {facts.module} ended before it answered.")
                yield MutantWorkerClient(session)
                return


def _opening(line: bytes | None) -> dict[str, Any]:
    """The worker's first answer; empty where there is none."""
    try:
        return parsed(line or b"{}", dict)
    except ValueError:
        return {}


def _observed(answer: bytes) -> ObservedTrial | None:
    try:
        return parsed(answer, observed_trial)
    except ValueError:
        return None


def _trials_json(trials: Sequence[Trial]) -> dict[str, object]:
    return {"trials": [trial_json(trial) for trial in trials]}


def _asked_json(one: MutantRequest) -> dict[str, object]:
    mutant = one.mutant
    return {
        "id": one.number,
        **attributes(mutant, "start", "end", "replacement"),
        **attributes(one, "imported", "trials", "enough"),
    }


def _outcome(answer: dict[str, Any]) -> MutantOutcome:
    differences = tuple(Difference(number, frozenset(names), message) for number, names, message in answer["differs"])
    return MutantOutcome(int(answer["id"]), answer["status"], answer["ran"], differences)
