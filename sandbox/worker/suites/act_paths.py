"""Reads the paths that an act of a test is about, whatever the test has put in the place of functions and methods.

A test may replace any function that it can name, and give objects whose methods are its own. So the functions here are
copies that call each other, and texts are taken without asking their methods. Plain standard library, Python 3.9.
"""

import builtins
import genericpath
import os as system
import pathlib
import stat
import types

BUILTINS = dict(vars(builtins))
__builtins__ = BUILTINS


def untouched(module, **others):
    """A copy of a module, whose functions call each other and not what a test puts in their place."""
    copy = types.ModuleType(module.__name__)
    names = vars(copy)
    names.update(vars(module), __builtins__=BUILTINS, **others)
    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__globals__ is vars(module):
            names[name] = types.FunctionType(value.__code__, names, name, value.__defaults__, value.__closure__)
            names[name].__kwdefaults__ = value.__kwdefaults__
    return copy


os = untouched(system)
modes = untouched(stat)
generic = untouched(genericpath, os=os, stat=modes)
vars(os)["path"] = untouched(
    system.path, os=os, stat=modes, **{name: getattr(generic, name) for name in genericpath.__all__}
)

TWO_PATHS = ("os.rename", "os.link", "os.symlink")
DEEPEST = 3
MOST = 20


def below(path, places):
    """Whether a path is one of the places, or lies in one."""
    return any(path == place or path.startswith(place.rstrip(os.sep) + os.sep) for place in places)


def text_of(path):
    """A path as the system reads it, without a method of its own having a say. Raises TypeError: it is none."""
    kind = type(path)
    if issubclass(kind, str):
        return str.__str__(path)
    if issubclass(kind, bytes):
        return os.fsdecode(bytes.__getitem__(path, slice(None)))
    if kind in PATHS or of_libraries(kind):
        return text_of(os.fspath(path))
    raise TypeError("not a path of a library")


PATHS = (type(pathlib.Path()), type(pathlib.PurePath()))


def of_libraries(kind):
    """Whether a type of paths, such as pytest's, has no code but that of libraries."""
    if not hasattr(kind, "__fspath__"):
        return False
    for one in type.__dict__["__mro__"].__get__(kind):
        if one in (object, *PATHS):
            continue
        for name, value in dict(type.__dict__["__dict__"].__get__(one)).items():
            inner = value.fget if type(value) is property else getattr(value, "__func__", value)
            if type(inner) is types.FunctionType:
                place = inner.__code__.co_filename
                known = place.startswith("<frozen ") or "site-packages" in place or below(place, (LIBRARY,))
            else:
                known = type(inner) in HARMLESS or name == "_abc_impl" or (type(inner) is type and name[:2] != "__")
            if not known:
                return False
    return True


LIBRARY = os.path.dirname(system.__file__)
HARMLESS = (str, int, tuple, set, frozenset, type(None), types.GetSetDescriptorType, types.MemberDescriptorType)


def paths(event, arguments):
    """The paths that an event is about, as texts."""
    if event == "sqlite3.connect":
        text = text_of(arguments[0])
        text, _, options = text[5:].partition("?") if text.startswith("file:") else (text, "", "")
        return [] if text in ("", ":memory:") or "mode=memory" in options.split("&") else [text]
    given = arguments[:2] if event in TWO_PATHS else arguments[:1]
    folder = arguments[-1] if event in ("os.mkdir", "os.rmdir", "os.remove") else -1
    found = []
    for path in given:
        if path is None:
            path = os.curdir
        if isinstance(path, int):
            continue
        text = text_of(path)
        if isinstance(folder, int) and folder >= 0:
            text = os.path.join(os.readlink("/proc/self/fd/{}".format(folder)), text)
        found.append(text)
    return found


def mentions(value, full, depth=DEEPEST):
    """Whether a value holds a path, or a folder around it, that is no root."""
    kind = type(value)
    if issubclass(kind, (str, bytes)) or hasattr(kind, "__fspath__"):
        try:
            text = text_of(value if kind in PATHS or not hasattr(kind, "__fspath__") else os.fspath(value))
        except Exception:  # whatever a method of its own raises
            return False
        place = os.path.realpath(text) if text and "\0" not in text else ""
        return len(place) > 1 and below(full, (place,))
    if depth == 0:
        return False
    inside = [] if issubclass(kind, type) else list(attributes(value).values())[:MOST]
    base = next((one for one in (list, tuple, set, frozenset) if issubclass(kind, one)), None)
    if issubclass(kind, dict):
        inside += list(dict.values(value))[:MOST]
    elif base is not None:
        inside += list(base.__iter__(value))[:MOST]
    return any(mentions(one, full, depth - 1) for one in inside)


def attributes(value):
    """What an object holds by name; empty for one that keeps it elsewhere."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:  # whatever a property of that name raises
        return {}
    return found if type(found) is dict else {}
