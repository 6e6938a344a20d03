"""Recognizes mutants that look equivalent to the original: no reasonable test could notice them.

They look at the place of the change only, before any test runs: no mutant is set aside because it survived. Each rule
has a name, and the report counts by it. `same_code` is a further one, of the worker: the changed file compiles to the
same instructions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ..utils.python_names import last_name
from .operators import Change
from .sites import LOGGER, ImportOrigins, Site, SourceText

_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_METADATA = frozenset({"__version__", "__author__", "__license__", "__copyright__", "__email__", "__date__"})
_TYPING_CALLS = frozenset({"TypeVar", "ParamSpec", "NewType", "TypeVarTuple", "TypeAliasType"})
_SHOWING = frozenset({"len", "str", "repr", "ascii", "type", "id", "bool"})
_EFFECTS = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_FOR_CHECKERS = frozenset({"overload", "final", "override", "no_type_check"})
_OVERLOAD = frozenset({"overload"})
_PLATFORM = frozenset({"version_info", "platform", "implementation", "hexversion", "byteorder"})

Rule = Callable[[Change, Site, SourceText, ImportOrigins], bool]


def rule_of(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> str | None:
    """The first rule that sets a change aside, or None; `origins` are those of the module's names."""
    return next((rule.__name__.strip("_") for rule in RULES if rule(change, site, text, origins)), None)


def _main_guard(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In the block below `if __name__ == "__main__"`, which importing never runs, or in its condition."""
    return any(_is_main_test(condition) for condition in _conditions(site))


def _type_checking(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In the block below `if TYPE_CHECKING`, which never runs."""
    return any(last_name(condition.test) == "TYPE_CHECKING" for condition in _conditions(site))


def _platform_guard(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In a condition over the interpreter's version or the platform, of which one machine has one."""
    for condition in _conditions(site):
        asks = any(
            isinstance(part, ast.Attribute) and part.attr in _PLATFORM and last_name(part.value) == "sys"
            for part in ast.walk(condition.test)
        )
        if asks and (site.node is condition or site.node is condition.test or condition.test in site.above):
            return True
    return False


def _metadata(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In the value of `__version__` and its like."""
    statement = site.head
    return isinstance(statement, ast.Assign) and any(last_name(target) in _METADATA for target in statement.targets)


def _log_message(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """A call of a logger of `logging`, or something in its arguments, where these do nothing but make the message."""
    calls = [node.value if isinstance(node, ast.Expr) else node for node in (*site.above, site.node)]
    return any(isinstance(call, ast.Call) and _logs(call, origins) for call in calls)


def _logs(call: ast.Call, origins: ImportOrigins) -> bool:
    """Whether a call logs, and would be missed by nothing but the log."""
    holder, _, method = origins.of(call.func).rpartition(".")
    if holder not in ("logging", LOGGER) or method not in _LOGGING:
        return False
    inner = [part for argument in (*call.args, *call.keywords) for part in ast.walk(argument)]
    return not any(
        isinstance(part, _EFFECTS) or (isinstance(part, ast.Call) and not _only_shows(part.func, origins))
        for part in inner
    )


def _only_shows(function: ast.expr, origins: ImportOrigins) -> bool:
    """Whether a call of it makes a message of its arguments and does nothing else."""
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Constant) and function.attr in ("format", "join")
    return isinstance(function, ast.Name) and function.id in _SHOWING and not origins.is_bound(function.id)


def _typing_only(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In the declaration of a type variable, or the type given to `cast`: for type checkers alone."""
    inner = site.node
    for node in (site.node, *reversed(site.above)):
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in _TYPING_CALLS or (name == "cast" and node.args and inner is node.args[0]):
                return True
        inner = node
    statement = site.head
    return (
        change.operator == "assigned value"
        and isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and last_name(statement.value.func) in _TYPING_CALLS
    )


def _checker_decorator(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """A decorator for type checkers is removed, or the change is in the body of an overload."""
    if change.operator == "removed decorator":
        removed = [item for item in _decorators(site.node) if change.start < text.span(item)[1] <= change.end]
        return any(_for_checkers(node, origins, _FOR_CHECKERS) for node in removed)
    return any(_for_checkers(item, origins, _OVERLOAD) for holder in site.above for item in _decorators(holder))


def _for_checkers(decorator: ast.expr, origins: ImportOrigins, names: frozenset[str]) -> bool:
    module, _, name = origins.of(decorator).rpartition(".")
    return module == "typing" and name in names


def _cache_only(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """The size of a function's cache is another one: the same answers, later.

    Not that there is no cache any more: what is kept may be told from what is made anew, and calls may be counted.
    """
    if change.operator != "number" or not _is_positive(site.node) or change.replacement == "0":
        return False
    keyword = site.parent if isinstance(site.parent, ast.keyword) else None
    holder, call = ([None, *site.above])[-3:-1] if keyword else ([None, *site.above])[-2:]
    return (
        isinstance(call, ast.Call)
        and call in _decorators(holder)
        and origins.of(call.func) == "functools.lru_cache"
        and (keyword.arg == "maxsize" if keyword else site.node in call.args[:1])
    )


def _is_positive(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0


def _no_cover(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """On a line, or in a block, that is marked as not to be covered."""
    marked = (site.head, *(node for node in site.above if isinstance(node, ast.stmt | ast.ExceptHandler)))
    return any("pragma: no cover" in text.line(node.lineno) for node in marked if isinstance(node, _PLACED))


def _abstract_body(change: Change, site: Site, text: SourceText, origins: ImportOrigins) -> bool:
    """In the body of an abstract method that only raises NotImplementedError."""
    holder = next((it for it in reversed(site.above) if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    if holder is None or site.head not in holder.body:
        return False
    abstract = any(
        last_name(decorator) in ("abstractmethod", "abstractproperty") for decorator in holder.decorator_list
    )
    body = [
        statement
        for statement in holder.body
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    return abstract and len(body) == 1 and isinstance(body[0], ast.Raise)


_PLACED = (ast.stmt, ast.ExceptHandler)
RULES: tuple[Rule, ...] = (
    _no_cover,
    _main_guard,
    _type_checking,
    _platform_guard,
    _metadata,
    _typing_only,
    _checker_decorator,
    _cache_only,
    _abstract_body,
    _log_message,
)


def _conditions(site: Site) -> Iterator[ast.If]:
    """The `if` statements whose condition or first block holds the place."""
    chain = (*site.above, site.node)
    for outer, inner in zip(chain, (*chain[1:], None), strict=True):
        if isinstance(outer, ast.If) and (inner is None or inner not in outer.orelse):
            yield outer


def _is_main_test(condition: ast.If) -> bool:
    test = condition.test
    return (
        isinstance(test, ast.Compare)
        and last_name(test.left) == "__name__"
        and any(
            isinstance(comparator, ast.Constant) and comparator.value == "__main__" for comparator in test.comparators
        )
    )


def _decorators(node: ast.AST | None) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else []
