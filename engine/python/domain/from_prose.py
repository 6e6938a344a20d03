"""Domains from prose: the parameter sections of docstrings of any style, and sentences that say what a parameter is."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..model.domain import UNKNOWN, DomainSource, ParameterDomain
from ..model.model import CallableFacts, Documentation
from ..source.annotations import head_phrase, prose_hint, type_hint
from .from_types import ClassLookup, domain_of_class, domain_of_hint
from .phrases import class_by_noun, conditioned, domain_of_phrase, with_options

_MAXIMUM_TEXT = 4_000
_INSTANCE_OF = (
    r"(?:(?:[Aa]n?|[Tt]he|[Aa]ny) )?(?:instance|object|subclass)s? of (?:an? |the )?(?::\w+:)?[`'\"~]*(?:[a-z_]\w*\.)*"
)
_PROSE_BEFORE = 400
_SAYS = re.compile(
    r"\s*(?:(?:is|are|must be|should be|denotes|represents)\s+(?:an?|the|one|all)\s+|[:=(]\s*(?:an?\s+)?|"
    r"--?\s+(?:an?\s+)?)"
    r"([\w\- ]{3,60})"
)
_NOUN_PHRASE = r"(?:an?|the|two|three|some|any|another|given)\s+((?:[\w\-*]+ ?){1,7})"
# Verbs whose object goes into a function; that of "make" or "return" comes out of it.
_WORKS_ON = re.compile(
    r"(?:split|strip|trim|escape|unescape|quote|unquote|parse|normali[sz]e|reverse|tokeni[sz]e|encode|decode|clean|"
    rf"capitali[sz]e|lowercase|uppercase|pad|wrap|unwrap|sanitize|slugify|truncate|shorten|dedent|indent)s? "
    rf"{_NOUN_PHRASE}",
    re.IGNORECASE,
)
# What a factory is made from: "Create a table from a list".
_MADE_FROM = re.compile(
    r"(?:create|make|build|construct|generate|initiali[sz]e|instantiate|load|read)s? (?:an? |the )?(?:new )?"
    rf"[\w ]{{1,40}}? (?:from|out of) {_NOUN_PHRASE}",
    re.IGNORECASE,
)
_MARKUP = re.compile(r":(?:\w+:)?\w+:`~?(?:[\w.]*\.)?([^`<>]+)`")
_GIVEN = re.compile(rf"\b(?:given|takes?|accepts?|receives?|gets?)\s+{_NOUN_PHRASE}", re.IGNORECASE)
_GIVEN_OR_RELATED = re.compile(
    rf"\b(?:given|takes?|accepts?|receives?|for|gets?|of|in|from|between)\s+{_NOUN_PHRASE}", re.IGNORECASE
)


# The type of an entry, before its description; "object name, a string" begins with a noun of the description.
_AN_OBJECT = re.compile(r"object(?:\s*(?:[.,:;)]|$)|\s+(?:[A-Z]|(?:the|an?)\b))")
_NUMBER_AS_TEXT = re.compile(
    r"(?:is )?(?:an? |the )?(?:decimal |whole )?numbers? (?:enclosed |wrapped |given |passed |written )?"
    r"(?:with|in|as) (?:an? )?(?:string|text|str)\b",
    re.IGNORECASE,
)


def domain_of_section(text: str, look_up: ClassLookup, any_module: ClassLookup = lambda _: None) -> ParameterDomain:
    """The domain of a parameter by its entry in a parameter section, which begins with a type where one is written.

    Args:
        look_up: finds the class that a name means in the module.
        any_module: finds a class of the project by its name, for an entry that says `an instance of` it.
    """
    # "(a function of) the lower bound" is first of all the bound.
    text = re.sub(r"^\((?:an?|the) [^()]*\)\s+", "", text)
    if _AN_OBJECT.match(text):
        return UNKNOWN  # declared as anything, whatever its words name
    if _NUMBER_AS_TEXT.match(text):
        fractions = () if "whole" in text.lower() else ("'17.5'",)
        return ParameterDomain("text", samples=(*fractions, "'250'", "'-3'", "'seventeen'"), source="docstring")
    declared = with_options(_declared_type(text, look_up, any_module), text)
    if declared.words:
        return replace(declared, source="docstring")
    # What can be passed instead, a further sentence says.
    phrase = _head_domain(re.split(r"\.\s", text[:200], maxsplit=1)[0])
    if declared.kind == "any":
        return replace(phrase, source="docstring") if phrase.kind != "any" else UNKNOWN
    if phrase.kind == declared.kind:
        declared = replace(
            declared,
            element=declared.element or phrase.element,
            preconditions=phrase.preconditions,
            minimum=phrase.minimum,
            maximum=phrase.maximum,
            length=declared.length or phrase.length,
            samples=declared.samples or phrase.samples,
        )
    elif declared.kind == "sequence" and phrase.kind in ("matrix", "graph"):
        declared = phrase
    return replace(declared, source="docstring")


def _head_domain(text: str) -> ParameterDomain:
    """What the first noun phrase of an entry names; what stands behind a preposition is another thing.

    "value to add to sorted list" names no list. Preconditions count wherever they stand: "list in ascending order".
    """
    domain = domain_of_phrase(head_phrase(text))
    whole = conditioned(replace(domain, preconditions=()), " ".join(text.lower().split()))
    return replace(whole, preconditions=tuple(dict.fromkeys((*domain.preconditions, *whole.preconditions))))


def _declared_type(text: str, look_up: ClassLookup, any_module: ClassLookup) -> ParameterDomain:
    """The type at the beginning of an entry: `list of str`, `List[int]`, `Node`, `an instance of Node`."""
    bracketed = re.match(r"[\w.]+\[[\w\s,.\[\]|]+\]", text)
    if bracketed:
        from_annotation = _annotation(bracketed[0], look_up)
        if from_annotation.kind != "any":
            return from_annotation
    first = re.match(rf"({_INSTANCE_OF})?([A-Z]\w+)", text)
    found = look_up(first[2]) if first else None
    if found is None and first and first[1]:
        found = any_module(first[2])
    if found is not None:
        return domain_of_class(*found, look_up)
    named = class_by_noun(head_phrase(text), look_up)
    if named.kind != "any":
        return named
    hint = prose_hint(" ".join(text.split()[:4]))
    domain = domain_of_hint(hint, look_up)
    # "number" may well mean an integer, so it is left to the other evidence.
    return UNKNOWN if re.match(r"(the |an? )?numbers?\b", text.lower()) else domain


def _annotation(text: str, look_up: ClassLookup) -> ParameterDomain:
    return domain_of_hint(type_hint(text), look_up)


class Prose:
    """Finds what the documentation of a callable says about its parameters.

    Args:
        one: the callable.
        further: further texts about it: its class's and its module's documentation, where it is the main subject.
        look_up: finds the class that a name means in the module.
        any_module: finds a class of the project by its name.
    """

    def __init__(
        self,
        one: CallableFacts,
        further: Sequence[Documentation],
        look_up: ClassLookup,
        any_module: ClassLookup = lambda _: None,
    ) -> None:
        self._one = one
        self._documents = [one.documentation, *further]
        self._look_up = look_up
        self._any_module = any_module
        self._known = frozenset(parameter.name for parameter in one.parameters)

    def domain(self, name: str) -> tuple[ParameterDomain, tuple[int, int]]:
        """The domain of a parameter and the lines that say so; `UNKNOWN` and (0, 0) without any."""
        for document in self._documents:
            entry = next((text for key, text in document.parameters if key.lstrip("*") == name), "")
            domain = domain_of_section(entry, self._look_up, self._any_module) if entry else UNKNOWN
            if domain.kind != "any":
                return self._conditioned_by_words(domain, name), document.lines
        for document in self._documents:
            text = document.text[:_MAXIMUM_TEXT]
            for source, find in self._readers():
                domain = find(text, name)
                if domain.kind != "any":
                    return replace(domain, source=source), document.lines
        return UNKNOWN, (0, 0)

    def _conditioned_by_words(self, domain: ParameterDomain, name: str) -> ParameterDomain:
        """Adds to what a section says the preconditions of the words: "Given a sorted array" above `nums: list`."""
        if domain.preconditions or domain.kind not in ("text", "sequence"):
            return domain
        for document in self._documents:
            for _, find in self._readers():
                said = find(document.text[:_MAXIMUM_TEXT], name)
                if said.kind == domain.kind and said.preconditions:
                    return replace(domain, preconditions=said.preconditions)
        return domain

    def _readers(self) -> Sequence[tuple[DomainSource, Callable[[str, str], ParameterDomain]]]:
        return (("docstring", self._named), ("docstring", self._worked_on), ("prose", self._given))

    def _worked_on(self, text: str, name: str) -> ParameterDomain:
        """What "Split a string on all newlines" says of the only thing that a function must be given."""
        required = [parameter.name for parameter in self._one.parameters if parameter.required]
        if required != [name] or self._one.kind == "method":
            return UNKNOWN
        flat = " ".join(_MARKUP.sub(r"\1", text).split())
        match = _WORKS_ON.match(flat) or _MADE_FROM.match(flat)
        return domain_of_phrase(match[1]) if match else UNKNOWN

    def _named(self, text: str, name: str) -> ParameterDomain:
        """What the words next to the parameter's name say: "two words A and B", "`nums` is a sorted array"."""
        quoted = rf"[`'\"*]{{0,2}}{re.escape(name)}[`'\"*]{{0,2}}"
        bare = quoted if len(name) > 1 and not _is_word(name) else rf"(?<![\w'])(?<!-){quoted}(?![\w'])"
        exact = re.compile(rf"(?<!\w){bare}(?!\w)")
        for sentence in re.split(r"(?<=[.!?:;])\s+|\n\s*\n", text):
            flat = " ".join(sentence.split())
            for match in exact.finditer(flat):
                for phrase in (self._after(flat[match.end() :]), self._before(flat[: match.start()])):
                    domain = domain_of_phrase(phrase) if phrase else UNKNOWN
                    if domain.kind != "any":
                        return domain
        return UNKNOWN

    @staticmethod
    def _after(text: str) -> str:
        match = _SAYS.match(text)
        return re.split(r"\b(?:that|which|where|whose|with|in|from|and|containing)\b", match[1])[0] if match else ""

    def _before(self, text: str) -> str:
        """The noun phrase in front of a name; names beside it, as in "strings a and b", belong to the same phrase."""
        words = _last_words(self._without_neighbours(text[-_PROSE_BEFORE:]))
        # A phrase ends where a verb or preposition begins; its noun stands last.
        for at in range(len(words) - 1, -1, -1):
            if words[at].lower() in _STOPS:
                words = words[at + 1 :]
                break
        phrase = " ".join(words)
        last = domain_of_phrase(words[-1]) if words else UNKNOWN
        return phrase if last.kind != "any" else ""

    def _without_neighbours(self, text: str) -> str:
        """Cut parameters with "and" or a comma behind them off a text's end: of "strings a and " "strings " is left."""
        parts = list(_PART.finditer(text))
        end = len(parts)
        while end > 1 and parts[end - 1][0] in _JOINTS:
            at = end - 2
            at -= int(at > 0 and parts[at][0] in _QUOTES)
            if parts[at][0] not in self._known:
                break
            end = at - int(at > 0 and parts[at - 1][0] in _QUOTES)
        return text[: parts[end].start()] if end < len(parts) else text

    def _given(self, text: str, name: str) -> ParameterDomain:
        """What "given a sorted array" says where the callable has one required parameter, or several alike."""
        required = [parameter.name for parameter in self._one.parameters if parameter.required]
        if name not in required:
            return UNKNOWN
        # "The index in the list" says of a method what its object is, of a function what it is given.
        pattern = _GIVEN if self._one.kind == "method" else _GIVEN_OR_RELATED
        for match in pattern.finditer(" ".join(text.split())):
            phrase = match[1]
            several = re.search(r"\b(two|three)\b", match[0].lower())
            if len(required) == 1 or (several and len(required) == {"two": 2, "three": 3}[several[1]]):
                domain = domain_of_phrase(phrase)
                if domain.kind != "any":
                    return domain
        return UNKNOWN


_PART = re.compile(r"\w+|[^\w\s]")
_JOINTS = frozenset({",", "and", "or"})
_QUOTES = frozenset("`'\"")
_WORDS_BEFORE = 6
_PLAIN = frozenset(string.ascii_letters + string.digits + "-")


def _last_words(text: str) -> list[str]:
    """The plain words that a text ends with, at most six, before an opening quote or bracket."""
    found: list[str] = []
    for word in reversed(text.rstrip().rstrip("`'\"(").rstrip().split(" ")[-_WORDS_BEFORE:]):
        at = len(word)
        while at and (word[at - 1] in _PLAIN):
            at -= 1
        if at < len(word):
            found.insert(0, word[at:])
        if at or not word:
            break
    return found


_STOPS = frozenset(
    "is are in to for from with by and or that which whose given find return returns if when on at as into than the "
    "a an two three all each every between whether".split()
)


def _is_word(name: str) -> bool:
    """Whether a name is also an English word that stands in prose for itself."""
    return name.lower() in ("a", "i", "string", "array", "list", "number", "text", "word", "graph", "input", "value")
