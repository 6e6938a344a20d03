"""The facts of callables that no source has."""

from __future__ import annotations

from testwright.engine.python.model.model import CallableFacts, Parameter


def callable_of(qualname: str, *parameters: str, kind: str = "method") -> CallableFacts:
    """A callable with parameters by their names, and `self` where it is no function.

    Args:
        parameters: one with an equals sign has the default behind it; `None` where nothing is behind it.
    """
    is_function = kind == "function"
    named = [one.partition("=") for one in (() if is_function else ("self",)) + parameters]
    found = tuple(
        Parameter(name, "positional_or_keyword", default=(default or "None") if sign else None)
        for name, sign, default in named
    )
    owner = None if is_function else qualname.partition(".")[0]
    return CallableFacts(qualname, kind, (1, 2), found, owner=owner)  # pyrefly: ignore[bad-argument-type]
