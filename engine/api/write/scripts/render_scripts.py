"""Renders an API spec as tests for Jest or for Playwright Test; the same spec gives the same bytes.

Both send requests in the words of Playwright's request context: what is around the tests differs, not what is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .....core.errors import AgentFailure
from ....javascript.domain.value_pools import quoted_text
from ....javascript.layout import laid_out, split_parts
from ...model.json_values import HEADERS, saved_names_in
from ..render import ApiTestFile
from ..render_names import schema_names
from ..render_users import users_of
from ..setup_names import setup_key, setup_names, setup_requests
from .script_application import launch_lines, with_script_helpers
from .script_checks import check_lines, expects_redirect
from .script_requests import request_source, script_name, script_place, script_value
from .script_users import credential_lines, sign_in_functions, user_lines

Json = Mapping[str, Any]
_WIDTH = 110


def render_api_script(spec: Json, framework: str, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the test file of an API spec, then the helpers it needs.

    Args:
        spec: valid against the API test schema.
        framework: jest or playwright.
        test_path: POSIX, relative to the project's root; the file finds the project from there.

    Raises:
        AgentFailure: the spec cannot be written as a script.
        EnvironmentFault: ruff, which formats the helper that serves Python, cannot be run.
    """
    typed = framework == "playwright"
    try:
        source = _Source(spec, test_path, typed=typed).text()
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise AgentFailure(f"the API spec does not render as a script: {error!r}") from error
    helpers = ["application.ts" if typed else "api_client.cjs"]
    helpers += ["api_schema.cjs"] if "api_schema.cjs" in source else []
    target = spec["target"]
    return with_script_helpers(test_path, source, target, helpers, configured=not typed or bool(target.get("config")))


@dataclass(frozen=True, slots=True)
class RenderedApiTest:
    """One test of the file: its full name in Jest, and the case that it is."""

    name: str
    case_id: str


def rendered_api_tests(spec: Json) -> list[RenderedApiTest]:
    """The tests of the file by their names in Jest, in its order."""
    return [
        RenderedApiTest(f"{group} {title}", str(case["id"]))
        for group, members in _groups(spec)
        for title, case in members
    ]


def _groups(spec: Json) -> list[tuple[str, list[tuple[str, Json]]]]:
    """The cases by the operation that they are about, each with a title that no other one has."""
    found: dict[str, list[tuple[str, Json]]] = {}
    taken: set[tuple[str, str]] = set()
    for case in spec["cases"]:
        operation = f"{case['operation']['method']} {case['operation']['path']}"
        words = " ".join(str(case["title"]).split())
        # Playwright reads words behind an at sign as tags, and Jest ends no title with a space.
        title = words.removeprefix(f"{operation} ").strip() or words
        if (operation, title) in taken:
            title = f"{title} ({str(case['id']).removeprefix('tc_').replace('_', ' ')})"
        taken.add((operation, title))
        found.setdefault(operation, []).append((title, case))
    return list(found.items())


class _Source:
    """The text of one test file; `typed` for TypeScript and Playwright Test."""

    def __init__(self, spec: Json, test_path: str, *, typed: bool) -> None:
        self._spec = spec
        self._test_path = test_path
        self._typed = typed
        self._auth: Mapping[str, Json] = spec.get("auth") or {}
        self._users = users_of(self._auth)
        self._schemas = schema_names(spec, script_value, ())
        self._steps: dict[str, _Setup] = {}
        self._names = setup_names(setup_requests(spec["cases"]))

    def text(self) -> str:
        """The whole file."""
        blocks = ["\n".join(self._group(name, members)) for name, members in _groups(self._spec)]
        steps = ["\n".join(self._setup(step)) for step in self._steps.values()]
        users = list(sign_in_functions(self._users, self._typed)) if self._users else []
        users = [*users, self._sign_in()] if users else []
        environment = (self._spec["target"].get("application") or {}).get("environment") or {}
        constants = [*credential_lines(self._auth, environment)]
        constants += [*user_lines(self._users, "\n".join([*users, *steps, *blocks]))]
        schemas = [
            f"const {name} = {laid_out(source, column=9 + len(name), indent=0)};"
            for source, name in self._schemas.items()
        ]
        rest = "\n\n".join([*("\n".join(part) for part in (constants, schemas) if part), *users, *steps, *blocks])
        return "\n\n".join(["\n".join(self._imports(rest)), "\n".join(self._launch()), rest]) + "\n"

    def _imports(self, rest: str) -> Iterator[str]:
        if self._typed:
            types = ", type APIRequestContext" if "APIRequestContext" in rest else ""
            yield f"import {{ expect{types} }} from '@playwright/test';"
            yield from ["import { randomUUID } from 'node:crypto';"] if "randomUUID(" in rest else []
            if "mismatches(" in rest:
                yield "// @ts-ignore: plain JavaScript, which tests for Jest run as well"
                yield "import { mismatches } from './api_schema.cjs';"
            yield "import { withApplication } from './application';"
            return
        yield from ["const { randomUUID } = require('node:crypto');"] if "randomUUID(" in rest else []
        yield "const { withApplication } = require('./api_client.cjs');"
        yield from ["const { mismatches } = require('./api_schema.cjs');"] if "mismatches(" in rest else []

    def _launch(self) -> Iterator[str]:
        lines = list(launch_lines(self._spec["target"], self._test_path, of_api=True))
        if self._typed:
            yield from ["const test = withApplication({", *lines, "});"]
        else:
            launch = ["{", *(f"  {line}" for line in lines), "  },"]
            yield from ["const request = withApplication(", f"  {launch[0]}", *launch[1:], "  __dirname,", ");"]

    def _sign_in(self) -> str:
        """All users sign in before each test: what the application holds depends on all of them."""
        if self._typed:
            # A context of its own has their cookies, so that requests of nobody stay those of nobody.
            lines = [
                "let users: Record<string, Record<string, string>> = {};",
                "test.beforeEach(async ({ playwright, baseURL }) => {",
                "  const request = await playwright.request.newContext({ baseURL });",
                "  users = await signIn(request);",
                "  await request.dispose();",
                "});",
            ]
        else:
            lines = ["let users = {};", "beforeEach(async () => {", "  users = await signIn(request);", "});"]
        return "\n".join(lines)

    def _group(self, name: str, members: Sequence[tuple[str, Json]]) -> Iterator[str]:
        head = "test.describe" if self._typed else "describe"
        yield f"{head}({quoted_text(name)}, () => {{"
        for number, (title, case) in enumerate(members):
            yield from [""] if number else []
            yield from (f"  {line}" if line else "" for line in self._test(title, case))
        yield "});"

    def _test(self, title: str, case: Json) -> Iterator[str]:
        if self._typed:
            tag = f"{{ tag: {quoted_text('@' + str(case['id']))} }}"
            head = f"test({quoted_text(title)}, {tag}, async ({{ request }}) => {{"
            long = f"test({quoted_text(title)}, {{\n    tag: {tag[7:-2]},\n  }}, async ({{ request }}) => {{"
            yield from (head if len(head) <= _WIDTH else long).replace("\n  ", "\n").split("\n")
        else:
            yield f"test({quoted_text(title)}, async () => {{"
        yield from (f"  {line}" if line else "" for line in self._body(case))
        yield "});"

    def _body(self, case: Json) -> list[str]:
        arrange: Json = case.get("arrange") or {}
        checks = [part for line in check_lines(case["expect"], self._schemas) for part in _laid_out(line)]
        variables: Json = arrange.get("variables") or {}
        act = request_source(case["act"]["request"], self._auth, redirects=expects_redirect(case))
        lines = [*_laid_out(f"const response = await {act};"), *checks]
        after = "\n".join(lines)
        before: list[str] = []
        # The last step first, so that each knows which results are used later.
        for request in reversed(arrange.get("requests") or ()):
            step = self._step_of(request)
            made = f"await {step.name}({', '.join(['request', *step.arguments])});"
            if any(re.search(rf"\b{re.escape(one)}\b", after) for one in step.results):
                names = step.results[0] if len(step.results) == 1 else f"[{', '.join(step.results)}]"
                made = f"const {names} = {made}"
            before.insert(0, made)
            after = f"{made}\n{after}"
        named = [f"const {script_name(str(name))} = {script_value(value)};" for name, value in variables.items()]
        cleanup = [f"await {request_source(one, self._auth)};" for one in case.get("cleanup") or ()]
        if cleanup:
            lines = ["try {", *(f"  {one}" for one in lines), "} finally {", *(f"  {one}" for one in cleanup), "}"]
        return [*named, *before, *lines]

    def _step_of(self, request: Json) -> _Setup:
        key = setup_key(request)
        save: Mapping[str, str] = request.get("save") or {}
        sent = {name: entry for name, entry in request.items() if name != "save"}
        step = _Setup(
            script_name(self._names[key]),
            tuple(map(script_name, saved_names_in(sent))),
            tuple(map(script_name, save)),
            tuple(save.values()),
            request_source(sent, self._auth),
        )
        self._steps.setdefault(key, step)
        return step

    def _setup(self, step: _Setup) -> Iterator[str]:
        client = "request: APIRequestContext" if self._typed else "request"
        typing = ": string | number" if self._typed else ""
        yield f"async function {step.name}({', '.join([client, *(f'{one}{typing}' for one in step.arguments)])}) {{"
        yield from (f"  {line}" for line in _laid_out(f"const response = await {step.source};"))
        yield "  expect(response.status()).toBeLessThan(400);"
        body = "(await response.json())" if len(step.pointers) == 1 else "body"
        parts = [
            script_place(f"/{one.removeprefix(HEADERS)}", "response.headers()")
            if one.startswith(HEADERS)
            else script_place(one, body)
            for one in step.pointers
        ]
        if len(parts) > 1:
            yield "  const body = await response.json();"
        if parts:
            yield f"  return {parts[0] if len(parts) == 1 else '[' + ', '.join(parts) + ']'};"
        yield "}"


@dataclass(frozen=True, slots=True)
class _Setup:
    """A request that creates something, as a function.

    Attributes:
        arguments: names of saved values that it needs.
        results: names that its results are bound to.
        pointers: where they stand in the answer.
        source: the request.
    """

    name: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    pointers: tuple[str, ...]
    source: str


def _laid_out(statement: str) -> list[str]:
    """A statement, with line breaks where it is too long."""
    if len(statement) <= _WIDTH - 4:
        return [statement]
    options = re.fullmatch(r"(const response = await request\.\w+\([^{]*)\{ (.*) \}\);", statement)
    if options:
        parts = [
            f"  {name}{colon}{laid_out(value, column=2 + len(name) + len(colon), indent=2)},"
            for name, colon, value in (part.partition(": ") for part in split_parts(options[2]))
        ]
        return "\n".join([f"{options[1]}{{", *parts, "});"]).split("\n")
    return f"{laid_out(statement[:-1], column=0, indent=0, width=_WIDTH - 4)};".split("\n")
