"""Finds the files, folders, packages, modules and symbols of a project that a mention names."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from ....core.errors import ProjectError
from ....engine.python.project.layout import Layout, ModulePlace, module_at
from ....store.files.base_names import ProjectNames
from ....utils.names.similar_names import similar_names
from ....utils.python_source import parse_python
from ....utils.untrusted_files import read_source_bytes

_MOST_SUGGESTED = 20
_LIKENESS = 0.72
"""Below it, names share letters and no meaning: `activate` for "private"."""
_GLOB = re.compile(r"[*?]|\[[^\[\n]+\]")


def name_slug(name: str) -> str:
    """The form of a dotted name in the name of a test file."""
    return re.sub(r"\W+", "_", name).strip("_").lower()


@dataclass(frozen=True, slots=True)
class ModuleTarget:
    """A module to test; `symbols` are qualified names inside it, None for all."""

    place: ModulePlace
    symbols: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TargetMatch:
    """Targets that a mention names; `why_not` is the reason where there are none."""

    targets: tuple[ModuleTarget, ...] = ()
    why_not: str = ""


class TargetIndex:
    """Index of one project. A source file is read when its symbols are first needed."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._broken: dict[str, str] = {}
        self._read: dict[str, tuple[str, ...]] = {}
        self._suggested = 0

    @property
    def layout(self) -> Layout:
        """The project's layout."""
        return self._layout

    @property
    def modules(self) -> tuple[ModulePlace, ...]:
        """Every module that may be a target."""
        return self._layout.modules

    @cached_property
    def unit_test_names(self) -> Mapping[str, str]:
        """Map the base name of each module's unit tests, without suffix, to the module; of two, the first has it."""
        names: dict[str, str] = {}
        for place in self.modules:
            names.setdefault(f"test_{name_slug(place.module)}", place.module)
        return names

    @cached_property
    def names_in_project(self) -> ProjectNames:
        """The base names that test files may not have."""
        return ProjectNames(self._layout.root)

    def told_apart(self, place: ModulePlace) -> str:
        """The name of a module; after the folder it is imported from where several projects have one of that name."""
        if len(self._by_name.get(place.module, ())) < 2:
            return place.module
        root = place.import_root.strip("./").replace("/", ".")
        return f"{root}.{place.module}" if root else place.module

    def find(self, text: str, *, explicit: bool) -> TargetMatch:
        """Find what `text` names.

        Args:
            text: a path, a dotted name, `module:Qualified.name`, or a bare word.
            explicit: the text is quoted or shaped like a name: a bare symbol name may match by itself.
        """
        file, colon, symbol = text.replace("::", ":", 1).partition(".py:")
        if colon and symbol:
            return self._in_module(f"{file}.py", symbol.replace("::", ".").strip("()"))
        by_path = self._by_path(text)
        if _GLOB.search(text) and not by_path.targets:
            return self._by_glob(text)
        if by_path.targets or by_path.why_not:
            return by_path
        module, colon, qualname = text.replace("::", ":", 1).partition(":")
        if colon and qualname:
            return self._in_module(module, qualname.replace("::", ".").strip("()"))
        name = text.removesuffix("()")
        found = self._by_module(name) or self._by_symbol(name) or self._by_word(name, explicit)
        return TargetMatch(found or self._by_end_of_name(name))

    def names(self, text: str) -> bool:
        """Whether a word names something in the project."""
        return bool(self.find(text, explicit="_" in text or "." in text or text != text.lower()).targets)

    def methods(self, name: str) -> tuple[ModuleTarget, ...]:
        """Return the methods that have this bare name, in every module and class."""
        return tuple(
            ModuleTarget(place, (symbol,))
            for place in self.modules
            for symbol in self.symbols_of(place.module)
            if symbol.endswith(f".{name}")
        )

    def suggestions(self, text: str) -> list[str]:
        """Suggest at most three names similar to `text`; for the first texts that are asked about."""
        self._suggested += 1
        if self._suggested > _MOST_SUGGESTED:
            return []
        names = {place.path for place in self.modules} | {place.module for place in self.modules}
        for module in self._by_name:
            symbols = self.symbols_of(module)
            # No unit tests are written for a name that is private.
            public = {symbol for symbol in symbols if not any(part.startswith("_") for part in symbol.split("."))}
            names |= {f"{module}:{symbol}" for symbol in public} | public
        last = {name.rpartition("/")[2].rpartition(".")[2].lower(): name for name in sorted(names)}
        close = similar_names(text, sorted(names), cutoff=_LIKENESS)
        lower = similar_names(text.lower(), sorted(last), cutoff=_LIKENESS)
        return list(dict.fromkeys([*close, *(last[name] for name in lower)]))[:3]

    def symbols_of(self, module: str) -> tuple[str, ...]:
        """Qualified names of the module's functions, classes and methods, in order of appearance."""
        if module not in self._read:
            found = [self._names_in(place) for place in self._by_name.get(module, ())]
            self._read[module] = found[-1] if found else ()
        return self._read[module]

    def broken(self, place: ModulePlace) -> str | None:
        """Return why a module's source could not be read, or None."""
        self.symbols_of(place.module)
        return self._broken.get(place.path)

    def _by_glob(self, pattern: str) -> TargetMatch:
        """Modules whose path or dotted name matches a pattern; `*` takes in folders and dots."""
        path = pattern.replace("\\", "/").removeprefix("./")
        found = tuple(
            ModuleTarget(place)
            for place in self.modules
            if fnmatchcase(place.path, path)
            or fnmatchcase(place.module, pattern)
            or fnmatchcase(PurePosixPath(place.path).name, path)
        )
        return TargetMatch(found, "" if found else "no module of the project matches the pattern")

    def _by_path(self, text: str) -> TargetMatch:
        path = text.replace("\\", "/").strip()
        relative = self._relative(path)
        if relative is None:
            return TargetMatch(why_not=f"it lies outside the project {self._layout.root}")
        if relative == ".":
            return (
                TargetMatch(tuple(ModuleTarget(place) for place in self.modules))
                if "." in path or "/" in path
                else TargetMatch()
            )
        inside = tuple(ModuleTarget(place) for place in self.modules if place.path.startswith(f"{relative}/"))
        if inside:
            return TargetMatch(inside)
        file = self._layout.root / relative
        try:
            is_folder, is_file = file.is_dir(), file.is_file()
        except OSError:
            return TargetMatch(why_not="no file can have such a name")
        if is_folder and ("/" in path or explicit_folder(path)):
            return TargetMatch(why_not="the folder holds no Python module that could be tested")
        if is_file and (file.suffix == ".py" or "/" in path or "." in path):
            return self._file(relative)
        is_shown = "/" in path or path.endswith(".py")
        ending = self._by_end_of_path(relative) if is_shown and not path.startswith(("/", "..")) else ()
        if ending:
            return TargetMatch(ending)
        if path.endswith(".py"):
            named = tuple(ModuleTarget(place) for place in self.modules if PurePosixPath(place.path).name == path)
            return TargetMatch(named, "" if named else "there is no such file")
        return TargetMatch(why_not="there is no such file or folder" if "/" in path else "")

    def _by_end_of_path(self, relative: str) -> tuple[ModuleTarget, ...]:
        """`utils/dates.py`, `utils/`: the end of a path, where one file or folder of modules ends so."""
        end = f"/{relative}"
        ends = {place.path[: at + len(end)] for place in self.modules if (at := f"{place.path}/".find(f"{end}/")) >= 0}
        if len(ends) != 1:
            return ()
        whole = ends.pop()
        return tuple(
            ModuleTarget(place) for place in self.modules if place.path == whole or place.path.startswith(f"{whole}/")
        )

    def _relative(self, path: str) -> str | None:
        root = self._layout.root
        absolute = Path(path) if path.startswith("/") else root / path
        try:
            return absolute.resolve().relative_to(root).as_posix()
        except (ValueError, OSError, RuntimeError):
            return None

    def _file(self, relative: str) -> TargetMatch:
        if not relative.endswith(".py"):
            return TargetMatch(why_not="it is not a Python file")
        if relative in self._layout.test_files:
            return TargetMatch(why_not="it is a test already")
        try:
            return TargetMatch((ModuleTarget(module_at(self._layout, relative)),))
        except ProjectError as error:
            return TargetMatch(why_not=error.message.rstrip("."))

    def _in_module(self, module: str, qualname: str) -> TargetMatch:
        places = self._by_path(module).targets or self._by_module(module) or self._by_word(module, True)
        if not places:
            return TargetMatch(why_not=f"there is no module {module}")
        found = tuple(
            ModuleTarget(target.place, (qualname,))
            for target in places
            if qualname in self.symbols_of(target.place.module)
        )
        if found:
            return TargetMatch(found)
        broken = [why for target in places if (why := self.broken(target.place)) is not None]
        return TargetMatch(why_not=broken[0] if broken else f"{module} has no {qualname}")

    def _by_module(self, name: str) -> tuple[ModuleTarget, ...]:
        exact = tuple(place for place in self.modules if place.module == name)
        if exact and not exact[0].path.endswith("/__init__.py"):
            return tuple(ModuleTarget(place) for place in exact)
        return tuple(
            ModuleTarget(place) for place in self.modules if place.module == name or place.module.startswith(f"{name}.")
        )

    def _by_symbol(self, name: str) -> tuple[ModuleTarget, ...]:
        """`pkg.mod.Qual`, then `Qual` with a dot or a capital or an underscore in it."""
        parts = name.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module, qualname = ".".join(parts[:cut]), ".".join(parts[cut:])
            if qualname in self.symbols_of(module):
                return tuple(ModuleTarget(place, (qualname,)) for place in self.modules if place.module == module)
        whole = tuple(ModuleTarget(place, (name,)) for place in self.modules if name in self.symbols_of(place.module))
        return whole or self._by_last_parts(parts)

    def _by_end_of_name(self, name: str) -> tuple[ModuleTarget, ...]:
        """`utils.dates`: the end of the dotted name of one module or package."""
        end = f".{name}."
        ends = {
            f".{place.module}."[: at + len(end)]
            for place in self.modules
            if "." in name and (at := f".{place.module}.".find(end)) >= 0
        }
        return self._by_module(ends.pop().strip(".")) if len(ends) == 1 else ()

    def _by_last_parts(self, parts: Sequence[str]) -> tuple[ModuleTarget, ...]:
        """`mod.Qual`: the end of a module's name before the symbol, where one module ends so and has it."""
        for cut in range(len(parts) - 1, 0, -1):
            module, qualname = ".".join(parts[:cut]), ".".join(parts[cut:])
            found = [
                place
                for place in self.modules
                if place.module.endswith(f".{module}") and qualname in self.symbols_of(place.module)
            ]
            if len(found) == 1:
                return (ModuleTarget(found[0], (qualname,)),)
        return ()

    def _by_word(self, word: str, explicit: bool) -> tuple[ModuleTarget, ...]:
        """The last part of a module's or package's name, whatever its case; then its plural or singular."""
        if len(word) < 2 and not explicit:
            return ()
        lower = word.lower()
        if len(word) < 3 and not explicit:
            # Two letters are a word of the language more often than a part of a name.
            return tuple(ModuleTarget(place) for place in self.modules if place.module.lower().endswith(f".{lower}"))
        for wanted in (lower, lower.removesuffix("s"), f"{lower}s", lower.replace("-", "_")):
            found = tuple(ModuleTarget(place) for place in self.modules if _named(place, wanted))
            if found:
                return found
        return ()

    @cached_property
    def _by_name(self) -> dict[str, list[ModulePlace]]:
        places: dict[str, list[ModulePlace]] = {}
        for place in self.modules:
            places.setdefault(place.module, []).append(place)
        return places

    def _names_in(self, place: ModulePlace) -> tuple[str, ...]:
        try:
            tree = parse_python(read_source_bytes(self._layout.root, place.path), place.path)
        except (SyntaxError, OSError) as error:
            self._broken[place.path] = f"{place.path} cannot be read: {error}"
            return ()
        names: list[str] = []
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.append(node.name)
            if isinstance(node, ast.ClassDef):
                names += [
                    f"{node.name}.{member.name}"
                    for member in node.body
                    if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef))
                ]
        return tuple(dict.fromkeys(names))


def _named(place: ModulePlace, wanted: str) -> bool:
    """Whether the module or a package it lies in has the name."""
    return wanted in place.module.lower().split(".")


def explicit_folder(path: str) -> bool:
    """Whether a path is written as a folder."""
    return path.endswith("/") or path.startswith(("./", "../"))
