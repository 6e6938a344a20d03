"""Holds plain values by what the names of parameters suggest, and puts names into words."""

from __future__ import annotations

import re

NUMBERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"price|amount|total|cost|subtotal|balance|salary|budget|fee", ("20", "50", "7.5")),
    (r"percent", ("10", "25", "50")),
    (r"rate|ratio|fraction|probability|discount|factor", ("0.2", "0.5", "0.1")),
    (r"weight|height|width|distance", ("2", "6", "3")),
    (r"year", ("2024", "2021", "2019")),
    (r"month", ("3", "11", "6")),
    (r"^day", ("15", "28", "7")),
    (r"age$", ("30", "41", "25")),
    (r"index|offset|position|start|begin|^from|min|low", ("1", "2", "0")),
    (r"end$|stop|^to$|max|high|limit|size|length", ("4", "5", "6")),
)
PLAIN_NUMBERS = ("3", "5", "2", "7", "4")
TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"e?mail", ("ada@example.org", "alan@example.com")),
    (r"url|link|href|uri", ("https://example.org/books?page=2", "https://example.com/")),
    (r"date|day$|deadline", ("2024-03-15", "2023-12-31")),
    (r"time|duration", ("10:30", "23:59")),
    (r"first_?name|^name$|user|author|person|customer|owner|name$", ("Ada", "Grace", "Alan")),
    (r"title|heading|headline|label", ("Hello World", "Good Morning")),
    (r"sku|code|ref", ("A-100", "B-200", "C-300")),
    (r"^(?:id|key)$|id$|key$", ("apple", "pear", "plum")),
    (r"country", ("DE", "FR")),
    (r"currency", ("EUR", "USD")),
    (r"lang|locale", ("en", "de")),
    (r"path|file", ("docs/guide/intro.md", "src/main.js")),
    (r"sep|delim|glue|joiner|replacement", ("-", "_")),
    (r"prefix", ("pre", "un")),
    (r"suffix|ending|ellipsis|omission", ("...", "!")),
    (r"colou?r", ("#ff8800", "#336699")),
    (r"version", ("1.2.3", "2.0.0")),
    (r"query|search", ("a=1&b=2", "page=3")),
    (r"text|sentence|message|content|body|paragraph|phrase", ("The quick brown fox", "Hello World", "one two")),
    (r"char|letter", ("a", "b")),
)
PLAIN_TEXTS = ("hello world", "apple", "pear", "plum")
WORDS = ("apple", "pear", "plum", "fig")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
LONG = "The quick brown fox jumps over the lazy dog and runs away from the hounds that follow it all day long"
PLURAL = re.compile(r"(?:s|list|array|values|items|data)$", re.IGNORECASE)
SINGULAR = re.compile(r"(?:ss|us|is|options|settings|status|address)$", re.IGNORECASE)


def words(name: str) -> str:
    """A name in words: `unitPrice` → "unit price"."""
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", name).replace("_", " ").strip()
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in spaced.split()) or "value"


def quoted_text(text: str) -> str:
    """A text as a literal in single quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    # Other control characters and line separators end a line, or cannot be seen.
    return "'" + _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped) + "'"


def singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") and len(name) > 2 else name
