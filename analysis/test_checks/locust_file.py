"""Checks Locust files: user classes with tasks that send requests to the system under test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...utils.error_formatter import CodeIssue
from ...utils.python_names import callee, keyword_value
from .code_model import Function, TestModule, methods, structure_issue
from .file_rules import SLEEPS

_HTTP = ("HttpUser", "FastHttpUser", "HttpLocust")
_USERS = (*_HTTP, "User")
_TASK_SETS = ("TaskSet", "SequentialTaskSet", "MarkovTaskSet")
_VERBS = frozenset("get post put patch delete head options request".split())
_MARKS = ("task", "transition", "transitions")


def locust_issues(module: TestModule) -> Iterator[CodeIssue]:
    """Yields every structure rule that a locustfile breaks."""
    users = [owner for owner in module.classes() if _kind(module, owner, _USERS)]
    # A star import may bring user classes.
    if not users and not module.star:
        fix = "derive a class from locust.HttpUser and give it tasks"
        yield structure_issue(0, "Locust finds no user class here", fix, "no_tests")
    helpers = [node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    for owner in helpers:
        is_user = owner in users
        if is_user or _kind(module, owner, _TASK_SETS):
            yield from _class_issues(module, owner, is_user=is_user)
    yield from _call_issues(module)


def _kind(module: TestModule, owner: ast.ClassDef, wanted: tuple[str, ...], depth: int = 0) -> bool:
    """Whether a class derives from one of Locust's, through classes of the file or by its base's name."""
    by_name = {node.name: node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)}
    for base in owner.bases:
        origin = module.origin(base).rpartition(".")[2]
        parent = by_name.get(origin)
        if origin in wanted or (parent is None and origin.endswith(wanted)):
            return True
        if parent is not None and parent is not owner and depth < 10 and _kind(module, parent, wanted, depth + 1):
            return True
    return False


def _class_issues(module: TestModule, owner: ast.ClassDef, *, is_user: bool) -> Iterator[CodeIssue]:
    set_here = {target.id: node for node in owner.body for target in _targets(node)}
    tasks = [method for method in methods(owner) if _is_task(module, method)]
    nested = [
        statement for statement in owner.body if isinstance(statement, ast.ClassDef) and _is_task(module, statement)
    ]
    inherits = any(item.name == module.origin(base) for base in owner.bases for item in module.classes())
    if not tasks and not nested and "tasks" not in set_here and not inherits and not _abstract(set_here):
        fix = "mark methods with @task, or set tasks = [...]"
        yield structure_issue(owner.lineno, f"{owner.name} has no task", fix, "no_tests")
    host = set_here.get("host")
    given = host.value if isinstance(host, ast.Assign | ast.AnnAssign) else None
    if is_user and isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value:
        fix = "leave it out and give --host, or read it from the environment"
        yield structure_issue(given.lineno, f"{owner.name} has its host {given.value!r} written in", fix, "host")
    first: dict[str, int] = {}
    for inner in tasks:
        if inner.name in first:
            message = f"{owner.name}.{inner.name} is defined in line {first[inner.name]} already, which it hides"
            yield structure_issue(inner.lineno, message, "give each task a name of its own", "duplicate_name")
        first.setdefault(inner.name, inner.lineno)
        yield from _task_issues(owner, inner)


def _targets(node: ast.stmt) -> list[ast.Name]:
    found = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [found_item for found_item in found if isinstance(found_item, ast.Name)]


def _abstract(set_here: dict[str, ast.stmt]) -> bool:
    return isinstance(value := getattr(set_here.get("abstract"), "value", None), ast.Constant) and bool(value.value)


def _is_task(module: TestModule, node: Function | ast.ClassDef) -> bool:
    return any(module.origin(callee(item)).rpartition(".")[2] in _MARKS for item in node.decorator_list)


def _task_issues(owner: ast.ClassDef, task: Function) -> Iterator[CodeIssue]:
    name = f"{owner.name}.{task.name}"
    calls = [node for node in ast.walk(task) if isinstance(node, ast.Call)]
    acts = any(getattr(call.func, "id", "") not in ("print", "len", "range", "str") for call in calls)
    if not acts:
        fix = "ask something of the system, by self.client.get(…)"
        yield structure_issue(task.lineno, f"{name} sends nothing", fix, "no_assertion")
    if not [*task.args.posonlyargs, *task.args.args]:
        yield structure_issue(task.lineno, f"{name} takes no self", "give it self", "task_shape")


def _call_issues(module: TestModule) -> Iterator[CodeIssue]:
    entered = {
        id(item.context_expr) for node in ast.walk(module.tree) if isinstance(node, ast.With) for item in node.items
    }
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        name = module.origin(node.func)
        is_pause = bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
        # `sleep(0)` only yields to other users.
        if name in SLEEPS and not is_pause:
            fix = "set wait_time = between(…) on the user"
            yield structure_issue(
                node.lineno, f"a user sleeps with {name} instead of waiting by wait_time", fix, "sleep"
            )
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _VERBS:
            continue
        given = node.args[0] if node.args else None
        address = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
        # A host in the file would ignore --host and could hit a system that nobody meant.
        if name.endswith(f"client.{node.func.attr}") and address.startswith(("http://", "https://")):
            fix = "give the path only: the host comes with --host"
            yield structure_issue(node.lineno, f"a request has its host written in: {address[:80]}", fix, "host")
        caught = keyword_value(node, "catch_response")
        # Locust reports such a request only when its context manager is left.
        if isinstance(caught, ast.Constant) and caught.value is True and id(node) not in entered:
            fix = "write `with self.client.get(…, catch_response=True) as response:`"
            yield structure_issue(
                node.lineno, "catch_response=True outside of a with statement counts nothing", fix, "response"
            )
