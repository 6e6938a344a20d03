"""Finds documented calls in the README of a script's package, and tells which module each of them is about.

A README shows what several modules export. Where a block of code imports a name, it says from where; where none does,
the name is the module's only if no other module of the package exports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from ...core.errors import TargetImportError
from ...sandbox.javascript.project import ScriptPackage
from ...utils.untrusted_files import source_or_empty
from .facts import read_module
from .jsdoc import Example, read_examples
from .model import Module
from .sources import find_scripts

_READMES = ("README.md", "readme.md", "Readme.md", "docs/README.md")
_FENCES = ("```js", "```javascript", "```ts", "```typescript", "```mjs", "```jsx")
_FROM = r"['\"](?P<source>[^'\"]+)['\"]"
_IMPORT = re.compile(rf"^\s*import\s+(?:type\s+)?(?P<what>[^'\";]{{1,400}}?)\s+from\s+{_FROM}", re.MULTILINE)
_REQUIRE = re.compile(
    rf"^\s*(?:const|let|var)\s+(?P<what>[^=;]{{1,400}}?)\s*=\s*require\(\s*{_FROM}\s*\)", re.MULTILINE
)
_CALLED = re.compile(r"(?:await\s+|new\s+|\(|!)*([A-Za-z_$][\w$]*)")


def readme_examples(root: Path, package: ScriptPackage, module: Module) -> list[tuple[str, Example]]:
    """The documented calls that are about a module, with the path of the document.

    Args:
        root: of the project; paths are relative to it.
    """
    others = _Others(root, package, module)
    return [
        (path, example)
        for name in _READMES
        for path, example, imported in _calls(root, (PurePosixPath(package.folder) / name).as_posix())
        if others.is_mine(example, imported)
    ]


def _calls(root: Path, path: str) -> Iterator[tuple[str, Example, Mapping[str, str]]]:
    """Each documented call, with where the names come from that blocks of code have imported so far."""
    imported: dict[str, str] = {}
    block: list[str] | None = None
    first = 0
    for number, line in enumerate(source_or_empty(root, path, errors="replace").split("\n"), 1):
        if block is None and line.strip().lower() in _FENCES:
            block, first = [], number + 1
        elif block is not None and line.strip().startswith("```"):
            imported |= _imported("\n".join(block))
            for example in read_examples(block, first):
                yield path, example, dict(imported)
            block = None
        elif block is not None:
            block.append(line)


def _imported(text: str) -> dict[str, str]:
    """Where the names come from that a block of code imports."""
    found: dict[str, str] = {}
    for one in [*_IMPORT.finditer(text), *_REQUIRE.finditer(text)]:
        names = re.sub(r"\w+\s+as\s+|\w+\s*:\s*|\*|\btype\b", " ", one["what"])
        found |= dict.fromkeys(re.findall(r"[A-Za-z_$][\w$]*", names), one["source"])
    return found


class _Others:
    """The other modules of a package; read when they are first asked for."""

    def __init__(self, root: Path, package: ScriptPackage, module: Module) -> None:
        self._root = root / package.folder
        self._name = str(package.manifest.get("name") or "")
        self._entry = PurePosixPath(str(package.manifest.get("main") or "index.js"))
        self._module = PurePosixPath(module.path).relative_to(package.folder)
        self._texts: dict[str, str] | None = None

    def is_mine(self, example: Example, imported: Mapping[str, str]) -> bool:
        """Whether a documented call is about the module."""
        called = _CALLED.match(example.call)
        name = called[1] if called else ""
        source = imported.get(name, "")
        if source and source != self._name:
            inner = source.removeprefix(f"{self._name}/") if self._name else source
            if inner == source and not source.startswith("."):
                return False  # it is another package's
            return _stem(PurePosixPath(inner)) in (_stem(self._module), self._module.parent.name)
        return self._is_entry() or not self._export(name)

    def _is_entry(self) -> bool:
        return self._module.with_suffix("") == self._entry.with_suffix("")

    def _export(self, name: str) -> bool:
        """Whether another module exports a name; one that passes on what this module exports is no other."""
        if self._texts is None:
            paths = [path for path in find_scripts(self._root).modules if path != self._module.as_posix()]
            self._texts = {path: source_or_empty(self._root, path, errors="replace") for path in paths}
        named = [path for path, text in self._texts.items() if re.search(rf"\b{re.escape(name)}\b", text)]
        mine = re.compile(rf"(?:from\s*|require\(\s*)['\"][^'\"]*\b{re.escape(_stem(self._module))}\b")
        return any(name in self._exports(path) and not mine.search(self._texts[path]) for path in named)

    def _exports(self, path: str) -> frozenset[str]:
        try:
            found = read_module(self._root, path)
        except (TargetImportError, OSError):
            return frozenset()
        return frozenset({*found.exports, *found.exports.values()})


def _stem(path: PurePosixPath) -> str:
    name = path.name.partition(".")[0]
    return path.parent.name if name in ("index", "main") and path.parent.name else name
