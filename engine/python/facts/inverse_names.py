"""Tells by their names which callables undo one another: `decode` and `encode`, `from_data` and `to_data`."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What undoes what, as parts of names.
INVERSES = (
    ("encode", "decode"),
    ("encrypt", "decrypt"),
    ("compress", "decompress"),
    ("serialize", "deserialize"),
    ("serialise", "deserialise"),
    ("marshal", "unmarshal"),
    ("pack", "unpack"),
    ("dump", "load"),
    ("quote", "unquote"),
    ("escape", "unescape"),
    ("freeze", "thaw"),
    ("wrap", "unwrap"),
    ("format", "parse"),
    ("render", "parse"),
    ("flatten", "unflatten"),
    ("to", "from"),
    ("from", "to"),
    ("write", "read"),
)
_CONVERSION = re.compile(r"(\w+?)(?:_to_|2)(\w+)")
_VERBS = frozenset(verb for pair in INVERSES for verb in pair)


def tells_direction(name: str) -> bool:
    """Whether a name has a verb or a direction of these, as both names of each pair have.

    Few names of a large module have one: to ask each pair of a thousand callables would take seconds.
    """
    return _CONVERSION.fullmatch(name) is not None or any(
        word in _VERBS or word.removesuffix("s") in _VERBS for word in name.split("_")
    )


def undoes(name: str, other: str) -> bool:
    """Whether the names say that one callable undoes the other: `decode` and `encode`, `b_to_a` and `a_to_b`."""
    conversion, reverse = _CONVERSION.fullmatch(other), _CONVERSION.fullmatch(name)
    if conversion is not None and reverse is not None and conversion.groups() == reverse.groups()[::-1]:
        return True
    words, others = name.split("_"), other.split("_")
    # Every two callables of a module are asked about: most have no verb of these, which is seen without any lists.
    said = {*others, *(word.removesuffix("s") for word in others)}
    return any(
        here in said
        and [there if word == here else word for word in _singular(others, here)] == _singular(words, there)
        for here, there in INVERSES
    )


def _singular(words: Sequence[str], verb: str) -> list[str]:
    """Writes `dumps` as `dump`: the ending says of which type the result is."""
    return [word.removesuffix("s") if word.removesuffix("s") == verb else word for word in words]
