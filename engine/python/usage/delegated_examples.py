"""Hands on the values that calls pass to a function to those that only pass their parameter on to it.

`split(src, sep)` that gives `list(split_iter(src, sep))` takes the separators that documents show of `split_iter`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model.model import CallableFacts, Candidate, ModuleFacts


def add_delegated_values(known: dict[tuple[str, str], list[Candidate]], facts: ModuleFacts) -> None:
    """Adds to `known` the values of a function of the module for parameters, of which no call is known, that only go
    into its parameter of the same name."""
    functions = {one.qualname: one for one in facts.functions}
    for one in facts.callables():
        for name, target in _passed_on(one, functions):
            delegated = known.get((target.qualname, name), [])
            if delegated and not known.get((one.qualname, name)):
                known[one.qualname, name] = list(delegated)


def _passed_on(one: CallableFacts, functions: dict[str, CallableFacts]) -> Iterator[tuple[str, CallableFacts]]:
    """The parameters whose only use is that they are passed to a function's parameter of their name, with that."""
    for item in one.parameters:
        uses = [what for name, what in one.uses if name == item.name]
        kind, _, passed = uses[0].partition(":") if len(uses) == 1 else ("", "", "")
        called, _, place = passed.rpartition(":")
        target = functions.get(called)
        if kind != "argument" or target is None or target is one:
            continue
        names = [parameter.name for parameter in target.parameters if parameter.is_positional]
        into = names[int(place)] if place.isdecimal() and int(place) < len(names) else place
        if into == item.name:
            yield item.name, target
