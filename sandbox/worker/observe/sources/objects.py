"""Sources of objects: the standard library's value types, enums, named tuples, dataclasses, attrs
and pydantic classes, and any class whose repr evaluates to an equal object.
"""

import ast
import collections
import dataclasses
import datetime
import enum
import inspect
import pathlib
import re
import sys
import types

from ..attributes import is_code
from ..names import NoSourceError
from . import makers


def source(draft, thing):
    """The source of an object that is no plain builtin. Raises NoSourceError."""
    if is_code(thing):
        return _code(draft, thing)
    if isinstance(thing, pathlib.PurePath):
        return _path(draft, thing)
    if isinstance(thing, enum.Enum):
        return _enum_member(draft, thing)
    for kind, build in _STANDARD:
        if type(thing) is kind or (kind in _DATES and isinstance(thing, kind)):
            return build(draft, thing)
    for name, attribute, build in _IF_IMPORTED:
        module = sys.modules.get(name)
        if type(module) is types.ModuleType and type(thing) is vars(module).get(attribute):
            return build(draft, thing)
    draft.custom = True
    for attempt in (_fields, _from_repr, _from_constructor, makers.source):
        text = attempt(draft, thing)
        if text is not None:
            return text
    return draft.as_base(thing)


def _code(draft, thing):
    if isinstance(thing, types.ModuleType):
        raise NoSourceError
    owner = getattr(thing, "__self__", None)
    if isinstance(thing, types.MethodType) or (owner is not None and not isinstance(owner, (types.ModuleType, type))):
        raise NoSourceError
    return draft.name(thing)


def _enum_member(draft, thing):
    name = thing.name
    if not isinstance(name, str) or not name.isidentifier() or type(thing).__members__.get(name) is not thing:
        raise NoSourceError
    return "%s.%s" % (draft.name(type(thing)), name)


def _path(draft, thing):
    text, folder = str(thing), draft.renderer.tmp_path
    kind = pathlib.Path if type(thing) is type(pathlib.Path()) else type(thing)
    if folder is not None and kind is pathlib.Path and (thing == folder or folder in thing.parents):
        return "tmp_path" if thing == folder else "tmp_path / %r" % str(thing.relative_to(folder))
    return draft.call(kind, [repr(text)])


def _within(text):
    return text[text.index("(") + 1 : -1]


def _moment(draft, thing):
    parts = [str(part) for part in (thing.year, thing.month, thing.day, thing.hour, thing.minute)]
    if thing.second or thing.microsecond:
        parts.append(str(thing.second))
    if thing.microsecond:
        parts.append(str(thing.microsecond))
    return _dated(draft, "datetime", parts + _zone(draft, thing))


def _dated(draft, name, arguments):
    """A call of `datetime.datetime` or `datetime.date`, also where a test has put a class of its own there."""
    kind = getattr(datetime, name)
    if kind.__module__ == "datetime" or draft.renderer.namespace.get("datetime", datetime) is not datetime:
        return draft.call(kind, arguments)
    draft.imports.add("import datetime")
    draft.scope["datetime"] = datetime
    text = "datetime.%s(%s)" % (name, ", ".join(arguments))
    draft.spend(len(text))
    return text


def _zone(draft, thing):
    extra = [] if thing.tzinfo is None else ["tzinfo=" + draft.source(thing.tzinfo)]
    return extra + (["fold=1"] if thing.fold else [])


def _time(draft, thing):
    parts = [str(part) for part in (thing.hour, thing.minute, thing.second, thing.microsecond)]
    while len(parts) > 2 and parts[-1] == "0":
        parts.pop()
    return draft.call(datetime.time, parts + _zone(draft, thing))


def _timezone(draft, thing):
    if thing == datetime.timezone.utc:
        return draft.name(datetime.timezone) + ".utc"
    return draft.call(datetime.timezone, [_delta(draft, thing.utcoffset(None))])


def _delta(draft, thing):
    return draft.call(datetime.timedelta, _units(thing))


def _units(delta):
    """The arguments of a duration in the units that a person would count it in: -6 hours, no day less and 64,800 s."""
    sign = -1 if delta.days < 0 else 1
    size = abs(delta)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    units = zip(
        ("days", "hours", "minutes", "seconds", "microseconds"),
        (size.days, hours, minutes, seconds, size.microseconds),
    )
    return ["%s=%d" % (unit, sign * count) for unit, count in units if count]


def _pattern(draft, thing):
    flags = re.RegexFlag(thing.flags & ~(re.UNICODE if isinstance(thing.pattern, str) else 0))
    module = draft.name(re.compile)
    arguments = [repr(thing.pattern)]
    prefix = module.rpartition(".")[0]
    for flag in (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII):
        if flags & flag and not prefix:
            raise NoSourceError
    names = [
        "%s.%s" % (prefix, flag.name)
        for flag in (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.ASCII)
        if flags & flag
    ]
    return "%s(%s)" % (module, ", ".join(arguments + ([" | ".join(names)] if names else [])))


def _deque(draft, thing):
    items = ["[%s]" % ", ".join(draft.items(list(thing)))]
    return draft.call(collections.deque, items + (["maxlen=%d" % thing.maxlen] if thing.maxlen is not None else []))


def _mapping(draft, thing):
    return draft.source(dict(thing))


def _ordered(draft, thing):
    return draft.call(collections.OrderedDict, [draft.source(dict(thing))] if thing else [])


def _counter(draft, thing):
    return draft.call(collections.Counter, [draft.source(dict(thing))] if thing else [])


_DATES = (datetime.datetime, datetime.date)
_STANDARD = (
    (datetime.datetime, _moment),
    (datetime.date, lambda d, t: _dated(d, "date", [str(t.year), str(t.month), str(t.day)])),
    (datetime.time, _time),
    (datetime.timedelta, _delta),
    (datetime.timezone, _timezone),
    (re.Pattern, _pattern),
    (collections.OrderedDict, _ordered),
    (collections.Counter, _counter),
    (collections.defaultdict, _mapping),
    (types.MappingProxyType, _mapping),
    (collections.deque, _deque),
    (types.SimpleNamespace, lambda d, t: d.call(types.SimpleNamespace, _keywords(d, sorted(vars(t).items())))),
)
_IF_IMPORTED = (
    ("decimal", "Decimal", lambda draft, thing: draft.call(type(thing), [repr(str(thing))])),
    ("fractions", "Fraction", lambda draft, thing: draft.call(type(thing), [_within(repr(thing))])),
    ("uuid", "UUID", lambda draft, thing: draft.call(type(thing), [repr(str(thing))])),
)
"""Values of modules that few targets import: with none of them, and their imports, a worker starts sooner."""


def _keywords(draft, pairs):
    return ["%s=%s" % (name, draft.source(value)) for name, value in pairs]


def _fields(draft, thing):
    """A constructor call from the declared fields of a data class, or None."""
    kind = type(thing)
    # Named tuples are tuples too, but read better with their fields' names.
    if isinstance(thing, tuple) and hasattr(kind, "_fields"):
        return draft.call(kind, _keywords(draft, [(name, getattr(thing, name)) for name in kind._fields]))
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init and not _is_made(field, thing)]
        return _try_call(draft, thing, [(field.name, field.name) for field in fields])
    if hasattr(kind, "__attrs_attrs__"):
        fields = [field for field in kind.__attrs_attrs__ if field.init]
        # attrs drops leading underscores from the names of constructor arguments.
        names = [(getattr(field, "alias", None) or field.name.lstrip("_"), field.name) for field in fields]
        return _try_call(draft, thing, names)
    if hasattr(kind, "__pydantic_validator__") or hasattr(kind, "__fields_set__"):
        # Pydantic 2, else 1.
        fields = getattr(kind, "model_fields", None) or kind.__fields__
        names = [(getattr(fields[name], "alias", None) or name, name) for name in fields]
        return _try_call(draft, thing, names)
    return None


def _is_made(field, thing):
    """Whether a field still holds the empty collection its factory makes."""
    value = getattr(thing, field.name)
    return field.default_factory in (list, dict, set) and type(value) is field.default_factory and not value


def _try_call(draft, thing, names):
    """The call whose keyword arguments come from attributes; defaults are left out when the object stays equal."""
    kind = type(thing)
    if not all(argument.isidentifier() for argument, _ in names):
        return None
    try:
        parameters = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        parameters = {}
    pairs = []
    for argument, attribute in names:
        value = getattr(thing, attribute)
        default = parameters[argument].default if argument in parameters else inspect.Parameter.empty
        if type(default) is type(value) and default == value:
            continue
        pairs.append((argument, value))
    return draft.call(kind, _keywords(draft, pairs))


def _from_constructor(draft, thing):
    """The call of a class with its own `__eq__` that stores each argument under its name, or None; the caller proves
    that it builds an equal object.
    """
    kind = type(thing)
    if kind.__eq__ is object.__eq__ or kind.__init__ is object.__init__ or kind.__module__ == "builtins":
        return None
    try:
        parameters = list(inspect.signature(kind).parameters.values())
        stored = vars(thing)
    except (TypeError, ValueError):
        return None
    if not parameters or any(
        one.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD or one.name not in stored for one in parameters
    ):
        return None
    required = [draft.source(stored[one.name]) for one in parameters if one.default is inspect.Parameter.empty]
    others = [
        (one.name, stored[one.name])
        for one in parameters
        if one.default is not inspect.Parameter.empty
        and not (type(one.default) is type(stored[one.name]) and one.default == stored[one.name])
    ]
    return draft.call(kind, required + _keywords(draft, others))


def _from_repr(draft, thing):
    """The repr, when it is an expression whose names can be imported; the caller proves that it evaluates equal."""
    kind = type(thing)
    if kind.__repr__ is object.__repr__ or kind.__eq__ is object.__eq__:
        return None
    text = repr(thing)
    if len(text) > 400:
        raise NoSourceError
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(tree.body, ast.Call):
        return None
    replacements = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield)):
            return None
        if isinstance(node, ast.Name):
            new = _named(draft, kind, node.id)
            if new is None:
                return None
            replacements.append((node.col_offset, node.col_offset + len(node.id), new))
    draft.spend(len(text))
    encoded = text.encode("utf-8")
    for start, end, new in sorted(replacements, reverse=True):
        encoded = encoded[:start] + new.encode("utf-8") + encoded[end:]
    return encoded.decode("utf-8")


def _named(draft, kind, name):
    """How to write a name that stands in a repr, or None when nothing by that name is known."""
    if name in ("True", "False", "None"):
        return name
    module = sys.modules.get(kind.__module__)
    builtins = sys.modules["builtins"]
    if name == kind.__name__:
        return draft.name(kind)
    for place in (module, builtins, datetime, sys.modules.get("decimal")):
        found = getattr(place, name, None)
        if isinstance(found, (type, types.FunctionType)):
            return draft.name(found)
        if isinstance(found, types.ModuleType):
            return None
    return None
