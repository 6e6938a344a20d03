"""What phrases of documents name: domains ("a sorted list of words"), classes by their common noun ("an interval" of
`Interval`), texts to choose from."""

from __future__ import annotations

import re
from dataclasses import replace

from ....utils.python_names import BUILTIN_NAMES
from ..facts.type_inference import name_entry
from ..model.domain import UNKNOWN, ParameterDomain, Precondition, PreconditionKind
from ..model.model import CallableFacts
from ..source.annotations import SIZE_OF
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

_INTEGER, _REAL, _TEXT = ParameterDomain("integer"), ParameterDomain("real"), ParameterDomain("text")
_SEQUENCE = ParameterDomain("sequence", type_name="Sequence")
_PAIR = ParameterDomain("sequence", type_name="", element=_INTEGER, length=2)
_FORMATS = (
    (r"urls?|uris?|web addresses|web address|hyperlinks?", "url"),
    (r"e-?mails?(?: address(?:es)?)?", "email"),
    (r"file ?names?|(?:file|relative) paths?", "path"),
    (r"html(?: (?:string|text|fragment|document))?", "html"),
    (r"regular expressions?|regex(?:es|p)?", "pattern"),
    (r"(?:json|serialized json) (?:string|text|document)s?", "json"),
    (r"host ?names?", "host"),
    (r"ip(?:v4)? address(?:es)?", "ip"),
    (r"(?:character )?encodings?|charset", "encoding"),
)


# A compiled expression is no text, nor is an object of a format.
_BEFORE = r"(?<!compiled )"
_BEHIND = r"(?!s? (?:object|parser|element|class|instance|node|tree|writer|reader|template|builder))"


def _named_texts(name: str) -> tuple[str, ...]:
    """The texts that a parameter of a name gets, without the empty one."""
    entry = name_entry(name)
    return tuple(text for text in (entry[1] if entry is not None else ()) if text != "''")


# What a noun phrase means, the most specific first. All are singular or plural.
_PHRASES: tuple[tuple[str, ParameterDomain], ...] = (
    (SIZE_OF, _INTEGER),
    (r"\b(element|member|item|part|piece|entry) of\b", UNKNOWN),  # what the whole is says little of a part
    # Objects of classes that other evidence names.
    (r"(singly |doubly )?linked[- ]lists?|(binary (search )?)?trees?\b|\bnodes?\b", UNKNOWN),
    (r"(weighted|distance) graphs?\b", ParameterDomain("graph", style="mapping")),
    (r"adjacency (dict\w*|map\w*|lists?)|\bgraphs?\b", ParameterDomain("graph", style="")),
    (r"\bmatri(x|ces)\b|\bgrids?\b|\bmazes?\b|(2d|two[- ]dimensional|2-d) (list|array|board)",
     ParameterDomain("matrix", element=_INTEGER)),
    (r"(list|array|collection|sequence|set)s? of (\w+ )?(pairs|intervals|ranges|points)|\bintervals\b",
     replace(_SEQUENCE, element=_PAIR)),
    (r"(list|array)s? of (\w+ )?(lists|arrays)", replace(_SEQUENCE, element=replace(_SEQUENCE, element=_INTEGER))),
    (r"(list|array|collection|sequence|tuple|set|iterable)s? of (\w+[ -])?(strings?|str|words|names|keywords|texts)",
     replace(_SEQUENCE, element=_TEXT)),
    (r"(list|array|sequence|string)s? of (\w+ )?(characters|chars|letters)",
     replace(_SEQUENCE, element=replace(_TEXT, length=1))),
    (r"(list|array|collection|sequence|tuple|iterable)s? of (\w+[ -]){0,2}(integers?|ints?|numbers?|digits|values)",
     replace(_SEQUENCE, element=_INTEGER)),
    (r"(integer|number|sorted|int)s? (\w+ )?(array|list|sequence)s?|arrays? of n|permutations?\b",
     replace(_SEQUENCE, element=_INTEGER)),
    (r"(list|array|sequence|tuple|iterable)s? of (\w+ )?(floats?|reals?)", replace(_SEQUENCE, element=_REAL)),
    (r"(list|array|sequence|tuple|iterable)s? of (\w+ )?(booleans?|bools?|flags?)",
     replace(_SEQUENCE, element=ParameterDomain("boolean"))),
    (r"(string|word)s? (array|list)s?", replace(_SEQUENCE, element=_TEXT)),
    (r"(list|array|sequence|collection|iterable)s? of (\w+[ -]){0,2}tuples",
     replace(_SEQUENCE, element=ParameterDomain("tuple", type_name="tuple"))),
    (r"(list|array|sequence|collection|iterable)s? of (\w+[ -]){0,2}(dicts|dictionaries|mappings)",
     replace(_SEQUENCE, element=ParameterDomain("mapping", type_name="dict"))),
    (r"binary (strings?|numbers? as strings?)", replace(_TEXT, preconditions=(Precondition("binary digits"),))),
    (r"(numeric|digit) strings?|strings? of digits|strings? (consisting|containing) (of )?(only )?digits",
     replace(_TEXT, preconditions=(Precondition("digits"),))),
    # What a text is that is called by its format; tables of names have the values.
    *((rf"{_BEFORE}\b(?:{words})\b{_BEHIND}", replace(_TEXT, samples=_named_texts(name))) for words, name in _FORMATS),
    (r"\babsolute (?:(?:unix|posix)[- ]?(?:style )?)?(?:file ?|directory )?(?:path|name)s?\b",
     replace(_TEXT, preconditions=(Precondition("absolute path"),))),
    (r"\bpalindromes?\b (string|word|text)", replace(_TEXT, preconditions=(Precondition("palindrome"),))),
    (r"\b(characters?|chars?|letters?)\b(?! (array|list|set))", replace(_TEXT, length=1)),
    (r"\b(strings?|words?|texts?|sentences?|paragraphs?|substrings?|phrases?)\b", _TEXT),
    (r"\b(dictionar(y|ies)|dicts?|mappings?|hash ?(map|table)s?)\b", ParameterDomain("mapping", type_name="dict")),
    (r"\b(array|list|sequence|collection)s?\b(?! node)", _SEQUENCE),
    (r"\b(floats?|real numbers?|decimals?|probabilit(y|ies))\b", _REAL),
    (r"\b(integers?|ints?|digits?|bit|exponent)\b|(natural|whole|prime|positive|non-?negative) numbers?", _INTEGER),
    (r"\b(numbers?)\b", _INTEGER),
    (r"\b(booleans?|bools?|flags?)\b|^whether\b", ParameterDomain("boolean")),
    (r"\b(functions?|callables?|callbacks?)\b", ParameterDomain("callable", arity=-1)),
)  # fmt: skip
_CONDITIONS: tuple[tuple[str, PreconditionKind], ...] = (
    (r"\bsorted\b(?! by)|\bascending\b|\bin increasing order", "sorted"),
    (r"\bnon-?empty\b", "non-empty"),
    (r"\b(distinct|unique|without duplicates)\b", "unique"),
    (r"\bpositive\b(?! or negative)|\bnatural number", "positive"),
    (r"\bnon-?negative\b|\bunsigned\b|\bwhole number", "non-negative"),
    (r"\bsquare matri|n ?[x*] ?n\b", "square"),
)
_RANGE = re.compile(
    r"(?:between|from|in the range|range(?: of| from)?)\s+\[?\(?(-?\d+)\s*(?:to|and|-|,|\.\.+)\s*(-?\d+)", re.IGNORECASE
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


def domain_of_phrase(phrase: str) -> ParameterDomain:
    """The domain that a noun phrase names, with its preconditions and bounds; `UNKNOWN` where it names none."""
    lowered = " ".join(phrase.lower().split())
    found = [
        (match.start(), at, domain) for at, (text, domain) in enumerate(_PHRASES) if (match := re.search(text, lowered))
    ]
    if not found:
        return UNKNOWN
    # The head of a phrase comes first; of phrases that begin at the same word the more specific one counts.
    _, _, domain = min(found, key=lambda one: one[:2])
    return conditioned(domain, lowered)


def _conditions_of(text: str) -> tuple[Precondition, ...]:
    """The preconditions that a text states."""
    lowered = text.lower()
    return tuple(Precondition(kind) for pattern, kind in _CONDITIONS if re.search(pattern, lowered))


def conditioned(domain: ParameterDomain, text: str) -> ParameterDomain:
    """Adds the preconditions that belong to a domain of this kind; those of numbers in a container to its items."""
    conditions = _conditions_of(text)
    numeric = [one for one in conditions if one.kind in ("positive", "non-negative")]
    others = [one for one in conditions if one not in numeric]
    if domain.kind in ("integer", "real"):
        minimum = 1.0 if any(one.kind == "positive" for one in numeric) else 0.0 if numeric else None
        bounds = _RANGE.search(text)
        low, high = (float(bounds[1]), float(bounds[2])) if bounds else (minimum, None)
        return replace(domain, preconditions=tuple(numeric), minimum=low, maximum=high)
    if domain.kind in ("sequence", "matrix", "mapping", "set"):
        allowed = ("square",) if domain.kind == "matrix" else ("sorted", "non-empty", "unique")
        kept = tuple(one for one in others if one.kind in allowed)
        element = domain.element
        if numeric and element is not None and element.kind == "integer":
            element = replace(element, minimum=1.0 if numeric[0].kind == "positive" else 0.0)
        return replace(domain, preconditions=(*domain.preconditions, *kept), element=element)
    if domain.kind == "text":
        kept = tuple(one for one in others if one.kind == "non-empty")
        return replace(domain, preconditions=(*domain.preconditions, *kept))
    return domain
