"""Says what a run of test files needs that drive a browser: a plugin of pytest, a Chromium, and other limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import EnvironmentFault, StorageError
from ...sandbox.browsers.chromium import BROWSER_LIMITS, Chromium, browser_overlay, find_chromium, has_base_url_plugin
from ...sandbox.protocol import Limits
from ...sandbox.target import PythonTarget
from ...utils.redact import is_secret_name
from ...utils.untrusted_files import read_bytes, source_or_empty

_DRIVES = re.compile(r"^[ \t]*(?:from|import)[ \t]+playwright\.sync_api\b", re.MULTILINE)
PICTURES = "browser"
EXECUTABLE_VARIABLE = "BROWSER_EXECUTABLE"
"""Read by the conftest.py of generated browser tests."""
_MOST_FILES = 40
_MOST_BYTES = 10 * 1024 * 1024
_KEPT = (".png", ".zip")
PLUGIN = "pytest_playwright.pytest_playwright"
BASE_URL_PLUGIN = "pytest_base_url.plugin"


@dataclass(frozen=True, slots=True)
class RunNeeds:
    """What programs that run some files need besides the usual.

    Attributes:
        limits: of the program; its wall clock is the run's own.
        overlay: folders that come last on the path.
        readable: folders to show read-only.
        environment: more variables: where the Chromium is.
        plugins: of pytest, for runs that load none by themselves; empty where no browser is driven.
        private: whether a secret of the settings reaches the site, which a screenshot or a trace would hold.
        note: what a reader must know; empty for nothing.
    """

    limits: Limits = field(default_factory=Limits)
    overlay: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    private: bool = False
    note: str = ""

    @property
    def browser(self) -> bool:
        """Whether a browser is driven."""
        return bool(self.plugins)

    def arguments(self, folder: Path, *, loaded: bool, traced: bool) -> list[str]:
        """Arguments of pytest for a run that writes below a folder.

        Args:
            loaded: whether plugins are loaded by themselves.
            traced: keep a screenshot and a trace of each test that fails, where nothing private is shown.
        """
        if not self.browser:
            return []
        pictures = ["--screenshot", "only-on-failure", "--tracing", "retain-on-failure"]
        kept = pictures if traced and not self.private else []
        named = [] if loaded else [word for name in self.plugins for word in ("-p", name)]
        return [*named, "--output", str(folder / PICTURES), *kept]


async def needs_of(target: PythonTarget, project: Path, files: Sequence[str], *, own: bool = False) -> RunNeeds:
    """Look into test files for what they need.

    Args:
        project: the copy that the files lie in; POSIX paths relative to it.
        own: whether they are the project's own, which run without a browser where there is none: a note says so.

    Raises:
        EnvironmentFault, InterpreterError: there is no Chromium, or no pytest-playwright could be had.
    """
    texts = await asyncio.to_thread(_texts, project, files)
    if not any(_DRIVES.search(text) for text in texts):
        return RunNeeds()
    try:
        chromium = await asyncio.to_thread(find_chromium)
        overlay = await asyncio.to_thread(browser_overlay, target.interpreter, target.caches)
    except (EnvironmentFault, StorageError) as fault:
        if not own:
            raise
        return RunNeeds(note=f"tests of the project that drive a browser have none here: {fault.message}")
    extra = await asyncio.to_thread(has_base_url_plugin, target.interpreter)
    return RunNeeds(
        BROWSER_LIMITS,
        overlay,
        chromium.readable,
        variables_of(chromium),
        (BASE_URL_PLUGIN, PLUGIN) if extra else (PLUGIN,),
        private=any(_is_private(name, text) for name in target.variables for text in texts),
    )


def _is_private(variable: str, text: str) -> bool:
    """Whether a test fills in a variable of the settings, or hands the application one with a secret in it."""
    return f'os.environ["{variable}"]' in text or (variable in text and is_secret_name(variable))


def variables_of(chromium: Chromium) -> dict[str, str]:
    """The variables by which the helpers of browser tests, and Playwright itself, find a Chromium."""
    installed = {"PLAYWRIGHT_BROWSERS_PATH": str(chromium.installed)} if chromium.installed else {}
    return {EXECUTABLE_VARIABLE: str(chromium.path), **installed}


def _texts(project: Path, files: Sequence[str]) -> list[str]:
    return [source_or_empty(project, path) for path in files if path.endswith(".py")]


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
