"""Leaves out constructions that only store what they are given, and those that make little more of it where other tests
show what the object is for."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, literal_or, parse_or_none
from ..facts.definitions import is_exception
from ..model.model import GENERATED_CONSTRUCTORS, CallableFacts, ModuleFacts
from ..source.titles import arguments_of
from .candidates import TrialCandidate

_NO_LITERAL = object()
# What an object has that nothing was said of.
_UNSET = frozenset({"None", "False", "''", "()", "[]", "{}", "0"})


def drop_plain_constructions(by_subject: dict[str, list[TrialCandidate]], facts: ModuleFacts) -> None:
    """Leaves out constructions that only store arguments, and where members have tests those that make little of them.

    What is stored shows in the tests of the members, and so does what a property gives; that an object has the
    attributes it was given is no behaviour of the project's. What an exception keeps beside its message is all that
    there is to it.
    """
    for owner in facts.classes:
        found = by_subject.get(owner.name)
        if not found:
            continue
        members = frozenset(one.name for one in owner.members if f"{owner.name}.{one.name}" in by_subject)
        tested = bool(members - {"__init__"}) or owner.kind in GENERATED_CONSTRUCTORS
        telling = is_exception(owner, facts.classes) and not owner.members
        stored = _Stored(owner.constructor, _default_attributes(found), _attributes_alike(found), members)
        by_subject[owner.name] = [
            one
            for one in found
            if one.example
            or one.raises
            or _says_enough(_made_of_arguments(one, stored), tested)
            or (telling and _is_given_more(one))
        ]
        if not by_subject[owner.name]:
            del by_subject[owner.name]


def _says_enough(made: Sequence[str] | None, tested: bool) -> bool:
    """Whether what a construction makes of its arguments is worth a test: anything at all; where members have tests
    what a reader compares with what was given, which is no object of another class: `timedelta(hours=2)` of 2."""
    if made is None or not tested:
        return made is None or bool(made)
    return any(literal_or(source, _NO_LITERAL) is not _NO_LITERAL for source in made)


def _is_given_more(candidate: TrialCandidate) -> bool:
    """Whether a construction is given more than one argument."""
    call = expression_or_none(candidate.record.trial.act)
    return isinstance(call, ast.Call) and len(call.args) + len(call.keywords) > 1


def _default_attributes(found: Sequence[TrialCandidate]) -> Mapping[str, str | None]:
    """The attributes of an object that is made of nothing; empty where none was made."""
    values = (one.record.observation.value for one in found if _is_given_nothing(one))
    return next(({name: held.source for name, held in value.attributes} for value in values if value is not None), {})


def _is_given_nothing(candidate: TrialCandidate) -> bool:
    call = expression_or_none(candidate.record.trial.act)
    return isinstance(call, ast.Call) and not (call.args or call.keywords or candidate.record.trial.arrange)


def _attributes_alike(found: Sequence[TrialCandidate]) -> frozenset[tuple[str, str | None]]:
    """The attributes that look unset and that all constructions with an attribute of that name have alike."""
    shown: dict[str, set[str | None]] = {}
    for one in found:
        value = one.record.observation.value
        for name, held in value.attributes if value is not None else ():
            shown.setdefault(name, set()).add(held.source)
    alike = ((name, *sources) for name, sources in shown.items() if len(sources) == 1)
    return frozenset((name, source) for name, source in alike if source in _UNSET)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the objects of a class have without being made of anything.

    Attributes:
        constructor: of the class; None where it has none of its own.
        default: the attributes of an object that was given nothing: nobody asserts what is the same there.
        alike: the attributes that every construction leaves unset.
        members: names of members that have tests: a property is shown there.
    """

    constructor: CallableFacts | None
    default: Mapping[str, str | None]
    alike: Container[tuple[str, str | None]]
    members: Container[str] = ()


def _made_of_arguments(candidate: TrialCandidate, stored: _Stored) -> list[str] | None:
    """The sources of what a construction shows beside the arguments that it was given, and defaults.

    None where it shows something else than the new object: an effect, an output, a warning, or no value at all.
    """
    trial, observation = candidate.record.trial, candidate.record.observation
    value = observation.value
    if value is None or observation.effects or observation.output or observation.warnings:
        return None
    left_out = _left_out(trial.act, stored.constructor)
    given = set[str]().union(*(_given_in(text) for text in (*trial.arrange, trial.act, *left_out.values())))
    if value.source:
        return [] if _constants(value.source) <= given else [value.source]
    bare = _is_given_nothing(candidate)
    if bare and not _takes_anything(stored.constructor):
        # Every test of a member begins so: an empty list and a count of zero show nothing more.
        return [held.source or "" for _, held in value.attributes if not _is_start(held.source or "")]
    found: list[str] = []
    handed_on = _handed_on(trial.act, stored.constructor)
    for name, held in value.attributes:
        source = held.source or ""
        if name in handed_on or (bare and (source in ("True", "False") or left_out.get(name) in ("None", source))):
            continue  # what it was given, a flag that every object begins with, or what stands for an option left out
        unset = source in _UNSET and not bare
        told = frozenset({source}) if unset else _constants(source)
        if name in stored.members:
            continue
        if not bare and (stored.default.get(name, "") == held.source or (name, source) in stored.alike):
            continue
        if not told <= given and not (unset and name.strip("_") in left_out):
            found.append(source)
    return found


def _takes_anything(constructor: CallableFacts | None) -> bool:
    return constructor is None or any(one.name != "self" for one in constructor.parameters)


def _is_start(source: str) -> bool:
    """Whether an attribute is what an object begins with that is filled later: nothing, or a list of nothing."""
    node = expression_or_none(source)
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else ()
    return source in _UNSET or (bool(items) and all(_is_start(ast.unparse(one)) for one in items))


def _left_out(act: str, constructor: CallableFacts | None) -> dict[str, str]:
    """The parameters of a constructor that a call leaves at their defaults, with those."""
    passed = {one.name for one in arguments_of(act, constructor)}
    parameters = constructor.parameters if constructor is not None else ()
    return {one.name: one.default for one in parameters if one.default and one.name not in passed}


def _handed_on(act: str, constructor: CallableFacts | None) -> frozenset[str]:
    """The parameters of a constructor that are passed what has a name of its own, as `Kind.TEXT`: their attributes hold
    it, however it is written."""
    passed = arguments_of(act, constructor)
    return frozenset(one.name for one in passed if isinstance(one.node, ast.Attribute))


@lru_cache(maxsize=4096)
def _given_in(source: str) -> frozenset[str]:
    """The constants of a source, its empty containers, and the names in it as texts."""
    tree = parse_or_none(source)
    nodes = list(ast.walk(tree)) if tree is not None else []
    empty = [ast.unparse(node) for node in nodes if isinstance(node, ast.List | ast.Tuple | ast.Dict)]
    # Of `int` that is passed an object may keep the name 'int', and of `str.upper` the name 'upper'.
    passed = [one for node in nodes if isinstance(node, ast.Call) for one in (*node.args, *node.keywords)]
    values = [one.value if isinstance(one, ast.keyword) else one for one in passed]
    names = [repr(last_name(node)) for node in values if isinstance(node, ast.Name | ast.Attribute)]
    return _constants(source) | (_UNSET & frozenset(empty)) | frozenset(names)


@lru_cache(maxsize=4096)
def _constants(source: str) -> frozenset[str]:
    tree = parse_or_none(source)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(_as_written(node) for node in nodes if isinstance(node, ast.Constant))


def _as_written(node: ast.Constant) -> str:
    """The source of a constant; a whole number is the same as a float: `2` for `2.0`."""
    whole = isinstance(node.value, float) and node.value.is_integer()  # pyrefly: ignore[missing-attribute]
    return repr(int(node.value)) if whole else ast.unparse(node)  # pyrefly: ignore[bad-argument-type]
