"""The ways in which a flow is staged: how much goes in, what comes out again, where things stand (T-20)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """How a flow is staged.

    Attributes:
        numbers: which pair of counts.
        items: how many things are put into an object.
        filler: which of the methods that fill an object; -1 for all of them, one after the other.
        own: whether the acting method itself fills its object before, where it is one that does.
        optional: whether the act is given one of its optional arguments.
        changed: whether objects stand at another member of their enums than the default.
        moved: whether objects other than the acting one have gone a step further (`order.send()`).
        taken: whether something that was put in is taken out again.
        again: whether the same thing is put in twice.
        bare: whether counts that have a default are left out.
    """

    numbers: int = 0
    items: int = 1
    filler: int = 0
    own: bool = False
    optional: bool = False
    changed: bool = False
    moved: bool = False
    taken: bool = False
    again: bool = False
    bare: bool = False


WAYS = (
    Way(0),
    Way(1, items=2),
    Way(2),
    Way(3, items=2, optional=True),
    Way(4, optional=True),
    Way(5, items=2, optional=True, own=True),
    Way(6, optional=True, own=True),
    Way(7, items=2, optional=True),
    Way(0, items=2, filler=1),
    Way(1, filler=-1),
    Way(0, items=2, changed=True),
    Way(1, filler=1, changed=True),
    Way(0, items=2, filler=1, moved=True),
    Way(1, filler=-1, moved=True),
    Way(1, items=2, taken=True),
    Way(0, items=2, again=True),
    Way(0, items=2, taken=True, bare=True),
    Way(0, bare=True),
    Way(2, items=2, filler=2),
)
