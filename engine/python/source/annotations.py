"""Parses annotations and the types that docstrings name into type hints."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ....utils.python_names import dotted_name
from ....utils.python_source import shared_expression

_WRAPPERS = frozenset({"Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Unpack", "InitVar"})
# Other spellings, in annotations and in docstrings, of the type names in KNOWN.
_ALIASES: dict[str, str] = {
    alias: name
    for alias, _, name in (
        pair.partition("=")
        for pair in (
            "List=list Dict=dict Set=set FrozenSet=frozenset Tuple=tuple Type=type Text=str AnyStr=str Deque=deque "
            "DefaultDict=defaultdict OrderedDict=OrderedDict MutableSequence=list MutableMapping=dict MutableSet=set "
            "AbstractSet=set StrPath=PathLike AnyPath=PathLike string=str text=str unicode=str basestring=str "
            "integer=int boolean=bool dictionary=dict function=Callable callable=Callable func=Callable "
            "iterable=Iterable iterator=Iterator sequence=Sequence mapping=Mapping number=float Number=float "
            "Real=float object=Any file=TextIO file-like=TextIO NoneType=None"
        ).split()
    )
}
SIZE_OF = r"\b(length|size|width|height|depth|index|position|count) of\b"
"""A pattern for phrases that mean a number, whatever they are about."""
_RELATION = re.compile(r"(?<=\w)\s+(?:to|in|into|from|at|for|on|against|within|inside|if|when|unless)\s", re.IGNORECASE)
_PROSE_WORD = re.compile(r"[A-Za-z_][\w.\-]*")


@dataclass(frozen=True, slots=True)
class TypeHint:
    """A type with its arguments.

    Attributes:
        name: the last part of its name (`list`); an `Optional` is a `Union` with `None`.
        arguments: what stands in brackets. For `Literal` their names are source text of the values; for `Callable` the
            last one is the result and those before it the parameters (`...` for any).
    """

    name: str
    arguments: tuple[TypeHint, ...] = ()

    def members(self) -> tuple[TypeHint, ...]:
        """The alternatives of a union, `None` last; the type itself when it is none."""
        if self.name != "Union":
            return (self,)
        flat = [inner for argument in self.arguments for inner in argument.members()]
        return tuple(sorted(dict.fromkeys(flat), key=lambda one: one.name == "None"))


ANY = TypeHint("Any")


def type_hint(annotation: str | None) -> TypeHint:
    """Parses an annotation, forward references in quotes included; `Any` for none and for text that is no type."""
    node = shared_expression(annotation) if annotation else None
    return _from_node(node, 0) if node is not None else ANY


def head_phrase(text: str) -> str:
    """The first noun phrase of a parameter's description: "value to add to sorted list" is about no list."""
    return _RELATION.split(text, maxsplit=1)[0]


def prose_hint(text: str) -> TypeHint:
    """Parses a docstring's type, as in `list of str, optional` or `int or None`; `Any` when it names no known type."""
    found: list[TypeHint] = []
    head = head_phrase(text.split("(")[0][:80])
    if re.search(SIZE_OF, head):
        return TypeHint("int")  # "length of the list" is no list
    for part in re.split(r"\bor\b|[|,/]", head):
        # `datetime.timedelta` is known by its last name.
        words = [word.strip(".").rpartition(".")[2] for word in _PROSE_WORD.findall(part)]
        known = [word for word in words if _ALIASES.get(word, word) in KNOWN]
        if not known:
            continue
        names = [TypeHint(_ALIASES.get(str(one), str(one))) for one in known]
        # "list of str": the second known type is the argument of the first.
        found.append(TypeHint(names[0].name, tuple(names[1:2])) if " of " in part else names[0])
    if not found:
        return ANY
    return found[0] if len(found) == 1 else TypeHint("Union", tuple(found))


def _from_node(node: ast.expr, depth: int) -> TypeHint:
    if depth > 6:  # hand-written annotations are shallower; generated ones may be deep enough to exhaust the stack
        return ANY
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return type_hint(node.value)
        return TypeHint("None") if node.value is None else TypeHint("...") if node.value is Ellipsis else ANY
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return TypeHint("Union", (_from_node(node.left, depth + 1), _from_node(node.right, depth + 1)))
    if isinstance(node, ast.Subscript):
        return _subscripted(node, depth)
    if isinstance(node, ast.List):
        return TypeHint("...parameters", tuple(_from_node(element, depth + 1) for element in node.elts))
    name = dotted_name(node)
    if not name:
        return ANY
    last = name.rpartition(".")[2]
    return TypeHint(_ALIASES.get(last, last))


def _subscripted(node: ast.Subscript, depth: int) -> TypeHint:
    name = (dotted_name(node.value) or "Any").rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return TypeHint("Literal", tuple(TypeHint(ast.unparse(part)) for part in parts))
    arguments = tuple(_from_node(part, depth + 1) for part in parts)
    if name in _WRAPPERS:
        return arguments[0]
    if name == "Optional":
        return TypeHint("Union", (arguments[0], TypeHint("None")))
    if name == "Union":
        return TypeHint("Union", arguments)
    if name == "Callable":
        # A list of parameters was read as the pseudo-type `...parameters`; anything else stands for any parameters.
        known = arguments[0].name == "...parameters"
        parameters = arguments[0].arguments if known else (TypeHint("..."),)
        return TypeHint("Callable", (*parameters, arguments[1] if len(arguments) > 1 else ANY))
    return TypeHint(_ALIASES.get(name, name), arguments)


KNOWN = frozenset(
    "int float str bool bytes bytearray memoryview complex list dict set frozenset tuple None type range slice deque "
    "defaultdict OrderedDict Counter ChainMap Iterable Iterator Sequence Collection Container Sized Reversible Mapping "
    "Generator Callable Hashable Any date datetime time timedelta timezone tzinfo Decimal Fraction Path PurePath "
    "PurePosixPath PathLike UUID Pattern Match TextIO BinaryIO IO StringIO BytesIO Exception BaseException "
    "SupportsInt SupportsFloat SupportsIndex SupportsAbs Awaitable Coroutine AsyncIterable AsyncIterator "
    "AsyncGenerator KeysView ValuesView ItemsView Buffer Array StructTime Random Namespace Module".split()
)
