"""Finds the values that persons pass to other callables and that a parameter takes as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.python_source import literal_or
from ..facts.lineage import lineage
from ..facts.type_inference import PassedValues
from ..model.candidate_parts import distinct
from ..model.model import CallableFacts, Candidate, ModuleFacts, Parameter
from .natural import NaturalInputs

_MOST = 4
_TELLING = 12
_LONG = 40
_SEVERAL = 3
# Of these kinds the name says too little: each function takes another flag, number or function.
_KINDS_OF_THEIR_OWN = frozenset({"any", "none", "boolean", "integer", "real", "callable", "other"})


class SharedValues:
    """Lends a parameter what is passed to those that it is passed on to, and to those of its name and kind.

    Args:
        facts: the module.
        known: values by `(qualified name, parameter)`, those that persons pass first.
        shown: how many of them persons pass.
        natural: tells the domain of a parameter.
    """

    def __init__(
        self,
        facts: ModuleFacts,
        known: Mapping[tuple[str, str], Sequence[Candidate]],
        shown: Mapping[tuple[str, str], int],
        natural: NaturalInputs,
    ) -> None:
        self._facts = facts
        self._known = known
        self._shown = shown
        self._natural = natural
        self._passed = PassedValues(facts)
        bases = {one.name: [base.rpartition(".")[2] for base in one.bases] for one in facts.classes}
        self._lineages = {name: frozenset(lineage(name, bases)) for name in bases}

    def of(self, one: CallableFacts, parameter: Parameter) -> list[Candidate]:
        """The values that a parameter of the module may borrow, the likeliest first."""
        kind = self._natural.domain(one, parameter.name, self._facts).kind
        if kind in _KINDS_OF_THEIR_OWN:
            return []
        found: list[Candidate] = []
        for other, name in (*self._passed.of(one, parameter.name), *self._namesakes(one, parameter.name)):
            count = self._shown.get((other.qualname, name), 0)
            if count and self._natural.domain(other, name, self._facts).kind == kind:
                found.extend(self._known[other.qualname, name][:count])
        # A person takes one that shows something; among those, the first that a document gives.
        found.sort(key=lambda item: (_is_odd(item.source), -min(len(set(item.source)), _TELLING)))
        return [replace(item, origin="domain") for item in distinct(found, _MOST)]

    def _namesakes(self, one: CallableFacts, name: str) -> Iterator[tuple[CallableFacts, str]]:
        """The callables that may mean the same by a name: the functions of a module, the methods of related classes."""
        own = self._lineages.get(one.owner or "", frozenset())
        for other in self._facts.callables():
            if other.qualname == one.qualname or (one.owner is None) != (other.owner is None):
                continue
            if other.owner is None or not own.isdisjoint(self._lineages[other.owner]):
                yield other, name


def _is_odd(source: str) -> bool:
    """Whether a value is a text that is long or has signs that no keyboard has."""
    text = literal_or(source, None)
    return isinstance(text, str) and (len(text) > _LONG or not text.isascii() or not text.isprintable())


def are_telling(given: Sequence[Candidate]) -> bool:
    """Whether the project itself passes several words or numbers, all of which say more than any from elsewhere."""
    found = [literal_or(item.source, None) for item in given if item.origin == "call_site"]
    words = [text for text in found if isinstance(text, str) and len(text) > 1 and text[:1].isalpha()]
    numbers = [number for number in found if isinstance(number, int | float) and not isinstance(number, bool)]
    return len(found) >= _SEVERAL and len(found) in (len(words), len(numbers))
