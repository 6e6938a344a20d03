"""Finds examples of the target's package that are no use of the target itself: running them shows what it is passed.

`sqlquery.format("select 1")` in a README says what the lexer of that package reads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ....utils.generated_header import is_untouched
from ....utils.in_turns import in_turns
from ....utils.python_names import printed_argument
from ....utils.python_source import parse_or_none, walk
from ....utils.untrusted_files import source_or_empty
from ..facts.analyse import imports_of
from ..model.model import Documentation, Example, ModuleFacts, Trial
from ..project.layout import Layout
from .document_code import code_of_document
from .project_index import ProjectIndex
from .scoping import NameScope, is_reproducible
from .slicing import needed_statements, standalone
from .steps import Step, block_steps, read_test_file, test_steps
from .usage import TEST_LIBRARIES

_MOST = 60
_MOST_FILES = 25
_MOST_MODULES = 500
_MOST_OF_A_FILE = 15
_MOST_BYTES = 200_000
_MOST_TEXT = 1000


def package_examples(root: Path, layout: Layout, facts: ModuleFacts, index: ProjectIndex) -> tuple[Trial, ...]:
    """Returns examples of other modules of the target's package, as trials that record what the target is passed.

    They stand in documents, in docstrings of other modules and in tests; each runs on its own. Their subject is empty.
    """
    reader = _Reader(root, facts, index)
    documents = [reader.of_document(path) for path in layout.documents[:_MOST_FILES]]
    docstrings = [reader.of_docstrings(module) for module in reader.documented_modules(layout)]
    tests = [reader.of_tests(path) for path in layout.test_files[:_MOST_FILES]]
    found: dict[tuple[str, ...], Trial] = {}
    for trial in in_turns([in_turns(documents), in_turns(docstrings), in_turns(tests)]):
        found.setdefault((*trial.arrange, trial.act), trial)
        if len(found) == _MOST:
            break
    return tuple(found.values())


class _Reader:
    def __init__(self, root: Path, facts: ModuleFacts, index: ProjectIndex) -> None:
        self._root = root
        self._facts = facts
        self._index = index
        self._package = facts.module.partition(".")[0]
        self._modules = frozenset(index.modules())

    def is_related(self, module: str) -> bool:
        """Whether a module belongs to the target's package, or is one of the project's where that has no package."""
        if module.partition(".")[0] == self._package:
            return True
        return "." not in self._facts.module and module in self._modules

    def documented_modules(self, layout: Layout) -> list[str]:
        """The other modules of the package whose text has prompts; those that name the target's module come first."""
        name = re.compile(rf"\b{re.escape(self._facts.module.rpartition('.')[2])}\b")
        found: list[tuple[bool, str]] = []
        related = [one for one in layout.modules if one.path != self._facts.path and self.is_related(one.module)]
        for place in related[:_MOST_MODULES]:
            text = self._text(place.path)
            if ">>> " in text:
                found.append((name.search(text) is None, place.module))
        return [module for _, module in sorted(found)][:_MOST_FILES]

    def of_document(self, path: str) -> Iterator[Trial]:
        """Generates the examples of a document that is no Python file."""
        text = self._text(path) if not path.endswith(".py") else ""
        if self._package not in text:
            return
        for body, imports in code_of_document(text).bodies():
            yield from self._examples(block_steps([], body), NameScope(self._facts, self._index, imports))

    def of_docstrings(self, module: str) -> Iterator[Trial]:
        """Generates the examples of a module's docstrings, which may name what the module defines."""
        facts = self._index.facts_of(module)
        if facts is None:
            return
        documented: list[Documentation] = [facts.documentation, *(one.documentation for one in facts.classes)]
        documented += [one.documentation for one in facts.callables()]
        steps = (step for one in documented for example in one.examples for step in _steps_of(example))
        yield from self._examples(steps, NameScope(facts, self._index))

    def of_tests(self, path: str) -> Iterator[Trial]:
        """Generates the steps of a test file that somebody wrote."""
        text = self._text(path)
        tree = parse_or_none(text, path) if self._package in text and not is_untouched(text) else None
        if tree is None:
            return
        imports: list[ast.stmt] = [one for one in walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
        bound = imports_of(imports, path.removesuffix(".py").replace("/", ".").rpartition(".")[0])
        yield from self._examples(test_steps(tree, read_test_file(tree)), NameScope(self._facts, self._index, bound))

    def _text(self, path: str) -> str:
        return source_or_empty(self._root, path, most=_MOST_BYTES)

    def _examples(self, steps: Iterator[Step], scope: NameScope) -> Iterator[Trial]:
        count = 0
        for before, act in steps:
            trial = self._example(before, act, scope)
            if trial is not None:
                count += 1
                yield trial
            if count == _MOST_OF_A_FILE:
                return

    def _example(self, before: list[ast.stmt], act: ast.expr, scope: NameScope) -> Trial | None:
        """A step as a trial; None where it names nothing of the package or does not run on its own."""
        act = (printed_argument(act) if isinstance(act, ast.Call) else None) or act
        if isinstance(act, ast.Constant | ast.Name | ast.Await):
            return None
        needed = [one for one in needed_statements(before, act) if not isinstance(one, ast.Import | ast.ImportFrom)]
        resolved = standalone(needed, act, scope)
        if resolved is None:
            return None
        arranged, last, arrange, act_text = resolved
        imports = scope.imports_for([*arranged, last])
        whole = "\n".join([*arrange, act_text])
        if imports is None or len(whole) > _MOST_TEXT or not is_reproducible(whole):
            return None
        of_package = any(self.is_related(one.split()[1]) for one in imports)
        if not of_package or any(one.startswith(TEST_LIBRARIES) for one in imports):
            return None
        return Trial(subject="", act=act_text, imports=imports, arrange=arrange, source="usage", records=True)


def _steps_of(example: Example) -> Iterator[Step]:
    """Generates the step of an example's own prompt, after the statements of the prompts before it."""
    trees = [tree for text in (*example.arrange, example.act) if (tree := parse_or_none(text)) is not None]
    statements = [node for tree in trees for node in tree.body]
    if statements:
        *before, last = statements
        yield from ((list(done), act) for done, act in block_steps(before, [last]))
