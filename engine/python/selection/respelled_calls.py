"""Leaves out trials that make the call of others in another spelling: `wrap(text, width=5)` and `wrap(text, 5)`, with
a variable for a value, or with `lambda text: len(text)` for `len`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from ....utils.python_names import assignment_in, names_of
from ....utils.python_source import expression_or_none, literal_or, shared_module
from ..judge.readability import reading_cost
from ..model.model import RICH_SOURCES, ModuleFacts, Trial
from ..scenarios.scenario import ShownBehaviour
from ..search.influence_trials import Distinction
from ..search.trial_search import TrialRecord
from ..source.shown_calls import by_position
from .idle_arguments import outcome_of

_Key = tuple[object, ...]
_NOTHING = object()


def without_respelled_calls(
    records: Sequence[TrialRecord], facts: ModuleFacts, kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out all but one of the records that make the same call with the same values and the same outcome.

    What a person wrote stays; else the one that reads best.

    Args:
        kills: mutants that records detect, by record number.

    Returns:
        The records that are left, and `kills` for them.
    """
    subjects = {one.qualname: one for one in facts.callables()}
    alike: dict[_Key, list[TrialRecord]] = {}
    for record in records:
        subject = subjects.get(record.trial.subject)
        arrange, inlined = _inlined(record.trial)
        act = by_position(inlined, subject) if subject is not None else None
        if act is not None and not record.time_dependent:
            trial = record.trial
            key = (trial.subject, trial.mode, arrange, act, record.arcs, outcome_of(record.observation))
            alike.setdefault(key, []).append(record)
    known, gone = dict(kills), set[int]()
    for group in alike.values():
        best = min(group, key=_difficulty)
        others = [
            one
            for one in group
            if one is not best
            and (one.trial.act, one.trial.arrange) != (best.trial.act, best.trial.arrange)
            # What a document tells shows what an option is for as well.
            and not (_is_written(one) if best.trial.wanted else _is_shown_as_it_is(one))
        ]
        gone.update(one.number for one in others)
        noticed = known.get(best.number, frozenset()).union(
            *(known.pop(one.number, frozenset[int]()) for one in others)
        )
        if noticed:
            known[best.number] = noticed
    return [one for one in records if one.number not in gone], known


def _difficulty(record: TrialRecord) -> tuple[float, ...]:
    trial = record.trial
    return (
        not trial.wanted,
        not _is_shown_as_it_is(record),
        reading_cost(trial, record.observation),
        record.number,
    )


def _is_shown_as_it_is(record: TrialRecord) -> bool:
    return _is_written(record) or Distinction in record.notes


def _is_written(record: TrialRecord) -> bool:
    written = record.trial.source in RICH_SOURCES or record.trial.wanted is not None
    return written or ShownBehaviour in record.notes


def _inlined(trial: Trial) -> tuple[tuple[str, ...], str]:
    """The statements and the act with the values of variables that only the act reads, and that once, in its place."""
    bound = [(text, *found) for text in trial.arrange if (found := assignment_in(text)) and _is_plain(found[1])]
    if not bound and "lambda" not in trial.act:
        return trial.arrange, trial.act
    act, arrange = expression_or_none(trial.act), list(trial.arrange)
    # What stands in a text that is put together may hold what could not be written there.
    if act is None or any(isinstance(node, ast.JoinedStr) for node in ast.walk(act)):
        return trial.arrange, trial.act
    for text, name, value in bound:
        uses = [node for node in ast.walk(act) if isinstance(node, ast.Name) and node.id == name]
        others = {name for one in arrange if one is not text for name in names_of(shared_module(one) or ast.Pass())}
        if len(uses) == 1 and name not in others:
            act = _Replaced(name, copy.deepcopy(value)).visit(act)
            arrange.remove(text)
    return tuple(arrange), ast.unparse(_Plain().visit(act))


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Lambda) or literal_or(value, _NOTHING) is not _NOTHING


class _Replaced(ast.NodeTransformer):
    """Puts a value in the place of a variable."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == self._name else node


class _Plain(ast.NodeTransformer):
    """Puts a function in the place of a lambda that only calls it."""

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        called, taken = node.body, [one.arg for one in node.args.args]
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and not called.keywords:
            given = [one.id for one in called.args if isinstance(one, ast.Name)]
            if given == taken and len(given) == len(called.args) and called.func.id not in taken:
                return called.func
        return self.generic_visit(node)
