"""Renders the fixtures that ask an application by the test client of its framework: no server, no helper files."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....utils.python_names import unique_name
from ..model.json_values import quoted
from .dialects import client_of

Json = Mapping[str, Any]
_MODULES = {"fastapi": "fastapi.testclient", "starlette": "starlette.testclient"}
_TAKEN = ("client", "copy", "os", "pytest", "response", "sign_in", "signed_in", "application")
_LOOP = 3
"""From this many objects of one module on, a loop is shorter."""
_WHO = {
    "user": "A client of somebody who has signed in",
    "other_user": "A client of somebody else who has signed in",
    "admin": "A client of an administrator",
}


@dataclass(frozen=True, slots=True)
class ClientFixtures:
    """The fixtures of a test file, and what they import.

    Attributes:
        spec: names a test client.
        users: names of users who sign in.
    """

    spec: Json
    users: Sequence[str]

    @property
    def early(self) -> bool:
        """Whether the variables are set before the application is imported."""
        return bool(self._client.get("early_environment"))

    @property
    def _client(self) -> Json:
        return client_of(self.spec) or {}

    @property
    def _state(self) -> list[list[str]]:
        return [list(group) for group in self._client.get("state") or ()]

    @property
    def _factory(self) -> bool:
        return self._place.endswith("()")

    @property
    def _place(self) -> str:
        return str(self.spec["target"]["application"]["import"])

    @property
    def _has_environment(self) -> bool:
        return bool(self.spec["target"]["application"].get("environment")) and not self.early

    def standard_imports(self) -> set[str]:
        """The statements for modules of the standard library."""
        return {"import copy"} if self._state else set()

    def framework_import(self) -> str:
        """The statement that imports the client."""
        return f"from {_MODULES[str(self._client['kind'])]} import TestClient"

    def project_imports(self) -> list[str]:
        """The statements for modules of the project."""
        if not self._state:
            module, _, name = self._place.removesuffix("()").partition(":")
            return [f"from {module} import {name}{_renamed(name)}"]
        return [_import_of(module, name) for module, name in sorted(self._modules().items())]

    def fixtures(self, used: set[str]) -> Iterator[str]:
        """Yield the fixtures.

        Args:
            used: names of the clients in the tests.
        """
        if self.users and not self._factory:
            yield from self._signed_in_once()
        else:
            yield self._fresh_client()
        for name in self.users:
            if name in used:
                who = _WHO.get(name, f"A client of {name}")
                application = self._application() if not self._factory else "client.app"
                yield (
                    f"@pytest.fixture\ndef {name}(client, signed_in):\n"
                    f'    """{who}."""\n'
                    f"    return {self._made(application, f', headers=signed_in[{quoted(name)}]')}"
                )

    def _fresh_client(self) -> str:
        """The one fixture that does all; where a function makes the application, users sign in to each."""
        needs = ["monkeypatch"] if self._has_environment or self._state or self._client.get("own_folder") else []
        lines = [
            "@pytest.fixture",
            f"def client({', '.join([*needs, *(['tmp_path'] if self._client.get('own_folder') else [])])}):",
            '    """A client of the application as it is after its start."""',
            *self._surroundings("monkeypatch"),
            *self._copies("monkeypatch"),
            f"    with {self._made(self._application())} as client:",
            "        yield client",
        ]
        if self.users:
            lines += ["", "", "@pytest.fixture(autouse=True)", "def signed_in(client):"]
            lines += ['    """What users send for having signed in, by their names."""', "    return sign_in(client)"]
        return "\n".join(lines)

    def _signed_in_once(self) -> Iterator[str]:
        copied = self._copies("patch")
        if copied:
            words = '    """Give the application copies of what requests change."""'
            yield "\n".join(["def copy_state(patch):", words, *copied])
        lines = [
            '@pytest.fixture(scope="module")',
            "def signed_in():",
            '    """What the users of these tests send for having signed in, by their names."""',
            "    with pytest.MonkeyPatch.context() as patch:",
            *(f"    {line}" for line in self._surroundings("patch")),
            *(["        copy_state(patch)"] if copied else []),
            f"        with {self._made(self._application())} as client:",
            "            yield sign_in(client)",
        ]
        yield "\n".join(lines)
        lines = [
            "@pytest.fixture",
            f"def client(signed_in{', monkeypatch' if copied else ''}):",
            '    """A client of the application as it is after the users have signed in."""',
            *(["    copy_state(monkeypatch)"] if copied else []),
            f"    with {self._made(self._application())} as client:",
            "        yield client",
        ]
        yield "\n".join(lines)

    def _made(self, application: str, more: str = "") -> str:
        expected = [one for case in self.spec["cases"] for one in case["expect"]]
        redirects = any(300 <= status < 400 for one in expected for status in one.get("statuses", ()))
        return f"TestClient({application}{', follow_redirects=False' * redirects}{more})"

    def _surroundings(self, patch: str) -> Iterator[str]:
        if self._has_environment:
            yield "    for name, value in ENVIRONMENT.items():"
            yield f"        {patch}.setenv(name, value)"
        if self._client.get("own_folder"):
            yield f"    {patch}.chdir(tmp_path)"

    def _copies(self, patch: str) -> list[str]:
        """The lines that give the application copies; other names of one object get the same copy."""
        lines: list[str] = []
        by_owner: dict[str, list[str]] = {}
        for first, *_ in self._state:
            owner, name = self._named(first)
            by_owner.setdefault(owner, []).append(name)
        for owner, names in by_owner.items():
            if len(names) >= _LOOP:
                lines.append(f"    for name in ({', '.join(map(quoted, names))}):")
                lines.append(f"        {patch}.setattr({owner}, name, copy.deepcopy(getattr({owner}, name)))")
                continue
            lines += [f"    {patch}.setattr({owner}, {quoted(name)}, copy.deepcopy({owner}.{name}))" for name in names]
        for first, *others in self._state:
            original = ".".join(self._named(first))
            for other in others:
                owner, name = self._named(other)
                lines.append(f"    {patch}.setattr({owner}, {quoted(name)}, {original})")
        return lines

    def _named(self, place: str) -> tuple[str, str]:
        """The expression for the owner of a place, and its attribute."""
        module, _, path = place.partition(":")
        owner, _, name = path.rpartition(".")
        return ".".join(part for part in (self._modules()[module], owner) if part), name

    def _modules(self) -> dict[str, str]:
        """The names that the file has for modules."""
        places = [self._place, *(place for group in self._state for place in group)]
        found: dict[str, str] = {}
        for module in sorted({place.partition(":")[0] for place in places}):
            short = module.rpartition(".")[2]
            taken = short in _TAKEN or keyword.iskeyword(short)
            found[module] = unique_name(f"{short}_module" if taken else short, found.values())
        return found

    def _application(self) -> str:
        module, _, name = self._place.partition(":")
        if self._state:
            return f"{self._modules()[module]}.{name}"
        return f"{name.removesuffix('()')}{'_application' * (name.removesuffix('()') in _TAKEN)}{'()' * self._factory}"


def _renamed(name: str) -> str:
    return f" as {name}_application" if name in _TAKEN else ""


def _import_of(module: str, name: str) -> str:
    package, _, short = module.rpartition(".")
    renamed = f" as {name}" if name != short else ""
    return f"from {package} import {short}{renamed}" if package else f"import {short}{renamed}"
