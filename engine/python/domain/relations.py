"""Relations between the parameters of a callable, an index into another one or a part of it, and their values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....utils.python_source import literal_or
from ..model.domain import CallableDomains, DomainKind, ParameterDomain, Precondition, PreconditionKind
from ..model.model import ClassFacts
from ..shapes.shape import Shape
from .describe import described

_CONTAINERS = frozenset({"sequence", "text", "mapping", "graph", "set", "matrix"})
_PLACES = re.compile(r"(lo|low|left|start|begin|first|l|i|hi|high|right|end|last|r|j|mid|index|idx|pos|position|k)\d?")

_FIRST_NAME = re.compile(r"(lo|low|left|start|begin|first|l|i|p)\d?")
_LAST_NAME = re.compile(r"(hi|high|right|end|last|r|j)\d?")
_FIRST_NODE = re.compile(r"(start|source|src|root|node|vertex|origin|from_?node|first|u|s)(_?node|_?vertex)?\d?")
_LAST_NODE = re.compile(r"(end|target|dest|destination|goal|sink|last|stop|v|t)(_?node|_?vertex)?\d?")
_BEGINNING = re.compile(r"prefix|start(s_?with)?|beginning")
_ENDING = re.compile(r"suffix|postfix|end(s_?with)?|ending")
_PART = re.compile(
    rf"{_BEGINNING.pattern}|{_ENDING.pattern}|needle|pattern|sub_?(str|string|text|seq|sequence|list)?|pat"
)
_WHOLE = re.compile(
    r"s|string|text|haystack|sequence|sentence|word|str_?|line|body|content|source|value|seq|items|lst|arr(ay)?"
)
_LETTERS_OF_PART = 3
# Kinds that a name has wherever a class uses it.
_SHARED = frozenset({"integer", "real", "text", "boolean", "date", "datetime", "duration", "path", "object"})
_FEWEST_SHARING = 2


def with_relations(domains: Mapping[str, ParameterDomain], shapes: Mapping[str, Shape]) -> dict[str, ParameterDomain]:
    """Adds to each domain the relation to the first other parameter that it has one to."""
    return {name: _related(name, domain, domains, shapes) for name, domain in domains.items()}


def with_shared(found: tuple[CallableDomains, ...], classes: Sequence[ClassFacts]) -> tuple[CallableDomains, ...]:
    """Gives a method's parameter of which nothing is known the domain that its class's other methods have by its name.

    At least two of them must know it, and all that do must agree on the kind.
    """
    known = {one.qualname: one for one in found}
    changed: dict[str, CallableDomains] = {}
    for owner in classes:
        own = [known[member.qualname] for member in owner.members if member.qualname in known]
        by_name: dict[str, list[ParameterDomain]] = {}
        for name, domain in (pair for one in own for pair in one.parameters):
            if domain.strong and domain.kind in _SHARED:
                by_name.setdefault(name, []).append(domain)
        agreed = {name: shared for name, domains in by_name.items() if (shared := _agreed(domains)) is not None}
        for one in own:
            parameters = tuple(
                (name, replace(agreed[name], optional=domain.optional or agreed[name].optional))
                if name in agreed and domain.kind == "any" and not domain.preconditions
                else (name, domain)
                for name, domain in one.parameters
            )
            changed[one.qualname] = replace(one, parameters=parameters)
    return tuple(changed.get(one.qualname, one) for one in found)


def _agreed(domains: Sequence[ParameterDomain]) -> ParameterDomain | None:
    """The domain that several have in common, without what only some of them demand; None where they differ."""
    kinds = Counter[DomainKind](domain.kind for domain in domains)
    kind = kinds.most_common(1)[0][0]
    if len(domains) < _FEWEST_SHARING or not (len(kinds) == 1 or kinds.keys() <= {"integer", "real"}):
        return None
    first = next(domain for domain in domains if domain.kind == kind)
    if len({domain.type_name for domain in domains if domain.kind == kind}) > 1:
        return None
    plain = ParameterDomain(kind, type_name=first.type_name, module=first.module, source="use", lines=first.lines)
    return replace(plain, description=described(plain))


def _related(
    name: str, domain: ParameterDomain, domains: Mapping[str, ParameterDomain], shapes: Mapping[str, Shape]
) -> ParameterDomain:
    length = _as_long_as(name, domain, domains, shapes)
    if length:
        return replace(domain, preconditions=(*domain.preconditions, Precondition("same length as", length)))
    part_of = _whole_of(name, domain, domains)
    if part_of:
        return replace(domain, preconditions=(*domain.preconditions, Precondition("part of", part_of)))
    shape = shapes.get(name)
    guessed = domain.source in ("name", "none", "default")
    if shape is None or (
        not guessed and (domain.kind in _CONTAINERS - {"text"} or domain.kind in ("object", "callable"))
    ):
        return domain
    for other, container in domains.items():
        kind = _relation(name, shape, container, shapes[other]) if other != name and other in shapes else None
        if kind is not None:
            found = domain
            if guessed:
                # A member is what the members are.
                inner = ParameterDomain("integer") if kind == "index into" else container.key or container.element
                found = inner or ParameterDomain("any")
                found = replace(
                    found,
                    source="use" if found.kind != "any" else "none",
                    optional=domain.optional,
                    lines=container.lines,
                )
            return replace(found, preconditions=(*found.preconditions, Precondition(kind, other)))
    return domain


def _as_long_as(
    name: str, domain: ParameterDomain, domains: Mapping[str, ParameterDomain], shapes: Mapping[str, Shape]
) -> str:
    """Returns the first sequence before a parameter that is read at the same places; nothing where none is.

    What is measured itself may have another length.
    """
    shape = shapes.get(name)
    mine = _places_of(domain, shape) if shape is not None and "len" not in shape.root().traits else None
    for other, container in domains.items():
        if other == name or mine is None:
            return ""
        if _places_of(container, shapes.get(other)) is mine:
            return other
    return ""


def _places_of(domain: ParameterDomain, shape: Shape | None) -> Shape | None:
    """The shape of the numbers that a sequence is indexed with; None for what is no sequence or not indexed."""
    root = shape.root() if shape is not None and domain.kind == "sequence" else None
    index = root.index.root() if root is not None and root.index is not None else None
    return index if index is not None and index.kinds["integer"] else None


def _relation(name: str, shape: Shape, container: ParameterDomain, other: Shape) -> PreconditionKind | None:
    if container.kind not in _CONTAINERS:
        return None
    root, whole = shape.root(), other.root()
    if root is whole:
        return None  # a letter of a text is a text, too, and part of a document a document
    inside = {part.root() for part in (whole.each, whole.item) if part is not None}
    if container.kind in ("mapping", "graph"):
        keys = {part.root() for part in (whole.each, whole.index) if part is not None}
        return "member of" if root in keys else None
    if whole.index is not None and whole.index.root() is root and root not in inside and _PLACES.fullmatch(name):
        return "index into"
    return "member of" if root in inside and container.kind != "matrix" else None


def _whole_of(name: str, domain: ParameterDomain, domains: Mapping[str, ParameterDomain]) -> str:
    """Returns the parameter that another one, called a prefix or a needle, is a part of; nothing where none is."""
    if domain.kind not in ("text", "any", "sequence") or not _PART.fullmatch(name):
        return ""
    wholes = [
        other
        for other, whole in domains.items()
        if other != name and whole.kind in ("text", "any", "sequence") and _WHOLE.fullmatch(other)
    ]
    return wholes[0] if len(wholes) == 1 else ""


def related_values(domain: ParameterDomain, name: str, place: int, others: Mapping[str, str]) -> list[str]:
    """Returns values that stand in a relation to another parameter's representative value, as source text.

    Args:
        name: the parameter's name.
        place: how many parameters of the same kind come before it.
        others: representative values of other parameters, as source text.
    """
    members, whole = domain.related("member of"), domain.related("part of")
    if members in others:
        return _members_of(others[members], name, place)
    return _parts_of(others[whole], name) if whole in others else []


def indices_of(source: str, name: str) -> list[str]:
    """Returns positions in a container: the ends for names that say so, else an inner one."""
    value = literal_or(source, None)
    last = len(value) - 1 if isinstance(value, list | tuple | str) and len(value) > 1 else 3
    if _FIRST_NAME.fullmatch(name):
        return ["0", "1", str(last)]
    if _LAST_NAME.fullmatch(name):
        return [str(last), "1", "0"]
    return ["2" if last > 2 else "1", "0", str(last)]


def _members_of(source: str, name: str, place: int) -> list[str]:
    """Returns members: the first or last one for names that say so, else an inner one; then an absent one."""
    value = literal_or(source, None)
    if isinstance(value, dict):
        value = list(value)
    if not isinstance(value, list | tuple | str) or len(value) < 2:
        return []
    if _FIRST_NODE.fullmatch(name):
        chosen = value[0]
    elif _LAST_NODE.fullmatch(name) or place % 2:
        chosen = value[-1]
    else:
        chosen = value[len(value) // 2]
    found = [repr(chosen), repr(value[0]), repr(value[-1])]
    numbers = [item for item in value if isinstance(item, int)]
    if len(numbers) == len(value):
        found.append(str(max(numbers) + 3))
    return found


def _parts_of(source: str, name: str) -> list[str]:
    """Returns parts of a text or list: its end, its beginning, whole words where it has several."""
    value: Any = literal_or(source, None)
    if not isinstance(value, str | list | tuple) or len(value) < _LETTERS_OF_PART:
        return []
    if isinstance(value, str) and len(value.split()) > 1:
        first, last = value.split()[0], value.split()[-1]
    else:
        size = _LETTERS_OF_PART if len(value) > _LETTERS_OF_PART else 2
        first, last = value[:size], value[-size:]
    return [repr(first), repr(last)] if _BEGINNING.fullmatch(name) else [repr(last), repr(first)]
