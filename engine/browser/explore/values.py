"""Chooses what to fill into the fields of a form: plain values that fit, and such that may be refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..model.page import Field

_BY_WORD = (
    (r"e-?mail", "ada@example.org"),
    (r"(?:tele)?phone|mobile|tel", "030 1234567"),
    (r"zip|postal|postcode", "10115"),
    (r"city|town", "Berlin"),
    (r"country", "Germany"),
    (r"street|address", "Main Street 1"),
    (r"url|web\s?site|homepage", "https://example.org/"),
    (r"user\s?name|login|nick(?:\s?name)?", "ada"),
    (r"first\s?name|given", "Ada"),
    (r"last\s?name|surname|family", "Lovelace"),
    (r"amount|price|cost|quantity|pieces|number|count|age|how many|qty", "2"),
    (r"identifier|slug|handle|alias", "garden"),
    (r"date|day|when|due|birthday", "2030-05-17"),
    (r"time", "10:30"),
    (r"tag|category|genre", "garden"),
    (r"title|subject|headline|summary|task|todo|what", "Water the plants"),
    (r"body|text|content|message|comment|note|description", "Every morning before nine."),
    (r"(?:full\s?)?name|author|customer|person|who", "Ada Lovelace"),
)
_BY_KIND = {
    **{"email": "ada@example.org", "tel": "030 1234567", "url": "https://example.org/", "number": "2", "range": "2"},
    **{
        "date": "2030-05-17",
        "time": "10:30",
        "datetime-local": "2030-05-17T10:30",
        "month": "2030-05",
        "week": "2030-W20",
    },
    **{"color": "#336699", "password": "correct horse battery"},
}


@dataclass(frozen=True, slots=True)
class Refusable:
    """A value that a form may refuse: `words` follow "with" or "without" in a title."""

    field: Field
    value: str
    words: str


def fitting_value(field: Field, turn: int = 0) -> str | None:
    """A plain value for a field; None where it is left as it is.

    Args:
        turn: 0 for the first value, 1 for another one.
    """
    if field.kind == "select":
        options = [one for one in field.options if one]
        return options[min(turn, len(options) - 1)] if options else None
    if field.kind in ("checkbox", "radio", "file", "color", "range"):
        return None
    value = _BY_KIND.get(field.kind) or _by_word(field)
    if field.kind == "number" or (field.minimum and _number(field.minimum) is not None):
        value = _within(field, 2 + turn)
    elif turn and field.kind in ("text", "textarea", "search"):
        value = f"{value} again"
    return value[: field.longest] if field.longest else value


def _by_word(field: Field) -> str:
    # A name in the source may be of several words: `customerName`, `customer_name`.
    named = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", field.name).replace("_", " ")
    words = f"{field.label} {named} {field.placeholder}".lower()
    numeric = field.pattern and re.fullmatch(r"[\[\]\\d0-9+*{},-]+", field.pattern)
    return (
        "2"
        if numeric
        else next((value for word, value in _BY_WORD if re.search(rf"\b(?:{word})s?\b", words)), "A plain text")
    )


def _within(field: Field, wanted: int) -> str:
    least, most = _number(field.minimum), _number(field.maximum)
    value = wanted if least is None else max(wanted, least)
    return str(value if most is None else min(value, most))


def _number(text: str) -> int | None:
    """A limit that a page names; None for none, and for what is too long to be one."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def limits_of(field: Field) -> list[int]:
    """The limits that a field names itself, from 0 on."""
    found = (_number(field.minimum), _number(field.maximum))
    return [one for one in found if one is not None and one >= 0]


def refusable_values(field: Field) -> Iterator[Refusable]:
    """Yield values that a field may refuse: nothing at all, then what lies outside of limits or has another form."""
    name = field.words.lower() or "a value"
    if field.kind in ("checkbox", "radio", "file", "color", "range"):
        return
    if field.kind == "select":
        if field.value not in field.options:
            yield Refusable(field, "", f"without {name}")
        return
    yield Refusable(field, "", f"without {name}")
    least, most = _number(field.minimum), _number(field.maximum)
    if field.kind == "number" or least is not None or most is not None or _by_word(field) == "2":
        for value in (*((least - 1,) if least is not None else (0,)), *((most + 1,) if most is not None else (1000,))):
            yield Refusable(field, str(value), f"with {value} as {name}")
    elif field.kind == "email" or _by_word(field) == "ada@example.org":
        yield Refusable(field, "ada.example.org", f"with {name} ada.example.org")
    elif field.kind == "date":
        yield Refusable(field, "1970-01-01", f"with {name} 1970-01-01")
    elif field.kind in ("text", "textarea"):
        yield Refusable(field, "Ada " * 16 + "Lovelace", f"with a very long {name}")


def limits_in(message: str) -> list[int]:
    """The numbers that a refusal names, which may be limits."""
    return [int(text) for text in re.findall(r"(?<![\w.])\d{1,6}(?![\w.]*\d)", message)][:3]
