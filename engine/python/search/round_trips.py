"""Proposes calls that undo another one, such as `decode(encode(text))`, and keeps those that return what was given."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none
from ..judge.comparison import same_source
from ..model.model import CallableFacts, ModuleFacts, Trial
from .influence_trials import Distinction
from .parallel_observers import Watcher
from .trial_search import TrialRecord, TrialSearch

_MOST_EACH = 3
_MOST_CALLABLES = 60
# What undoes what, as parts of names.
_INVERSES = (
    ("encode", "decode"),
    ("encrypt", "decrypt"),
    ("compress", "decompress"),
    ("serialize", "deserialize"),
    ("serialise", "deserialise"),
    ("marshal", "unmarshal"),
    ("pack", "unpack"),
    ("dump", "load"),
    ("quote", "unquote"),
    ("escape", "unescape"),
    ("freeze", "thaw"),
    ("wrap", "unwrap"),
    ("format", "parse"),
    ("render", "parse"),
    ("flatten", "unflatten"),
    ("to", "from"),
    ("from", "to"),
    ("write", "read"),
)
_CONVERSION = re.compile(r"(\w+?)(?:_to_|2)(\w+)")


async def show_round_trips(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs the calls that undo another one; those that return what it was given are learned, and marked."""
    proposed = list(round_trips(search.records, facts))
    answers = await observer.watch([trial for trial, _ in proposed])
    for (trial, given), seen in zip(proposed, answers, strict=True):
        value, before = seen.observation.value, len(search.records)
        if value is not None and value.source is not None and same_source(value.source, given):
            search.learn(trial, seen)
            if len(search.records) > before:
                search.records[-1].notes[Distinction] = "round trip"


def round_trips(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[tuple[Trial, str]]:
    """Generates calls of what undoes another callable with its result, each with the source of what was given."""
    callables = [one for one in facts.callables() if one.public and one.kind not in ("constructor", "property")]
    for forth in callables[:_MOST_CALLABLES]:
        for back in callables[:_MOST_CALLABLES]:
            if back is forth or back.owner != forth.owner or not undoes(back.name, forth.name):
                continue
            found = (_undone(record, forth, back, facts) for record in records if _is_plain(record, forth))
            yield from islice((one for one in found if one is not None), _MOST_EACH)


def undoes(name: str, other: str) -> bool:
    """Whether the names say that one callable undoes the other: `decode` and `encode`, `b_to_a` and `a_to_b`."""
    conversion, reverse = _CONVERSION.fullmatch(other), _CONVERSION.fullmatch(name)
    if conversion is not None and reverse is not None and conversion.groups() == reverse.groups()[::-1]:
        return True
    words, others = name.split("_"), other.split("_")
    return any(
        [there if word == here else word for word in _singular(others, here)] == _singular(words, there)
        and here in _singular(others, here)
        for here, there in _INVERSES
    )


def _singular(words: Sequence[str], verb: str) -> list[str]:
    """Writes `dumps` as `dump`: the ending says of which type the result is."""
    return [word.removesuffix("s") if word.removesuffix("s") == verb else word for word in words]


def _is_plain(record: TrialRecord, forth: CallableFacts) -> bool:
    trial, observation = record.trial, record.observation
    return (
        trial.subject == forth.qualname
        and trial.mode == "call"
        and observation.outcome == "returned"
        and not observation.effects
        and not record.time_dependent
    )


def _undone(
    record: TrialRecord, forth: CallableFacts, back: CallableFacts, facts: ModuleFacts
) -> tuple[Trial, str] | None:
    """Returns the call that undoes the one of a record; None where it is no plain call with something in it."""
    call = expression_or_none(record.trial.act)
    if not isinstance(call, ast.Call) or last_name(call.func) != forth.name or not call.args:
        return None
    given = call.args[0]
    if not isinstance(given, ast.Constant | ast.List | ast.Tuple | ast.Dict):
        return None
    if isinstance(given, ast.Constant) and not given.value:
        return None
    made = record.observation.value
    if made is not None and made.source == ast.unparse(given):
        return None  # nothing was done that could be undone
    function = copy.deepcopy(call.func)
    if isinstance(function, ast.Attribute):
        function.attr = back.name
    elif isinstance(function, ast.Name):
        function.id = back.name
    names = {one.name for one in back.parameters}
    ours = [one.name for one in forth.parameters if one.is_positional and one.name not in ("self", "cls")]
    # A key that both take is the same.
    shared = [ast.keyword(name, value) for name, value in zip(ours[1:], call.args[1:], strict=False) if name in names]
    shared += [keyword for keyword in call.keywords if keyword.arg in names]
    required = [one.name for one in back.parameters if one.required and one.name not in ("self", "cls")]
    if set(required[1:]) - {keyword.arg for keyword in shared}:
        return None
    imports = set(record.trial.imports)
    if back.owner is None:
        imports.add(f"from {facts.module} import {back.name}")
    act = ast.unparse(ast.Call(function, [call], shared))
    trial = replace(
        record.trial,
        subject=back.qualname,
        act=act,
        imports=tuple(sorted(imports)),
        source="usage",
        wanted=None,
        wanted_line=0,
    )
    return trial, ast.unparse(given)
