"""The tools of a run for clients of our server: opened once a project, those that run code afresh for every call."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from ..config.settings import Settings
from ..core.errors import StorageError
from ..mcp.serving.backend import Json
from ..mcp.tool_client.tool_client import ToolClient
from ..store.files.run_folder import RunFolder, prepare_state_dir
from ..utils.work_meter import WorkMeter
from .target_provider import TargetProvider
from .tool_factory import open_tools

_OF_TODAY = frozenset({"run_build"})
"""Tools that run code: each call works on the project as it is now, and deletes its copy."""


class ServedTools:
    """Our own tools, never those of other servers: a client that has such a server asks it itself.

    Args:
        settings: gives those of a project.
        opened: closes what is kept open.
    """

    def __init__(self, settings: Callable[[Path], Awaitable[Settings]], opened: AsyncExitStack) -> None:
        self._settings = settings
        self._opened = opened
        self._kept: dict[Path, ToolClient] = {}
        self._opening = asyncio.Lock()

    async def call(self, root: Path, name: str, arguments: Mapping[str, object]) -> Json:
        """What a tool answers for a project. Raises what the tool raises."""
        if name in _OF_TODAY:
            async with _open(await self._settings(root)) as tools:
                return await tools.call(name, dict(arguments))
        return await (await self._of(root)).call(name, dict(arguments))

    async def _of(self, root: Path) -> ToolClient:
        async with self._opening:
            if root not in self._kept:
                self._kept[root] = await self._opened.enter_async_context(_open(await self._settings(root)))
            return self._kept[root]


@asynccontextmanager
async def _open(settings: Settings) -> AsyncIterator[ToolClient]:
    """Tools over a project, in a run's folder of their own outside of it; only their cache is in its state folder."""
    with suppress(StorageError):  # a project that cannot be written can be read all the same
        await asyncio.to_thread(prepare_state_dir, settings.state)
    with tempfile.TemporaryDirectory(prefix="testwright-served-", ignore_cleanup_errors=True) as scratch:
        folder = RunFolder(Path(scratch), "tools").create()
        target = TargetProvider(settings, folder, WorkMeter())
        try:
            async with open_tools(settings, folder, target, os.environ, others=False) as tools:
                yield tools
        finally:
            await target.discard()
