"""Kills worker, server and database of one run on Temporal, each in turn, and says what it came to all the same."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any, Literal
from unittest.mock import patch

from testwright.app.temporal import client
from testwright.config.settings import load_settings
from testwright.core.errors import RunLocked
from testwright.store.files.lock import is_locked, project_lock
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.projects.files import run_command, tree
from testwright.tests.support.runs.comparison import REQUEST, report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import await_nobody, events_of
from testwright.tests.support.runs.temporal_server import TemporalServer, temporal_server, worker
from testwright.tests.support.runs.waiting_parts import VARIABLES, WaitingModel, parts_project
from testwright.tests.support.store.postgres_server import PostgresServer, postgres_server

Victim = Literal["worker", "server", "database"]
RUN = "r"
_OFTEN = 0.02
_HEARTBEAT_SECONDS = 5.0
_UNDISTURBED_SECONDS = 1800.0
_LEASE_SECONDS = 35.0
"""After so long a lease of a machine that is gone has ended (docs/databases.md)."""

_ADVISORY = "SELECT objid FROM pg_locks WHERE locktype = 'advisory'"


@dataclass(frozen=True, slots=True)
class Moment:
    """When something is killed: so many events and seconds after what was killed before was started again.

    Attributes:
        of: the only type of events that counts; None for all.
    """

    victim: Victim
    events: int
    seconds: float = 0.0
    of: str | None = None


def moments_of(count: int, seed: int, *, events: int = 8, seconds: float = 2.0) -> list[Moment]:
    """Worker, server and database in turn, at moments that a seed decides: at most so many events and seconds apart."""
    dice = random.Random(seed)
    victims: Sequence[Victim] = ("worker", "server", "database")
    return [Moment(victims[number % 3], dice.randint(1, events), dice.uniform(0, seconds)) for number in range(count)]


@dataclass
class Account:
    """What a disturbed run came to.

    Attributes:
        killed: the moments that came before the run had ended.
        seconds: of the run, and of the same one in a single process that nobody disturbed.
        exit_code: of the run.
        differences: names of files, and `report.json`, that are not those of the undisturbed run.
        answers: requests to the model that were answered; `undisturbed_answers` are those of the other run.
        paid_twice: requests that were answered more than once.
        broken_off: requests whose worker was killed while it waited.
        leases: what was still held after its term.
        is_left: whether a process of the run is left.
    """

    killed: list[Moment] = field(default_factory=list)
    seconds: float = 0.0
    undisturbed_seconds: float = 0.0
    exit_code: int = -1
    differences: list[str] = field(default_factory=list)
    answers: int = 0
    undisturbed_answers: int = 0
    paid_twice: int = 0
    broken_off: int = 0
    leases: list[str] = field(default_factory=list)
    is_left: bool = False

    @property
    def good(self) -> bool:
        """Whether nothing but its time tells the run from an undisturbed one."""
        wrong = self.exit_code or self.differences or self.paid_twice or self.leases or self.is_left
        return not wrong and self.answers == self.undisturbed_answers


@dataclass
class Machinery:
    """Server, database and workers of a run, that can be killed and started again."""

    server: TemporalServer
    database: PostgresServer
    stack: ExitStack
    dice: random.Random
    workers: list[Popen[str]] = field(default_factory=list)

    def start_worker(self, *, waits: bool = True) -> None:
        """Start another worker, and wait until it listens."""
        started = worker(self.server, "--jobs", "1", waits=waits, **VARIABLES)
        self.workers.append(self.stack.enter_context(started))

    def kill(self, victim: Victim) -> None:
        """`kill -9`, and start it again; the next kill may come before workers and server have come up."""
        if victim == "worker":
            killed = self.workers.pop(self.dice.randrange(len(self.workers)))
            killed.kill()
            killed.wait()
            self.start_worker(waits=False)
        elif victim == "server":
            self.server.kill()
            self.server.restart()
        else:
            self.database.stop()
            self.database.start()

    def supervise(self) -> None:
        """Start workers again that have ended, as those do that come up while the server is away."""
        for ended in [one for one in self.workers if one.poll() is not None]:
            self.workers.remove(ended)
            self.start_worker(waits=False)


def disturbed_run(
    folder: Path, moments: Sequence[Moment], *, modules: int, workers: int, latency: float, seed: int = 0
) -> Account:
    """Execute a run on Temporal and PostgreSQL while its parts are killed, and compare it with one in a process.

    Args:
        folder: an empty one, for both projects.
        latency: seconds that the model of the disturbed run needs for an answer.

    Raises:
        What ended the run: nothing should.
    """
    account = Account()
    undisturbed = _undisturbed(folder / "undisturbed" / "project", modules, account)
    root = parts_project(folder / "disturbed" / "project", modules)
    with ExitStack() as stack:
        database = stack.enter_context(postgres_server())
        server = stack.enter_context(temporal_server(folder / "temporal.db"))
        model = stack.enter_context(WaitingModel(latency))
        with ExitStack() as of_workers:
            machinery = Machinery(server, database, of_workers, random.Random(seed))
            for _ in range(workers):
                machinery.start_worker()
            _follow(root, machinery, database.new_url(), model, moments, account)
            account.leases += _leases_left(root, database)
        account.answers, account.broken_off = len(model.answered), model.broken_off
        account.paid_twice = len(model.paid_twice)
    account.is_left = not await_nobody(root)
    account.differences = _differences(undisturbed, root)
    return account


def _undisturbed(root: Path, modules: int, account: Account) -> Path:
    parts_project(root, modules)
    with WaitingModel() as model:
        asked = ["--model", "spec=openai:waiting", "--base-url", model.base_url, "--apply", "--run-id", RUN]
        began = time.monotonic()
        command = ("run", REQUEST, "--root", str(root), *asked)
        done = run_command(*command, cwd=root, environment=VARIABLES, seconds=_UNDISTURBED_SECONDS)
        assert done.code == 0, done.err
        account.undisturbed_seconds = time.monotonic() - began
        account.undisturbed_answers = len(model.answered)
    return root


def _follow(
    root: Path,
    machinery: Machinery,
    store: str,
    model: WaitingModel,
    moments: Sequence[Moment],
    account: Account,
) -> None:
    with patch.dict(os.environ, VARIABLES):
        settings = load_settings(
            {
                "root": root,
                "run_id": RUN,
                "model": ["spec=openai:waiting"],
                "base_url": model.base_url,
                "apply": True,
                "jobs": len(machinery.workers),
                "store": store,
            }
        )
        began = time.monotonic()
        # Here it is the thread that must not end: PostgreSQL, started anew, ends with the thread that started it.
        with ThreadPoolExecutor(1) as pool:
            run = client.run(machinery.server.address, REQUEST, settings, heartbeat_seconds=_HEARTBEAT_SECONDS)
            running = pool.submit(asyncio.run, run)
            account.killed = _kill(root, machinery, moments, running)
            ended = running.result()
        account.seconds = time.monotonic() - began
        account.exit_code = int(ended.report.exit_code)


def _kill(root: Path, machinery: Machinery, moments: Sequence[Moment], running: Future[Any]) -> list[Moment]:
    """Kill at the moments, as long as the run is going on."""
    killed, folder = list[Moment](), run_folder(root, RUN)
    for moment in moments:
        seen = len(events_of(folder))
        while _count(events_of(folder)[seen:], moment.of) < moment.events and not running.done():
            machinery.supervise()
            time.sleep(_OFTEN)
        wait((running,), timeout=moment.seconds)
        if running.done():
            break
        machinery.kill(moment.victim)
        killed.append(moment)
    while not running.done():
        machinery.supervise()
        wait((running,), timeout=_HEARTBEAT_SECONDS)
    return killed


def _count(events: Sequence[Mapping[str, Any]], of: str | None) -> int:
    return sum(of in (None, event["type"]) for event in events)


def _leases_left(root: Path, database: PostgresServer) -> list[str]:
    """What is held of the run by workers that live on: nothing, at the latest after the term."""
    end = time.monotonic() + _LEASE_SECONDS
    folder = RunFolder(root / ".testwright", RUN)
    while True:
        left = [
            f"advisory lock {row}" for row in database.execute("SELECT objid FROM pg_locks WHERE locktype='advisory'")
        ]
        if is_locked(folder):
            left.append("the run's lock")
        try:
            with suppress(OSError), project_lock(root / ".testwright", root, "comparison"):
                pass
        except RunLocked:
            left.append("the project's lock")
        if folder.leases.exists():
            left.append("the folder of leases")
        if not left or time.monotonic() > end:
            return left
        time.sleep(_OFTEN)


def _differences(undisturbed: Path, root: Path) -> list[str]:
    one, other = run_folder(undisturbed, RUN), run_folder(root, RUN)
    pairs = [
        (tree(undisturbed), tree(root)),
        (work_of(one), work_of(other)),
        (_flat(report_of(one), "report.json"), _flat(report_of(other), "report.json")),
    ]
    return sorted({name for left, right in pairs for name in {*left, *right} if left.get(name) != right.get(name)})


def _flat(value: Any, place: str) -> dict[str, Any]:
    """The values of a document by where they are."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return (
        {place: value} if not parts else {k: v for name, one in parts for k, v in _flat(one, f"{place}/{name}").items()}
    )
