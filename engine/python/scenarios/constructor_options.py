"""Shows what the options of a class are for: one method of the same object, built with an option and without it."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assignment_in, last_name, names_of
from ....utils.python_source import parse_expression, shared_expression
from ..judge.value_checks import is_empty_source
from ..model.model import RICH_SOURCES, CallableFacts, ClassFacts, ModuleFacts, Parameter, Trial
from ..search.influence_trials import distinction_of, is_comparable, mark_influence, shown_outcome
from ..search.parallel_observers import Watcher
from ..search.trial_search import TrialRecord, TrialSearch
from ..usage.harvest import bound_arguments
from .scenario import records_of

_FLIPPED = {"True": "False", "False": "True"}
_MOST_BASES = 2
_MOST_VALUES = 3
_MOST_TRIALS = 240
_TRIVIAL = frozenset({"None", "True", "False", "0", "1", "0.0", "1.0"})


@dataclass(frozen=True, slots=True)
class _Use:
    """A record whose act is about an object that one of its statements builds.

    Attributes:
        at: position of that statement.
        call: the construction; `passed`: its arguments by the names of their parameters.
    """

    record: TrialRecord
    at: int
    variable: str
    call: ast.Call
    passed: Mapping[str, ast.expr]

    def with_option(self, option: str, value: str) -> Trial:
        """The trial with one option more for its object."""
        call = copy.deepcopy(self.call)
        call.keywords.append(ast.keyword(option, parse_expression(value)))
        trial = self.record.trial
        made = f"{self.variable} = {ast.unparse(call)}"
        arrange = (*trial.arrange[: self.at], made, *trial.arrange[self.at + 1 :])
        return replace(trial, arrange=arrange, source="mutation", wanted=None, wanted_line=0)


async def show_constructor_options(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Marks, for each option of a class, one call of a method that ends otherwise than on an object without it."""
    for owner in facts.classes:
        if owner.name.startswith("_") or owner.kind in ("abstract", "protocol", "enum"):
            continue
        proposed = list(option_trials(search.records, owner))[:_MOST_TRIALS]
        records = await records_of([trial for _, _, trial in proposed], search, observer)
        showing = [
            (record, base, option)
            for (base, option, _), record in zip(proposed, records, strict=True)
            if record is not None and is_comparable(record) and shown_outcome(record) != shown_outcome(base)
        ]
        shown: set[str] = set()
        for record, base, option in sorted(showing, key=lambda one: _is_plain(one[0])):
            if option not in shown:
                shown.add(option)
                mark_influence(record, distinction_of(option), base)


def option_trials(records: Sequence[TrialRecord], owner: ClassFacts) -> Iterator[tuple[TrialRecord, str, Trial]]:
    """Generates calls of a class's methods, an option that their object was not given, and the same calls with it.

    Methods that read the option themselves come first. Values are those that were passed to it elsewhere, the other one
    of a flag, and None where its annotation has it.
    """
    constructor = owner.constructor
    options = [one for one in constructor.parameters if _is_option(one)] if constructor is not None else []
    if constructor is None or not options:
        return
    uses = [found for record in records if (found := _use_of(record, owner, constructor)) is not None]
    passed: dict[str, dict[str, None]] = defaultdict(dict)
    for one in uses:
        for name, value in one.passed.items():
            if not names_of(value):
                passed[name][ast.unparse(value)] = None
    by_subject: dict[str, list[_Use]] = defaultdict(list)
    for one in sorted(filter(_is_telling, uses), key=_showing_little):
        by_subject[one.record.trial.subject].append(one)
    members = [one for one in owner.members if one.public and by_subject[one.qualname]]
    for option in options:
        values = _values(option, list(passed[option.name]))
        for member in sorted(members, key=lambda one, name=option.name: not _reads(one, name)):
            without = [one for one in by_subject[member.qualname] if option.name not in one.passed]
            for use in without[:_MOST_BASES]:
                for value in values:
                    yield use.record, option.name, use.with_option(option.name, value)


def _is_option(parameter: Parameter) -> bool:
    by_name = parameter.kind in ("positional_or_keyword", "keyword_only")
    return parameter.default is not None and by_name and not parameter.name.startswith("_")


def _values(option: Parameter, passed: Sequence[str]) -> list[str]:
    default = option.default or ""
    unset = ["None"] if "None" in (option.annotation or "") or "Optional" in (option.annotation or "") else []
    flipped = [_FLIPPED[default]] if default in _FLIPPED else []
    distinct = dict.fromkeys((*flipped, *passed, *unset))
    found = [one for one in distinct if one != default]
    return list(dict.fromkeys((*found[: _MOST_VALUES - len(unset)], *(one for one in unset if one in found))))


def _use_of(record: TrialRecord, owner: ClassFacts, constructor: CallableFacts) -> _Use | None:
    """The object that a record's act is about, where a statement builds it by its class; None for none."""
    trial = record.trial
    if trial.subject.rpartition(".")[0] != owner.name:
        return None
    act = shared_expression(trial.act)
    names = names_of(act) if act is not None else set[str]()
    for at, text in enumerate(trial.arrange):
        bound = assignment_in(text)
        if bound is None or bound[0] not in names or not isinstance(bound[1], ast.Call):
            continue
        call = bound[1]
        starred = any(isinstance(value, ast.Starred) for value in call.args)
        if last_name(call.func) == owner.name and not starred and all(one.arg for one in call.keywords):
            passed = {parameter.name: value for parameter, value in bound_arguments(call, constructor)}
            return _Use(record, at, bound[0], call, passed)
    return None


def _reads(member: CallableFacts, option: str) -> bool:
    """Whether a method reads the attribute of an option's name."""
    return any(name in (f"self.{option}", f"self._{option}") for name, _ in member.uses)


def _is_telling(use: _Use) -> bool:
    """Whether a method that was called returned a value: of nothing, of what an operator asks, and of an object as it
    was, nobody sees much."""
    value = use.record.observation.value
    if value is None or value.source in (None, "None") or not is_comparable(use.record):
        return False
    return not value.unchanged or bool(use.record.observation.effects)


def _showing_little(use: _Use) -> tuple[object, ...]:
    """Orders uses: those that a person wrote, of a result that says something and was not passed, the shortest."""
    trial, value = use.record.trial, use.record.observation.value
    passed = value is not None and value.source is not None and value.source in trial.act
    little = _is_plain(use.record) or passed
    return trial.source not in RICH_SOURCES, little, len(use.passed), len(trial.act), use.record.number


def _is_plain(record: TrialRecord) -> bool:
    """Whether a result says little: it is empty, None, a truth value, zero or one."""
    value = record.observation.value
    source = (value.source if value is not None else None) or ""
    return source in _TRIVIAL or is_empty_source(source)
