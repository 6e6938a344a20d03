"""Tells by their code which methods may change their object, and which only read it."""

from __future__ import annotations

from typing import Literal

from ..model.model import CallableFacts, ModuleFacts
from .lineage import bases_by_class, lineage

Effect = Literal["reads", "unknown", "changes"]

_READING = frozenset(
    "get keys values items copy count index find rfind startswith endswith split rsplit splitlines partition "
    "rpartition strip lstrip rstrip lower upper title capitalize casefold swapcase replace join format encode "
    "decode zfill ljust rjust center removeprefix removesuffix isdigit isalpha isalnum isspace islower isupper "
    "isnumeric isdecimal union intersection difference symmetric_difference issubset issuperset isdisjoint "
    "isoformat strftime total_seconds match search fullmatch findall finditer sub most_common".split()
)
"""Methods of builtin types that change nothing."""
_FILLING = frozenset(
    "add append appendleft clear discard extend extendleft insert pop popitem popleft put push remove reverse rotate "
    "setdefault sort update __setitem__ __delitem__".split()
)
"""Methods that change containers."""
_CHANGING = frozenset(
    "next setattr delattr exec eval heappush heappop heapify heapreplace heappushpop insort insort_left insort_right "
    "shuffle __setattr__ __delattr__".split()
)
"""Functions that change what they are given."""
_ASKING = frozenset(
    "abs all any bool bytes chr complex dict divmod enumerate filter float format frozenset getattr hasattr hash id "
    "int isinstance issubclass iter len list max min ord range repr reversed round set sorted str sum tuple zip".split()
)
"""Functions that leave alone what they are given; `iter` and `zip` ask only for what is asked of them."""
_QUIET = frozenset("cmath copy fractions functools html json math operator re statistics string textwrap".split())
"""Modules whose functions change nothing that they are given."""

# Uses after which more may follow that is not told of: `self.items["a"].append(1)`, `self.child.parent = one`.
_PARTS = frozenset({"item", "attribute"})


class MethodReader:
    """What the bodies of a module's methods do to their object, with those of the methods that they call on it."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._members = {owner.name: owner.members for owner in facts.classes}
        self._bases = bases_by_class(facts.classes)
        self._fixed = {name for name, _ in (*facts.imports, *facts.constants)} | set(self._bases)

    def effect(self, qualname: str) -> Effect:
        """What a method does to its object; unknown where it is not of the module or hands a part to other code."""
        owner, _, name = qualname.rpartition(".")
        waiting = [name]
        effects: set[Effect] = set()
        for one in waiting:  # grows while it is read
            member = self._member(owner, one)
            if member is None:
                effects.add("unknown")
                continue
            effects.update(map(self._effect_of_call, member.calls))
            effects.update(_effect(part, use) for part, use in member.uses)
            waiting += [other for other in methods_called(member) if other not in waiting]
        return "changes" if "changes" in effects else "unknown" if "unknown" in effects else "reads"

    def _effect_of_call(self, called: str) -> Effect:
        """What a call may do to the object, by the dotted name of what is called: it may be passed the object itself.

        What is called on the object, or on a part of it, is among the uses.
        """
        root, _, rest = called.partition(".")
        name = called.rpartition(".")[2]
        if name in _CHANGING:
            return "changes"
        if not rest:
            return "reads" if root in _ASKING or root[:1].isupper() else "unknown"  # a class makes a new object
        outside = root in self._fixed and root not in _QUIET
        return "unknown" if name not in _READING and (outside or root.isupper()) else "reads"

    def _member(self, owner: str, name: str) -> CallableFacts | None:
        """The member that objects of a class have: its own, or the nearest base's."""
        kinds = lineage(owner, self._bases)
        return next((one for kind in kinds for one in self._members[kind] if one.name == name), None)


def methods_called(member: CallableFacts) -> list[str]:
    """Names of the methods that a member calls on its own object, each once, in their order."""
    own = (part[5:] for part, use in member.uses if part.startswith("self.") and use.startswith("called:"))
    return list(dict.fromkeys(own))


def _effect(part: str, use: str) -> Effect:
    """What one use of a parameter or of a part of the object does to the object."""
    kind, _, what = use.rpartition("element:")[2].partition(":")
    if kind == "stored":
        return "changes"
    if not part.startswith("self."):
        return "unknown" if kind == "escapes" else "reads"
    if kind == "assigned" or (kind == "method" and what in _FILLING):
        return "changes"
    if kind == "method":
        return "reads" if what in _READING else "unknown"
    if kind == "argument":
        return "reads" if what.rpartition(":")[0] in _ASKING else "unknown"
    return "unknown" if kind in _PARTS else "reads"
