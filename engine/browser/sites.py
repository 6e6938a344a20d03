"""Finds a project's web sites by syntax tree: applications that answer with pages, and folders of pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...utils.python_source import parse_python
from ...utils.untrusted_files import source_or_empty
from ..api.document.apps import WebApplication, find_applications
from ..python.project.layout import Layout, ModulePlace

_PAGES = re.compile(
    r"text/html|<html|<!doctype html|render_template|TemplateResponse|HTMLResponse|Jinja2Templates|TemplateView|"
    r"render\(\s*request|django\.shortcuts|template_folder|StaticFiles|contrib\.admin|admin\.site\.urls",
    re.IGNORECASE,
)
_NAMES = ("application", "app", "site", "wsgi_app")
_START_PAGE = "index.html"
_STATIC_FOLDERS = ("", "public", "site", "www", "static", "dist", "build", "docs", "web", "html", "_site")


def find_sites(layout: Layout) -> list[WebApplication]:
    """Find the applications of a project that answer with pages, the most likely first. Blocks."""
    found = [app for app in find_applications(layout) if _has_pages(layout, app.place)]
    known = {app.place.path for app in found}
    for place in layout.modules:
        if place.path not in known:
            found += _wsgi_functions(layout, place)
    return found


def _has_pages(layout: Layout, place: ModulePlace) -> bool:
    """Whether the module of an application, or one of its package, deals with pages."""
    package = place.module.partition(".")[0]
    near = [one for one in layout.modules if one.module.partition(".")[0] == package]
    return any(_PAGES.search(source_or_empty(layout.root, one.path)) for one in near[:200])


def _wsgi_functions(layout: Layout, place: ModulePlace) -> Iterator[WebApplication]:
    text = source_or_empty(layout.root, place.path)
    if "start_response" not in text or not _PAGES.search(text):
        return
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in _NAMES and len(node.args.args) == 2
    ]
    for node in sorted(found, key=lambda node: _NAMES.index(node.name))[:1]:
        yield WebApplication(place, node.name, "wsgi", node.lineno)


def static_folder(root: Path, named: str = "") -> str | None:
    """The folder of pages, POSIX and relative to the root, that a request names, or that a project usually has.

    Args:
        named: a folder, or its first page; empty for the usual ones.
    """
    for folder in (named,) if named else _STATIC_FOLDERS:
        place = PurePosixPath(folder or ".")
        if place.is_absolute() or ".." in place.parts:
            continue
        if place.name == _START_PAGE:
            place = place.parent
        page = root / place / _START_PAGE
        if page.is_file() and page.resolve().is_relative_to(root.resolve()):
            return place.as_posix()
    return None
