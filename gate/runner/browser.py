"""Says what a run of test files needs that drive a browser: a plugin of pytest, a Chromium, and other limits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...sandbox.browsers.chromium import BROWSER_LIMITS, browser_overlay, find_chromium
from ...sandbox.protocol import Limits
from ...sandbox.target import PythonTarget
from ...utils.untrusted_files import source_or_empty

_DRIVES = "playwright.sync_api"
PLUGIN = "pytest_playwright.pytest_playwright"


@dataclass(frozen=True, slots=True)
class RunNeeds:
    """What programs that run some files need besides the usual.

    Attributes:
        limits: of the program; its wall clock is the run's own.
        overlay: folders that come last on the path.
        readable: folders to show read-only.
        browser: whether a browser is driven.
    """

    limits: Limits = field(default_factory=Limits)
    overlay: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    browser: bool = False

    @property
    def plugins(self) -> list[str]:
        """Arguments of pytest that load the plugin where plugins are not loaded by themselves."""
        return ["-p", PLUGIN] if self.browser else []


async def needs_of(target: PythonTarget, project: Path, files: Sequence[str]) -> RunNeeds:
    """Look into test files for what they need.

    Args:
        project: the copy that the files lie in; POSIX paths relative to it.

    Raises:
        EnvironmentFault, InterpreterError: there is no Chromium, or no pytest-playwright could be had.
    """
    if not await asyncio.to_thread(_drives_browser, project, files):
        return RunNeeds()
    chromium = await asyncio.to_thread(find_chromium)
    overlay = await asyncio.to_thread(browser_overlay, target.interpreter, target.caches)
    return RunNeeds(BROWSER_LIMITS, overlay, chromium.readable, browser=True)


def _drives_browser(project: Path, files: Sequence[str]) -> bool:
    return any(_DRIVES in source_or_empty(project, path) for path in files if path.endswith(".py"))
