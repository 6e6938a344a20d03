"""Finds trials that call a method for nothing before their act: `url.add("x")`, whose result is thrown away.

Such a step changes no object that can be seen, and no trial was seen to end otherwise because of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..model.model import RICH_SOURCES
from ..scenarios.scenario import ShownBehaviour
from ..search.trial_search import TrialRecord
from .idle_arguments import outcome_of

# A call on a variable whose result is not bound; what spans several lines does more than that.
_STEP = re.compile(r"[A-Za-z_]\w*\.([A-Za-z_]\w*)\(.*\)")
_ENDED = frozenset({"returned", "raised"})
_Key = tuple[str, str, tuple[str, ...], str]


def records_with_idle_steps(records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that call, before their act, a method that only asks; not those that a person wrote."""
    asking = asking_methods(records)
    return frozenset(
        record.number
        for record in records
        if record.trial.source not in RICH_SOURCES
        and ShownBehaviour not in record.notes
        and any(step in asking for _, step in _steps(record))
    )


def asking_methods(records: Sequence[TrialRecord]) -> frozenset[str]:
    """Qualified names of methods that return something and change nothing, as far as records show."""
    returned: set[str] = set()
    changing: set[str] = set()
    for record in records:
        subject, observation = record.trial.subject, record.observation
        called = _STEP.fullmatch(record.trial.act)
        if called is None or called[1] != subject.rpartition(".")[2] or observation.outcome != "returned":
            continue
        value = observation.value
        if observation.effects or observation.output or observation.errors or (value is not None and value.held):
            changing.add(subject)
        elif value is not None and value.source != "None":
            returned.add(subject)
    found = returned - changing
    return frozenset(found - _mattering(records, found)) if found else frozenset()


def _mattering(records: Sequence[TrialRecord], names: set[str]) -> set[str]:
    """Names of methods whose call before an act had it end otherwise: what it changed cannot be seen at once.

    One such trial of several may be due to what ran before it in the same process.
    """
    ends = {_key(record, record.trial.arrange): record for record in reversed(records)}
    alike, other = Counter[str](), Counter[str]()
    for record in records:
        for at, name in _steps(record):
            if name not in names or record.observation.outcome not in _ENDED:
                continue
            arrange = record.trial.arrange
            without = ends.get(_key(record, (*arrange[:at], *arrange[at + 1 :])))
            if without is not None and without.observation.outcome in _ENDED:
                same = outcome_of(without.observation) == outcome_of(record.observation)
                (alike if same else other)[name] += 1
    return {name for name, count in other.items() if count > 1 or not alike[name]}


def _key(record: TrialRecord, arrange: tuple[str, ...]) -> _Key:
    return record.trial.subject, record.trial.mode, arrange, record.trial.act


def _steps(record: TrialRecord) -> Iterator[tuple[int, str]]:
    """Places of the statements that only call a method of a variable, with its name in the class of the subject."""
    owner = record.trial.subject.rpartition(".")[0]
    for at, text in enumerate(record.trial.arrange):
        step = _STEP.fullmatch(text)
        if step is not None:
            yield at, f"{owner}.{step[1]}"
