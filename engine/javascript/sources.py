"""Finds the scripts of a project that can be tested, and where its own tests stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...sandbox.javascript.collection import Collection
from ...sandbox.javascript.syntax import SUFFIXES
from ...utils.untrusted_folders import walk_files

_SKIPPED = frozenset(
    "node_modules build dist out coverage vendor bower_components venv env public static assets".split()
)
_SIDE_FOLDERS = frozenset("examples example demo docs scripts benchmark benchmarks bench e2e fixtures bin".split())
_TEST_FOLDERS = frozenset("test tests __tests__ __mocks__ spec specs cypress".split())
_TEST_FILE = re.compile(r"[.-](?:test|spec|stories|bench)\.[cm]?[jt]sx?$")
_SETTINGS = re.compile(r"(?:^|\.)(?:config|conf|setup|rc)\.[cm]?[jt]s$|^\.|^(?:gulp|grunt)file\.", re.IGNORECASE)
_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$|\.min\.[cm]?js$")
_MOST = 5000


@dataclass(frozen=True, slots=True)
class ScriptSources:
    """The scripts of a project, POSIX paths relative to its root: modules, and files of tests."""

    modules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def find_scripts(root: Path) -> ScriptSources:
    """Walk a project for its scripts, in order of their paths."""
    modules: list[str] = []
    tests: list[str] = []
    for file in walk_files(root, lambda folder: folder.name not in _SKIPPED and not folder.name.startswith(".")):
        if file.suffix not in SUFFIXES or len(modules) + len(tests) >= _MOST:
            continue
        path = PurePosixPath(file.relative_to(root).as_posix())
        if _TEST_FILE.search(path.name) or _TEST_FOLDERS & set(path.parts[:-1]):
            tests.append(path.as_posix())
        elif not (
            _SETTINGS.search(path.name) or _DECLARATIONS.search(path.name) or _SIDE_FOLDERS & set(path.parts[:-1])
        ):
            modules.append(path.as_posix())
    return ScriptSources(tuple(sorted(modules)), tuple(sorted(tests)))


def path_of_tests(path: str, folder: str, wanted: str, part: str, collection: Collection | None = None) -> str:
    """Where the tests of a module go: in the folder of generated tests of its package, in folders as the module's.

    Where the project's own Jest would not find them there, they go beside the module, or below a folder that it does
    look into, with a name that it takes.

    Args:
        path: of the module.
        folder: of its package.
        wanted: the folder of generated tests, relative to the package.
        part: the end of the name for tests of a part of the module.
        collection: where the project's own Jest looks for tests.
    """
    module = PurePosixPath(path)
    stem = module.name.removesuffix(module.suffix) + part
    suffix = {".tsx": ".tsx", ".jsx": ".jsx"}.get(module.suffix, ".ts" if "t" in module.suffix else ".js")
    inner = module.parent.relative_to(folder) if folder != "." else module.parent
    inside = PurePosixPath(*(one for one in inner.parts if one not in ("src", "lib")))
    generated = PurePosixPath(folder, wanted, inside)
    first = (generated / f"{stem}.test{suffix}").as_posix()
    if collection is None or collection.collects(first):
        return first
    places = [(generated, stem)]
    places += [
        (PurePosixPath(root, "generated", inside), stem) for root in collection.roots if not path.startswith(f"{root}/")
    ]
    places += [(module.parent / "__tests__" / "generated", stem), (module.parent / "__tests__", f"{stem}.generated")]
    places += [
        (PurePosixPath(folder, one, "generated", inside), stem) for one in ("test", "tests", "spec", "__tests__")
    ]
    places.append((module.parent, f"{stem}.generated"))
    names = [(place / f"{name}.{kind}{suffix}").as_posix() for kind in ("test", "spec") for place, name in places]
    return next((name for name in names if collection.collects(name)), first)


def name_of_file(path: str, package: str) -> str:
    """The name that others give to what a module as a whole is: that of its file, its folder or its package."""
    stem = PurePosixPath(path).name.partition(".")[0]
    stem = PurePosixPath(path).parent.name or package.rpartition("/")[2] if stem in ("index", "main") else stem
    words = [word for word in re.split(r"\W+", stem) if word]
    name = "".join([*words[:1], *(word[:1].upper() + word[1:] for word in words[1:])])
    return name if name.isidentifier() else "subject"
