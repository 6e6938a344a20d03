"""What phrases of documents name: classes by their common noun ("an interval" of `Interval`), texts to choose from."""

from __future__ import annotations

import re
from dataclasses import replace

from ....utils.python_names import BUILTIN_NAMES
from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import CallableFacts
from .from_types import ClassLookup, domain_of_class

_NOUNS = re.compile(
    r"(?:(?:an?|the|another|other|one|two|zero|or|more|some|any|all|many|several)\b,? ?)+"
    r"((?:[a-z]+[ -])?[a-z]+)(?= or |[,.;:)]|$)",
    re.IGNORECASE,
)

_OPTION = r"""(?:``|[`'"])([\w-]+)(?:``|[`'"])"""
_BETWEEN = r"(?:,|\s|\bor\b|\band\b)+"
_OPTIONS = re.compile(rf"\b(?:one of|either|any of):?\s+({_OPTION}(?:{_BETWEEN}{_OPTION})+)", re.IGNORECASE)

# Nouns that describe a value, whatever class of that name there is.
_PLAIN = frozenset(
    "index key value name number size count text string list dict path file function object item".split()
)


def class_by_noun(phrase: str, look_up: ClassLookup) -> ParameterDomain:
    """The objects of the class that a phrase names, or a sequence of them; `UNKNOWN` where it names none exactly.

    Args:
        phrase: the first noun phrase of a description; with an adjective that is no part of the class's name it may
            mean something else.
        look_up: finds the class that a name means in the module.
    """
    match = _NOUNS.match(" ".join(phrase.split()))
    if match is None or match[1].lower() in _PLAIN:
        return UNKNOWN
    name = "".join(word.capitalize() for word in re.split(r"[ -]", match[1]))
    found = look_up(name)
    if found is not None:
        return domain_of_class(*found, look_up)
    single = look_up(name.removesuffix("s")) if name.endswith("s") else None
    if single is None:
        return UNKNOWN
    return ParameterDomain("sequence", type_name="Sequence", element=domain_of_class(*single, look_up))


def with_options(domain: ParameterDomain, text: str) -> ParameterDomain:
    """The domain of an entry with the texts that it says to choose from: "one of 'auto', 'left' or 'right'"."""
    found = _OPTIONS.search(text) if domain.kind == "text" else None
    words = [match[1] for match in re.finditer(_OPTION, found[1])] if found is not None else []
    # Code in backquotes may be types or parameters: "either `str` or `bytes`", "either `name` or `path` must be given".
    names = found is not None and "`" in found[1] and found[0].lower().startswith("either")
    if not words or names or not BUILTIN_NAMES.isdisjoint(words):
        return domain
    return replace(domain, words=tuple(map(repr, words)))


# `tuple_of_words` names what is made.
_OF_TUPLE = re.compile(r"(\w+_)?(from|in)_tuple|tuple_to_\w+")


def takes_tuple(function: CallableFacts, parameter: str) -> bool:
    """Whether the name of a function says that its first parameter is a tuple: `drop_item_from_tuple(t, i)`."""
    first = next((item.name for item in function.parameters if item.name not in ("self", "cls")), "")
    return first == parameter and _OF_TUPLE.fullmatch(function.name) is not None
