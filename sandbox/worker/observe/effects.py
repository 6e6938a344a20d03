"""Detects what a trial changed: arranged names and files in its folder, compared with a fresh arrangement."""

import contextlib
import itertools
import os
import re
import sys
from collections import abc

from .attributes import is_code, length_of

MAX_EFFECTS = 12
MAX_FILES = 5
MAX_FILE_BYTES = 2000
MAX_ITEMS = 50
# A value that needs several lines is compared as a whole only where more than one attribute of it changed.
LONGEST_LINE = 80
# Texts of several lines, and those with an address, with a part left out, or with a set, whose order changes.
_UNTOLD = re.compile(r"\n|\b0x[0-9a-f]+|\.\.\.|^<|\{(?!\})(?![^{}]*:)")


def state(renderer, names, namespace):
    """The shallow public state of arranged names: expression to told value."""
    seen = {}
    for name in names:
        thing = namespace.get(name)
        if thing is None or name.startswith("_") or is_code(thing):
            continue
        told = renderer.value(thing)
        if told.get("s") == name:  # known by its variable alone: its attributes tell more
            told = {**told, "at": renderer.attributes(thing)}
            del told["s"]
        if "s" in told:
            seen[name] = {**told, "at": renderer.attributes(thing)} if len(told["s"]) > LONGEST_LINE else told
            continue
        seen.update(_tables(renderer, name, thing))
        contents = _contents(renderer, name, thing)
        length = length_of(thing)
        shown = _shown(thing) if not contents and (length is not None or not told.get("at")) else None
        if shown:
            seen["repr(%s)" % name] = renderer.value(shown)
        if length is not None and not contents:
            seen["len(%s)" % name] = renderer.value(length)
        for attribute, value in told.get("at", ()):
            expression = "%s.%s" % (name, attribute)
            if "s" in value:
                seen[expression] = value
            elif "n" in value:
                seen["len(%s)" % expression] = renderer.value(value["n"])
        seen.update(contents)  # last, because reading items may change an object
    return seen


def distinct_names(names, namespace, act):
    """The names without those of an object that has a name before; the one by which the act speaks of it counts first.

    Numbers, texts and the like are no objects with a state: two names for one are two values.
    """
    first = sorted(names, key=lambda name: re.search(r"\b%s\b" % re.escape(name), act) is None)
    kept = {}
    for name in first:
        thing = namespace.get(name)
        plain = type(thing).__module__ == "builtins" and not isinstance(thing, (list, dict, set, bytearray))
        kept.setdefault(name if plain else id(thing), name)
    return [name for name in names if name in kept.values()]


def _tables(renderer, name, thing):
    """What the tables of a SQLite connection hold, or of one that is a public attribute: expression to told value."""
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is None:
        return {}
    found = {name: thing}
    with contextlib.suppress(TypeError):
        found.update(("%s.%s" % (name, key), value) for key, value in vars(thing).items() if not key.startswith("_"))
    seen = {}
    for expression, connection in found.items():
        if not isinstance(connection, sqlite3.Connection):
            continue
        try:
            query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            names = [row[0] for row in connection.execute(query)]
            for table in names[:MAX_FILES]:
                rows = connection.execute("SELECT * FROM %s" % table).fetchall()
                asked = "%s.execute(%r).fetchall()" % (expression, "SELECT * FROM %s" % table)
                seen[asked] = renderer.value([tuple(row) for row in rows])
        except sqlite3.Error:  # closed, or a table that cannot be named so
            continue
    return seen


def _contents(renderer, name, thing):
    """What a container of a class of its own holds: expression to told value; empty where it cannot be read so."""
    try:
        held = dict(thing) if isinstance(thing, abc.Mapping) else _items(thing)
        told = renderer.value(held, depth=0) if held is not None else {}
    except Exception:  # reading runs code of the target
        return {}
    return {"%s(%s)" % (type(held).__name__, name): told} if "s" in told else {}


def told_apart(renderer, found, before, after):
    """The changes, those of objects that are equal to what they were told by what they list: an order, mostly.

    Args:
        found: as `changes` returns them.
        before: the variables as they were before the act; `after`: as they are.
    """
    return [_listed(renderer, one, before[one[0]], after[one[0]]) or one if one[0] in before else one for one in found]


def _listed(renderer, change, old, new):
    """A change of a container told by its list, where `==` does not see it and the list does; else None."""
    name = change[0]
    try:
        if type(new).__module__ == "builtins" or (old == new) is not True:
            return None
        pairs = isinstance(new, abc.Mapping)
        if not isinstance(new, abc.Collection) or len(new) > MAX_ITEMS:
            return None
        were, are = (list(one.items() if isinstance(one, abc.Mapping) else one) for one in (old, new))
        told = renderer.value(are) if were != are else {}
    except Exception:  # how objects of a project compare, and what they list, is their business
        return None
    return ["list(%s%s)" % (name, ".items()" if pairs else ""), told] if "s" in told else None


def _shown(thing):
    """What an object of a class with a `repr` of its own shows of what it holds, in one line; else None."""
    if type(thing).__repr__ is object.__repr__ or type(thing).__module__ == "builtins":
        return None
    try:
        text = repr(thing)
    except Exception:  # code of the target
        return None
    plain = isinstance(text, str) and len(text) <= LONGEST_LINE and not _UNTOLD.search(text)
    return text if plain else None


def _items(thing):
    """The items of an object that hands them out by position; None for others, and for long ones.

    An iterator is used up by reading, and what is asked by key tells little by its keys.
    """
    kind, size = type(thing), length_of(thing)
    methods = all(hasattr(kind, method) for method in ("__iter__", "__len__", "__getitem__"))
    if not methods or hasattr(kind, "__next__") or hasattr(kind, "keys") or kind.__module__ == "builtins":
        return None
    if size is None or size > MAX_ITEMS:
        return None
    items = list(itertools.islice(iter(thing), size + 1))
    same = len(items) == size and (not items or (thing[0] is items[0] and thing[size - 1] is items[-1]))
    return items if same else None


def looks(renderer, expressions, namespace):
    """What questions about arranged objects are answered with: expression to told value; a refusal tells nothing.

    What answers otherwise when it is asked again is no question: it and all after it tell nothing.
    """
    seen = {}
    for expression in expressions:
        try:
            code = compile(expression, "<look>", "eval")
            first, second = (renderer.value(eval(code, namespace)) for _ in range(2))
        except Exception:  # the object cannot answer in its present state
            continue
        if first.get("s") != second.get("s"):
            break
        if "s" in first:
            seen[expression] = first
    return seen


def files(renderer, folder):
    """Small files below the trial's folder: expression to told value."""
    seen = {}
    for place, folders, names in os.walk(str(folder)):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if len(seen) >= MAX_FILES or os.path.islink(path) or os.path.getsize(path) > MAX_FILE_BYTES:
                continue
            relative = os.path.relpath(path, str(folder))
            try:
                with open(path, "rb") as stream:
                    contents = stream.read()
            except OSError:
                continue
            text = _text(contents)
            call = "read_bytes()" if text is None else "read_text(encoding='utf-8')"
            seen["(tmp_path / %r).%s" % (relative, call)] = renderer.value(contents if text is None else text)
    return seen


def _text(contents):
    """Bytes as the text they are, None where they are none."""
    try:
        text = contents.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if any(one < " " and one not in "\n\t" for one in text) else text


def changes(before, after):
    """Expressions whose value is there afterwards and was not before, as [expression, told value]."""
    found: list = []
    for expression, value in after.items():
        old = before.get(expression)
        if "s" in value and (old is None or old.get("s") != value["s"]):
            found.append(_sole_change(expression, old or {}, value) or [expression, _without_attributes(value)])
    # The items are what a sequence is for; attributes beside them tell how it keeps them.
    listed = tuple("%s." % expression[5:-1] for expression, _ in found if re.match(r"list\(\w+\)$", expression))
    found = [one for one in found if not one[0].removeprefix("len(").startswith(listed)] if listed else found
    # How many there are is seen from what they are.
    shown = {"len(%s" % expression[5:] for expression, _ in found if re.match(r"repr\(\w+\)$", expression)}
    return [one for one in found if one[0] not in shown][:MAX_EFFECTS]


def _sole_change(expression, old, value):
    """The only public attribute in which two states of a long value differ, as [expression, told value], or None."""
    before, after = dict(old.get("at") or ()), dict(value.get("at") or ())
    if not after or before.keys() != after.keys() or not all("s" in told for told in after.values()):
        return None
    changed = [name for name, told in after.items() if before[name].get("s") != told["s"]]
    if len(changed) != 1 or len(after[changed[0]]["s"]) > LONGEST_LINE:
        return None
    return ["%s.%s" % (expression, changed[0]), after[changed[0]]]


def _without_attributes(value):
    return {key: part for key, part in value.items() if key != "at"}
