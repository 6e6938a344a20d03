"""Runs test files with Playwright Test in the sandbox: writes the configuration, starts Node, reads the JSON report."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ...core.errors import TargetRunError, ToolMissing
from ...utils.redact import is_secret_name
from ...utils.untrusted_files import read_json, write_file
from ..browsers.chromium import BROWSER_LIMITS, Chromium, find_chromium
from ..protocol import Completed
from ..target import PythonTarget, Workspace
from ..worker_files import worker_arguments
from .node import NodeRuntime, find_node
from .npm_folder import NpmFolder
from .playwright_report import PlaywrightTest, plain_text, problems_of, project_config, read_tests
from .project import inside_project, installed_modules, package_of, version_of

PLAYWRIGHT = NpmFolder(Path(__file__).with_name("playwright_tools"), "playwright", "Playwright Test")
PACKAGE = "@playwright/test"
_OLDEST = (1, 42)
"""The first version whose tests have tags."""
_GATE_CONFIG = "gate.playwright.config"
PICTURES = "browser"


@dataclass(frozen=True, slots=True)
class PlaywrightProject:
    """Everything needed to run a project's tests with Playwright Test. Made by `prepare_playwright`.

    Attributes:
        package: the folder of the package `@playwright/test`.
        own: whether that is the project's own.
        version: major and minor.
        chromium: None for tests that open no browser.
        modules: folders `node_modules` of the project, by the POSIX folder that they lie in.
        config: name of the project's configuration; empty without one.
    """

    target: PythonTarget
    node: NodeRuntime
    package: Path
    own: bool
    version: tuple[int, int]
    chromium: Chromium | None
    modules: Mapping[str, Path] = field(default_factory=dict)
    config: str = ""


def prepare_playwright(target: PythonTarget, *, browser: bool = True) -> PlaywrightProject:
    """Find Node, a Chromium and Playwright Test; ours is installed where the project has none. Blocks.

    Args:
        browser: whether the tests open one.

    Raises:
        ToolMissing: one of them cannot be had; with advice.
        StorageError: Playwright Test cannot be written to the cache.
    """
    node = find_node(root=target.root)
    chromium = find_chromium() if browser else None
    config = project_config(target.snapshot.path)
    modules = dict(installed_modules(target.root, "."))
    for folder in modules.values():
        package = folder / PACKAGE
        if (package / "package.json").is_file():
            version = version_of(inside_project(target.root, package), "Playwright Test")
            if version < _OLDEST:
                found, oldest = ".".join(map(str, version)), ".".join(map(str, _OLDEST))
                raise ToolMissing(
                    f"the project has Playwright Test {found}, and tests are written for {oldest} and newer",
                    advice=f"npm install --save-dev {PACKAGE}@latest",
                )
            real = inside_project(target.root, package)
            return PlaywrightProject(target, node, real, True, version, chromium, modules, config)
    if PACKAGE in package_of(target.snapshot.path, "package.json").dependencies:
        raise ToolMissing(
            f"the project names {PACKAGE}, and it is not installed there",
            advice="run `npm install` in the project; `testwright doctor` shows what was found",
            details={"needs": "npm"},
        )
    ours = PLAYWRIGHT.install(target.caches).folder / "node_modules" / PACKAGE
    return PlaywrightProject(target, node, ours, False, version_of(ours, "Playwright Test"), chromium, modules, config)


@dataclass(frozen=True, slots=True)
class PlaywrightRequest:
    """One run.

    Attributes:
        files: test files, POSIX, relative to the project.
        tags: of the tests to run, without `@`; empty for all.
        measure: files of the application whose coverage is measured, relative to the project.
        workers: tests that run at the same time.
        pictures: keep a screenshot of each test that fails, and a trace.
        clock_seconds: how far the application's clock is ahead; nothing is measured then.
        test_seconds, expect_seconds: how long a test, and an expectation, may take where the project does not say.
        own_timeout: the project's own limit for a test holds.
        environment: more variables.
    """

    files: tuple[str, ...]
    tags: tuple[str, ...] = ()
    measure: tuple[str, ...] = ()
    workers: int = 1
    pictures: bool = False
    clock_seconds: int = 0
    test_seconds: float = 60.0
    expect_seconds: float = 5.0
    own_timeout: bool = True
    wall_seconds: float = 900.0
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlaywrightRun:
    """What a run gave.

    Attributes:
        broken: what stands against whole files, as Playwright says it: one that does not load, say.
        folder: of the run, POSIX, relative to the workspace's folder.
        coverage: what `coverage_measure.py` wrote; None where nothing was measured.
        complaint: the end of what was printed.
    """

    tests: tuple[PlaywrightTest, ...]
    broken: tuple[str, ...] = ()
    folder: str = ""
    coverage: Mapping[str, Any] | None = None
    complaint: str = ""


class Playwright:
    """Runs Playwright Test in one workspace.

    Args:
        project: what is run; links to the installed packages are put into the workspace.
        workspace: a copy of the project.
        folder: of the test files, POSIX, relative to the project.
    """

    def __init__(self, project: PlaywrightProject, workspace: Workspace, folder: str) -> None:
        self._project = project
        self._workspace = workspace
        self._root = workspace.project.resolve()
        self.starts = 0
        links = dict(project.modules)
        if not project.own:
            # Beside the project's own packages ours is found from the folder of the tests.
            links[folder if "." in links else "."] = project.package.parents[1]
        for place, modules in links.items():
            link = self._root / place / "node_modules"
            link.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(link):
                link.symlink_to(modules)

    def write(self, path: str, text: str) -> None:
        """Write a file into the copy of the project."""
        write_file(self._root, path, text)

    async def run(self, request: PlaywrightRequest) -> PlaywrightRun:
        """Run once.

        Raises:
            SandboxFailure: the sandbox broke.
            TargetRunError: Playwright did not start, or its report cannot be read; with what it said.
        """
        self.starts += 1
        name = f"playwright-{self.starts}"
        folder = self._workspace.scratch / name
        folder.mkdir()
        config = self._config(request, folder)
        ending = PurePosixPath(self._project.config).suffix if self._own_config else ".ts"
        config_name = f"{_GATE_CONFIG}{ending}"
        write_file(self._root, config_name, config)
        argv = [str(self._project.node.path), str(self._project.package / "cli.js"), "test", "--config", config_name]
        given = {
            "argv": argv,
            "project": str(self._root),
            "measure": list(request.measure),
            "folder": str(folder),
            "clock_seconds": request.clock_seconds,
        }
        write_file(self._workspace.folder, f"{self._workspace.requests.name}/{name}.json", json.dumps(given))
        program = self._workspace.program(
            worker_arguments("suites.run_in_node", str(self._workspace.requests / f"{name}.json")),
            environment={**self._variables(), **request.environment, **_measured(request, folder)},
            limits=replace(BROWSER_LIMITS, wall_seconds=request.wall_seconds),
            readable=self._readable(),
            opens_site=True,
        )
        completed = await self._project.target.sandbox.run(program)
        return self._read(name, completed, self._values(request), measured=bool(request.measure))

    @property
    def _own_config(self) -> bool:
        return self._project.own and bool(self._project.config)

    def _variables(self) -> dict[str, str]:
        chromium = self._project.chromium
        # What Node compiles at the first start is there at the next ones, as Jest's (`jest_process.cjs`).
        compiled = {"NODE_COMPILE_CACHE": str(self._workspace.scratch / "compiled")}
        plain = {"CI": "true", "NODE_ENV": "test", **compiled}
        if chromium is None:
            return plain
        installed = {"PLAYWRIGHT_BROWSERS_PATH": str(chromium.installed)} if chromium.installed else {}
        return {"BROWSER_EXECUTABLE": str(chromium.path), **plain, **installed}

    def _readable(self) -> tuple[Path, ...]:
        project = self._project
        places = {project.package.parents[1], *project.modules.values(), project.node.path.parent}
        return (*sorted(places), *(project.chromium.readable if project.chromium is not None else ()))

    def _config(self, request: PlaywrightRequest, folder: Path) -> str:
        """The text of a configuration: the project's own with what a run needs, where it has one."""
        private = any(name in self._project.target.variables for name in self._secrets(request))
        pictures = request.pictures and not private
        traced = "retain-on-failure" if pictures else "off"
        given = {
            "testDir": str(self._root),
            "testIgnore": [],
            "outputDir": str(folder / PICTURES),
            "reporter": [["json", {"outputFile": str(folder / "report.json")}]],
            "globalTimeout": round(900 * request.wall_seconds),
            "workers": request.workers,
            "fullyParallel": request.workers > 1,
            "retries": 0,
            "repeatEach": 1,
            "forbidOnly": True,
            "maxFailures": 0,
        }
        use = {
            "headless": True,
            "trace": traced,
            "screenshot": "only-on-failure" if pictures else "off",
            "video": "off",
            "launchOptions": {"executablePath": str(self._project.chromium.path)} if self._project.chromium else {},
        }
        patterns = ", ".join(f"new RegExp({json.dumps(f'{re.escape(path)}$')})" for path in request.files)
        tags = "|".join(map(re.escape, request.tags))
        grep = f"new RegExp({json.dumps(f'@(?:{tags})(?![a-z0-9_])')})" if tags else "/.*/"
        stem = self._project.config.rpartition(".")[0]
        ending = "" if self._project.config.endswith("ts") else f".{self._project.config.rpartition('.')[2]}"
        first = f"import own from './{stem}{ending}';\n" if self._own_config else "const own = {};\n"
        # What the project's own would start or select belongs to its own tests; ours start the application themselves.
        unset = "grepInvert webServer globalSetup globalTeardown shard".split()
        wait, most = round(1000 * request.expect_seconds), round(1000 * request.test_seconds)
        lines = [
            f"{first}const use = {json.dumps(use)};",
            "export default {",
            "  ...own,",
            f"  ...{json.dumps(given)},",
            # Tests are judged by the times that they have in the project; 0 would be no limit at all.
            f"  timeout: {f'own.timeout || {most}' if request.own_timeout else most},",
            f"  expect: {{ timeout: {wait}, ...own.expect }},",
            f"  testMatch: [{patterns}],",
            f"  grep: {grep},",
            *(f"  {name}: undefined," for name in unset),
            "  projects: [{ name: 'chromium', use: { ...own.use, ...use, channel: undefined } }],",
            "};",
        ]
        return "\n".join(lines) + "\n"

    def _secrets(self, request: PlaywrightRequest) -> Iterator[str]:
        """Variables with secrets that the tests fill in or hand the application: what a page shows may hold them."""
        for path in request.files:
            text = (self._root / path).read_text(encoding="utf-8", errors="replace")
            yield from re.findall(r"variable\('([A-Z][A-Z0-9_]*)'\)", text)
            yield from (name for name in self._project.target.variables if name in text and is_secret_name(name))

    def _values(self, request: PlaywrightRequest) -> tuple[str, ...]:
        """What the tests fill in from variables: no message shows it, whatever the variable is called."""
        given = {**self._project.target.variables, **request.environment}
        return tuple(given[name] for name in dict.fromkeys(self._secrets(request)) if given.get(name))

    def _read(self, name: str, completed: Completed, secrets: tuple[str, ...], *, measured: bool) -> PlaywrightRun:
        said = (completed.stderr or completed.stdout).decode("utf-8", "replace").strip()
        complaint = plain_text(completed.reason or said, self._root, secrets)[-3000:]
        place = f"{self._workspace.scratch.name}/{name}"
        try:
            report = read_json(self._workspace.folder, f"{place}/report.json")
            tests = read_tests(report, self._root, secrets)
            broken = problems_of(report, self._root, secrets)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            raise TargetRunError(
                f"Playwright Test gave no report: {complaint or fault}",
                advice="run the tests once with `npx playwright test`, and look at its configuration",
                details={"output": complaint},
            ) from fault
        coverage = None
        if measured:
            try:
                coverage = read_json(self._workspace.folder, f"{place}/coverage.json")
            except (OSError, ValueError):
                complaint = complaint or "the application's coverage could not be read"
        return PlaywrightRun(tests, broken, place, coverage, complaint)


def _measured(request: PlaywrightRequest, folder: Path) -> dict[str, str]:
    """Where a test writes its name before it asks the application: see `application_coverage.py`.

    A reporter could not say it in time: it runs in another process than the tests.
    """
    return {"API_TEST_NAME": str(folder / "applications" / "test")} if request.measure else {}
