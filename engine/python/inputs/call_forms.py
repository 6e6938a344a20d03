"""Writes calls as readable expressions: operators for dunder methods, attributes for properties."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.candidates import Candidate
from ..model.model import CallableFacts, Mode
from .arguments import Row, rendered_arguments

_ARITHMETIC = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"},
    **{"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BINARY = {f"__{name}__": sign for name, sign in (_ARITHMETIC | _COMPARISONS).items()}
_REFLECTED = {f"__r{name}__": sign for name, sign in _ARITHMETIC.items()}
_UNARY = {
    "__len__": "len({})",
    "__str__": "str({})",
    "__repr__": "repr({})",
    "__bool__": "bool({})",
    "__int__": "int({})",
    "__float__": "float({})",
    "__index__": "range(9)[{}]",
    "__abs__": "abs({})",
    "__neg__": "-{}",
    "__pos__": "+{}",
    "__invert__": "~{}",
    "__reversed__": "list(reversed({}))",
    "__next__": "next({})",
    "__bytes__": "bytes({})",
    "__fspath__": "{}.__fspath__()",
    "__hash__": "hash({}) == hash({})",
    "__round__": "round({})",
    "__complex__": "complex({})",
    "__aiter__": "{}",
    "__sizeof__": "{}.__sizeof__()",
}
NOT_CALLED = frozenset(
    "__init__ __new__ __getattr__ __setattr__ __delattr__ __getattribute__ __sizeof__ __del__ __reduce__ __reduce_ex__ "
    "__getstate__ __setstate__ __set_name__ __init_subclass__ __class_getitem__ __subclasshook__ __dir__ __post_init__ "
    "__attrs_post_init__ __getnewargs__ __await__ __exit__ __aexit__ __weakref__ __prepare__ __instancecheck__ "
    "__subclasscheck__".split()
)


@dataclass(frozen=True, slots=True)
class CallForm:
    """An expression and the mode in which its result is used."""

    act: str
    mode: Mode = "call"


def function_form(one: CallableFacts, row: Row, prefix: str = "") -> CallForm:
    """A call of a function, class method, static method or constructor; `prefix` is `Class.` for members."""
    return CallForm(f"{prefix}{one.name}({rendered_arguments(row).source})", mode_of(one))


def mode_of(one: CallableFacts) -> Mode:
    """What is done with the result of a call."""
    if one.is_async:
        return "aiterate" if one.is_generator else "aenter" if one.is_context_manager else "await"
    return "iterate" if one.is_generator else "enter" if one.is_context_manager else "call"


def member_form(one: CallableFacts, receiver: str, row: Row) -> CallForm | None:
    """Writes a use of a method or property of a variable; None for methods that only the interpreter calls."""
    name = one.name
    if one.kind == "property":
        if row:
            return CallForm(f"setattr({receiver}, {name!r}, {row[0][1].source})")
        return CallForm(f"{receiver}.{name}")
    if name in NOT_CALLED:
        return None
    values = [value for _, value in row]
    if name in _UNARY and not row:
        return CallForm(_UNARY[name].format(receiver, receiver), "aiterate" if name == "__aiter__" else "call")
    if name == "__iter__":
        return CallForm(f"list({receiver})") if not one.is_async else CallForm(receiver, "aiterate")
    if name in ("__enter__", "__aenter__"):
        return CallForm(receiver, "aenter" if name == "__aenter__" else "enter")
    if name == "__call__":
        return CallForm(f"{receiver}({rendered_arguments(row).source})", mode_of(one))
    operator = _operator(name, receiver, values)
    if operator is not None:
        return CallForm(operator)
    return CallForm(f"{receiver}.{name}({rendered_arguments(row).source})", mode_of(one))


def _operator(name: str, receiver: str, values: list[Candidate]) -> str | None:
    if len(values) != 1:
        return None
    other = values[0].source
    operand = f"({other})" if other.startswith(("lambda", "not ")) or " for " in other else other
    if name in _BINARY:
        return f"{receiver} {_BINARY[name]} {operand}"
    if name in _REFLECTED:
        return f"{operand} {_REFLECTED[name]} {receiver}"
    if name == "__getitem__":
        return f"{receiver}[{other}]"
    if name == "__contains__":
        return f"{operand} in {receiver}"
    return None
