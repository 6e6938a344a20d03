"""What calls say about their arguments: of builtins, their methods, the standard library and the module itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from time import strptime

from ....utils.python_names import last_name
from .shape import Function, Shape, contradict, made_of, unify

_TEXT_METHODS = frozenset(
    "lower upper strip lstrip rstrip startswith endswith replace encode title capitalize isdigit isalpha isalnum "
    "isnumeric isspace isupper islower casefold zfill ljust rjust center translate expandtabs swapcase isidentifier "
    "isdecimal format removeprefix removesuffix".split()
)
_TEXT_RESULTS = frozenset(
    "lower upper strip lstrip rstrip replace title capitalize casefold zfill ljust rjust center translate expandtabs "
    "swapcase format removeprefix removesuffix".split()
)
_CASES = frozenset("lower upper title capitalize casefold swapcase isupper islower".split())
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_DIGIT_TESTS = frozenset({"isdigit", "isnumeric", "isdecimal"})
_SPLITTING = frozenset("split rsplit splitlines".split())
_CONVERSIONS = {
    **{name: name for name in ("list", "tuple", "set", "iter")},
    **dict.fromkeys(("sorted", "deque"), "list"),
    **dict.fromkeys(("reversed", "iter", "cycle", "chain", "islice"), "iterator"),
    "frozenset": "set",
    "Counter": "dict",
}
CONVERTING = frozenset((*_CONVERSIONS, "str", "int", "float", "len", "dict", "bool", "abs", "sum", "min", "max", "ord"))
_INTEGERS = frozenset("bin hex oct chr factorial comb perm gcd lcm isqrt randint randrange divmod".split())
_NUMBERS = frozenset("abs round pow sqrt log log2 log10 floor ceil exp sin cos tan atan hypot isnan isclose".split())
_PATHS = frozenset("open exists isfile isdir listdir walk makedirs mkdir basename dirname splitext remove".split())
MOMENT_PARSERS = frozenset({"strptime", "fromisoformat"})
MOMENT_PARTS = frozenset({"year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"})
_ISO_FORMS = {"date": "%Y-%m-%d", "datetime": "%Y-%m-%dT%H:%M:%S", "time": "%H:%M:%S"}
_MOMENTS = (
    datetime(2024, 3, 15, 10, 30, tzinfo=UTC),
    datetime(2023, 12, 31, 8, 5, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC),
)
_MATCHING = frozenset("match fullmatch search findall finditer".split())
_SEARCHED_WITH = _MATCHING | {"sub", "subn", "split"}
# The place of the flags among the arguments of functions of `re`, where it is not the third.
_FLAGS_AT = {"compile": 1, "split": 3, "sub": 4, "subn": 4}


def compiled_pattern(node: ast.Call) -> tuple[str, int] | None:
    """The regular expression that a call compiles or applies, and its flags; None for one that is no constant."""
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    at = _FLAGS_AT.get(last_name(node.func), 2)
    given = [*node.args[at : at + 1], *(keyword.value for keyword in node.keywords if keyword.arg == "flags")]
    flags = re.NOFLAG
    for part in (part for one in given for part in ast.walk(one)):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "re":
            flags |= re.RegexFlag.__members__.get(part.attr, re.NOFLAG)
    return first.value, int(flags)


def note_pattern(name: str, pattern: Shape | tuple[str, int] | None, arguments: Sequence[Shape]) -> None:
    """Notes what a text is searched with: `re.sub(pattern, repl, text)` or `compiled.sub(repl, text)`.

    Args:
        arguments: those behind the pattern.
    """
    at = 1 if name in ("sub", "subn") else 0
    if name not in _SEARCHED_WITH or len(arguments) <= at or pattern is None:
        return
    known = pattern.root().compiled if isinstance(pattern, Shape) else {pattern: None}
    if known:
        arguments[at].vote("text").root().patterns.update(known)


def call_builtin(name: str, arguments: Sequence[Shape]) -> Shape | None:
    """The result of a function of the standard library, and what it says of its arguments; None for other names."""
    first = arguments[0] if arguments else None
    if first is None:
        empty = {"list": "list", "dict": "dict", "set": "set", "str": "text", "deque": "list", "defaultdict": "dict"}
        return Shape().vote(empty[name]) if name in empty else None
    if name == "len":
        first.mark("len")
        return Shape().vote("integer")
    if name in _CONVERSIONS:
        first.mark("iterated")
        return made_of(_CONVERSIONS[name], first.get_each())
    if name in ("min", "max", "sum", "any", "all"):
        return _reduced(name, first, arguments)
    if name == "range":
        for argument in arguments:
            argument.vote("integer", 2)
        return made_of("iterator", Shape().vote("integer"))
    if name in ("enumerate", "zip", "map", "filter"):
        return _paired(name, first, arguments)
    return _converted(name, first, arguments)


def _reduced(name: str, first: Shape, arguments: Sequence[Shape]) -> Shape:
    if len(arguments) > 1 and name in ("min", "max"):
        found = first
        for argument in arguments[1:]:
            found = unify(found, argument)
        return found.mark("ordered")
    first.mark("iterated")
    if name in ("any", "all"):
        return Shape().vote("boolean")
    return first.get_each().mark("number" if name == "sum" else "ordered")


def _paired(name: str, first: Shape, arguments: Sequence[Shape]) -> Shape:
    if name in ("map", "filter"):
        if len(arguments) < 2:
            return Shape()
        arguments[1].mark("iterated")
        unify(first.mark("called").get_argument(0), arguments[1].get_each())
        return made_of("iterator", first.get_result() if name == "map" else arguments[1].get_each())
    pair = Shape().vote("tuple")
    parts = [Shape().vote("integer"), first] if name == "enumerate" else list(arguments)
    for at, part in enumerate(parts):
        if name == "enumerate" and not at:
            pair.positions[0] = part
            continue
        part.mark("iterated")
        pair.positions[at] = part.get_each()
    return made_of("iterator", pair)


def _converted(name: str, first: Shape, arguments: Sequence[Shape]) -> Shape | None:
    if name in ("int", "float"):
        first.mark("as number")
        return Shape().vote("integer" if name == "int" else "real")
    if name in ("str", "repr"):
        return Shape().vote("text")
    if name == "ord":
        first.vote("text", 2).mark("character")
        return Shape().vote("integer")
    if name in _INTEGERS or name in _NUMBERS:
        for argument in arguments:
            argument.mark("number")
            if name in _INTEGERS:
                argument.vote("integer")
        text = {"bin", "hex", "oct", "chr"}
        return Shape().vote("text" if name in text else "integer" if name in _INTEGERS else "real")
    if name in _PATHS:
        first.mark("path")
        return Shape()
    if name == "dict":
        first.vote("dict")
        return first
    if name == "next":
        first.mark("iterated").vote("iterator")
        return first.get_each()
    if name in ("copy", "deepcopy"):
        return first
    return _in_heap(name, first, arguments)


def _in_heap(name: str, first: Shape, arguments: Sequence[Shape]) -> Shape | None:
    """Heaps, bisection and regular expressions."""
    if name in ("heappush", "heappop", "heapify"):
        first.vote("list")
        if len(arguments) > 1:
            unify(first.get_each(), arguments[1])
        return first.get_each()
    if name in ("bisect", "bisect_left", "bisect_right", "insort"):
        first.vote("list").mark("sorted")
        if len(arguments) > 1:
            unify(first.get_each(), arguments[1])
        return Shape().vote("integer")
    if name in _MATCHING and len(arguments) > 1:
        arguments[1].vote("text")
        return Shape()
    return None


def call_method(base: Shape, name: str, arguments: Sequence[Shape]) -> Shape | None:
    """The result of a method of a builtin type, and what it says of its object; None for names that none has."""
    first = arguments[0] if arguments else None
    if name in _TEXT_METHODS:
        return _text_method(base, name, arguments)
    if name == "group":
        return Shape().vote("text")  # each group of a match is a text of its own
    if name in _SPLITTING:
        base.vote("text", 2)
        if name == "split" and first is None:
            base.mark("blanks between")
        return made_of("list", Shape().vote("text"))
    if name == "join":
        base.vote("text")
        if first is not None:
            first.mark("iterated").get_each().vote("text")
        return Shape().vote("text")
    for method in (_list_method, _dict_method, _set_method):
        found = method(base, name, arguments)
        if found is not None:
            return found
    return None


def _text_method(base: Shape, name: str, arguments: Sequence[Shape]) -> Shape:
    base.vote("text", 2)
    if name in _CASES:
        base.mark("letter case")
    if name in _STRIPS and not arguments:
        base.mark("blanks around")
    if name in _DIGIT_TESTS:
        base.mark("digit test")
    if name in _TEXT_RESULTS:
        return base
    return Shape().vote("bytes" if name == "encode" else "boolean")


def _list_method(base: Shape, name: str, arguments: Sequence[Shape]) -> Shape | None:
    if name in ("append", "appendleft", "remove", "insert"):
        base.vote("list").mark("mutated")
        if arguments:
            unify(base.get_each(), arguments[-1])
        return Shape()
    if name in ("extend", "extendleft"):
        base.vote("list").mark("mutated")
        if arguments:
            unify(base.get_each(), arguments[0].mark("iterated").get_each())
        return Shape()
    if name in ("sort", "reverse"):
        base.vote("list").mark("mutated", *(["ordered items"] if name == "sort" else []))
        return Shape()
    if name == "popleft":
        base.vote("list").mark("mutated")
        return base.get_each()
    if name == "pop":
        base.mark("mutated", "popped")
        # The key of a mapping, or a position of a list.
        if len(arguments) == 2:
            unify(base.vote("dict").get_index(), arguments[0])
            return base.get_item()
        return base.get_each() if not arguments or "integer" in arguments[0].root().kinds else base.get_item()
    return None


def _dict_method(base: Shape, name: str, arguments: Sequence[Shape]) -> Shape | None:
    if name in ("get", "setdefault"):
        base.vote("dict", 2)
        if arguments:
            unify(base.get_index(), arguments[0])
        if len(arguments) > 1:
            unify(base.get_item(), arguments[1])
        return base.get_item()
    if name == "items":
        pair = Shape().vote("tuple")
        pair.positions = {0: base.vote("dict", 2).get_index(), 1: base.get_item()}
        return made_of("iterator", pair)
    if name == "keys":
        return made_of("iterator", base.vote("dict", 2).get_index())
    if name == "values":
        return made_of("iterator", base.vote("dict", 2).get_item())
    return None


def _set_method(base: Shape, name: str, arguments: Sequence[Shape]) -> Shape | None:
    if name in ("add", "discard"):
        base.vote("set")
        if arguments:
            unify(base.get_each(), arguments[0])
        return Shape()
    if name in ("union", "intersection", "difference", "issubset", "issuperset", "symmetric_difference"):
        base.vote("set", 2)
        if arguments:
            unify(base.get_each(), arguments[0].mark("iterated").get_each())
        return base
    return None


# What is parsed by a format that is not known here, and formats.
_COMMON_MOMENTS = ("'2024-05-03'", "'03/05/2024'", "'2024-05-03T10:30:15.000000Z'")
_COMMON_FORMATS = ("'%Y-%m-%d'", "'%d/%m/%Y'", "'%Y-%m-%dT%H:%M:%S.%fZ'")


def note_moment(arguments: Sequence[Shape], owner: str, name: str, layout: str | None) -> None:
    """Notes the texts that a parser of dates and times takes: `datetime.strptime(text, "%Y-%m-%d")`.

    Args:
        arguments: the text first, then its format where one is passed.
        owner: the last name before the method: date, datetime or time.
        layout: the format, where it is a constant.
    """
    form = _ISO_FORMS.get(owner) if name == "fromisoformat" else layout
    if form is None and name == "strptime":
        for one, texts in zip(arguments, (_COMMON_MOMENTS, _COMMON_FORMATS), strict=False):
            one.vote("text").root().tokens.update(dict.fromkeys(texts))
    if form is None:
        return
    try:
        texts = [moment.strftime(form) for moment in _MOMENTS]
        for one in texts:
            strptime(one, form)
    except ValueError:
        return  # a format that nothing can be read by, as with `%` at its end
    arguments[0].vote("text").root().tokens.update(dict.fromkeys(map(repr, texts)))


def called_with(shape: Shape, arguments: list[Shape]) -> Shape:
    """The result of calling a value, and what that says of what it takes."""
    shape.mark("called", f"arity {len(arguments)}")
    for at, argument in enumerate(arguments):
        unify(shape.get_argument(at), argument)
    return shape.get_result()


def pass_arguments(
    function: Function, arguments: list[Shape], keywords: Mapping[str | None, Shape], *, skip: bool = True
) -> None:
    """Unifies arguments with the parameters they bind."""
    names = list(function.parameters)
    positional = names[1:] if function.bound and skip else names
    for name, argument in zip(positional, arguments, strict=False):
        if not contradict(function.parameters[name], argument):
            unify(function.parameters[name], argument)
    for name, argument in keywords.items():
        if name in function.parameters and not contradict(function.parameters[name], argument):
            unify(function.parameters[name], argument)


def call_function(function: Function, arguments: list[Shape], keywords: Mapping[str | None, Shape]) -> Shape:
    """The result of calling a function of the module; its parameters learn what is passed."""
    if function.read_anew is None:
        pass_arguments(function, arguments, keywords)
        return function.result
    called = function.read_anew()
    pass_arguments(called, arguments, keywords)
    for name, shape in called.parameters.items():
        function.parameters[name].root().kinds.update(shape.root().kinds)
    return called.result


_TESTED = {"int": "integer", "float": "real", "str": "text", "bool": "boolean", "bytes": "bytes"}


def tested(shape: Shape, node: ast.expr) -> None:
    """`isinstance(x, int)`: one of the kinds that are accepted, or refused."""
    for part in node.elts if isinstance(node, ast.Tuple) else [node]:
        if isinstance(part, ast.Name):
            kind = _TESTED.get(part.id, part.id if part.id in ("list", "tuple", "dict", "set") else "")
            shape.mark(f"tested {kind or part.id}")
