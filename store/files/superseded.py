"""Finds the test files of single members that the test file of their whole module replaces.

A request for one function writes `test_cart__total.py`. Beside a newer `test_cart.py`, which is about all of the
module, it would say the same twice, and only the request that it is from would ever renew it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from ...utils.generated_header import generated_from, is_untouched
from ...utils.untrusted_files import read_bytes, read_source
from .project_files import project_path
from .written_for import is_for_another

_OF_PARTS = ("generate_unit_tests", "generate_api_tests")
"""Steps whose test file is named after the module, and after the parts that it is limited to."""


def superseded_files(plan_json: Path, root: Path, accepted: Collection[str]) -> dict[str, str]:
    """Map test files that the accepted ones replace to their replacement; only generated ones that nobody has changed.

    Args:
        plan_json: the run's plan; it tells which accepted files are about whole modules.
        root: the project, or a copy of it.
        accepted: paths of test files, POSIX, relative to the root.
    """
    found: dict[str, str] = {}
    for test_path, target, framework in _whole_modules(plan_json):
        if test_path not in accepted:
            continue
        place = PurePosixPath(test_path)
        folder = root / place.parent
        for other in sorted(folder.glob(f"{place.stem}__*{place.suffix}")) if folder.is_dir() else ():
            path = (place.parent / other.name).as_posix()
            if path not in accepted and not other.is_symlink() and _is_ours(root, path, target, framework):
                found[path] = test_path
    return found


def _whole_modules(plan_json: Path) -> Iterator[tuple[str, str, str]]:
    """Yield test file, tested file and framework of each step of the plan that is about a whole module."""
    try:
        plan = json.loads(read_bytes(plan_json.parent, plan_json.name))
        for step in plan["steps"]:
            target = step["params"].get("target") or {}
            whole = target.get("symbols") is None and not target.get("operations")
            if step["type"] in _OF_PARTS and target.get("path") and whole:
                framework = str(step["params"].get("framework") or "")
                yield project_path(str(step["params"]["test_path"])), str(target["path"]), framework
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return  # a run without a readable plan replaces nothing


def _is_ours(root: Path, path: str, target: str, framework: str) -> bool:
    try:
        text = read_source(root, path)
    except (OSError, UnicodeDecodeError):
        return False
    return generated_from(text) == target and is_untouched(text) is True and not is_for_another(text, framework)
