"""Rules by which a mutant looks equivalent to the original: no reasonable test could notice it.

They look at the place of the change only, before any test runs: no mutant is set aside because it survived. Each rule
has a name, and the report counts by it. `same_code` is a further one, of the worker: the changed file compiles to the
same instructions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from .operators import Change
from .sites import Site
from .text import SourceText

_LOGGING = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_LOGGERS = frozenset({"log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER", "_LOGGER"})
_METADATA = frozenset({"__version__", "__author__", "__license__", "__copyright__", "__email__", "__date__"})
_TYPING_CALLS = frozenset({"TypeVar", "ParamSpec", "NewType", "TypeVarTuple", "TypeAliasType"})
_CACHES = frozenset({"lru_cache", "cache"})
_FOR_CHECKERS = frozenset({"overload", "final", "override", "runtime_checkable", "no_type_check"})
_PLATFORM = frozenset({"version_info", "platform", "implementation", "hexversion", "byteorder"})

Rule = Callable[[Change, Site, SourceText], bool]


def rule_of(change: Change, site: Site, text: SourceText) -> str | None:
    """The first rule that sets a change aside, or None."""
    return next((rule.__name__.strip("_") for rule in RULES if rule(change, site, text)), None)


def _main_guard(change: Change, site: Site, text: SourceText) -> bool:
    """In the block below `if __name__ == "__main__"`, which importing never runs, or in its condition."""
    return any(_is_main_test(one) for one in _conditions(site))


def _type_checking(change: Change, site: Site, text: SourceText) -> bool:
    """In the block below `if TYPE_CHECKING`, which never runs."""
    return any(_name_of(one.test) == "TYPE_CHECKING" for one in _conditions(site))


def _platform_guard(change: Change, site: Site, text: SourceText) -> bool:
    """In a condition over the interpreter's version or the platform, of which one machine has one."""
    for one in _conditions(site):
        asks = any(
            isinstance(part, ast.Attribute) and part.attr in _PLATFORM and _name_of(part.value) == "sys"
            for part in ast.walk(one.test)
        )
        if asks and (site.node is one or site.node is one.test or one.test in site.above):
            return True
    return False


def _metadata(change: Change, site: Site, text: SourceText) -> bool:
    """In the value of `__version__` and its like."""
    statement = site.head
    return isinstance(statement, ast.Assign) and any(_name_of(one) in _METADATA for one in statement.targets)


def _log_message(change: Change, site: Site, text: SourceText) -> bool:
    """A log call, or something in its arguments."""
    calls = [one.value if isinstance(one, ast.Expr) else one for one in (*site.above, site.node)]
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _LOGGING
        and _name_of(one.func.value) in _LOGGERS
        for one in calls
    )


def _typing_only(change: Change, site: Site, text: SourceText) -> bool:
    """In the declaration of a type variable, or the type given to `cast`: for type checkers alone."""
    inner = site.node
    for one in (site.node, *reversed(site.above)):
        if isinstance(one, ast.Call):
            name = _name_of(one.func)
            if name in _TYPING_CALLS or (name == "cast" and one.args and inner is one.args[0]):
                return True
        inner = one
    statement = site.head
    return (
        change.operator == "assigned value"
        and isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and _name_of(statement.value.func) in _TYPING_CALLS
    )


def _checker_decorator(change: Change, site: Site, text: SourceText) -> bool:
    """A decorator for type checkers is removed, or the change is in the body of an overload."""
    if change.operator == "removed decorator":
        return _decorator_name(change, text) in _FOR_CHECKERS
    return any(
        isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(_name_of(decorator) == "overload" for decorator in one.decorator_list)
        for one in site.above
    )


def _cache_only(change: Change, site: Site, text: SourceText) -> bool:
    """A cache around a function is removed, or its size changed: the same answers, later."""
    if change.operator == "removed decorator":
        return _decorator_name(change, text) in _CACHES
    return any(isinstance(one, ast.Call) and _name_of(one.func) in _CACHES for one in site.above)


def _no_cover(change: Change, site: Site, text: SourceText) -> bool:
    """On a line, or in a block, that is marked as not to be covered."""
    marked = (site.head, *(one for one in site.above if isinstance(one, ast.stmt | ast.ExceptHandler)))
    return any("pragma: no cover" in text.line(one.lineno) for one in marked if isinstance(one, _PLACED))


def _abstract_body(change: Change, site: Site, text: SourceText) -> bool:
    """In the body of an abstract method that only raises NotImplementedError."""
    holder = next(
        (one for one in reversed(site.above) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)), None
    )
    if holder is None or site.head not in holder.body:
        return False
    abstract = any(_name_of(one) in ("abstractmethod", "abstractproperty") for one in holder.decorator_list)
    body = [one for one in holder.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
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
        and _name_of(test.left) == "__name__"
        and any(isinstance(one, ast.Constant) and one.value == "__main__" for one in test.comparators)
    )


def _decorator_name(change: Change, text: SourceText) -> str:
    name = text.part(change.start, change.end).lstrip("@ ").partition("(")[0].strip()
    return name.rpartition(".")[2]


def _name_of(node: ast.AST) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
