"""Renders the fixtures that ask an application by the test client of its framework: no server, no helper files."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....sandbox.worker.suites.user_environment import PLAIN_VARIABLES, VARIABLE_FAMILIES
from ....utils.python_names import unique_name
from ..model.json_values import quoted
from .dialects import client_of

Json = Mapping[str, Any]
_IMPORTS = {
    "fastapi": "from fastapi.testclient import TestClient",
    "starlette": "from starlette.testclient import TestClient",
    "werkzeug": "from werkzeug.test import Client",
    "httpx": "import httpx",
}
# What the file itself names, and what its fixtures call their arguments.
_TAKEN = frozenset(
    """
    application client name patch response signed_in value
    copy_state logged_in sign_in signed_up succeeded with_headers mismatches
    base64 contextlib copy folder httpx importlib io os pytest re secrets shutil sqlite3 sys time
    monkeypatch tmp_path tmp_path_factory
    """.split()
)
_LOOP = 3
"""From this many objects of one module on, a loop is shorter."""
_WHO = {
    "user": "A client of somebody who has signed in",
    "other_user": "A client of somebody else who has signed in",
    "admin": "A client of an administrator",
}


_SNAPSHOT = '''@pytest.fixture(scope="module")
def snapshot({needs}):
    """The database as it is after the start of the application{who}."""
    with contextlib.closing(sqlite3.connect(":memory:")) as snapshot:
        with contextlib.closing(sqlite3.connect(DATABASE)) as database:
            database.backup(snapshot)
        yield snapshot'''
_RESTORED = '''@pytest.fixture
def client(app, snapshot):
    """A client of the application, with the database as it was in the beginning."""
    with contextlib.closing(sqlite3.connect(DATABASE)) as database:
        snapshot.backup(database)
    return {client}'''
WITH_HEADERS = '''def with_headers(application, headers):
    """A client that sends these headers with each request."""
    client = application.test_client(use_cookies=False)
    for name, value in headers.items():
        client.environ_base[f"HTTP_{name.upper().replace('-', '_')}"] = value
    return client'''


@dataclass(frozen=True, slots=True)
class ClientFixtures:
    """The fixtures of a test file, and what they import.

    Attributes:
        spec: names a test client.
        users: names of users who sign in.
        functions: names of the functions that set something up.
    """

    spec: Json
    users: Sequence[str]
    functions: Sequence[str] = ()

    @property
    def early(self) -> bool:
        """Whether the variables are set before the application is imported."""
        return bool(self.form.get("early_environment"))

    @property
    def unset(self) -> list[str]:
        """Variables that the application reads and was not given."""
        return [str(name) for name in self.form.get("unset") or ()]

    @property
    def form(self) -> Json:
        """The spec's form of the client."""
        return client_of(self.spec) or {}

    @property
    def database(self) -> str:
        """File of SQLite that the application keeps its state in; empty for none."""
        return str(self.form.get("database") or "")

    @property
    def kind(self) -> str:
        """Whose client it is: `fastapi`, `flask`."""
        return str(self.form["kind"])

    @property
    def state(self) -> list[list[str]]:
        """Places of the objects that requests change, those of one object together."""
        return [list(group) for group in self.form.get("state") or ()]

    @property
    def factory(self) -> bool:
        """Whether a function makes the application."""
        return self.place.endswith("()")

    @property
    def copies_files(self) -> bool:
        """Whether users sign in once to an application that a function makes, and each test copies what this leaves."""
        once = bool(self.form.get("signed_in_once") and self.form.get("own_folder"))
        return bool(self.users and self.factory and once)

    @property
    def signs_in_once(self) -> bool:
        """Whether users, if there are any, sign in once for all tests of the file."""
        return bool(self.database) or not self.factory or self.copies_files

    @property
    def place(self) -> str:
        """The application, as `package.module:name`."""
        return str(self.spec["target"]["application"]["import"])

    @property
    def has_environment(self) -> bool:
        """Whether fixtures set its variables."""
        return bool(self.spec["target"]["application"].get("environment")) and not self.early

    def before_imports(self, environment: str) -> list[str]:
        """The statements before the first import of the project's modules.

        Args:
            environment: source of its variables.
        """
        if not self.early:
            return []
        # The application reads them while it is imported.
        removed = [f"os.environ.pop({quoted(name)}, None)" for name in self.unset]
        return [f"ENVIRONMENT = {environment}", "os.environ.update(ENVIRONMENT)", *removed]

    def constants(self) -> list[str]:
        """The constants that the fixtures need."""
        if not self.database:
            return []
        packages = ", ".join(quoted(str(name)) for name in self.form["packages"])
        return [
            f"PACKAGES = [{packages}]",
            f"DATABASE = {quoted(self.database)}",
            f"KEPT_VARIABLES = ({quoted(f'{PLAIN_VARIABLES}|')} {quoted(VARIABLE_FAMILIES)})",
        ]

    def standard_imports(self) -> set[str]:
        """The statements for modules of the standard library."""
        if self.database:
            return {"import contextlib", "import importlib", "import os", "import re", "import sqlite3", "import sys"}
        return ({"import copy"} if self.state else set()) | ({"import shutil"} if self.copies_files else set())

    def framework_imports(self) -> list[str]:
        """The statements that import the client."""
        return [_IMPORTS[self.kind]] if self.kind in _IMPORTS else []

    def project_imports(self) -> list[str]:
        """The statements for modules of the project."""
        if self.database:
            return []
        if not self.state and self._places:
            module, _, name = self.place.removesuffix("()").partition(":")
            renamed = f" as {name}_application" if self._is_taken(name) else ""
            return [f"from {module} import {name}{renamed}"]
        return [_import_of(module, name) for module, name in sorted(self._modules().items())]

    def fixtures(self, used: set[str]) -> Iterator[str]:
        """Yield the fixtures.

        Args:
            used: names of the clients in the tests.
        """
        if self.database:
            yield from self._on_database()
        elif self.users and self.signs_in_once:
            yield from self._signed_in_once()
        else:
            yield self._fresh_client()
        wanted = [name for name in self.users if name in used]
        if wanted and self.kind == "flask":
            yield WITH_HEADERS
        for name in wanted:
            needs = "app, client, signed_in" if self.database else "client, signed_in"
            head = f'@pytest.fixture\ndef {name}({needs}):\n    """{self._who(name)}."""\n'
            yield f"{head}    return {self.of_user(f'signed_in[{quoted(name)}]')}"

    @property
    def _places(self) -> list[str]:
        """What the file imports of the project, as `package.module:name`."""
        return [self.place, *(place for group in self.state for place in group)]

    def _who(self, name: str) -> str:
        return _WHO.get(name, f"A client of {name}")

    def _fresh_client(self) -> str:
        """The one fixture that does all; where a function makes the application, users sign in to each."""
        folder = bool(self.form.get("own_folder"))
        patched = self.has_environment or self.state or folder or (self.unset and not self.early)
        needs = ["monkeypatch"] if patched else []
        lines = [
            "@pytest.fixture",
            f"def client({', '.join([*needs, *['tmp_path'] * folder])}):",
            '    """A client of the application as it is after its start."""',
            *self._surroundings("monkeypatch", "tmp_path"),
            *self._copies("monkeypatch"),
            *self._given(),
        ]
        if self.users:
            lines += ["", "", "@pytest.fixture(autouse=True)", "def signed_in(client):"]
            lines += ['    """What users send for having signed in, by their names."""', "    return sign_in(client)"]
        return "\n".join(lines)

    def _signed_in_once(self) -> Iterator[str]:
        copied, folder = self._copies("patch"), bool(self.form.get("own_folder"))
        if copied:
            words = '    """Give the application copies of what requests change."""'
            yield "\n".join(["def copy_state(patch):", words, *copied])
        made = 'tmp_path_factory.mktemp("application")'
        if self.copies_files:
            words = '    """Where the application is to which the users of these tests sign in."""'
            head = '@pytest.fixture(scope="module")\ndef folder(tmp_path_factory):'
            yield "\n".join([head, words, f"    return {made}"])
        patched = [*self._surroundings("patch", "folder" if self.copies_files else made)]
        patched += ["    copy_state(patch)"] if copied else []
        given = self._given("sign_in({})")
        lines = [
            '@pytest.fixture(scope="module")',
            f"def signed_in({'folder' if self.copies_files else 'tmp_path_factory' * folder}):",
            '    """What the users of these tests send for having signed in, by their names."""',
            *(["    with pytest.MonkeyPatch.context() as patch:"] if patched else []),
            *(f"    {line}" if patched else line for line in [*patched, *given]),
        ]
        # What follows the patches has to run before they end.
        yield "\n".join(lines).replace("return sign_in", "yield sign_in")
        needs = ["signed_in", *["monkeypatch"] * bool(copied or folder), *["tmp_path"] * folder]
        needs += ["folder"] * self.copies_files
        lines = [
            "@pytest.fixture",
            f"def client({', '.join(needs)}):",
            '    """A client of the application as it is after the users have signed in."""',
            *(["    copy_state(monkeypatch)"] if copied else []),
            *(
                ["    shutil.copytree(folder, tmp_path, symlinks=True, dirs_exist_ok=True)"]
                if self.copies_files
                else []
            ),
            *(["    monkeypatch.chdir(tmp_path)"] if folder else []),
            *self._given(),
        ]
        yield "\n".join(lines)

    def _on_database(self) -> Iterator[str]:
        module, _, name = self.place.partition(":")
        context = ["        with TestClient(app):", "            yield app"]
        variables = [f"    {line}" for line in self._surroundings("patch", "")]
        yield "\n".join(
            [
                '@pytest.fixture(scope="module")',
                "def app(tmp_path_factory):",
                '    """The application, imported anew in a folder of its own, where its database is."""',
                "    with pytest.MonkeyPatch.context() as patch:",
                '        patch.chdir(tmp_path_factory.mktemp("app"))',
                "        # Nothing of the shell reaches it, such as the address of a database.",
                "        for name in [name for name in os.environ if not re.fullmatch(KEPT_VARIABLES, name)]:",
                "            patch.delenv(name)",
                *variables,
                "        for name in [name for name in sys.modules if name.partition('.')[0] in PACKAGES]:",
                "            patch.delitem(sys.modules, name)",
                f"        app = importlib.import_module({quoted(module)}).{name}",
                *(context if self.kind in ("fastapi", "starlette") else ["        yield app"]),
            ]
        )
        signed_in = self.made("app")
        if self.users:
            yield "\n".join(
                [
                    '@pytest.fixture(scope="module")',
                    "def signed_in(app):",
                    '    """What the users of these tests send for having signed in, by their names."""',
                    f"    return sign_in({signed_in})",
                ]
            )
        needs = "app, signed_in" if self.users else "app"
        yield _SNAPSHOT.format(needs=needs, who=" and its users" * bool(self.users))
        yield _RESTORED.format(client=self.made("app"))

    def _given(self, made: str = "{}") -> list[str]:
        """The lines that end a fixture with a client, or what is made of one."""
        application = self.application()
        if self.kind in ("flask", "werkzeug"):
            return [f"    return {made.format(self.made(application))}"]
        return [f"    with {self.made(application)} as client:", f"        yield {made.format('client')}"]

    def made(self, application: str, more: str = "") -> str:
        """The expression for a client of an application, with more arguments behind it."""
        if self.kind == "flask":
            return f"{application}.test_client()"
        if self.kind == "werkzeug":
            return f"Client({application})"
        if self.kind == "httpx":
            return f'httpx.Client(transport=httpx.WSGITransport({application}), base_url="http://testserver"{more})'
        expected = [one for case in self.spec["cases"] for one in case["expect"]]
        redirects = any(300 <= status < 400 for one in expected for status in one.get("statuses", ()))
        return f"TestClient({application}{', follow_redirects=False' * redirects}{more})"

    def of_user(self, headers: str) -> str:
        """The expression for a client that sends these headers, of the application that `client` asks."""
        if self.database:
            return f"with_headers(app, {headers})" if self.kind == "flask" else self.made("app", f", headers={headers}")
        if self.kind == "flask":
            return f"with_headers({'client.application' if self.factory else self.application()}, {headers})"
        return self.made("client.app" if self.factory else self.application(), f", headers={headers}")

    def _surroundings(self, patch: str, folder: str) -> Iterator[str]:
        if self.has_environment:
            yield "    for name, value in ENVIRONMENT.items():"
            yield f"        {patch}.setenv(name, value)"
        # What the shell has of them would make other answers.
        for name in () if self.early else self.unset:
            yield f"    {patch}.delenv({quoted(name)}, raising=False)"
        if self.form.get("own_folder"):
            yield f"    {patch}.chdir({folder})"

    def _copies(self, patch: str) -> list[str]:
        """The lines that give the application copies; other names of one object get the same copy."""
        lines: list[str] = []
        by_owner: dict[str, list[str]] = {}
        for first, *_ in self.state:
            owner, name = self.named(first)
            by_owner.setdefault(owner, []).append(name)
        for owner, names in by_owner.items():
            if len(names) >= _LOOP:
                lines.append(f"    for name in ({', '.join(map(quoted, names))}):")
                lines.append(f"        {patch}.setattr({owner}, name, copy.deepcopy(getattr({owner}, name)))")
                continue
            lines += [f"    {patch}.setattr({owner}, {quoted(name)}, copy.deepcopy({owner}.{name}))" for name in names]
        for first, *others in self.state:
            original = ".".join(self.named(first))
            for other in others:
                owner, name = self.named(other)
                lines.append(f"    {patch}.setattr({owner}, {quoted(name)}, {original})")
        return lines

    def named(self, place: str) -> tuple[str, str]:
        """The expression for the owner of a place, and its attribute."""
        module, _, path = place.partition(":")
        owner, _, name = path.rpartition(".")
        return ".".join(part for part in (self._modules()[module], owner) if part), name

    def _modules(self) -> dict[str, str]:
        """The names that the file has for modules."""
        found: dict[str, str] = {}
        for module in sorted({place.partition(":")[0] for place in self._places}):
            short = module.rpartition(".")[2]
            taken = self._is_taken(short) or keyword.iskeyword(short)
            others = {*found.values(), *self.users, *self.functions}
            found[module] = unique_name(f"{short}_module" if taken else short, others)
        return found

    def _is_taken(self, name: str) -> bool:
        """Whether the file has another thing of that name."""
        return name in _TAKEN or name in self.users or name in self.functions

    def application(self) -> str:
        """The expression for the application."""
        module, _, name = self.place.partition(":")
        if self.state:
            return f"{self._modules()[module]}.{name}"
        made = name.removesuffix("()")
        return f"{made}{'_application' * self._is_taken(made)}{'()' * self.factory}"


def _import_of(module: str, name: str) -> str:
    package, _, short = module.rpartition(".")
    renamed = f" as {name}" if name != short else ""
    return f"from {package} import {short}{renamed}" if package else f"import {short}{renamed}"
