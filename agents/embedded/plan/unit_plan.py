"""Plans unit tests: one step for each module with a public symbol."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .existing_tests import untested_symbols
from .plan_steps import add_generate_step
from .step_scope import PlannedSteps, StepScope
from .target_index import ModuleTarget


def unit_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each module of the scope that may be a target."""
    planned = PlannedSteps()
    for target in _testable(scope, planned):
        place, symbols = target.place, target.symbols
        slug = _slug(place.module, symbols)
        row: JsonObject = {
            "path": place.path,
            "module": place.module,
            "import_root": place.import_root,
            "symbols": list(symbols) if symbols is not None else None,
            "digest": hashlib.sha256(read_source_bytes(scope.layout.root, place.path)).hexdigest(),
        }
        test_path = PurePosixPath(scope.tests_dir, *_folders(place.module), f"test_{slug}.py").as_posix()
        add_generate_step(planned, scope, "unit", slug, row, spec_path=f"specs/{slug}.json", test_path=test_path)
    return planned


def _testable(scope: StepScope, planned: PlannedSteps) -> list[ModuleTarget]:
    """Select the targets without excluded symbols, symbols with tests, and modules that cannot be targets."""
    index = scope.index
    kept: list[ModuleTarget] = []
    for target in scope.targets:
        path, symbols = target.place.path, index.symbols_of(target.place.module)
        if target.place.module.rpartition(".")[2] == "__main__":
            planned.skipped.append({"target": path, "reason": "importing a __main__ module runs the program"})
            continue
        if not public_names(symbols) and index.broken(target.place) is None:
            planned.skipped.append({"target": path, "reason": "it defines no public function or class"})
            continue
        wanted = target.symbols
        left_out = [symbol for place, symbol in scope.left_out if place == path]
        if scope.left_out:
            wanted = tuple(name for name in wanted or public_names(symbols) if not _is_below(name, left_out))
        if scope.only_untested:
            wanted = untested_symbols(scope.layout.root, scope.layout.test_files, target.place, wanted or symbols)
            if not wanted:
                planned.skipped.append({"target": path, "reason": "every public symbol is named by a test already"})
                continue
            if set(wanted) == set(public_names(symbols)):
                wanted = None  # the whole module: its test file is named after the module alone
        kept.append(ModuleTarget(target.place, wanted))
    return kept


def _is_below(symbol: str, left_out: list[str]) -> bool:
    return symbol in left_out or symbol.partition(".")[0] in left_out


def public_names(symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Select the names of which no part begins with an underscore."""
    return tuple(symbol for symbol in symbols if not any(part.startswith("_") for part in symbol.split(".")))


def _folders(module: str) -> list[str]:
    """Folders that mirror the packages above a module.

    pytest puts a test file's folder at the head of `sys.path`, so folders below it become importable. Without the
    prefix, `tests/generated/pkg/redis/` would satisfy an optional `import redis` of the code under test.
    """
    packages = module.split(".")[: -1 if "." in module else None]
    return [packages[0], *(f"test_{name}" for name in packages[1:])]


def _slug(module: str, symbols: tuple[str, ...] | None) -> str:
    """Name part of the test file: unique for a module and the symbols it is limited to.

    A limited target has a file of its own, so that it never replaces the tests of the whole module.
    """
    names = [module]
    if symbols is not None:
        shown = symbols if len(symbols) <= 2 else (symbols[0], f"and_{len(symbols) - 1}_more")
        names += list(shown)
    return "__".join(re.sub(r"\W+", "_", name).strip("_").lower() for name in names)
