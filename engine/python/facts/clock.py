"""Tells which callables of a module depend on the present time without a parameter that sets it."""

from __future__ import annotations

import re

from ..model.model import CallableFacts, ModuleFacts

_CLOCK = re.compile(r"(\w+\.)*(now|utcnow|today|localtime|gmtime)|(\w+\.)?time")
_MOMENT = re.compile(r"(the_)?(now|today|at|when|moment|clock|timer|as_of|reference(_date|_time)?|current(_\w+)?)")
_DEPTH = 3


def depends_on_now(facts: ModuleFacts, one: CallableFacts) -> bool:
    """Whether a callable reads the clock, itself or by a callable of its module, and no parameter gives the moment.

    Only such a callable gets values relative to now: for all others fixed dates say the same and always do.
    """
    if any(_MOMENT.fullmatch(parameter.name) and not parameter.required for parameter in one.parameters):
        return False
    by_name: dict[str, list[CallableFacts]] = {}
    for item in facts.callables():
        by_name.setdefault(item.name, []).append(item)
    seen: set[str] = set()
    waiting = [one]
    for _ in range(_DEPTH):
        called = {name for item in waiting for name in item.calls}
        if any(_CLOCK.fullmatch(name) for name in called):
            return True
        seen |= {item.qualname for item in waiting}
        names = {name.rpartition(".")[2] for name in called}
        waiting = [item for name in sorted(names) for item in by_name.get(name, ()) if item.qualname not in seen]
    return False
