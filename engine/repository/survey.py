"""Surveys a repository: entry points, routes, pages, and the files that each analysis depth reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from .findings import CONFIGS, LANGUAGES, Route, SitePage, SourceFacts, detected_stack, is_manifest, joined
from .pages import SUFFIXES as JAVASCRIPT
from .pages import html_page, javascript_facts, next_page, static_address
from .programs import CommandLineProgram, command_line_programs
from .python_routes import python_facts

Depth = Literal["smoke", "core", "standard", "deep"]
Kind = Literal["api_route", "ui_component", "test_fixture", "config"]

_MARKUP = (".html", ".htm", ".jinja", ".j2")
_TESTS = re.compile(r"(?:^|/)(?:tests?|__tests__|e2e|spec|cypress)/|(?:^|/)test_[^/]*\.py$|[._](?:test|spec)\.[jt]sx?$")
_FIXTURES = re.compile(r"(?:^|/)conftest\.py$|(?:^|/)(?:__)?fixtures?(?:__)?/|(?:^|/)factories\.py$|\.fixture\.[jt]s$")
_RETURNS_MARKUP = re.compile(r"return\s*+(?:\(\s*+)?<|=>\s*+(?:\(\s*+)?<[A-Za-z>]")


@dataclass(frozen=True, slots=True)
class Survey:
    """The routes, pages, entry points and imports of a repository.

    Attributes:
        entry_points: path → kind, sorted by path.
        routes, pages: sorted by address.
        programs: command line programs, sorted by file.
        importance: source files, the most important first.
        imported: file → files of the repository that it imports, sorted.
        stack: `runtime`, `languages`, `frameworks`, `test_frameworks`.
    """

    entry_points: Mapping[str, Kind]
    routes: tuple[Route, ...]
    pages: tuple[SitePage, ...]
    importance: tuple[str, ...]
    imported: Mapping[str, tuple[str, ...]]
    stack: Mapping[str, Any]
    programs: tuple[CommandLineProgram, ...] = ()

    def at(self, depth: Depth, paths: Sequence[str]) -> list[str]:
        """Selects the paths that an analysis depth reads.

        smoke: entry points and programs; core: they and what they import; standard: all source files, the most
        important first, then the other entry points; deep: all, in the order given.
        """
        if depth == "deep":
            return list(paths)
        starts = list(dict.fromkeys([*self.entry_points, *(program.file for program in self.programs)]))
        wanted = list(starts)
        if depth == "core":
            wanted += [module for path in starts for module in self.imported.get(path, ())]
        elif depth == "standard":
            wanted = [*self.importance, *starts]
        there = set(paths)
        return [path for path in dict.fromkeys(wanted if depth == "standard" else sorted(wanted)) if path in there]


@dataclass
class _Reading:
    paths: Sequence[str]
    texts: Mapping[str, str]
    facts: dict[str, SourceFacts] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)


def is_surveyed(path: str) -> bool:
    """Whether `survey` reads a file's text."""
    return path.endswith((".py", *JAVASCRIPT, *_MARKUP)) or is_manifest(path)


def survey(paths: Sequence[str], texts: Mapping[str, str]) -> Survey:
    """Surveys a repository.

    Args:
        paths: all its files.
        texts: path → text of those that are `is_surveyed` and could be read.
    """
    reading = _Reading(paths, texts)
    for path, text in texts.items():
        if path.endswith(".py"):
            reading.facts[path] = python_facts(path, text)
        elif path.endswith(JAVASCRIPT):
            reading.facts[path] = javascript_facts(path, text)
    reading.routes = _mounted(reading)
    pages = _pages(reading)
    modules = _modules(reading.facts)
    imported = {path: _imported(path, facts, reading, modules) for path, facts in reading.facts.items()}
    entry_points = _entry_points(reading)
    shown = {path: text for path, text in texts.items() if not _TESTS.search(path)}
    programs = command_line_programs(shown, modules, imported)
    stack = detected_stack(paths, {path: text for path, text in texts.items() if is_manifest(path)})
    offered = [path for path, kind in entry_points.items() if kind in ("api_route", "ui_component")]
    return Survey(
        entry_points=entry_points,
        routes=tuple(sorted(reading.routes, key=lambda found: (found.path, found.method, found.file, found.line))),
        pages=tuple(sorted(pages, key=lambda found: (found.path, found.file))),
        importance=_importance(paths, {*offered, *(program.file for program in programs)}, imported),
        imported=imported,
        stack=stack,
        programs=programs,
    )


def _mounted(reading: _Reading) -> list[Route]:
    """All routes outside tests, with the prefixes under which other files mount their routers."""
    prefixes: dict[str, list[str]] = {}
    by_file: dict[str, list[str]] = {}
    for path, facts in reading.facts.items():
        for what, prefix in facts.mounts:
            if path.endswith(".py"):
                prefixes.setdefault(what, []).append(prefix)
            else:
                for file in _resolved(path, what, reading.facts):
                    by_file.setdefault(file, []).append(prefix)
    found: list[Route] = []
    for path, facts in reading.facts.items():
        if _TESTS.search(path):
            continue
        module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for route, router in zip(facts.routes, facts.routers, strict=True):
            name = f"{module}.{router}"
            mounts = [path_ for what, ones in prefixes.items() if f".{name}".endswith(f".{what}") for path_ in ones]
            # The address of a Next.js route is its path in the repository; nothing mounts it.
            mounts = mounts or by_file.get(path, []) if router != "next" else []
            found += [replace(route, path=joined(prefix, route.path)) for prefix in mounts or [""]]
    return list(dict.fromkeys(found))


def _pages(reading: _Reading) -> list[SitePage]:
    """Pages whose address is known: rendered by a route, static files, and the files of Next.js."""
    pages: list[SitePage] = []
    templates = {route.template: route.path for route in reading.routes if route.template and route.method == "GET"}
    rendered: set[str] = set()
    for name, address in templates.items():
        file = next((path for path in reading.texts if path == name or path.endswith(f"/{name}")), None)
        if file is not None:
            rendered.add(file)
            pages.append(html_page(file, address, reading.texts[file]))
    homes = frozenset(path.rpartition("/")[0] or "." for path in reading.paths if path.endswith("index.html"))
    for path, text in reading.texts.items():
        # A template that a route renders has its address from there.
        if _TESTS.search(path) or path in rendered:
            continue
        if path.endswith((".html", ".htm")) and "templates/" not in f"/{path}":
            address = static_address(path, homes)
            # An unrendered template shows no text that a visitor would see.
            if address is not None and not re.search(r"{%|{{", text):
                pages.append(html_page(path, address, text))
        elif path.endswith((".jsx", ".tsx", ".js", ".ts")) and (page := next_page(path, text)) is not None:
            pages.append(page)
    return pages


def _entry_points(reading: _Reading) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    with_routes = {route.file for route in reading.routes}
    for path in sorted(reading.paths):
        text = reading.texts.get(path, "")
        if _FIXTURES.search(path):
            found[path] = "test_fixture"
        elif _TESTS.search(path):
            continue
        elif path in with_routes:
            found[path] = "api_route"
        elif path.rpartition("/")[2] in CONFIGS:
            found[path] = "config"
        elif path.endswith((*_MARKUP, ".vue", ".svelte")) or (
            path.endswith((".jsx", ".tsx")) and _RETURNS_MARKUP.search(text)
        ):
            found[path] = "ui_component"
    return found


def _imported(path: str, facts: SourceFacts, reading: _Reading, modules: Mapping[str, str]) -> tuple[str, ...]:
    if path.endswith(".py"):
        # `from a import b` imports the module `a.b` or a name of the module `a`.
        found = {modules.get(name) or modules.get(name.rpartition(".")[0], path) for name in facts.imports}
    else:
        found = {file for module in facts.imports for file in _resolved(path, module, reading.facts)}
    return tuple(sorted(found - {path}))


def _modules(facts: Iterable[str]) -> dict[str, str]:
    """Maps dotted names to files, taking every folder for a possible import root."""
    found: dict[str, str] = {}
    for path in facts:
        if path.endswith(".py"):
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), path)
    return found


def _resolved(path: str, module: str, files: Mapping[str, Any]) -> list[str]:
    """The file that a relative JavaScript import refers to, as a list of none or one."""
    parts = list(PurePosixPath(path).parent.parts)
    for part in module.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in (".", ""):
            parts.append(part)
    base = "/".join(parts)
    for candidate in (
        base,
        *(base + suffix for suffix in JAVASCRIPT),
        *(f"{base}/index{suffix}" for suffix in JAVASCRIPT),
    ):
        if candidate in files:
            return [candidate]
    stem = re.sub(r"\.[cm]?js$", "", base)  # TypeScript imports name the file that will be compiled
    return [candidate for candidate in (f"{stem}.ts", f"{stem}.tsx") if candidate in files][:1]


def _importance(paths: Sequence[str], offered: Set[str], imported: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Source files: the `offered` ones (routes, pages, programs) first, then by how many files import them, then by
    path; tests left out.
    """
    users: dict[str, int] = {}
    for files in imported.values():
        for file in files:
            users[file] = users.get(file, 0) + 1
    sources = [
        path
        for path in paths
        if "." + path.rpartition("/")[2].rpartition(".")[2] in LANGUAGES and not _TESTS.search(path)
    ]

    def rank(path: str) -> tuple[bool, int, int, str]:
        return (path not in offered, -users.get(path, 0), path.count("/"), path)

    return tuple(sorted(sources, key=rank))
