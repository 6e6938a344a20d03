"""Plans unit tests: one step for each module with a public symbol."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import PurePosixPath

from ....engine.python.project.layout import ModulePlace
from ....store.files.base_names import unique_test_path
from ....utils.generated_header import generated_from, is_untouched
from ....utils.untrusted_files import read_source_bytes, source_or_empty
from ...contract.protocol import JsonObject
from .order.names_in_tests import NamesInTests
from .plan_steps import add_generate_step
from .step_scope import PlannedSteps, StepScope
from .target_index import ModuleTarget, name_slug


def unit_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each module of the scope that may be a target."""
    planned = PlannedSteps()
    for target in testable_modules(scope, planned):
        place, symbols = target.place, target.symbols
        slug = module_slug(scope.index.told_apart(place), symbols)
        row = module_row(scope, target)
        test_path = _test_path(scope, place, slug)
        add_generate_step(planned, scope, "unit", slug, row, spec_path=f"specs/{slug}.json", test_path=test_path)
    return planned


def module_row(scope: StepScope, target: ModuleTarget) -> JsonObject:
    """A step's target that is a module, or some symbols of one."""
    place, symbols = target.place, target.symbols
    return {
        "path": place.path,
        "module": place.module,
        "import_root": place.import_root,
        "symbols": list(symbols) if symbols is not None else None,
        "digest": hashlib.sha256(read_source_bytes(scope.layout.root, place.path)).hexdigest(),
    }


def _test_path(scope: StepScope, place: ModulePlace, slug: str) -> str:
    return PurePosixPath(scope.tests_dir, *_folders(place.module, scope.tests_dir), f"test_{slug}.py").as_posix()


def testable_modules(scope: StepScope, planned: PlannedSteps) -> list[ModuleTarget]:
    """Select the targets without excluded symbols, symbols with tests, and modules that cannot be targets."""
    index = scope.index
    tests = NamesInTests(scope.layout.root, scope.layout.test_files)
    kept: list[ModuleTarget] = []
    for target in scope.targets:
        path, symbols = target.place.path, index.symbols_of(target.place.module)
        if target.place.module.rpartition(".")[2] == "__main__":
            planned.skipped.append(
                {"target": path, "reason": "it is what `python -m` runs, which unit tests do not import"}
            )
            continue
        if not public_names(symbols) and index.broken(target.place) is None:
            planned.skipped.append({"target": path, "reason": "it defines no public function or class"})
            continue
        wanted = target.symbols
        left_out = [symbol for place, symbol in scope.left_out if place == path]
        if left_out:
            wanted = _without(wanted, symbols, left_out)
        if scope.only_untested:
            wanted = tests.untested(target.place, wanted or symbols)
            if not wanted:
                planned.skipped.append({"target": path, "reason": "every public symbol is named by a test already"})
                planned.tested = True
                continue
            if set(wanted) == set(public_names(symbols)):
                wanted = None  # the whole module: its test file is named after the module alone
        elif wanted is not None and scope.only_changed:
            if not left_out and _module_file(scope, target.place):
                wanted = None  # that file pins what has changed, and no other may say the same beside it
        elif wanted is not None:
            wanted = _without_tested(scope, target.place, wanted, planned)
            if not wanted:
                continue
        kept.append(ModuleTarget(target.place, wanted))
    return kept


def _without_tested(
    scope: StepScope, place: ModulePlace, wanted: tuple[str, ...], planned: PlannedSteps
) -> tuple[str, ...]:
    """Leave out symbols that the generated file of their whole module tests; a second file would say the same twice.

    A file that a person has changed is theirs and is never written anew, so beside it the symbols have their own.
    """
    path = _module_file(scope, place)
    if not path:
        return wanted
    untested = NamesInTests(scope.layout.root, [path]).untested(place, wanted)
    tested = [name for name in public_names(wanted) if name not in untested]
    if tested:
        command = shlex.quote(f"unit tests for {place.module}")
        reason = f"{path} has the tests of {', '.join(tested)}; `testwright run {command}` writes that file anew"
        planned.skipped.append({"target": place.path, "reason": reason})
        planned.tested = True
    return tuple(name for name in wanted if name not in tested)


def _module_file(scope: StepScope, place: ModulePlace) -> str:
    """Return the generated file of a whole module, if nobody has changed it; empty where there is none."""
    root = scope.layout.root
    wanted = _test_path(scope, place, module_slug(scope.index.told_apart(place), None))
    names = scope.index.names_in_project
    path = unique_test_path(root, wanted, target=place.path, framework=scope.framework, names=names)
    text = source_or_empty(root, path)
    return path if generated_from(text) == place.path and is_untouched(text) is True else ""


def _without(wanted: tuple[str, ...] | None, symbols: tuple[str, ...], left_out: list[str]) -> tuple[str, ...]:
    """Return the wanted symbols, or all public ones, without some: a class of which one is a member by its others.

    Args:
        symbols: every symbol of the module, in order.
    """
    split = {name.rpartition(".")[0] for name in left_out} - {""}
    chosen = wanted if wanted is not None else tuple(name for name in public_names(symbols) if "." not in name)
    kept: list[str] = []
    for name in chosen:
        members = [one for one in symbols if one.startswith(f"{name}.") and _is_public_member(one)]
        # The first name stands in the name of the test file.
        kept += sorted(members, key=lambda one: ".__" in one) if name in split else [name]
    return tuple(name for name in dict.fromkeys(kept) if not _is_below(name, left_out))


def _is_public_member(symbol: str) -> bool:
    name = symbol.rpartition(".")[2]
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _is_below(symbol: str, left_out: list[str]) -> bool:
    return symbol in left_out or symbol.partition(".")[0] in left_out


def public_names(symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Select the names of which no part begins with an underscore."""
    return tuple(symbol for symbol in symbols if not any(part.startswith("_") for part in symbol.split(".")))


def _folders(module: str, tests_dir: str) -> list[str]:
    """Folders that mirror the packages above a module.

    pytest puts a test file's folder at the head of `sys.path`, so folders below it become importable. Without the
    prefix, `tests/generated/pkg/redis/` would satisfy an optional `import redis` of the code under test.
    """
    packages = module.split(".")[: -1 if "." in module else None]
    # A folder of tests that names the package already ("tests/shop", "packages/shop/tests") is its folder.
    first = [] if packages[0] in PurePosixPath(tests_dir).parts else [packages[0]]
    return [*first, *(f"test_{name}" for name in packages[1:])]


def module_slug(module: str, symbols: tuple[str, ...] | None) -> str:
    """Name part of the test file: unique for a module and the symbols it is limited to.

    A limited target has a file of its own, so that it never replaces the tests of the whole module.
    """
    names = [module]
    if symbols is not None:
        shown = symbols if len(symbols) <= 2 else (symbols[0], f"and_{len(symbols) - 1}_more")
        names += list(shown)
    return "__".join(map(name_slug, names))
