"""Cuts a request into lexemes: stretches of its text with the role that each has in the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .lexicon import AVAILABLE_FRAMEWORKS, NUMBERS, PATTERNS, SCRIPT_FRAMEWORKS, SPELLINGS, Role

_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^“”]+)”|(?<![\w\x00])'([^']+)'(?!\w)")
_ENDPOINT = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE)\s+/[^\s,;!?()\x00\"`]*")
_NO_APOSTROPHE = re.compile(r"\b(do|does|is|are|was|should|must|need|has|have)nt\b", re.IGNORECASE)
_CALL = re.compile(r"(?<=\w)\(\s*\)")
_EVERYDAY = ("noun", "filler", "verb", "place", "whole_noun")
_MAY_BE_NAMES = ("noun", "filler", "verb")
_NEVER_NAMES = frozenset(
    (
        "it its them they their these those this that same each every any both some one own such now new existing "
        "small short current different particular various me us you mine ours yours today something anything module "
        "modules package packages file files folder folders class classes function functions method methods symbol "
        "symbols test tests testing tested"
    ).split()
)
"""Words that point, count or say a kind of thing: quoted, they are names as well."""
_BEFORE_NAMES = frozenset("for of in from test cover check exercise verify validate include".split())
_AFTER_NAMES = frozenset("in from inside with using via too please".split())
_DETERMINERS = frozenset("the a an my our its their".split())
_REACH = 24
"""Words before or after one that say what it means."""
_KIND_NOUNS = frozenset("module package file folder class function method".split())
_METHOD_NOUNS = frozenset({"method", "methods"})
_GAP = re.compile(r"\s+|'s\b")
_WORD = re.compile(r"[^\s,;!?()]+")
_PUNCTUATION = re.compile(r"[,;!?()]|[.:](?=\s|$)|[-–—](?=\s)")
_SLASHED = re.compile(
    r"\b(unit|api|integration|e2e)/(?=(?:unit|api|integration|e2e)\b[^.\s]{0,60}\s+tests?\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A stretch of a request.

    Attributes:
        text: as written, without quotes, the full stop of a sentence, or a possessive.
        value: the test type of a type, the name of a framework, the depth, the base of changed code.
        quoted: the person put it in quotes.
        owner: a possessive: what follows lies inside it.
        count: how many a superlative asks for; 0 where it does not say.
        position: of its first character.
    """

    role: Role
    text: str
    value: str = ""
    quoted: bool = False
    owner: bool = False
    count: int = 0
    position: int = 0


def lexemes(
    text: str, known: Callable[[str], bool], is_method: Callable[[str], bool] = lambda _: False
) -> tuple[Lexeme, ...]:
    """Cut a request into lexemes, in order. Never fails; every word belongs to exactly one of them.

    Args:
        known: whether a word names something in the project; decides words that may be a name or a kind of tests.
        is_method: whether a class of it has a method of that name.
    """
    quoted: list[str] = []

    def set_apart(match: re.Match[str]) -> str:
        quoted.append(next(group for group in match.groups() if group).strip())
        return f"\x00{len(quoted) - 1}\x00"

    def set_endpoint_apart(match: re.Match[str]) -> str:
        whole = match.group()
        ending = _trailing(whole)
        quoted.append(" ".join(whole[: len(whole) - ending].split()))
        return f"\x00{len(quoted) - 1}\x00{whole[len(whole) - ending :]}"

    plain = _QUOTED.sub(set_apart, text.replace("\x00", " ").replace("’", "'"))
    plain = _ENDPOINT.sub(set_endpoint_apart, plain)
    # `quarter()` is the name of a function.
    plain = _CALL.sub("", _SLASHED.sub(r"\1, ", _NO_APOSTROPHE.sub(r"\1n't", plain)))
    found = list(_cut(plain, quoted, known))
    for at, lexeme in enumerate(found):
        is_name = _stands_as_name(at, found) and known(lexeme.text)
        is_excluded = at > 0 and found[at - 1].role == "exclude" and _stands_as_name(at, found)
        may_be_method = _ends_list(at, found) or is_excluded
        if is_name or _is_called(at, found) or (may_be_method and is_method(lexeme.text)):
            found[at] = replace(lexeme, role="mention")
    return tuple(_decided(at, found, known) for at in range(len(found)))


def _cut(text: str, quoted: list[str], known: Callable[[str], bool]) -> Iterator[Lexeme]:
    at = 0
    while at < len(text):
        gap = _GAP.match(text, at)
        if gap:
            at = gap.end()
            continue
        mark = _PUNCTUATION.match(text, at)
        if mark:
            yield Lexeme("punctuation", mark.group(), position=at)
            at = mark.end()
            continue
        found = _matched(text, at, quoted, known)
        if found is not None:
            lexeme, at = found
            yield lexeme
            continue
        word = _WORD.match(text, at)
        assert word is not None
        yield _mention(word.group(), quoted, at)
        at = word.end() - _trailing(word.group())


def _trailing(word: str) -> int:
    """How many characters at a word's end are punctuation of the sentence."""
    return len(word) - len(word.rstrip(".:")) if word.strip(".:/") else 0


def _mention(word: str, quoted: list[str], at: int) -> Lexeme:
    bare = word[: len(word) - _trailing(word)]
    owner = bare.endswith("'s")
    bare = _without_lone_brackets(bare.removesuffix("'s").strip("'\""))
    in_quotes = re.fullmatch("\x00(\\d+)\x00", bare)
    if in_quotes:
        return Lexeme("mention", quoted[int(in_quotes[1])], quoted=True, owner=owner, position=at)
    bare = re.sub("\x00(\\d+)\x00", lambda match: quoted[int(match[1])], bare)
    # A mark alone ("…", "->") says nothing.
    role: Role = "mention" if re.search(r"\w", bare) or bare in (".", "..", "./", "../") else "punctuation"
    return Lexeme(role, bare, owner=owner, position=at)


def _without_lone_brackets(word: str) -> str:
    """The word without brackets that stand around a list of names; those of a pattern ("x[12].py") stay."""
    for opening, closing in ("[]", "{}"):
        if closing not in word:
            word = word.removeprefix(opening)
        if opening not in word:
            word = word.removesuffix(closing)
    return word


def _matched(text: str, at: int, quoted: list[str], known: Callable[[str], bool]) -> tuple[Lexeme, int] | None:
    """The lexeme of the first pattern that takes the text from here, and where it ends."""
    for role, value, pattern in PATTERNS:
        match = pattern.match(text, at)
        if match is None or match.end() == at or _is_name(role, match, known):
            continue
        count = _number(match.groupdict().get("count") or "")
        return Lexeme(role, match.group(), _value(role, match, quoted) or value, position=at, count=count), match.end()
    return None


def _is_name(role: Role, match: re.Match[str], known: Callable[[str], bool]) -> bool:
    """Whether what a pattern takes is a name of the project after all."""
    text = match.group()
    if role == "framework":
        said = match["with"] or match["tests"] or match["name"].lower() in (*AVAILABLE_FRAMEWORKS, *SCRIPT_FRAMEWORKS)
        return not said and known(match["name"])
    if role in ("criterion", "action"):
        return known(_first_name(text))
    if role == "filler" and re.search(r"[\s-]", text):
        # "round trip" says how to test, and is `round_trip` where the project has one.
        return known(re.sub(r"[\s-]+", "_", text.lower()))
    # `Case` is a name where `case` is a word; the first word of a sentence is capitalised anyhow.
    return bool(match.start()) and role in _EVERYDAY and text != text.lower() and known(text)


def _value(role: Role, match: re.Match[str], quoted: list[str]) -> str:
    """What a lexeme stands for; "" where its pattern says it."""
    if role == "framework":
        name = re.sub(r"\s+", " ", match["name"].lower())
        return SPELLINGS.get(name, name)
    if role == "depth":
        return (match["before"] or match["after"]).lower()
    if role == "complex":
        return match["what"] or ""
    if role == "changed":
        return re.sub("\x00(\\d+)\x00", lambda number: quoted[int(number[1])], match["ref"] or "") or "HEAD"
    return ""


def _first_name(text: str) -> str:
    """The first word of a description that may be a name: "core" of "the core module"."""
    return re.sub(r"^(?:(?:only|just|the|its|public)\s+)*", "", text, flags=re.IGNORECASE).split()[0]


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS.get(word.lower(), 0)


def _decided(at: int, found: list[Lexeme], known: Callable[[str], bool]) -> Lexeme:
    """Decide a word that may be a kind of tests or a name: its writing, its neighbours, then the project say which."""
    lexeme = found[at]
    if lexeme.role == "include" and lexeme.text.lower() == "but":
        return replace(lexeme, role="exclude") if _leaves_out(at, found) else lexeme
    if lexeme.role != "maybe_type":
        return lexeme
    around = [_neighbour(at, found, step) for step in (-1, 1)]
    if lexeme.text.lower() == "load":
        # "API and load"; elsewhere it is what code does.
        joined = around[0] is not None and around[0].role in ("type", "maybe_type")
        return replace(lexeme, role="type" if joined and not known(lexeme.text) else "mention")
    a_type = lexeme.text != lexeme.text.lower() or any(one is not None and one.role == "type" for one in around)
    if a_type or not known(lexeme.text):
        return replace(lexeme, role="type")
    return replace(lexeme, role="mention")


def _stands_as_name(at: int, found: list[Lexeme]) -> bool:
    """Whether an everyday word stands where a name does: "tests for broken", "except code", "the behaviour module"."""
    lexeme = found[at]
    if lexeme.role not in _MAY_BE_NAMES or len(lexeme.text) < 3 or lexeme.text.lower() in _NEVER_NAMES:
        return False
    if not re.fullmatch(r"[\w-]+", lexeme.text):
        return False
    if lexeme.role == "verb" and _begins_list(at, found):
        return True  # "add and subtract"
    before = next((one for one in _before(at, found) if one.text.lower() not in _DETERMINERS), None)
    after = found[at + 1] if at + 1 < len(found) else None
    return _may_follow(lexeme, before) and (
        after is None
        or after.role in ("punctuation", "and", "exclude", "excluded", "include", "framework", "depth")
        or after.text.lower() in _AFTER_NAMES | _KIND_NOUNS
    )


def _ends_list(at: int, found: list[Lexeme]) -> bool:
    """Whether an everyday word ends a list of names: "Query.fragment and any"."""
    if found[at].role not in _MAY_BE_NAMES or at < 2 or found[at - 1].role != "and" or found[at - 2].role != "mention":
        return False
    return at + 1 == len(found) or found[at + 1].role == "punctuation" or found[at + 1].text.lower() in _METHOD_NOUNS


def _begins_list(at: int, found: list[Lexeme]) -> bool:
    """Whether a list of names begins with a word, at the beginning of a part of the sentence."""
    before = found[at - 1] if at else None
    joined = found[at + 1 : at + 3]
    return (
        (before is None or before.role in ("punctuation", "place"))
        and len(joined) == 2
        and (joined[0].text == "," or joined[0].text.lower() in ("and", "or", "&", "+", "plus"))
        and joined[1].role == "mention"
    )


def _is_called(at: int, found: list[Lexeme]) -> bool:
    """Whether a verb is the name of something, whatever the project has: "its validate method"."""
    lexeme = found[at]
    if lexeme.role != "verb" or lexeme.text.lower() in _NEVER_NAMES or not 0 < at < len(found) - 1:
        return False
    return found[at - 1].text.lower() in _DETERMINERS and found[at + 1].text.lower() in ("method", "function", "class")


def _before(at: int, found: list[Lexeme]) -> Iterator[Lexeme]:
    """The words before one, the nearest first; no more than a sentence has, so that long requests are read at once."""
    return (found[place] for place in range(at - 1, max(-1, at - 1 - _REACH), -1))


def _may_follow(lexeme: Lexeme, before: Lexeme | None) -> bool:
    """Whether a name may follow a word; an imperative begins a sentence or a part of it as well."""
    if before is None:
        return lexeme.role != "verb"
    if before.role == "and" or before.text in (",", ":"):
        return before.role != "and" or before.text.lower() in ("and", "or", "&", "+", "plus")
    return before.role == "exclude" or before.text.lower() in _BEFORE_NAMES | _KIND_NOUNS | {"only", "just"}


def _leaves_out(at: int, found: list[Lexeme]) -> bool:
    """Whether "but" means "except": a whole stands before it, and a name or a kind of tests after it."""
    before = next((one.role for one in _before(at, found) if one.role not in ("noun", "filler")), "")
    following = found[at + 1 : at + 1 + _REACH]
    after = next((one.role for one in following if one.role not in ("noun", "filler")), "")
    return before in ("whole", "whole_noun", "mention") and (
        not after or after in ("mention", "whole_noun") or (after in ("type", "maybe_type") and before == "whole")
    )


def _neighbour(at: int, found: list[Lexeme], step: int) -> Lexeme | None:
    """The next lexeme in a direction, past "and" and commas."""
    place = at + step
    while 0 <= place < len(found) and (found[place].role == "and" or found[place].text == ","):
        place += step
    return found[place] if 0 <= place < len(found) else None
