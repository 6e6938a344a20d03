"""Passes one list in place of any number of arguments, where the code takes either: `merge([first, second])`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from ....utils.python_source import parse_or_none
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts
from ..search.trial_search import TrialRecord
from .scenario import LISTED, Returns, Scenario, is_plain_return, own_call, returned_source, scenario_trial

_FEWEST = 2


def listed_arguments(records: Sequence[TrialRecord], facts: ModuleFacts, source: str) -> Iterator[Scenario]:
    """Generates, for each function that takes either, its plainest call of several arguments with these in a list."""
    taking = _taking_lists(source)
    plainest = sorted(records, key=lambda one: (one.trial.source not in RICH_SOURCES, len(one.trial.act)))
    for one in facts.functions:
        before = taking.get(one.qualname)
        if before is not None and one.public:
            listed = (_with_list(record, one, before) for record in plainest)
            yield from islice(filter(None, listed), 1)


def _with_list(record: TrialRecord, one: CallableFacts, before: int) -> Scenario | None:
    """The call of a record with its arguments, without the first so many, in a list; None without several of them."""
    call = own_call(record, one) if is_plain_return(record) else None
    if call is None or call.keywords or len(call.args) < before + _FEWEST:
        return None
    if any(isinstance(value, ast.Starred) for value in call.args):
        return None
    listed = ast.List(call.args[before:], ast.Load())
    act = ast.unparse(ast.Call(call.func, [*call.args[:before], listed], []))
    trial = scenario_trial(record.trial, one.qualname, record.trial.arrange, act)
    return Scenario(trial, LISTED, Returns(returned_source(record.observation)))


def _taking_lists(source: str) -> dict[str, int]:
    """The functions that take their first one of any number of arguments for all of them; how many come before."""
    tree = parse_or_none(source)
    return {
        node.name: len(node.args.posonlyargs) + len(node.args.args)
        for node in (tree.body if tree is not None else ())
        if isinstance(node, ast.FunctionDef) and node.args.vararg is not None and _unpacks(node, node.args.vararg.arg)
    }


def _unpacks(function: ast.FunctionDef, name: str) -> bool:
    """Whether a body says `items = items[0]`, `(items,) = items` or the like of its arguments."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) not in (name, f"({name},)"):
            continue
        if any(ast.unparse(part) == f"{name}[0]" for part in ast.walk(node.value)):
            return True
        if isinstance(node.targets[0], ast.Tuple) and ast.unparse(node.value) == name:
            return True
    return False
