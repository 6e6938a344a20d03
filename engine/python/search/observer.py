"""Client of the observing worker: starts it in the sandbox on a fresh workspace, sends trials, reads observations.

The worker is sandbox/worker/observe/run_trials.py. It survives bad trials; if it ends nevertheless, the client starts
another, and only the trial that was running is lost.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ....core.errors import SandboxFailure, TargetImportError
from ....sandbox.deadline import is_past_deadline, within_deadline
from ....sandbox.protocol import Limits, Network, Program, Session
from ....sandbox.target import PythonTarget, Workspace
from ....sandbox.worker_files import worker_arguments
from ..model.model import Arc, ModuleFacts, Observation, Trial
from ..model.observation_json import ObservedTrial, observed_trial, parsed
from ..project.import_errors import import_failure, import_timeout

START_SECONDS = 10.0
"""What starting the worker may take besides importing the target."""

SILENCE_SECONDS = 90.0
BATCH = 100
NOT_RUN = ObservedTrial(Observation("not_run"))
"""The answer for a trial that the deadline left no time for."""
# Fields that the worker reads under their own names.
_SENT_CONDITIONS = "seed instrument per_fork cpu_seconds wall_seconds memory_mib max_steps missing".split()
_SENT_OF_TRIALS = "act imports arrange mode wanted fixtures looks asks records".split()


AnswerCallback = Callable[[int, ObservedTrial], None]
"""Receives the index of a trial and its answer."""


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The fake clock: `ticking` starts at 2024-01-01 in every trial, `shifted` is `seconds` ahead of now, `running`
    starts `seconds` after 2024-01-01 and advances by a second at each read."""

    mode: Literal["ticking", "shifted", "running"] = "ticking"
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions under which trials run.

    Attributes:
        hash_seed: PYTHONHASHSEED.
        seed: seed of `random`, `os.urandom` and numpy, set again for each trial.
        clock: None for the real clock.
        zone: value of TZ, in POSIX form.
        instrument: whether to record comparisons; the target is then compiled with wrapped comparisons.
        per_fork: trials that share one child process.
        cpu_seconds: processor time of one trial.
        wall_seconds: real time of one trial.
        memory_mib: how much a trial may allocate.
        max_steps: lines of the target file that one trial may run.
        missing: modules whose import fails while the target is loaded.
        watched: POSIX paths and dotted names of further project files whose lines are reported too, with the offset
            defined in worker/observe/wide_trace.py.
        network: network access of a trial.
    """

    hash_seed: int = 0
    seed: int = 0
    clock: ClockSettings | None = None
    zone: str = "UTC"
    instrument: bool = False
    per_fork: int = 40
    cpu_seconds: float = 1.0
    wall_seconds: float = 3.0
    memory_mib: int = 512
    max_steps: int = 400_000
    missing: tuple[str, ...] = ()
    watched: tuple[tuple[str, str], ...] = ()
    network: Network = "none"


EXPLORING = Conditions(clock=ClockSettings("ticking"), instrument=True)


@dataclass(slots=True)
class Observer:
    """A running worker. Created by `open_observer`.

    Attributes:
        import_arcs: arcs of the target file that importing it ran.
        python: version of the interpreter that runs the target.
    """

    target: PythonTarget
    facts: ModuleFacts
    conditions: Conditions
    workspace: Workspace
    import_arcs: frozenset[Arc] = frozenset()
    python: tuple[int, ...] = ()
    _context: AbstractAsyncContextManager[Session] | None = None
    _session: Session | None = None
    _starts: int = field(default=0)

    async def observe(self, trials: Sequence[Trial]) -> list[Observation]:
        """Runs trials; returns their observations in the same order. Raises SandboxFailure when the sandbox breaks."""
        return [seen.observation for seen in await self.watch(trials)]

    async def watch(
        self,
        trials: Sequence[Trial],
        *,
        seed: int | None = None,
        later: int = 0,
        on_answer: AnswerCallback | None = None,
    ) -> list[ObservedTrial]:
        """Runs trials like `observe`, and returns the worker's full answers.

        Args:
            seed: replaces the seed of the conditions.
            later: seconds added to a ticking clock, which then also advances at each read.
            on_answer: receives each answer as soon as it arrives.
        """
        seen: list[ObservedTrial] = []
        size = max(BATCH, self.conditions.per_fork)
        while len(seen) < len(trials):
            if is_past_deadline():
                await self.stop()
                return [*seen, *[NOT_RUN] * (len(trials) - len(seen))]
            first, batch = len(seen), trials[len(seen) : len(seen) + size]
            seen.extend(await self._watch_batch(batch, seed, later, first, on_answer))
        return seen

    async def _watch_batch(
        self,
        batch: Sequence[Trial],
        seed: int | None,
        later: int,
        first: int = 0,
        on_answer: AnswerCallback | None = None,
    ) -> list[ObservedTrial]:
        if self._session is None:
            await self.start()
        session = self._session
        assert session is not None
        seen: list[ObservedTrial] = []
        extra = ({} if seed is None else {"seed": seed}) | ({"later": later} if later else {})
        try:
            await session.send(json.dumps({"trials": [trial_json(trial) | extra for trial in batch]}).encode())
            for _ in batch:
                line = await session.receive(within_deadline(SILENCE_SECONDS))
                if line is None:
                    break
                seen.append(parsed(line, observed_trial))
                if on_answer is not None:
                    on_answer(first + len(seen) - 1, seen[-1])
        except (TimeoutError, SandboxFailure, ValueError):
            pass
        if len(seen) < len(batch):
            # The worker ended within this trial, or the trial wrote in its place: record a crash; the caller's next
            # batch starts another worker. Of a trial that the deadline interrupted nothing is known.
            interrupted = is_past_deadline()
            await self.stop()
            seen.append(NOT_RUN if interrupted else ObservedTrial(Observation("crashed")))
            if on_answer is not None:
                on_answer(first + len(seen) - 1, seen[-1])
        return seen

    async def start(self) -> None:
        """Starts the worker, which imports the target.

        Raises:
            TargetImportError: the target module does not import.
            SandboxFailure: the worker does not start.
        """
        self._starts += 1
        scratch = self.workspace.scratch / f"trials{self._starts}"
        context = self.target.sandbox.session(self.program("observe.run_trials"))
        self._session = await context.__aenter__()
        self._context = context
        try:
            await self._session.send(json.dumps(self.configuration(scratch)).encode())
            line = await self._session.receive(START_SECONDS + self.target.import_seconds)
        except TimeoutError as timeout:
            await self.stop()
            raise import_timeout(self.facts, self.target) from timeout
        if line is None:
            await self._give_up()
        try:
            answer = parsed(line or b"{}", dict)
            if "import_error" in answer:
                await self.stop()
                raise import_failure(self.facts, self.target, answer, self.workspace.project)
            self.import_arcs = frozenset((start, end) for start, end in answer["ready"]["arcs"])
            self.python = tuple(answer["ready"]["python"])
        except (ValueError, KeyError, TypeError, AttributeError) as fault:  # the module wrote in the worker's place
            await self.stop()
            raise SandboxFailure(f"The worker that imports {self.facts.module} gave no usable answer.") from fault

    def program(self, module: str) -> Program:
        """Returns the command that starts a module of the worker package in the sandbox."""
        return self.workspace.program(
            worker_arguments(module),
            environment={"PYTHONHASHSEED": str(self.conditions.hash_seed), "TZ": self.conditions.zone},
            network=self.conditions.network,
            limits=Limits(wall_seconds=3600, cpu_seconds=3600, memory_mib=4096, output_mib=256),
        )

    async def _give_up(self) -> None:
        session = self._session
        await self.stop()
        if session is None:
            return
        ended = await session.ended()
        last = ended.stderr.decode("utf-8", "replace").strip()[-500:]
        raise SandboxFailure(
            f"The worker that imports {self.facts.module} ended with code {ended.exit_code} before it answered. {last}",
            advice="Import the module by hand with the target's interpreter; it may hang, crash or print without end.",
        )

    async def stop(self) -> None:
        """Ends the worker; the next trials start another."""
        context, self._context, self._session = self._context, None, None
        if context is not None:
            await context.__aexit__(None, None, None)

    def configuration(self, scratch: Path) -> dict[str, object]:
        """Returns the first message to the worker."""
        conditions, clock = self.conditions, self.conditions.clock
        return {
            "module": self.facts.module,
            "path": str(self.workspace.project / self.facts.path),
            "scratch": str(scratch),
            "guard": {"writable": [str(self.workspace.scratch)], "network": self.conditions.network},
            "clock": None if clock is None else {"mode": clock.mode, "seconds": clock.seconds},
            **{name: getattr(conditions, name) for name in _SENT_CONDITIONS},
            "watched": [str(self.workspace.project / path) for path, _ in conditions.watched],
            "modules": [self.facts.module, *(module for _, module in conditions.watched)],
            "hidden": sorted({str(self.workspace.project), str(self.workspace.scratch)}),
        }


@asynccontextmanager
async def open_observer(
    target: PythonTarget, facts: ModuleFacts, conditions: Conditions = EXPLORING
) -> AsyncGenerator[Observer]:
    """Opens a worker on a fresh workspace, with the target imported.

    Raises:
        TargetImportError: the target module does not import.
        SandboxFailure: the worker does not start.
    """
    async with target.workspace() as workspace:
        observer = Observer(target, facts, conditions, workspace)
        try:
            try:
                await observer.start()
            except TargetImportError as error:
                # Some modules do not import under a fake clock: try again with the real one.
                if observer.conditions.clock is None or error.details.get("exception") == "TimeoutError":
                    raise
                observer.conditions = replace(observer.conditions, clock=None)
                await observer.start()
            yield observer
        finally:
            await observer.stop()


def trial_json(trial: Trial) -> dict[str, object]:
    """Returns a trial in the worker's JSON form."""
    return {name: getattr(trial, name) for name in _SENT_OF_TRIALS}
