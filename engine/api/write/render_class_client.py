"""Renders the head of a class of unittest whose tests ask an application by its test client."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.json_values import quoted
from .docstring_lines import indented
from .render_checks import RenderedCheck
from .render_client import WITH_HEADERS, ClientFixtures
from .render_django import DjangoFixtures

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
_UNDONE = ["stack.enter_context(transaction.atomic())", "stack.callback(transaction.set_rollback, True)"]


class ClassClient(DjangoFixtures):
    """What a class does before its tests and before each of them, and what that imports."""

    __slots__ = ()

    @property
    def _own(self) -> type[ClientFixtures]:
        return DjangoFixtures if self._kind == "django" else ClientFixtures

    def before_imports(self, environment: str) -> list[str]:
        """The statements before the first import of the project's modules."""
        return self._own.before_imports(self, environment)

    def constants(self) -> list[str]:
        """The constants that the class needs."""
        return self._own.constants(self)

    def framework_imports(self) -> list[str]:
        """The statements that import the client."""
        mail = ["from django.core import mail"] if self._kind == "django" else []
        return [*mail, *self._own.framework_imports(self)]

    def standard_imports(self) -> set[str]:
        """The statements for modules of the standard library."""
        found = self._own.standard_imports(self) | {"import contextlib", "import unittest"}
        if self._database:
            found |= {"import tempfile", "from unittest import mock"}
        if self._state:
            found |= {"import copy", "from unittest import mock"}
        if self._changes_variables:
            found |= {"import os", "from unittest import mock"}
        return found | ({"import os", "import tempfile"} if self._client.get("own_folder") else set())

    def helper_functions(self) -> Iterator[str]:
        """Yield the functions that the class calls."""
        if self.users and self._kind == "flask":
            yield WITH_HEADERS
        if self._surrounding():
            words = '    """Give the application what belongs to it, until the stack is closed."""'
            yield "\n".join(["def prepare(stack):", words, *indented(self._surrounding())])

    def head(self, name: str) -> list[str]:
        """Return the lines of the class before its tests."""
        return [f"class {name}(unittest.TestCase):", *indented([*self._of_class(), *self._of_test()])]

    @property
    def _places(self) -> list[str]:
        own = [] if self._kind == "django" else [self._place]
        return [*own, *(place for group in self._state for place in group)]

    @property
    def _changes_variables(self) -> bool:
        return not self._database and (self._has_environment or bool(self.unset and not self.early))

    def _surrounding(self) -> list[str]:
        """The lines that give the application its variables, its folder and copies of what requests change."""
        if self._database:
            return []
        lines = ["stack.enter_context(mock.patch.dict(os.environ))"] if self._changes_variables else []
        lines += ["os.environ.update(ENVIRONMENT)"] if self._has_environment else []
        lines += [f"os.environ.pop({quoted(name)}, None)" for name in (() if self.early else self.unset)]
        if self._client.get("own_folder"):
            lines += ["folder = stack.enter_context(tempfile.TemporaryDirectory())"]
            lines += ["stack.callback(os.chdir, os.getcwd())", "os.chdir(folder)"]
        for first, *others in self._state:
            owner, name = self._named(first)
            copied = f"copy.deepcopy({owner}.{name})"
            lines.append(f"stack.enter_context(mock.patch.object({owner}, {quoted(name)}, {copied}))")
            for other in others:
                holder, alias = self._named(other)
                lines.append(f"stack.enter_context(mock.patch.object({holder}, {quoted(alias)}, {owner}.{name}))")
        return lines

    def _prepared(self) -> list[str]:
        return ["prepare(stack)"] if self._surrounding() else []

    def _of_class(self) -> list[str]:
        lines: list[str] = []
        if self._database:
            module, _, name = self._place.partition(":")
            given = "os.environ.update(ENVIRONMENT)\n" * self._has_environment
            lines += _ANEW.format(environment=given, module=quoted(module), name=name).splitlines()
            lines += ["stack.enter_context(TestClient(cls.app))"] if self._kind in ("fastapi", "starlette") else []
        elif self._kind == "django":
            lines += _RUNNER.splitlines()
        if self.users and (self._database or not self._factory):
            lines += [*self._prepared(), f"cls.signed_in = sign_in({self._entered('cls.app')})"]
        lines += _SNAPSHOT.splitlines() if self._database else []
        if not lines:
            return []
        stack = [line.format(owner="cls.addClassCleanup") for line in _STACK]
        return ["@classmethod", "def setUpClass(cls):", *indented([*stack, *lines]), ""]

    def _of_test(self) -> list[str]:
        stack = [line.format(owner="self.addCleanup") for line in _STACK]
        lines = [*self._prepared(), *(_UNDONE if self._kind == "django" and self._transactions else [])]
        if self._database:
            lines += _RESTORED.splitlines()
        lines.append(f"self.client = {self._entered('self.app')}")
        if self.users and self._factory and not self._database:
            lines.append("self.signed_in = sign_in(self.client)")
        lines += [f"self.{name} = {self._of_signed_in(name)}" for name in self.users]
        needs = any("stack" in line for line in lines)
        return ["def setUp(self):", *indented([*(stack if needs else []), *lines])]

    def _entered(self, app: str) -> str:
        """The expression for a client."""
        if self._kind == "django":
            return "Client()"
        made = self._made(app if self._database else self._application())
        closes = self._kind not in ("flask", "werkzeug") and not self._database
        return f"stack.enter_context({made})" if closes else made

    def _of_signed_in(self, name: str) -> str:
        headers = f"self.signed_in[{quoted(name)}]"
        if self._kind == "django":
            return f"Client(headers={headers})"
        made = self._of_user(headers)
        return made.replace("(app,", "(self.app,").replace("(client.app", "(self.client.app")


def unittest_line(check: RenderedCheck) -> str:
    """Render a condition as a call of a method of TestCase."""
    methods = {"==": "assertEqual", "in": "assertIn", "not in": "assertNotIn", "is": "assertIs", "!=": "assertNotEqual"}
    methods |= {"<": "assertLess", "<=": "assertLessEqual", ">": "assertGreater", ">=": "assertGreaterEqual"}
    if not check.operator:
        return f"self.assertTrue({check.left})"
    return f"self.{methods[check.operator]}({check.left}, {check.right})"
