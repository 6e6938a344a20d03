"""Writes how scripts start the application under test, and the files that they need beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from .....core.errors import AgentFailure
from .....utils.generated_header import with_header
from .....utils.redact import placeholder_secret
from ....python.write.render import format_python
from ...document.auth import is_secret
from ..docstring_lines import WIDTH
from ..render import ApiTestFile, helper_source
from .script_requests import script_value

Json = Mapping[str, Any]
PLAYWRIGHT_CONFIG = "playwright.config.ts"
"""Path of the configuration that a project without one gets."""
_OURS = "testwright's helpers"
_CONFIG = """import { chromium, defineConfig, devices } from '@playwright/test';
import { existsSync } from 'node:fs';

// The Chromium that BROWSER_EXECUTABLE names, else the system's where Playwright has none of its own.
const SYSTEM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const installed = existsSync(chromium.executablePath());
const found = SYSTEM.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
const executablePath = process.env.BROWSER_EXECUTABLE ?? (installed ? undefined : found);

export default defineConfig({
  testDir: 'TEST_DIR',
  // The time in which the tests passed when they were made.
  timeout: 60_000,
  // Each worker starts the application for itself, see application.ts: tests never disturb each other.
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  use: { launchOptions: { executablePath } },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
});
"""


def launch_lines(target: Json, test_path: str, *, of_api: bool = False) -> Iterator[str]:
    """Yield the properties that say how the application of a spec's target is started, a line each.

    Args:
        test_path: POSIX, relative to the project's root; the file finds the project from there.
        of_api: for API tests, API_BASE_URL takes the application's place, and what a command starts gets no other
            variables of the shell either, as no application of the source does.

    Raises:
        AgentFailure: nothing is started.
    """
    application: Json = target.get("application") or {}
    if not application and target.get("base_url") and not of_api:
        yield f"  root: '.',\n  url: {script_value(target['base_url'])},"
        return
    if not application:
        raise AgentFailure("tests that are scripts start the application, and the spec does not say how")
    environment: Json = application.get("environment") or {}
    # A password stands in no file, not even one that was made up.
    secrets = [name for name, value in environment.items() if value == placeholder_secret(name)]
    needed: Json = application.get("taken") or {}
    plain = {name: str(value) for name, value in environment.items() if name not in {*secrets, *needed}}
    given = {
        "root": "/".join([".."] * (len(PurePosixPath(test_path).parts) - 1)) or ".",
        "python": None if application.get("command") else application["import"],
        "command": list(application.get("command") or ()),
        "importRoots": [] if application.get("command") else list(target.get("import_roots") or ()),
        "environment": plain,
        "secrets": secrets,
        "taken": [name for name, value in plain.items() if is_secret(name) or not value],
        "needed": needed,
        "alone": of_api or not application.get("command"),
        "ready": application.get("ready_path") if application.get("command") else None,
        "folder": application.get("folder"),
        "startedHere": not of_api,
    }
    yield from (f"  {name}: {script_value(value)}," for name, value in given.items() if value)


def with_script_helpers(
    test_path: str, source: str, target: Json, helpers: Sequence[str], *, configured: bool = True
) -> tuple[ApiTestFile, ...]:
    """Return a test file with the helpers beside it, and a configuration of Playwright Test where there is none.

    Args:
        helpers: names of files beside the test, such as `application.ts`; what serves Python is added where needed.
        configured: whether the project has a configuration, or needs none.
    """
    folder = PurePosixPath(test_path).parent
    origin = str(target.get("path") or (target.get("description") or {}).get("path") or target["name"])
    files = [(test_path, source, origin, "//")]
    for name in (*helpers, "application_process.cjs"):
        stem, _, ending = name.rpartition(".")
        files.append(((folder / name).as_posix(), helper_source(stem, f".{ending}"), _OURS, "//"))
    if not configured:
        files.append((PLAYWRIGHT_CONFIG, _CONFIG.replace("TEST_DIR", folder.as_posix(), 1), _OURS, "//"))
    if (target.get("application") or {}).get("import"):
        serving = format_python(helper_source("api_serving"), width=WIDTH)
        files.append(((folder / "api_serving.py").as_posix(), serving, _OURS, "#"))
    return tuple(
        ApiTestFile(path, with_header(text, target=origin, comment=comment)) for path, text, origin, comment in files
    )
