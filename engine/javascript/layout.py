"""Lays out JavaScript source: expressions that are too long for a line get a line for each of their parts."""

from __future__ import annotations

from collections.abc import Iterator

WIDTH = 100
_OPEN, _CLOSE = "([{", ")]}"


def laid_out(source: str, *, column: int, indent: int, width: int = WIDTH) -> str:
    """A source with line breaks where it is too long.

    Args:
        column: where it begins.
        indent: of the line that it begins in, in spaces.
    """
    if column + len(source) <= width:
        return source
    found = _outer(source)
    if found is None:
        return source
    head, inner, tail = found
    parts = split_parts(inner)
    if not parts:
        return source
    pad = " " * (indent + 2)
    lines = []
    for part in parts:
        name, colon, value = _key(part)
        shown = laid_out(value, column=len(pad) + len(name) + len(colon), indent=indent + 2, width=width)
        lines.append(f"{pad}{name}{colon}{shown},")
    return "\n".join([head, *lines, " " * indent + tail])


def split_parts(inner: str) -> list[str]:
    """The parts of a list, split at commas outside of brackets and texts."""
    parts, depth, start = [], 0, 0
    for at, sign in _outside_texts(inner):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    last = inner[start:].strip()
    return [*parts, last] if last else parts


def _outside_texts(source: str) -> Iterator[tuple[int, str]]:
    """Each sign that stands in no text, with its place; the quotation marks themselves are left out."""
    quote, at = "", 0
    while at < len(source):
        sign = source[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "'\"`":
            quote = sign
        else:
            yield at, sign
        at += 1


def _outer(source: str) -> tuple[str, str, str] | None:
    """Head, inside and tail of the last bracket that a source ends with: `new Map([`, …, `])`."""
    if not source or source[-1] not in _CLOSE:
        return None
    depth, start = 0, -1
    for at, sign in _outside_texts(source):
        if sign in _OPEN:
            start = at if depth == 0 else start
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
            if depth == 0 and at < len(source) - 1:
                start = -1
    if start < 0:
        return None
    head, inner, tail = source[: start + 1], source[start + 1 : -1].strip(), source[-1]
    if inner[:1] in _OPEN and head.endswith("(") and _outer(inner) is not None and len(split_parts(inner)) == 1:
        # The only argument is a list itself: its brackets stay with the call's.
        nested = _outer(inner)
        if nested is not None and nested[0] == inner[:1]:
            return head + nested[0], nested[1], nested[2] + tail
    return head, inner, tail


def _key(part: str) -> tuple[str, str, str]:
    """A property's name, colon and value; a part of a list is a value alone."""
    name, colon, value = part.partition(": ")
    plain = name.strip("'")
    if colon and plain.replace("_", "a").replace("$", "a").isalnum() and " " not in plain:
        return name, colon, value
    return "", "", part
