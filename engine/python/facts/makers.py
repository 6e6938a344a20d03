"""Functions that make the objects of a class: `closed(1, 2)` of `Interval`."""

from __future__ import annotations

from collections.abc import Collection

from ..model.model import CallableFacts


def made_class(function: CallableFacts, classes: Collection[str]) -> str | None:
    """The class of the module that a function returns an object of; None where it is not certain.

    It is the class that the function declares, or the only one that a body without branches calls.
    """
    declared = (function.returns or "").strip("'\"")
    if declared:
        return declared if declared in classes else None
    called = {name.partition(".")[0] for name in function.calls}
    return called.pop() if len(called) == 1 and called <= set(classes) and not function.branch_lines else None
