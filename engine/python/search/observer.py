"""The host's side of the trial worker: starts it in the sandbox on a fresh workspace, sends trials, reads observations.

The worker is `sandbox/worker/observe/run_trials.py`. It survives failing trials itself; if its process is lost, it is
started again, and only the trial that was running is lost.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ....core.errors import SandboxFailure, TargetImportError
from ....sandbox.protocol import Limits, Network, Program, Session
from ....sandbox.target import PythonTarget, Workspace
from ....sandbox.worker_files import worker_arguments
from ..model.model import Arc, ModuleFacts, Observation, Trial
from ..model.observation_json import ObservedTrial, observed_trial
from ..project.import_errors import import_failure

START_SECONDS = 120.0
SILENCE_SECONDS = 90.0
BATCH = 100


AnswerCallback = Callable[[int, ObservedTrial], None]
"""Told an answer and the index of its trial."""


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """What clocks say: `ticking` from 2024-01-01 in every trial, `shifted` from now by `seconds`, or `running` from
    `seconds` after 2024-01-01 with a second between two looks of the target or the trial."""

    mode: Literal["ticking", "shifted", "running"] = "ticking"
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which conditions trials run.

    Attributes:
        hash_seed: PYTHONHASHSEED.
        seed: seeds `random`, `os.urandom` and numpy anew for each trial.
        clock: None for the real one.
        zone: TZ, as POSIX writes it.
        instrument: whether comparisons are noted; the target is compiled with them wrapped then.
        per_fork: trials that share one child process.
        cpu_seconds: processor time of one trial.
        wall_seconds: real time of one trial.
        memory_mib: how much a trial may allocate.
        max_steps: lines of the target file one trial may run.
        missing: modules that the target does not find when it is loaded.
        watched: POSIX paths and dotted names of further files of the project whose lines are told too, offset as
            worker/observe/wide_trace.py says.
        network: what the sandbox lets a trial reach.
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
    """A running worker. Made by `open_observer`.

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
        """What each trial did, in the same order. Raises SandboxFailure when the sandbox breaks."""
        return [seen.observation for seen in await self.watch(trials)]

    async def watch(
        self, trials: Sequence[Trial], *, seed: int | None = None, later: int = 0, heard: AnswerCallback | None = None
    ) -> list[ObservedTrial]:
        """As `observe`, with what only the engine itself needs.

        Args:
            seed: another one for randomness.
            later: seconds by which a ticking clock is ahead; it runs then.
            heard: told each answer, with its trial's index, as soon as it comes.
        """
        seen: list[ObservedTrial] = []
        size = max(BATCH, self.conditions.per_fork)
        while len(seen) < len(trials):
            first, batch = len(seen), trials[len(seen) : len(seen) + size]
            seen.extend(await self._watch_batch(batch, seed, later, first, heard))
        return seen

    async def _watch_batch(
        self, batch: Sequence[Trial], seed: int | None, later: int, first: int = 0, heard: AnswerCallback | None = None
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
                line = await session.receive(SILENCE_SECONDS)
                if line is None:
                    break
                seen.append(observed_trial(json.loads(line)))
                if heard is not None:
                    heard(first + len(seen) - 1, seen[-1])
        except (TimeoutError, SandboxFailure):
            pass
        if len(seen) < len(batch):
            await self.stop()
            seen.append(ObservedTrial(Observation("crashed")))
            if heard is not None:
                heard(first + len(seen) - 1, seen[-1])
        return seen

    async def start(self) -> None:
        """Start the worker and have it import the target.

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
            line = await self._session.receive(START_SECONDS)
        except TimeoutError:
            line = None
        if line is None:
            await self._give_up()
        answer: dict[str, Any] = json.loads(line or b"{}")
        if "import_error" in answer:
            await self.stop()
            raise import_failure(self.facts, self.target, answer, self.workspace.project)
        self.import_arcs = frozenset((start, end) for start, end in answer["ready"]["arcs"])
        self.python = tuple(answer["ready"]["python"])

    def program(self, module: str) -> Program:
        """A program of the worker, ready to start."""
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
        """End the worker; the next trials start another."""
        context, self._context, self._session = self._context, None, None
        if context is not None:
            await context.__aexit__(None, None, None)

    def configuration(self, scratch: Path) -> dict[str, object]:
        """What the worker is told first."""
        conditions, clock = self.conditions, self.conditions.clock
        return {
            "module": self.facts.module,
            "path": str(self.workspace.project / self.facts.path),
            "scratch": str(scratch),
            "guard": {"writable": [str(self.workspace.scratch)], "network": self.conditions.network},
            "clock": None if clock is None else {"mode": clock.mode, "seconds": clock.seconds},
            "seed": conditions.seed,
            "instrument": conditions.instrument,
            "per_fork": conditions.per_fork,
            "cpu_seconds": conditions.cpu_seconds,
            "wall_seconds": conditions.wall_seconds,
            "memory_mib": conditions.memory_mib,
            "max_steps": conditions.max_steps,
            "missing": conditions.missing,
            "watched": [str(self.workspace.project / path) for path, _ in conditions.watched],
            "modules": [self.facts.module, *(module for _, module in conditions.watched)],
            "hidden": sorted({str(self.workspace.project), str(self.workspace.scratch)}),
        }


@asynccontextmanager
async def open_observer(
    target: PythonTarget,
    facts: ModuleFacts,
    conditions: Conditions = EXPLORING,
) -> AsyncGenerator[Observer]:
    """A worker on a fresh workspace with the target imported.

    Raises:
        TargetImportError: the target module does not import.
        SandboxFailure: the worker does not start.
    """
    async with target.workspace() as workspace:
        observer = Observer(target, facts, conditions, workspace)
        try:
            await _start(observer)
            yield observer
        finally:
            await observer.stop()


async def _start(observer: Observer) -> None:
    """Start, with the real clock where the target does not import under another."""
    try:
        await observer.start()
    except TargetImportError:
        if observer.conditions.clock is None:
            raise
        observer.conditions = replace(observer.conditions, clock=None)
        await observer.start()


def trial_json(trial: Trial) -> dict[str, object]:
    """A trial as the worker reads it."""
    return {
        "act": trial.act,
        "imports": trial.imports,
        "arrange": trial.arrange,
        "mode": trial.mode,
        "wanted": trial.wanted,
        "fixtures": trial.fixtures,
        "looks": trial.looks,
        "asks": trial.asks,
    }
