"""Sources of objects with an `==` of their own that no constructor makes which stores its arguments: of nothing, by a
function of their module, by a factory of their class, from what they list, or of their parts.

Each source is proven here: it is a part of the source of a larger value, which is compared as a whole.
"""

import ast
import collections
import dis
import functools
import inspect
import operator
import re
import sys
import types
from collections import abc

from ..attributes import length_of, public_attributes
from ..names import NoSourceError

_FACTORY = re.compile(r"(from|of|create|make|new)(_|$)")
_SIGNS = ((" | ", operator.or_), (" + ", operator.add))
# A function that does one of these does more than to make an object.
_CHANGING = frozenset({"STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "DELETE_ATTR", "IMPORT_NAME"})
_MOST_NAMES = 6
_MOST_MAKERS = 8
_MOST_PARTS = 4
_MOST_ITEMS = 20

_Maker = collections.namedtuple("_Maker", "call prefix owner parameters")


def source(draft, thing):
    """The source of an object, or None; the imports of one that is given up may stay behind in the draft."""
    kind = type(thing)
    if kind.__module__.partition(".")[0] != draft.renderer.package:
        return None
    named = _constant(draft, thing)
    if named is not None:
        return named
    if kind.__name__.startswith("_") or not _compares(kind):
        return None
    for attempt in (_of_nothing, _by_maker, _of_contents, _of_parts):
        try:
            text = attempt(draft, thing)
        except NoSourceError:  # what it holds has none
            continue
        if text is not None:
            draft.made = True
            return text
    return None


def _compares(kind):
    """Whether a class has an `==` of its own: one that a builtin type gives it is that of a plain value."""
    return any("__eq__" in vars(one) for one in kind.__mro__ if one.__module__ != "builtins")


def is_same_call(source, act):
    """Whether an expression calls what another one calls, with the same arguments: `m.closed(1, 2)`, `closed(1, 2)`."""
    try:
        one, other = (ast.parse(text.strip(), mode="eval").body for text in (source, act))
    except (SyntaxError, ValueError, RecursionError):
        return False
    if not (isinstance(one, ast.Call) and isinstance(other, ast.Call)):
        return False
    names = [getattr(call.func, "attr", getattr(call.func, "id", "")) for call in (one, other)]
    passed = [[ast.dump(part) for part in (*call.args, *call.keywords)] for call in (one, other)]
    return names[0] == names[1] != "" and passed[0] == passed[1]


def _constant(draft, thing):
    """The public name of an object without state in the module of its class: a sentinel, or infinity."""
    kind = type(thing)
    if getattr(thing, "__dict__", None) or length_of(thing) is not None:
        return None
    loaded = sys.modules.get(kind.__module__)
    for name, value in list(vars(loaded).items()) if loaded is not None else ():
        if value is thing and not name.startswith("_"):
            module, owner = draft.renderer.namer.public_module(kind.__module__, name)
            return draft.renderer.namer.bind(module, name, "", owner, draft.imports, draft.scope)
    return None


def _of_nothing(draft, thing):
    """The class called without anything, for an object that is empty."""
    kind = type(thing)
    empty = length_of(thing) == 0 or getattr(thing, "empty", None) is True
    return draft.call(kind, []) if empty and _is_like(_attempted(kind), thing) else None


def _by_maker(draft, thing):
    known = set(public_attributes(thing, draft.renderer.package))
    for maker in makers_of(type(thing)):
        if not known.issuperset(maker.parameters):
            continue
        values = _attempted(lambda maker=maker: [getattr(thing, name) for name in maker.parameters])
        if values is not None and _is_like(_attempted(lambda m=maker, v=values: m.call(*v)), thing):
            arguments = [draft.source(value) for value in values]
            text = "%s%s(%s)" % (draft.name(maker.owner), maker.prefix, ", ".join(arguments))
            draft.spend(len(text))
            return text
    return None


@functools.lru_cache(maxsize=None)
def makers_of(kind):
    """What makes objects of a class of nothing but what they show: functions of its module, then its factories."""
    loaded = sys.modules.get(kind.__module__)
    found = []
    for name, one in list(vars(loaded).items()) if loaded is not None else ():
        if isinstance(one, types.FunctionType) and not name.startswith("_") and _only_makes(one, kind):
            found.append(_Maker(one, "", one, _parameters(one)))
    for name, one in list(vars(kind).items()):
        if isinstance(one, (classmethod, staticmethod)) and _FACTORY.match(name):
            call = getattr(kind, name)
            found.append(_Maker(call, "." + name, kind, _parameters(call)))
    return tuple(one for one in found if one.parameters)[:_MOST_MAKERS]


def _only_makes(function, kind):
    code = function.__code__
    if function.__module__ != kind.__module__ or kind.__name__ not in code.co_names or len(code.co_names) > _MOST_NAMES:
        return False
    return not any(one.opname in _CHANGING for one in dis.get_instructions(code))


def _parameters(call):
    """The names of what a call needs; empty where it takes something by its name alone, or any number of things."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return ()
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in parameters if one.default is inspect.Parameter.empty]
    return tuple(one.name for one in needed) if all(one.kind in plain for one in needed) else ()


def _of_contents(draft, thing):
    """The class called with what an object lists: a dictionary of a mapping, a list of another collection."""
    kind = type(thing)
    size = length_of(thing)
    if not size or size > _MOST_ITEMS or not isinstance(thing, abc.Collection) or isinstance(thing, abc.Set):
        return None
    # What a mapping answers to one of its own keys may be something else than what it lists beside it.
    held = _attempted(lambda: dict(thing.items()) if isinstance(thing, abc.Mapping) else list(thing))
    if held is None or len(held) != size or not _is_like(_attempted(lambda: kind(held)), thing):
        return None
    return draft.call(kind, [draft.source(held)])


def _of_parts(draft, thing):
    """Parts of the same class, put together by an operator: the intervals that a union of them consists of."""
    kind = type(thing)
    parts = _attempted(lambda: list(thing)) if isinstance(thing, abc.Iterable) else None
    if not parts or not 1 < len(parts) <= _MOST_PARTS or any(type(one) is not kind for one in parts):
        return None
    for sign, combine in _SIGNS:
        if _is_like(_attempted(lambda combine=combine: functools.reduce(combine, parts)), thing):
            return sign.join(draft.source(one) for one in parts)
    return None


def _attempted(make):
    """What code of the target gives; None where it refuses."""
    try:
        return make()
    except Exception:
        return None


def _is_like(made, thing):
    """Whether two objects are equal, and show and list the same: `==` may leave an order or a limit out."""
    if type(made) is not type(thing):
        return False
    try:
        if (made == thing) is not True:
            return False
        shown = type(thing).__repr__ is object.__repr__ or repr(made) == repr(thing)
        return shown and (not isinstance(thing, abc.Mapping) or list(made) == list(thing))
    except Exception:  # how objects of a project compare is their business
        return False
