"""Builds objects with content, and links those that hold one another: a list of nodes, a tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ....utils.python_source import expression_or_none
from ..domain.example_tables import INTERVALS
from ..domain.records import HEADERS_NAME
from ..model.candidate_parts import combined
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Parameter
from .calls import takes_clock
from .shared_keys import with_shared_keys

ItemsOf = Callable[[CallableFacts, Parameter], Sequence[Candidate]]
"""Plain values of a constructor's parameter, different ones first."""

_CHAINS = (("3", "1", "4", "2"), ("5", "8", "6", "7"))
# The root above its smaller and larger child, as in a search tree.
_TREES = (("5", "3", "8", "1"), ("6", "2", "9", "1"))
# Defaults that stand for no content; any other default is a setting.
_NO_CONTENT = frozenset({"None", "0", "0.0", "''", '""', "[]", "()", "{}"})
_EMPTY = frozenset({"[]", "()", "{}", "list()", "dict()", "tuple()"})
_MOST_OPTIONAL = 3
# What a parameter gets of which nothing is known.
_ANY_ITEMS = ("3", "1", "4")
_FORWARD = ("next", "down", "child")
_BACKWARD = {"prev": "next", "previous": "next"}


class ContentObjects:
    """Builds objects of one class.

    Args:
        where: the module of the class.
        constructor: its constructor; None where it takes nothing.
        items: plain values of a parameter.
    """

    def __init__(
        self, where: ModuleFacts, owner: ClassFacts, constructor: CallableFacts | None, items: ItemsOf
    ) -> None:
        self._owner = owner
        self._constructor = constructor
        self._items = items
        self._imports = (f"from {where.module} import {owner.name}",)

    def objects(self, count: int, links: Sequence[str] = (), *, filled: bool = False) -> list[Candidate]:
        """Up to so many different objects, each with content; none where a required argument is not known.

        Args:
            links: attributes that hold further objects; they are left out.
            filled: whether a collection that may be left out is given, too: a cart with lines.
        """
        if self._constructor is None or self._owner.kind in ("enum", "abstract", "protocol", "typeddict"):
            return []
        chosen = self._content(links)
        if not chosen:
            return []
        columns = self._columns(chosen)
        if filled and all(item.required for item in chosen):
            for item in self._collections(chosen, links):
                values = [value for value in self._items(self._constructor, item) if value.imports]
                if values:
                    chosen, columns = [*chosen, item], [*columns, [_cut_to_two(min(values, key=_beside_two))]]
        if any(not column for column in columns):
            return []
        made: dict[str, Candidate] = {}
        for at in range(count):
            row = with_shared_keys([column[at % len(column)] for column in columns])
            candidate = self._call([(item, value) for item, value in zip(chosen, row, strict=True)])
            made.setdefault(candidate.source, candidate)
        return list(made.values())

    def linked(self, links: Sequence[str], variable: str, place: int = 0) -> list[Candidate]:
        """A chain or tree of objects in a variable, longer ones first; empty where the links are of no known form.

        Args:
            place: how many alike parameters come before, so that two get different content.
        """
        values = self._values(links, place)
        if not values:
            return []
        if {"left", "right"} <= set(links):
            return [self._tree(values, variable)]
        forward = next((name for name in _FORWARD if name in links), None)
        if forward is None:
            return []
        back = next((name for name in links if _BACKWARD.get(name) == forward), None)
        return [self._chain(values[:size], forward, back, variable) for size in (4, 2, 1)]

    def _values(self, links: Sequence[str], place: int) -> list[Candidate]:
        """Sources of the objects of a structure, before they are linked."""
        tree = {"left", "right"} <= set(links)
        chosen = self._content(links)
        if len(chosen) == 1:
            column = self._columns(chosen)[0]
            numeric = bool(column) and column[0].source.lstrip("-").isdigit()
            numbers = (_TREES if tree else _CHAINS)[place % 2]
            plain = [Candidate(text) for text in numbers] if numeric else [*column[place % 2 :], *column[: place % 2]]
            return [self._call([(chosen[0], value)]) for value in plain]
        return self.objects(4, links)

    def _chain(self, values: Sequence[Candidate], forward: str, back: str | None, variable: str) -> Candidate:
        nested = self._nested(values, forward) if back is None else None
        if nested is not None:
            return nested
        statements = [f"{variable} = {values[0].source}"]
        path = variable
        for value in values[1:]:
            statements.append(f"{path}.{forward} = {value.source}")
            if back is not None:
                statements.append(f"{path}.{forward}.{back} = {path}")
            path = f"{path}.{forward}"
        return combined_after(variable, statements, values)

    def _nested(self, values: Sequence[Candidate], forward: str) -> Candidate | None:
        """`Node(3, Node(1, Node(4)))`, where the constructor takes the next object."""
        constructor = self._constructor
        if constructor is None or all(item.name != forward for item in constructor.parameters):
            return None
        positional = [item.name for item in constructor.parameters if item.is_positional]
        direct = forward in positional and positional.index(forward) == len(self._content((forward,)))
        found = values[-1]
        for value in reversed(values[:-1]):
            passed = found.source if direct else f"{forward}={found.source}"
            found = combined(f"{value.source[:-1]}, {passed})", (value, found))
        return found

    def _tree(self, values: Sequence[Candidate], variable: str) -> Candidate:
        found = list(values)[:4]
        paths = [variable, f"{variable}.left", f"{variable}.right", f"{variable}.left.left"]
        statements = [f"{path} = {value.source}" for path, value in zip(paths, found, strict=False)]
        return combined_after(variable, statements, found)

    def _content(self, links: Sequence[str]) -> list[Parameter]:
        """The parameters that get content: the required ones, else the first optional ones that take data."""
        constructor = self._constructor
        if constructor is None:
            return []
        given = [item for item in constructor.parameters if item.name not in links]
        if any(takes_clock(item) for item in given):
            return []  # such objects are built where clocks are known
        required = [item for item in given if item.required]
        if required:
            return required
        data = [item for item in given if item.is_positional and item.default in _NO_CONTENT]
        # A sample of what nothing is known of is no content beside data that is known.
        known = [item for item in data if self._items(constructor, item)]
        data = known or data
        if len(data) > _MOST_OPTIONAL:
            return []
        names = [item for item in given if item not in data and HEADERS_NAME.fullmatch(item.name) is not None]
        return sorted([*data, *(names if known else [])], key=given.index)

    def _collections(self, chosen: Sequence[Parameter], links: Sequence[str]) -> list[Parameter]:
        """The first collection of a constructor that is empty where nothing is given."""
        given = self._constructor.parameters if self._constructor is not None else ()
        empty = [item for item in given if item.default in _EMPTY and item.name not in links and item not in chosen]
        return [item for item in empty if item.kind in ("positional_or_keyword", "keyword_only")][:1]

    def _columns(self, chosen: Sequence[Parameter]) -> list[list[Candidate]]:
        """Values for each parameter, one for each object."""
        names = [item.name for item in chosen]
        if len(names) == 2 and tuple(names) in (("start", "end"), ("low", "high"), ("begin", "end")):
            return [[Candidate(pair[at]) for pair in INTERVALS[0]] for at in (0, 1)]
        assert self._constructor is not None  # it has parameters
        found: list[list[Candidate]] = []
        for item in chosen:
            values = list(self._items(self._constructor, item)) or [Candidate(text) for text in _ANY_ITEMS]
            at = sum(bool(other) and other[0].source == values[0].source for other in found)
            # Alike parameters of one object differ.
            found.append([*values[at:], *values[:at]])
        return found

    def _call(self, row: Sequence[tuple[Parameter, Candidate]]) -> Candidate:
        parts: list[str] = []
        expected = [item.name for item in self._constructor.parameters] if self._constructor is not None else []
        for at, (item, value) in enumerate(row):
            in_place = item.is_positional and at < len(expected) and expected[at] == item.name
            parts.append(value.source if in_place else f"{item.name}={value.source}")
        return combined(f"{self._owner.name}({', '.join(parts)})", [value for _, value in row], self._imports)


def _beside_two(value: Candidate) -> int:
    """How far a collection is from two items: one shows no order, and more are tiresome to read."""
    node = expression_or_none(value.source)
    size = len(node.elts) if isinstance(node, ast.List | ast.Tuple | ast.Set) else 9
    return abs(size - 2)


def _cut_to_two(value: Candidate) -> Candidate:
    node = expression_or_none(value.source)
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or len(node.elts) < 3:
        return value
    node.elts = node.elts[:2]
    return replace(value, source=ast.unparse(node))


def combined_after(variable: str, statements: Sequence[str], parts: Sequence[Candidate]) -> Candidate:
    """A variable that statements build, with all that their parts need before them."""
    whole = combined(variable, parts)
    return Candidate(variable, whole.imports, (*whole.arrange, *statements), whole.fixtures, "domain")
