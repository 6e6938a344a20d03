"""Counted words in messages: "1 trial", "2 trials"."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun, which has the plural's form where the number is not 1.

    Args:
        plural: of a noun that takes more than an s.
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
