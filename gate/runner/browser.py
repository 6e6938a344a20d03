"""Says what a run of test files needs that drive a browser: a plugin of pytest, a Chromium, and other limits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...sandbox.browsers.chromium import BROWSER_LIMITS, browser_overlay, find_chromium
from ...sandbox.protocol import Limits
from ...sandbox.target import PythonTarget
from ...utils.untrusted_files import read_bytes, source_or_empty

_DRIVES = "playwright.sync_api"
PICTURES = "browser"
_MOST_FILES = 40
_MOST_BYTES = 10 * 1024 * 1024
_KEPT = (".png", ".zip")
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

    def arguments(self, folder: Path, *, loaded: bool, traced: bool) -> list[str]:
        """Arguments of pytest for a run that writes below a folder.

        Args:
            loaded: whether plugins are loaded by themselves.
            traced: keep a screenshot and a trace of each test that fails.
        """
        if not self.browser:
            return []
        kept = ["--screenshot", "only-on-failure", "--tracing", "retain-on-failure"] if traced else []
        return [*([] if loaded else ["-p", PLUGIN]), "--output", str(folder / PICTURES), *kept]


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


def read_pictures(folder: Path, name: str) -> dict[str, bytes]:
    """Read the screenshots and traces that a program wrote; what is no regular file, or too large, is left out.

    Args:
        folder: where no program could write.
        name: the program's folder, POSIX, relative to it.
    """
    found: dict[str, bytes] = {}
    place = folder / name
    for test in _names(place)[:_MOST_FILES]:
        for file in [one for one in _names(place / test) if one.endswith(_KEPT)][:4]:
            with suppress(OSError):
                found[f"{test}/{file}"] = read_bytes(folder, f"{name}/{test}/{file}", most=_MOST_BYTES)
    return found


def _names(folder: Path) -> list[str]:
    is_folder = folder.is_dir() and not folder.is_symlink()
    return sorted(entry.name for entry in folder.iterdir()) if is_folder else []
