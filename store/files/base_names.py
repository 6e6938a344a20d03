"""Keeps base names of test files unique: outside packages, pytest imports two files `test_cart.py` as one module."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from ...utils.generated_header import generated_from
from ...utils.untrusted_files import source_or_empty
from ...utils.untrusted_folders import walk_files
from .project_files import project_path
from .written_for import is_for_another

JUNK = frozenset({"node_modules", "__pycache__", "venv", "env", "build", "dist", "site-packages"})
_MOST_EARLIER_NAMES = 12
_NO_PROJECTS = ("src", "test", "tests", "docs")
_MOST_PROJECT_DEPTH = 3
_MOST_PROJECT_FOLDERS = 1000


class BaseNames:
    """The base names of a project's Python files that stand outside packages, and of those that will join them.

    The project is walked once, at the first call.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def clash_of(self, path: str) -> str | None:
        """Why a new file may not have this path's base name, None when it may. Only Python files clash."""
        here = PurePosixPath(path)
        if here.suffix != ".py" or here.name == "conftest.py" or _in_package(self._root, here):
            return None
        for other in self._places.get(here.name, ()):
            if other != path:
                return f"{other} has the same base name, and pytest would take one for the other"
        return None

    def add(self, path: str) -> None:
        """Add a file that is about to be written."""
        self._places.setdefault(PurePosixPath(path).name, []).append(path)

    @cached_property
    def _places(self) -> dict[str, list[str]]:
        places: dict[str, list[str]] = {}
        for file in _python_files(self._root):
            path = PurePosixPath(file)
            if not _in_package(self._root, path):
                places.setdefault(path.name, []).append(file)
        return places


class PathsByName:
    """POSIX paths that are looked up by themselves and by their base names, each in constant time."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths: dict[str, set[str]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Add a path; one that is there already stays."""
        self._paths.setdefault(PurePosixPath(path).name, set()).add(path)

    def __contains__(self, path: object) -> bool:
        return path in self._paths.get(PurePosixPath(str(path)).name, ())

    def has_name(self, name: str, apart_from: str) -> bool:
        """Whether a path other than `apart_from` has this base name."""
        return any(path != apart_from for path in self._paths.get(name, ()))


class ProjectNames:
    """The base names that test files of a project may not have: those of its Python files and of its neighbours' tests.

    Project and neighbours are walked once, when a name is first asked for; files that come later are not seen.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._around: dict[str, set[str]] = {}

    def has(self, name: str, wanted: str) -> bool:
        """Whether a Python file other than `wanted` has a base name.

        Args:
            wanted: path of a test file, relative to the root; its first folder is that of the neighbours' tests, too.
        """
        if self._files.has_name(name, apart_from=wanted):
            return True
        folder = PurePosixPath(wanted).parts[0]
        if folder not in self._around:
            self._around[folder] = _names_around(self._root, wanted)
        return name in self._around[folder]

    @cached_property
    def _files(self) -> PathsByName:
        return PathsByName(_python_files(self._root))


def unique_test_path(
    root: Path,
    wanted: str,
    taken: PathsByName | Iterable[str] = (),
    *,
    target: str = "",
    reserved: Container[str] = (),
    framework: str = "",
    names: ProjectNames | None = None,
) -> str:
    """`wanted`, or the nearest path to it whose base name no other Python file of the project has.

    First the names of the folders above are put before it, then a number after it: `test_cart.py`, `test_shop_cart.py`,
    `test_cart_2.py`. A file already at `wanted` does not count. One of these paths that an earlier run has written for
    the same target is kept, so that no run leaves a second copy beside it. Tests of it for another framework stay, and
    the framework ends the new name: `test_cart_unittest.py`. Tests of the other projects of a repository, and those at
    its top, count as well: pytest may be run there.

    Args:
        wanted: POSIX path relative to the root.
        taken: paths reserved for other files of this run.
        target: what the file is generated from, as its header names it.
        reserved: base names without suffix that belong to other files, whether or not these exist.
        framework: what the tests are written for; empty where files of any framework may be replaced.
        names: the project's, for callers who choose many paths; by default the project is walked for each call.
    """
    wanted = project_path(wanted)
    plain = PurePosixPath(wanted)
    beside = plain.with_name(f"{plain.stem}_{framework}{plain.suffix}").as_posix()
    has_own = bool(target and framework) and _is_from(root, beside, target, framework)
    if has_own or other_framework_file(root, wanted, target, framework):
        wanted = beside
    here = taken if isinstance(taken, PathsByName) else PathsByName(taken)
    for candidate in islice(_candidates(PurePosixPath(wanted)), _MOST_EARLIER_NAMES):
        path = candidate.as_posix()
        if target and (path == wanted or path not in here) and _is_from(root, path, target, framework):
            return path
    known = names or ProjectNames(root)
    for candidate in _candidates(PurePosixPath(wanted)):
        is_used = here.has_name(candidate.name, apart_from=wanted) or known.has(candidate.name, wanted)
        if not is_used and candidate.stem not in reserved:
            return candidate.as_posix()
    raise AssertionError("the candidates are endless")


def _names_around(root: Path, wanted: str) -> set[str]:
    """Base names of the test files in folders of the same name that lie around a project, within its repository."""
    root = root.resolve()
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    if top == root:
        return set()
    found: set[str] = set()
    tests = PurePosixPath(wanted).parts[0]
    for project in _project_folders(top):
        files = _python_files(project / tests) if project != root and (project / tests).is_dir() else ()
        places = map(PurePosixPath, files)
        found |= {place.name for place in places if not _in_package(project / tests, place)}
    return found


def _project_folders(top: Path) -> Iterator[Path]:
    """The folders of a repository that may hold a project: its top, and those few levels below that are no package."""
    level = [top]
    for _depth in range(_MOST_PROJECT_DEPTH):
        yield from level
        below = (child for folder in level for child in _child_folders(folder))
        level = [child for child in below if not (child / "__init__.py").exists()][:_MOST_PROJECT_FOLDERS]
    yield from level


def _child_folders(folder: Path) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as rows:
        names = [row.name for row in rows if row.is_dir(follow_symlinks=False)]
        return [folder / name for name in sorted(names) if name[0] != "." and name not in (*JUNK, *_NO_PROJECTS)]
    return []


def other_framework_file(root: Path, wanted: str, target: str, framework: str) -> str:
    """The file with an earlier run's tests of a target for the other of pytest and unittest, at the path wanted.

    Returns:
        Its path; empty where none is there.
    """
    path = project_path(wanted)
    text = source_or_empty(root, path)
    is_ours = bool(target) and generated_from(text) == " ".join(target.split())
    return path if is_ours and is_for_another(text, framework) else ""


def _is_from(root: Path, path: str, target: str, framework: str) -> bool:
    """Whether a file is there that was generated from a target; a person may have changed it since."""
    if not (root / path).exists():  # most are not there, and this costs a hundredth of trying to read one
        return False
    text = source_or_empty(root, path)
    return generated_from(text) == " ".join(target.split()) and not is_for_another(text, framework)


def _candidates(wanted: PurePosixPath) -> Iterator[PurePosixPath]:
    """Endless."""
    yield wanted
    stem = wanted.stem.removeprefix("test_")
    folders = [part for part in wanted.parts[:-1] if part not in ("tests", "test", "generated")]
    for first in range(len(folders) - 1, -1, -1):
        yield wanted.with_name(f"test_{'_'.join([*folders[first:], stem])}{wanted.suffix}")
    number = 2
    while True:
        yield wanted.with_name(f"test_{stem}_{number}{wanted.suffix}")
        number += 1


def _in_package(root: Path, path: PurePosixPath) -> bool:
    return (root / path.parent / "__init__.py").exists()


def _python_files(root: Path) -> Iterator[str]:
    for path in walk_files(root, lambda folder: not folder.name.startswith(".") and folder.name not in JUNK):
        if path.suffix == ".py":
            yield path.relative_to(root).as_posix()
