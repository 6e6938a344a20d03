"""How the project itself uses a module: in tests, in other modules, in examples and documents (B-06)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....utils.generated_header import untouched
from ....utils.python_names import bound_outside_patterns
from ....utils.python_source import parse_python
from ..facts.analyse import imports_of, package_of, subjects
from ..facts.docstrings import examples_in
from ..model.model import ModuleFacts
from ..project.layout import Layout
from .project_index import ProjectIndex
from .scoping import NameScope, is_reproducible
from .slicing import needed_statements, source_of
from .statement_subject import Subjects
from .steps import Step, TestFile, block_steps, read_test_file, test_steps

_MAXIMUM_FILES = 60
_MAXIMUM_BYTES = 400_000
_MAXIMUM_SEQUENCES = 900
_MAXIMUM_PER_SUBJECT = 40
_MAXIMUM_TEXT = 700
_FENCE = re.compile(r"^(?:```|~~~)[ ]*(?:python|py|pycon|python3)?[ ]*\n(.*?)^(?:```|~~~)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class UsedSequence:
    """Statements from the project that use the target.

    Attributes:
        subject: qualified name of what `act` is about.
        source: `existing_test`, `call_site` or `document`.
        path: the file it was found in, relative to the root.
        line: where in it.
    """

    subject: str
    act: str
    arrange: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    source: str = "call_site"
    path: str = ""
    line: int = 0
    fixtures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Everything found, tests first, by path and line."""

    sequences: tuple[UsedSequence, ...] = ()


def find_usage(root: Path, layout: Layout, facts: ModuleFacts, index: ProjectIndex | None = None) -> Usage:
    """Uses of the target in the project. Files that do not parse, or are very large, are passed over."""
    packages = {place.path: package_of(place) for place in layout.modules}
    finder = _Finder(root, facts, index or ProjectIndex(root, layout, (facts,)), packages)
    sources = (("existing_test", layout.test_files), ("document", layout.documents), ("call_site", layout.side_files))
    for source, paths in sources:
        finder.read(paths, source)
    finder.read(tuple(place.path for place in layout.modules if place.path != facts.path), "call_site")
    return Usage(tuple(finder.found))


class _Finder:
    def __init__(self, root: Path, facts: ModuleFacts, index: ProjectIndex, packages: Mapping[str, str]) -> None:
        self.found: list[UsedSequence] = []
        self._root = root
        self._facts = facts
        self._index = index
        self._subjects = Subjects(facts, subjects(facts))
        self._seen: set[tuple[str, ...]] = set()
        self._counts: dict[str, int] = {}
        names = {one.qualname for one in facts.functions} | {one.name for one in facts.classes}
        self._names = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, names)) or ["(?!)"]) + r")\b")
        self._package = facts.module.partition(".")[0]
        self._packages = packages

    def read(self, paths: tuple[str, ...], source: str) -> None:
        """Take what the files hold."""
        last = self._facts.module.rpartition(".")[2]
        read = 0
        # Files named after the module are the likeliest to be about it.
        for path in sorted(paths, key=lambda one: (last.strip("_") not in one.rpartition("/")[2], one)):
            text = self._text(path)
            if text is None:
                continue
            read += 1
            if read > _MAXIMUM_FILES or len(self.found) >= _MAXIMUM_SEQUENCES:
                return
            if path.endswith(".py"):
                self._python(path, text, source)
            else:
                self._document(path, text)

    def _text(self, path: str) -> str | None:
        """The file's text when it names the package and something of the target."""
        try:
            if (self._root / path).stat().st_size > _MAXIMUM_BYTES:
                return None
            text = (self._root / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        if untouched(text):  # what testwright wrote teaches it nothing, and would make each run differ from the last
            return None
        last = self._facts.module.rpartition(".")[2]
        return text if (self._package in text or last in text) and self._names.search(text) else None

    def _python(self, path: str, text: str, source: str) -> None:
        try:
            tree = parse_python(text, path)
        except SyntaxError:
            return
        imports = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
        by_path = path.removesuffix(".py").replace("/", ".").rpartition(".")[0]
        bound = imports_of(list(imports), self._packages.get(path, by_path))
        stars = [one for one in imports if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
        scope = NameScope(self._facts, self._index, bound)
        knows = bool(stars) or any(self._package in statement for statement in bound.values())
        if not knows:
            return
        if source == "existing_test":
            file = read_test_file(tree)
            self._take(test_steps(tree, file), scope, source, path, file)
        else:
            self._take(_call_steps(tree), scope, source, path, None)

    def _document(self, path: str, text: str) -> None:
        scope = NameScope(self._facts, self._index)
        examples = examples_in(text, 1)
        blocks = [example.act for example in examples]
        statements = [one for source in blocks for one in _statements(source)]
        fenced = [
            one for match in _FENCE.finditer(text) if ">>>" not in match.group(1) for one in _statements(match.group(1))
        ]
        for body in (statements, fenced):
            bound = imports_of([one for one in body if isinstance(one, ast.Import | ast.ImportFrom)], "")
            scope = NameScope(self._facts, self._index, bound)
            self._take(block_steps([], body), scope, "document", path, None)

    def _take(self, steps: Iterator[Step], scope: NameScope, source: str, path: str, file: TestFile | None) -> None:
        for before, act in steps:
            if len(self.found) >= _MAXIMUM_SEQUENCES:
                return
            found = self._sequence(before, act, scope, file)
            if found is None:
                continue
            key = (found.act, *found.arrange)
            if key in self._seen or self._counts.get(found.subject, 0) >= _MAXIMUM_PER_SUBJECT:
                continue
            self._seen.add(key)
            self._counts[found.subject] = self._counts.get(found.subject, 0) + 1
            self.found.append(
                UsedSequence(
                    subject=found.subject,
                    act=found.act,
                    arrange=found.arrange,
                    imports=found.imports,
                    source=source,
                    path=path,
                    line=act.lineno,
                    fixtures=found.fixtures,
                )
            )

    def _sequence(
        self, before: list[ast.stmt], act: ast.expr, scope: NameScope, file: TestFile | None
    ) -> UsedSequence | None:
        if isinstance(act, ast.Constant | ast.Name | ast.Await) or not self._subjects.may_concern(act):
            return None
        needed = [one for one in needed_statements(before, act) if not isinstance(one, ast.Import | ast.ImportFrom)]
        if file is not None:
            needed = _with_helpers(needed, act, scope, file)
        statements = [*needed, ast.fix_missing_locations(ast.copy_location(ast.Expr(value=act), act))]
        plain = [ast.fix_missing_locations(scope.plain(one)) for one in statements]
        last = plain[-1]
        if not isinstance(last, ast.Expr):
            return None
        arranged = [one for one in plain[:-1] if isinstance(one, ast.stmt)]
        subject = self._subjects.of(last.value, arranged)
        if subject is None:
            return None
        fixtures = ("tmp_path",) if any("tmp_path" in scope.free([one]) for one in (*arranged, last)) else ()
        imports = scope.imports_for([*arranged, last], fixtures)
        texts = [text for one in arranged if (text := source_of(one)) is not None]
        act_text = source_of(last.value)
        if act_text is None or len(texts) != len(arranged):
            return None
        whole = "\n".join([*texts, act_text])
        if imports is None or len(whole) > _MAXIMUM_TEXT or not is_reproducible(whole):
            return None
        if any(
            one.startswith(("import pytest", "from pytest", "import unittest", "from unittest", "from hypothesis"))
            for one in imports
        ):
            return None
        return UsedSequence(
            subject=subject.qualname, act=act_text, arrange=tuple(texts), imports=imports, fixtures=fixtures
        )


def _with_helpers(needed: list[ast.stmt], act: ast.expr, scope: NameScope, file: TestFile) -> list[ast.stmt]:
    """The statements, after the test file's own definitions that they need."""
    found = list(needed)
    for _ in range(3):
        wrapped = [*found, ast.copy_location(ast.Expr(value=act), act)]
        free = [name for name in scope.free(wrapped) if scope.statement_for(name) is None and name in file.helpers]
        bound = bound_outside_patterns(found)
        fresh = [file.helpers[name] for name in free if name not in bound]
        if not fresh:
            break
        found = [*fresh, *found]
    return found


def _statements(source: str) -> list[ast.stmt]:
    try:
        return parse_python(source).body
    except SyntaxError:
        return []


def _call_steps(tree: ast.Module) -> Iterator[Step]:
    """Every call of a file, alone: those whose arguments stand for themselves survive the resolution of names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            if len(names) <= 3:
                yield [], node
