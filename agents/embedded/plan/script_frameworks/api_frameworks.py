"""Decides which API tests are written as scripts, and where their files go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from .....sandbox.javascript.project import collection_of, package_of
from ..request.parsed_request import Clause, ParsedRequest
from .playwright_places import SPEC_SUFFIX, collected_notes, playwright_folder

API_SCRIPT_FRAMEWORKS = ("jest", "playwright")
"""What API tests are written for besides the frameworks of Python."""
_NAMES_FRAMEWORK = re.compile(r"(?:(?:with|using|use|in|via|through|as)\s+(?:the\s+)?)?playwright\S*", re.IGNORECASE)


def api_framework(words: ParsedRequest, inputs: Mapping[str, Any]) -> str:
    """The framework of scripts that API tests are written for; "" for Python's, or where there are none.

    Jest is for API tests alone or for unit tests of scripts alone; that Playwright is named asks for no browser tests.
    """
    kinds = {str(inputs["test_type"])} if inputs.get("test_type") else set(words.test_types)
    named = [*words.frameworks, str(inputs.get("framework") or "")][:1]
    if "api" not in kinds or named[0] not in API_SCRIPT_FRAMEWORKS:
        return ""
    browser = [clause for clause in words.clauses if clause.test_type == "e2e"]
    if named[0] == "playwright" and all(_NAMES_FRAMEWORK.fullmatch(clause.text.strip()) for clause in browser):
        kinds -= {"e2e"}
    return named[0] if kinds == {"api"} else ""


def with_api_framework(clauses: Sequence[Clause], framework: str) -> list[Clause]:
    """Return the clauses of API tests alone, with their framework."""
    return [replace(clause, framework=framework) for clause in clauses if clause.test_type == "api"]


def api_test_path(root: Path, framework: str, tests_dir: str, python_path: str) -> str:
    """Where a test file of an API goes: where the project's own runner finds it, if it has one.

    Args:
        python_path: of the same tests in Python, such as `api/test_shop_api.py`, relative to the folder of tests.
    """
    if framework not in API_SCRIPT_FRAMEWORKS:
        return PurePosixPath(tests_dir, python_path).as_posix()
    wanted = PurePosixPath(python_path)
    stem = wanted.stem.removeprefix("test_").replace("_api", ".api", 1)
    if framework == "playwright":
        return (playwright_folder(root, PurePosixPath(tests_dir, wanted.parent)) / f"{stem}{SPEC_SUFFIX}").as_posix()
    package = package_of(root, "package.json")
    collection = collection_of(root, package)
    folders = [PurePosixPath(tests_dir, wanted.parent)]
    folders += [PurePosixPath(one, "generated", wanted.parent) for one in (*collection.roots, *_USUAL)]
    places = [(one / f"{stem}.{kind}.js").as_posix() for kind in ("test", "spec") for one in folders]
    return next((place for place in places if collection.collects(place)), places[0])


_USUAL = ("test", "tests", "spec", "__tests__")


def api_notes(root: Path, framework: str, test_path: str) -> list[str]:
    """What the project's own runners make of a test file."""
    return list(collected_notes(root, test_path)) if framework == "playwright" else []
