"""Leaves out trials that build an object where another one makes the same call on the module's own instance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..model.model import RICH_SOURCES, ModuleFacts, Trial
from ..scenarios.scenario import ShownBehaviour
from ..search.trial_search import TrialRecord
from ..source.import_block import read_imports
from .idle_arguments import outcome_of

_BUILT = re.compile(r"([A-Za-z_]\w*) = [A-Za-z_][\w.]*\(.*\)", re.DOTALL)
_OBJECT = "__object__"
_Key = tuple[str, str, tuple[str, ...], str]


def without_own_instances(
    records: Sequence[TrialRecord], facts: ModuleFacts, kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out records that build an object first, where one with the module's instance does the same.

    Both call the same with the same outcome by the same way. What a person wrote stays.

    Args:
        kills: mutants that records detect, by record number.

    Returns:
        The records that are left, and `kills` for them.
    """
    shared: dict[_Key, TrialRecord] = {}
    for record in records:
        for name in _instances_of(record.trial, facts.module):
            shared.setdefault(_key(record.trial, record.trial.arrange, name), record)
    known, left = dict(kills), list[TrialRecord]()
    for record in records:
        built = _BUILT.fullmatch(record.trial.arrange[0]) if shared and record.trial.arrange else None
        twin = shared.get(_key(record.trial, record.trial.arrange[1:], built[1])) if built is not None else None
        if twin is None or _is_written(record) or not _does_the_same(record, twin):
            left.append(record)
            continue
        noticed = known.pop(record.number, frozenset()) | known.get(twin.number, frozenset())
        if noticed:
            known[twin.number] = noticed
    return left, known


def _instances_of(trial: Trial, module: str) -> list[str]:
    """Names that a trial imports from the module for instances of it: no classes and no functions that it calls."""
    names = [one.bound for one in read_imports(trial.imports) if one.module == module and one.name]
    own = trial.subject.partition(".")[0]
    return [name for name in names if name != own and "." in trial.subject]


def _key(trial: Trial, arrange: Sequence[str], name: str) -> _Key:
    named = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    lines = [named.sub(_OBJECT, text) for text in (*arrange, trial.act)]
    return trial.subject, trial.mode, tuple(lines[:-1]), lines[-1]


def _is_written(record: TrialRecord) -> bool:
    return record.trial.source in RICH_SOURCES or ShownBehaviour in record.notes or bool(record.trial.wanted)


def _does_the_same(left: TrialRecord, right: TrialRecord) -> bool:
    alike = outcome_of(left.observation) == outcome_of(right.observation)
    return alike and left.arcs == right.arcs and not left.observation.effects
