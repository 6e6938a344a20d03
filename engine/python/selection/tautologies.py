"""Finds trials whose test would say nothing: `Point(1, 2) == Point(1, 2)`, or that two hashes differ, or that an
attribute has the value that was assigned to it the line before, or how None compares where an object was meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache

from ....utils.python_names import assignment_in, assignments_in, last_name, names_of
from ....utils.python_source import expression_or_none, literal_or, normalized, shared_expression, shared_module
from ..judge.value_checks import is_empty_source
from ..model.model import RICH_SOURCES, Arc, ModuleFacts, Observation, Trial
from ..scenarios.independent_copies import COPYING
from ..scenarios.scenario import ShownBehaviour
from ..search.called_results import DECORATED
from ..search.trial_search import TrialRecord, returned_none
from ..source.shown_calls import is_same_call

_SAMPLES = tuple(definition for definition, _ in DECORATED)


class _SaysNothing:
    """Key of the notes of records: whether a test of it says nothing."""


def says_nothing(record: TrialRecord, facts: ModuleFacts) -> bool:
    """Whether a test would compare a call with itself, read back what it assigned or what a function that it passes
    gives whatever it is asked, pin that hashes differ, which nothing promises, or take a slice that has nothing in it.

    What a document shows stays.
    """
    if record.trial.wanted:
        return False
    found = record.notes.get(_SaysNothing)
    if found is None:
        found = record.notes[_SaysNothing] = (
            _is_own_result(record, facts)
            or _reads_back(record, facts)
            or _gives_a_constant_back(record)
            or _tells_hashes_apart(record)
            or _takes_nothing(record)
        )
    return found is True


def _is_own_result(record: TrialRecord, facts: ModuleFacts) -> bool:
    """Whether the source of the result is the act itself."""
    value = record.observation.value
    if value is None or not (value.source or "").endswith(")") or record.observation.effects:
        return False
    subject = next((one for one in facts.callables() if one.qualname == record.trial.subject), None)
    return is_same_call(record.trial.act, value.source or "", subject)


def _reads_back(record: TrialRecord, facts: ModuleFacts) -> bool:
    """Whether the last statement assigns to the attribute that the act reads, which has that value.

    A property of a class of the module runs code for both: that it gives what it was given says something.
    """
    trial, value = record.trial, record.observation.value
    if value is None or value.source is None or record.observation.effects or not trial.arrange:
        return False
    act, tree = shared_expression(trial.act), shared_module(trial.arrange[-1])
    last = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(act, ast.Attribute):
        return False
    held = normalized(value.source)
    by_name = f"setattr({ast.unparse(act.value)}, {act.attr!r}, {held})"
    if last is None or ast.unparse(last) not in (f"{ast.unparse(act)} = {held}", by_name):
        return False
    return not any(one.kind == "property" and one.name == act.attr for one in facts.callables())


def _gives_a_constant_back(record: TrialRecord) -> bool:
    """Whether the result is the constant of a lambda for anything: `walk(tree, leave=lambda *args, **kwargs: 1)`."""
    act, value = shared_expression(record.trial.act), record.observation.value
    if not isinstance(act, ast.Call) or value is None or value.source is None or record.observation.effects:
        return False
    passed = (*act.args, *(keyword.value for keyword in act.keywords))
    taking = [one.body for one in passed if isinstance(one, ast.Lambda) and one.args.vararg is not None]
    constants = [one for one in taking if isinstance(one, ast.Constant)]
    return any(ast.unparse(one) == normalized(value.source) for one in constants)


def _tells_hashes_apart(record: TrialRecord) -> bool:
    value, act = record.observation.value, record.trial.act
    if value is None or not act.startswith("hash("):
        return False
    node = expression_or_none(act)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    apart = {"False": ast.Eq, "True": ast.NotEq}.get(value.source or "")
    return apart is not None and isinstance(node.ops[0], apart)


def _takes_nothing(record: TrialRecord) -> bool:
    """Whether an act takes a slice of an object that has nothing in it."""
    act, value = shared_expression(record.trial.act), record.observation.value
    asked = act.slice if isinstance(act, ast.Subscript) else None
    by_name = isinstance(asked, ast.Call) and last_name(asked.func) == "slice"
    if value is None or not (by_name or isinstance(asked, ast.Slice)):
        return False
    source = value.source or ""
    return value.length == 0 or (source.endswith((")", "]", "}", "'", '"')) and is_empty_source(source))


class _EndsWhereItBegan:
    """Key of the notes of records: whether an object is, after the act, what it was made as."""


def ends_where_it_began(record: TrialRecord) -> bool:
    """Whether an act leaves its object as it was, or brings it back to what it was made as, and gives nothing else.

    A method that does nothing would pass such a test: `url.set()`, or `part = Part("a")`, `part.load("b")`, and then
    `part.load("a")`. What copies gives what it was given.
    """
    found = record.notes.get(_EndsWhereItBegan)
    if found is None:
        found = record.notes[_EndsWhereItBegan] = _is_as_it_was(record)
    return found is True


def _is_as_it_was(record: TrialRecord) -> bool:
    trial, observation = record.trial, record.observation
    value = observation.value
    if value is None or trial.wanted or COPYING.fullmatch(trial.subject.rpartition(".")[2]):
        return False
    if observation.output or observation.errors or observation.warnings:
        return False
    if not observation.effects:
        return value.unchanged
    made = assignments_in(trial.arrange[:1])
    again = f".{trial.subject.rpartition('.')[2]}("
    if not all(again in text for text in trial.arrange[1:]):
        return False  # what another method did is undone: that is what the act is for
    returned = value.held or value.source
    return returned in (None, "None", *made) and all(
        name in made and normalized(held.source or "") == ast.unparse(made[name]) for name, held in observation.effects
    )


def silent_methods(records: Sequence[TrialRecord]) -> frozenset[str]:
    """Qualified names of the methods that returned None whenever they were the last call of a trial's act."""
    found: dict[str, set[bool]] = defaultdict(set)
    for record in records:
        owner, _, name = record.trial.subject.rpartition(".")
        if owner and record.observation.outcome == "returned" and _called_last(record.trial.act) == name:
            found[record.trial.subject].add(returned_none(record.observation))
    return frozenset(name for name, answers in found.items() if answers == {True})


def works_on_nothing(trial: Trial, silent: Container[str]) -> bool:
    """Whether the act names a variable that is None because a statement binds what a silent method returned.

    Args:
        silent: qualified names of the methods that return nothing; see `silent_methods`.
    """
    for name, method in filter(None, map(_bound_by_method, trial.arrange)):
        act = expression_or_none(trial.act) if method in silent else None
        if act is not None and name in names_of(act):
            return True
    return False


def ways_of_changes(records: Sequence[TrialRecord], silent: Container[str]) -> dict[str, list[frozenset[Arc]]]:
    """The arcs of the calls that changed something, of methods that return and refuse nothing, by qualified name."""
    refusing = {one.trial.subject for one in records if one.observation.raised is not None}
    found: dict[str, list[frozenset[Arc]]] = {}
    for one in records:
        if one.observation.effects and one.trial.subject in silent and one.trial.subject not in refusing:
            found.setdefault(one.trial.subject, []).append(one.arcs)
    return {name: list(dict.fromkeys(ways)) for name, ways in found.items()}


def changes_nothing(record: TrialRecord, changing: Mapping[str, Sequence[frozenset[Arc]]]) -> bool:
    """Whether a method that changes its object and returns nothing did neither, by a way on which it does so for other
    calls: one that does nothing passes as well.

    Args:
        changing: the ways of the calls that changed something, by method; see `ways_of_changes`.
    """
    told = record.observation
    if record.trial.wanted or record.trial.source in RICH_SOURCES or ShownBehaviour in record.notes:
        return False
    if not returned_none(told) or told.effects or told.output or told.errors or told.warnings:
        return False
    return any(record.arcs <= ways for ways in changing.get(record.trial.subject, ()))


@lru_cache(maxsize=16384)
def _bound_by_method(text: str) -> tuple[str, str] | None:
    """The variable to which a statement binds what a method of a new object returns, and the method: `Part.load`."""
    bound = assignment_in(text)
    call = bound[1] if bound is not None else None
    if bound is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    made = call.func.value
    return (bound[0], f"{last_name(made.func)}.{call.func.attr}") if isinstance(made, ast.Call) else None


@lru_cache(maxsize=16384)
def _called_last(act: str) -> str:
    call = expression_or_none(act)
    return call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def answers_undecorated(trial: Trial, observation: Observation) -> bool:
    """Whether a decorated sample function answers as it would without its decorator, or with an object of its own.

    A decorator that does nothing passes the former; the latter pins what misuse makes.
    """
    if observation.effects or not any(text.startswith("@") and text.endswith(_SAMPLES) for text in trial.arrange):
        return False
    if trial.act.startswith("repr("):
        return True  # what decorates is not given what it needs: it took the function for something else
    call = expression_or_none(trial.act)
    if not isinstance(call, ast.Call):
        return False
    given = [literal_or(one, None) for one in (*call.args, *(keyword.value for keyword in call.keywords))]
    first, *others = given or (None,)
    answer = literal_or(observation.value.source or "", None) if observation.value is not None else None
    if trial.act.startswith("double("):
        return type(first) is int and not others and answer == 2 * first
    greeting = others[0] if others else "Hello"
    return trial.act.startswith("greet(") and answer == f"{greeting}, {first}!"
