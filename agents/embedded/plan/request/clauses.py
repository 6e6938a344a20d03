"""Assigns what a request names to the kinds of tests that it asks for, by their places in the sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .lexemes import Lexeme
from .parsed_request import Clause, Mention

_PRONOUNS = frozenset({"it", "its", "them", "they", "their", "these", "those", "same"})
_SENTENCE_ENDS = (";", ".", "!", "?")
_OF = frozenset({"for", "of", "on", "in"})


@dataclass(slots=True)
class Named:
    """A mention with its place: the part of the sentence (counted by its separators) and the lexeme's number."""

    mention: Mention
    part: int
    at: int


@dataclass(frozen=True, slots=True)
class TypeWord:
    """A kind of tests with its place.

    Attributes:
        at: the lexeme's number.
        part: the part of the sentence.
        value: the test type.
        text: as written.
    """

    at: int
    part: int
    value: str
    text: str


def clauses_of(types: Sequence[TypeWord], named: Sequence[Named], found: Sequence[Lexeme]) -> list[Clause]:
    """Assign mentions to kinds of tests: to the kind before them, or to the one after them where all stand so."""
    first = {one.value: one for one in reversed(types)}
    places = sorted(first.values(), key=lambda one: one.at)
    own: dict[str, list[Mention]] = {one.value: [] for one in places}
    header: list[Mention] = []
    before_types = _names_before(types, named, found)
    for at, one in enumerate(named):
        if before_types is not None:
            for value in before_types[at]:
                own[value].append(one.mention)
            continue
        earlier = [(word.part, word.value) for word in types if word.part <= one.part]
        (own[max(earlier)[1]] if earlier else header).append(one.mention)
    clauses: list[Clause] = []
    shared: list[Mention] = []
    for number, place in reversed(list(enumerate(places))):
        mine = [mention for mention in own[place.value] if not mention.excluded]
        if not mine and number and _says_it(place, places, found):
            mine = [mention for mention in own[places[number - 1].value] if not mention.excluded]
        # "unit tests for everything, integration tests for cli" says what its unit tests are for.
        is_whole = not mine and _says_everything(place, places, found)
        shared = mine or (shared if clauses and not header and not is_whole else [])
        wider = [mention for mention in header if not mention.excluded] or shared
        clauses.insert(0, Clause(place.value, once(mine or wider), once(wider if mine else ()), place.text))
    return clauses


def _says_it(place: TypeWord, places: Sequence[TypeWord], found: Sequence[Lexeme]) -> bool:
    """Whether a kind of tests is asked for of what was named before: "; benchmark it too"."""
    ends = [other.at for other in places if other.at > place.at]
    around = found[place.at + 1 : min(ends, default=len(found))]
    return _has_pronoun(around)


def _says_everything(place: TypeWord, places: Sequence[TypeWord], found: Sequence[Lexeme]) -> bool:
    """Whether everything stands between a kind of tests and the next one."""
    ends = [other.at for other in places if other.at > place.at]
    return any(lexeme.role in ("whole", "whole_noun") for lexeme in found[place.at + 1 : min(ends, default=len(found))])


def _has_pronoun(found: Iterable[Lexeme]) -> bool:
    return any(lexeme.text.lower() in _PRONOUNS for lexeme in found)


def _names_before(
    types: Sequence[TypeWord], named: Sequence[Named], found: Sequence[Lexeme]
) -> list[tuple[str, ...]] | None:
    """The kinds of tests of each mention where every kind stands after its names; None where one does not.

    "accounts: unit tests; cli: integration tests", "cart unit tests and api integration tests".
    """
    groups = _groups(types, found)
    if len(groups) < 2 or not named or named[-1].at > groups[-1][-1].at:
        return None
    owners: list[tuple[str, ...]] = []
    for one in named:
        group = next(group for group in groups if group[0].at > one.at)
        owners.append(tuple(word.value for word in group))
    for at, group in enumerate(groups):
        before = groups[at - 1] if at else None
        begin = before[-1].at if before else -1
        names = [one.at for one in named if begin < one.at < group[0].at]
        if not names or _reaches_over(before, names, found) or not _touch(names[-1], group[0].at, found):
            return None
    # "the orders service: its API, then how checkout works across modules" has one subject.
    said_of_first = found[max(one.at for one in named if one.at < groups[0][0].at) : groups[0][0].at]
    until_second = found[groups[0][-1].at : groups[1][0].at]
    if _has_pronoun(said_of_first) and not any(lexeme.text in _SENTENCE_ENDS for lexeme in until_second):
        return None
    return owners


def _groups(types: Sequence[TypeWord], found: Sequence[Lexeme]) -> list[list[TypeWord]]:
    """Kinds of tests that stand together: "unit and API tests"."""
    groups: list[list[TypeWord]] = []
    for word in types:
        between = found[groups[-1][-1].at + 1 : word.at] if groups else ()
        if groups and all(lexeme.role in ("and", "filler", "noun") or lexeme.text == "," for lexeme in between):
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _reaches_over(before: list[TypeWord] | None, names: Sequence[int], found: Sequence[Lexeme]) -> bool:
    """Whether the names after a kind of tests are its own: "unit tests for tax, API tests"."""
    if before is None:
        return False
    between = found[before[-1].at + 1 : names[0]]
    if any(lexeme.text in _SENTENCE_ENDS for lexeme in between):
        return False
    return any(lexeme.text.lower() in _OF for lexeme in between)


def _touch(name: int, kind: int, found: Sequence[Lexeme]) -> bool:
    """Whether only words without a meaning of their own, or a colon, stand between a name and a kind of tests."""
    return all(lexeme.role in ("filler", "noun", "verb") or lexeme.text == ":" for lexeme in found[name + 1 : kind])


def once(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions, each once, in order."""
    return tuple(dict.fromkeys(mentions))
