"""Detects what a repository is built with from its manifests: runtime, languages, frameworks, test frameworks."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

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
    running = [one for one in languages if one in _RUNTIME_OF]
    if runtime is None and running:
        runtime = _RUNTIME_OF[min(running, key=lambda one: (-languages[one], one))]
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
            return {one for table in tables if isinstance(table, dict) for one in table}
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
