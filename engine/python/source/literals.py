"""Finds the literals in a trial's statements and replaces them in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ....utils.python_source import literal_or, parse_or_none
from ..model.model import Trial

_NO_LITERAL = object()
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_OF_ATTRIBUTES = frozenset({"setattr", "getattr", "delattr"})
_MAXIMUM_PLACES = 30
ACT = -1
_DATABASES = (".db", ".sqlite", ".sqlite3")
_KEPT = ("monkeypatch.setattr(", "answer = ", "output = ", "connection", "request.")


@dataclass(frozen=True, slots=True)
class LiteralSpan:
    """The place of one literal in a trial.

    Attributes:
        statement: index into `arrange`, or `ACT`.
        start: byte offset of the literal in its statement.
        end: byte offset after it.
        value: what the literal means.
        source: its text.
    """

    statement: int
    start: int
    end: int
    value: Any
    source: str


def literal_places(trial: Trial) -> list[LiteralSpan]:
    """The literals of a trial, those of the act first, outer before inner; only from statements of one line."""
    found: list[LiteralSpan] = []
    for index in (ACT, *range(len(trial.arrange))):
        text = trial.act if index == ACT else trial.arrange[index]
        found += [LiteralSpan(index, *one) for one in _in_line(text)]
    return found[:_MAXIMUM_PLACES]


@lru_cache(maxsize=2048)
def _in_line(text: str) -> tuple[tuple[int, int, Any, str], ...]:
    """Start, end, value and source of each literal in a line; cached, because many trials share statements."""
    # What replaces a part of the world outside stays as it is, and so does what it answers.
    tree = parse_or_none(text) if "\n" not in text and not text.startswith(_KEPT) else None
    if tree is None:
        return ()
    encoded = text.encode()
    found: list[tuple[int, int, Any, str]] = []
    for node in _literals(tree):
        end = node.end_col_offset or 0
        value = literal_or(node, _NO_LITERAL)
        if value is _NO_LITERAL:
            continue
        found.append((node.col_offset, end, value, encoded[node.col_offset : end].decode()))
    return tuple(found)


def _literals(tree: ast.AST) -> Iterator[ast.expr]:
    """Literal nodes outside f-strings, in order of appearance."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Set | ast.Dict):
            if not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                yield node
            if isinstance(node, _CONTAINERS):
                yield from _literals(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            yield node
        elif _is_database_file(node):
            continue
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OF_ATTRIBUTES:
            # The attribute's name is no value: another one is another attribute.
            yield from (one for part in (*node.args[:1], *node.args[2:]) for one in _literals(ast.Expr(part)))
        else:
            yield from _literals(node)


def _is_database_file(node: ast.AST) -> bool:
    """Whether this names a database's file in the test's folder; no code behaves differently for another name."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.right, ast.Constant):
        return False
    return ast.unparse(node.left) == "tmp_path" and str(node.right.value).endswith(_DATABASES)


def is_in_runners_folder(trial: Trial, place: LiteralSpan) -> bool:
    """Whether a literal names a file in the runner's folder: `tmp_path / 'notes.txt'`."""
    line = (*trial.arrange, trial.act)[place.statement]
    return line.encode()[: place.start].endswith(b"tmp_path / ")


def with_source(trial: Trial, place: LiteralSpan, source: str, origin: str = "mutation") -> Trial:
    """Replaces a literal of a trial; the documented result is dropped, because it was for the old value."""
    lines = [*trial.arrange, trial.act]  # ACT is -1, the last one
    encoded = lines[place.statement].encode()  # offsets count bytes
    lines[place.statement] = (encoded[: place.start] + source.encode() + encoded[place.end :]).decode()
    return replace(trial, arrange=tuple(lines[:-1]), act=lines[-1], source=origin, wanted=None, wanted_line=0)


def with_sources(trial: Trial, sources: Mapping[LiteralSpan, str], origin: str = "mutation") -> Trial:
    """Replaces several literals of a trial, none of which lies in another one."""
    # From the last literal of a line to the first, so that the places of the others stay true.
    for place in sorted(sources, key=lambda one: (one.statement, -one.start)):
        trial = with_source(trial, place, sources[place], origin)
    return trial


def plain(value: object, longest: int = 160) -> str | None:
    """The literal's source, or None when it is longer than `longest` or too large a number for a test."""
    source = repr(value)
    if len(source) > longest or (isinstance(value, int) and abs(value) > 10**19):
        return None
    return "float('inf')" if source == "inf" else "float('nan')" if source == "nan" else source
