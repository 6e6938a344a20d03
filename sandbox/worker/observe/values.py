"""Turns a value into source text that builds an equal one, proven by evaluating it (engine/python/model: `Value`).

A value without such a source is told by its public attributes, its length and its text.
"""

import math
import numbers
import os
import re
import warnings

from .attributes import is_code, length_of, public_attributes, short_repr
from .equality import tells_apart
from .names import Namer, NoSourceError, type_name
from .sources import makers, objects

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

MAX_SOURCE = 400
MAX_ITEMS = 60
MAX_TEXT = 200
MAX_ATTRIBUTES = 12
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
# What is written with these alone and no names is what it was: it need not be evaluated and compared.
_SURE = frozenset((int, str, bool, bytes, type(None), float, list, tuple, dict))


class Renderer:
    """Renders values against one trial's namespace.

    Args:
        namespace: the trial's namespace after its imports: names bound there are used as they are.
        home: dotted name of the target module.
        hidden: texts that no source may contain (folders of this workspace).
        tmp_path: the trial's own folder, which a source may name as `tmp_path`, or None.
    """

    def __init__(self, namespace, home, hidden, tmp_path=None):
        self.namespace = namespace
        self.home = home
        self.package = home.partition(".")[0]
        self.hidden = hidden
        self.tmp_path = tmp_path
        self.namer = Namer(namespace, home)
        self.arranged: dict = {}

    def know_arranged(self, names, namespace):
        """Have objects of a namespace that no source can build be written as the variables that hold them."""
        self.arranged = {}
        for name in names:
            thing = namespace.get(name)
            if not name.startswith("_") and type(thing) not in _BUILDERS:
                self.arranged.setdefault(id(thing), (name, thing))

    def value(self, thing, depth=1, properties=True, act=""):
        """A dict for JSON: type t, source s, imports i, approximate a, unordered u, attributes at, length n, text x.

        The value of an act has h as well, where a variable holds that very object.

        Args:
            act: what gave the value: the same call of a function once more would say nothing of it.
        """
        told = {"t": type_name(type(thing)), "x": self.text(thing)}
        length = length_of(thing)
        if length is not None:
            told["n"] = length
        draft = Draft(self)
        try:
            source = draft.checked(thing)
        except Exception:  # rendering meets any class at all; what fails has no source
            source = None
        if source is not None and not (draft.made and makers.is_same_call(source, act)):
            told["s"] = source
            if draft.imports:
                told["i"] = sorted(draft.imports)
            if draft.approximate:
                told["a"] = True
            if draft.unordered:
                told["u"] = True
        elif depth > 0:
            attributes = self.attributes(thing, depth, properties)
            if attributes:
                told["at"] = attributes
        return told

    def attributes(self, thing, depth=1, properties=True):
        """Public attributes as [name, told value] pairs."""
        names = public_attributes(thing, self.package if properties else None)
        told = []
        for name in names[:MAX_ATTRIBUTES]:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    value = getattr(thing, name)
            except Exception:  # deprecated, or a property that fails
                continue
            if not is_code(value):
                told.append([name, self.value(value, depth - 1, properties)])
        return told

    def text(self, thing):
        """A short repr for people, without addresses or folders."""
        try:
            text = short_repr(thing)
        except Exception:
            text = "<%s without a working repr>" % type(thing).__name__
        return self.clean(text)[:MAX_TEXT]

    def clean(self, text):
        for folder in self.hidden:
            text = text.replace(folder, "…")
        if "0x" in text:
            text = ADDRESS.sub("0x…", text)
        return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")

    def tells_place(self, source):
        """Whether a source names an address, or a folder of ours."""
        return ("0x" in source and ADDRESS.search(source) is not None) or any(one in source for one in self.hidden)


class Draft:
    """One attempt at a source, with what it needs."""

    def __init__(self, renderer):
        self.renderer = renderer
        self.imports = set()
        self.scope = {}
        self.approximate = False
        self.unordered = False
        self.nan = False
        self.custom = False
        self.made = False
        self.number = False
        self.sure = True
        self.open = set()
        self.left = MAX_SOURCE

    def checked(self, thing):
        """The source of `thing`, evaluated and compared, or None."""
        try:
            source = self.source(thing)
        except NoSourceError:
            return None
        if len(source) > MAX_SOURCE or self.renderer.tells_place(source):
            return None
        # A literal of built-in types equals itself: nothing has to be evaluated.
        if self.sure and not self.nan:
            return source
        scope = dict(self.renderer.namespace)
        scope.update(self.scope)
        if self.renderer.tmp_path is not None:
            scope["tmp_path"] = self.renderer.tmp_path
        rebuilt = eval(compile(source, "<value>", "eval"), scope)
        # NaN is not equal to itself, so the sources are compared.
        if self.nan:
            return source if Draft(self.renderer).source(rebuilt) == source else None
        # A function or class is right only if the name leads to the very object.
        if is_code(thing):
            return source if rebuilt is thing else None
        if self.number:
            return source if bool(rebuilt == thing) else None
        # An `__eq__` that returns no bool, or says yes to anything, proves nothing.
        if (rebuilt == thing) is not True or (self.custom and (thing == _Odd()) is not False):
            return None
        return None if self.custom and not tells_apart(source, scope, thing) else source

    def source(self, thing):
        """Source text. Raises NoSourceError."""
        kind = type(thing)
        if kind not in _SURE:
            self.sure = False
        builder = _BUILDERS.get(kind)
        if builder is None:
            with self.inside(thing):
                return self.object_source(thing)
        if kind in _CONTAINERS:
            with self.inside(thing):
                return builder(self, thing)
        text = builder(self, thing)
        self.spend(len(text))
        return text

    def object_source(self, thing):
        """The source of an object, else the variable that holds it. Raises NoSourceError."""
        try:
            return objects.source(self, thing)
        except NoSourceError:
            name, held = self.renderer.arranged.get(id(thing), ("", None))
            if held is not thing:
                raise
            self.scope[name] = thing
            return name

    def as_base(self, thing):
        """A subclass of a builtin, or a library's number, as the builtin it equals. Raises NoSourceError."""
        for base in _BASES:
            if isinstance(thing, base):
                make: Any = str.__str__ if base is str else base
                plain = make(thing)
                if type(plain) is base and (plain == thing) is True:
                    return _BUILDERS[base](self, plain)
        if isinstance(thing, numbers.Real):
            # numpy's answer to == is no bool.
            self.number = True
            return self.source(int(thing) if isinstance(thing, numbers.Integral) else float(thing))
        raise NoSourceError

    def inside(self, thing):
        return _Inside(self, thing)

    def spend(self, size):
        self.left -= size
        if self.left < 0:
            raise NoSourceError

    def name(self, thing):
        return self.renderer.namer.name(thing, self.imports, self.scope)

    def call(self, kind, arguments):
        text = "%s(%s)" % (self.name(kind), ", ".join(arguments))
        self.spend(len(kind.__name__) + 2)
        return text

    def items(self, things):
        if len(things) > MAX_ITEMS:
            raise NoSourceError
        self.spend(2 * len(things))
        return [self.source(item) for item in things]


class _Odd:
    """Equal to nothing: a class that equals this compares nothing."""


class _Inside:
    def __init__(self, draft, thing):
        self.draft, self.key = draft, id(thing)

    def __enter__(self):
        if self.key in self.draft.open or len(self.draft.open) > 12:
            raise NoSourceError
        self.draft.open.add(self.key)

    def __exit__(self, *_):
        self.draft.open.discard(self.key)


def _int(_draft, thing):
    if thing.bit_length() > 1200:
        raise NoSourceError
    return repr(thing)


def _float(draft, thing):
    if math.isnan(thing):
        draft.nan = draft.approximate = True
        return "float('nan')"
    if math.isinf(thing):
        draft.sure = False
        return "float('%s')" % ("inf" if thing > 0 else "-inf")
    text = repr(thing)
    # A whole number is exact: a tolerance of a millionth of it would let the next one pass.
    if (
        not (thing.is_integer() and abs(thing) < 2**53)
        and len(text.partition("e")[0].replace("-", "").replace(".", "").strip("0")) > 6
    ):
        draft.approximate = True
    return text


def _complex(draft, thing):
    return "complex(%s, %s)" % (_float(draft, thing.real), _float(draft, thing.imag))


def _sized(_draft, thing):
    if len(thing) > MAX_SOURCE:
        raise NoSourceError
    return repr(thing)


def _str(draft, thing):
    folder = draft.renderer.tmp_path
    if folder is not None and thing.startswith(str(folder)):
        rest = thing[len(str(folder)) :]
        if not rest or (rest.startswith("/") and rest == "/" + os.path.normpath(rest.lstrip("/"))):
            draft.sure = False  # it names the trial's folder: proven by evaluating it
            return "str(tmp_path / %r)" % rest[1:] if rest else "str(tmp_path)"
    return _sized(draft, thing)


def _list(draft, thing):
    return "[%s]" % ", ".join(draft.items(thing))


def _tuple(draft, thing):
    items = draft.items(thing)
    return "(%s,)" % items[0] if len(items) == 1 else "(%s)" % ", ".join(items)


def _set(draft, thing):
    draft.unordered = True
    return "{%s}" % ", ".join(sorted(draft.items(thing), key=_natural)) if thing else "set()"


def _frozenset(draft, thing):
    return "frozenset(%s)" % (_set(draft, thing) if thing else "")


def _natural(text):
    """Numbers by size before texts by letter."""
    try:
        return (0, float(text), text)
    except ValueError:
        return (1, 0.0, text)


def _dict(draft, thing):
    keys, values = draft.items(list(thing)), draft.items(list(thing.values()))
    return "{%s}" % ", ".join("%s: %s" % pair for pair in zip(keys, values))


def _range(draft, thing):
    if thing.step != 1:
        return "range(%d, %d, %d)" % (thing.start, thing.stop, thing.step)
    return "range(%d, %d)" % (thing.start, thing.stop) if thing.start else "range(%d)" % thing.stop


def _slice(draft, thing):
    return "slice(%s, %s, %s)" % tuple(draft.source(part) for part in (thing.start, thing.stop, thing.step))


def _keys(draft, thing):
    return _set(draft, set(thing))


_BASES = (str, int, float, bytes, list, tuple, dict, set, frozenset)
_CONTAINERS = {list, tuple, set, frozenset, dict}
_BUILDERS = {
    type(None): lambda draft, thing: "None",
    type(Ellipsis): lambda draft, thing: "Ellipsis",
    type(NotImplemented): lambda draft, thing: "NotImplemented",
    bool: lambda draft, thing: repr(thing),
    int: _int,
    float: _float,
    complex: _complex,
    str: _str,
    bytes: _sized,
    bytearray: _sized,
    range: _range,
    slice: _slice,
    list: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _frozenset,
    dict: _dict,
    type({}.keys()): _keys,
    type({}.items()): _keys,
}
