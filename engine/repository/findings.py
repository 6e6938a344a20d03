"""Routes, pages and source facts of a repository as plain data, and the stack that its manifests name."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Route:
    """An HTTP operation that source code declares.

    Attributes:
        method: in capitals.
        path: with parameters as `{name}`, from the server's root.
        file, line: where it is declared.
        success: the status of a successful response; None when the source does not show it.
        errors: other statuses the handler's source names, sorted.
        body: whether it reads a request body.
        rejects_empty: the status the framework gives for a body without its required fields; None when it has none.
        typed_parameters: path parameters that only take integers: (name, status for others).
        authorized: whether the source guards it.
        template: the page template it renders, "" for none.
    """

    method: str
    path: str
    file: str
    line: int
    success: int | None = None
    errors: tuple[int, ...] = ()
    body: bool = False
    rejects_empty: int | None = None
    typed_parameters: tuple[tuple[str, int], ...] = ()
    authorized: bool = False
    template: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The route as JSON."""
        return _plain(asdict(self))


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page whose address is known.

    Attributes:
        path: its address from the server's root.
        file: where its markup is.
        title: literal text of its title, "" for none.
        headings: literal texts of its headings, in order.
        fields: labels of its form fields.
        buttons: names of its buttons.
    """

    path: str
    file: str
    title: str = ""
    headings: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The page as JSON."""
        return _plain(asdict(self))


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The routes, mounts and imports of one source file.

    Attributes:
        routes: routes it declares; paths lack what other files mount them under.
        routers: the router variable of each route, in the order of `routes`.
        mounts: (what is mounted as a dotted name or a relative module, under which prefix).
        imports: files or modules it imports, as written: dotted for Python, relative paths for JavaScript.
    """

    routes: tuple[Route, ...] = ()
    routers: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    imports: tuple[str, ...] = ()


def joined(*parts: str) -> str:
    """Joins parts of an address with a single slash between them."""
    path = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{path}" + ("/" if path and parts[-1].endswith("/") and parts[-1] != "/" else "")


def _plain(value: Any) -> Any:
    """The value with tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "typescript"),
    **dict.fromkeys((".kt", ".kts"), "kotlin"),
    **{".java": "java", ".go": "go", ".rs": "rust", ".rb": "ruby", ".php": "php", ".cs": "csharp", ".swift": "swift"},
    **{".dart": "dart", ".vue": "vue", ".svelte": "svelte", ".html": "html", ".htm": "html"},
    **{".c": "c", ".h": "c", ".cpp": "cpp", ".scala": "scala", ".ex": "elixir", ".sh": "shell"},
}
CONFIGS = frozenset(
    """package.json pyproject.toml setup.py setup.cfg requirements.txt Pipfile go.mod Cargo.toml Gemfile composer.json
    pom.xml build.gradle build.gradle.kts Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml
    Makefile tsconfig.json Procfile pubspec.yaml app.json openapi.json openapi.yaml openapi.yml swagger.json manage.py
    playwright.config.ts playwright.config.js vite.config.ts vite.config.js next.config.js next.config.mjs tox.ini
    pytest.ini AndroidManifest.xml Info.plist""".split()
)
_FRAMEWORKS = frozenset(
    """fastapi flask django starlette quart aiohttp tornado sanic express fastify koa hono next nuxt react vue svelte
    angular @angular/core nest @nestjs/core remix react-native expo gatsby solid-js rails laravel gin actix-web axum
    spring-boot flutter litestar""".split()
)
_TESTING = frozenset(
    """pytest unittest jest vitest mocha playwright @playwright/test cypress jasmine ava maestro hypothesis tox
    nose2""".split()
)
_RUNTIMES = {
    **dict.fromkeys(("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"), "python"),
    **dict.fromkeys(("pom.xml", "build.gradle", "build.gradle.kts"), "jvm"),
    **{"package.json": "node", "go.mod": "go", "Cargo.toml": "rust", "Gemfile": "ruby", "composer.json": "php"},
    "pubspec.yaml": "dart",
}
_RUNTIME_OF = {"python": "python", "javascript": "node", "typescript": "node", "go": "go", "rust": "rust"}
_NAME = re.compile(r"^[A-Za-z0-9@][A-Za-z0-9._/@-]*")


def is_manifest(path: str) -> bool:
    """Whether a file may name what the repository depends on."""
    name = path.rpartition("/")[2]
    return name in _RUNTIMES or (name.startswith("requirements") and name.endswith(".txt"))


def detected_stack(paths: Iterable[str], manifests: Mapping[str, str]) -> dict[str, Any]:
    """`runtime`, `languages` (files by language), `frameworks`, `test_frameworks`, each sorted.

    Args:
        manifests: path → text of the files `is_manifest` is about.
    """
    languages = Counter(
        language for path in paths if (language := LANGUAGES.get("." + path.rpartition("/")[2].rpartition(".")[2]))
    )
    names = {name.lower().replace("_", "-") for path, text in manifests.items() for name in _dependencies(path, text)}
    nearest = min(
        (path for path in manifests if path.rpartition("/")[2] in _RUNTIMES),
        key=lambda path: (path.count("/"), path),
        default=None,
    )
    runtime = _RUNTIMES[nearest.rpartition("/")[2]] if nearest else None
    running = [language for language in languages if language in _RUNTIME_OF]
    if runtime is None and running:
        runtime = _RUNTIME_OF[min(running, key=lambda language: (-languages[language], language))]
    return {
        "runtime": runtime or "unknown",
        "languages": dict(sorted(languages.items())),
        "frameworks": sorted(names & _FRAMEWORKS),
        "test_frameworks": sorted(names & _TESTING),
    }


def _dependencies(path: str, text: str) -> set[str]:
    """Names of the dependencies in a manifest; empty for one that does not parse."""
    name = path.rpartition("/")[2]
    try:
        if name == "package.json":
            manifest = json.loads(text)
            tables = (manifest.get(key) for key in ("dependencies", "devDependencies", "peerDependencies"))
            return {name for table in tables if isinstance(table, dict) for name in table}
        if name == "pyproject.toml":
            return _pyproject(tomllib.loads(text))
    except (ValueError, RecursionError, AttributeError):
        return set()
    if name in ("pubspec.yaml", "Pipfile", "Gemfile", "go.mod", "Cargo.toml", "composer.json", "setup.py", "setup.cfg"):
        return {word for word in re.findall(r"[\w@./-]+", text) if word.lower() in _FRAMEWORKS | _TESTING}
    return {found.group() for line in text.splitlines() if (found := _NAME.match(line.strip()))}


def _pyproject(manifest: dict[str, Any]) -> set[str]:
    project, tool = manifest.get("project") or {}, manifest.get("tool") or {}
    lists = [project.get("dependencies") or [], *(project.get("optional-dependencies") or {}).values()]
    lists += [*(manifest.get("dependency-groups") or {}).values()]
    poetry = (tool.get("poetry") or {}) if isinstance(tool, dict) else {}
    names = {
        found.group() for list_ in lists for text in list_ if isinstance(text, str) and (found := _NAME.match(text))
    }
    return names | set(poetry.get("dependencies") or {})
