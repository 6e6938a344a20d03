"""Proposes calls that undo another one, such as `decode(encode(text))`, and keeps those that return what was given."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, literal_or, parse_expression
from ..facts.inverse_names import INVERSES, undoes
from ..judge.comparison import same_source
from ..judge.value_checks import is_empty_source
from ..model.model import CHANGED_SOURCES, RICH_SOURCES, CallableFacts, ModuleFacts, Observation, Trial
from .influence_trials import Distinction
from .parallel_observers import Watcher
from .trial_search import TrialRecord, TrialSearch

_MOST_EACH = 3
_MOST_SHOWN = 1
_MOST_LETTERS = 20
_MOST_CALLABLES = 60
_MOST_OBJECTS = 2
_PLAIN_VALUES = ("{'id': 5, 'name': 'Ada'}", "[1, 2, 3]", "'hello'")
# What makes that of which a method with a name of checking says that it is valid.
_CHECKED = {"validate": "sign", "verify": "sign"}
_VERBS = frozenset((*(verb for pair in INVERSES for verb in pair), *_CHECKED.values()))
_SUFFIX = re.compile(r"(\.\w+)?(?='$)")


class RestoredFile:
    """Marks, in a record's notes, a call that turns the file made by the opposite call into what that was given."""


async def show_round_trips(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs the calls that undo another one; those that return what it was given are learned, and marked."""
    await _show(list(round_trips(search.records, facts)), search, observer, _MOST_SHOWN)
    shown = {one.trial.subject for one in search.records if one.notes.get(Distinction) == "round trip"}
    await _show(
        [one for one in outer_round_trips(search.records, facts) if one[0].subject not in shown], search, observer, 1
    )


async def _show(proposed: Sequence[tuple[Trial, str]], search: TrialSearch, observer: Watcher, most: int) -> None:
    """Runs trials with what they should give back; so many that do of each callable are learned, and marked."""
    answers = await observer.watch([trial for trial, _ in proposed])
    counts: dict[str, int] = {}
    for (trial, given), seen in zip(proposed, answers, strict=True):
        before = len(search.records)
        if _gives_back(seen.observation, given) and counts.get(trial.subject, 0) < most:
            counts[trial.subject] = counts.get(trial.subject, 0) + 1
            # What comes back is what was given, at any time: the clock that was read needs no stand-in.
            search.learn(trial, replace(seen, observation=replace(seen.observation, consulted=())))
            if len(search.records) > before:
                notes = search.records[-1].notes
                notes[Distinction] = "round trip"
                if "tmp_path" in trial.act:
                    notes[RestoredFile] = True


def _gives_back(observation: Observation, given: str) -> bool:
    """Whether a call returned what was given, or wrote it to a file."""
    written = [item.source for expression, item in observation.effects if "tmp_path" in expression]
    value = observation.value
    text = literal_or(given, None)
    as_bytes = repr(text.encode()) if isinstance(text, str) else given
    returned = value.source if value is not None and value.source is not None else ""
    if returned and (same_source(returned, given) or returned == as_bytes):
        return True
    return any(source in (given, as_bytes) for source in written)


def round_trips(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[tuple[Trial, str]]:
    """Generates calls of what undoes another callable with its result, each with the source of what was given.

    Those of what was given most come first: an empty list and a single letter show little of the way there and back.
    """
    callables = [one for one in facts.callables() if one.public and one.kind not in ("constructor", "property")]
    for forth in callables[:_MOST_CALLABLES]:
        for back in callables[:_MOST_CALLABLES]:
            if back is forth or back.owner != forth.owner or not undoes(back.name, forth.name):
                continue
            own = [record for record in records if record.trial.subject == forth.qualname]
            own.sort(key=_poverty)
            found = (_undone(record, forth, back, facts) for record in own if _is_plain(record))
            yield from islice((one for one in found if one is not None), _MOST_EACH)
            copies = (_undone_file(record, forth, back, facts) for record in own if record.observation.effects)
            yield from islice((one for one in copies if one is not None), _MOST_EACH)


def outer_round_trips(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[tuple[Trial, str]]:
    """Generates calls that undo a method which an object inherits from elsewhere, or which reads the clock.

    They are made on the objects of calls of the method that undoes it: `serializer.loads(serializer.dumps([1, 2, 3]))`.
    """
    known = {one.name for one in facts.callables() if one.owner is not None}
    objects: dict[str | None, list[tuple[str, Trial]]] = {}
    for back in facts.callables():
        if back.kind != "method" or not back.public or back.is_async or len(back.needed) != 1:
            continue
        names = _undone_names(back.name, known)
        if not names:
            continue
        if back.owner not in objects:
            objects[back.owner] = _objects_of(back.owner, records)
        for variable, trial in objects[back.owner]:
            for name, value in product(names, _PLAIN_VALUES):
                act = f"{variable}.{back.name}({variable}.{name}({value}))"
                yield _about(back, trial, facts, act, trial.arrange), "True" if back.name in _CHECKED else value


def _objects_of(owner: str | None, records: Sequence[TrialRecord]) -> list[tuple[str, Trial]]:
    """The variables of the first objects whose methods were called, each with a call; those that people wrote first."""
    found: dict[tuple[str, ...], Trial] = {}
    of_class = [one.trial for one in records if one.trial.subject.startswith(f"{owner}.")]
    for trial in sorted(of_class, key=lambda one: one.source not in RICH_SOURCES):
        if len(found) == _MOST_OBJECTS:
            break
        if trial.mode == "call" and not trial.fixtures and (variable := _variable_of(trial)):
            found.setdefault((variable, *trial.arrange), trial)
    return [(variable, trial) for (variable, *_), trial in found.items()]


def _variable_of(trial: Trial) -> str:
    """The variable whose method a trial's act calls; "" for other acts."""
    call = expression_or_none(trial.act)
    function = call.func if isinstance(call, ast.Call) else None
    receiver = function.value if isinstance(function, ast.Attribute) else None
    return receiver.id if isinstance(receiver, ast.Name) else ""


def _undone_names(name: str, known: Collection[str]) -> list[str]:
    """Names of what a method undoes or checks, by its own name: `sign` of `unsign`, `dumps` of `loads`.

    Args:
        known: names of the module's methods: what follows `un` is one of them or a verb, as it is not in `union`.
    """
    if name in _CHECKED:
        return [_CHECKED[name]]
    first, mark, rest = name.partition("_")
    found = [
        f"{here}{first.removeprefix(there)}{mark}{rest}"  # with the ending of the method's own name
        for here, there in INVERSES
        if there in (first, first.removesuffix("s"))
    ]
    bare = name.removeprefix("un")
    if bare != name and (bare in known or bare.partition("_")[0] in _VERBS):
        found.append(bare)
    return list(dict.fromkeys(found))


def _poverty(record: TrialRecord) -> tuple[bool, int]:
    """Orders calls by how much they were given, those with most in it first; then those that a search made."""
    call = expression_or_none(record.trial.act)
    given = ast.unparse(call.args[0]) if isinstance(call, ast.Call) and call.args else ""
    signs = {letter for letter in given if not (letter.isalnum() or letter.isspace())}
    return record.trial.source in CHANGED_SOURCES, -min(len(set(given)), _MOST_LETTERS) - 2 * len(signs)


def _is_plain(record: TrialRecord) -> bool:
    trial, observation = record.trial, record.observation
    return (
        trial.mode == "call"
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
    if is_empty_source(ast.unparse(given)) or (isinstance(given, ast.Constant) and not given.value):
        return None
    made = record.observation.value
    if made is not None and made.source == ast.unparse(given):
        return None  # nothing was done that could be undone
    function = _renamed(call.func, back)
    names = {one.name for one in back.parameters}
    ours = [one.name for one in forth.parameters if one.is_positional and one.name not in ("self", "cls")]
    # A key that both take is the same.
    shared = [ast.keyword(name, value) for name, value in zip(ours[1:], call.args[1:], strict=False) if name in names]
    shared += [keyword for keyword in call.keywords if keyword.arg in names]
    required = [one.name for one in back.needed]
    if set(required[1:]) - {keyword.arg for keyword in shared}:
        return None
    act = ast.unparse(ast.Call(function, [call], shared))
    return _about(back, record.trial, facts, act, record.trial.arrange), ast.unparse(given)


def _undone_file(
    record: TrialRecord, forth: CallableFacts, back: CallableFacts, facts: ModuleFacts
) -> tuple[Trial, str] | None:
    """Returns the call that turns the file made by the one of a record into a copy of the file that it read.

    None where the call does not take two files of the test's own folder, the second of which it writes.
    """
    trial = record.trial
    call = expression_or_none(trial.act)
    if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords or len(back.needed) != 2:
        return None
    source, made = (ast.unparse(argument) for argument in call.args)
    content = next((found for line in trial.arrange if (found := _written_to(source, line)) is not None), None)
    if content is None or trial.mode != "call" or not any(made in effect for effect, _ in record.observation.effects):
        return None
    suffix = _SUFFIX.search(source)
    copied = parse_expression(f"tmp_path / 'restored{suffix[0] if suffix else ''}'")
    act = ast.unparse(ast.Call(_renamed(call.func, back), [call.args[1], copied], []))
    return _about(back, trial, facts, act, (*trial.arrange, trial.act)), content


def _written_to(path: str, statement: str) -> str | None:
    """The source of the text that a statement writes to a path; None where it writes none there."""
    node = expression_or_none(statement)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    writes = node.func.attr in ("write_text", "write_bytes") and ast.unparse(node.func.value) == path
    return ast.unparse(node.args[0]) if writes and isinstance(node.args[0], ast.Constant) else None


def _renamed(function: ast.expr, back: CallableFacts) -> ast.expr:
    renamed = copy.deepcopy(function)
    if isinstance(renamed, ast.Attribute):
        renamed.attr = back.name
    elif isinstance(renamed, ast.Name):
        renamed.id = back.name
    return renamed


def _about(back: CallableFacts, trial: Trial, facts: ModuleFacts, act: str, arrange: tuple[str, ...]) -> Trial:
    imports = set(trial.imports)
    if back.owner is None:
        imports.add(f"from {facts.module} import {back.name}")
    return replace(
        trial,
        subject=back.qualname,
        act=act,
        arrange=arrange,
        imports=tuple(sorted(imports)),
        source="usage",
        wanted=None,
        wanted_line=0,
    )
