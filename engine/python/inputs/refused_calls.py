"""Reads the examples that show a refusal without a traceback: `with raises(ValueError): f(-1)`, or a `try` that fails
behind the call.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ....utils.python_names import dotted_name, last_name
from ....utils.python_source import literal_or

_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises"})
_TOO_BROAD = frozenset({"Exception", "BaseException"})
_PATTERNS = frozenset({"match", "regex"})
_PLAIN = re.compile(r"(?=.*\w)[^\\^$*+?{}\[\]|()\n]+")
_TOKEN = re.compile(r"(?P<any>\.[*+]?)(?![*+?{])|(?P<text>[^\\.^$*+?{}\[\]|()\n]|\\[^\w\s]|\\ )(?![*+?{])")
"""A step of a pattern that stands for any text, or for one character of its own."""


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that an example shows to raise.

    Attributes:
        body: the statements that prepare it, then the call as a statement.
        want: what doctest would show of it: a traceback with the exception, and of its message what the example tells.
    """

    body: tuple[ast.stmt, ...]
    want: str


def refused_call(node: ast.stmt) -> RefusedCall | None:
    """Reads the call that a `with raises(...)` block, or a `try` that fails behind it, shows to raise.

    None where several exceptions are meant, or where the block does more after the call.
    """
    if isinstance(node, ast.With) and len(node.items) == 1:
        manager = node.items[0].context_expr
        is_raising = isinstance(manager, ast.Call) and last_name(manager.func) in _RAISING and manager.args
        body, expected = (node.body, manager.args[0]) if is_raising and isinstance(manager, ast.Call) else ([], None)
        told = _told(manager) if is_raising and isinstance(manager, ast.Call) else ""
    elif isinstance(node, ast.Try) and len(node.handlers) == 1 and not node.orelse and not node.finalbody:
        # Without a statement that fails behind the call, the block says what is done if it raises, not that it does.
        calls = _without_failure(node.body)
        body, expected, told = (calls if len(calls) < len(node.body) else []), node.handlers[0].type, ""
    else:
        return None
    name = dotted_name(expected) if expected is not None else ""
    if not name or name in _TOO_BROAD or not body:
        return None
    if not isinstance(body[-1], ast.Expr) or not all(isinstance(one, ast.Assign | ast.Expr) for one in body):
        return None
    said = f"{name}: {told}" if told else name
    return RefusedCall(tuple(body), f"Traceback (most recent call last):\n{said}\n")


def _told(manager: ast.Call) -> str:
    """What `raises(Refused, match="^no: ")` tells of the message, as doctest writes it (`no: ...`); "" for nothing.

    A text behind the exception, `raises(Refused, "no")`, is a message or a pattern to helpers of projects (pytest takes
    a function there): it tells what both would find.
    """
    given = next((one.value for one in manager.keywords if one.arg in _PATTERNS), None)
    said = literal_or(manager.args[1], None) if given is None and len(manager.args) == 2 else None
    if isinstance(said, str) and last_name(manager.func) != "assertRaisesRegex":
        return f"...{said}..." if _PLAIN.fullmatch(said) else ""
    if given is None and last_name(manager.func) == "assertRaisesRegex" and len(manager.args) == 2:
        given = manager.args[1]
    if isinstance(given, ast.Call) and dotted_name(given.func) == "re.escape" and len(given.args) == 1:
        text = literal_or(given.args[0], None)
        return f"...{text}..." if isinstance(text, str) and text.isprintable() else ""
    pattern = literal_or(given, None) if given is not None else None
    return _as_doctest(pattern) if isinstance(pattern, str) else ""


def _as_doctest(pattern: str) -> str:
    """A regular expression that searches a text, with `...` for what it leaves open; "" where it is more than that."""
    begins, ends = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    inner = pattern[begins : len(pattern) - ends]
    steps = list(_TOKEN.finditer(inner))
    if sum(len(one.group()) for one in steps) != len(inner) or not any(one["text"] for one in steps):
        return ""
    texts = "".join("..." if one["any"] else one["text"][-1] for one in steps)
    return f"{'' if begins else '...'}{texts}{'' if ends else '...'}"


def _without_failure(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without a last one that fails where nothing was raised: `raise AssertionError`, `assert False`."""
    last = body[-1]
    fails = isinstance(last, ast.Raise) or (isinstance(last, ast.Assert) and isinstance(last.test, ast.Constant))
    return body[:-1] if fails else body
