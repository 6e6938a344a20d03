"""Finds the named flags that code masks a parameter with: `flags & Mode.STRICT` takes no bare numbers."""

from __future__ import annotations

from itertools import combinations

from ..facts.type_inference import uses_of
from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import CallableFacts, ModuleFacts
from ..source.import_block import read_imports

_MOST = 6


def flags_domain(facts: ModuleFacts, one: CallableFacts, name: str) -> ParameterDomain:
    """The named flags of a parameter, each alone, then two together; `UNKNOWN` where it is masked with none."""
    masks = [what.removeprefix("masked:") for what in uses_of(facts, one, name) if what.startswith("masked:")]
    holder = masks[0].partition(".")[0] if masks else ""
    members = [mask for mask in masks if mask.startswith(f"{holder}.")][:_MOST]
    module = _module_of(facts, holder) if members else ""
    if not module:
        return UNKNOWN
    together = [" | ".join(pair) for pair in combinations(members, 2)]
    return ParameterDomain(
        "choice", type_name=holder, module=module, choices=(*members, *together), source="use", lines=one.lines
    )


def _module_of(facts: ModuleFacts, name: str) -> str:
    """The module that a name is imported from; empty for modules, and names that a module does not have."""
    if any(owner.name == name for owner in facts.classes):
        return facts.module
    for binding in read_imports(statement for bound, statement in facts.imports if bound == name):
        if binding.name is not None:
            return facts.module if binding.alias or binding.module.startswith(".") else binding.module
    return ""
