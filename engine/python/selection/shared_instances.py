"""Leaves out trials that build an object where another one makes the same call on the module's own instance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import with_renamed
from ..model.model import RICH_SOURCES, ModuleFacts, Trial
from ..scenarios.scenario import ShownBehaviour
from ..search.influence_trials import Control, Distinction
from ..search.trial_search import TrialRecord
from ..source.import_block import read_imports
from .idle_arguments import outcome_of

_BUILT = re.compile(r"([A-Za-z_]\w*) = ([A-Za-z_][\w.]*\(.*\))", re.DOTALL)
_SHOWS = (Distinction, Control)
_OBJECT = "__object__"
_Key = tuple[str, str, tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class SharedInstance:
    """An instance that a module offers, by its name and the statement that imports it."""

    name: str
    import_: str


def without_own_instances(
    records: Sequence[TrialRecord], facts: ModuleFacts, kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out records that build an object first, where one with the module's instance does the same.

    Both call the same with the same outcome by the same way. What a person wrote stays. What is left stands where the
    other one came from.

    Args:
        kills: mutants that records detect, by record number.

    Returns:
        The records that are left, and `kills` for them.
    """
    twins = {built.number: shared for built, shared, _ in _twins(records, facts)}
    sources = {twins[one.number].number: one.trial.source for one in reversed(records) if one.number in twins}
    shows = {twins[one.number].number: one.notes for one in records if one.number in twins and Distinction in one.notes}
    known, left = dict(kills), list[TrialRecord]()
    for record in records:
        twin = twins.get(record.number)
        if twin is None:
            source = sources.get(record.number)
            if source and not _is_written(record):
                # What was noted of it as of another origin holds no longer; what it shows does.
                notes = {key: value for key, value in shows.get(record.number, {}).items() if key in _SHOWS}
                record = replace(record, trial=replace(record.trial, source=source), notes=notes)
            left.append(record)
            continue
        noticed = known.pop(record.number, frozenset()) | known.get(twin.number, frozenset())
        if noticed:
            known[twin.number] = noticed
    return left, known


def shared_instances(records: Sequence[TrialRecord], facts: ModuleFacts) -> dict[str, SharedInstance]:
    """The module's instances by what builds an object that does the same: `jaro` by `Jaro()`."""
    found: dict[str, SharedInstance] = {}
    for built, shared, name in _twins(records, facts):
        match = _BUILT.fullmatch(built.trial.arrange[0])
        imported = next(one.statement for one in read_imports(shared.trial.imports) if one.bound == name)
        if match is not None:
            found.setdefault(match[2], SharedInstance(name, imported))
    return found


def on_shared_instances(records: Sequence[TrialRecord], instances: Mapping[str, SharedInstance]) -> list[Trial]:
    """The trials of records that build what the module offers an instance of, with that instance in its place.

    Args:
        instances: see `shared_instances`.
    """
    found: list[Trial] = []
    for record in records:
        match = _BUILT.fullmatch(record.trial.arrange[0]) if record.trial.arrange else None
        shared = instances.get(match[2]) if match is not None else None
        if match is None or shared is None or _is_written(record) or record.observation.effects:
            continue
        lines = _with_name(record.trial, record.trial.arrange[1:], match[1], shared.name)
        if lines[:-1] != record.trial.arrange[1:]:
            continue  # a step may change what all tests share
        imports = tuple(sorted({*record.trial.imports, shared.import_}))
        found.append(replace(record.trial, arrange=lines[:-1], act=lines[-1], imports=imports))
    return found


def _twins(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[tuple[TrialRecord, TrialRecord, str]]:
    """Pairs of a record that builds an object and one that does the same with an instance, with the instance's name."""
    shared: dict[_Key, tuple[TrialRecord, str]] = {}
    for record in records:
        for name in _instances_of(record.trial, facts.module):
            shared.setdefault(_key(record.trial, record.trial.arrange, name), (record, name))
    for record in records if shared else ():
        match = _BUILT.fullmatch(record.trial.arrange[0]) if record.trial.arrange else None
        twin = shared.get(_key(record.trial, record.trial.arrange[1:], match[1])) if match is not None else None
        if twin is not None and not _is_written(record) and _does_the_same(record, twin[0]):
            yield record, *twin


def _instances_of(trial: Trial, module: str) -> list[str]:
    """Names that a trial of a class's member imports from the module beside the class: they may be instances of it."""
    owner, _, member = trial.subject.partition(".")
    names = [one.bound for one in read_imports(trial.imports) if one.module == module and one.name]
    return [name for name in names if name != owner and member]


def _key(trial: Trial, arrange: Sequence[str], name: str) -> _Key:
    lines = _with_name(trial, arrange, name, _OBJECT)
    return trial.subject, trial.mode, lines[:-1], lines[-1]


def _with_name(trial: Trial, arrange: Sequence[str], name: str, other: str) -> tuple[str, ...]:
    """Statements and the act of a trial with another name for an object."""
    return tuple(with_renamed(text, {name: other}) for text in (*arrange, trial.act))


def _is_written(record: TrialRecord) -> bool:
    return record.trial.source in RICH_SOURCES or ShownBehaviour in record.notes or bool(record.trial.wanted)


def _does_the_same(left: TrialRecord, right: TrialRecord) -> bool:
    alike = outcome_of(left.observation) == outcome_of(right.observation)
    return alike and left.arcs == right.arcs and not left.observation.effects
