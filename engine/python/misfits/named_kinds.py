"""Tells arguments of another kind than the name of their parameter, or of its function, says."""

from __future__ import annotations

import ast
import re

from ....utils.graphs import reachable
from ....utils.python_names import last_name
from ....utils.python_source import shared_expression
from ..domain.arguments import Argument
from ..domain.contains import Kinds
from ..domain.phrases import takes_tuple
from ..model.domain import SAID_SOURCES, ParameterDomain

_COLLECTION = re.compile(r"container|collection|choices|members|records|rows|entries")
_SOME_COLLECTION = re.compile(rf"\w+_({_COLLECTION.pattern})")
_ITERATED = re.compile(r"iterables?|items|elements|sequence|seqs?")
_FILE = re.compile(r"(\w+_)?(file_?obj(ect)?|file_?handle|fp|fobj)")
_STREAM = re.compile(r"(\w+_)?stream")
_READS = re.compile(r"method:(read|write)(line|lines|able)?")
_CLASS = re.compile(r"(\w+_)?(cls|klass|class_?)")
_MOMENT = re.compile(r"\w+_dt|(\w+_)?date_?time")
_EXCEPTIONS = frozenset({"exc", "exception"})
_TIME_STEP_OR_MOMENT = "dt"
_OF_ZONES = frozenset({"tzname", "utcoffset", "dst", "fromutc"})
_ASKS_MOMENTS = re.compile(
    r"attribute:(tzinfo|year|month|day|hour|minute|second)|method:(utcoffset|tzname|dst|astimezone|isoformat|strftime|"
    r"timestamp|date|time|timetuple|weekday|isoweekday)"
)
_PLAIN = frozenset("int float complex bool str bytes list tuple set frozenset dict range".split())
_NUMBERS = frozenset({"int", "float", "complex", "bool"})
_COLLECTIONS = frozenset({"sequence", "set", "iterator"})
_DERIVED_BY_ALL = frozenset({"object", "ABC", "abc.ABC", "Generic", "typing.Generic"})


def contradicts_name(one: Argument, kinds: Kinds) -> bool:
    """Whether an argument is certainly of another kind than names say; what is not known speaks against nothing."""
    item = one.declared
    if item is None or item.kind in ("var_positional", "var_keyword"):
        return False  # such a name stands for all that is passed, each of which is anything
    kind = kinds.kind(one.value)
    if _is_of_no_class(one, kind, kinds):
        return True
    if kind not in _PLAIN:
        return False
    name, domain = one.parameter.strip("_").lower(), one.domain
    if _names_file(one, name):
        return domain.kind in ("any", "file")
    if _names_moment(one, name):
        return domain.kind in ("any", "datetime")
    if name in _EXCEPTIONS:
        return domain.kind == "any" and kind in _NUMBERS - {"bool"}  # a flag says whether to raise one
    if domain.source in SAID_SOURCES:
        return False  # whoever says what is passed knows better than the name
    if _names_collection(name, domain):
        return kind in _NUMBERS or kind in ("str", "bytes")
    if domain.kind in ("any", *_COLLECTIONS) and _ITERATED.fullmatch(name):
        return kind in _NUMBERS
    return kind == "list" and takes_tuple(one.called, one.parameter)


def _names_collection(name: str, domain: ParameterDomain) -> bool:
    """Whether a parameter holds several things by its name; `max_rows` counts them unless the body goes through it."""
    if domain.kind in _COLLECTIONS and _SOME_COLLECTION.fullmatch(name):
        return True
    return domain.kind in ("any", *_COLLECTIONS) and _COLLECTION.fullmatch(name) is not None


def _names_file(one: Argument, name: str) -> bool:
    """Whether a parameter is a file by its name; a stream may be any iterable, or a flag, unless the body reads it."""
    return bool(_FILE.fullmatch(name) or (_STREAM.fullmatch(name) and _has_use(one, _READS)))


def _names_moment(one: Argument, name: str) -> bool:
    """Whether a parameter is a moment by its name; `dt` is a step in time, too, unless the body asks for its parts."""
    asked = one.called.name in _OF_ZONES or _has_use(one, _ASKS_MOMENTS)
    return bool(_MOMENT.fullmatch(name) or (name == _TIME_STEP_OR_MOMENT and asked))


def _has_use(one: Argument, use: re.Pattern[str]) -> bool:
    return any(used == one.parameter and use.fullmatch(what) for used, what in one.called.uses)


def _is_of_no_class(one: Argument, kind: str, kinds: Kinds) -> bool:
    """Whether a built-in type, or no class at all, stands for the class of the project that a default names.

    For a class that stands for an error or for a type of another module that is what others pass.
    """
    item = one.declared
    parsed = shared_expression(item.default) if item is not None and item.default else None
    default = last_name(parsed) if parsed is not None else ""
    if not _CLASS.fullmatch(one.parameter.strip("_").lower()) or not _stands_alone(default, kinds):
        return False
    named = one.value.id if isinstance(one.value, ast.Name) else ""
    return kind in _PLAIN or kind == "function" or named in _PLAIN


def _stands_alone(name: str, kinds: Kinds) -> bool:
    """Whether a name is that of a class of the module that derives from no class of another one."""
    lineage = reachable([name], lambda one: kinds.classes[one].bases if one in kinds.classes else ())
    known = all(one in kinds.classes or one.partition("[")[0] in _DERIVED_BY_ALL for one in lineage)
    return name in kinds.classes and known and kinds.classes[name].kind != "exception"
