"""Names of the members by which sets, and containers like them, are put together and compared with others."""

from __future__ import annotations

OPERATORS = {"__or__": "|", "__and__": "&", "__sub__": "-", "__xor__": "^"}
IN_PLACE = frozenset({"__ior__", "__iand__", "__isub__", "__ixor__"})
CHANGING = frozenset({"update", "intersection_update", "difference_update", "symmetric_difference_update"})
COMBINING = frozenset({"union", "intersection", "difference", "symmetric_difference"})
ASKING = frozenset({"isdisjoint", "issubset", "issuperset"})
