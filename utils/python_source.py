"""Parses Python source under one lock.

CPython 3.11 keeps the recursion depth of AST construction in state shared by threads: concurrent parses, or one that a
thread switch interrupts, fail with "AST constructor recursion depth mismatch". One lock around every parse avoids it.
"""

from __future__ import annotations

import ast
import copy
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_PARSING = threading.Lock()
_LONGEST_KEPT = 500
"""Characters of the longest text whose tree is kept."""
_LINE_END = re.compile(r"\r\n|\r|\n")


@contextmanager
def exclusive_parsing() -> Iterator[None]:
    """For libraries that parse Python themselves: nothing else parses while the block runs."""
    with _PARSING:
        yield


def source_lines(source: str) -> list[str]:
    """The lines of a source as Python counts them: a form feed or U+2028 ends none."""
    lines = _LINE_END.split(source)
    return lines if lines[-1] else lines[:-1]


def parse_python(source: str | bytes, filename: str = "<source>", *, type_comments: bool = False) -> ast.Module:
    """The syntax tree of a module; `shared_module` gives one that is only read.

    Args:
        type_comments: read them, too; one where none may stand is then a syntax error.

    Raises:
        SyntaxError: the source is not Python that this interpreter reads; null bytes included.
    """
    with _PARSING:
        try:
            return ast.parse(source, filename=filename, type_comments=type_comments)
        except ValueError as error:
            raise SyntaxError(str(error)) from error
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("the source is nested too deeply to parse") from error


def parse_or_none(source: str | bytes, filename: str = "<source>") -> ast.Module | None:
    """The syntax tree of a module; None where the source is not Python."""
    try:
        return parse_python(source, filename)
    except SyntaxError:
        return None


def expression_or_none(source: str) -> ast.expr | None:
    """The syntax tree of one expression; None where the source is none."""
    try:
        return parse_expression(source)
    except SyntaxError:
        return None


def parse_expression(source: str) -> ast.expr:
    """The syntax tree of one expression; `shared_expression` gives one that is only read. Raises SyntaxError."""
    with _PARSING:
        try:
            return ast.parse(source, mode="eval").body
        except ValueError as error:
            raise SyntaxError(str(error)) from error
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("the expression is nested too deeply to parse") from error


def shared_module(source: str) -> ast.Module | None:
    """The syntax tree of statements that are asked for again and again; None where they are not Python.

    Whoever asks for the same text gets the same tree: it is for reading only.
    """
    return _kept_module(source) if len(source) <= _LONGEST_KEPT else parse_or_none(source)


def shared_expression(source: str) -> ast.expr | None:
    """The syntax tree of an expression, None where the source is none; for reading only, as `shared_module`."""
    return _kept_expression(source) if len(source) <= _LONGEST_KEPT else expression_or_none(source)


_kept_module = lru_cache(maxsize=4096)(parse_or_none)
_kept_expression = lru_cache(maxsize=4096)(expression_or_none)


@lru_cache(maxsize=16384)
def normalized(source: str) -> str:
    """An expression with the quotes, brackets and spaces that Python writes; any other text as it is."""
    tree = shared_expression(source)
    return ast.unparse(tree) if tree is not None else source


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that `ast.walk` yields, in its order and in half its time, for what reads thousands of trees."""
    waiting = [tree]
    # Grows while it is read.
    for node in waiting:
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                waiting.append(part)
            elif isinstance(part, list):
                waiting += [item for item in part if isinstance(item, ast.AST)]
        yield node


def unparsed_with(tree: ast.expr, node: ast.expr, other: ast.expr) -> str:
    """The source of a tree with another node in the place of one of its nodes; the tree stays as it is."""
    return ast.unparse(copy.deepcopy(tree, {id(node): other}))


def literal_or(source: str | ast.expr, default: Any) -> Any:
    """The value of a literal expression; the default for any other."""
    try:
        return literal_value(source)
    except ValueError:
        return default


def literal_value(source: str | ast.expr) -> Any:
    """The value of a literal expression. Raises ValueError when it is none."""
    tree = shared_expression(source) if isinstance(source, str) else source
    try:
        if tree is not None:
            return ast.literal_eval(tree)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a literal: {str(source)[:80]!r}") from error
    raise ValueError(f"not a literal: {str(source)[:80]!r}")
