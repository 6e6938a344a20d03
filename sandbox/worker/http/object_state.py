"""Finds which objects of a project's modules requests have changed: what a test has to give the application anew."""

import collections
import copy
import datetime
import decimal
import fractions
import importlib
import types
import uuid

DEEPEST, MOST_PARTS = 12, 20_000
_CODE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, property)
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
# Their text says all that they hold.
_VALUES = (
    bytearray,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
)


def state_of(modules, application):
    """What the modules hold, by place: {"shop.api:shop": what tells whether it was changed}.

    Args:
        modules: name → module; attributes of classes that a module defines itself are places, too.
        application: left out: it is the framework's.
    """
    found = {}
    for name, module in sorted(modules.items()):
        for place, value in _places(name, module):
            if value is not application and not isinstance(value, (*_CODE, type)):
                found[place] = fingerprint(value, set(modules))
    return found


def _places(name, module):
    for key, value in list(vars(module).items()):
        if key.startswith("__"):
            continue
        yield f"{name}:{key}", value
        if isinstance(value, type) and value.__module__ == name:
            for inner, held in list(vars(value).items()):
                if isinstance(held, (dict, list, set, int, collections.deque)) and not inner.startswith("_"):
                    yield f"{name}:{key}.{inner}", held


def fingerprint(value, own):
    """A value that is equal as long as what it was made of holds the same; of foreign objects only their kind.

    Args:
        own: names of the modules whose objects are looked into.
    """
    return _part(value, own, {}, 0)


def _part(value, own, seen, depth):
    if isinstance(value, _PLAIN):
        return type(value).__name__, value if value == value else "nan"
    if id(value) in seen or depth > DEEPEST or len(seen) > MOST_PARTS:
        return "seen", seen.get(id(value), 0)
    seen[id(value)] = len(seen)

    def inner(one):
        return _part(one, own, seen, depth + 1)

    kind = type(value).__name__
    if isinstance(value, dict):
        return kind, tuple((inner(key), inner(entry)) for key, entry in list(value.items()))
    if isinstance(value, (list, tuple, collections.deque)):
        return kind, tuple(inner(item) for item in list(value))
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(map(repr, value))
    # The text of a counter of itertools says where it stands.
    if kind == "count" or isinstance(value, _VALUES):
        return kind, repr(value)
    if type(value).__module__ in own:
        slots = [name for base in type(value).__mro__ for name in _slots(base) if hasattr(value, name)]
        held = {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in slots}}
        return kind, tuple((name, inner(one)) for name, one in list(held.items()))
    return kind, ""


def _slots(base):
    slots = base.__dict__.get("__slots__", ())
    return [_mangled(name, base) for name in ([slots] if isinstance(slots, str) else slots)]


def _mangled(name, base):
    """The attribute's name as the interpreter writes it for a private name in a class."""
    owner = base.__name__.lstrip("_")
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


def grouped(places):
    """The places of each object; what is no container has one."""
    groups = {}
    for place in places:
        value = getattr(*owner_of(place))
        groups.setdefault(place if isinstance(value, (int, str, float, type(None))) else id(value), []).append(place)
    return list(groups.values())


def owner_of(place):
    """The object whose attribute a place is, and the attribute's name."""
    module, _, path = place.partition(":")
    *outer, name = path.split(".")
    owner = importlib.import_module(module)
    for part in outer:
        owner = getattr(owner, part)
    return owner, name


def is_copied(place):
    owner, name = owner_of(place)
    try:
        copy.deepcopy(getattr(owner, name))
    except Exception:
        return False
    return True
