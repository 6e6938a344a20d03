"""Renders a browser spec as tests for Playwright Test in TypeScript; the same spec gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....core.errors import AgentFailure
from ....utils.python_names import unique_name
from ...api.write.render import ApiTestFile
from ...api.write.scripts.script_application import launch_lines, with_script_helpers
from .python_lines import uses_dialogs, variables_in
from .typescript_lines import action_lines, expectation_line, refutation_line, script_literal

Json = Mapping[str, Any]
_WIDTH = 118

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
    return with_script_helpers(test_path, source, target, ["application.ts"], configured=bool(target.get("config")))


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
        self._test_path = test_path
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
        yield "const test = withApplication({"
        yield from launch_lines(self._spec["target"], self._test_path)
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
