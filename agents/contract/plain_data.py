"""Dataclasses to and from plain dicts, and the type questions JSON asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def shallow(data: Any) -> dict[str, Any]:
    """The fields of a dataclass, values as they are (`asdict` would copy and rebuild them)."""
    return {each.name: getattr(data, each.name) for each in fields(data)}


def known_fields(cls: type, data: Mapping[str, Any], *, required: tuple[str, ...]) -> dict[str, Any]:
    """`data` as keyword arguments of `cls`; a key that is missing or unknown is an error, never ignored.

    Raises:
        ValueError: naming them.
    """
    names = {each.name for each in fields(cls)}
    unknown = sorted(set(data) - names)
    missing = [name for name in required if name not in data]
    if unknown or missing:
        raise ValueError(f"{cls.__name__}: unknown keys {unknown}, missing keys {missing}")
    return dict(data)


def as_object(value: Any, name: str) -> Mapping[str, Any]:
    """`value` if it is a mapping. Raises ValueError otherwise."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: must be an object")
    return value


def is_text(value: object) -> bool:
    """Whether it is a string with more than white space in it."""
    return isinstance(value, str) and bool(value.strip())


def is_integer(value: object) -> bool:
    """Whether it is an integer; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
