"""Encodes text of a project, its tests or a peer before it leaves: every reader gets valid, harmless text.

A file name that is not UTF-8, or a failing test's message, can hold a lone surrogate, which no UTF-8 can carry. Text
can also hold terminal escapes, and marks that reverse or hide what is read. Both become visible escapes (`\\udcff`,
`\\x1b`). Use `valid_text` and `valid_json` for programs, `json_text` for JSON documents, and `visible_text` for what a
person reads: terminal, Markdown, logs; `cut_markdown` where a reader takes only so much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Controls but tabs and line ends; marks of direction; line and paragraph separators; what is invisible or no character.
_CONTROL = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
_NOT_VISIBLE = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_CONTROL}\ud800-\udfff]|\r(?!\n)")
# JSON escapes the controls below U+0020 itself.
_NOT_VISIBLE_IN_JSON = re.compile(f"[{_CONTROL}\ud800-\udfff]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def valid_text(text: str) -> str:
    """Returns the text with lone surrogates as visible escapes, and everything else unchanged."""
    return _LONE_SURROGATE.sub(_escape, text) if _LONE_SURROGATE.search(text) else text


def valid_json(value: Any) -> Any:
    """Returns a JSON value whose texts and keys are valid; tuples become lists, other types pass unchanged."""
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, Mapping):
        return {valid_text(key) if isinstance(key, str) else key: valid_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [valid_json(part) for part in value]
    return value


def json_text(value: Any, **options: Any) -> str:
    """Renders a JSON document that is valid UTF-8 and shows no control characters; `options` are those of json.dumps.

    Raises:
        TypeError, ValueError: as json.dumps does.
    """
    return _NOT_VISIBLE_IN_JSON.sub(_json_escape, json.dumps(value, ensure_ascii=False, **options))


def visible_text(text: str) -> str:
    """Returns the text with controls, marks of direction and lone surrogates as visible escapes; lines, tabs stay."""
    return _NOT_VISIBLE.sub(_escape, text) if _NOT_VISIBLE.search(text) else text


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    """Escapes a character of a JSON text: a control means the same, of a surrogate the visible escape is the text."""
    escaped = json.dumps(found.group())[1:-1]
    return f"\\{escaped}" if _LONE_SURROGATE.match(found.group()) else escaped


def cut_markdown(text: str, most: int, note: str) -> str:
    """The text where it is short enough; else as many of its first lines as fit, whole blocks, and a note.

    A cut inside of a fenced block would make code of what follows.

    Args:
        most: characters, those of the note included.
        note: a paragraph that says what is missing.
    """
    if len(text) <= most:
        return text
    kept: list[str] = []
    room, length, whole, fence = most - len(note) - 2, -1, 0, ""
    for line in text.split("\n"):
        length += len(line) + 1
        if length > room:
            break
        kept.append(line)
        found = _FENCE.fullmatch(line)
        if found is not None and not fence:
            fence = found[1]
        elif found is not None and found[1].startswith(fence) and not found[2].strip():
            fence = ""
        whole = whole if fence else len(kept)
    shown = "\n".join(kept[:whole]).rstrip()
    return f"{shown}\n\n{note}" if shown else note
