"""Tells where a document announces an exception that a call raised."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..facts.names import words_in
from ..model.model import CallableFacts, Documentation, Lines, ModuleFacts, Raised

# A condition that names several cases speaks of more than one `raise`.
_SEVERAL = re.compile(r"\b(?:or|either|also|nor)\b|;")
_SENTENCE_END = re.compile(r"(?<=[.;])\s+|\n\s*\n")
_FEWEST_LETTERS = 4
# Words of many messages and conditions, which do not tell one from another.
_USUAL = frozenset("where when with that this there from must should have been raise raises raised error value".split())


class Announcements:
    """The exceptions that the docstrings of one module announce.

    Args:
        facts: the module.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._callables = {one.qualname: one for one in facts.callables()}
        self._of_classes = {owner.name: owner.documentation for owner in facts.classes}
        self._raising = {site.line for one in facts.callables() for site in one.raises}

    def lines_of(self, subject: str, raised: Raised) -> Lines | None:
        """The lines of the docstring that announces what a call of a callable raised; None where none does.

        A document whose condition is that of a `raise` of the callable's own says nothing of what code of others
        raises there, though it is of the same type.
        """
        one = self._callables.get(subject)
        if one is None:
            return None
        name = raised.type_name.rpartition(".")[2]
        foreign = raised.line not in self._raising
        documents = [one.documentation]
        if one.kind == "constructor" and one.owner in self._of_classes:
            documents.append(self._of_classes[one.owner])
        for document in documents:
            told = list(_conditions(document, name))
            if told and not (foreign and all(_is_of_own_raise(it, one, name) for it in told)):
                return document.lines
        return None


def _conditions(document: Documentation, name: str) -> Iterator[str]:
    """What a document says of the cases in which an exception is raised."""
    for announced, condition in document.raises:
        if announced.rpartition(".")[2] == name:
            sentences = [one for one in _SENTENCE_END.split(document.text) if re.search(rf"\b{name}\b", one)]
            yield condition or " ".join(sentences)


def _is_of_own_raise(said: str, one: CallableFacts, name: str) -> bool:
    """Whether a condition is that of a `raise` of a callable: it names one case, in words of the callable's texts."""
    if _SEVERAL.search(said) or name not in {site.exception.rpartition(".")[2] for site in one.raises}:
        return False
    usual = _USUAL | {name.lower(), *(item.name.lower() for item in one.parameters)}
    written = words_in([*one.constants, *(site.condition or "" for site in one.raises)])
    return any(len(word) >= _FEWEST_LETTERS for word in (words_in([said]) & written) - usual)
