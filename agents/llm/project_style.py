"""Describes for a model how a project writes its tests: counted conventions and one short example.

Only tests that people wrote count, not generated ones. The description of a project without tests is empty, so that the
model follows its own instructions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from ...engine.python.project.layout import find_layout
from ...utils.generated_header import is_untouched
from ...utils.python_source import parse_or_none, source_lines
from ...utils.untrusted_files import read_source
from ..guardrails.code_limits import imported_by

LONGEST_STYLE = 1200
"""Limit on the characters of a style; an example that does not fit is cut at a line."""

_MOST_FILES = 20
_LONGEST_FILE = 200_000
_LONGEST_LINE = 200
_EXAMPLE_LINES = 14
_MOST_NAMED = 5
_NAMES_SHOWN = 3
_ASSERTING = ("assert_", "check_", "expect_", "verify_")
_MOCKED = ("assert_called", "assert_any_call", "assert_has_calls", "assert_not_called", "assert_awaited")
_BUILT_IN = frozenset({"self", "cls"})

ImportsProvider = Callable[[], frozenset[str]]
StyleProvider = Callable[[str], str]
"""Describes the style for tests of a module, by its dotted name; "" without one."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)


@dataclass(slots=True)
class _Conventions:
    """Counts of conventions in a project's tests."""

    files: int = 0
    names: list[str] = field(default_factory=list)
    functions: int = 0
    methods: int = 0
    cases: int = 0
    parametrised: int = 0
    documented: int = 0
    fixtures: Counter[str] = field(default_factory=Counter)
    defined: dict[str, str] = field(default_factory=dict)
    helpers: Counter[str] = field(default_factory=Counter)
    plain: int = 0
    example: str = ""

    @property
    def tests(self) -> int:
        """Test functions and methods."""
        return self.functions + self.methods


def style_provider(root: Path) -> StyleProvider:
    """Return the style provider of the project at `root`; files are read when it is called."""
    return partial(project_style, root)


def project_style(root: Path, module: str) -> str:
    """Describe how the project at `root` writes tests, in at most `LONGEST_STYLE` characters; "" when it has none.

    Args:
        module: the module to be tested, dotted; an example is taken from a test file that names it, if there is one.
    """
    name = module.rpartition(".")[2]
    paths = sorted(find_layout(root).test_files, key=lambda path: (name not in PurePosixPath(path).name, path))
    return describe_style(_texts(root, paths))


def own_test_imports(root: Path) -> frozenset[str]:
    """Top-level names that the tests which people wrote import: tests of a model may import them too."""
    texts = _texts(root, find_layout(root).test_files)
    return frozenset().union(*(imported_by(text) for _, text in texts))


def describe_style(files: Iterable[tuple[str, str]]) -> str:
    """Describe the style of test files, `(path, text)` each, the most relevant first."""
    seen = _Conventions()
    for path, text in files:
        tree = parse_or_none(text)
        if tree is None:
            continue
        _see(seen, path, text, tree)
    if not seen.tests:
        return ""
    lines = "\n".join(f"- {line}" for line in _conventions(seen))
    return _cut(f"{lines}\n\n{seen.example}".strip())


def _texts(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    found = 0
    for path in paths:
        file = root / path
        try:
            if found == _MOST_FILES or file.stat().st_size > _LONGEST_FILE:
                continue
            text = read_source(root, path, errors="replace")
        except OSError:
            continue
        if is_untouched(text) is None:
            found += 1
            yield path, text


def _see(seen: _Conventions, path: str, text: str, tree: ast.Module) -> None:
    tests = list(_tests(tree))
    seen.files += bool(tests)
    for owner in _functions(tree):
        if any("fixture" in ast.unparse(decorator) for decorator in owner.decorator_list):
            seen.defined.setdefault(owner.name, path)
    for test, owner in tests:
        seen.names.append(test.name if owner is None else f"{owner.name}.{test.name}")
        seen.functions += owner is None
        seen.methods += owner is not None
        seen.cases += owner is not None and any("TestCase" in ast.unparse(base) for base in owner.bases)
        seen.parametrised += any("parametrize" in ast.unparse(mark) for mark in test.decorator_list)
        seen.documented += ast.get_docstring(test) is not None
        seen.fixtures.update(_fixtures(test))
        seen.plain += any(isinstance(node, ast.Assert) for node in ast.walk(test))
        seen.helpers.update(_helpers(test))
    if tests and not seen.example:
        seen.example = f"From {path}:\n{_example(text, tree, *tests[0])}"


def _tests(tree: ast.Module) -> Iterator[tuple[_Function, ast.ClassDef | None]]:
    for node in tree.body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield node, None
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, _Function) and inner.name.startswith("test"):
                    yield inner, node


def _functions(tree: ast.Module) -> Iterator[_Function]:
    """Yield the functions of a module at any depth; only statements are visited, which are few beside expressions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _Function):
            yield node
        waiting += [inner for inner in ast.iter_child_nodes(node) if isinstance(inner, _STATEMENTS)]


def _fixtures(test: _Function) -> list[str]:
    """Return the fixtures of a test: its arguments that no parametrisation provides."""
    given = {
        name.strip()
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and "parametrize" in ast.unparse(mark.func) and mark.args
        for node in ast.walk(mark.args[0])
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for name in node.value.split(",")
    }
    return [arg.arg for arg in test.args.args if arg.arg not in given | _BUILT_IN]


def _helpers(test: _Function) -> Iterator[str]:
    """Yield the project's own assertion helpers in a test: `assert_total(…)`, not `self.assertEqual(…)`."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            last = name.rpartition(".")[2]
            if last.startswith(_ASSERTING) and not last.startswith(_MOCKED):
                yield name


def _conventions(seen: _Conventions) -> Iterator[str]:
    kind = "functions" if seen.functions >= seen.methods else "methods of classes"
    kind += " of unittest.TestCase" if seen.cases * 2 > seen.tests and seen.methods else ""
    yield f"{seen.tests} tests in {seen.files} {'file' if seen.files == 1 else 'files'}, mostly {kind}"
    yield "names: " + ", ".join(_spread(seen.names))
    if seen.parametrised:
        yield f"{seen.parametrised} with pytest.mark.parametrize"
    if seen.documented * 2 > seen.tests:
        yield "most have a docstring"
    common = sorted(seen.fixtures, key=lambda name: (-seen.fixtures[name], name))[:_MOST_NAMED]
    if common:
        yield "fixtures: " + ", ".join(_placed(name, seen) for name in common)
    if seen.helpers:
        ranked = sorted(seen.helpers, key=lambda name: (-seen.helpers[name], name))[:_MOST_NAMED]
        yield "helpers that assert: " + ", ".join(ranked)
    yield "assertions: " + ("plain assert" if seen.plain * 2 >= seen.tests else "methods and helpers, not plain assert")


def _placed(name: str, seen: _Conventions) -> str:
    return f"{name} ({seen.defined[name]})" if name in seen.defined else name


def _spread(names: Sequence[str]) -> list[str]:
    """Sample a few names, evenly over the list."""
    step = max(1, len(names) // _NAMES_SHOWN)
    return [name[:80] for name in names[::step][:_NAMES_SHOWN]]


def _example(text: str, tree: ast.Module, test: _Function, owner: ast.ClassDef | None) -> str:
    """Render the first test with the file's imports and, for a method, its class's first line."""
    lines = source_lines(text)
    imports = [lines[node.lineno - 1] for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    head = [line for line in imports if "__future__" not in line][:5]
    around = [lines[owner.lineno - 1]] if owner is not None else []
    first = min([test.lineno, *(decorator.lineno for decorator in test.decorator_list)])
    body = lines[first - 1 : min(test.end_lineno or first, first + _EXAMPLE_LINES)]
    return "\n".join(line[:_LONGEST_LINE] for line in [*head, "", *around, *body]).strip()


def _cut(text: str) -> str:
    if len(text) <= LONGEST_STYLE:
        return text
    return text[: LONGEST_STYLE - 2].rpartition("\n")[0] + "\n…"
