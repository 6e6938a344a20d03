"""Finds the classes that are not to be called: "Do not instantiate directly, use the factory function `pvector`".

What such a class is given are the parts of its inside, which only the functions that make its objects put together.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.graphs import reachable
from ....utils.python_names import last_name
from ..model.model import CallableFacts, ClassFacts
from .lineage import bases_by_class, lineage
from .makers import made_class

_MAKE, _MADE = r"(?:instantiate|construct|create)", r"(?:instantiated|constructed|created)"
_HOW = r"(?:directly|by hand|manually|yourself)"
_TELLS_HOW = re.compile(_HOW, re.IGNORECASE)
_INTENDED = r"(?:meant|intended|supposed) to"
_READERS = r"(?:(?:please|note that|you|users?|callers?|so|and|but|thus|therefore|instead) )*"
_START = rf"(?:^|[.:;,(!?] ?){_READERS}"
_FACTORY_WORDS = (
    r"(?:(?:the|a|an|one|of|its|either|this|that|instead|module|level|class|static|factory|helper|"
    r"functions?|methods?|factories|constructors?)[ -])*"
)
_USED = re.compile(
    rf"\b(?:use|using|via|through|call|calling|with|by) {_FACTORY_WORDS}"
    r"(?P<names>[\w.]+(?:(?:, | or | and |, or |, and )[\w.]+)*)",
    re.IGNORECASE,
)
_MARKED = re.compile(r"`[~.]?(?P<marked>[\w.]+)(?:\(.*?\))?`|\b(?P<called>[\w.]+)\(")
_BUILT_IN = re.compile(r"(None|int|float|complex|bool|str|bytes|list|tuple|set|frozenset|dict|List|Tuple|Set|Dict)\b.*")


def _forbidding_paragraphs(said: ClassFacts) -> list[str]:
    """The paragraphs of the document of a class that forbid to call it."""
    paragraphs = (" ".join(one.split()) for one in re.split(r"\n\s*\n", said.documentation.text))
    found = list(filter(_TELLS_HOW.search, paragraphs))
    # A pattern for one class takes milliseconds to compile, and hardly any document says how to make its objects.
    return list(filter(_forbidding(said.name).search, found)) if found else []


def _forbidding(name: str) -> re.Pattern[str]:
    """What forbids to call a class of a name; its objects are "it", "instances", or bear its name.

    Only what is said of the class itself counts, not of what it works with: "Files are not created directly".
    """
    nouns = rf"class(?: itself)?|instances?|objects?|type|`*{re.escape(name)}s?`*"
    whole = rf"(?: (?:of|from) (?:it|the|this|these|{nouns}))?(?: (?:class|type)(?:es)?)?(?: (?:is|are))?"
    thing = rf"(?:it|this|them|(?:an? |the |this |these |any )?(?:{nouns}){whole}(?: (?:that|which))?)"
    active = rf"(?:do not|don't|never|should(?: not|n't| never)|must(?: not|n't| never)|not (?:be )?{_INTENDED})"
    refused = r"(?:not|never|shouldn't|mustn't|isn't|aren't)"
    passive = rf"(?:(?:is|are|should|must|was) )?{refused}(?: {_INTENDED})?(?: to)?(?: be)?"
    return re.compile(
        rf"{_START}{active} (?:{_MAKE}(?: {thing})? {_HOW}|directly {_MAKE})\b"
        rf"|(?:{_START}|{_START}{thing} ){passive} (?:{_MADE} {_HOW}|directly {_MADE})\b",
        re.IGNORECASE,
    )


def with_makers(
    classes: Iterable[ClassFacts], functions: Iterable[CallableFacts], statements: Sequence[ast.stmt]
) -> Iterator[ClassFacts]:
    """Generates the classes; those that documents forbid to call with what makes their objects, where that is named.

    What is said of a class holds for those that are registered with it, and for those that derive from it and whose
    objects what is named is certain to make: bases are there to be derived from.
    """
    owners = {owner.name: owner for owner in classes}
    registered = _registered(statements)
    reader = _Reader(owners, registered, [one for one in functions if one.public])
    for owner in owners.values():
        yield replace(owner, makers=reader.makers(owner) or None)


class _Reader:
    """Reads what documents say of the classes of one module.

    Args:
        registered: the classes that others are registered with, by the names of these.
        functions: the public functions of the module.
    """

    def __init__(
        self,
        owners: Mapping[str, ClassFacts],
        registered: Mapping[str, Sequence[str]],
        functions: Sequence[CallableFacts],
    ) -> None:
        self._owners, self._registered, self._functions = owners, registered, functions
        self._bases = bases_by_class(owners.values())

    def makers(self, owner: ClassFacts) -> tuple[str, ...]:
        """What documents say to use instead of a class; empty where it may be called."""
        own = self._named_for(owner, owner)
        if own or owner.documentation.examples:
            return own
        standing_for = (self._owners[one] for one in self._registered.get(owner.name, ()) if one in self._owners)
        found = next((makers for base in standing_for if (makers := self._named_for(owner, base))), ())
        return found or self._named_above(owner)

    def _named_for(self, owner: ClassFacts, said: ClassFacts) -> tuple[str, ...]:
        """What makes the objects of a class, as the documents of this or another one say where they forbid to call."""
        texts = _forbidding_paragraphs(said)
        named = {name.rpartition(".")[2] for text in texts for name in _named_in(text)}
        functions = [one.name for one in self._functions if one.name in named and self._may_make(one, owner, said)]
        factories = [
            f"{owner.name}.{one.name}"
            for one in owner.members
            if one.kind in ("classmethod", "staticmethod") and one.public and one.name in named
        ]
        return (*functions, *factories)

    def _named_above(self, owner: ClassFacts) -> tuple[str, ...]:
        """What the nearest documented base names, where it is certain to make objects of the class."""
        above = (self._owners[one] for one in lineage(owner.name, self._bases)[1:])
        said = next((one for one in above if one.documentation.text), None)
        if said is None or owner.documentation.text:
            return ()
        named = self._named_for(owner, said)
        making = {one.name for one in self._functions if made_class(one, self._owners) == owner.name}
        return tuple(name for name in named if name in making)

    def _may_make(self, one: CallableFacts, owner: ClassFacts, said: ClassFacts) -> bool:
        """Whether nothing speaks against that a function makes objects of a class: it gives back no other's."""
        made = made_class(one, self._owners)
        if made is None:
            return _BUILT_IN.fullmatch((one.returns or "").strip("'\"")) is None
        return bool({owner.name, said.name} & set(self._lineage(made))) or made in self._lineage(owner.name)

    def _lineage(self, name: str) -> list[str]:
        return reachable([name], lambda one: (*self._bases.get(one, ()), *self._registered.get(one, ())))


def _named_in(text: str) -> Iterator[str]:
    for match in _USED.finditer(text):
        yield from re.split(r",? (?:or|and) |, ", match["names"].rstrip("."))
    for match in _MARKED.finditer(text):
        yield match["marked"] or match["called"]


def _registered(statements: Sequence[ast.stmt]) -> dict[str, list[str]]:
    """The classes that others are registered with, by the names of these: `PVector.register(PythonPVector)`."""
    found: dict[str, list[str]] = {}
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            for node in statement.decorator_list:
                base = _registering(node)
                if base:
                    found.setdefault(statement.name, []).append(base)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and len(call.args) == 1 and isinstance(call.args[0], ast.Name):
            base = _registering(call.func)
            if base:
                found.setdefault(call.args[0].id, []).append(base)
    return found


def _registering(node: ast.expr) -> str:
    """The class whose `register` an expression is; empty for others."""
    return last_name(node.value) if isinstance(node, ast.Attribute) and node.attr == "register" else ""
