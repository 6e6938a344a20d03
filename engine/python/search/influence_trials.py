"""Proposes calls that show what an argument is for: pairs of calls that differ in it alone, and in their outcome.

For numbers where no two calls so far are such a pair, and for each option, which is compared with its default.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from ....utils.python_names import last_name, names_of
from ....utils.python_source import expression_or_none, normalized, parse_expression, shared_expression
from ..domain.membership import count_outside
from ..facts.keyword_options import keyword_options
from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Parameter, Trial
from ..source.shown_calls import shown_calls
from ..usage.harvest import AS_WRITTEN, bound_arguments
from ..usage.invented_words import is_invented_word, written_acts
from .parallel_observers import Watcher, run_trials
from .trial_mutation import with_act
from .trial_search import TrialRecord, TrialSearch, behaviour_of

# Counts, percentages, sizes.
_LADDER = ("1", "2", "3", "5", "10", "20", "50", "75", "100", "1000")
_SHARES = ("0.25", "0.5", "0.9", "1.5", "10.0")
_MOST_BASES = 3
# An option may have an effect on few inputs only: of an option that no call shows yet, each written call is a base.
_MOST_WRITTEN_BASES = 8
_MOST_TRIALS = 400
_MOST_VALUES = 4
_MOST_CONTROLS = 3
_PLAIN_RESULTS = frozenset({"None", "''", "b''", "[]", "()", "{}", "set()", "0", "True", "False"})
_NAME = re.compile(r"[A-Za-z_]\w*")
# What makes a container or number of another kind than a default does, and can do what is done with that.
_OTHER_TYPES: Mapping[str | None, tuple[str, tuple[str, ...]]] = {
    "dict": ("OrderedDict", ("from collections import OrderedDict",)),
    "list": ("tuple", ()),
    "tuple": ("list", ()),
    "set": ("frozenset", ()),
    "int": ("float", ()),
}
_Known = tuple[ast.expr, tuple[str, ...]]
"""A value of an option, and what it needs imported."""


@dataclass(slots=True)
class _Place:
    """One argument of calls that are otherwise alike: what was observed for its values, and the first such call."""

    outcomes: set[str] = field(default_factory=set)
    base: TrialRecord | None = None


class Distinction:
    """Key of the notes of records that show what no other row shows; the value says what: the place of a number or the
    name of an option that made a difference, or that the call undoes another one.
    """


class Control:
    """Key of the notes of records that show an option or a number; the value is the number of the record that it is
    compared with: the same call without the option, or with another number.
    """


_OPTION = "option "


def mark_influence(record: TrialRecord, shows: str, control: TrialRecord) -> None:
    """Notes what a record shows beside another one, unless it is there for something else."""
    record.notes.setdefault(Distinction, shows)
    record.notes.setdefault(Control, control.number)


def distinction_of(option: str) -> str:
    """What a record is noted to show where an option makes a difference."""
    return f"{_OPTION}{option}"


def shown_option(record: TrialRecord) -> str:
    """The option that is noted to make a difference in a record; empty where none is."""
    shows = record.notes.get(Distinction)
    return shows.removeprefix(_OPTION) if isinstance(shows, str) and shows.startswith(_OPTION) else ""


async def show_influence(facts: ModuleFacts, search: TrialSearch, observer: Watcher, source: str = "") -> None:
    """Marks calls that show what a number or an option is for; runs variants where no call so far does.

    Args:
        source: the module's text, for the options that functions take by `**kwargs`.
    """
    more = keyword_options(source)
    await run_trials(control_trials(search.records, facts, more), search, observer)
    options = option_trials(search.records, facts, more)
    bases = [*influence_trials(search.records), *options]
    found = await run_trials(_breadth_first(bases)[:_MOST_TRIALS], search, observer)
    shown: set[tuple[str, str]] = set()
    for base, name, trials in bases:
        if (base.trial.subject, name) in shown:
            continue
        records = [found[trial] for trial in trials if trial in found]
        telling = [
            one
            for one in records
            if one.observation.outcome == "returned" and shown_outcome(one) != shown_outcome(base)
        ]
        for record in telling[:1]:
            mark_influence(record, name, base)
            shown.add((base.trial.subject, name))


def _breadth_first(bases: Sequence[tuple[TrialRecord, str, list[Trial]]]) -> list[Trial]:
    """The trials of all arguments by turns: where there are too many, each argument has had some."""
    of_arguments: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for base, name, trials in bases:
        of_arguments[base.trial.subject, name] += trials
    return [trial for turn in zip_longest(*of_arguments.values()) for trial in turn if trial is not None]


def option_trials(
    records: Sequence[TrialRecord], facts: ModuleFacts, more: Mapping[str, Sequence[Parameter]] | None = None
) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Marks the calls on which an option has an effect; returns plain calls without it, and variants with it.

    Args:
        more: options that are no parameters, by qualified name.
    """
    wanted: list[tuple[TrialRecord, str, list[Trial]]] = []
    written = written_acts(record.trial for record in records)
    for one, options, calls in _calls_with_options(records, facts, more or {}):
        known = {_situation(found, found.call): found.record for found in reversed(calls)}
        fitting = [found for found in calls if not count_outside(found.record.trial, facts)]
        domains = next((item for item in facts.domains if item.qualname == one.qualname), None)
        for option in options:
            domain = domains.of(option.name) if domains is not None else UNKNOWN
            invented = {
                found.record.number
                for found in calls
                if found.record.trial.source not in AS_WRITTEN
                and is_invented_word(option.name, found.passed.get(option.name), one, domain, written)
            }
            shown = _mark_option([found for found in calls if found.record.number not in invented], option.name, known)
            bases = _bases(fitting, option.name)
            if shown:  # the plainest call that a person wrote may not have been tried with it
                bases = [base for base in bases[:1] if _is_written(base)]
            else:
                of_persons = sum(map(_is_written, bases))
                bases = bases[: min(max(of_persons, _MOST_BASES), _MOST_WRITTEN_BASES)]
            meant = [found for found in fitting if found.record.number not in invented]
            wanted += _option_trials(meant, option.name, bases, _known_values(option, domain))
    return wanted


def control_trials(
    records: Sequence[TrialRecord], facts: ModuleFacts, more: Mapping[str, Sequence[Parameter]]
) -> list[Trial]:
    """Calls that a person wrote without one of the options that they pass: what the option is for shows beside them."""
    found: dict[Trial, None] = {}
    for _, options, calls in _calls_with_options(records, facts, more):
        known = {_situation(one, one.call) for one in calls}
        for option in options:
            passing = [one for one in calls if option.name in one.passed and _is_written(one)]
            for one in passing[:_MOST_CONTROLS]:
                call = one.without(option.name)
                if call is not None and _situation(one, call) not in known:
                    found[with_act(one.record.trial, one.act(call))] = None
    return list(found)[:_MOST_TRIALS]


def _calls_with_options(
    records: Sequence[TrialRecord], facts: ModuleFacts, more: Mapping[str, Sequence[Parameter]]
) -> Iterator[tuple[CallableFacts, list[Parameter], list[_Call]]]:
    """Generates the public callables that take options, these, and the calls whose outcomes can be compared."""
    by_subject: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in filter(is_comparable, records):
        by_subject[record.trial.subject].append(record)
    for one in facts.callables():
        options = [item for item in one.parameters if item.default is not None and not item.name.startswith("_")]
        options += more.get(one.qualname, ())
        if one.public and options and by_subject[one.qualname]:
            found = [call for record in by_subject[one.qualname] if (call := _call_of(record, one)) is not None]
            yield one, options, found


def _known_values(option: Parameter, domain: ParameterDomain) -> list[_Known]:
    """The values of an option's domain beside its default, where those are few, and the imports of each: choices, words
    that the code tells apart, the other truth value, and a type that can stand in for the default one.
    """
    if option.default in _OTHER_TYPES:
        other, imports = _OTHER_TYPES[option.default]
        return [(parse_expression(other), imports)]
    choices = domain.choices if domain.kind != "text" else domain.words
    if option.default in ("True", "False") and domain.kind in ("any", "boolean"):
        choices = ("True", "False")
    return [(parse_expression(choice), ()) for choice in choices if choice != option.default]


@dataclass(frozen=True, slots=True)
class _Call:
    """A record whose act calls the callable itself, and perhaps shows its result: `url.normalize().to_text()`.

    Attributes:
        passed: arguments by the names of their parameters, and those that `**kwargs` takes by their own.
    """

    record: TrialRecord
    call: ast.Call
    passed: Mapping[str, ast.expr]

    def act(self, call: ast.Call) -> str:
        """The act with another call in the place of the callable's."""
        return normalized(self.record.trial.act).replace(ast.unparse(self.call), ast.unparse(call), 1)

    def without(self, option: str) -> ast.Call | None:
        """The call without an option that it passes; None where a later positional argument needs it."""
        value, call = self.passed[option], self.call
        if any(keyword.value is value for keyword in call.keywords):
            return ast.Call(call.func, call.args, [one for one in call.keywords if one.value is not value])
        return ast.Call(call.func, call.args[:-1], call.keywords) if call.args[-1] is value else None


def _call_of(record: TrialRecord, one: CallableFacts) -> _Call | None:
    name = one.owner if one.kind == "constructor" else one.name
    calls = shown_calls(shared_expression(record.trial.act))
    call = next((call for call in calls if last_name(call.func) == name), None)
    if call is None:
        return None
    if any(isinstance(value, ast.Starred) for value in call.args):
        return None
    passed = {parameter.name: value for parameter, value in bound_arguments(call, one)}
    passed |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    return _Call(record, call, passed)


def is_comparable(record: TrialRecord) -> bool:
    """Whether a record returned what it returns each time."""
    return record.observation.outcome == "returned" and not (record.seen.random or record.time_dependent)


def _is_written(one: _Call) -> bool:
    return one.record.trial.source in RICH_SOURCES


def _situation(one: _Call, call: ast.Call) -> tuple[object, ...]:
    return one.record.trial.mode, one.record.trial.arrange, one.act(call)


def _mark_option(calls: Sequence[_Call], option: str, known: Mapping[tuple[object, ...], TrialRecord]) -> bool:
    """Marks the plainest call that ended otherwise without the option, and those that documents and usage show.

    Those are chosen for other reasons, too. Returns whether there is any.
    """
    showing: list[tuple[_Call, TrialRecord]] = []
    for one in calls:
        without = one.without(option) if option in one.passed else None
        control = known.get(_situation(one, without)) if without is not None else None
        if control is not None and shown_outcome(one.record) != shown_outcome(control):
            showing.append((one, control))
    showing.sort(key=lambda pair: _showing_little(pair[0]))
    for at, (one, control) in enumerate(showing):
        if at == 0 or _is_written(one):
            mark_influence(one.record, distinction_of(option), control)
    return bool(showing)


def _bases(calls: Sequence[_Call], option: str) -> list[_Call]:
    """The calls without an option, the most telling first."""
    return sorted((one for one in calls if option not in one.passed), key=_showing_little)


def _option_trials(
    calls: Sequence[_Call], option: str, bases: Sequence[_Call], known: Sequence[_Known]
) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Returns calls without an option, and the same with values that were passed elsewhere and with known ones."""
    distinct: dict[str, _Known] = {}
    for one in calls if bases else ():
        value = one.passed.get(option)
        arranged = {word for text in one.record.trial.arrange for word in _NAME.findall(text)}
        if value is not None and not names_of(value) & arranged:
            distinct.setdefault(ast.unparse(value), (value, one.record.trial.imports))
    for value, imports in known if bases else ():
        distinct.setdefault(ast.unparse(value), (value, imports))
    values = list(distinct.values())[:_MOST_VALUES]
    return [
        (one.record, distinction_of(option), [_with_option(one, option, value, imports) for value, imports in values])
        for one in bases
        if values
    ]


def _with_option(one: _Call, option: str, value: ast.expr, imports: tuple[str, ...]) -> Trial:
    """A call with one option more, and the imports of its value."""
    trial, call = one.record.trial, one.call
    act = one.act(ast.Call(call.func, call.args, [*call.keywords, ast.keyword(option, value)]))
    needed = {*trial.imports, *(imports if names_of(value) else ())}
    return replace(with_act(trial, act), imports=tuple(sorted(needed)))


def _showing_little(one: _Call) -> tuple[object, ...]:
    """Orders calls: those that a person wrote, whose result is not what was given, after few steps, the shortest."""
    value = one.record.observation.value
    result = (value.source if value is not None else None) or ""
    plain = result in _PLAIN_RESULTS or any(ast.unparse(item) == result for _, item in _arguments(one.call))
    trial = one.record.trial
    steps = sum(text.startswith(f"{trial.act.partition('.')[0]}.") for text in trial.arrange)
    return not _is_written(one), plain, len(one.call.keywords), steps, len(trial.act), one.record.number


def influence_trials(records: Sequence[TrialRecord]) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Returns calls, the place of an argument that made no difference yet, and variants with other numbers there."""
    places: dict[tuple[object, ...], _Place] = defaultdict(_Place)
    for record in filter(is_comparable, records):
        for name, around in _numbers(record.trial):
            place = places[record.trial.subject, name, record.trial.mode, record.trial.arrange, around]
            place.outcomes.add(shown_outcome(record))
            place.base = place.base or record
    influential = {key[:2] for key, place in places.items() if len(place.outcomes) > 1}
    bases: dict[tuple[object, ...], list[TrialRecord]] = defaultdict(list)
    for key, place in places.items():
        if key[:2] not in influential and place.base is not None:
            bases[key[:2]].append(place.base)
    return [
        (record, str(name), list(_with_numbers(record.trial, str(name))))
        for (_, name), known in bases.items()
        for record in sorted(known, key=lambda one: (-len(one.arcs), one.number))[:_MOST_BASES]
    ]


def shown_outcome(record: TrialRecord) -> str:
    """How a record ended, as a text that is equal for records that ended alike."""
    value = record.observation.value
    return repr((behaviour_of(record.observation), value and value.source, record.observation.effects))


def _arguments(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from ((str(at), value) for at, value in enumerate(call.args))
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)


def _numbers(trial: Trial) -> Iterator[tuple[str, str]]:
    """Generates the place of each number that is an argument of the act's call, with the call around it."""
    call = shared_expression(trial.act)
    if not isinstance(call, ast.Call) or any(isinstance(value, ast.Starred) for value in call.args):
        return
    for name, value in _arguments(call):
        if _is_number(value):
            yield name, ast.unparse(_replaced(call, name, ast.Name("_")))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _replaced(call: ast.Call, name: str, value: ast.expr) -> ast.Call:
    changed = copy.deepcopy(call)
    if name.isdigit():
        changed.args[int(name)] = value
    else:
        next(keyword for keyword in changed.keywords if keyword.arg == name).value = value
    return changed


def _with_numbers(trial: Trial, name: str) -> Iterator[Trial]:
    call = expression_or_none(trial.act)
    assert isinstance(call, ast.Call)  # `_numbers` found the place in it
    value = dict(_arguments(call))[name]
    for number in _SHARES if isinstance(value, ast.Constant) and isinstance(value.value, float) else _LADDER:
        act = ast.unparse(_replaced(call, name, parse_expression(number)))
        if act != trial.act:
            yield with_act(trial, act)
