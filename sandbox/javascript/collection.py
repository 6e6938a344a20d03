"""Tells from the text of a project's configuration whether Jest collects a test file; no code of the project runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tree_sitter import Node

from ...utils.untrusted_files import read_json, read_source_bytes
from .syntax import field, parse, text_of, walk

_DEFAULT_MATCH = ("**/__tests__/**/*.[jt]s?(x)", "**/?(*.)+(spec|test).[jt]s?(x)")
_SETTINGS = ("rootDir", "roots", "testMatch", "testRegex", "testPathIgnorePatterns", "projects")
_ROOT = "<rootDir>"
_GROUPS = {"?": ")?", "+": ")+", "*": ")*", "@": ")"}


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a setting; `whole` where it holds nothing else, such as a call."""

    texts: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Collection:
    """Where Jest looks for tests, as far as a configuration is written out.

    Attributes:
        folder: of the configuration, POSIX, relative to the project's root.
        settings: by name.
    """

    folder: str
    settings: Mapping[str, _Texts]

    def collects(self, path: str) -> bool:
        """Whether a test file is collected; also where the configuration does not tell.

        Args:
            path: POSIX, relative to the project's root.
        """
        if "projects" in self.settings:
            return True
        given = self.settings.get("rootDir", _Texts((".",)))
        if not given.whole or len(given.texts) != 1:
            return True
        root = posixpath.normpath(posixpath.join("/", self.folder, given.texts[0].replace(_ROOT, ".")))
        name = f"/{path}"
        return self._is_below_a_root(name, root) and self._matches(name, root) and not self._is_ignored(name, root)

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders that tests are looked for in, relative to the project's root; empty where none are named."""
        found = self.settings.get("roots", _Texts(()))
        base = next(iter(self.settings.get("rootDir", _Texts((".",))).texts), ".")
        start = posixpath.join(self.folder, base.replace(_ROOT, "."))
        return tuple(posixpath.normpath(one.replace(_ROOT, start)) for one in found.texts)

    def _is_below_a_root(self, name: str, root: str) -> bool:
        given = self.settings.get("roots")
        if given is None:
            return name.startswith(f"{root.rstrip('/')}/")
        written = [one.replace(_ROOT, root.rstrip("/")) or "/" for one in given.texts]
        folders = [posixpath.normpath(posixpath.join(root, one)) for one in written]
        return not given.whole or any(name.startswith(f"{one.rstrip('/')}/") for one in folders)

    def _matches(self, name: str, root: str) -> bool:
        regex = self.settings.get("testRegex")
        if regex is not None:
            return not regex.whole or any(_found(one, name, root) for one in regex.texts)
        given = self.settings.get("testMatch", _Texts(_DEFAULT_MATCH))
        globs = [one.replace(_ROOT, root.rstrip("/")) for one in given.texts]
        if any(one.startswith("!") and _is_like(one[1:], name) for one in globs):
            return False
        return not given.whole or any(_is_like(one, name) for one in globs if not one.startswith("!"))

    def _is_ignored(self, name: str, root: str) -> bool:
        given = self.settings.get("testPathIgnorePatterns", _Texts(("/node_modules/",)))
        return any(_found(one, name, root) for one in given.texts)


def read_collection(root: Path, folder: str, names: Sequence[str]) -> Collection:
    """Read the configuration of a folder: `jest` in package.json, or the first file of these names that is there.

    Args:
        folder: POSIX, relative to the root.
    """
    place = PurePosixPath(folder)
    try:
        manifest: Any = read_json(root, (place / "package.json").as_posix())
    except (OSError, ValueError):
        manifest = {}
    own = manifest.get("jest") if isinstance(manifest, dict) else None
    if isinstance(own, dict):
        return Collection(folder, _of_json(own))
    name = next((one for one in names if (root / folder / one).is_file()), "")
    try:
        if name.endswith(".json"):
            read: Any = read_json(root, (place / name).as_posix())
            return Collection(folder, _of_json(read) if isinstance(read, dict) else {})
        source = read_source_bytes(root, (place / name).as_posix()) if name else b""
    except (OSError, ValueError):
        source = b""
    return Collection(folder, _of_script(parse(source, name or "jest.config.js")))


def _of_json(read: Mapping[str, Any]) -> dict[str, _Texts]:
    return {name: _texts_of(read[name]) for name in _SETTINGS if name in read}


def _texts_of(value: Any) -> _Texts:
    found = value if isinstance(value, list) else [value]
    return _Texts(tuple(one for one in found if isinstance(one, str)), all(isinstance(one, str) for one in found))


def _of_script(tree: Node) -> dict[str, _Texts]:
    found: dict[str, _Texts] = {}
    for node in walk(tree):
        name = text_of(field(node, "key")).strip("'\"") if node.type == "pair" else ""
        if name in _SETTINGS:
            found.setdefault(name, _of_value(field(node, "value")))
        elif node.type == "shorthand_property_identifier" and text_of(node) in _SETTINGS:
            found.setdefault(text_of(node), _Texts((), whole=False))
    return found


def _of_value(node: Node | None) -> _Texts:
    parts = node.named_children if node is not None and node.type == "array" else [node]
    texts = [_text(one) for one in parts if one is None or one.type != "comment"]
    return _Texts(tuple(one for one in texts if one is not None), None not in texts)


def _text(node: Node | None) -> str | None:
    if node is None or node.type not in ("string", "template_string"):
        return None
    if any(one.type == "template_substitution" for one in node.children):
        return None
    return re.sub(r"\\(.)", r"\1", text_of(node)[1:-1])


def _found(pattern: str, name: str, root: str) -> bool:
    """Whether a regular expression of JavaScript is found; one that Python does not know is not."""
    try:
        return re.search(pattern.replace(_ROOT, re.escape(root.rstrip("/"))).replace("(?<", "(?P<"), name) is not None
    except re.error:
        return False


def _is_like(glob: str, name: str) -> bool:
    try:
        return re.fullmatch(_expression(glob), name) is not None
    except re.error:
        return False


def _expression(glob: str) -> str:
    """A glob, as micromatch reads it, as a regular expression."""
    made, closing, at = [], [], 0
    while at < len(glob):
        sign = glob[at]
        if sign in _GROUPS and glob[at + 1 : at + 2] == "(":
            made.append("(?:")
            closing.append(_GROUPS[sign])
            at += 2
            continue
        if glob.startswith("**/", at):
            made.append("(?:.*/)?")
            at += 3
            continue
        if glob.startswith("**", at):
            made.append(".*")
            at += 2
            continue
        if sign == "[" and "]" in glob[at:]:
            end = glob.index("]", at)
            made.append(glob[at : end + 1].replace("[!", "[^"))
            at = end + 1
            continue
        if sign == ")" and closing:
            made.append(closing.pop())
        elif sign == "{":
            made.append("(?:")
            closing.append("}")
        elif sign == "}" and closing:
            closing.pop()
            made.append(")")
        elif sign in ",|" and closing:
            made.append("|" if sign == "|" or closing[-1] == "}" else re.escape(sign))
        else:
            made.append({"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign))
        at += 1
    return "".join(made)
