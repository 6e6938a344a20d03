"""The steps for unit tests: one for each module with something public to test."""

from __future__ import annotations

import hashlib

from ....store.files.base_names import unique_test_path
from .existing_tests import untested_symbols
from .plan_steps import generate_step
from .planning import PlannedSteps, StepScope
from .target_index import ModuleTarget


def unit_steps(scope: StepScope) -> PlannedSteps:
    """One step for each module of the scope that may be a target."""
    planned = PlannedSteps()
    taken = list(scope.taken)
    for target in _testable(scope, planned):
        step = generate_step(
            target.place,
            target.symbols,
            framework=scope.framework,
            tests_dir=scope.tests_dir,
            digest=hashlib.sha256((scope.layout.root / target.place.path).read_bytes()).hexdigest(),
            after=scope.after,
        )
        step["params"]["test_path"] = unique_test_path(scope.layout.root, step["params"]["test_path"], taken)
        taken.append(step["params"]["test_path"])
        planned.steps.append(step)
    return planned


def _testable(scope: StepScope, planned: PlannedSteps) -> list[ModuleTarget]:
    """The targets without what is excluded, has tests already or cannot be a target."""
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
        left_out = [one for place, one in scope.left_out if place == path]
        if scope.left_out:
            wanted = tuple(one for one in wanted or public_names(symbols) if not _below(one, left_out))
        if scope.only_untested:
            wanted = untested_symbols(scope.layout.root, scope.layout.test_files, target.place, wanted or symbols)
            if not wanted:
                planned.skipped.append({"target": path, "reason": "every public symbol is named by a test already"})
                continue
            if set(wanted) == set(public_names(symbols)):
                wanted = None
        kept.append(ModuleTarget(target.place, wanted))
    return kept


def _below(symbol: str, left_out: list[str]) -> bool:
    return symbol in left_out or symbol.partition(".")[0] in left_out


def public_names(symbols: tuple[str, ...]) -> tuple[str, ...]:
    """The names of which no part begins with an underscore."""
    return tuple(symbol for symbol in symbols if not any(part.startswith("_") for part in symbol.split(".")))
