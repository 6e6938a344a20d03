"""Lists trivial implementations of a function: what no test of it should pass.

Plain data, for the engine, which chooses examples that tell them apart, and for the gate, which runs tests on them:
`functions_of` reads the functions of a file, `implementations_of` lists what stands in for one.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..utils.python_names import callee, last_name
from ..utils.python_source import parse_python

Kind = Literal["constant", "empty", "argument", "measure", "swapped", "ignored", "no_effect"]
Flavor = Literal["function", "method", "class method", "static method", "property", "constructor"]
EMPTY = ("None", "0", "''", "[]", "{}")
"""The source of values that an empty implementation returns, besides the empty one of the result's type."""
MEASURES = ("len", "min", "max")

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NAMES_APART = frozenset({"__new__", "__del__", "__hash__", "__init_subclass__", "__class_getitem__", "__set_name__"})
_ATTRIBUTES = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter without the receiver.

    Attributes:
        default: its source; None where the parameter is required.
        variadic: `*args`, whose value is a tuple; `**kwargs` is no parameter here.
        used: whether the body reads it.
    """

    name: str
    default: str | None = None
    keyword_only: bool = False
    variadic: bool = False
    used: bool = True


@dataclass(frozen=True, slots=True)
class TestedFunction:
    """A public function or method of a file, as far as trivial implementations depend on it.

    Attributes:
        name: qualified within its module.
        line: its first line, of its first decorator if it has one; lines: first and last line of its body.
        left_out: why no trivial implementation is tried; empty where they are.
    """

    __test__ = False

    path: str
    name: str
    line: int
    lines: tuple[int, int]
    flavor: Flavor
    parameters: tuple[Parameter, ...] = ()
    generator: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class TrivialImplementation:
    """Something that could stand in the place of a function.

    Attributes:
        parameters: the names it is about: one of `argument`, `measure` and `ignored`, two of `swapped`.
        value: source of the answer of `constant` and `empty`; the name of the built-in function of `measure`.
    """

    kind: Kind
    parameters: tuple[str, ...] = ()
    value: str = ""

    @property
    def title(self) -> str:
        """What it does; follows "an implementation that"."""
        names = " and ".join(f"`{name}`" for name in self.parameters)
        match self.kind:
            case "constant" | "empty":
                return f"always returns {self.value}"
            case "argument":
                return f"returns {names} as it is"
            case "measure":
                return f"returns {self.value}({self.parameters[0]})"
            case "swapped":
                return f"takes {names} for each other"
            case "ignored":
                return f"ignores {names}"
            case "no_effect":
                return "changes nothing"

    def to_dict(self) -> dict[str, Any]:
        """JSON form, as the worker reads it."""
        return {"kind": self.kind, "parameters": list(self.parameters), "value": self.value, "title": self.title}


def functions_of(source: bytes | str, path: str) -> tuple[TestedFunction, ...]:
    """Read the public functions and methods of a file, in its order; those below functions are not public.

    Raises:
        SyntaxError: it is not Python that this interpreter reads.
    """
    return tuple(_functions(parse_python(source, path).body, path, "", in_class=False))


def implementations_of(function: TestedFunction, answers: Iterable[str] = ()) -> tuple[TrivialImplementation, ...]:
    """List what stands in for a function, the most telling first; none for one that is left out.

    Args:
        answers: sources of the answers that its tests expect, for the constants.
    """
    return () if function.left_out else tuple(dict.fromkeys(_implementations(function, answers)))


def _implementations(function: TestedFunction, answers: Iterable[str]) -> Iterator[TrivialImplementation]:
    given = [one for one in function.parameters if not one.name.startswith("_")]
    if function.flavor != "constructor":
        for answer in dict.fromkeys(answers):
            yield TrivialImplementation("constant", value=answer)
        for value in EMPTY:
            yield TrivialImplementation("empty", value=value)
        for parameter in given:
            yield TrivialImplementation("argument", (parameter.name,))
    if not function.generator and function.flavor != "property":
        yield TrivialImplementation("no_effect")
    positional = [one.name for one in given if not one.keyword_only and not one.variadic]
    for pair in itertools.pairwise(positional):
        yield TrivialImplementation("swapped", pair)
    for parameter in given:
        if parameter.default is not None and parameter.used:
            yield TrivialImplementation("ignored", (parameter.name,))
    if function.flavor != "constructor":
        for parameter in given:
            for measure in MEASURES:
                yield TrivialImplementation("measure", (parameter.name,), measure)


def _functions(body: Sequence[ast.stmt], path: str, prefix: str, *, in_class: bool) -> Iterator[TestedFunction]:
    for node in body:
        if isinstance(node, _Function):
            if _is_public(node.name) and "overload" not in _decorators(node):
                yield _function(node, path, prefix, in_class=in_class)
        elif isinstance(node, ast.ClassDef):
            if _is_public(node.name):
                yield from _functions(node.body, path, f"{prefix}{node.name}.", in_class=True)
        else:
            for part in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(node, part, ())
                statements = [
                    one for held in inner for one in (held.body if isinstance(held, ast.ExceptHandler) else [held])
                ]
                yield from _functions(statements, path, prefix, in_class=in_class)


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _decorators(node: _Function) -> list[str]:
    return [last_name(callee(decorator)) for decorator in node.decorator_list]


def _function(node: _Function, path: str, prefix: str, *, in_class: bool) -> TestedFunction:
    flavor = _flavor(node, in_class=in_class)
    parameters = _parameters(node, receiver=in_class and flavor != "static method")
    body = _without_docstring(node.body)
    inner = list(_own_nodes(node.body))
    generator = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in inner)
    return TestedFunction(
        path=path,
        name=f"{prefix}{node.name}",
        line=min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]),
        lines=(node.body[0].lineno, node.end_lineno or node.lineno),
        flavor=flavor,
        parameters=parameters,
        generator=generator,
        left_out=_reason(node, body, generator=generator),
    )


def _flavor(node: _Function, *, in_class: bool) -> Flavor:
    decorators = _decorators(node)
    if not in_class:
        return "function"
    if "staticmethod" in decorators:
        return "static method"
    if "classmethod" in decorators:
        return "class method"
    if node.name in ("__init__", "__post_init__"):
        return "constructor"
    return "property" if {"property", "cached_property"} & set(decorators) else "method"


def _parameters(node: _Function, *, receiver: bool) -> tuple[Parameter, ...]:
    read = {part.id for part in _all_nodes(node.body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    everything = "locals" in read
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = [
        Parameter(one.arg, None if default is None else ast.unparse(default), used=everything or one.arg in read)
        for one, default in zip(positional, defaults, strict=True)
    ][1 if receiver and positional else 0 :]
    if arguments.vararg is not None:
        name = arguments.vararg.arg
        found.append(Parameter(name, variadic=True, used=everything or name in read))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        source = None if default is None else ast.unparse(default)
        found.append(Parameter(one.arg, source, keyword_only=True, used=everything or one.arg in read))
    return tuple(found)


def _reason(node: _Function, body: Sequence[ast.stmt], *, generator: bool) -> str:
    """Why nothing stands in for a function."""
    if node.name in _NAMES_APART or node.name in _ATTRIBUTES:
        return f"{node.name} is called by the interpreter in places that no test chooses"
    if isinstance(node, ast.AsyncFunctionDef) and generator:
        return "it is an asynchronous generator"
    if "abstractmethod" in _decorators(node):
        return "it is abstract"
    if not body or all(_does_nothing(statement) for statement in body):
        return "it is trivial itself: it does nothing"
    if len(body) == 1 and isinstance(body[0], ast.Raise):
        return "it only raises"
    if len(body) == 1 and isinstance(body[0], ast.Return):
        value = body[0].value
        names = {one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
        if value is None or isinstance(value, ast.Constant):
            return f"it is trivial itself: it always returns {ast.unparse(value) if value else None}"
        if isinstance(value, ast.Name) and value.id in names:
            return f"it is trivial itself: it returns {value.id} as it is"
    return ""


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    first = body[0]
    holds = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if holds else body


def _own_nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body without those of functions in it."""
    for node in body:
        yield node
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            yield from _own_nodes(list(ast.iter_child_nodes(node)))


def _all_nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)
