"""Computes a digest of everything an exploration of one module depends on: equal digests mean equal findings.

The digest covers the module's code with its lines, which are evidence; the code of every module that it imports; the
code of every file that may use it or define objects for it, with their imports; and every file that is not Python,
since code may read it. Comments count only where they move lines of the module itself or exclude them from coverage;
layout of other files does not count either. Where imports cannot be followed, all code counts. Settings of pytest
decide how tests are run and nothing of what code does: they do not count, but for code that may read them. Nor does
code that neither brings nor names the module, though examples of its package may run it: what they pass suggests
inputs, and what the module makes of those is decided by the rest.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ....utils.generated_header import is_untouched
from ....utils.python_source import parse_or_none, walk
from ....utils.untrusted_files import is_source_file, read_source
from .pytest_settings import without_pytest_settings

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WORD = re.compile(r"\w+")
_DYNAMIC = frozenset({"importlib", "__import__", "pkgutil", "runpy", "imp", "zipimport", "exec", "eval", "execfile"})
_EXCLUDED = re.compile(r"#.*\bpragma\b", re.IGNORECASE)
_CLASS = re.compile(r"^[ \t\f]*class\s+(\w+)", re.MULTILINE)
_READS_SETTINGS = frozenset({"pytest", "pyproject", "tomllib", "tomli", "tomlkit", "toml", "configparser"})


@dataclass(slots=True)
class _File:
    """A Python file of the project, read when it is first needed.

    Attributes:
        defined: names of its functions and classes; None where it does not parse.
        code: digest of the code without comments and layout.
        words: the words of the code, without those of comments.
        imported: dotted names it imports, `from a import b` as `a.b`, relative ones made absolute where that can be.
        dynamic: whether it may import by other means.
    """

    code: str
    words: frozenset[str]
    defined: frozenset[str] | None = None
    imported: tuple[str, ...] = ()
    dynamic: bool = False


@dataclass
class Foundations:
    """The digests of one project's modules. Files are read once; the project must not change meanwhile.

    Args:
        root: the project, or the copy of it that is run.
        files: every file that counts, POSIX paths relative to the root. Generated tests that were not edited are
            ignored.
    """

    root: Path
    files: tuple[str, ...]
    _texts: dict[str, str] = field(default_factory=dict)
    _written: dict[str, frozenset[str]] = field(default_factory=dict)
    _read: dict[str, _File] = field(default_factory=dict)
    _rest: dict[bool, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._python = [
            file
            for file in self.files
            if file.endswith(".py")
            and is_source_file(self.root, self.root / file)
            and not is_untouched(self._text(file))
        ]
        self._importable = _places(self.files)

    def digest_of(self, path: str) -> str:
        """The digest for one module.

        Raises:
            OSError: a file cannot be read.
        """
        brought = self._closure([path])
        if any(self._file(one).dynamic for one in brought):
            used = set(self._python)
        else:
            used = brought | self._closure(self._relevant(path))
        reads_settings = any(not _READS_SETTINGS.isdisjoint(self._file(one).words) for one in brought)
        lines = [f"target {path} {self._placed(path)}"]
        lines += [f"code {one} {self._file(one).code}" for one in sorted(used - {path})]
        lines.append(f"names {self._python}")  # a new module may hide another one
        lines.append(f"rest {self._others(reads_settings=reads_settings)}")
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def brought_by(self, path: str) -> frozenset[str]:
        """Files of the project that importing a file loads, itself included. Raises OSError."""
        return frozenset(self._closure([path]))

    def _others(self, *, reads_settings: bool) -> str:
        """The digest of all files that are not Python, with settings of pytest for code that may read them."""
        if reads_settings not in self._rest:
            total = hashlib.sha256()
            for name in self.files:
                if name.endswith(".py"):
                    continue
                place = self.root / name
                content = str(place.readlink()).encode() if place.is_symlink() else place.read_bytes()
                counting = content if reads_settings else without_pytest_settings(name, content)
                if counting is not None:
                    total.update(f"{name}\0".encode("utf-8", "surrogateescape") + hashlib.sha256(counting).digest())
            self._rest[reads_settings] = total.hexdigest()
        return self._rest[reads_settings]

    def _relevant(self, path: str) -> Iterator[str]:
        """Files that may use the module or define objects for it: they name its definitions, or define its names."""
        words, own = self._file(path).words, self._file(path).defined
        own = words if own is None else own
        place = PurePosixPath(path)
        names = {*own, place.stem if place.name != "__init__.py" else place.parent.name}
        spelled = {_plain(word) for word in words}
        for one in self._python:
            classes = _CLASS.findall(self._text(one))
            if self._names_any(one, names) or any(_plain(name) in spelled for name in classes):
                yield one

    def _closure(self, paths: Iterable[str]) -> set[str]:
        """The files and every file of the project that they import, however deeply."""
        found: set[str] = set()
        waiting = list(paths)
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found.add(path)
            for dotted in self._file(path).imported:
                parts = dotted.split(".")
                for length in range(1, len(parts) + 1):  # the packages on the way are imported too
                    waiting += self._importable.get(".".join(parts[:length]), ())
        return found

    def _file(self, path: str) -> _File:
        if path not in self._read:
            text = self._text(path)
            tree = parse_or_none(text, path)
            try:
                found = _parsed_file(tree, path) if tree is not None else None
            except RecursionError:  # an expression of hundreds of operands parses, and cannot be written again
                found = None
            if found is None:
                found = _File(_digest(text), self._words_written(path))
            self._read[path] = found
        return self._read[path]

    def _placed(self, path: str) -> str:
        """The digest of a file's code with its lines, and of the comments that exclude lines."""
        text = self._text(path)
        tree = parse_or_none(text, path)
        try:
            code = ast.dump(tree, include_attributes=True) if tree is not None else None
        except RecursionError:
            code = None
        if code is None:
            return _digest(text)
        return _digest("\n".join([code, *(line for line in text.split("\n") if _EXCLUDED.search(line))]))

    def _names_any(self, path: str, names: set[str]) -> bool:
        """Whether the code of a file has any of the names; only a file that has one anywhere is parsed for that."""
        return not names.isdisjoint(self._words_written(path)) and not names.isdisjoint(self._file(path).words)

    def _words_written(self, path: str) -> frozenset[str]:
        """The words of a file, those of comments among them."""
        if path not in self._written:
            self._written[path] = frozenset(_WORD.findall(self._text(path)))
        return self._written[path]

    def _text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = read_source(self.root, path, errors="surrogateescape")
        return self._texts[path]


def _parsed_file(tree: ast.Module, path: str) -> _File:
    """What counts of a file that parses. Raises RecursionError where an expression is nested too deeply."""
    words = frozenset(_WORD.findall(ast.unparse(tree)))
    defined = frozenset(node.name for node in walk(tree) if isinstance(node, _DEFINITIONS))
    dynamic = not _DYNAMIC.isdisjoint(words)
    return _File(_digest(ast.dump(tree)), words, defined, tuple(_imported(tree, path)), dynamic)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _places(files: Iterable[str]) -> dict[str, list[str]]:
    """Files by every dotted name under which they may be imported, wherever the import roots are."""
    places: dict[str, list[str]] = {}
    for path in files:
        if path.endswith(".py"):
            parts = path.removesuffix(".py").split("/")
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            for start in range(len(parts)):
                places.setdefault(".".join(parts[start:]), []).append(path)
    return places


def _plain(name: str) -> str:
    """A name without case and underscores, so that `ShoppingCart` equals `shopping_cart`."""
    return name.replace("_", "").lower()


def _imported(tree: ast.Module, path: str) -> Iterator[str]:
    """Dotted names that a file imports; its own package comes first, because Python imports that first."""
    package = path.split("/")[:-1]
    if package:
        yield ".".join(package)
    for node in walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{module}.{alias.name}" if module else alias.name
            if module:
                yield module
