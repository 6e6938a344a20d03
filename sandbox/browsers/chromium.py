"""Finds a Chromium on this machine, and provides Playwright to targets that lack it. Everything here blocks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import ToolMissing
from ...utils.user_folders import home_folder
from ..distributions import declared_name, plain_distributions
from ..interpreter import Interpreter
from ..overlay import tools_overlay
from ..protocol import Limits

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_TOOLS = ("pytest-playwright",)
BROWSER_LIMITS = Limits(wall_seconds=1800, memory_mib=4096, address_space=False, processes=768, output_mib=256)
"""A browser has some hundred threads, and reserves address space beyond any bound; what it holds is bounded."""

_BEGINNING = 4096
_OWN = "chromium_headless_shell-*/*/*headless*shell", "chromium-*/*/chrome"
_ADVICE = "install one: `apt install chromium-headless-shell`, or `python -m playwright install --only-shell chromium`"


@dataclass(frozen=True, slots=True)
class Chromium:
    """A Chromium.

    Attributes:
        readable: folders that it needs besides the system's own.
        installed: the folder of all browsers, where Playwright has installed it; else None.
    """

    path: Path
    readable: tuple[Path, ...] = ()
    installed: Path | None = None


def find_chromium(environment: Mapping[str, str] | None = None) -> Chromium:
    """Find the system's Chromium, else one that Playwright has installed for this user.

    Args:
        environment: variables to go by (PATH, PLAYWRIGHT_BROWSERS_PATH); this process's when None.

    Raises:
        ToolMissing: there is none.
    """
    environment = os.environ if environment is None else environment
    path = environment.get("PATH") or os.defpath
    for name in CHROMIUM_NAMES:
        found = shutil.which(name, path=path)
        if found and Path(found).resolve().is_relative_to("/usr") and not _is_stub(Path(found)):
            return Chromium(Path(found))
    folder = Path(environment.get("PLAYWRIGHT_BROWSERS_PATH") or home_folder() / ".cache" / "ms-playwright")
    for pattern in _OWN:
        for executable in sorted(folder.glob(pattern), reverse=True):
            if executable.is_file() and os.access(executable, os.X_OK):
                return Chromium(executable, (executable.parent,), folder)
    raise ToolMissing("There is no Chromium on this machine, which browser tests need.", advice=_ADVICE)


def _is_stub(path: Path) -> bool:
    """Whether a program only starts, or advises, a snap: which no sandbox can run."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return True
    return beginning.startswith(b"#!") and (b"/snap/" in beginning or b"snap install" in beginning)


def browser_tools_missing(interpreter: Interpreter) -> str:
    """The distribution that the target lacks, whose tests drive a browser; empty when it has it."""
    there = _distributions(interpreter)
    return next((tool for tool in BROWSER_TOOLS if tool not in there), "")


def has_base_url_plugin(interpreter: Interpreter) -> bool:
    """Whether the target has pytest-base-url, whose fixture older versions of pytest-playwright take."""
    return "pytest-base-url" in _distributions(interpreter)


def _distributions(interpreter: Interpreter) -> set[str]:
    sites = (*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else ()))
    return {declared_name(one).lower() for one in plain_distributions(sites)}


def browser_overlay(interpreter: Interpreter, caches: Sequence[Path]) -> tuple[Path, ...]:
    """Folders to put last on the target's path so that pytest-playwright imports there; none when it has it.

    Raises:
        InterpreterError: it could not be had. StorageError: the cache cannot be written.
    """
    return tools_overlay(BROWSER_TOOLS, interpreter, caches)
