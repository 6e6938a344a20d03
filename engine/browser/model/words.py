"""Makes words of what a page says: slugs for names, nouns for what a form makes, quotes."""

from __future__ import annotations

import re
import unicodedata

_NEW = re.compile(r"^(?:add|create|new|register|write|post|place|submit|make)\s+(?:an?\s+|new\s+|your\s+)*(.+)$", re.I)
_LONGEST = 70
_CYRILLIC = "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya".replace("-", "").split(" ")
_SPELLED = str.maketrans(
    {chr(0x430 + number): latin for number, latin in enumerate(_CYRILLIC)}
    | {"ё": "yo", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"}
)
DESTRUCTIVE = re.compile(
    r"\b(delete|remove|destroy|drop|erase|wipe|purge|pay|buy|purchase|checkout|send|transfer|cancel|unsubscribe|close|"
    r"deactivate|ban|refund|publish|reset)\b",
    re.IGNORECASE,
)
SIGN_OUT = re.compile(r"\b(sign|log)[\s-]*(out|off)\b", re.IGNORECASE)


def slug(text: str, longest: int = _LONGEST) -> str:
    """A text as an identifier; cut at a word. Letters beyond Latin and Cyrillic are left out."""
    plain = re.sub(r"[^a-z0-9]+", "_", _latin(text.replace("’", "").replace("'", ""))).strip("_")
    while len(plain) > longest and "_" in plain:
        plain = plain.rpartition("_")[0]
    return plain[:longest] or "page"


def nameable(*texts: str) -> str:
    """The first text of which letters remain in a name; the last one where none remain of any."""
    return next((text for text in texts if re.search(r"[a-z0-9]", _latin(text))), texts[-1])


def _latin(text: str) -> str:
    """A text in small Latin letters without accents, as far as it has such, or Cyrillic ones."""
    spelled = text.lower().translate(_SPELLED)
    return "".join(one for one in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(one))


def quoted(text: str) -> str:
    """A text in quotes, cut where it is long."""
    return f"“{text if len(text) <= 60 else text[:57].rstrip() + '…'}”"


def thing_made(heading: str, button: str) -> str:
    """What a form makes, with its article: "a new order", from its heading, else from its button."""
    for text in (heading, button):
        match = _NEW.match(text.strip())
        if match and len(match[1]) <= 40:
            return f"a new {match[1].lower()}"
    return f"the form {quoted(heading or button)}"


def sent_title(made: str, detail: str, where: str, *, seen: bool = True) -> str:
    """What a form that was taken shows: an entry that appears, else the page that the form leads to.

    Args:
        seen: whether the entry was seen on a page that was opened afterwards.
    """
    if made.startswith("a new ") and not seen:
        return f"{made}{f' with {detail}' if detail else ''} leads to the page {quoted(where)}"
    if made.startswith("a new "):
        return f"{made}{f' with {detail}' if detail else ''} appears on the page {quoted(where)}"
    if seen:
        return f"what {made} is filled in with{f', {detail},' if detail else ''} appears on the page {quoted(where)}"
    return f"{made}{f', filled in with {detail},' if detail else ''} leads to the page {quoted(where)}"


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
