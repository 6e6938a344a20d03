"""Renders the head of a class of unittest whose tests ask an application by its test client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.json_values import quoted
from .docstring_lines import indented
from .render_checks import RenderedCheck
from .render_client import WITH_HEADERS, ClientFixtures
from .render_django import client_fixtures

Json = Mapping[str, Any]

_STACK = ["stack = contextlib.ExitStack()", "{owner}(stack.close)"]
_ANEW = """folder = stack.enter_context(tempfile.TemporaryDirectory())
stack.callback(os.chdir, os.getcwd())
os.chdir(folder)
stack.enter_context(mock.patch.dict(os.environ))
# Nothing of the shell reaches it, such as the address of a database.
for name in [name for name in os.environ if not re.fullmatch(KEPT_VARIABLES, name)]:
    del os.environ[name]
{environment}stack.enter_context(mock.patch.dict(sys.modules))
for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
    del sys.modules[name]
cls.app = importlib.import_module({module}).{name}"""
_SNAPSHOT = """cls.snapshot = stack.enter_context(contextlib.closing(sqlite3.connect(":memory:")))
with contextlib.closing(sqlite3.connect(DATABASE)) as database:
    database.backup(cls.snapshot)"""
_RESTORED = """with contextlib.closing(sqlite3.connect(DATABASE)) as database:
    self.snapshot.backup(database)"""
_RUNNER = """if not hasattr(mail, "outbox"):  # the runner of Django has done it
    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    stack.callback(runner.teardown_test_environment)
    databases = runner.setup_databases()
    stack.callback(runner.teardown_databases, databases)"""
_SUPERUSER = '''def create_superuser():
    """Make the administrator whom the variables name."""
    # The project may have made one of that name.
    with mock.patch.dict(os.environ, ENVIRONMENT), contextlib.suppress(CommandError):
        call_command("createsuperuser", interactive=False, verbosity=0)'''
_UNDONE = ["stack.enter_context(transaction.atomic())", "stack.callback(transaction.set_rollback, True)"]


@dataclass(frozen=True, slots=True)
class FrameworkClient:
    """The client of a framework in a class, and what it takes to have one.

    Attributes:
        fixtures: what the file of pytest has for the same application.
    """

    fixtures: ClientFixtures

    @property
    def imports(self) -> list[str]:
        """The statements that import more than the client."""
        return []

    @property
    def before_class(self) -> Sequence[str]:
        """The lines that start the framework before the tests of the class."""
        return []

    @property
    def before_test(self) -> Sequence[str]:
        """The lines that undo what a test stores."""
        return []

    def entered(self, app: str) -> str:
        """Return the expression for a client of `app`, which the class itself imports where there is a database."""
        made = self.fixtures.made(app if self.fixtures.database else self.fixtures.application())
        closes = self.fixtures.kind not in ("flask", "werkzeug") and not self.fixtures.database
        return f"stack.enter_context({made})" if closes else made

    def of_signed_in(self, headers: str) -> str:
        """Return the expression for a client of somebody who sends these headers."""
        made = self.fixtures.of_user(headers)
        return made.replace("(app,", "(self.app,").replace("(client.app", "(self.client.app")


class DjangoClient(FrameworkClient):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """The client of Django, in its test environment."""

    __slots__ = ()

    @property
    def imports(self) -> list[str]:
        """The statements that import more than the client."""
        return ["from django.core import mail"]

    @property
    def before_class(self) -> Sequence[str]:
        """The lines that start the framework before the tests of the class."""
        # Undone after the class: the runner of Django keeps one database for all of them.
        superuser = [*_UNDONE, "create_superuser()"] if self.fixtures.form.get("superuser") else []
        return [*_RUNNER.splitlines(), *superuser]

    @property
    def before_test(self) -> Sequence[str]:
        """The lines that undo what a test stores."""
        return _UNDONE if self.fixtures.form.get("transactions") else []

    def entered(self, app: str) -> str:
        """Return the expression for a client."""
        return "Client()"

    def of_signed_in(self, headers: str) -> str:
        """Return the expression for a client of somebody who sends these headers."""
        return f"Client(headers={headers})"


def class_client(spec: Json, users: Sequence[str], functions: Sequence[str]) -> ClassClient:
    """Return what a class of unittest has for the client that a spec names; see `ClientFixtures`."""
    fixtures = client_fixtures(spec, users, functions)
    return ClassClient(fixtures, (DjangoClient if fixtures.kind == "django" else FrameworkClient)(fixtures))


@dataclass(frozen=True, slots=True)
class ClassClient:
    """What a class does before its tests and before each of them, and what that imports.

    Attributes:
        fixtures: what the file of pytest has for the same application.
        framework: the client of its framework.
    """

    fixtures: ClientFixtures
    framework: FrameworkClient

    @property
    def early(self) -> bool:
        """Whether the variables are set before the application is imported."""
        return self.fixtures.early

    def before_imports(self, environment: str) -> list[str]:
        """The statements before the first import of the project's modules."""
        return self.fixtures.before_imports(environment)

    def constants(self) -> list[str]:
        """The constants that the class needs."""
        return self.fixtures.constants()

    def project_imports(self) -> list[str]:
        """The statements for modules of the project."""
        return self.fixtures.project_imports()

    def framework_imports(self) -> list[str]:
        """The statements that import the client."""
        return [*self.framework.imports, *self.fixtures.framework_imports()]

    def standard_imports(self) -> set[str]:
        """The statements for modules of the standard library."""
        found = self.fixtures.standard_imports() | {"import contextlib", "import unittest"}
        if self.fixtures.database:
            found |= {"import tempfile", "from unittest import mock"}
        if self.fixtures.state:
            found |= {"import copy", "from unittest import mock"}
        if self.fixtures.form.get("superuser"):
            found |= {"import os", "from unittest import mock"}
        if self._changes_variables:
            found |= {"import os", "from unittest import mock"}
        return found | ({"import os", "import tempfile"} if self.fixtures.form.get("own_folder") else set())

    def helper_functions(self) -> Iterator[str]:
        """Yield the functions that the class calls."""
        if self.fixtures.users and self.fixtures.kind == "flask":
            yield WITH_HEADERS
        if self.fixtures.form.get("superuser"):
            yield _SUPERUSER
        if self._surrounding():
            words = '    """Give the application what belongs to it, until the stack is closed."""'
            yield "\n".join(["def prepare(stack):", words, *indented(self._surrounding())])

    def head(self, name: str) -> list[str]:
        """Return the lines of the class before its tests."""
        return [f"class {name}(unittest.TestCase):", *indented([*self._of_class(), *self._of_test()])]

    @property
    def _changes_variables(self) -> bool:
        return not self.fixtures.database and (
            self.fixtures.has_environment or bool(self.fixtures.unset and not self.fixtures.early)
        )

    def _surrounding(self) -> list[str]:
        """The lines that give the application its variables, its folder and copies of what requests change."""
        if self.fixtures.database:
            return []
        lines = ["stack.enter_context(mock.patch.dict(os.environ))"] if self._changes_variables else []
        lines += ["os.environ.update(ENVIRONMENT)"] if self.fixtures.has_environment else []
        lines += [
            f"os.environ.pop({quoted(name)}, None)" for name in (() if self.fixtures.early else self.fixtures.unset)
        ]
        if self.fixtures.form.get("own_folder"):
            lines += ["folder = stack.enter_context(tempfile.TemporaryDirectory())"]
            lines += ["stack.callback(os.chdir, os.getcwd())", "os.chdir(folder)"]
        for first, *others in self.fixtures.state:
            owner, name = self.fixtures.named(first)
            copied = f"copy.deepcopy({owner}.{name})"
            lines.append(f"stack.enter_context(mock.patch.object({owner}, {quoted(name)}, {copied}))")
            for other in others:
                holder, alias = self.fixtures.named(other)
                lines.append(f"stack.enter_context(mock.patch.object({holder}, {quoted(alias)}, {owner}.{name}))")
        return lines

    def _prepared(self) -> list[str]:
        return ["prepare(stack)"] if self._surrounding() else []

    def _of_class(self) -> list[str]:
        lines: list[str] = []
        if self.fixtures.database:
            module, _, name = self.fixtures.place.partition(":")
            given = "os.environ.update(ENVIRONMENT)\n" * self.fixtures.has_environment
            lines += _ANEW.format(environment=given, module=quoted(module), name=name).splitlines()
            lines += (
                ["stack.enter_context(TestClient(cls.app))"] if self.fixtures.kind in ("fastapi", "starlette") else []
            )
        else:
            lines += self.framework.before_class
        if self.fixtures.users and self.fixtures.signs_in_once:
            lines += self._prepared()
            lines += ["cls.folder = os.getcwd()"] if self.fixtures.copies_files else []
            lines += [f"cls.signed_in = sign_in({self.framework.entered('cls.app')})"]
        lines += _SNAPSHOT.splitlines() if self.fixtures.database else []
        if not lines:
            return []
        stack = [line.format(owner="cls.addClassCleanup") for line in _STACK]
        return ["@classmethod", "def setUpClass(cls):", *indented([*stack, *lines]), ""]

    def _of_test(self) -> list[str]:
        stack = [line.format(owner="self.addCleanup") for line in _STACK]
        lines = [*self._prepared(), *self.framework.before_test]
        if self.fixtures.database:
            lines += _RESTORED.splitlines()
        if self.fixtures.copies_files:
            lines.append("shutil.copytree(self.folder, os.getcwd(), symlinks=True, dirs_exist_ok=True)")
        lines.append(f"self.client = {self.framework.entered('self.app')}")
        if self.fixtures.users and not self.fixtures.signs_in_once:
            lines.append("self.signed_in = sign_in(self.client)")
        lines += [
            f"self.{name} = {self.framework.of_signed_in(f'self.signed_in[{quoted(name)}]')}"
            for name in self.fixtures.users
        ]
        needs = any("stack" in line for line in lines)
        return ["def setUp(self):", *indented([*(stack if needs else []), *lines])]


def unittest_line(check: RenderedCheck) -> str:
    """Render a condition as a call of a method of TestCase."""
    methods = {"==": "assertEqual", "in": "assertIn", "not in": "assertNotIn", "is": "assertIs", "!=": "assertNotEqual"}
    methods |= {"<": "assertLess", "<=": "assertLessEqual", ">": "assertGreater", ">=": "assertGreaterEqual"}
    if not check.operator:
        return f"self.assertTrue({check.left})"
    return f"self.{methods[check.operator]}({check.left}, {check.right})"
