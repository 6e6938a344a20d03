"""Functions that make the objects of a class: `closed(1, 2)` of `Interval`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..model.model import CallableFacts

_MAKING = re.compile(r"(from|parse|of|create|make|new|build)(_\w+)?")


def made_class(function: CallableFacts, classes: Collection[str]) -> str | None:
    """The class of the module that a function returns an object of; None where it is not certain.

    It is the class that the function declares, or whose constructor or factory every `return` calls.
    """
    declared = (function.returns or "").strip("'\"")
    if declared:
        return declared if declared in classes else None
    made: set[str] = set()
    for name in function.returned_calls:
        owner, _, factory = name.partition(".")
        made.add(owner if not factory or _MAKING.fullmatch(factory) else "")
    return made.pop() if len(made) == 1 and made <= set(classes) else None
