"""Domains of rows and records: what `from_list` is made from, and data whose columns another parameter names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import CallableFacts, ClassFacts
from .phrases import domain_of_phrase

COLUMN_NAMES = ("'name'", "'count'")
"""Names of the columns of sample rows: a word, and a number."""

HEADERS_NAME = re.compile(r"(col(umn)?_?)?(headers?|headings?|names)|columns|cols|field_?names")
_DATA_NAME = re.compile(r"(\w+_)?(data|rows|records|table|body|content|items|values)")
_TEXT, _INTEGER = ParameterDomain("text"), ParameterDomain("integer")
_ROW = ParameterDomain("tuple", type_name="list", fields=(("name", _TEXT), ("count", _INTEGER)), length=2)
_ROWS = ParameterDomain("sequence", type_name="list", element=_ROW)
_HEADERS = ParameterDomain("sequence", type_name="list", element=replace(_TEXT, samples=COLUMN_NAMES), length=2)
_NAMESPACE = ParameterDomain("object", type_name="SimpleNamespace", module="types")
# What a factory is made from, by the word behind `from_` in its name.
_SOURCES: Mapping[str, ParameterDomain] = {
    "dict": ParameterDomain("mapping", type_name="dict"),
    "mapping": ParameterDomain("mapping", type_name="dict"),
    "list": ParameterDomain("sequence", type_name="list"),
    "tuple": ParameterDomain("sequence", type_name="tuple"),
    "set": ParameterDomain("set", type_name="set"),
    "iterable": ParameterDomain("sequence", type_name="Iterable"),
    "sequence": ParameterDomain("sequence", type_name="Sequence"),
    "object": _NAMESPACE,
    **dict.fromkeys(("str", "string", "text"), _TEXT),
    **dict.fromkeys(("int", "integer"), _INTEGER),
    "float": ParameterDomain("real"),
    "bytes": ParameterDomain("bytes"),
}
_FROM = re.compile(r"(?:(?:create|make|new|build|load|read|parse)_)?from_([a-z]+)")


def is_namespace(domain: ParameterDomain) -> bool:
    """Whether a domain is of plain objects with attributes, of no class of the project."""
    return (domain.kind, domain.type_name, domain.module) == ("object", _NAMESPACE.type_name, _NAMESPACE.module)


def named_source(one: CallableFacts, name: str, documents: Iterable[str] = ()) -> ParameterDomain:
    """The domain that a callable's own name gives its one required parameter: a list for `from_list`; else unknown.

    What several such callables hand on to one function is used alike there, so their names say more than that use.

    Args:
        documents: the texts of its docstring and of its class's, where "list of bools" says what such a list holds.
    """
    required = [item for item in one.parameters if item.required]
    match = _FROM.fullmatch(one.name)
    if match is None or [item.name for item in required] != [name] or required[0].annotation:
        return UNKNOWN
    found = _SOURCES.get(match[1], UNKNOWN)
    if found.kind == "sequence" and found.element is None:
        phrases = [phrase for text in documents for phrase in _LIST_OF.findall(" ".join(text.split()))]
        elements = [domain_of_phrase(phrase).element for phrase in phrases]
        found = replace(found, element=next((inner for inner in elements if inner and inner.kind in _PLAIN), None))
    return replace(found, source="docstring", lines=one.lines) if found.kind != "any" else UNKNOWN


def with_columns(one: CallableFacts, domains: Mapping[str, ParameterDomain]) -> dict[str, ParameterDomain]:
    """The domains of what makes an object, with rows for data whose columns another parameter names, and their names.

    Only where nothing says what the items of either are. What a function or a plain method does with `data` and
    `headers` may be anything, a request for example.
    """
    if one.kind not in ("constructor", "classmethod"):
        return dict(domains)
    headers = next((name for name, domain in domains.items() if _names_columns(name, domain)), None)
    data = next((name for name, domain in domains.items() if name != headers and _holds_rows(name, domain)), None)
    if headers is None or data is None:
        return dict(domains)
    found = dict(domains)
    found[headers] = _like(_HEADERS, domains[headers])
    if domains[data].kind in ("sequence", "matrix", "any"):
        found[data] = _like(_ROWS, domains[data])
    return found


_LIST_OF = re.compile(r"\blists? of \w+(?: \w+)?", re.IGNORECASE)
_PLAIN = frozenset({"boolean", "integer", "real", "text"})
_ITEM = re.compile(r"item|val(ue)?|key|elem(ent)?|obj(ect)?|member|x|data|default")
_CONTAINER_BASES = frozenset("Set MutableSet Mapping MutableMapping Sequence MutableSequence Collection".split())


def without_own_items(domain: ParameterDomain, owner: ClassFacts | None, name: str) -> ParameterDomain:
    """The domain that a use suggests, without objects of a container among its own items.

    What a container takes of other containers and what it holds are read in the same ways: a set of sets is rare.

    Args:
        owner: the class of the callable; None for a function.
        name: the parameter's name, which may say that it is an item.
    """
    if owner is None or domain.links or not _is_container(owner):
        return domain
    if domain.kind == "object" and domain.type_name == owner.name:
        return UNKNOWN if _ITEM.fullmatch(name) else domain
    if domain.kind in ("sequence", "set", "iterator", "matrix") and _ends_in(domain.element, owner.name):
        kind = "sequence" if domain.kind == "matrix" else domain.kind
        return replace(domain, kind=kind, element=None)
    return domain


def _ends_in(element: ParameterDomain | None, name: str) -> bool:
    while element is not None and element.kind in ("sequence", "set", "iterator", "matrix"):
        element = element.element
    return element is not None and element.kind == "object" and element.type_name == name and not element.links


def _is_container(owner: ClassFacts) -> bool:
    """Whether the objects of a class can be iterated and searched as a set or list can."""
    names = {member.name for member in owner.members}
    bases = {base.partition("[")[0].rpartition(".")[2] for base in owner.bases}
    return {"__iter__", "__contains__"} <= names or bool(_CONTAINER_BASES & bases)


def _like(rows: ParameterDomain, domain: ParameterDomain) -> ParameterDomain:
    source = domain.source if domain.kind != "any" else "name"
    return replace(rows, source=source, optional=domain.optional, lines=domain.lines)


def _names_columns(name: str, domain: ParameterDomain) -> bool:
    if HEADERS_NAME.fullmatch(name) is None or domain.preconditions:
        return False
    element = domain.element
    is_open = element is None or element.kind in ("any", "text")
    return domain.kind == "any" or (domain.kind == "sequence" and is_open)


def _holds_rows(name: str, domain: ParameterDomain) -> bool:
    """Whether a parameter may hold rows, or is a record itself, as a dictionary and an object are."""
    if _DATA_NAME.fullmatch(name) is None or domain.preconditions:
        return False
    element = domain.element
    if element is not None and element.kind == "sequence" and element.length is None:
        element = element.element
    is_open = element is None or element.kind in ("any", "integer")
    is_record = domain.kind == "mapping" or is_namespace(domain)
    return is_record or domain.kind == "any" or (domain.kind in ("sequence", "matrix") and is_open)
