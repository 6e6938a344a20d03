"""Inspects a value from outside: its public attributes, a short repr, whether it is code."""

import collections
import functools
import reprlib
import types

CODE = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    types.GeneratorType,
    types.CoroutineType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
)


def is_code(thing):
    """Whether the value is a function, class or module rather than data."""
    return isinstance(thing, CODE)


def short_repr(thing):
    """repr, without building that of a huge builtin container."""
    if (
        type(thing) in (list, tuple, dict, set, frozenset, str, bytes, bytearray, collections.deque)
        and len(thing) > 200
    ):
        return reprlib.repr(thing)
    if type(thing) is int and thing.bit_length() > 1200:
        return "<int of %d bits>" % thing.bit_length()
    return repr(thing)


def public_attributes(thing, package):
    """Names of public data attributes, in order of definition: the instance's own, slots, and properties.

    Properties only of classes within `package`; None for none.
    """
    names = {}
    kind = type(thing)
    if is_code(thing) or kind.__module__ == "builtins":
        return []
    own = getattr(thing, "__dict__", None)
    for name in list(own) if isinstance(own, dict) else ():
        names[name] = True
    for owner in reversed(kind.__mro__):
        slots = owner.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            names[name] = True
        if package is not None and owner.__module__.partition(".")[0] == package:
            for name, member in owner.__dict__.items():
                if isinstance(member, (property, functools.cached_property)):
                    names[name] = True
    if isinstance(thing, BaseException):
        names["args"] = True
    return [name for name in names if isinstance(name, str) and not name.startswith("_")]


def length_of(thing):
    """len() of sized values whose class defines it, else None."""
    if not hasattr(type(thing), "__len__"):
        return None
    try:
        return len(thing)
    except Exception:
        return None
