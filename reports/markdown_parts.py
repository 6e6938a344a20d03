"""The pieces Markdown reports are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

SHOWN_ROWS = 200


def section(
    title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]], most: int = SHOWN_ROWS
) -> Iterator[str]:
    """A table below a heading, of at most so many rows; nothing at all without rows."""
    if not rows:
        return
    yield f"## {title}"
    yield ""
    yield from table(head, rows[:most])
    if most < SHOWN_ROWS and len(rows) > most:
        yield from ("", f"… and {len(rows) - most} more, below.")
        return
    yield from more(len(rows))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table without the columns that are empty in every row."""
    rows = list(rows)
    shown = [number for number in range(len(head)) if any(row[number] for row in rows)]
    yield f"| {' | '.join(head[number] for number in shown)} |"
    yield f"|{'|'.join(' --- ' for _ in shown)}|"
    for row in rows:
        yield f"| {' | '.join(cell(row[number]) for number in shown)} |"


def more(total: int) -> Iterator[str]:
    """How many rows are not shown, if any."""
    if total > SHOWN_ROWS:
        yield ""
        yield f"… and {total - SHOWN_ROWS} more, in report.json."


def line(text: str) -> str:
    """Text on one line, in which nothing is taken for HTML or emphasis; code in backticks stays as it is."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("__", "\\_\\_") for part in parts[::2]]
    return "`".join(parts)


def cell(text: str) -> str:
    """Text for a cell of a table, cut to 400 characters."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 400 else text[:399] + "…"


def code(text: str) -> str:
    """Text as code on one line; empty for an empty text.

    The fence is longer than any run of backticks in the text: otherwise the text could end it, and go on as Markdown.
    """
    text = " ".join(text.split())
    if not text:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def block(text: str, language: str) -> Iterator[str]:
    """Text as a fenced block."""
    fence = "```"
    while fence in text:
        fence += "`"
    yield f"{fence}{language}"
    yield from text.rstrip("\n").split("\n")
    yield fence
