"""Says in a whole phrase what a message of an exception tells: `index_out_of_bounds`, `member_not_found`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....utils.names.case_names import slug
from ..model.spec_case import Case
from .titles import has_digit, shared_words, symbols_in_words

LONGEST_PHRASE = 40
_FEWEST_WORDS = 2
# Values that a message quotes: the innermost first.
_VALUES = (
    re.compile(r"'<[^<>]*>'|<[^<>]*>"),
    re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`"),
    re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)"),
)
_CLAUSE = re.compile(r"[,;:!\n]\s|[:.!?]+$|\.\s|\s[-–—]\s")
_SYMBOL = re.compile(r"(?<=\s)[^\w\s]{1,2}(?=\s|$)")
_ARTICLES = frozenset("a an the".split())
_COPULAS = frozenset("is are was were".split())
_PRONOUNS = frozenset("it this that there you".split())
_FIRST = frozenset("found encountered got error sorry".split())
_LINKING = frozenset("and or between of to in on at for with by from as but than that when where if because".split())
# Words without which the rest would say the opposite, or only half of what has to be.
_NEGATIONS = frozenset("not no".split())
_MODALS = frozenset("cannot can could must should will may".split())
_AUXILIARIES = frozenset("does do has have".split())
# Words after which a phrase has no end.
_JOINING = _LINKING | _NEGATIONS | _AUXILIARIES | frozenset("must can should will only most least".split())
# What is no name of a situation but a sentence.
_OF_SENTENCES = frozenset(
    "did needs need requires expected expects unable failed fails want wants only use try takes it this there".split()
).union(_MODALS, _AUXILIARIES)


def message_phrase(case: Case) -> str:
    """The first clause of the message that a test expects, without values and articles; empty where none is whole.

    A short one names a situation in words: "'x' is not a valid index" as `invalid_index`.
    """
    said = next((one.match or "" for one in case.expect if one.kind == "raises"), "")
    return phrase_of(said)


def phrase_of(message: str) -> str:
    """The phrase of one message; empty where it has none of two to about six words."""
    text = " ".join(message.split("\n", 1)[0].split())
    for value in _VALUES:
        text = value.sub(" ", text)
    clause = next((part for part in _CLAUSE.split(text) if slug(part)), "")
    words = [word for word in _with_symbol(clause.strip()) if word not in _ARTICLES and not word.isdigit()]
    if words and words[0] not in _PRONOUNS:
        words = [word for word in words if word not in _COPULAS]
    while words and words[0] in _FIRST:
        words = words[1:]
    while words and words[0] in _LINKING and text[:1].isspace():
        words = words[1:]  # it joined a value to what follows
    if len(words) > 1 and words[-2] in _LINKING and not words[-1].isalpha():
        words = words[:-2]  # `in css3` says where, and no name has digits
    words = words[1:] if words[:2] == ["has", "no"] else words  # `has no name` is `no_name`
    kept = len(words)
    while kept and (words[kept - 1] in _JOINING or words[kept - 1] == "be"):
        kept -= 1
    if not _NEGATIONS.isdisjoint(words[kept:]) or (kept < len(words) and not _MODALS.isdisjoint(words)):
        return ""
    words = words[:kept]
    # What a long sentence is about stands in the code beside it; what it says comes behind that.
    said = next((at for at, word in enumerate(words) if word in _MODALS), 0)
    words = words[said:] if len("_".join(words)) > LONGEST_PHRASE else words
    phrase = re.sub(r"(?:^|_)not_valid_(\w+)$", r"_invalid_\1", "_".join(words)).strip("_")
    fits = len(phrase) <= LONGEST_PHRASE and phrase.count("_") + 1 >= _FEWEST_WORDS
    return phrase if fits and not has_digit(phrase) else ""


def _with_symbol(clause: str) -> list[str]:
    """The words of a clause; a sign after a preposition belongs to them: `start_with_slash`."""
    found = _SYMBOL.search(clause)
    before = slug(clause[: found.start()] if found else clause).split("_")
    if found and before[-1] in _JOINING:
        return [*before, *symbols_in_words(found[0]).split("_"), *slug(clause[found.end() :]).split("_")]
    return slug(clause).split("_")


def message_words(cases: Sequence[Case]) -> str:
    """Returns what all rows of a test say, as a condition; else nothing.

    It is a situation (`index_out_of_bounds`), or a sentence (`saying_location_must_start_with_slash`).
    """
    phrase = shared_words(map(message_phrase, cases))
    if not phrase:
        return ""
    return f"saying_{phrase}" if not _OF_SENTENCES.isdisjoint(phrase.split("_")) else phrase


def words_of_messages(cases: Sequence[Case]) -> list[str]:
    """Names each row by what its message says; nothing unless that tells all rows apart."""
    found = [message_phrase(case) for case in cases]
    return found if all(found) and len(set(found)) == len(found) else []
