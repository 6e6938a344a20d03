"""Natural texts of a domain: what a person would write for a parameter of its name and with the signs that it takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....utils.python_source import literal_or
from ..facts.type_inference import name_entry
from ..model.domain import ParameterDomain
from . import example_tables as tables

_MOST_SIGNS = 6
_ADDRESS_SIGNS = frozenset("/ ? # & = : // :// @ ; . % + ..".split())
_FEWEST_ADDRESS_SIGNS = 3
_IS_FILLED = re.compile(r"[{].*[}]|%|\.\.\.")
_VOWELS = frozenset("aeiou")


def rotated(values: Sequence[str], place: int) -> list[str]:
    """The values from a place on, then those before it."""
    at = place % len(values)
    return [*values[at:], *values[:at]]


def text_sources(
    domain: ParameterDomain, name: str, place: int, default: str = "", *, several_lines: bool = False
) -> list[str]:
    """Texts of a domain, plain ones first; `choices` are texts or the tokens that a text is made of.

    Args:
        name: the parameter's name.
        place: how many parameters of the same kind come before it.
        default: source of the parameter's default; where that is a sign, so are the texts.
        several_lines: whether the callable is about the lines of a text.
    """
    if domain.choices:
        return _of_tokens(domain, place)
    if domain.words:
        # Those that are told apart, then one that is none of them.
        words = [str(literal_or(text, "")) for text in domain.words]
        return [*rotated(words, place), *rotated(tables.WORDS, place)[:1], ""]
    if domain.length == 1 or tables.LETTER_NAME.fullmatch(name):
        return rotated(tables.LETTERS, place)
    if domain.requires("binary digits") or tables.BITS_NAME.fullmatch(name):
        return [*rotated(tables.BINARY, place), "0", ""]
    for required, (plain, edges) in tables.REQUIRED_TEXTS.items():
        if domain.requires(required):
            return [*rotated(plain, place), *edges]
    named = texts_named(name)
    formed = _of_name(named, place)
    lines = tables.LINES if several_lines and not domain.preconditions else ()
    return formed or [*lines, *signs_beside(default), *_of_parts(domain, name, named, place)]


def _of_parts(domain: ParameterDomain, name: str, named: Sequence[str], place: int) -> list[str]:
    """Texts of what the code looks for in them and of known samples; else plain ones."""
    samples = [str(literal_or(text, "")) for text in domain.samples]
    if domain.parts and not domain.preconditions:
        parts = [str(literal_or(text, "")) for text in domain.parts]
        both = [text for text in samples if all(part in text for part in parts)]
        return [*both, *_of_address(parts, name, place), *_with_parts(parts, place), *samples]
    if samples and not domain.preconditions:
        own = [str(literal_or(text, "")) for text in named[:1] if not _is_prose(name)]
        return [*samples[:1], *own, *samples[1:], *rotated(tables.WORDS, place)[:1], ""]
    whose = tables.NAME_OF.fullmatch(name) if not named else None
    if whose is not None:
        return [whose[1], *rotated(tables.WORDS, place), ""]  # in a test each name says what it is the name of
    if domain.requires("letters") or not _is_prose(name):
        return [*rotated(tables.WORDS, place), tables.TEXTS[place % 4].title(), "aab", "a", ""]
    return [*rotated(tables.TEXTS, place)[:2], "Hello World", "kitten", "a", ""]


def _of_name(named: Sequence[str], place: int) -> list[str]:
    """The texts that a name suggests, where they have a form of their own, before plain words."""
    if not named or named[0] in tables.PLAIN_TEXT:
        return []
    texts = [str(literal_or(text, "")) for text in named]
    one_letter = all(len(text) == 1 and text.isalnum() for text in texts)  # a conversion or a mode is no word
    return [*rotated(texts, place), *([] if one_letter else rotated(tables.WORDS, place))]


def signs_beside(default: str) -> list[str]:
    """Other signs than a default that is one: a bracket for a bracket, a pair for a pair, a separator for a separator.

    There is none beside a template, such as `"{}"`, and what stands for more of the same.
    A default may also be a regular expression of a sign, such as `" ?\\| ?"`; plain signs are expressions as well.
    """
    value = literal_or(default, "")
    if not isinstance(value, str):
        return []
    sign = re.sub(r"[\\?\s]", "", value)
    if not sign or any(map(str.isalnum, sign)) or sign.endswith(("+", "*")) or _IS_FILLED.search(sign):
        return []
    if sign in tables.PAIRS:
        return [value.replace(sign, pair) for pair in tables.PAIRS if pair != sign]
    for brackets in tables.BRACKET_SIGNS:
        if set(sign) <= set(brackets):
            return [bracket for bracket in brackets if bracket not in sign]
    others = [other for other in tables.SIGNS.get(sign, tables.OTHER_SIGNS) if other not in sign]
    framed = value.replace(sign, "{}") if re.fullmatch(r"\s*[^\\?\s]+\s*", value) else "{}"
    return [framed.replace("{}", other) for other in others]


def texts_named(name: str) -> tuple[str, ...]:
    """The texts that a parameter's name suggests, as source."""
    for pattern, texts in ((tables.INDENT_NAME, tables.INDENTS), (tables.ELLIPSIS_NAME, tables.ELLIPSES)):
        if pattern.fullmatch(name):
            return tuple(map(repr, texts))
    entry = name_entry(name)
    return entry[1] if entry is not None and entry[0] == "str" else ()


def _of_address(parts: Sequence[str], name: str, place: int) -> list[str]:
    """What a text is that is taken to pieces at signs of a web address: an address, or the part that its name says."""
    signs = _ADDRESS_SIGNS & set(parts)
    if len(signs) < _FEWEST_ADDRESS_SIGNS or len(signs) * 2 <= len(parts):
        return []
    found = next((texts for pattern, texts in tables.ADDRESS_PARTS if re.fullmatch(pattern, name)), tables.ADDRESSES)
    return rotated(found, place)


def _with_parts(parts: Sequence[str], place: int) -> list[str]:
    """Texts of words with signs between them, then without, then a sign alone."""
    words = rotated(tables.WORDS, place)
    signs = parts[:_MOST_SIGNS]
    whole = words[0] + "".join(sign + words[(at + 1) % len(words)] for at, sign in enumerate(signs))
    several = parts[0].join(words[:3])
    return [whole if len(parts) > 1 else several, words[0], parts[0], ""]


def _is_prose(name: str) -> bool:
    return (
        re.fullmatch(r"(text|sentence|content|body|message|msg|phrase|title|line|document|paragraph)s?\d?", name)
        is not None
    )


def _of_tokens(domain: ParameterDomain, place: int) -> list[str]:
    """Texts made of known tokens: where all are single characters, several of them; else the tokens themselves."""
    tokens = [str(literal_or(text, text)) for text in domain.choices]
    if domain.length == 1 or any(len(token) != 1 for token in tokens):
        return rotated(tokens, place)
    if set(domain.choices) <= set(domain.words):
        # The text itself is compared with each of them, not its characters: it is one of them. Blanks say least.
        seen = [token for token in tokens if token.strip()]
        return [*rotated(seen or tokens, place), *(token for token in tokens if seen and not token.strip())]
    if set("".join(tokens).lower()) <= _VOWELS:
        # What asks for vowels is about words, in which they are: nobody writes texts of vowels alone.
        words = rotated(tables.WORDS, place)
        return [*([word.upper() for word in words] if tokens[0].isupper() else words), ""]
    pairs = [opening + closing for opening, closing in ("()", "[]", "{}", "<>") if {opening, closing} & set(tokens)]
    if pairs:
        nested = "".join(pair[0] for pair in pairs) + "".join(pair[1] for pair in reversed(pairs))
        return [nested + pairs[0], "".join(pairs), nested[:-1], pairs[0][::-1], pairs[0], ""]
    ordered = rotated(tokens, place)
    return ["".join(ordered[:3]), "".join([*ordered[1:3], ordered[0]]), ordered[0] * 2 + ordered[-1], *ordered]
