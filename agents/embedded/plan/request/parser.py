"""Parses a request in plain words into clauses, exclusions and conditions, before the project is read.

The grammar is written down in docs/requests.md. A lexeme is read once, in order; the only state is whether words are
being excluded. What has no role is a mention, which the planner finds in the project or names as not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .clauses import Named, TypeWord, clauses_of, once
from .kinds_of_names import with_kinds
from .lexemes import Lexeme, lexemes
from .lexicon import TYPE_OF_FRAMEWORK, WEAK, means_program
from .parsed_request import Mention, ParsedRequest, Superlative

TESTS_STAY = "tests that are there are not changed; `testwright assess` examines them"
CODE_STAYS = "testwright writes tests and changes no code"
_REST = re.compile(r"\b(?:rest|else|others?)\b", re.IGNORECASE)
_LONGEST_NAME = 3
_LONGEST_PHRASE = 4
_ARTICLES = ("a", "an", "any", "the")
_BEFORE_OBJECTS = (*_ARTICLES, "my", "our", "all", "that", "this", "these", "those", "in", "of")
_DAYS = re.compile(
    r"^(?:yesterday|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday|last|this|the|a|january|february|march"
    r"|april|may|june|july|august|september|october|november|december)$",
    re.IGNORECASE,
)


_PRONOUNS = ("its", "their")
_TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")


@dataclass(slots=True)
class _Reader:
    """What has been read so far.

    Attributes:
        part: number of the part of the sentence.
        segment: number of the stretch between commas, for "cli excluded".
        excluding: words name what is left out; `items` counts them, `opener` is the word that began it, `passed` are
            words without a meaning of their own that follow it at once.
        apart: a comma or "and" stands after the last item.
        language: "in TypeScript", which says a framework where none is named.
    """

    named: list[Named] = field(default_factory=list)
    types: list[TypeWord] = field(default_factory=list)
    frameworks: dict[str, None] = field(default_factory=dict)
    excluded_types: dict[str, None] = field(default_factory=dict)
    excluded_frameworks: dict[str, None] = field(default_factory=dict)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    only_untested: bool = False
    changed_since: str | None = None
    most_complex: Superlative | None = None
    depth: str | None = None
    whole: bool = False
    language: str = ""
    part: int = 0
    segment_from: int = 0
    excluding: bool = False
    items: int = 0
    opener: str = ""
    passed: list[str] = field(default_factory=list)
    apart: bool = False

    def read(self, at: int, lexeme: Lexeme) -> None:
        """Take in one lexeme."""
        role = lexeme.role
        if role == "mention":
            self._mention(at, lexeme)
        elif role == "type":
            self._type(at, lexeme)
        elif role == "framework":
            self._framework(at, lexeme)
        elif role == "exclude":
            self.end_exclusion()
            self.excluding, self.items, self.opener, self.apart = True, 0, lexeme.text, False
            self.passed = []
        elif role == "excluded":
            self._excluded(lexeme)
        elif role == "whole":
            self._whole()
        elif role == "whole_noun":
            # "the shop project" is about shop; "not the project" leaves out nothing that could be named.
            self.whole = self.whole or not (self.named and self.named[-1].at == at - 1)
        elif self.excluding and self.items and self._begins_anew(lexeme):
            self.end_exclusion()
        elif role == "and":
            self._separate()
        elif role == "punctuation":
            self._punctuation(lexeme.text)
        elif role in ("filler", "noun"):
            self.passed += [lexeme.text] if self.excluding and not self.apart else []
        else:
            self._condition(lexeme)

    def _begins_anew(self, lexeme: Lexeme) -> bool:
        """Whether a word after names that are left out begins what is to be tested: "…, and of time"."""
        return lexeme.role in ("verb", "include") or (self.apart and lexeme.text.lower() == "of")

    def _mention(self, at: int, lexeme: Lexeme) -> None:
        word = lexeme.text
        if not lexeme.quoted and len(word) < 2 and word != ".":
            self.unknown += [] if word.lower() in "ai" else [(word, "a single letter names nothing; quote it")]
            return
        explicit = lexeme.quoted or bool(re.search(r"[/\\.:_*]|\w[A-Z]", word))
        weak = not explicit and word.lower() in WEAK
        self.named.append(Named(Mention(word, explicit, self.excluding, weak), self.part, at))
        self.items += 1
        self.apart = False

    def _type(self, at: int, lexeme: Lexeme) -> None:
        if self.excluding and not self.items:
            self.excluded_types[lexeme.value] = None
            self._forget_exclusion()
            return
        if self.excluding and not self.apart:
            return  # "everything but the cli unit tests" leaves out cli
        self.end_exclusion()
        self.types.append(TypeWord(at, self.part, lexeme.value, lexeme.text))

    def _framework(self, at: int, lexeme: Lexeme) -> None:
        if self.excluding and not self.items:
            self.excluded_frameworks[lexeme.value] = None
            self._forget_exclusion()
            return
        self.end_exclusion()
        self.frameworks[lexeme.value] = None
        implied = TYPE_OF_FRAMEWORK.get(lexeme.value)
        if implied and all(one.value != implied for one in self.types):
            self.types.append(TypeWord(at, self.part, implied, lexeme.text))

    def _excluded(self, lexeme: Lexeme) -> None:
        """ "cli excluded", "leave the cli out": what stands before it is left out."""
        if self.excluding:
            self.end_exclusion()
            return
        segment = [named for named in self.named if named.at >= self.segment_from]
        if not segment:
            if lexeme.text.lower() not in ("out", "alone", "aside"):
                self.unknown.append((lexeme.text, "nothing before it could be left out"))
            return
        for named in segment:
            named.mention = replace(named.mention, excluded=True)

    def _whole(self) -> None:
        if self.excluding and not self.items:
            return  # "except all of stock", "not everything"
        self.end_exclusion()
        self.whole = True

    def _separate(self) -> None:
        self.part += 1
        self.apart = True

    def _punctuation(self, mark: str) -> None:
        if mark in ",;.:":
            self._separate()
        if mark in ":(" and self.excluding and not self.items:
            return  # "all except: api, cli", "all minus (api, cli)"
        if mark != ",":
            self.end_exclusion()

    def _condition(self, lexeme: Lexeme) -> None:
        role = lexeme.role
        if self.excluding and not self.items and role in ("untested", "changed", "complex", "criterion"):
            self.unknown.append((f"{self.opener} {lexeme.text}", "only the opposite of it can be chosen"))
            self._forget_exclusion()
        elif role == "language":
            self.language = lexeme.text
        elif role == "untested":
            self.only_untested = True
        elif role == "changed":
            if _DAYS.match(lexeme.value):
                self.unknown.append((lexeme.text, "changes are counted from a branch, tag or commit, not from a day"))
            self.changed_since = lexeme.value
        elif role == "complex":
            self.most_complex = _superlative(lexeme)
        elif role == "criterion":
            self.unknown.append((lexeme.text, "no choice or limit of this kind is available; name what to test"))
        elif role == "existing":
            self.unknown.append((lexeme.text, TESTS_STAY))
        elif role == "action":
            self.unknown.append((lexeme.text, CODE_STAYS))
        elif role == "depth":
            self.depth = lexeme.value

    def end_exclusion(self) -> None:
        """End what is left out; an opener that no name follows is not understood, nor is what follows it instead."""
        if self.excluding and not self.items:
            said = any(word.lower() not in _ARTICLES for word in self.passed)
            self.unknown.append(
                (" ".join(self.passed), "it names nothing that could be left out")
                if said
                else (self.opener, "it does not say what is to be left out")
            )
        self._forget_exclusion()

    def _forget_exclusion(self) -> None:
        self.excluding, self.items, self.opener = False, 0, ""


def _superlative(lexeme: Lexeme) -> Superlative:
    what = lexeme.value.lower()
    one = what in ("module", "file", "function", "method", "class", "part", "piece", "one")
    count = lexeme.count or (1 if one else 0)
    if what.startswith("class"):
        return Superlative("class", count)
    return Superlative("function" if what.startswith(("function", "method")) else "module", count)


def parse_request(
    text: str, known: Callable[[str], bool] = lambda _: False, is_method: Callable[[str], bool] = lambda _: False
) -> ParsedRequest:
    """Sort the words of a request. Never fails; an empty request has no mentions and asks for the whole project.

    Args:
        known: whether a word names something in the project; decides words that may be a name or a kind of tests, and
            names written as several words.
        is_method: whether a class of the project has a method of that name.
    """
    found = _with_actions(lexemes(text, known, is_method))
    reader = _Reader()
    for at, lexeme in enumerate(found):
        if lexeme.text in (",", ";", ".") or lexeme.role == "and":
            reader.segment_from = at if lexeme.role != "and" else reader.segment_from
        reader.read(at, lexeme)
    reader.end_exclusion()
    named = with_kinds(_with_owners(_joined(reader.named, found, known), found), found)
    _use_language(reader)
    return ParsedRequest(
        clauses=tuple(clauses_of(reader.types, named, found)),
        excluded_types=tuple(reader.excluded_types),
        frameworks=tuple(name for name in reader.frameworks if name not in reader.excluded_frameworks),
        excluded_frameworks=tuple(reader.excluded_frameworks),
        only_untested=reader.only_untested,
        changed_since=reader.changed_since,
        most_complex=reader.most_complex,
        depth=reader.depth,  # pyrefly: ignore[bad-argument-type] - the pattern has only these
        whole=reader.whole,
        rest=reader.whole and _means_rest(found),
        mentions=once(named.mention for named in named),
        unknown=tuple(dict.fromkeys(reader.unknown)),
    )


def _with_actions(found: Sequence[Lexeme]) -> list[Lexeme]:
    """Decide words such as "delete": an action at the beginning of a part that has an object, else a name."""
    decided: list[Lexeme] = []
    is_first = True
    for at, lexeme in enumerate(found):
        if lexeme.role == "action":
            after = next((one.role for one in found[at + 1 :] if one.text.lower() not in _BEFORE_OBJECTS), "")
            is_action = is_first and after in ("mention", "whole", "whole_noun")
            decided.append(lexeme if is_action else replace(lexeme, role="mention"))
        else:
            decided.append(lexeme)
        separates = lexeme.role in ("and", "punctuation")
        is_first = separates or (is_first and lexeme.role == "filler")
    return decided


def _means_rest(found: Sequence[Lexeme]) -> bool:
    """Whether "the rest" or "everything else" stands alone: "the rest of the reports" names the reports."""
    following = [*(lexeme.role for lexeme in found[1:]), ""]
    return any(
        lexeme.role == "whole" and _REST.search(lexeme.text) and after != "place"
        for lexeme, after in zip(found, following, strict=True)
    )


def _use_language(reader: _Reader) -> None:
    """Take a language for the framework that browser and API tests in it are written for; else it has to fit."""
    if not reader.language or {"jest", "playwright"} & set(reader.frameworks):
        return
    kinds = {one.value for one in reader.types}
    if "e2e" in kinds or kinds == {"api"}:
        reader.frameworks = {"playwright": None, **reader.frameworks}
    elif not any(named.mention.text.partition(":")[0].endswith(_TYPESCRIPT) for named in reader.named):
        reason = "unit tests in it are written for jest, browser and API tests for playwright: name one"
        reader.unknown.append((reader.language, reason))


def _joined(named: Sequence[Named], found: Sequence[Lexeme], known: Callable[[str], bool]) -> list[Named]:
    """Join neighbouring words that together name one thing: "order service" for `order_service`, "command line"."""
    kept: list[Named] = []
    at = 0
    while at < len(named):
        for length in range(_LONGEST_PHRASE, 1, -1):
            run = named[at : at + length]
            if len(run) < length:
                continue
            name = _one_name(run, found, known) if length <= _LONGEST_NAME else ""
            phrase = "" if name else _program_phrase(run, known)
            if name or phrase:
                mention = replace(run[0].mention, text=name or phrase, explicit=bool(name), weak=bool(phrase))
                kept.append(replace(run[0], mention=mention, at=run[-1].at))
                at += length
                break
        else:
            kept.append(named[at])
            at += 1
    return kept


def _one_name(run: Sequence[Named], found: Sequence[Lexeme], known: Callable[[str], bool]) -> str:
    adjacent = all(second.at == first.at + 1 for first, second in pairwise(run))
    words = [named.mention.text for named in run]
    if not adjacent or any(found[named.at].quoted or found[named.at].owner for named in run):
        return ""
    if any(re.search(r"[^\w-]", word) for word in words):
        return ""
    lower = [word.lower().replace("-", "_") for word in words]
    spellings = (
        ".".join(lower),
        "_".join(lower),
        "".join(lower),
        "".join(word[:1].upper() + word[1:] for word in words),
    )
    return next((name for name in spellings if known(name)), "")


def _program_phrase(run: Sequence[Named], known: Callable[[str], bool]) -> str:
    """Everyday words side by side that mean the project's program, as one phrase; "" where one of them is a name."""
    texts = [named.mention.text for named in run]
    adjacent = all(second.at == first.at + 1 for first, second in pairwise(run))
    if not adjacent or not all(named.mention.weak for named in run) or not means_program(texts):
        return ""
    return "" if any(known(text) for text in texts) else " ".join(texts)


def _with_owners(named: list[Named], found: Sequence[Lexeme]) -> list[Named]:
    """Note what a mention lies inside: "`total` in pricing", "total and tax of pricing", "pricing's total"."""
    for number, owner in enumerate(named):
        if number and _between(named[number - 1], owner, found, place=True):
            member = number - 1
            while member >= 0 and named[member].mention.excluded == owner.mention.excluded:
                named[member].mention = replace(named[member].mention, within=owner.mention.text)
                if not member or not _between(named[member - 1], named[member], found, place=False):
                    break
                member -= 1
        following = named[number + 1] if number + 1 < len(named) else None
        if following is None:
            continue
        _own_members(owner, named[number + 1 :], found)
        # "pricing's total", "pricing: total", "pricing: only total and tax"
        between = found[owner.at + 1 : following.at]
        is_listed = bool(between) and between[0].text == ":" and _is_plain(between[1:])
        if (found[owner.at].owner and not between) or is_listed:
            following.mention = replace(following.mention, within=owner.mention.text)
        if is_listed:
            _list_inside(owner, named[number + 1 :], found)
    return named


def _own_members(owner: Named, following: Sequence[Named], found: Sequence[Lexeme]) -> None:
    """Note the members that a pronoun gives to what stands before: "Signer and its sign and unsign methods"."""
    between = found[owner.at + 1 : following[0].at]
    is_owner = not (owner.mention.within or owner.mention.excluded or owner.mention.weak)
    if not is_owner or not between or between[-1].text.lower() not in _PRONOUNS:
        return
    if any(lexeme.role in ("type", "maybe_type") or lexeme.text in (":", ".", ";") for lexeme in between):
        return
    for first, second in pairwise((owner, *following)):
        if first is not owner and not _between(first, second, found, place=False):
            return
        second.mention = replace(second.mention, within=owner.mention.text, beside=True)


def _is_plain(found: Sequence[Lexeme]) -> bool:
    """Whether nothing with a meaning of its own stands there."""
    return all(lexeme.role in ("filler", "noun", "include") for lexeme in found)


def _list_inside(owner: Named, listed: Sequence[Named], found: Sequence[Lexeme]) -> None:
    """Note that the names of a list lie inside what stands before its colon, until a name that has its own list."""
    for first, second in pairwise(listed):
        has_own_list = found[second.at + 1 : second.at + 2] and found[second.at + 1].text == ":"
        if has_own_list or second.mention.excluded or not _between(first, second, found, place=False):
            return
        second.mention = replace(second.mention, within=owner.mention.text)


def _between(first: Named, second: Named, found: Sequence[Lexeme], *, place: bool) -> bool:
    """Whether a place word ("in"), or else "and" or a comma, is the one thing with a meaning between two mentions."""
    roles = [lexeme.role if lexeme.text != "," else "and" for lexeme in found[first.at + 1 : second.at]]
    wanted = "place" if place else "and"
    return wanted in roles and all(role in (wanted, "filler", "noun") for role in roles)
