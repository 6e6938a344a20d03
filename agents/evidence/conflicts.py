"""Finds where two sources expect different things of the same call or request."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from ...utils.python_source import expression_or_none, literal_or, parse_or_none
from .model import Conflict, Evidence, ValueExample

_OPERATION = re.compile(r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /\S*")


def is_operation(act: str) -> bool:
    """Whether an example is a request to an API rather than a call."""
    return _OPERATION.fullmatch(act) is not None


def conflicts_between(one: Evidence, other: Evidence) -> Iterator[Conflict]:
    """Yield the conflicts between the examples of two pieces; of one piece with itself each once.

    Examples that need statements before them are compared only where those are the same. Of a request to an API, a
    status that a test expects conflicts with a document that has others of its hundred only.
    """
    if one.kind == "test" and other.kind in ("api", "document"):
        yield from _status_conflicts(other, one)
    elif other.kind == "test" and one.kind in ("api", "document"):
        yield from _status_conflicts(one, other)
    for at, left in enumerate(one.examples):
        for right in other.examples[at + 1 :] if one is other else other.examples:
            if not is_operation(left.act) and _same_act(left, right) and _differ(left, right):
                yield Conflict(left.about, left.act, _said(left), _said(right))


def _status_conflicts(document: Evidence, test: Evidence) -> Iterator[Conflict]:
    for expected in test.examples:
        if not is_operation(expected.act):
            continue
        listed = [one for one in document.examples if one.act == expected.act and one.want[:1] == expected.want[:1]]
        if listed and all(one.want != expected.want for one in listed):
            said = ", ".join(dict.fromkeys(one.want for one in listed))
            where = f"{listed[0].path}:{listed[0].line}"
            yield Conflict(expected.about, expected.act, f"{said} ({where})", _said(expected))


def _said(example: ValueExample) -> str:
    return f"{example.expected} ({example.path}:{example.line})"


def _same_act(left: ValueExample, right: ValueExample) -> bool:
    if left.about != right.about or act_form(left.act) != act_form(right.act) or _setup(left) != _setup(right):
        return False
    mine, theirs = _imported(left), _imported(right)
    return all(theirs.get(name, source) == source for name, source in mine.items())


def _imported(example: ValueExample) -> dict[str, str]:
    """What the imports of an example bind, each with where it is from."""
    found: dict[str, str] = {}
    for text in example.arrange:
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                found.update((one.asname or one.name, f"{module}{one.name}") for one in node.names)
    return found


def _setup(example: ValueExample) -> tuple[str, ...]:
    """The statements before a call, without imports, which only say where names come from."""
    return tuple(act_form(text) for text in example.arrange if not text.startswith(("import ", "from ")))


@lru_cache(maxsize=4096)  # an example is compared with many others
def act_form(text: str) -> str:
    """A call's source in a form that spacing and quotes make no difference in: only examples of one form conflict."""
    node = expression_or_none(text)
    return ast.dump(node) if node is not None else " ".join(text.split())


def _differ(left: ValueExample, right: ValueExample) -> bool:
    """Whether two expectations cannot both hold; `...` and results that are no literals leave it open."""
    if left.raises or right.raises:
        return bool(left.expected and right.expected) and left.raises != right.raises
    if "..." in left.want + right.want or not (left.want and right.want):
        return False
    one, other = (_value(text) for text in (left.want, right.want))
    return one is not _UNKNOWN and other is not _UNKNOWN and one != other


_UNKNOWN = object()


def _value(text: str) -> object:
    return literal_or(text.strip(), _UNKNOWN)
