"""Finds a project's modules and their import names without running anything.

Supports src layouts, flat layouts, single modules, several packages, namespace packages and projects inside a project.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ....core.errors import ProjectError
from .source_roots import ProjectTree, declared_roots, read_tree

_TEST_FOLDERS = frozenset({"tests", "test", "testsuite", "unittests"})
_SIDE_FOLDERS = frozenset(
    "docs doc documentation examples example samples demo demos benchmarks benchmark bench perf tools scripts script "
    "dev ci contrib misc fixtures testdata notebooks packaging release".split()
)
_SIDE_FILES = frozenset(
    "setup.py conftest.py noxfile.py tasks.py fabfile.py versioneer.py wscript.py dodo.py prebuild.py "
    "ez_setup.py setup_build.py".split()
)


@dataclass(frozen=True, slots=True)
class ModulePlace:
    """One importable file.

    Attributes:
        path: POSIX path relative to the root.
        module: dotted import name; a package's `__init__.py` has the package's name.
        import_root: POSIX folder relative to the root that must be on sys.path, "." for the root itself.
    """

    path: str
    module: str
    import_root: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The project's Python files, sorted by path.

    Attributes:
        modules: what may be a target: tests, docs, examples, set-up files and generated folders are not.
        import_roots: folders for sys.path, those of `modules`, the root's own first when it is one.
        test_files: POSIX paths of existing tests and their helpers.
        side_files: POSIX paths of other Python files: examples, docs, scripts.
        documents: POSIX paths of README and documentation pages that may hold examples.
        declared: source roots named by project files or by convention, longest first.
        skipped: (path, reason) of files that cannot be read.
    """

    root: Path
    modules: tuple[ModulePlace, ...] = ()
    import_roots: tuple[str, ...] = ()
    test_files: tuple[str, ...] = ()
    side_files: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    declared: tuple[str, ...] = (".",)
    skipped: tuple[tuple[str, str], ...] = ()

    def by_module(self) -> dict[str, ModulePlace]:
        """Modules by dotted name; the first path wins where two roots have the same name."""
        found: dict[str, ModulePlace] = {}
        for place in self.modules:
            found.setdefault(place.module, place)
        return found


def find_layout(root: Path) -> Layout:
    """Finds the layout of the project at `root`.

    Raises:
        ProjectError: `root` is no readable folder.
    """
    root = root.resolve()
    if not root.is_dir():
        raise ProjectError(f"{root} is not a folder.", advice="Give the project's root folder.")
    tree = read_tree(root)
    declared = declared_roots(root, tree)
    modules: list[ModulePlace] = []
    tests: list[str] = []
    sides: list[str] = []
    for path in tree.python:
        place = _place(tree, declared, path)
        kind = _kind(tree, path, place)
        if kind == "test":
            tests.append(path)
        elif kind == "module" and place is not None:
            modules.append(place)
        else:
            sides.append(path)
    if not modules:
        modules, sides = _scripts_as_modules(tree, declared, sides)
    roots = sorted({place.import_root for place in modules}, key=lambda one: (one != ".", one))
    return Layout(
        root=root,
        modules=tuple(modules),
        import_roots=tuple(roots),
        test_files=tuple(tests),
        side_files=tuple(sides),
        documents=tree.documents,
        declared=declared,
        skipped=tree.skipped,
    )


def module_at(layout: Layout, path: str | Path) -> ModulePlace:
    """Finds the module of one file, also of one that is no target by default (a script, an example).

    Args:
        path: relative to the root, or absolute inside it.

    Raises:
        ProjectError: no such file, not Python, outside the root, or a name that cannot be imported.
    """
    wanted = Path(path)
    absolute = wanted if wanted.is_absolute() else layout.root / wanted
    try:
        relative = absolute.resolve().relative_to(layout.root).as_posix()
    except ValueError:
        raise ProjectError(
            f"{path} is outside the project {layout.root}.", advice="Name a file below the project's root."
        ) from None
    for place in layout.modules:
        if place.path == relative:
            return place
    if not (layout.root / relative).is_file():
        raise ProjectError(f"{relative} does not exist in {layout.root}.", advice="Check the path for a typo.")
    place = _place(read_tree(layout.root), layout.declared, relative)
    if place is None:
        raise ProjectError(
            f"{relative} cannot be imported: its path is not a dotted Python name.",
            advice="Rename the file or folder so that each part is a Python identifier.",
        )
    return place


def _place(tree: ProjectTree, declared: tuple[str, ...], path: str) -> ModulePlace | None:
    """Name and root of one file, or None when no name can import it."""
    pure = PurePosixPath(path)
    if pure.suffix != ".py":
        return None
    folder = pure.parent.as_posix()
    top = folder
    while top != "." and top in tree.packages:
        top = PurePosixPath(top).parent.as_posix()
    root = _root_for(tree, declared, top)
    inner = pure.relative_to(root).with_suffix("").parts if root != "." else pure.with_suffix("").parts
    parts = inner[:-1] if inner[-1] == "__init__" else inner
    if not parts or not all(part.isidentifier() for part in parts):
        return None
    return ModulePlace(path=path, module=".".join(parts), import_root=root)


def _root_for(tree: ProjectTree, declared: tuple[str, ...], top: str) -> str:
    """The import root for a top-level package or module that lies in the folder `top`.

    The folders between a declared root and `top` are namespace packages, unless the project's own imports show that
    `top` itself is the root.
    """
    for root in declared:
        inside = root == "." or top == root or top.startswith(f"{root}/")
        if not inside:
            continue
        between = PurePosixPath(top).relative_to(root).parts if root != "." else PurePosixPath(top).parts
        if not between:
            return root
        named = all(part.isidentifier() for part in between)
        if named and (root != "." or tree.imports_name(".".join(between)) or not tree.imports_below(top)):
            return root
        return top
    return top


def _kind(tree: ProjectTree, path: str, place: ModulePlace | None) -> str:
    pure = PurePosixPath(path)
    folders = pure.parent.parts
    name = pure.name
    if any(part.lower() in _TEST_FOLDERS for part in folders) or name == "conftest.py":
        return "test"
    if name.startswith("test_") or name.endswith("_test.py") or name in ("tests.py", "test.py"):
        return "test"
    if place is None:
        return "side"
    for index, part in enumerate(folders):
        here = "/".join(folders[: index + 1])
        above = "/".join(folders[:index])
        if part.lower() in _SIDE_FOLDERS and above not in tree.packages and here not in tree.packages:
            return "side"
        if part.lower() in ("docs", "doc", "examples", "benchmarks") and above not in tree.packages:
            return "side"
    if name in _SIDE_FILES and pure.parent.as_posix() not in tree.packages:
        return "side"
    return "module"


def _scripts_as_modules(
    tree: ProjectTree, declared: tuple[str, ...], sides: list[str]
) -> tuple[list[ModulePlace], list[str]]:
    """For a project with only scripts: takes them as its modules."""
    modules: list[ModulePlace] = []
    left: list[str] = []
    for path in sides:
        place = _place(tree, declared, path)
        if place is None or PurePosixPath(path).name in _SIDE_FILES or path.startswith(("docs/", "doc/")):
            left.append(path)
        else:
            modules.append(place)
    return modules, left
