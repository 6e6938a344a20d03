"""Renders an API spec as a test file and its helpers; the same spec gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ....core.errors import AgentFailure
from ....sandbox.worker_files import WORKER_FOLDER
from ....utils.generated_header import with_header
from ....utils.python_names import unique_name
from ....utils.python_source import parse_python
from ...python.write.render import format_python
from ..document.operations import snake_case
from ..model.json_values import literal, quoted
from ..model.model import needs_fresh_state
from .dialects import client_of, dialect_of
from .docstring_lines import WIDTH, docstring, docstring_text, indented
from .render_checks import RenderedCheck, SavedNames, SetupFunctions, asked_by, call, render_checks
from .render_class_client import ClassClient, class_client, unittest_line
from .render_django import client_fixtures
from .render_groups import CaseTable, build_tables, group_cases
from .render_launch import (
    application_call,
    environment_literal,
    is_plain_command,
    secret_source,
    taken_from_outside,
    takes_secrets,
)
from .render_names import find_shared_payloads, schema_lines, schema_names, table_name, table_sentence
from .render_users import sign_in_functions, user_constants, user_fixtures, user_imports, users_of
from .setup_names import setup_requests

CONFTEST = '''"""Lets the tests of this folder import the helpers beside them, whatever pytest's import mode is."""

import sys
from pathlib import Path

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))
'''


def helper_source(name: str, suffix: str = ".py") -> str:
    """Return the text of a helper.

    `api_process` and `api_serving` start the application, as `application.ts` does, `api_command` runs its command;
    `api_schema` validates answers.
    """
    return (WORKER_FOLDER / "http" / f"{name}{suffix}").read_text(encoding="utf-8")


Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ApiTestFile:
    """A rendered file: `path` is POSIX, relative to the project's root."""

    path: str
    contents: str


def render_api(spec: Json, framework: str, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the test file of an API spec, then the helpers it needs.

    Args:
        spec: valid against the API test schema.
        framework: pytest or unittest.
        test_path: POSIX, relative to the project's root; the file finds the project from there.

    Raises:
        AgentFailure: the spec does not make Python files, or the framework is unknown.
        EnvironmentFault: ruff, which formats the files, cannot be run.
    """
    if framework not in ("pytest", "unittest"):
        advice = "ask for the framework pytest, unittest, jest or playwright"
        raise AgentFailure(f"API tests cannot be written for {framework!r}", advice=advice)
    source = rendered_python("API spec", lambda: _Source(spec, framework, test_path).text())
    target = spec["target"]
    origin = str(target.get("path") or (target.get("description") or {}).get("path") or target["name"])
    names = [] if client_of(spec) else ["api_command"] if is_plain_command(spec) else ["api_process", "api_serving"]
    names += ["api_schema"] if "from api_schema import" in source else []
    conftest = {"conftest": CONFTEST} if framework == "pytest" and names else {}
    return with_helpers(test_path, source, origin, conftest, names)


def rendered_python(what: str, render: Callable[[], str]) -> str:
    """Return the text that `render` makes of a spec; it parses. Raises AgentFailure, which names `what`."""
    try:
        source = render()
        parse_python(source)
    except (SyntaxError, KeyError, TypeError, ValueError, IndexError) as error:
        raise AgentFailure(f"the {what} does not render as Python: {error!r}") from error
    return source


def with_helpers(
    test_path: str, source: str, origin: str, conftest: Mapping[str, str], names: Sequence[str]
) -> tuple[ApiTestFile, ...]:
    """Format a test file, and the helpers of these names that lie beside it.

    Args:
        origin: what the tests were made from.
        conftest: further files by name without suffix, as they are written.
    """
    folder = PurePosixPath(test_path).parent
    files = [ApiTestFile(test_path, with_header(format_python(source, width=WIDTH), target=origin))]
    helpers = {**conftest, **{name: format_python(helper_source(name), width=WIDTH) for name in names}}
    for name, contents in helpers.items():
        whole = with_header(contents, target="testwright's helpers")
        files.append(ApiTestFile((folder / f"{name}.py").as_posix(), whole))
    return tuple(files)


_API_FIXTURE = '''@pytest.fixture(scope="module")
def api():
    """The application, in the state that other tests have left it in."""
    with APPLICATION as started:
        yield started'''
_FRESH_FIXTURE = '''@pytest.fixture
def fresh_api(api):
    """The application as it is after its start."""
    api.reset()
    return api'''
_CLASS_HEAD = """class NAMEApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api = APPLICATION
        cls.addClassCleanup(cls.api.stop)
        cls.api.start()"""


_OWN_FOLDER = "sys.path.insert(0, str(Path(__file__).resolve().parent))"
_NAMED_IN_BODIES = {
    "io.BytesIO(": "import io",
    "json.dumps(": "import json",
    "urlencode(": "from urllib.parse import urlencode",
}


class _Source:
    """The text of one test file."""

    def __init__(self, spec: Json, framework: str, test_path: str) -> None:
        self._spec = spec
        self._pytest = framework == "pytest"
        self._depth = len(PurePosixPath(test_path).parts) - 1
        self._auth: Mapping[str, Json] = spec.get("auth") or {}
        self._users = users_of(self._auth)
        self._clients: set[str] = set()
        self._dialect = dialect_of(spec)
        self._schemas = schema_names(spec)
        taken = ["ROOT", "ENVIRONMENT", "SCHEMAS", *self._schemas.values(), *(name.upper() for name in self._auth)]
        taken += [line.partition(" = ")[0] for line in user_constants(self._users, {})]
        self._known = SavedNames(self._schemas, find_shared_payloads(spec["cases"], taken), self._dialect)
        self._steps = SetupFunctions(self._auth, setup_requests(spec["cases"]), self._dialect)
        # None where the tests start the application.
        made = client_fixtures if self._pytest else class_client
        self._client = None if self._dialect.started else made(spec, list(self._users), self._steps.names)
        self._imports: set[str] = set()
        self._taken: set[str] = set()

    def text(self) -> str:
        """The file before formatting."""
        tests = list(self._tests())
        parts = [*self._sign_in(), *self._fixtures(), *self._steps.functions()]
        if self._pytest:
            parts += ["\n".join(lines) for lines in tests]
        else:
            parts.append(self._class(tests))
        parts = [*self._dialect.helpers("\n".join(parts)), *parts]
        whole = "\n".join(parts)
        self._imports.update(statement for word, statement in _NAMED_IN_BODIES.items() if word in whole)
        heads = [f'"""{docstring_text(str(self._spec["title"]))}."""', self._import_lines()]
        return "\n\n".join([*heads, *self._constants("\n\n".join(parts)), *parts]) + "\n"

    def _class(self, tests: Sequence[list[str]]) -> str:
        words = [part.capitalize() for part in snake_case(str(self._spec["target"]["name"])).split("_") if part]
        name = "".join(words) or "Api"
        if isinstance(self._client, ClassClient):
            head = "\n".join(self._client.head(f"{name}ApiTest"))
        else:
            head = _CLASS_HEAD.replace("NAME", name, 1).replace("APPLICATION", self._application(), 1)
        return "\n\n".join([head, *("\n".join(indented(lines)) for lines in tests)])

    def _import_lines(self) -> str:
        helpers = {statement for statement in self._imports if statement.startswith("from api_")}
        standard = self._imports - helpers | ({"from pathlib import Path"} if self._client is None else set())
        plain = [entry for name, entry in self._auth.items() if name not in self._users]
        standard |= user_imports(self._users) | ({"import os"} if self._reads_variables(plain) else set())
        if any(entry["kind"] == "basic" for entry in plain):
            standard.add("import base64")
        if self._client is not None:
            return self._client_imports(standard | self._client.standard_imports(), sorted(helpers))
        helper = "api_command" if is_plain_command(self._spec) else "api_process"
        ours = sorted({f"from {helper} import Application", *helpers})
        if self._pytest:
            return "\n".join([*_sorted(standard), "", "import pytest", *ours])
        # unittest does not put the folder of a test file on the path.
        path = ["", _OWN_FOLDER, ""]
        standard |= {"import sys", "import unittest"}
        return "\n".join([*_sorted(standard), *path, *(f"{statement}  # noqa: E402" for statement in ours)])

    def _client_imports(self, standard: set[str], helpers: Sequence[str]) -> str:
        assert self._client is not None
        project = self._client.project_imports()
        pytest = {"import pytest"} if self._pytest else set[str]()
        blocks = ["\n".join(_sorted({*pytest, *self._client.framework_imports()}))]
        if helpers and not self._pytest:
            # unittest does not put the folder of a test file on the path.
            standard |= {"import sys", "from pathlib import Path"}
            blocks.append("\n".join([_OWN_FOLDER, *(f"{statement}  # noqa: E402" for statement in helpers)]))
            helpers = []
        before = self._client.before_imports(environment_literal(self._environment()))
        if before:
            blocks += [*(["\n".join(helpers)] if helpers else []), "\n".join(before)]
            blocks += ["\n".join(f"{statement}  # noqa: E402" for statement in project)] if project else []
        else:
            blocks += ["\n".join([*helpers, *project])] if [*helpers, *project] else []
        return "\n\n".join([*(["\n".join(_sorted(standard))] if standard else []), *blocks])

    def _reads_variables(self, plain: Sequence[Json]) -> bool:
        """Whether the file names `os`; `plain` are the credentials that no user gets by signing in."""
        environment = self._environment()
        if self._client is None:
            return bool(plain) or takes_secrets(self._spec)
        unknown = any(entry["variable"] not in environment for entry in plain)
        return unknown or self._client.early or any(not value for value in environment.values())

    def _environment(self) -> Mapping[str, str]:
        return (self._spec["target"].get("application") or {}).get("environment") or {}

    def _constants(self, text: str) -> Iterator[str]:
        lines = [f"ROOT = Path(__file__).resolve().parents[{self._depth}]"] if self._client is None else []
        environment = self._environment()
        if self._client is not None:
            made_up = {name: value for name, value in environment.items() if value}
            taken = {name: value for name, value in environment.items() if not value}
            if environment and not self._client.early:
                pairs = [f"{quoted(name)}: {quoted(value)}" for name, value in made_up.items()]
                pairs += [f"{quoted(name)}: {taken_from_outside(name)} or ''" for name in taken]
                lines.append(f"ENVIRONMENT = {{{', '.join(pairs)}}}")
        elif environment:
            lines.append(f"ENVIRONMENT = {environment_literal(environment)}")
        for name, entry in self._auth.items():
            if name not in self._users:
                lines.append(f"{name.upper()} = {secret_source(entry, environment)}")
        lines += self._client.constants() if self._client is not None else []
        lines += user_constants(self._users, environment, text)
        if lines:
            yield "\n".join(lines)
        if self._schemas:
            yield "\n".join(schema_lines(self._spec, self._schemas))
        if self._known.payloads.names:
            yield "\n".join(self._known.payloads.lines())

    def _sign_in(self) -> Iterator[str]:
        if self._users:
            calls = {
                name: [call(request, {}, dialect=self._dialect) for request in entry["sign_in"]["requests"]]
                for name, entry in self._users.items()
            }
            yield from sign_in_functions(self._users, calls, self._dialect)

    def _fixtures(self) -> Iterator[str]:
        if isinstance(self._client, ClassClient):
            yield from self._client.helper_functions()
        elif self._client is not None:
            yield from self._client.fixtures(self._clients)
        if self._client is not None or not self._pytest:
            return
        yield _API_FIXTURE.replace("APPLICATION", self._application())
        if any(client.startswith("fresh_") for client in self._clients):
            yield _FRESH_FIXTURE
        yield from user_fixtures(self._users, self._clients)

    def _application(self) -> str:
        command = is_plain_command(self._spec)
        made = application_call(self._spec["target"], plain=command)
        if self._spec["target"].get("application") and not command:
            made = f"{made[:-1]}, alone=True)"
        if not self._users:
            return made
        keeps = all(entry["sign_in"].get("keeps") for entry in self._users.values())
        return f"{made[:-1]}, sign_in=sign_in{', keeps_users=True' * (keeps and not command)})"

    def _tests(self) -> Iterator[list[str]]:
        for group in group_cases(self._spec["cases"]):
            for table in build_tables(group, self._known):
                if isinstance(table, CaseTable):
                    yield from self._table(table)
                else:
                    yield self._single(table)

    def _single(self, case: Json) -> list[str]:
        name = self._name(str(case["id"]).removeprefix("tc_"))
        request = case["act"]["request"]
        checks = render_checks(list(case["expect"]), self._known)
        client = self._client_for(case)
        # In a class, the name of the class would be part of what ties them.
        tied = self._pytest and name.removeprefix("test_") == str(case["id"]).removeprefix("tc_")
        lines = [
            f"def {name}({', '.join(self._clients_of(case)) if self._pytest else 'self'}):",
            *indented(docstring(str(case["title"]), "" if tied else str(case["id"]))),
        ]
        return lines + indented(
            self._body(case, call(request, self._auth, client=client, dialect=self._dialect), checks)
        )

    def _client_for(self, case: Json, user: str | None = None) -> str:
        """Return the client of a case's act, or that of a user in it."""
        user = asked_by(case["act"]["request"], self._auth) if user is None else user
        if not self._pytest and self._client is not None:
            return f"self.{user or self._dialect.client}"
        if not self._pytest:
            return f'self.api.as_user("{user}")' if user else "self.api"
        if self._client is not None:
            self._clients.add(user or self._dialect.client)
            return user or self._dialect.client
        name = f"fresh_{user or 'api'}" if needs_fresh_state(case) else user or "api"
        self._clients.add(name)
        return name

    def _clients_of(self, case: Json) -> list[str]:
        steps = (case.get("arrange") or {}).get("requests") or ()
        users = [asked_by(request, self._auth) for request in (*steps, case["act"]["request"])]
        return list(dict.fromkeys(self._client_for(case, user) for user in users))

    def _body(self, case: Json, act: str, checks: Sequence[RenderedCheck]) -> list[str]:
        arrange = case.get("arrange") or {}
        client = self._client_for(case)
        started = not self._pytest and self._client is None
        fresh = ["self.api.reset()"] if started and needs_fresh_state(case) else []
        lines = [*fresh, *(f"{name} = {literal(value)}" for name, value in (arrange.get("variables") or {}).items())]
        timed = any(check.left == self._dialect.seconds for check in checks)
        inner = self._dialect.asked(act, timed=timed)
        for check in checks:
            self._imports.update(check.imports)
            inner.append(f"assert {check.condition}" if self._pytest else unittest_line(check))
        cleanup = [
            call(request, self._auth, client=client, dialect=self._dialect) for request in case.get("cleanup") or ()
        ]
        lines += self._arranged(case, "\n".join([*inner, *cleanup]))
        if cleanup:
            return [*lines, "try:", *indented(inner), "finally:", *indented(cleanup)]
        return lines + inner

    def _arranged(self, case: Json, after: str) -> list[str]:
        """Render the steps before the act, last first, so that each knows which results are used later."""
        lines: list[str] = []
        for step in reversed(self._steps.of((case.get("arrange") or {}).get("requests") or ())):
            lines.insert(0, step.call(self._client_for(case, step.user), after))
            after = f"{lines[0]}\n{after}"
        return lines

    def _table(self, table: CaseTable) -> Iterator[list[str]]:
        if not self._pytest:
            yield from map(self._single, table.cases)
            return
        first = table.cases[0]
        name = self._name(table_name(table.cases))
        cells = zip(*(column.values for column in table.columns), strict=True)
        rows = [
            f"        pytest.param({', '.join(values)}, id={quoted(_row_id(name, str(case['id'])))}),"
            for values, case in zip(cells, table.cases, strict=True)
        ]
        names = [column.name for column in table.columns]
        heads = quoted(names[0]) if len(names) == 1 else "(" + ", ".join(quoted(name) for name in names) + ")"
        client = self._client_for(first)
        act = call(first["act"]["request"], self._auth, client=client, given=table.given, dialect=self._dialect)
        yield [
            "@pytest.mark.parametrize(",
            f"    {heads},",
            "    [",
            *rows,
            "    ],",
            ")",
            f"def {name}({', '.join([*self._clients_of(first), *names])}):",
            f'    """{docstring_text(table_sentence(table.cases))}."""',
            *indented(self._body(first, act, table.checks)),
        ]

    def _name(self, words: str) -> str:
        name = unique_name(f"test_{words}"[:110].rstrip("_"), self._taken)
        self._taken.add(name)
        return name


def _row_id(test: str, case_id: str) -> str:
    """Return the id of a row: what the case's id adds to the name of the test, else the whole of it."""
    return case_id.removeprefix(f"tc_{test.removeprefix('test_')}_")


def _sorted(imports: set[str]) -> list[str]:
    return sorted(imports, key=lambda statement: (statement.startswith("from"), statement))
