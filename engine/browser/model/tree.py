"""Reads an accessibility tree as Playwright writes it down: roles, names and texts, in the order of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_HEAD = re.compile(r'^(?P<role>[a-z]+)(?: (?P<name>"(?:[^"\\]|\\.)*"|/.*/))?(?P<rest>(?: \[[^\]]*\])*)$', re.DOTALL)
_ATTRIBUTE = re.compile(r"\[([a-z]+)(?:=([^\]]*))?\]")
_TEXTS = ("text", "paragraph", "listitem", "definition", "term", "emphasis", "strong", "code", "blockquote", "time")


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing in an accessibility tree.

    Attributes:
        role: of ARIA, such as heading or row; `text` for text without an element of its own.
        name: its accessible name.
        text: what it holds itself, without what elements in it hold.
        within: roles around it, the outermost first.
        attributes: such as `level` or `disabled`; without a value "".
    """

    role: str
    name: str = ""
    text: str = ""
    within: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> str:
        """What a person reads: its name, else its text."""
        return self.name or self.text


def read_tree(text: str) -> tuple[Seen, ...]:
    """Read a tree; one that cannot be read is empty."""
    try:
        # All scalars are texts: a page that says 12:30 or 0000-00-00 means no number and no day.
        return tuple(_things(yaml.load(text, Loader=yaml.BaseLoader) if text.strip() else [], ()))
    except (yaml.YAMLError, ValueError, RecursionError):
        return ()


def _things(found: Any, within: tuple[str, ...]) -> Iterator[Seen]:
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            for key, value in item.items():
                if not str(key).startswith("/"):
                    yield from _thing(str(key), value, within)
        elif item is not None:
            yield from _thing(str(item), None, within)


def _thing(head: str, value: Any, within: tuple[str, ...]) -> Iterator[Seen]:
    match = _HEAD.match(head)
    if match is None:
        return
    name, role = match["name"] or "", match["role"]
    if name.startswith('"'):
        try:
            name = json.loads(name)
        except ValueError:
            name = name.strip('"')
    attributes = tuple((key, given or "") for key, given in _ATTRIBUTE.findall(match["rest"] or ""))
    text = "" if value is None or isinstance(value, list | dict) else _plain(str(value))
    yield Seen(role, _plain(name), text, within, attributes)
    yield from _things(value, (*within, role))


def _plain(text: str) -> str:
    return " ".join(text.split())


def is_text(seen: Seen) -> bool:
    """Whether a thing is found by its text, having no name of its own."""
    return seen.role in _TEXTS and not seen.name and bool(seen.text)
