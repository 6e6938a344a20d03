"""What code looks for in a text: signs that it is cut at, words that it is told apart by, and what no number holds."""

from __future__ import annotations

import re

from ....utils.python_source import literal_or
from .shape import Shape

_ENCLOSED = ("kitten", "one two", "mitten")
IN_PIECES = frozenset({"iterated", "indexed", "sliced", "len", "searched", "assigned", "mutated", "popped", "unpacked"})
"""Traits of values that code goes through, or takes to pieces: texts, lists and others with items."""
# Signs that separate or stand out, an escape of a sign and a letter or digit, an entity.
_SIGN = re.compile(r"[^\w\s]+[A-Za-z\d]?|&\w+;")
_NO_NUMBER = re.compile(r"[^\d.,+\s_-]")


def signs_in(root: Shape) -> tuple[str, ...]:
    """The signs that a text is searched for, split at or freed from, as source; `~1` and `&amp;` stand for signs."""
    return tuple(text for text in root.searched if is_sign(text))


def is_sign(source: str) -> bool:
    """Whether a text is of signs that separate or stand out, not of letters, digits or blanks."""
    text = literal_or(source, "")
    if not isinstance(text, str) or not text.strip():
        return False
    return not any(map(str.isalnum, text)) or _SIGN.fullmatch(text) is not None


def looks_for_other_text(root: Shape) -> bool:
    """Whether code looks in a text for what is in no number: then only some of the texts are numbers."""
    texts = [text for source in (*root.searched, *_equated(root)) if isinstance(text := literal_or(source, None), str)]
    return any(_NO_NUMBER.search(text) for text in texts)


def told_apart(root: Shape) -> tuple[str, ...]:
    """Texts that the code compares a text with, where it tells several apart: one alone may be an exception.

    What is cut into pieces or put together is no word: what such a text is compared with may be one of its pieces.
    """
    if (IN_PIECES | {"added"}) & root.traits.keys():
        return _enclosed_words(root)
    found = [text for text in (*_equated(root), *root.tokens) if literal_or(text, "") and text.startswith(("'", '"'))]
    return tuple(dict.fromkeys(found)) if len(set(found)) > 1 else ()


def _equated(root: Shape) -> list[str]:
    """What code asks whether a value is equal to it."""
    return [text for sign, text in root.compared if sign in ("==", "!=")]


def _enclosed_words(root: Shape) -> tuple[str, ...]:
    """A word between each two signs that the code looks for at both ends of a text, and cuts off."""
    if "sliced" not in root.traits or not {0, -1} <= root.positions.keys():
        return ()
    signs = [str(literal_or(text, "")) for text in root.positions[0].root().tokens if is_sign(text)]
    return tuple(repr(f"{sign}{word}{sign}") for sign, word in zip(signs, _ENCLOSED, strict=False) if len(sign) == 1)
