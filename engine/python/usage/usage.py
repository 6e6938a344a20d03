"""Finds how the project itself uses a module: in tests, in other modules, in examples and documents."""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....utils.generated_header import is_untouched
from ....utils.python_names import (
    BUILTIN_NAMES,
    assigned_variables,
    bound_outside_patterns,
    bound_variables,
    last_name,
    loaded_names,
    printed_argument,
)
from ....utils.python_source import expression_or_none, parse_or_none, walk
from ....utils.untrusted_files import read_source
from ..facts.analyse import imports_of, package_of, subjects
from ..facts.lineage import members_of_private_bases
from ..model.model import ModuleFacts, Trial
from ..project.layout import Layout
from .document_code import code_of_document
from .documented_results import DocumentedResults
from .foreign_receivers import asks_foreign_object
from .project_index import ProjectIndex
from .scoping import NameScope, is_reproducible
from .slicing import Subjects, base_name, needed_statements, standalone
from .steps import Step, TestFile, block_steps, read_test_file, test_steps

_MAXIMUM_FILES = 60
_MAXIMUM_BYTES = 400_000
_MAXIMUM_SEQUENCES = 900
_MAXIMUM_PER_SUBJECT = 40
_MAXIMUM_TEXT = 700
_MAXIMUM_CALLS = 40
TEST_LIBRARIES = ("import pytest", "from pytest", "import unittest", "from unittest", "from hypothesis")
_WORD = re.compile(r"\w+")

_NO_RESULTS = DocumentedResults()


@dataclass(frozen=True, slots=True)
class ProjectUsage:
    """How a project uses a module.

    Attributes:
        trials: uses that run on their own, tests first, by path and line. Their `source` is `existing_test`, `document`
            or `call_site`.
        calls: calls of functions and classes in other modules that do not run on their own, because some arguments are
            variables there: they say what the others are. So do the calls that make the module's own constants.
    """

    trials: tuple[Trial, ...] = ()
    calls: tuple[Trial, ...] = ()


def find_usage(root: Path, layout: Layout, facts: ModuleFacts, index: ProjectIndex | None = None) -> ProjectUsage:
    """Finds uses of the target in the project. Files that do not parse, or are very large, are ignored."""
    packages = {place.path: package_of(place) for place in layout.modules}
    finder = _Finder(root, facts, index or ProjectIndex(root, layout, (facts,)), packages)
    sources = (("existing_test", layout.test_files), ("document", layout.documents), ("call_site", layout.side_files))
    for source, paths in sources:
        finder.read(paths, source)
    finder.read(tuple(place.path for place in layout.modules if place.path != facts.path), "call_site")
    finder.read_own_objects()
    return ProjectUsage(tuple(finder.found), tuple(finder.calls))


class _Finder:
    def __init__(self, root: Path, facts: ModuleFacts, index: ProjectIndex, packages: Mapping[str, str]) -> None:
        self.found: list[Trial] = []
        self.calls: list[Trial] = []
        self._root = root
        self._facts = facts
        self._index = index
        self._subjects = Subjects(facts, (*subjects(facts), *members_of_private_bases(facts)))
        self._seen: set[tuple[str, ...]] = set()
        self._counts: dict[str, int] = {}
        self._read: Counter[str] = Counter()
        names = {function.qualname for function in facts.functions} | {owner.name for owner in facts.classes}
        self._names = frozenset(names)
        self._package = facts.module.partition(".")[0]
        self._packages = packages

    def read(self, paths: tuple[str, ...], source: str) -> None:
        """Adds the uses in some files."""
        last = self._facts.module.rpartition(".")[2]
        read = 0
        # Files named after the module come first: the limits below should not cut them off.
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
            text = read_source(self._root, path)
        except (OSError, UnicodeDecodeError):
            return None
        if is_untouched(text):  # our own tests of an earlier run: reading them would make each run differ from the last
            return None
        last = self._facts.module.rpartition(".")[2]
        return text if (self._package in text or last in text) and self._is_named_in(text) else None

    def _is_named_in(self, text: str) -> bool:
        """Whether something of the target is named; one pattern of all names would try each at every place."""
        return any(word[0] in self._names for word in _WORD.finditer(text))

    def _python(self, path: str, text: str, source: str) -> None:
        tree = parse_or_none(text, path)
        if tree is None:
            return
        imports = [node for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        by_path = path.removesuffix(".py").replace("/", ".").rpartition(".")[0]
        bound = imports_of(list(imports), self._packages.get(path, by_path))
        stars = [import_ for import_ in imports if isinstance(import_, ast.ImportFrom) and import_.names[0].name == "*"]
        scope = NameScope(self._facts, self._index, bound)
        if not stars and not any(self._package in statement for statement in bound.values()):
            return  # nothing of the package is imported, so no name can mean the target
        if source == "existing_test":
            file = read_test_file(tree)
            self._take(test_steps(tree, file), scope, source, file)
        else:
            self._take(_call_steps(tree), scope, source, None)
            self._read_calls(tree, scope)

    def _read_calls(self, tree: ast.Module, scope: NameScope) -> None:
        """Adds the calls of the target's functions and classes some of whose arguments are variables."""
        named = {node for node in walk(tree) if isinstance(node, ast.Call) and self._is_named_call(node)}
        for node, local in _calls_in(tree, frozenset()) if named else ():
            name = last_name(node.func)
            if node not in named or self._read[name] >= _MAXIMUM_CALLS:
                continue
            statement = scope.plain(ast.Expr(copy.deepcopy(node)))
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not scope.is_own(call.func.id):
                continue
            variables = local.intersection(loaded_names(call))
            # A builtin is bound by no import, so that calls with one are read here, whether they run or not.
            bindings = {scope.statement_for(one) for one in loaded_names(call) if one not in variables}
            if call.func.id in variables or not (variables or None in bindings):
                continue  # it calls a variable, or runs on its own
            known = tuple(sorted(text for text in bindings if text is not None))
            # A variable may have the name of a builtin or of a module: it is written as one that nothing binds.
            act = ast.unparse(_Unbound(variables).visit(call))
            self._read[name] += 1
            self.calls.append(Trial(subject=call.func.id, act=act, imports=known, source="call_site"))

    def _is_named_call(self, node: ast.Call) -> bool:
        return isinstance(node.func, ast.Name | ast.Attribute) and last_name(node.func) in self._names

    def read_own_objects(self) -> None:
        """Adds the calls that make the target's own constants: `UTC = FixedZone("UTC")`."""
        scope = NameScope(self._facts, self._index)
        for _, source in self._facts.constants:
            call = expression_or_none(source)
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in self._names:
                continue
            imports = scope.imports_for([ast.Expr(call)])
            if imports is not None and self._read[call.func.id] < _MAXIMUM_CALLS:
                self._read[call.func.id] += 1
                self.calls.append(Trial(subject=call.func.id, act=source, imports=imports, source="call_site"))

    def _document(self, path: str, text: str) -> None:
        """Reads the doctest prompts of a document, its fenced code blocks and those of reStructuredText."""
        code = code_of_document(text)
        results = DocumentedResults(path, [*code.prompts, *code.fenced])
        for body, imports in code.bodies():
            steps = ((before, _shown(act)) for before, act in block_steps([], body))
            self._take(steps, NameScope(self._facts, self._index, imports), "document", None, results)

    def _take(
        self,
        steps: Iterator[Step],
        scope: NameScope,
        source: str,
        file: TestFile | None,
        results: DocumentedResults = _NO_RESULTS,
    ) -> None:
        for before, act in steps:
            if len(self.found) >= _MAXIMUM_SEQUENCES:
                return
            found = self._trial(before, act, scope, source, file)
            if found is None:
                continue
            key = (found.act, *found.arrange)
            if key in self._seen or self._counts.get(found.subject, 0) >= _MAXIMUM_PER_SUBJECT:
                continue
            self._seen.add(key)
            self._counts[found.subject] = self._counts.get(found.subject, 0) + 1
            self.found.append(results.told(found, act))

    def _trial(
        self, before: list[ast.stmt], act: ast.expr, scope: NameScope, source: str, file: TestFile | None
    ) -> Trial | None:
        """A step as a trial that runs on its own; None where that cannot be made of it."""
        if isinstance(act, ast.Constant | ast.Name | ast.Await) or not self._subjects.may_concern(act):
            return None
        needed = [one for one in needed_statements(before, act) if not isinstance(one, ast.Import | ast.ImportFrom)]
        if file is not None:
            needed = _with_helpers(needed, act, scope, file)
        resolved = standalone(needed, act, scope)
        if resolved is None:
            return None
        arranged, last, arrange, act_text = resolved
        subject = self._subjects.of(last.value, arranged)
        if subject is None or _shows_another_module(arranged, last.value, scope, subject.name):
            return None
        if asks_foreign_object(last.value, arranged, subject, scope, self._index, self._facts):
            return None
        fixtures = ("tmp_path",) if any("tmp_path" in scope.free([one]) for one in (*arranged, last)) else ()
        imports = scope.imports_for([*arranged, last], fixtures)
        whole = "\n".join([*arrange, act_text])
        if imports is None or len(whole) > _MAXIMUM_TEXT or not is_reproducible(whole):
            return None
        if any(statement.startswith(TEST_LIBRARIES) for statement in imports):
            return None  # a helper of the test framework, not behaviour of the target
        return Trial(
            subject=subject.qualname, act=act_text, imports=imports, arrange=arrange, source=source, fixtures=fixtures
        )


def _shows_another_module(arranged: list[ast.stmt], act: ast.expr, scope: NameScope, subject: str) -> bool:
    """Whether the outermost call is one of another module of the package, or of an object that such a call made.

    `P.iterate(closed(0, 3))` shows `iterate`; that `closed` works is not its point. A member that is asked of what
    another module made is shown: `P.parse("a b").words()`.
    """
    while isinstance(act, ast.Call) and isinstance(act.func, ast.Name) and act.func.id in BUILTIN_NAMES and act.args:
        act = act.args[0]
    asked = act.func if isinstance(act, ast.Call) else act
    if isinstance(asked, ast.Attribute) and asked.attr == subject:
        return False
    bound = assigned_variables(arranged)
    act = bound.get(base_name(act) or "", act)
    name = base_name(act)
    return isinstance(act, ast.Call) and name is not None and scope.is_package(name)


def _shown(act: ast.expr) -> ast.expr:
    """What `print(x)` shows: its value can be compared, printed text only as text.

    `report.print(x)` may be about a method of the target.
    """
    is_print = isinstance(act, ast.Call) and isinstance(act.func, ast.Name)
    return (printed_argument(act) if is_print else None) or act


def _with_helpers(needed: list[ast.stmt], act: ast.expr, scope: NameScope, file: TestFile) -> list[ast.stmt]:
    """Puts the test file's own definitions that the statements need in front of them."""
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


def _calls_in(node: ast.AST, local: frozenset[str]) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    """Generates the calls below a node, each with the variables of the functions around it."""
    for part in ast.iter_child_nodes(node):
        inner = local
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = local | bound_variables(part)
        if isinstance(part, ast.Call):
            yield part, inner
        yield from _calls_in(part, inner)


class _Unbound(ast.NodeTransformer):
    """Gives variables names that nothing else has."""

    def __init__(self, local: frozenset[str]) -> None:
        self._local = local

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(f"{node.id}_variable", node.ctx) if node.id in self._local else node


def _call_steps(tree: ast.Module) -> Iterator[Step]:
    """Every call of a file, without the statements before it; only calls with constant arguments resolve later."""
    for node in walk(tree):
        if isinstance(node, ast.Call):
            names = {one.id for one in walk(node) if isinstance(one, ast.Name)}
            if len(names) <= 3:
                yield [], node
