"""A worker: takes workflows and activities of runs from a namespace's queue until it is told to stop."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from filelock import FileLock, Timeout
from temporalio.common import WorkerDeploymentVersion
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkerDeploymentConfig
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from ...core.errors import UsageError
from ...core.version import VERSION
from ...utils.user_folders import cache_folders, writable_folder
from .activities import RunActivities
from .addresses import connect, fault_of_rpc, parse_address
from .messages import TASK_QUEUE
from .run_workflow import RunWorkflow
from .sessions import RunSessions

_THROTTLE = timedelta(seconds=2)
"""A cancellation arrives with the answer to a heartbeat: so often one is sent at least."""
_GRACE = timedelta(seconds=1)
DEPLOYMENT = WorkerDeploymentConfig(WorkerDeploymentVersion("testwright", VERSION), use_worker_versioning=False)
"""What histories name a worker's code by. Without it the SDK reads and hashes every module that is loaded."""


async def work(
    address: str,
    *,
    jobs: int,
    name: str | None = None,
    trust_project: bool = False,
    ready: Callable[[str], None] = lambda identity: None,
) -> None:
    """Work until SIGINT or SIGTERM; what is at work then is cancelled, and goes on at another worker.

    Args:
        address: temporal://HOST:PORT/NAMESPACE.
        jobs: steps that this worker executes at the same time.
        name: the worker's, unique on its machine; None for its process id.
        trust_project: work also on runs that another user has begun.
        ready: called with the worker's identity when it listens.

    Raises:
        SettingsError: the address does not read.
        EnvironmentFault: there is no such server or namespace, or it went away for good.
        UsageError: a worker of that name works on this machine.
    """
    where = parse_address(address)
    identity = f"{name or os.getpid()}@{socket.gethostname()}"
    with _only_one(name):
        client = await connect(where, identity=identity)
        sessions = RunSessions(trust_project=trust_project)
        worker = Worker(
            client,
            task_queue=TASK_QUEUE,
            workflows=[RunWorkflow],
            activities=RunActivities(sessions, identity).all(),
            deployment_config=DEPLOYMENT,
            max_concurrent_activities=jobs,
            max_heartbeat_throttle_interval=_THROTTLE,
            default_heartbeat_throttle_interval=_THROTTLE,
            graceful_shutdown_timeout=_GRACE,
            workflow_runner=SandboxedWorkflowRunner(),
        )
        stopping = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
        working = asyncio.create_task(worker.run())
        waiting = asyncio.create_task(stopping.wait())
        ready(identity)
        try:
            await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
        except RPCError as error:
            raise fault_of_rpc(error, where) from error
        finally:
            waiting.cancel()
            if not working.done():
                await worker.shutdown()
                with suppress(asyncio.CancelledError):
                    await working
            await sessions.close()


@contextmanager
def _only_one(name: str | None) -> Iterator[None]:
    """Hold a worker's name on this machine. Raises UsageError: another has it."""
    if name is None:
        yield
        return
    folder = writable_folder(cache_folders(Path.cwd()), "workers")
    lock = FileLock(Path(folder, f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise UsageError(
            f"A worker named {name} works on this machine already.", advice="Give this one another --name, or none."
        ) from error
    try:
        yield
    finally:
        lock.release()
