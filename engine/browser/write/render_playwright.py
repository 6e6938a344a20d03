"""Renders a browser spec as tests for Playwright Test in TypeScript; the same spec gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ....core.errors import AgentFailure
from ....utils.generated_header import with_header
from ....utils.python_names import unique_name
from ....utils.redact import placeholder_secret
from ...api.write.docstring_lines import WIDTH
from ...api.write.render import ApiTestFile, helper_source
from ...python.write.render import format_python
from .python_lines import uses_dialogs, variables_in
from .typescript_lines import action_lines, expectation_line, refutation_line, script_literal

Json = Mapping[str, Any]
PLAYWRIGHT_CONFIG = "playwright.config.ts"
"""Path of the configuration that a project without one gets."""
_OURS = "testwright's helpers"
_WIDTH = 118

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
_DIALOGS = """/** Answers the dialog that comes next; the list holds what it asks, once it has come. */
function answerNextDialog(page: Page, { accept }: { accept: boolean }): string[] {
  const asked: string[] = [];
  page.once('dialog', async (dialog) => {
    asked.push(dialog.message());
    await (accept ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}"""


def render_playwright(spec: Json, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the test file of a browser spec, the helpers it needs, and a configuration for a project without one.

    Args:
        spec: valid against the browser test schema.
        test_path: POSIX, relative to the project's root; the file finds the project from there.

    Raises:
        AgentFailure: the spec has what a browser does not know.
    """
    source = _rendered(_Source(spec, test_path))
    target = spec["target"]
    folder = PurePosixPath(test_path).parent
    config = _CONFIG.replace("TEST_DIR", folder.as_posix(), 1)
    files = {
        test_path: (source, str(target.get("path") or target["name"]), "//"),
        (folder / "application.ts").as_posix(): (helper_source("application", ".ts"), _OURS, "//"),
    }
    if not target.get("config"):
        files[PLAYWRIGHT_CONFIG] = (config, _OURS, "//")
    if (target.get("application") or {}).get("import"):
        files[(folder / "api_serving.py").as_posix()] = (
            format_python(helper_source("api_serving"), width=WIDTH),
            _OURS,
            "#",
        )
    return tuple(
        ApiTestFile(path, with_header(text, target=origin, comment=comment))
        for path, (text, origin, comment) in files.items()
    )


def render_refutations(spec: Json, test_path: str) -> str:
    """Render the same tests with proof of each expectation: its opposite does not hold where it has just held.

    Raises:
        AgentFailure: as `render_playwright`.
    """
    return _rendered(_Source(spec, test_path, refuted=True))


def _rendered(source: _Source) -> str:
    try:
        return source.text()
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise AgentFailure(f"the browser spec does not render as TypeScript: {error!r}") from error


class _Source:
    """The text of one test file; `refuted` adds to each expectation that its opposite does not hold."""

    def __init__(self, spec: Json, test_path: str, *, refuted: bool = False) -> None:
        self._spec = spec
        self._refuted = refuted
        self._root = "/".join([".."] * (len(PurePosixPath(test_path).parts) - 1)) or "."
        self._users: Mapping[str, Json] = spec.get("users") or {}
        self._titles: set[str] = set()

    def text(self) -> str:
        """The whole file."""
        cases: Sequence[Json] = self._spec["cases"]
        helpers = [_DIALOGS] if uses_dialogs(cases) else []
        helpers += ["\n".join(self._sign_in(name, user)) for name, user in self._users.items()]
        groups: dict[str, list[Json]] = {}
        for case in cases:
            groups.setdefault(str(case["flow"]), []).append(case)
        blocks = ["\n".join(self._group(goal, members)) for goal, members in groups.items()]
        launch = "\n".join(self._launch())
        return "\n\n".join(["\n".join(self._imports(bool(helpers))), launch, *helpers, *blocks]) + "\n"

    def _imports(self, typed: bool) -> Iterator[str]:
        yield f"import {{ expect{', type Page' if typed else ''} }} from '@playwright/test';"
        names = ["variable", "withApplication"] if self._variables() else ["withApplication"]
        yield f"import {{ {', '.join(names)} }} from './application';"

    def _variables(self) -> list[str]:
        users = [action for user in self._users.values() for action in user["actions"]]
        return variables_in([*users, *(action for case in self._spec["cases"] for action in case["act"]["actions"])])

    def _launch(self) -> Iterator[str]:
        target = self._spec["target"]
        application: Json = target.get("application") or {}
        environment: Json = application.get("environment") or {}
        # A password stands in no file, not even one that was made up.
        secrets = [name for name, value in environment.items() if value == placeholder_secret(name)]
        plain = {name: value for name, value in environment.items() if name not in secrets}
        given = {
            "root": self._root,
            "python": None if application.get("command") else application["import"],
            "command": list(application.get("command") or ()),
            "importRoots": [] if application.get("command") else list(target.get("import_roots") or ()),
            "environment": plain,
            "secrets": secrets,
            "folder": application.get("folder"),
        }
        yield "const test = withApplication({"
        yield from (f"  {name}: {script_literal(value)}," for name, value in given.items() if value)
        yield "});"

    def _sign_in(self, name: str, user: Json) -> Iterator[str]:
        yield f"async function {_sign_in_name(name)}(page: Page) {{"
        for action in user["actions"]:
            yield from _indented(action_lines(action))
        for one in user.get("expect") or ():
            yield from _indented([expectation_line(one)])
        yield "}"

    def _group(self, goal: str, cases: Sequence[Json]) -> Iterator[str]:
        yield f"test.describe({script_literal(goal.replace('_', ' '))}, () => {{"
        for number, case in enumerate(cases):
            yield from ([""] if number else [])
            yield from _indented(self._test(case))
        yield "});"

    def _test(self, case: Json) -> Iterator[str]:
        title = unique_name(str(case["title"]).strip(), self._titles)
        self._titles.add(title)
        tag = script_literal(f"@{case['id']}")
        head = f"test({script_literal(title)}, {{ tag: {tag} }}, async ({{ page }}) => {{"
        yield (
            head
            if len(head) <= _WIDTH
            else f"test({script_literal(title)}, {{\n  tag: {tag},\n}}, async ({{ page }}) => {{"
        )
        user = (case.get("arrange") or {}).get("signed_in_as")
        if user:
            yield f"  await {_sign_in_name(user)}(page);"
        actions: Sequence[Json] = case["act"]["actions"]
        asked, dialogs = "asked", 0
        for number, action in enumerate(actions):
            if "dialog" in action:
                dialogs += 1
                asked = "asked" if dialogs == 1 else f"asked{dialogs}"
            yield from _indented(action_lines(action, asked))
            due = [one for one in case["expect"] if one.get("after_action", len(actions) - 1) == number]
            for one in due:
                yield from _indented([expectation_line(one, asked)])
                yield from _indented(filter(None, [refutation_line(one)] if self._refuted else []))
        yield "});"


def _sign_in_name(user: str) -> str:
    return "signInAs" + "".join(part[:1].upper() + part[1:] for part in user.split("_"))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for part in line.split("\n"):
            yield f"  {part}" if part else ""
