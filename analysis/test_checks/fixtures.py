"""Collects the pytest fixtures a test file may use, from source: its own, its conftests', pytest's and plugins'."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...utils.error_formatter import CodeIssue
from ...utils.python_names import callee, keyword_value, last_name
from ...utils.python_source import parse_python
from .code_model import Function, TestFunction, TestModule, structure_issue

BUILT_IN = frozenset(
    "cache capfd capfdbinary caplog capsys capsysbinary capteesys doctest_namespace monkeypatch pytestconfig "
    "record_property record_testsuite_property record_xml_attribute recwarn request subtests testdir pytester "
    "tmp_path tmp_path_factory tmpdir tmpdir_factory".split()
)
# Fixtures of widespread plugins: whether the plugin is there shows when the tests run.
_OF_PLUGINS = frozenset(
    "admin_client admin_user aiohttp_client aiohttp_raw_server aiohttp_server aiohttp_unused_port anyio_backend "
    "anyio_backend_name anyio_backend_options async_client async_rf autojump_clock base_url benchmark "
    "benchmark_weave browser browser_channel browser_context_args browser_name browser_type browser_type_launch_args "
    "check class_mocker client client_class config context data_regression dataframe_regression datadir db "
    "django_assert_max_num_queries django_assert_num_queries django_capture_on_commit_callbacks django_db_blocker "
    "django_db_keepdb django_db_reset_sequences django_db_serialized_rollback django_db_setup django_user_model "
    "django_username_field docker_compose_file docker_ip docker_services event_loop event_loop_policy faker "
    "fake_process file_regression fp freezer fs fs_class fs_module fs_session httpserver httpserver_listen_address "
    "httpx2_mock httpx_mock image_regression io_loop is_chromium is_firefox is_webkit lazy_datadir live_server "
    "live_server_url loop mailoutbox make_httpserver mock_clock mocker module_mocker ndarrays_regression "
    "new_context num_regression nursery obj_regression original_datadir package_mocker page playwright postgresql "
    "postgresql_proc qapp qtbot qtlog qtmodeltester redisdb requests_mock respx_mock rf script_runner session_mocker "
    "settings shared_datadir snapshot socket_disabled socket_enabled subprocess testrun_uid time_machine "
    "transactional_db unused_tcp_port unused_tcp_port_factory unused_udp_port unused_udp_port_factory vcr "
    "vcr_cassette vcr_config worker_id".split()
)


@dataclass(slots=True)
class Fixtures:
    """Names of the available fixtures; `open` when a plugin or star import makes them unknowable."""

    names: set[str] = field(default_factory=lambda: set(BUILT_IN | _OF_PLUGINS))
    open: bool = False

    def add_source(self, source: str) -> None:
        """Adds what a conftest file defines or imports; one that does not parse makes the set open."""
        try:
            self.add(parse_python(source))
        except SyntaxError:
            self.open = True

    def add(self, tree: ast.Module) -> None:
        """Adds what a file defines or imports."""
        for node in ast.walk(tree):
            if isinstance(node, Function):
                if name := fixture_name(node):
                    self.names.add(name)
            elif isinstance(node, ast.ImportFrom | ast.Import):
                self.names |= {alias.asname or alias.name for alias in node.names}
                self.open |= any(alias.name == "*" for alias in node.names)
            elif isinstance(node, ast.Assign):
                targets = {target.id for target in node.targets if isinstance(target, ast.Name)}
                self.open |= "pytest_plugins" in targets
                self.names |= targets


def fixture_name(node: Function) -> str:
    """The name under which a function is a fixture, or an empty text."""
    for decorator in node.decorator_list:
        name = last_name(callee(decorator))
        if name in ("fixture", "yield_fixture") or name.endswith("_fixture"):
            given = keyword_value(decorator, "name")
            return str(given.value) if isinstance(given, ast.Constant) else node.name
    return ""


def fixture_issues(module: TestModule, tests: Iterable[TestFunction], fixtures: Fixtures) -> Iterator[CodeIssue]:
    """Yields parameters that no fixture or parametrization fills, and fixtures called like functions."""
    functions = [node for node in ast.walk(module.tree) if isinstance(node, Function)]
    own = {name: node for node in functions if (name := fixture_name(node))}
    members = {node for owner in ast.walk(module.tree) if isinstance(owner, ast.ClassDef) for node in owner.body}
    for test in tests:
        given, known = parametrised([*test.node.decorator_list, *(test.owner.decorator_list if test.owner else ())])
        # Unknown decorators and plugins may fill any parameter.
        if known and not fixtures.open:
            yield from _unfilled(test.node, test.name, given, fixtures, is_member=test.owner is not None)
        yield from _called(test, set(own))
        if not fixtures.open:
            marks = [*test.node.decorator_list, *(test.owner.decorator_list if test.owner else ())]
            yield from _named(test.name, marks, fixtures)
            yield from _by_value(test, fixtures)
    if not fixtures.open:
        yield from _named("the file", module_marks(module.tree), fixtures)
    for name, node in own.items() if not fixtures.open else ():
        yield from _unfilled(node, f"the fixture {name}", set(), fixtures, is_member=node in members)


def module_marks(tree: ast.Module) -> list[ast.expr]:
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    values = [node.value for node in assigned if any(last_name(name) == "pytestmark" for name in node.targets)]
    return [mark for value in values for mark in (value.elts if isinstance(value, ast.List | ast.Tuple) else [value])]


def _named(who: str, marks: list[ast.expr], fixtures: Fixtures) -> Iterator[CodeIssue]:
    """Yields unknown fixtures named by marks: `usefixtures("a")`, and `indirect` parametrization."""
    for mark in marks:
        if not isinstance(mark, ast.Call) or not isinstance(mark.func, ast.Attribute):
            continue
        wanted: list[str] = []
        if mark.func.attr == "usefixtures":
            constants = [argument.value for argument in mark.args if isinstance(argument, ast.Constant)]
            wanted = [name for name in constants if isinstance(name, str)]
        elif mark.func.attr == "parametrize":
            wanted = _indirect(mark)
        for name in wanted:
            if name not in fixtures.names:
                message = f"{who} is marked with {name!r}, which is no fixture"
                yield structure_issue(mark.lineno, message, "define it in the file or a conftest.py", "no_fixture")


def _indirect(call: ast.Call) -> list[str]:
    given = keyword_value(call, "indirect")
    if isinstance(given, ast.Constant):
        return (argument_names(call) or []) if given.value is True else []
    elements = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    return [str(node.value) for node in elements if isinstance(node, ast.Constant)]


def _by_value(test: TestFunction, fixtures: Fixtures) -> Iterator[CodeIssue]:
    for node in ast.walk(test.node):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if node.func.attr == "getfixturevalue" and isinstance(given, str) and given not in fixtures.names:
            message = f"{test.name} asks for {given!r}, which is no fixture"
            yield structure_issue(node.lineno, message, "define it in the file or a conftest.py", "no_fixture")


def _called(test: TestFunction, own: set[str]) -> Iterator[CodeIssue]:
    """Yields calls of the file's own fixtures; a parameter of that name is the fixture's value and may be called."""
    hidden = {node.arg for node in ast.walk(test.node) if isinstance(node, ast.arg)}
    for node in ast.walk(test.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own - hidden:
            fix = f"take {node.func.id!r} as a parameter"
            message = f"{test.name} calls the fixture {node.func.id!r} like a function"
            yield structure_issue(node.lineno, message, fix, "fixture_called")


def _unfilled(node: Function, who: str, given: set[str], fixtures: Fixtures, *, is_member: bool) -> Iterator[CodeIssue]:
    for argument in _wanted(node, is_member=is_member):
        if argument.arg not in given and argument.arg not in fixtures.names:
            fix = "define it in the file or a conftest.py, or parametrise it"
            yield structure_issue(
                argument.lineno, f"{who} asks for {argument.arg!r}, which is no fixture", fix, "no_fixture"
            )


def _wanted(node: Function, *, is_member: bool) -> list[ast.arg]:
    """The parameters without a default, except `self` and `cls`."""
    positional = [*node.args.posonlyargs, *node.args.args]
    wanted = positional[: len(positional) - len(node.args.defaults)]
    is_static = any(getattr(decorator, "id", "") == "staticmethod" for decorator in node.decorator_list)
    if is_member and not is_static:
        wanted = wanted[1:]
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return [*wanted, *(item for item, default in named if default is None)]


def parametrised(decorators: Iterable[ast.expr]) -> tuple[set[str], bool]:
    """Names that `pytest.mark.parametrize` fills, and whether all of them are known.

    Decorators other than pytest's marks may hand in arguments of their own (`mock.patch`, hypothesis' `given`).
    """
    names: set[str] = set()
    known = True
    for decorator in decorators:
        text = ast.unparse(callee(decorator))
        if isinstance(decorator, ast.Call) and text.rpartition(".")[2] == "parametrize":
            found = argument_names(decorator)
            known &= found is not None
            names |= set(found or ())
        else:
            known &= "mark." in text or text in ("staticmethod", "classmethod")
    return names, known


def argument_names(call: ast.Call) -> list[str] | None:
    """The names a parametrization fills, or None when they are not literal."""
    given = call.args[0] if call.args else keyword_value(call, "argnames")
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [part.strip() for part in given.value.split(",") if part.strip()]
    if isinstance(given, ast.List | ast.Tuple) and all(isinstance(element, ast.Constant) for element in given.elts):
        return [str(element.value) for element in given.elts if isinstance(element, ast.Constant)]
    return None
