"""Which pytest fixtures a test file may ask for, read from source: its own, its conftest files', pytest's."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...utils.error_formatter import CodeIssue
from ...utils.python_source import parse_python
from .code_model import Function, TestFunction, TestModule, structure

BUILT_IN = frozenset(
    "cache capfd capfdbinary caplog capsys capsysbinary capteesys doctest_namespace monkeypatch pytestconfig "
    "record_property record_testsuite_property record_xml_attribute recwarn request subtests testdir pytester "
    "tmp_path tmp_path_factory tmpdir tmpdir_factory".split()
)
# Fixtures of widespread plugins: whether the plugin is there shows when the tests run.
_OF_PLUGINS = frozenset(
    "aiohttp_client anyio_backend benchmark client context db django_db_setup event_loop faker freezer httpserver "
    "httpx_mock live_server mocker page playwright requests_mock respx_mock settings transactional_db "
    "unused_tcp_port worker_id".split()
)


@dataclass(slots=True)
class Fixtures:
    """Names of the fixtures in reach; `open` when a plugin or star import makes them unknowable."""

    names: set[str] = field(default_factory=lambda: set(BUILT_IN | _OF_PLUGINS))
    open: bool = False

    def add_source(self, source: str) -> None:
        """Add what a conftest file defines or imports; one that does not parse makes the set open."""
        try:
            self.add(parse_python(source))
        except SyntaxError:
            self.open = True

    def add(self, tree: ast.Module) -> None:
        """Add what a file defines, or imports and may thereby offer."""
        for node in ast.walk(tree):
            if isinstance(node, Function):
                if name := fixture_name(node):
                    self.names.add(name)
            elif isinstance(node, ast.ImportFrom | ast.Import):
                self.names |= {alias.asname or alias.name for alias in node.names}
                self.open |= any(alias.name == "*" for alias in node.names)
            elif isinstance(node, ast.Assign):
                targets = {one.id for one in node.targets if isinstance(one, ast.Name)}
                self.open |= "pytest_plugins" in targets
                self.names |= targets


def fixture_name(node: Function) -> str:
    """The name under which a function is a fixture, or an empty text."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        target = call.func if call else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name in ("fixture", "yield_fixture") or name.endswith("_fixture"):
            for keyword in call.keywords if call else ():
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
            return node.name
    return ""


def fixture_issues(module: TestModule, tests: Iterable[TestFunction], fixtures: Fixtures) -> Iterator[CodeIssue]:
    """Parameters that no fixture or parametrisation fills, and fixtures that are called like functions."""
    own = {
        fixture_name(node): node for node in ast.walk(module.tree) if isinstance(node, Function) and fixture_name(node)
    }
    for test in tests:
        decorators = [*test.node.decorator_list, *(test.owner.decorator_list if test.owner else ())]
        given, known = parametrised(decorators)
        if known and not fixtures.open:
            yield from _unfilled(test.node, test.name, given, fixtures, method=test.owner is not None)
        own_names = {one.arg for one in ast.walk(test.node) if isinstance(one, ast.arg)}
        for node in ast.walk(test.node):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in own.keys() - own_names
            ):
                fix = f"take {node.func.id!r} as a parameter"
                message = f"{test.name} calls the fixture {node.func.id!r} like a function"
                yield structure(node.lineno, message, fix, "fixture_called")
    if not fixtures.open:
        for name, node in own.items():
            yield from _unfilled(node, f"the fixture {name}", set(), fixtures, method=_is_method(module, node))


def _unfilled(node: Function, who: str, given: set[str], fixtures: Fixtures, *, method: bool) -> Iterator[CodeIssue]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    defaults = len(node.args.defaults)
    wanted = arguments[: len(arguments) - defaults] if defaults else arguments
    optional = {one.arg for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default}
    wanted = [*(wanted[1:] if method else wanted), *(one for one in node.args.kwonlyargs if one.arg not in optional)]
    static = method and any(getattr(one, "id", "") == "staticmethod" for one in node.decorator_list)
    for argument in arguments[:1] + wanted if static else wanted:
        if argument.arg not in given and argument.arg not in fixtures.names:
            fix = "define it in the file or a conftest.py, or parametrise it"
            yield structure(argument.lineno, f"{who} asks for {argument.arg!r}, which is no fixture", fix, "no_fixture")


def _is_method(module: TestModule, node: Function) -> bool:
    return any(node in owner.body for owner in ast.walk(module.tree) if isinstance(owner, ast.ClassDef))


def parametrised(decorators: Iterable[ast.expr]) -> tuple[set[str], bool]:
    """Names that `pytest.mark.parametrize` fills, and whether they could all be read."""
    names: set[str] = set()
    known = True
    for decorator in decorators:
        if not (isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)):
            known &= isinstance(decorator, ast.Attribute | ast.Name | ast.Call) and not _is_patch(decorator)
            continue
        if decorator.func.attr == "parametrize":
            found = argument_names(decorator)
            known &= found is not None
            names |= set(found or ())
        else:
            known &= not _is_patch(decorator)
    return names, known


def _is_patch(decorator: ast.expr) -> bool:
    """`mock.patch` hands in arguments of its own, and so may decorators we do not know (hypothesis' `given`)."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    text = ast.unparse(target)
    return not (text.startswith("pytest.mark.") or text in ("staticmethod", "classmethod"))


def argument_names(call: ast.Call) -> list[str] | None:
    """The names a parametrisation fills, or None when they are not literal."""
    given = call.args[0] if call.args else next((one.value for one in call.keywords if one.arg == "argnames"), None)
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [one.strip() for one in given.value.split(",") if one.strip()]
    if isinstance(given, ast.List | ast.Tuple) and all(isinstance(one, ast.Constant) for one in given.elts):
        return [str(one.value) for one in given.elts if isinstance(one, ast.Constant)]
    return None
