"""Reads the Python literals that stand in the words of a documentation."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ....utils.python_source import expression_or_none, literal_or

_LONGEST_LITERAL = 600
_OPENING = {"[": "]", "(": ")", "{": "}"}
_NUMBER = re.compile(r"-?\d++(?:\.\d++)?+(?:e-?\d++)?+(?![\w.]*\w)")
_WORD = re.compile(r"(?:True|False|None|true|false|null|nil)\b")
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
# Words of other languages, but not those in quotes.
_IN_LITERAL = re.compile(rf"{_QUOTED.pattern}|\b(?:true|false|null|nil)\b")
_TICKS = re.compile("`{1,2}")
_WORDS = {"true": "True", "false": "False", "null": "None", "nil": "None"}
_ENDS = re.compile(r"[ \t]*(?:$|[\n.,;)#\]]|\b(?:because|since|as|for|if|where|when)\b)", re.IGNORECASE)
_GOES_ON = re.compile(r"[ \t]*,[ \t]*[\d'\"\[({]")


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal in a text.

    Attributes:
        source: the literal in Python's own form.
        end: the place after it.
    """

    source: str
    end: int


def literal_at(text: str, at: int) -> Literal | None:
    """Reads the Python literal that begins at a place, between backticks or not; None where there is none."""
    ticks = _TICKS.match(text, at)
    if ticks is not None:
        inner = literal_at(text, ticks.end()) if text[ticks.end() : ticks.end() + 1] != "`" else None
        if inner is None or not text.startswith(ticks[0], inner.end):
            return None
        return Literal(inner.source, inner.end + len(ticks[0]))
    first = text[at : at + 1]
    if first in _OPENING:
        end = closing(text, at)
    elif first in ("'", '"'):
        end = _quoted(text, at)
    else:
        match = _NUMBER.match(text, at) or _WORD.match(text, at)
        end = match.end() if match else 0
    if not end or end - at > _LONGEST_LITERAL:
        return None
    written = _IN_LITERAL.sub(lambda one: _WORDS.get(one[0], one[0]), text[at:end])
    node = expression_or_none(" ".join(written.splitlines()))
    return Literal(ast.unparse(node), end) if node is not None and is_literal(node) else None


def is_result_end(text: str, at: int) -> bool:
    """Whether a result ends at a place: `1,000` and "2, 3" go on."""
    return _ENDS.match(text, at) is not None and _GOES_ON.match(text, at) is None


def closing(text: str, at: int) -> int:
    """Returns the place after the bracket that closes the one at a place; 0 where none does."""
    waiting: list[str] = []
    place = at
    while place < min(len(text), at + _LONGEST_LITERAL):
        letter = text[place]
        if letter in ("'", '"'):
            place = _quoted(text, place)
            if not place:
                return 0
            continue
        if letter in _OPENING:
            waiting.append(_OPENING[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place + 1
        place += 1
    return 0


def _quoted(text: str, at: int) -> int:
    """Returns the place after a quoted text on one line; 0 where it does not end there."""
    match = _QUOTED.match(text, at)
    return match.end() if match else 0


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal."""
    return literal_or(node, node) is not node
