"""Tells where a document announces an exception that a call raised."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..facts.names import words_in
from ..model.model import CallableFacts, Documentation, Lines, ModuleFacts, Raised

# A condition that names several cases speaks of more than one `raise`.
_SEVERAL = re.compile(r"\b(?:or|either|also|nor)\b|;")
_SENTENCE_END = re.compile(r"(?<=[.;])(?<!\be\.g\.)(?<!\bi\.e\.)\s+|\n\s*\n")
_FEWEST_LETTERS, _FEWEST_WORDS, _SEVERAL_RAISES = 4, 2, 2
_PART = re.compile(r"[,;:]|\b(?:or|and|either|also|nor)\b")
_EXAMPLES = re.compile(r"\([^()]*\)")
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
        raises there, though it is of the same type; nor of another `raise`, with other words in its message.
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
            if told and not all(
                _is_of_own_raise(it, one, name) if foreign else _is_of_other_message(it, one, raised) for it in told
            ):
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
    usual = _usual(one, name)
    written = words_in([*one.constants, *(site.condition or "" for site in one.raises)])
    return any(len(word) >= _FEWEST_LETTERS for word in (words_in([said]) & written) - usual)


def _is_of_other_message(said: str, one: CallableFacts, raised: Raised) -> bool:
    """Whether each part of a condition speaks in words of another message than the one that was raised.

    What stands in parentheses are examples. A part in words of no message may mean any of them.
    """
    name = raised.type_name.rpartition(".")[2]
    if sum(site.exception.rpartition(".")[2] == name for site in one.raises) < _SEVERAL_RAISES:
        return False
    usual = _usual(one, name)
    own = words_in([raised.message.lower()])
    others = [words for text in one.constants if len(words := words_in([text.lower()]) - own) >= _FEWEST_WORDS]
    parts = [words_in([part]) - usual for part in _PART.split(_EXAMPLES.sub(" ", _EXAMPLES.sub(" ", said.lower())))]
    told = [{word for word in part if len(word) >= _FEWEST_LETTERS} for part in parts]
    shared = [(len(part & own), max((len(part & other) for other in others), default=0)) for part in told if part]
    return bool(shared) and all(mine < other for mine, other in shared)


def _usual(one: CallableFacts, name: str) -> frozenset[str]:
    """Words that tell no condition of a callable from another one: the exception's name, and those of parameters."""
    return _USUAL | {name.lower(), *(item.name.lower() for item in one.parameters)}
