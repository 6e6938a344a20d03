"""The steps of a plan, as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from ....engine.python.project.layout import ModulePlace
from ...contract.protocol import JsonObject

GENERATE = "generate_unit_tests"
CONTEXT = "retrieve_context"
VERIFY = "verify_suite"
ACCEPT = "accept_tests"


def generate_step(
    place: ModulePlace,
    symbols: tuple[str, ...] | None,
    *,
    framework: str,
    tests_dir: str,
    digest: str,
    after: Sequence[str] = (),
) -> JsonObject:
    """Specify, write, run and judge the tests of one module.

    Args:
        place: the module.
        symbols: qualified names to limit it to; None for all.
        framework: pytest or unittest.
        tests_dir: where accepted tests go, POSIX, relative to the root.
        digest: sha256 of the module's file, in hex; a resumed run compares it.
        after: ids of steps that it comes after.
    """
    slug = _slug(place.module, symbols)
    test_path = PurePosixPath(tests_dir, *_folders(place.module), f"test_{slug}.py").as_posix()
    return {
        "id": f"generate_unit_{slug}",
        "type": GENERATE,
        "params": {
            "test_type": "unit",
            "framework": framework,
            "target": {
                "path": place.path,
                "module": place.module,
                "import_root": place.import_root,
                "symbols": list(symbols) if symbols is not None else None,
                "digest": digest,
            },
            "spec_path": f"specs/{slug}.json",
            "test_path": test_path,
            "depends_on": list(after),
        },
    }


def context_step(request: str) -> JsonObject:
    """Look up, once for all steps that come after it, what of the project a request is about."""
    return {"id": CONTEXT, "type": CONTEXT, "params": {"query": request, "depends_on": []}}


def verify_step(depends_on: list[str], test_paths: list[str], framework: str) -> JsonObject:
    """Run every kept test of the run together, in several orders."""
    params = {"test_paths": test_paths, "framework": framework, "depends_on": depends_on}
    return {"id": VERIFY, "type": VERIFY, "params": params}


def accept_step(depends_on: list[str], test_paths: list[str]) -> JsonObject:
    """Add the kept tests to the project, or only show the difference on a dry run."""
    return {"id": ACCEPT, "type": ACCEPT, "params": {"test_paths": test_paths, "depends_on": depends_on}}


def _folders(module: str) -> list[str]:
    """Folders that mirror the packages above a module.

    pytest puts a test file's folder at the head of `sys.path`, where the folders below it become importable. Without
    the prefix, `tests/generated/pkg/redis/` would answer an optional `import redis` of the code under test.
    """
    packages = module.split(".")[: -1 if "." in module else None]
    return [packages[0], *(f"test_{name}" for name in packages[1:])]


def _slug(module: str, symbols: tuple[str, ...] | None) -> str:
    """A file name's middle: unique for a module and the symbols it is limited to.

    A narrowed target has a file of its own, so that it never replaces the tests of the whole module.
    """
    names = [module]
    if symbols is not None:
        shown = symbols if len(symbols) <= 2 else (symbols[0], f"and_{len(symbols) - 1}_more")
        names += list(shown)
    return "__".join(re.sub(r"\W+", "_", name).strip("_").lower() for name in names)
