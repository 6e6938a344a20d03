"""Parses a request in plain words, before the project is read.

Words are sorted into four groups: test types, frameworks, restrictions ("only what has no tests", "except X"), and
mentions, which may name a file, a folder, a package, a module or a symbol. A word outside these groups is reported, not
guessed at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

TestType = Literal["unit", "api", "integration", "e2e", "performance"]

_TYPES: tuple[tuple[TestType, str], ...] = (
    ("e2e", r"(?<![./:_])\b(?:e2e|end[- ]to[- ]end|browser|user flows?|playwright)\b(?![./:])"),
    ("performance", r"(?<![./:_])\b(?:performance|load|stress|benchmarks?|under load)[- ]?(?:tests?)?\b(?![./:_])"),
    (
        "integration",
        r"(?<![./:_])\bintegrat(?:ion|ed)[- ]?(?:tests?)?\b(?![./:_])"
        r"|\bworks?\s+(?:across|together)\b|\bacross\s+modules\b",
    ),
    (
        "api",
        r"(?<![./:_])\b(?:rest\s+|http\s+)?(?:api|http|rest|endpoints?|openapi)[- ]?(?:tests?)?\b"
        r"(?![./:_]|\s*modules?\b)",
    ),
    ("unit", r"(?<![./:_])\bunit[- ]?(?:tests?)?\b(?![./:_])"),
)
_FRAMEWORK = re.compile(r"\b(?:with|using|in|for|as)?\s*(pytest|unittest)\b(?![./:_])", re.IGNORECASE)
_UNTESTED = re.compile(
    r"\b(?:only\s+)?(?:(?:what|whatever|everything|all|code|functions?|modules?|files?|things?)\s+(?:that\s+|which\s+)?)?"
    r"(?:(?:has|have|having|is|are|with)\s+)?"
    r"(?:no\s+(?:unit\s+)?tests?(?:\s+yet)?|without\s+(?:any\s+|unit\s+)?tests?|untested(?:\s+code)?|not\s+(?:yet\s+)?(?:tested|covered)(?:\s+yet)?)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:except(?:\s+for)?|excluding|but\s+not|leave\s+out|leaving\s+out|skip(?:ping)?|ignor(?:e|ing))\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[;:,.]\s|\b(?:and|then|plus|as well as|also)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
_TOKEN = re.compile(r"[^\s,;!?()]+")
_WHOLE = frozenset("all everything project repository repo package codebase whole entire root".split())
_FILLER = frozenset(
    """a about add all also an and any are as at be both by can case cases check class classes code codebase complete
    cover coverage covered covering create do each edge entire every everything example examples exist file files find
    first flow folder for from full fully function functions generate get give good happy have her his how i if in
    into is it its just let lib library like make me method methods missing module modules more my need needs new now of
    on one only or our out package packages path paths please possible project quality repo repository root run same
    should some source src-code suite sure symbol test tested testing tests than that the their them then there these
    they thing things this those to too unit up us use using want we well what where whether which whole will with work
    works write written you your under behaviour behavior good-quality thorough thoroughly important public against
    including include especially parts part area areas logic implementation regression python between how
    its their across together then plus well also flows scenarios""".split()
)
_WEAK = frozenset("service services app application program programs command line server system".split())


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that may name something.

    Attributes:
        text: as written, without quotes or the full stop of a sentence.
        explicit: quoted, or shaped like a path, a dotted name or a symbol: not finding it is worth saying.
        excluded: it stands after "except".
        weak: an everyday word: it names something only where no other word does, and not finding it is no loss.
    """

    text: str
    explicit: bool
    excluded: bool = False
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """What a request asks for one kind of tests: the mentions that belong to it, in order.

    Attributes:
        otherwise: mentions of the whole request or of its neighbours, which hold where its own name nothing.
    """

    test_type: TestType
    mentions: tuple[Mention, ...]
    otherwise: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A parsed request.

    Attributes:
        clauses: one for each of `test_types`. A mention before every kind of test ("the orders service: its API, …")
            belongs to each that names nothing itself; so does one after kinds that stand together ("unit and API tests
            of pricing"). What is excluded is excluded everywhere.
        framework: the one named first.
        further_frameworks: others that are named as well.
    """

    test_types: tuple[TestType, ...]
    clauses: tuple[Clause, ...]
    framework: str | None
    only_untested: bool
    whole: bool
    mentions: tuple[Mention, ...]
    further_frameworks: tuple[str, ...] = ()


def parse_request(text: str) -> ParsedRequest:
    """Sort the words of a request. Never fails; an empty request has no mentions and asks for the whole project."""
    quoted: list[str] = []

    def set_apart(match: re.Match[str]) -> str:
        quoted.append(next(group for group in match.groups() if group))
        return f" \x00{len(quoted) - 1}\x00 "

    plain = _QUOTED.sub(set_apart, text.replace("\x00", " "))
    only_untested = _UNTESTED.search(plain) is not None
    rest = _UNTESTED.sub(" ", plain)
    frameworks = list(dict.fromkeys(match.group(1).lower() for match in _FRAMEWORK.finditer(rest)))
    rest = _FRAMEWORK.sub(" ", rest)
    found: list[tuple[int, TestType]] = []
    for test_type, pattern in _TYPES:
        match = re.search(pattern, rest, re.IGNORECASE)
        if match:
            found.append((match.start(), test_type))
            rest = re.sub(pattern, lambda match: " " * len(match.group()), rest, flags=re.IGNORECASE)
    found.sort()
    placed, whole = _mentions(rest, quoted)
    mentions = tuple(dict.fromkeys(mention for _, mention in placed))
    types: tuple[TestType, ...] = tuple(test_type for _, test_type in found)
    clauses = tuple(_clauses(rest, found, placed))
    framework, further = (frameworks[0], tuple(frameworks[1:])) if frameworks else (None, ())
    return ParsedRequest(types, clauses, framework, only_untested, whole, mentions, further)


def _clauses(text: str, types: list[tuple[int, TestType]], placed: list[tuple[int, Mention]]) -> list[Clause]:
    """Assign mentions to test types by the parts of the sentence in which both occur."""
    borders = [match.start() for match in _SEPARATOR.finditer(text)]

    def part(position: int) -> int:
        return bisect_right(borders, position)

    named: dict[int, list[Mention]] = {at: [] for at, _ in types}
    header: list[Mention] = []
    for position, mention in placed:
        owner = _owner(part(position), [(part(at), at) for at, _ in types])
        (header if owner is None else named[owner]).append(mention)
    clauses: list[Clause] = []
    shared: list[Mention] = []
    for at, test_type in reversed(types):
        own = [mention for mention in named[at] if not mention.excluded]
        shared = own or (shared if clauses and not header else [])
        wider = header or shared
        clauses.insert(0, Clause(test_type, _once(own or wider), _once(wider if own else ())))
    return clauses


def _once(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    return tuple(dict.fromkeys(mentions))


def _owner(part: int, types: list[tuple[int, int]]) -> int | None:
    """Return the test type that a part of the sentence belongs to: its own, else the one before."""
    before = [at for typed, at in types if typed <= part]
    return before[-1] if before else None


def _mentions(text: str, quoted: Sequence[str]) -> tuple[list[tuple[int, Mention]], bool]:
    """Return the remaining words with their positions, in order, and whether one of them means everything."""
    excluding = _EXCEPT.search(text)
    border = excluding.start() if excluding else len(text)
    body = text if excluding is None else text[:border] + " " * (excluding.end() - border) + text[excluding.end() :]
    mentions: list[tuple[int, Mention]] = []
    whole = False
    for start, word, in_quotes in _words(body, quoted):
        excluded = start >= border
        if not in_quotes and word.lower() in _WHOLE and not excluded:
            whole = True
        if not in_quotes and (word.lower() in _FILLER or len(word) < 2 or not re.search(r"\w", word)):
            continue
        explicit = in_quotes or bool(re.search(r"[/\\.:_]|\w[A-Z]", word))
        weak = not explicit and word.lower() in _WEAK
        mentions.append((start, Mention(word, explicit, excluded, weak)))
    return mentions, whole


def _words(text: str, quoted: Sequence[str]) -> list[tuple[int, str, bool]]:
    words: list[tuple[int, str, bool]] = []
    position = 0
    for part_number, part in enumerate(text.split("\x00")):
        if part_number % 2:
            words.append((position, quoted[int(part)].strip(), True))
        else:
            for match in _TOKEN.finditer(part):
                word = match.group().rstrip(".:").removesuffix("'s").strip("'\"")
                words.append((position + match.start(), word, False))
        position += len(part) + 1
    return words
