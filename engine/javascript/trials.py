"""Builds trials: calls of exported functions and methods with plain arguments, of which one differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...sandbox.javascript.syntax import field as child
from ...sandbox.javascript.syntax import text_of, walk
from .documented_calls import documented_call
from .domain.shapes import Shape
from .domain.types import TypeReader, shape_of
from .domain.usage import uses_of
from .domain.values import Values
from .jsdoc import Example
from .model import OMITTED, Class, Function, Module, Value

_MOST = 90
_FILLS = re.compile(
    r"^(?:add|set|push|put|insert|append|enqueue|deposit|register|open|start|load|increment)", re.IGNORECASE
)
_WRITES = re.compile(
    r"^(?:add|set|push|put|insert|append|remove|delete|clear|reset|pop|shift|next|close|open|start|stop|save|flush|run|init"
    r"|take|use|update|apply|increment|decrement|deposit|withdraw|undo|redo|toggle|register|load|enqueue|dequeue)"
)
_MOST_READINGS = 8
_TEXTURES = frozenset({"capitals", "spaces", "accents"})
_MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class Trial:
    """One call.

    Attributes:
        arguments: sources; those after the last one that is given are left out.
        receiver: source of the instance that a method is called on, and `setup` statements on it.
        changed: index of the parameter that differs from the typical call, -1 for none.
        value: what it has there.
        example: the documented call that it is, else None.
        readings: expressions over the instance that may show a change.
        prelude: statements that come before everything else; the other sources may use the names that they declare.
        circumstance: words to follow the condition: "where the service is out of order".
    """

    id: int
    function: Function
    arguments: tuple[str, ...]
    receiver: str = ""
    setup: tuple[str, ...] = ()
    changed: int = -1
    value: Value = OMITTED
    phrases: tuple[str, ...] = ()
    example: Example | None = None
    example_place: str = ""
    needs: frozenset[str] = frozenset()
    readings: tuple[str, ...] = ()
    state: str = ""
    prelude: tuple[str, ...] = ()
    circumstance: str = ""

    @property
    def instance(self) -> str:
        """The name of the instance."""
        return instance_name(self.function.owner)


def instance_name(owner: str) -> str:
    """The variable for an instance of a class: `ShoppingCart` → `cart`."""
    last = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+", owner)[-1:] or ["subject"]
    return last[0].lower() if last[0].lower() not in ("class", "default", "function", "new") else "subject"


@dataclass(slots=True)
class Proposer:
    """Proposes the trials of one module.

    Attributes:
        examples: documented calls by the path and line that they stand in.
        others: modules whose classes parameters may take instances of.
        given: values that take the place of all others, see `Values`.
        domains: what the parameters of each function take; filled by `propose`.
    """

    root: Path
    module: Module
    examples: Sequence[tuple[str, Example]] = ()
    others: Sequence[Module] = ()
    given: Callable[[Shape, str], Sequence[Value]] | None = None
    domains: dict[str, list[tuple[str, Shape, bool]]] = field(default_factory=dict)
    _trials: list[Trial] = field(default_factory=list)
    _values: Values = field(init=False)

    def propose(self, symbols: Sequence[str] | None = None) -> list[Trial]:
        """All trials in the order of the source.

        Args:
            symbols: qualified names to keep to; a class stands for its members; None for all.
        """
        classes: dict[str, tuple[Class, list[tuple[str, Shape, bool]]]] = {}
        for module in (self.module, *self.others):
            reader = TypeReader(self.root, module, [one.path for one in (self.module, *self.others)])
            makers = [one.constructor for one in module.classes if one.constructor]
            own = {_key(one): _domain(one, reader, module) for one in (*module.callables, *makers)}
            for one in module.classes:
                classes.setdefault(one.name, (one, own[_key(one.constructor)] if one.constructor else []))
            self.domains |= {key: domain for key, domain in own.items() if key not in self.domains}
        self._values = Values(classes, self.given)
        for function in self.module.functions:
            if _wanted(function.qualname, symbols):
                self._documented(function)
                self._calls(function, "", (), "")
        for one in self.module.classes:
            if not one.is_error and not one.abstract:
                self._members(one, symbols)
        return self._trials

    def _members(self, one: Class, symbols: Sequence[str] | None) -> None:
        fillers = [member for member in one.members if member.kind == "method" and _FILLS.search(member.name)]
        made = self._values.of(Shape({"class"}, class_name=one.name), one.name)
        if not made and one.constructor is None:
            made = [Value(f"new {one.name}()", needs=frozenset({one.name}))]
        readings = tuple(dict.fromkeys(self.readings(one)))[:_MOST_READINGS]
        for member in one.members:
            if not _wanted(member.qualname, symbols):
                continue
            self._documented(member)
            if member.kind == "static":
                self._calls(member, "", (), "")
                continue
            before = len(self._trials)
            for receiver in made[:1]:
                setups = list(self._setups(fillers, member))
                for at, (setup, state) in enumerate(setups):
                    self._calls(member, receiver.source, setup, state, readings, only_typical=at > 0)
            for receiver in made[1:6]:
                self._calls(member, receiver.source, (), receiver.phrase, readings, only_typical=True)
            del self._trials[before + _MOST :]

    def typical(self, function: Function, nth: int = 0) -> list[Value] | None:
        """A typical value for each parameter that a function needs; None where one is not known. After `propose`."""
        domain = self.domains.get(_key(function))
        each = [self._values.of(shape, own, nth=nth) for own, shape, optional in domain or () if not optional]
        return [found[0] for found in each] if domain is not None and all(each) else None

    def readings(self, one: Class) -> Iterator[str]:
        """Expressions that show an instance's state: getters, public fields, methods that only read."""
        name = instance_name(one.name)
        yield from _fields_of(one)
        for member in one.members:
            if member.kind == "getter":
                yield f"{name}.{member.name}"
            elif member.kind == "method" and not _WRITES.match(member.name):
                required = [(own, shape) for own, shape, optional in self.domains[_key(member)] if not optional]
                given = [self._values.of(shape, own) for own, shape in required]
                if all(given) and len(given) <= 1:
                    wait = "await " if member.is_async else ""
                    yield f"{wait}{name}.{member.name}({', '.join(found[0].source for found in given)})"

    def _setups(self, fillers: Sequence[Function], member: Function) -> Iterator[tuple[tuple[str, ...], str]]:
        """Statements that bring an instance into a state: filled, filled once, fresh."""
        calls = []
        for nth in range(2):
            for filler in fillers[:1]:
                name = instance_name(filler.owner)
                each = [
                    self._values.of(shape, own, nth=nth)
                    for own, shape, optional in self.domains[_key(filler)]
                    if not optional
                ]
                if all(each):
                    arguments = ", ".join(found[0].source for found in each)
                    wait = "await " if filler.is_async else ""
                    calls.append(f"{wait}{name}.{filler.name}({arguments});")
        fills_itself = bool(_FILLS.search(member.name))
        if calls and not fills_itself:
            yield tuple(calls), f"a {instance_name(member.owner)} with two entries"
        if calls:
            yield tuple(calls[:1]), f"a {instance_name(member.owner)} with one entry"
        yield (), f"a new {instance_name(member.owner)}"

    def _documented(self, function: Function) -> None:
        for path, example in self.examples:
            read = documented_call(example.call, function, self.module)
            if read is not None:
                receiver, arguments = read
                self._add(function, arguments, receiver, example=example, place=path)

    def _calls(
        self,
        function: Function,
        receiver: str,
        setup: tuple[str, ...],
        state: str,
        readings: tuple[str, ...] = (),
        *,
        only_typical: bool = False,
    ) -> None:
        """The typical call, then calls of which one argument differs."""
        domain = self.domains[_key(function)]
        used: dict[str, int] = {}
        each: list[list[Value]] = []
        for name, shape, optional in domain:
            # Two parameters of one kind get values that differ.
            kind = ",".join(sorted(shape.kinds)) or name
            values = self._values.of(shape, name, nth=used.get(kind, 0))
            if not values and not optional:
                return
            used[kind] = used.get(kind, 0) + 1
            each.append([OMITTED, *values] if optional else values)
        rests = {at for at, one in enumerate(function.parameters) if one.rest}
        typical = [values[0] for values in each]
        common = (receiver, setup, state, readings)
        self._called(function, typical, rests, common)
        if only_typical:
            return
        count = len(self._trials)
        for at, values in enumerate(each):
            for other in values[1:]:
                parts = [*typical[:at], other, *typical[at + 1 :]]
                # What stands before a given optional argument is given as well.
                parts = [
                    each[place][1] if one is OMITTED and place < at and len(each[place]) > 1 else one
                    for place, one in enumerate(parts)
                ]
                self._called(function, parts, rests, common, changed=at, value=other)
        for first, second in _pairs(each):
            parts = list(typical)
            parts[first[0]], parts[second[0]] = first[1], second[1]
            if len(self._trials) - count < _MOST:
                self._called(
                    function,
                    parts,
                    rests,
                    common,
                    changed=second[0],
                    value=replace(second[1], kind="pair"),
                    also=first[1].phrase,
                )

    def _called(
        self,
        function: Function,
        parts: Sequence[Value],
        rests: set[int],
        common: tuple[str, tuple[str, ...], str, tuple[str, ...]],
        *,
        changed: int = -1,
        value: Value = OMITTED,
        also: str = "",
    ) -> None:
        given = list(parts)
        while given and given[-1] is OMITTED:
            given.pop()
        if any(one is OMITTED for one in given):
            return
        receiver, setup, state, readings = common
        sources = [_spread(one.source) if at in rests else one.source for at, one in enumerate(given)]
        phrases = tuple(one.phrase for one in given if one.phrase)
        if also:
            phrases = (also, value.phrase)
        needs = frozenset[str]().union(*(one.needs for one in given))
        self._add(
            function,
            tuple(sources),
            receiver,
            setup,
            state,
            readings,
            changed=changed,
            value=value,
            phrases=phrases,
            needs=needs,
            also=bool(also),
        )

    def _add(
        self,
        function: Function,
        arguments: Sequence[str],
        receiver: str = "",
        setup: tuple[str, ...] = (),
        state: str = "",
        readings: tuple[str, ...] = (),
        *,
        changed: int = -1,
        value: Value = OMITTED,
        phrases: tuple[str, ...] = (),
        needs: frozenset[str] = frozenset(),
        example: Example | None = None,
        place: str = "",
        also: bool = False,
    ) -> None:
        same = any(
            one.function is function
            and one.arguments == tuple(arguments)
            and (one.receiver, one.setup) == (receiver, setup)
            for one in self._trials
        )
        if same:
            return
        self._trials.append(
            Trial(
                len(self._trials), function, tuple(arguments), receiver, setup, changed, value, phrases, example, place,
                needs | frozenset({function.owner or function.name}), readings, state,
            )
        )  # fmt: skip


def _pairs(each: Sequence[Sequence[Value]]) -> Iterator[tuple[tuple[int, Value], tuple[int, Value]]]:
    """Two arguments that both have a value that the code itself knows, or that are given where none is needed."""
    telling = [
        [
            (at, one)
            for one in values
            if one.kind in ("boundary", "listed", "given", "null") or (values[0] is OMITTED and one is values[1])
        ][:4]
        for at, values in enumerate(each)
    ]
    for at, firsts in enumerate(telling):
        for seconds in telling[at + 1 :]:
            yield from ((first, second) for first in firsts for second in seconds)
    # What an option does shows on a text that has something for it: capitals, spaces, accents.
    texts = [[(at, one) for one in values if one.kind in _TEXTURES] for at, values in enumerate(each)]
    options = [[(at, one) for one in values if one.kind == "given"][:_MOST_OPTIONS] for at, values in enumerate(each)]
    for at, firsts in enumerate(texts):
        for seconds in options[at + 1 :]:
            yield from ((first, second) for second in seconds for first in firsts)


def _domain(function: Function, reader: TypeReader, module: Module) -> list[tuple[str, Shape, bool]]:
    uses = uses_of(function, module)
    return [
        (one.name, shape_of(function, at, reader, uses[at]), one.optional) for at, one in enumerate(function.parameters)
    ]


def _key(function: Function | None) -> str:
    return f"{function.kind} {function.qualname}" if function is not None else ""


def _wanted(qualname: str, symbols: Sequence[str] | None) -> bool:
    return symbols is None or qualname in symbols or qualname.partition(".")[0] in symbols


def _spread(source: str) -> str:
    """The elements of a list as arguments."""
    return source[1:-1] if source.startswith("[") else f"...{source}"


def _fields_of(one: Class) -> Iterator[str]:
    """Public fields of an instance, declared or set in the constructor."""
    name = instance_name(one.name)
    body = child(one.node, "body")
    for part in body.named_children if body is not None else ():
        own = text_of(child(part, "name"))
        hidden = own.startswith(("#", "_")) or {"private", "protected", "static"} & set(
            text_of(part).split("=")[0].split()
        )
        if part.type == "public_field_definition" and own and not hidden:
            yield f"{name}.{own}"
    assigned = {
        text_of(child(node, "left")).removeprefix("this.")
        for node in walk(one.constructor.body if one.constructor else None)
        if node.type == "assignment_expression" and text_of(child(node, "left")).startswith("this.")
    }
    yield from (f"{name}.{own}" for own in sorted(assigned) if re.fullmatch(r"[a-z]\w*", own))


def domain_rows(domains: Mapping[str, list[tuple[str, Shape, bool]]]) -> Iterator[tuple[str, str, Shape]]:
    """(subject, parameter, shape) of all parameters whose domain is known."""
    for key, parameters in domains.items():
        for name, shape, _ in parameters:
            if shape.known:
                yield key.partition(" ")[2], name, shape
