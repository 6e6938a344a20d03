"""Renders a browser spec as tests for pytest-playwright, or for the framework that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ....core.errors import AgentFailure
from ....utils.python_names import unique_name
from ...api.write.docstring_lines import docstring, docstring_text, indented
from ...api.write.render import ApiTestFile, rendered_python, with_helpers
from ...api.write.render_launch import application_call, environment_literal, takes_secrets
from .python_lines import action_lines, expectation_lines, literal, uses_dialogs, variables_in

Json = Mapping[str, Any]
_HELPERS = ("api_process", "api_serving")

CONFTEST = '''"""What the browser tests of this folder share: the helpers beside them, and a browser to start."""

import os
import shutil
import sys
from pathlib import Path

import pytest

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, browser_type, browser_name):
    """Start the Chromium that BROWSER_EXECUTABLE names, else the system's where Playwright has none of its own."""
    chosen = {"channel", "executable_path"} & set(browser_type_launch_args)
    if browser_name != "chromium" or chosen:
        return browser_type_launch_args
    found = os.environ.get("BROWSER_EXECUTABLE")
    if not found and not Path(browser_type.executable_path).exists():
        found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return {**browser_type_launch_args, "executable_path": found} if found else browser_type_launch_args
'''
_FIXTURES = '''@pytest.fixture(scope="module")
def application():
    """The application, which is started once."""
    with APPLICATION as started:
        yield started


@pytest.fixture
def browser_context_args(browser_context_args, application):
    """A browser of its own for each test, on the application as it is after its start."""
    application.fresh()
    return {**browser_context_args, "base_url": application.base_url}'''
_FRESH = ", on the application as it is after its start"
_DIALOGS = '''def answer_next_dialog(page, *, accept):
    """Answer the dialog that comes next; the list holds what it asks, once it has come."""
    asked = []

    def answer(dialog):
        asked.append(dialog.message)
        if accept:
            dialog.accept()
        else:
            dialog.dismiss()

    page.once("dialog", answer)
    return asked'''


def render_browser(spec: Json, framework: str, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the test file of a browser spec, then the helpers it needs.

    Args:
        spec: valid against the browser test schema.
        framework: pytest, playwright or maestro.
        test_path: POSIX, relative to the project's root; the file finds the project from there.

    Raises:
        AgentFailure: the spec cannot be written so, or the framework is another one.
        EnvironmentFault: ruff, which formats the files, cannot be run.
    """
    if framework == "playwright":
        from .render_playwright import render_playwright

        return render_playwright(spec, test_path)
    if framework == "maestro":
        from .render_maestro import render_maestro

        return render_maestro(spec, test_path)
    if framework != "pytest":
        advice = "ask for pytest, playwright or maestro"
        raise AgentFailure(f"browser tests cannot be written for {framework!r}", advice=advice)
    source = rendered_python("browser spec", lambda: _Source(spec, test_path).text())
    target = spec["target"]
    origin = str(target.get("path") or target["name"])
    return with_helpers(test_path, source, origin, {"conftest": CONFTEST}, _HELPERS)


class _Source:
    """The text of one test file."""

    def __init__(self, spec: Json, test_path: str) -> None:
        self._spec = spec
        self._depth = len(PurePosixPath(test_path).parts) - 1
        self._users: Mapping[str, Json] = spec.get("users") or {}
        self._taken: set[str] = {"page", "expect", "application"}

    def text(self) -> str:
        """The file before formatting."""
        helpers = [_DIALOGS] if uses_dialogs(self._spec["cases"]) else []
        helpers += [self._sign_in(name, user) for name, user in self._users.items()]
        tests = ["\n".join(self._test(case)) for case in self._spec["cases"]]
        title = docstring_text(str(self._spec["title"]))
        application = self._spec["target"].get("application")
        constants = "\n".join(self._constants()) if application else ""
        # What nothing starts, nothing puts back either.
        fixtures = _FIXTURES if application else _FIXTURES.replace(_FRESH, "")
        fixtures = fixtures.replace(
            "APPLICATION", application_call(self._spec["target"], started_here=True, alone=True), 1
        )
        return "\n\n\n".join([f'"""{title}."""\n\n{self._imports()}\n\n{constants}', fixtures, *helpers, *tests]) + "\n"

    def _variables(self) -> list[str]:
        users = [action for user in self._users.values() for action in user["actions"]]
        return variables_in([*users, *(action for case in self._spec["cases"] for action in case["act"]["actions"])])

    def _imports(self) -> str:
        standard = ["import os"] if self._variables() or takes_secrets(self._spec) else []
        standard += ["from pathlib import Path"] if self._spec["target"].get("application") else []
        lines = [*standard, "", "import pytest", "from api_process import Application"]
        return "\n".join([*lines, "from playwright.sync_api import Page, expect"])

    def _constants(self) -> Iterator[str]:
        yield f"ROOT = Path(__file__).resolve().parents[{self._depth}]"
        environment = self._environment()
        if environment:
            yield f"ENVIRONMENT = {environment_literal(environment)}"
        for name in self._made_up():
            yield f"{name} = os.environ.get({literal(name)}, {literal(str(environment[name]))})"

    def _environment(self) -> Json:
        return (self._spec["target"].get("application") or {}).get("environment") or {}

    def _made_up(self) -> list[str]:
        """The variables with a value that was made up for tests; the others have to be set where the tests run."""
        return [name for name in self._variables() if self._environment().get(name)]

    def _sign_in(self, name: str, user: Json) -> str:
        lines = [line for action in user["actions"] for line in action_lines(action, self._made_up())]
        lines += [line for one in user.get("expect") or () for line in expectation_lines(one)]
        head = [f"def sign_in_as_{name}(page):", f'    """Sign in as {docstring_text(name)}."""']
        return "\n".join([*head, *(f"    {line}" for line in lines)])

    def _test(self, case: Json) -> list[str]:
        name = unique_name(f"test_{str(case['id']).removeprefix('tc_')}"[:110].rstrip("_"), self._taken)
        self._taken.add(name)
        user = (case.get("arrange") or {}).get("signed_in_as")
        lines = [f"sign_in_as_{user}(page)"] if user else []
        actions: Sequence[Json] = case["act"]["actions"]
        for number, action in enumerate(actions):
            due = [one for one in case["expect"] if one.get("after_action", len(actions) - 1) == number]
            lines += action_lines(action, self._made_up())
            for one in due:
                lines += expectation_lines(one)
        title = str(case["title"]).strip()
        return [
            f"def {name}(page: Page):",
            *indented([*docstring(title[:1].upper() + title[1:], str(case["id"])), *lines]),
        ]
