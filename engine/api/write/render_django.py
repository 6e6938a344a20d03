"""Renders the fixtures that ask an application of Django by its test client, on a database of the tests' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.json_values import quoted
from .dialects import client_of
from .render_client import ClientFixtures

_RUNNER = '''@pytest.fixture(scope="module")
def database({needs}):
    """Django's test environment{database}."""
{plugin}    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    databases = runner.setup_databases()
{superuser}    yield
    runner.teardown_databases(databases)
    runner.teardown_test_environment()'''
_PLUGIN = """    if request.config.pluginmanager.has_plugin("django"):
        # pytest-django has made one for the whole session.
        request.getfixturevalue("django_db_setup")
        with request.getfixturevalue("django_db_blocker").unblock():
            yield
        return
"""
_PLUGIN_SUPERUSER = """    if request.config.pluginmanager.has_plugin("django"):
        # pytest-django has made one for the whole session, whose other tests know no superuser.
        request.getfixturevalue("django_db_setup")
        with request.getfixturevalue("django_db_blocker").unblock(), transaction.atomic():
            create_superuser()
            yield
            transaction.set_rollback(True)
        return
"""
_SUPERUSER = '''def create_superuser():
    """Make the administrator whom the variables name."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        with contextlib.suppress(CommandError):  # the project has made one of that name
            call_command("createsuperuser", interactive=False, verbosity=0)'''


class DjangoFixtures(ClientFixtures):  # pyrefly: ignore[bad-class-definition] - no dataclass itself
    """The fixtures of a test file, and what they import; where Django has a database, it undoes what a test stores."""

    __slots__ = ()

    def before_imports(self, environment: str) -> list[str]:
        """The statements before the first import of the project's modules."""
        settings = quoted(str(self.form["settings"]))
        ready = [f'os.environ.setdefault("DJANGO_SETTINGS_MODULE", {settings})', "django.setup()"]
        # The explicit base: `super()` does not know a class that slots have made anew.
        return [*ClientFixtures.before_imports(self, environment), *ready]

    def standard_imports(self) -> set[str]:
        """The statements for modules of the standard library."""
        further = [*(["import copy"] if self.state else []), *(["import contextlib"] if self._superuser else [])]
        return {"import os", *further}

    def framework_imports(self) -> list[str]:
        """The statements that import the client."""
        database = ["from django.db import transaction"] if self._transactions else []
        database += ["from django.core.management import CommandError, call_command"] if self._superuser else []
        clients = ["from django.test import Client", "from django.test.runner import DiscoverRunner"]
        return ["import django", *database, *clients]

    def constants(self) -> list[str]:
        """The constants that the fixtures need."""
        return []

    def fixtures(self, used: set[str]) -> Iterator[str]:
        """Yield the fixtures.

        Args:
            used: names of the clients in the tests.
        """
        plugin = bool(self.form.get("plugin"))
        own = ", with a database as the migrations make it" * self._transactions
        own += " and a superuser" * self._superuser
        in_session = (_PLUGIN_SUPERUSER if self._superuser else _PLUGIN) * plugin
        made = "    create_superuser()\n" * self._superuser
        if self._superuser:
            yield _SUPERUSER
        yield _RUNNER.format(needs="request" * plugin, database=own, plugin=in_session, superuser=made)
        if self.users:
            yield self._signed_in()
        yield self._one_client()
        for name in (name for name in self.users if name in used):
            head = f'@pytest.fixture\ndef {name}(client, signed_in):\n    """{self._who(name)}."""\n'
            yield f"{head}    return Client(headers=signed_in[{quoted(name)}])"

    @property
    def _transactions(self) -> bool:
        return bool(self.form.get("transactions"))

    @property
    def _superuser(self) -> bool:
        return bool(self.form.get("superuser"))

    @property
    def _places(self) -> list[str]:
        # Django imports the application's own modules.
        return [place for group in self.state for place in group]

    def _signed_in(self) -> str:
        folder = bool(self.form.get("own_folder"))
        patched = [*self._surroundings("patch", 'tmp_path_factory.mktemp("application")'), *self._copies("patch")]
        ending = ["    with pytest.MonkeyPatch.context() as patch:"] if patched else []
        lines = [*patched, f"    {'yield' if patched else 'return'} sign_in(Client())"]
        return "\n".join(
            [
                '@pytest.fixture(scope="module")',
                f"def signed_in({', '.join(['database', *['tmp_path_factory'] * folder])}):",
                '    """What the users of these tests send for having signed in, by their names."""',
                *ending,
                *(f"    {line}" if patched else line for line in lines),
            ]
        )

    def _one_client(self) -> str:
        folder = bool(self.form.get("own_folder"))
        patched = [*self._surroundings("monkeypatch", "tmp_path"), *self._copies("monkeypatch")]
        before = ["signed_in"] if self.users else ["database"]
        needs = [*before, *["monkeypatch"] * bool(patched), *["tmp_path"] * folder]
        undone = ["    with transaction.atomic():", "        yield Client()", "        transaction.set_rollback(True)"]
        stored = "; what a test stores is gone after it" * self._transactions
        return "\n".join(
            [
                "@pytest.fixture",
                f"def client({', '.join(needs)}):",
                f'    """A client of the application{stored}."""',
                *patched,
                *(undone if self._transactions else ["    return Client()"]),
            ]
        )


def client_fixtures(spec: Mapping[str, Any], users: Sequence[str], functions: Sequence[str]) -> ClientFixtures:
    """Return the fixtures of a spec by the kind of its client; see `ClientFixtures`."""
    is_django = (client_of(spec) or {}).get("kind") == "django"
    return (DjangoFixtures if is_django else ClientFixtures)(spec, users, functions)
