"""Finds where a project's own configuration of Playwright Test looks for tests, and what other runners take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .....sandbox.javascript.playwright_report import project_config
from .....sandbox.javascript.project import collection_of, package_of
from .....utils.untrusted_files import source_or_empty

SPEC_SUFFIX = ".spec.ts"
_COMMENTS = re.compile(r"/\*.*?\*/|(?<![:'\"`\w*/])//[^\n]*", re.DOTALL)
_TEST_DIR = re.compile(r"""\btestDir:\s*['"`]([^'"`$]+)['"`]""")
_PROJECTS = re.compile(r"\bprojects\s*:\s*\[")
_SELECTS = re.compile(r"\b(testMatch|testIgnore)\s*:")


def playwright_folder(root: Path, usual: PurePosixPath) -> PurePosixPath:
    """The folder for added tests, relative to the project: the usual one where the configuration finds tests there."""
    config = project_config(root)
    said = _TEST_DIR.search(_config_source(root, config)) if config else None
    folder = PurePosixPath(said[1]) if said else usual.parent
    inside = usual.is_relative_to(folder) or folder.is_absolute() or ".." in folder.parts
    return usual if inside else folder / "generated"


def _config_source(root: Path, config: str) -> str:
    """The text of a configuration without its comments."""
    return _COMMENTS.sub("", source_or_empty(root, config))


def collected_notes(root: Path, test_path: str) -> Iterator[str]:
    """Yield what the project's own runners make of a test file: one that skips it, or one that would take it."""
    config = project_config(root)
    source = _config_source(root, config) if config else ""
    selects = sorted(set(_SELECTS.findall(source)))
    if selects:
        yield f"{config} selects files by {' and '.join(selects)}: see that it takes {test_path}"
    if _PROJECTS.search(source):
        yield f"{config} has projects, and `npx playwright test` runs the tests in each; they are judged in Chromium"
    package = package_of(root, test_path)
    folder = PurePosixPath(test_path).parent.as_posix()
    has_jest = package.configured or "jest" in package.dependencies
    if has_jest and collection_of(root, package).collects(test_path):
        line = f'testPathIgnorePatterns: ["/node_modules/", "/{folder}/"]'
        yield f"the project's own Jest would collect {test_path}, which is not for it: add {line} to its configuration"
    if "vitest" in package.dependencies:
        line = f"exclude: [...configDefaults.exclude, '{folder}/**']"
        yield f"the project's own Vitest may collect {test_path}, which is not for it: add {line} to `test`"
