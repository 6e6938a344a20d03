"""Leaves out constructions that only store what they are given, where other tests show that."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ....utils.python_source import expression_or_none, parse_or_none
from ..facts.definitions import is_exception
from ..model.model import GENERATED_CONSTRUCTORS, CallableFacts, ModuleFacts
from .candidates import TrialCandidate

# What an object has that nothing was said of.
_UNSET = frozenset({"None", "False", "''", "()", "[]", "{}", "0"})


def drop_plain_constructions(by_subject: dict[str, list[TrialCandidate]], facts: ModuleFacts) -> None:
    """Leaves out constructions that only store arguments: of generated constructors, and where members have tests.

    What is stored shows in the tests of the members; that a dataclass has its fields is no behaviour of the project's.
    What an exception keeps beside its message is all that there is to it.
    """
    for owner in facts.classes:
        found = by_subject.get(owner.name)
        tested = any(one.name != "__init__" and f"{owner.name}.{one.name}" in by_subject for one in owner.members)
        tested = tested or (not owner.members and len(by_subject) > 1)  # a record that functions work on
        if found and (tested or owner.kind in GENERATED_CONSTRUCTORS):
            telling = is_exception(owner, facts.classes) and not owner.members
            default = _default_attributes(found)
            by_subject[owner.name] = [
                one
                for one in found
                if one.example
                or one.raises
                or not _stores_only(one, owner.constructor, default)
                or (telling and _is_given_more(one))
            ]
            if not by_subject[owner.name]:
                del by_subject[owner.name]


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


def _stores_only(
    candidate: TrialCandidate, constructor: CallableFacts | None, default: Mapping[str, str | None]
) -> bool:
    """Whether all that a construction shows are the arguments that it was given, and defaults.

    Args:
        default: the attributes of an object that was given nothing: nobody asserts what is the same there.
    """
    trial, observation = candidate.record.trial, candidate.record.observation
    value = observation.value
    if value is None or observation.effects or observation.output or observation.warnings:
        return False
    defaults = [one.default for one in constructor.parameters if one.default] if constructor is not None else []
    given = set().union(*(_constants(text) for text in (*trial.arrange, trial.act, *defaults)))
    told = [
        item.source or ""
        for name, item in value.attributes
        if _is_given_nothing(candidate) or not (default.get(name, "") == item.source or item.source in _UNSET)
    ]
    shown = [value.source] if value.source else told
    return all(_constants(source) <= given for source in shown)


@lru_cache(maxsize=4096)
def _constants(source: str) -> frozenset[str]:
    tree = parse_or_none(source)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(ast.unparse(node) for node in nodes if isinstance(node, ast.Constant))
