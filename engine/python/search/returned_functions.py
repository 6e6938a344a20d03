"""Finds arguments for the function that a callable returns, as far as its annotation says what that takes."""

from __future__ import annotations

from itertools import zip_longest

from ..domain.examples import ExampleContext, natural_values
from ..domain.from_types import domain_of_hint, without_aliases
from ..domain.inference import own_classes
from ..model.model import CallableFacts, Candidate, ModuleFacts
from ..source.annotations import type_hint

_MOST_ROWS = 3


def rows_of_annotation(one: CallableFacts, facts: ModuleFacts) -> list[tuple[Candidate, ...]] | None:
    """Rows of arguments for the function of `-> Callable[[bytes], str]`, the plainest first, aliases looked up.

    None where the annotation leaves open what the function takes.
    """
    hint = without_aliases(type_hint(one.returns), dict(facts.constants))
    taking = next((member for member in hint.members() if member.name == "Callable" and member.arguments), None)
    if taking is None or any(argument.name == "..." for argument in taking.arguments[:-1]):
        return None
    columns: list[list[Candidate]] = []
    for at, argument in enumerate(taking.arguments[:-1]):
        domain = domain_of_hint(argument, own_classes(facts))
        name = one.returned_parameters[at] if at < len(one.returned_parameters) else ""
        found = [it.candidate for it in natural_values(domain, ExampleContext(name, at)) if not it.candidate.arrange]
        if domain.kind == "callable" or not found:
            return None
        columns.append(found[:_MOST_ROWS])
    # A column that ends before the others stays at its first value.
    rows = [
        tuple(value or column[0] for value, column in zip(row, columns, strict=True)) for row in zip_longest(*columns)
    ]
    return rows or [()]
