"""A run from request to report; what takes long to be read into memory is read while the run is at work already."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ..config.settings import Settings
from ..core.errors import RequestError, UsageError
from ..core.events import EventSink
from ..store.files.run_folder import RunFolder, new_run_id
from .bootstrap import BegunRun, begun

if TYPE_CHECKING:
    from .run_lifecycle import Ended

Reading = Callable[[], AbstractContextManager[None]]
"""Is entered for as long as modules are read."""


async def run(
    request: str, settings: Settings, *, on_event: EventSink | None = None, reading: Reading = nullcontext
) -> Ended:
    """A run from request to report.

    Raises:
        UsageError: the request is empty or names nothing that was found, or the run id is taken.
        EnvironmentFault, StorageError: what is missing, with advice; accepted tests are never lost.
    """
    if not request.strip():
        raise UsageError("The request is empty.", advice='Say what to test: "unit tests for src/shop/cart.py".')
    run_id, of_no_use = settings.run_id or new_run_id(), False
    try:
        async with begun(settings, run_id, on_event=on_event, request=request) as beginning:
            of_no_use = beginning.told  # an interruption now leaves a new folder with nothing that could be resumed
            await asyncio.to_thread(_modules_read, reading)
            of_no_use = False
            return await _seen_to_end(beginning, request)
    except RequestError:
        forget(settings, run_id)
        raise
    finally:
        if of_no_use:
            shutil.rmtree(RunFolder(settings.state, run_id).path, ignore_errors=True)


def forget(settings: Settings, run_id: str) -> None:
    """Give back the id of a run that asked for nothing there is: the next request may have it."""
    from ..store.database.database import Store

    with Store.open(settings.state) as store:
        store.runs.remove(run_id)
    shutil.rmtree(RunFolder(settings.state, run_id).path, ignore_errors=True)


def _modules_read(reading: Reading) -> None:
    """Read what `_seen_to_end` works with: graphs, tools, the database and the report."""
    with reading():
        from . import container, run_lifecycle  # noqa: F401 - for their being read


async def _seen_to_end(beginning: BegunRun, request: str) -> Ended:
    from .container import opened
    from .run_lifecycle import started

    async with opened(beginning) as live:
        return await started(live, request)
