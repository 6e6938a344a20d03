"""Describes domains in words, for the spec."""

from __future__ import annotations

from ....utils.names.article import with_article
from ....utils.names.counted import counted
from ..model.domain import ParameterDomain

_NOUNS = {
    "any": ("value", "values"),
    "integer": ("integer", "integers"),
    "real": ("number", "numbers"),
    "boolean": ("boolean", "booleans"),
    "text": ("text", "texts"),
    "bytes": ("bytes", "bytes"),
    "none": ("None", "None"),
    "path": ("path", "paths"),
    "file": ("open file", "open files"),
    "date": ("date", "dates"),
    "datetime": ("date with time", "dates with time"),
    "duration": ("duration", "durations"),
    "pattern": ("regular expression", "regular expressions"),
    "type": ("class", "classes"),
}
_NAMED = {"sequence": "list", "set": "set", "iterator": "iterator", "mapping": "dictionary"}
_STYLES = {
    "list": "a dictionary of nodes with lists of neighbours",
    "set": "a dictionary of nodes with sets of neighbours",
    "mapping": "a dictionary of nodes with dictionaries of neighbours and weights",
    "pairs": "a dictionary of nodes with lists of neighbour and weight",
    "indexed": "a list that holds the neighbours of each node by number",
    "edges": "a list of edges",
}
_MOST_CHOICES = 8


def described(domain: ParameterDomain) -> str:
    """A domain in words: `a sorted list of integers`, `an object of Node, linked by next, or None`."""
    text = _one(domain, 0)
    related = [str(one) for one in domain.preconditions if one.other]
    if related:
        text = f"{text}, {', '.join(related)}"
    bounds = _bounds(domain)
    if bounds:
        text = f"{text} {bounds}"
    return f"{text}, or None" if domain.optional and domain.kind != "none" else text


def _one(domain: ParameterDomain, depth: int) -> str:
    adjectives = [one.kind for one in domain.preconditions if not one.other and "digits" not in one.kind]
    digits = next((one.kind for one in domain.preconditions if "digits" in one.kind), "")
    noun = _noun(domain, depth)
    if domain.kind == "text" and domain.length == 1:
        noun = "character"
    text = " ".join((*adjectives, *([] if domain.requires("absolute path") else [noun])))
    if digits:
        text = f"{text} of {digits}"
    return text if domain.kind in ("bytes", "none", "choice", "union") else with_article(text)


def _noun(domain: ParameterDomain, depth: int) -> str:
    special = {"choice": _choice, "callable": _function, "mapping": _dictionary, "object": _object}.get(domain.kind)
    if special is not None:
        return special(domain, depth)
    if domain.kind == "union":
        return " or ".join(_one(member, depth + 1) for member in domain.alternatives)
    if domain.kind == "graph":
        return f"graph, {_STYLES[domain.style]}" if domain.style else "graph"
    if domain.kind == "matrix":
        return f"matrix of {_plural(domain.element, depth)}"
    if domain.kind == "tuple" or (domain.kind == "sequence" and domain.length == 2):
        fields = [_one(field, depth + 1) for _, field in domain.fields]
        return f"tuple of {', '.join(fields)}" if fields and depth < 2 else "pair" if domain.length == 2 else "tuple"
    if domain.kind in _NAMED:
        name = domain.type_name if domain.type_name in ("deque", "tuple", "frozenset") else _NAMED[domain.kind]
        return f"{name} of {_plural(domain.element, depth)}" if domain.element is not None else name
    if domain.kind == "other":
        return domain.type_name or "value"
    noun = domain.type_name if domain.type_name and domain.kind == "real" else _NOUNS[domain.kind][0]
    if domain.choices:
        return f"{noun} made of {', '.join(domain.choices[:_MOST_CHOICES])}"
    return noun


def _choice(domain: ParameterDomain, _: int) -> str:
    listed = ", ".join(domain.choices[:_MOST_CHOICES])
    return f"one of {listed}" if domain.choices else f"a member of {domain.type_name}"


def _object(domain: ParameterDomain, _: int) -> str:
    links = f", linked by {' and '.join(domain.links)}" if domain.links else ""
    return f"object of {domain.type_name}{links}"


def _function(domain: ParameterDomain, _: int) -> str:
    count = domain.arity
    return "function" if count is None or count < 0 else f"function of {counted(count, 'argument')}"


def _dictionary(domain: ParameterDomain, depth: int) -> str:
    if domain.fields:
        return f"dictionary with {', '.join(repr(name) for name, _ in domain.fields[:_MOST_CHOICES])}"
    if domain.key is not None and domain.value is not None:
        return f"dictionary of {_plural(domain.key, depth)} to {_plural(domain.value, depth)}"
    return "dictionary"


def _plural(domain: ParameterDomain | None, depth: int) -> str:
    if domain is None or domain.kind == "any" or depth > 3:
        return "values"
    if domain.kind == "text" and domain.length == 1:
        return "characters"
    if domain.kind in _NOUNS:
        return _NOUNS[domain.kind][1]
    if domain.kind == "object":
        return f"objects of {domain.type_name}"
    if domain.kind == "tuple" or domain.length == 2:
        inner = {_plural(field, depth + 1) for _, field in domain.fields} or {_plural(domain.element, depth + 1)}
        noun = "pairs" if domain.length == 2 else "tuples"
        return f"{noun} of {next(iter(inner))}" if len(inner) == 1 else noun
    if domain.kind in _NAMED:
        noun = {"dictionary": "dictionaries"}.get(_NAMED[domain.kind], f"{_NAMED[domain.kind]}s")
        return f"{noun} of {_plural(domain.element, depth + 1)}" if domain.element is not None else noun
    return _one(domain, depth + 1)


def _bounds(domain: ParameterDomain) -> str:
    low, high = domain.minimum, domain.maximum
    stated = {one.kind for one in domain.preconditions}
    if low is not None and high is not None:
        return f"from {low:g} to {high:g}"
    if high is not None:
        return f"up to {high:g}"
    if low is not None and not stated & {"positive", "non-negative"}:
        return f"from {low:g}"
    return ""
