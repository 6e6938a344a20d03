"""Makes plain texts for a regular expression literal, of the kind that validators are made of: one that it matches, and
those at its bounds, which tell one that counts from one, or to one, differently.
"""

from __future__ import annotations

import re

_CLASSES = {"d": "2", "w": "a", "s": " ", "S": "a", "D": "a", "W": "-", "b": "", "B": ""}
_QUANTIFIER = re.compile(r"([*+?])\??|\{(\d+)(?:,\d*)?\}\??")

_COUNTED = re.compile(r"(?<!\\)(?:\{(\d+)(,(\d*))?\}|\+)")
_MOST_COUNTED = 64
_MOST_BOUNDS = 12
# Validators are short; what is longer, or has more open ends, could keep `re` busy for ever.
_LONGEST = 300
_OPEN_END = re.compile(r"(?<!\\)(?:[*+]|\{\d+,\})")
_MOST_OPEN_ENDS = 6
_MOST_REPEATS = 200


def text_for_pattern(literal: str) -> str:
    """A text that matches, or an empty one where none is found.

    Args:
        literal: of JavaScript, with its slashes and flags.
    """
    body = literal[1:].rpartition("/")[0]
    expression = _expression(literal)
    if expression is None:
        return ""
    try:
        text, rest = _alternatives(body)
    except (IndexError, ValueError):
        return ""
    return text if not rest and text and expression.search(text) else ""


def is_match(literal: str, text: str) -> bool:
    """Whether a pattern takes the whole of a text; no where the pattern is one that cannot be read here."""
    expression = _expression(literal)
    body = literal[1:].rpartition("/")[0]
    whole = body.startswith("^") and body.endswith("$")
    return whole and expression is not None and expression.search(text) is not None


def _expression(literal: str) -> re.Pattern[str] | None:
    """A literal of JavaScript as an expression of Python; None where it is long, has many open ends or other forms."""
    body, _, flags = literal[1:].rpartition("/")
    if len(body) > _LONGEST or len(_OPEN_END.findall(body)) > _MOST_OPEN_ENDS:
        return None
    try:
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", body), re.IGNORECASE if "i" in flags else 0)
    except (re.error, OverflowError, RecursionError):
        return None


def texts_at_bounds(literal: str) -> list[str]:
    """Texts at the bounds of a pattern and just outside: one more or less of what it counts, more before and after.

    Args:
        literal: of JavaScript, with its slashes and flags.
    """
    body = literal[1:].rpartition("/")[0]
    whole = text_for_pattern(literal)
    if not whole:
        return []
    found = []
    for counted in _COUNTED.finditer(body):
        least = int(counted[1] or 1)
        most = int(counted[3]) if counted[3] else None if counted[2] or not counted[1] else least
        for count in (most, least - 1, most + 1 if most is not None else None):
            if count is not None and 0 <= count <= _MOST_COUNTED:
                written = f"{body[: counted.start()]}{{{count}}}{body[counted.end() :]}"
                found.append(_text_of(written))
    found += [f"-{whole}"] * body.startswith("^") + [f"{whole}-"] * body.endswith("$")
    return [one for one in dict.fromkeys(found) if one and one != whole][:_MOST_BOUNDS]


def _text_of(body: str) -> str:
    try:
        text, rest = _alternatives(body)
    except (IndexError, ValueError):
        return ""
    return "" if rest else text


def _alternatives(body: str) -> tuple[str, str]:
    """The text of the first alternative, and what follows the group."""
    parts: list[str] = []
    while body and body[0] not in "|)":
        part, body = _atom(body)
        found = _QUANTIFIER.match(body)
        if found:
            body = body[found.end() :]
            count = {"*": 1, "+": 3, "?": 1}.get(found[1] or "", int(found[2] or 1))
            if count > _MOST_REPEATS:
                raise ValueError("too long a text")
            part *= count
        parts.append(part)
    depth = 0
    while body and not (depth == 0 and body[0] == ")"):
        # The other alternatives are skipped.
        skipped = 2 if body[0] == "\\" else 1
        depth += (body[0] == "(") - (body[0] == ")")
        body = body[skipped:]
    return "".join(parts), body


def _atom(body: str) -> tuple[str, str]:
    sign = body[0]
    if sign in "^$":
        return "", body[1:]
    if sign == ".":
        return "a", body[1:]
    if sign == "\\":
        return _CLASSES.get(body[1], body[1]), body[2:]
    if sign == "[":
        end = body.index("]", 2)
        return _of_class(body[1:end]), body[end + 1 :]
    if sign == "(":
        inner = body[1:]
        if inner.startswith(("?=", "?!", "?<=", "?<!")):
            raise ValueError("lookaround")
        if inner.startswith("?:"):
            inner = inner[2:]
        elif inner.startswith("?<"):
            inner = inner[inner.index(">") + 1 :]
        text, rest = _alternatives(inner)
        return text, rest[1:]
    return sign, body[1:]


def _of_class(inner: str) -> str:
    if inner.startswith("^"):
        return next(sign for sign in "ab2-_ " if sign not in inner)
    if inner.startswith("\\"):
        return _CLASSES.get(inner[1], inner[1])
    if len(inner) > 2 and inner[1] == "-":
        # A letter from within the range reads better than its first.
        return chr(ord(inner[0]) + 1)
    return inner[0]
