"""Renders scripts as Playwright tests in TypeScript: one file for each part of an application."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from ....utils.generated_header import with_header
from .case_words import Click, Expectation, Fill, Open, Script, Send, Shows, StatusBelow, StatusIs, Step, parts_of

FOLDER = "tests/e2e/generated"
AUTHORIZATION = "AUTHORIZATION"
_VERBS = {"GET": "get", "POST": "post", "PUT": "put", "PATCH": "patch", "DELETE": "delete", "HEAD": "head"}
_ROLES = {"heading": "heading", "button": "button"}


def playwright_files(scripts: Sequence[Script], source: str) -> list[dict[str, str]]:
    """Render files with `path` and `contents`, sorted by path. Deterministic.

    Args:
        source: origin of the cases, for the header.
    """
    groups: dict[str, list[Script]] = {}
    for script in scripts:
        groups.setdefault(group_of(script), []).append(script)
    return [
        {"path": f"{FOLDER}/{name}.spec.ts", "contents": with_header(_file(members), target=source, comment="//")}
        for name, members in sorted(groups.items())
    ]


def group_of(script: Script) -> str:
    """Return the part of the application a script is about: the first word of its path but `api` and versions."""
    words = [re.sub(r"[^a-z0-9]+", "_", part.lower()).strip("_") for part in script.first_path.split("?")[0].split("/")]
    named = [word for word in words if word and word != "api" and not re.fullmatch(r"v\d+", word)]
    return named[0] if named and not script.first_path.lstrip("/").startswith("{") else "root"


def needs_authorization(script: Script) -> bool:
    """Whether a script needs authorization."""
    return any(AUTHORIZATION in precondition for precondition in script.preconditions)


def _file(scripts: Sequence[Script]) -> str:
    lines = ["import { expect, test } from '@playwright/test';", ""]
    lines += [
        "// Where the application runs: BASE_URL, else `use.baseURL` of the Playwright configuration.",
        "if (process.env.BASE_URL) {",
        "  test.use({ baseURL: process.env.BASE_URL });",
        "}",
        "",
    ]
    authorized = any(needs_authorization(script) for script in scripts)
    if authorized:
        lines += [
            "const headers: Record<string, string> = process.env.AUTHORIZATION",
            "  ? { Authorization: process.env.AUTHORIZATION }",
            "  : {};",
            "",
        ]
    for index, script in enumerate(scripts):
        lines += [*([""] if index else []), *_test(script, authorized)]
    return "\n".join(lines) + "\n"


def _test(script: Script, authorized: bool) -> list[str]:
    uses = [name for name, kinds in (("page", (Open, Fill, Click)), ("request", (Send,))) if _has(script.steps, kinds)]
    title = script_string(f"{script.title} [{script.id}]")
    lines = [f"test({title}, {{ tag: '@{script.priority}' }}, async ({{ {', '.join(uses)} }}) => {{"]
    needed = [*script.variables, *([AUTHORIZATION] if needs_authorization(script) else [])]
    shown: set[str] = set()
    for name in needed:
        why = next(
            (precondition for precondition in script.preconditions if re.search(rf"\b{name}\b", precondition)),
            f"{name} must be set.",
        )
        shown.add(why)
        lines.append(f"  test.skip(!process.env.{name}, {script_string(why)});")
    lines += [
        f"  // Precondition: {' '.join(precondition.split())}"
        for precondition in script.preconditions
        if precondition not in shown
    ]
    answers = 0
    for step in script.steps:
        if isinstance(step, Send):
            answers += 1
            lines.append(f"  const {_answer(answers)} = {_request(step, script, authorized)};")
        else:
            lines.append(f"  {_action(step)}")
    lines += [f"  {_assertion(expectation, _answer(answers))}" for expectation in script.expected]
    return [*lines, "});"]


def _answer(number: int) -> str:
    return "answer" if number == 1 else f"answer{number}"


def _has(steps: Iterable[Step], kinds: tuple[type, ...]) -> bool:
    return any(isinstance(step, kinds) for step in steps)


def _request(step: Send, script: Script, authorized: bool) -> str:
    options: list[str] = []
    verb = _VERBS.get(step.method)
    if verb is None:
        options.append(f"method: '{step.method}'")
    if authorized and not step.anonymous:
        options.append("headers")
    if step.body is not None:
        named = step.body.startswith("$")
        options.append(
            f"data: JSON.parse(process.env.{step.body[1:]}!)" if named else f"data: {json_literal(step.body)}"
        )
    if any(
        300 <= code < 400
        for expectation in script.expected
        if isinstance(expectation, StatusIs)
        for code in expectation.codes
    ):
        options.append("maxRedirects: 0")
    given = f", {{ {', '.join(options)} }}" if options else ""
    return f"await request.{verb or 'fetch'}({_address(step.path)}{given})"


def _action(step: Step) -> str:
    if isinstance(step, Open):
        return f"await page.goto({_address(step.path)});"
    if isinstance(step, Fill):
        return f"await page.getByLabel({script_string(step.field)}).fill({script_string(step.value)});"
    assert isinstance(step, Click)
    name = f"{{ name: {script_string(step.name)} }}"
    return f"await page.getByRole('button', {name}).or(page.getByRole('link', {name})).first().click();"


def _assertion(expectation: Expectation, answer: str) -> str:
    if isinstance(expectation, StatusIs):
        if len(expectation.codes) == 1:
            return f"expect({answer}.status()).toBe({expectation.codes[0]});"
        return f"expect([{', '.join(map(str, expectation.codes))}]).toContain({answer}.status());"
    if isinstance(expectation, StatusBelow):
        return f"expect({answer}.status()).toBeLessThan({expectation.limit});"
    return f"await expect({_shown(expectation)};"


def _shown(expectation: Shows) -> str:
    text = script_string(expectation.text)
    if expectation.what == "title":
        return f"page).toHaveTitle({text})"
    if expectation.what in _ROLES:
        return f"page.getByRole('{_ROLES[expectation.what]}', {{ name: {text}, exact: true }}).first()).toBeVisible()"
    finder = "getByLabel" if expectation.what == "field" else "getByText"
    return f"page.{finder}({text}, {{ exact: true }}).first()).toBeVisible()"


def _address(path: str) -> str:
    pieces = parts_of(path)
    if not any(is_variable for _, is_variable in pieces):
        return script_string(path)
    source = "".join(
        f"${{encodeURIComponent(process.env.{text}!)}}" if is_variable else _in_template(text)
        for text, is_variable in pieces
    )
    return f"`{source}`"


def _in_template(text: str) -> str:
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


def script_string(text: str) -> str:
    """Quote a literal with single quotes, as in Playwright's own examples."""
    inner = json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def json_literal(source: str) -> str:
    """The JSON of a text as a literal of JavaScript."""
    return json.dumps(json.loads(source))
