"""Notes which names of a request are called functions or classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .clauses import Named
from .lexemes import Lexeme

_ONE = ("function", "class")
_SEVERAL = ("functions", "classes")


def with_kinds(named: list[Named], found: Sequence[Lexeme]) -> list[Named]:
    """Note which mentions are called functions or classes: "the slugify function", "the functions slugify and total".

    A name after such a word is what it speaks of, else the one before it: "the cart function total" speaks of total.
    The "slugify functions" are those in slugify.
    """
    for at, lexeme in enumerate(found):
        word = lexeme.text.lower()
        if word in _ONE:
            meant = _after(at, named, found)[:1] or _before(at, named, found)[:1]
        elif word in _SEVERAL:
            meant = _after(at, named, found) or _before(at, named, found)
            meant = meant if len(meant) > 1 else []
        else:
            continue
        for one in meant:
            one.mention = replace(one.mention, is_symbol=True)
    return named


def _after(at: int, named: Sequence[Named], found: Sequence[Lexeme]) -> list[Named]:
    """The names of the list that begins right after a place."""
    listed: list[Named] = []
    for one in named:
        if one.at > at:
            between = found[(listed[-1].at if listed else at) + 1 : one.at]
            if not (_joins(between) if listed else _is_one_name(between)):
                break
            listed.append(one)
    return listed


def _before(at: int, named: Sequence[Named], found: Sequence[Lexeme]) -> list[Named]:
    """The names of the list that ends right before a place, the nearest first; an article begins it."""
    listed: list[Named] = []
    for one in reversed(named):
        if one.at < at:
            between = found[one.at + 1 : listed[-1].at if listed else at]
            if not (_joins(between) if listed else not between):
                break
            listed.append(one)
    return listed


def _joins(between: Sequence[Lexeme]) -> bool:
    """Whether a comma or "and" is all that stands between two names; words of the second name do not count."""
    separators = [one for one in between if one.role != "mention"]
    return bool(separators) and all(one.role == "and" or one.text == "," for one in separators)


def _is_one_name(between: Sequence[Lexeme]) -> bool:
    """Whether nothing but words of the name stands there: "function order service"."""
    return all(one.role == "mention" for one in between)
