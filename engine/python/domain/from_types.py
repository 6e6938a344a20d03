"""Domains from types: annotations, types that docstrings name, and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..facts.type_inference import default_hint
from ..model.domain import UNKNOWN, DomainKind, ParameterDomain
from ..model.model import ClassFacts, ModuleFacts
from ..source.annotations import ANY, TypeHint, type_hint

ClassLookup = Callable[[str], "tuple[ModuleFacts, ClassFacts] | None"]
"""Finds the class of the project that a name means in the target module."""

_LONGEST_ALIAS = 500
_MAXIMUM_DEPTH = 6
_SCALARS: dict[str, DomainKind] = {
    **dict.fromkeys("int SupportsInt SupportsIndex NonNegativeInt PositiveInt".split(), "integer"),
    **dict.fromkeys("float SupportsFloat Decimal Fraction complex".split(), "real"),
    **dict.fromkeys("bytes bytearray memoryview Buffer".split(), "bytes"),
    **dict.fromkeys("Path PurePath PurePosixPath PathLike path".split(), "path"),
    **dict.fromkeys("TextIO BinaryIO IO StringIO BytesIO".split(), "file"),
    "bool": "boolean",
    "str": "text",
    "None": "none",
    "date": "date",
    "datetime": "datetime",
    "timedelta": "duration",
    "Pattern": "pattern",
    "pattern": "pattern",
}
_SEQUENCES = {
    **{name: name for name in "Iterable Sequence Collection Container Sized list deque range Array".split()},
    **dict.fromkeys(("Reversible", "AsyncIterable"), "Iterable"),
}
_MAPPINGS = frozenset("dict Mapping OrderedDict defaultdict Counter ChainMap".split())
_ITERATORS = frozenset("Iterator Generator AsyncIterator AsyncGenerator".split())
_EXACT = frozenset(
    "Decimal Fraction complex bytearray memoryview deque OrderedDict defaultdict Counter Path PurePath".split()
)
_NUMBERED = frozenset({"IntEnum", "IntFlag", "Flag"})
_TYPE_VARIABLE = re.compile(r"_?[A-Z]\d?|_?[A-Z]\w*(_co|_contra)")


def domain_of_annotation(
    annotation: str | None, look_up: ClassLookup, constants: Mapping[str, str] | None = None
) -> ParameterDomain:
    """The domain of an annotation; `UNKNOWN` for none, for `Any` and for names that mean nothing here.

    Args:
        constants: source of the module's constants, among them its type aliases.
    """
    hint = without_aliases(type_hint(annotation), constants or {})
    return replace(domain_of_hint(hint, look_up), source="annotation") if hint != ANY else UNKNOWN


def without_aliases(hint: TypeHint, constants: Mapping[str, str], depth: int = 0) -> TypeHint:
    """A type with the module's type aliases, new types and bounds of type variables put in their places."""
    if depth > _MAXIMUM_DEPTH or hint.name == "Literal":
        return hint
    source = constants.get(hint.name, "")
    if source and len(source) <= _LONGEST_ALIAS and not hint.arguments:
        bound = re.search(r"TypeVar\(.*bound=(.+)\)", source) or re.search(r"NewType\([^,]+,\s*(.+)\)", source)
        alias = type_hint(bound[1] if bound else source)
        if alias not in (ANY, hint) and (bound or "TypeVar(" not in source):
            return without_aliases(alias, constants, depth + 1)
    arguments = tuple(without_aliases(argument, constants, depth + 1) for argument in hint.arguments)
    return TypeHint(hint.name, arguments)


def domain_of_hint(hint: TypeHint, look_up: ClassLookup, depth: int = 0) -> ParameterDomain:
    """The domain of a type; its source is left open."""
    if depth > _MAXIMUM_DEPTH or hint.name in ("Any", "object"):
        return UNKNOWN
    if hint.name == "Union":
        return _union(hint, look_up, depth)
    if hint.name == "Literal":
        return ParameterDomain("choice", choices=tuple(argument.name for argument in hint.arguments))
    if hint.name == "type":
        return ParameterDomain("type", type_name=hint.arguments[0].name if hint.arguments else "")
    if hint.name in _SCALARS:
        return ParameterDomain(_SCALARS[hint.name], type_name=hint.name if hint.name in _EXACT else "")
    inner = [domain_of_hint(argument, look_up, depth + 1) for argument in hint.arguments]
    container = _container(hint, inner)
    if container is not None:
        return container
    found = look_up(hint.name)
    if found is not None:
        return domain_of_class(*found, look_up, depth)
    # A type variable says nothing; any other name may be a type alias, which values are made for by its name.
    return UNKNOWN if _TYPE_VARIABLE.fullmatch(hint.name) else ParameterDomain("other", type_name=hint.name)


def _container(hint: TypeHint, inner: list[ParameterDomain]) -> ParameterDomain | None:
    """The domain of a type that holds others, and of callables; None for other types."""
    first = next(iter(inner), None)
    if hint.name == "tuple":
        return _tuple(hint, inner)
    if hint.name in _SEQUENCES:
        return ParameterDomain("sequence", type_name=_SEQUENCES[hint.name], element=first)
    if hint.name in ("set", "frozenset"):
        return ParameterDomain("set", type_name=hint.name, element=first)
    if hint.name in _MAPPINGS:
        key, value = [*inner, None, None][:2]
        return ParameterDomain("mapping", type_name=hint.name if hint.name in _EXACT else "dict", key=key, value=value)
    if hint.name in _ITERATORS:
        return ParameterDomain("iterator", element=first)
    if hint.name == "Callable":
        known = hint.arguments[:1] and hint.arguments[0].name != "..."
        result = inner[-1] if inner and inner[-1].kind != "any" else None
        return ParameterDomain("callable", arity=len(inner) - 1 if known else -1, value=result)
    return None


def _tuple(hint: TypeHint, inner: list[ParameterDomain]) -> ParameterDomain:
    if not inner:
        return ParameterDomain("sequence", type_name="tuple")
    if len(inner) == 2 and hint.arguments[1].name == "...":
        return ParameterDomain("sequence", type_name="tuple", element=inner[0])
    fields = tuple((str(at), domain) for at, domain in enumerate(inner))
    return ParameterDomain("tuple", type_name="tuple", fields=fields, length=len(fields))


def domain_of_class(where: ModuleFacts, owner: ClassFacts, look_up: ClassLookup, depth: int = 0) -> ParameterDomain:
    """The domain of the objects of a project's class; of an enumeration its members, of a typed dictionary its keys."""
    if owner.kind == "enum":
        members = tuple(f"{owner.name}.{name}" for name, _ in owner.fields)
        return ParameterDomain("choice", type_name=owner.name, module=where.module, choices=members)
    if owner.kind == "protocol":
        # Any object that can do what the protocol says.
        return ParameterDomain("other", type_name=owner.name, module=where.module)
    if owner.kind == "typeddict":
        fields = tuple((name, domain_of_hint(type_hint(source), look_up, depth + 1)) for name, source in owner.fields)
        return ParameterDomain("mapping", type_name="dict", key=ParameterDomain("text"), fields=fields)
    return ParameterDomain("object", type_name=owner.name, module=where.module)


def _union(hint: TypeHint, look_up: ClassLookup, depth: int) -> ParameterDomain:
    members = [domain_of_hint(member, look_up, depth + 1) for member in hint.members()]
    optional = any(member.kind == "none" for member in members)
    rest = [member for member in members if member.kind != "none"]
    if any(is_of_numbers(member, look_up) for member in rest):
        rest = [member for member in rest if member.kind != "integer"]  # nobody reads what `alg=20` asks for
    if len(rest) == 1:
        return replace(rest[0], optional=optional or rest[0].optional)
    if any(member.kind == "any" for member in rest):
        return replace(UNKNOWN, optional=optional)
    return ParameterDomain("union", alternatives=tuple(rest), optional=optional) if rest else ParameterDomain("none")


def is_of_numbers(domain: ParameterDomain, look_up: ClassLookup) -> bool:
    """Whether a domain is of the members of an enumeration that are integers as well, such as flags."""
    found = look_up(domain.type_name) if domain.kind == "choice" and domain.type_name else None
    return found is not None and any(base.rpartition(".")[2] in _NUMBERED for base in found[1].bases)


def domain_of_default(default: str | None) -> ParameterDomain:
    """The domain that a default's literal suggests; `UNKNOWN` without a default, optional where it is None."""
    if default is None:
        return UNKNOWN
    if default == "None":
        return ParameterDomain("any", optional=True)
    hint = default_hint(default)
    if hint is ANY:
        return UNKNOWN
    return replace(domain_of_hint(hint, lambda _: None), source="default")
