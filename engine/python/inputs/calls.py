"""Writes calls: rows of arguments for them, their readable forms, and those that build objects of project classes.

Forms are operators for dunder methods and attributes for properties.
"""

from __future__ import annotations

import keyword
import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ....utils.in_turns import in_turns
from ..domain.example_tables import KEY_NAME
from ..facts.makers import made_class
from ..model.candidate_parts import combined, distinct
from ..model.model import CallableFacts, Candidate, ClassFacts, Mode, ModuleFacts, Parameter
from ..usage.project_index import ProjectIndex

Row = tuple[tuple[Parameter, Candidate], ...]
_BUILT_IN_CONTENT = {
    **dict.fromkeys(("dict", "OrderedDict", "UserDict"), "{'banana': 3, 'apple': 1}"),
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "deque", "UserList"), "[3, 1, 8, 2]"),
    **dict.fromkeys(("str", "UserString"), "'hello world'"),
    **{"int": "6", "float": "2.5"},
}
Pools = Mapping[str, tuple[Candidate, ...]]
_OPEN_KINDS = ("abstract", "protocol")
_MAKING = re.compile(r"(from|parse|of|create|make|new)_?")
_MIXED_ROWS = 60
_FURTHER_DATA = 3
_MEMBER = re.compile(r"[A-Za-z_]\w*\.[A-Z]\w*( \| [A-Za-z_]\w*\.[A-Z]\w*)*")
_CLOCK = re.compile(r"(\w+\.)*(monotonic|perf_counter|time|now|utcnow|today)(_ns)?")
_ARITHMETIC = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"},
    **{"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BINARY = {f"__{name}__": sign for name, sign in (_ARITHMETIC | _COMPARISONS).items()}
_REFLECTED = {f"__r{name}__": sign for name, sign in _ARITHMETIC.items()}
_UNARY = {
    **{f"__{name}__": f"{name}({{}})" for name in "len str repr bool int float abs next bytes round complex".split()},
    "__index__": "range(9)[{}]",
    "__neg__": "-{}",
    "__pos__": "+{}",
    "__invert__": "~{}",
    "__reversed__": "list(reversed({}))",
    "__fspath__": "{}.__fspath__()",
    "__hash__": "hash({}) == hash({})",
    "__aiter__": "{}",
    "__sizeof__": "{}.__sizeof__()",
}
NOT_CALLED = frozenset(
    "__init__ __new__ __getattr__ __setattr__ __delattr__ __getattribute__ __sizeof__ __del__ __reduce__ __reduce_ex__ "
    "__getstate__ __setstate__ __set_name__ __init_subclass__ __class_getitem__ __subclasshook__ __dir__ __post_init__ "
    "__attrs_post_init__ __getnewargs__ __await__ __exit__ __aexit__ __weakref__ __prepare__ __instancecheck__ "
    "__subclasscheck__ "
    # Of Python 2: no operator and no builtin calls them any more.
    "__unicode__ __nonzero__ __cmp__ __coerce__ __long__ __hex__ __oct__ __div__ __idiv__ __getslice__".split()
)
_MAXIMUM_OBJECTS = 8
_MADE_BY_EACH = 3
_MAXIMUM_IN_ALL = _MAXIMUM_OBJECTS + 2
_MOST_FILLED = 3
_NAMED = frozenset({"positional_or_keyword", "keyword_only"})


def argument_rows(one: CallableFacts, pools: Pools, limit: int) -> Iterator[Row]:
    """Yields at most `limit` distinct rows, the plainest first; none where a required parameter has no values.

    First the required parameters with their first values; then each parameter varied alone, round-robin; then mixtures
    drawn with a seed of the callable's name. A parameter whose default is a real clock is always passed: results that
    depend on that clock cannot be repeated.
    """
    if any(item.required and not pools.get(item.name) for item in one.parameters):
        return
    required = [item for item in one.parameters if item.required or (takes_clock(item) and pools.get(item.name))]
    seen: set[str] = set()
    for chosen in _choices(one, pools, required):
        row = _row(one, chosen)
        key = rendered_arguments(row).source
        if key not in seen:
            seen.add(key)
            yield row
            if len(seen) >= limit:
                return


def _choices(one: CallableFacts, pools: Pools, required: list[Parameter]) -> Iterator[dict[str, Candidate]]:
    base = {item.name: pools[item.name][0] for item in required}
    spread = [item for item in one.parameters if item.kind == "var_positional" and pools.get(item.name)]
    if spread:
        yield {**base, spread[0].name: pools[spread[0].name][0]}
    varied = [item for item in one.parameters if pools.get(item.name)]
    options = [item for item in varied if not item.required and item.kind in _NAMED and item.name not in base]
    if one.kind == "constructor" and not base and 1 < len(options) <= _MOST_FILLED:
        # An object of defaults alone shows little: a person gives it what makes it what it is.
        yield {item.name: pools[item.name][0] for item in options}
    yield base
    named = [item for item in one.parameters if item.kind == "var_keyword" and pools.get(item.name)]
    if named:
        yield {**base, named[0].name: pools[named[0].name][-1]}  # the last one names a single thing
    # The first value of a parameter in `base` was passed already.
    others = {item.name: pools[item.name][1 if item.name in base else 0 :] for item in varied}
    alone = [[{**base, name: value} for value in pool] for name, pool in others.items()]
    yield from in_turns([*alone, *_options_on_other_data(varied, pools, base)])
    if len(varied) > 1:
        yield from _mixtures(one, pools, varied)


def _options_on_other_data(
    varied: Sequence[Parameter], pools: Pools, base: Mapping[str, Candidate]
) -> list[list[dict[str, Candidate]]]:
    """Rows of members of enumerations, and of keys, with further data: each changes what becomes of some items."""
    data = next((item for item in varied if item.name in base), None)
    further = pools[data.name][1:_FURTHER_DATA] if data is not None else ()
    options: list[tuple[str, Candidate]] = []
    keys: list[tuple[str, Candidate]] = []
    for item in varied:
        if not item.required:
            options += [(item.name, value) for value in pools[item.name] if is_option(value)]
            keys += [(item.name, value) for value in pools[item.name] if KEY_NAME.fullmatch(item.name)]
    return [
        [{**base, data.name: items, name: value} for name, value in chosen]
        for chosen in (options, keys)
        for items in further
        if data is not None
    ]


def is_option(value: Candidate) -> bool:
    """Whether a value is a named member of an enumeration, or several together: `Mode.FAST | Mode.STRICT`."""
    return _MEMBER.fullmatch(value.source) is not None


def with_import_of(member: Candidate, other: Candidate) -> Candidate:
    """A value with the import of a member of the same enumeration: a file does not import it from two modules."""
    holder = member.source.partition(".")[0]
    same = is_option(other) and other.source.startswith(f"{holder}.")
    return replace(other, imports=member.imports) if same else other


def _mixtures(one: CallableFacts, pools: Pools, varied: list[Parameter]) -> Iterator[dict[str, Candidate]]:
    """Yields rows that vary several parameters at a time; seeded, so that each run draws the same."""
    generator = random.Random(zlib.crc32(one.qualname.encode()))
    for _ in range(_MIXED_ROWS):
        chosen: dict[str, Candidate] = {}
        for item in varied:
            if item.required or takes_clock(item) or generator.random() < 0.5:
                chosen[item.name] = generator.choice(pools[item.name])
        yield chosen


def takes_clock(item: Parameter) -> bool:
    """Whether a parameter's default is a real clock, on which results would depend."""
    return _CLOCK.fullmatch(item.default or "") is not None


def _row(one: CallableFacts, chosen: dict[str, Candidate]) -> Row:
    """The chosen values in order of declaration; positional-only parameters before a chosen one get their defaults."""
    given = [at for at, item in enumerate(one.parameters) if item.kind == "positional_only" and item.name in chosen]
    last = max(given, default=-1)
    row: list[tuple[Parameter, Candidate]] = []
    for index, item in enumerate(one.parameters):
        if item.name in chosen:
            row.append((item, chosen[item.name]))
        elif item.kind == "positional_only" and index < last and item.default is not None:
            row.append((item, Candidate(item.default)))
    return tuple(row)


def rendered_arguments(row: Row) -> Candidate:
    """Renders the text between the brackets of the call, with all it needs."""
    parts: list[str] = []
    spreads = any(item.kind == "var_positional" for item, _ in row)
    for item, value in row:
        if item.kind in ("var_positional", "var_keyword"):
            if value.source:
                parts.append(value.source)
        elif item.kind == "keyword_only" or (
            item.default is not None and item.kind != "positional_only" and not spreads
        ):
            parts.append(f"{item.name}={value.source}")
        else:
            parts.append(value.source)
    return combined(", ".join(parts), (value for _, value in row))


@dataclass(frozen=True, slots=True)
class CallForm:
    """An expression and the mode in which its result is used."""

    act: str
    mode: Mode = "call"


def function_form(one: CallableFacts, row: Row, prefix: str = "") -> CallForm:
    """A call of a function, class method, static method or constructor; `prefix` is `Class.` for members."""
    return CallForm(f"{prefix}{one.name}({rendered_arguments(row).source})", mode_of(one))


def mode_of(one: CallableFacts) -> Mode:
    """What is done with the result of a call."""
    if one.is_async:
        return "aiterate" if one.is_generator else "aenter" if one.is_context_manager else "await"
    return "iterate" if one.is_generator else "enter" if one.is_context_manager else "call"


def member_form(one: CallableFacts, receiver: str, row: Row) -> CallForm | None:
    """Writes a use of a method or property of a variable; None for methods that only the interpreter calls."""
    name = one.name
    if one.kind == "property":
        if row:
            return CallForm(f"setattr({receiver}, {name!r}, {row[0][1].source})")
        return CallForm(f"{receiver}.{name}")
    if name in NOT_CALLED:
        return None
    values = [value for _, value in row]
    if name in _UNARY and not row:
        return CallForm(_UNARY[name].format(receiver, receiver), "aiterate" if name == "__aiter__" else "call")
    if name == "__iter__":
        return CallForm(f"list({receiver})") if not one.is_async else CallForm(receiver, "aiterate")
    if name in ("__enter__", "__aenter__"):
        return CallForm(receiver, "aenter" if name == "__aenter__" else "enter")
    if name == "__call__":
        return CallForm(f"{receiver}({rendered_arguments(row).source})", mode_of(one))
    operator = _operator(name, receiver, values)
    if operator is not None:
        return CallForm(operator)
    return CallForm(f"{receiver}.{name}({rendered_arguments(row).source})", mode_of(one))


def _operator(name: str, receiver: str, values: list[Candidate]) -> str | None:
    if len(values) != 1:
        return None
    other = values[0].source
    operand = f"({other})" if other.startswith(("lambda", "not ")) or " for " in other else other
    if name in _BINARY:
        return f"{receiver} {_BINARY[name]} {operand}"
    if name in _REFLECTED:
        return f"{operand} {_REFLECTED[name]} {receiver}"
    if name == "__getitem__":
        return f"{receiver}[{other}]"
    if name == "__contains__":
        return f"{operand} in {receiver}"
    if name == "__format__":
        return f"format({receiver}, {other})"
    return None


class ValueSource(Protocol):
    """The part of `values.Values` that this module uses; a protocol, because that module imports this one."""

    facts: ModuleFacts
    index: ProjectIndex

    def for_parameter(
        self, one: CallableFacts, parameter: Parameter, where: ModuleFacts | None = None, depth: int = 0
    ) -> tuple[Candidate, ...]:
        """Values for a parameter."""
        ...

    def of_class(self, where: ModuleFacts, owner: ClassFacts, depth: int = 0) -> list[Candidate]:
        """Objects of a class."""
        ...


def class_candidates(values: ValueSource, where: ModuleFacts, owner: ClassFacts, depth: int) -> list[Candidate]:
    """Expressions that build an object of a class, the simplest first; empty when none is known."""
    importing = (f"from {where.module} import {owner.name}",)
    if owner.kind == "enum":
        return [Candidate(f"{owner.name}.{name}", importing) for name, _ in owner.fields][:_MAXIMUM_OBJECTS]
    if owner.kind in _OPEN_KINDS:  # only a subclass can be instantiated
        children = [child for child in values.index.subclasses(owner.name) if child[1].kind not in _OPEN_KINDS]
        return [item for child in children[:3] for item in values.of_class(*child, depth + 1)][:_MAXIMUM_OBJECTS]
    if not values.index.can_be_made(where, owner):
        return []
    constructor = values.index.constructor(where, owner)
    if owner.kind == "typeddict":
        return _dictionaries(values, where, constructor, depth)
    if constructor is None:
        text = f"{owner.name}('message')" if owner.kind == "exception" else f"{owner.name}()"
        made = [text, *(f"{owner.name}({content})" for content in built_in_content(owner))]
        plain = [Candidate(one, importing) for one in made]
        return [*plain, *_factories(values, where, owner, importing, depth)]
    pools = {item.name: values.for_parameter(constructor, item, where, depth) for item in constructor.parameters}
    found = _calls_of(owner.name, constructor, pools, importing, limit=_MAXIMUM_OBJECTS)
    made = _made_by_functions(values, where, owner, depth)
    # A constructor that needs nothing makes an empty object; what functions make has content.
    found = [*found, *made] if constructor.needed else [*made, *found]
    return distinct([*found, *_factories(values, where, owner, importing, depth)], _MAXIMUM_IN_ALL)


def built_in_content(owner: ClassFacts) -> list[str]:
    """What a class without a constructor of its own is built from that extends a container of the standard library."""
    return [content for base in owner.bases if (content := _BUILT_IN_CONTENT.get(base.rpartition(".")[2]))][:1]


def _dictionaries(
    values: ValueSource, where: ModuleFacts, constructor: CallableFacts | None, depth: int
) -> list[Candidate]:
    if constructor is None:
        return [Candidate("{}")]
    pools = {one.name: values.for_parameter(constructor, one, where, depth) for one in constructor.parameters}
    found: list[Candidate] = []
    for row in argument_rows(constructor, pools, limit=4):
        text = ", ".join(f"{parameter.name!r}: {value.source}" for parameter, value in row)
        found.append(combined(f"{{{text}}}", (value for _, value in row)))
    return found


def _factories(
    values: ValueSource, where: ModuleFacts, owner: ClassFacts, importing: tuple[str, ...], depth: int
) -> list[Candidate]:
    """Calls of class and static methods that make objects: `Money.parse('1.50')`, `Tree.from_rows([...])`."""
    found: list[Candidate] = []
    for member in owner.members:
        returned = (member.returns or "").strip("'\"")
        makes = returned in ("Self", owner.name, "typing.Self") or _MAKING.match(member.name)
        if member.kind not in ("classmethod", "staticmethod") or not makes or not member.public or member.is_async:
            continue
        pools = {item.name: values.for_parameter(member, item, where, depth + 1) for item in member.parameters}
        found += _calls_of(f"{owner.name}.{member.name}", member, pools, importing, limit=2)
    return found[:4]


def _made_by_functions(values: ValueSource, where: ModuleFacts, owner: ClassFacts, depth: int) -> list[Candidate]:
    """Calls of functions of the class's module that make its objects: `closed(1, 2)` of `Interval`, one each."""
    plain = (one for one in where.functions if one.public and one.needed and not (one.is_async or one.is_generator))
    found: list[Candidate] = []
    for one in (one for one in plain if made_class(one, [owner.name]) is not None):
        if len(found) == _MAXIMUM_IN_ALL:
            break  # no more are taken, and each asks for values of all its parameters
        pools = {item.name: values.for_parameter(one, item, where, depth + 1) for item in one.parameters}
        found += _calls_of(one.name, one, pools, (f"from {where.module} import {one.name}",), limit=1)
    return found


def made_by_named(values: ValueSource, where: ModuleFacts, owner: ClassFacts, depth: int) -> list[Candidate]:
    """Calls of what the documents of a class say to use instead of it, with content where any is taken."""
    found: list[Candidate] = []
    for one in (*where.functions, *owner.members):
        inside = one.kind in ("classmethod", "staticmethod")
        name, holder = (one.qualname, owner.name) if inside else (one.name, one.name)
        if name not in (owner.makers or ()) or one.is_async:
            continue
        importing = (f"from {where.module} import {holder}",)
        taken = [item for item in one.parameters if item.name not in ("self", "cls")]
        passed = [item for item in taken if item.required] or [it for it in taken[:1] if it.kind != "keyword_only"]
        pools = {item.name: values.for_parameter(one, item, where, depth + 1)[:_MADE_BY_EACH] for item in passed}
        if passed and not passed[0].required:
            given = [value for value in pools[passed[0].name] if value.source]
            found += [combined(f"{name}({value.source})", [value], importing) for value in given]
        else:
            found += _calls_of(name, one, pools, importing, limit=_MADE_BY_EACH)
    return found


def _calls_of(name: str, one: CallableFacts, pools: Pools, importing: tuple[str, ...], limit: int) -> list[Candidate]:
    """Calls of a callable by a name, the plainest first."""
    rows = [rendered_arguments(row) for row in argument_rows(one, pools, limit=limit)]
    return [combined(f"{name}({inner.source})", [inner], importing) for inner in rows]


def variable_for(name: str, taken: Sequence[str] = ()) -> str:
    """A variable name for an object of a class: `shopping_cart` for `ShoppingCart`; never one in `taken`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.strip("_")).lower()
    variable = words or "subject"
    if variable in _RESERVED or variable in taken or variable == name:
        variable = f"a_{variable}" if variable[:1].isalpha() else f"the_{variable}"
    return variable


_RESERVED = frozenset(keyword.kwlist) | frozenset(
    "list dict set tuple str int float bool bytes type object range slice iter next len map filter zip sum min max "
    "result format hash id input".split()
)
