"""Shows that a function which answers a new container leaves the one that it was passed as it was.

Only where a docstring promises it, or where the body makes a copy: of other functions nobody expects a change.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....utils.python_names import assignments_in, names_of, unique_name
from ....utils.python_source import normalized, parse_expression, shared_expression, unparsed_with
from ..domain.membership import count_outside
from ..judge.value_checks import is_empty_source
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts
from ..search.trial_search import TrialRecord
from ..usage.harvest import bound_arguments
from .independent_copies import SPARES
from .scenario import Returns, Scenario, is_plain_return, own_call, returned_source, scenario_trial

_VERBS = r"(?:modif(?:y|ied|ying)|mutat(?:e|ed|ing)|chang(?:e|ed|ing)|alter(?:ed|ing)?|touch(?:ed|ing)?)"
_NEW = (
    r"\bnew,?\s+(?:\w+,?\s+){0,3}(?:dict(?:ionary)?|list|set|mapping|sequence|collection|array|copy)\b"
    r"|\bcopy\s+of\b(?!\s+(?:each|every|all)\b)"
)
_LEFT = r"\b(?:unchanged|untouched|unmodified|intact)\b"
# What may be a promise: enough to look whether the argument stays as it was.
_HINT = re.compile(
    rf"{_NEW}|\bcopies of\b|\bnot (?:be )?{_VERBS}\b|\bwithout {_VERBS}\b|{_LEFT}|\bnon-?destructive", re.IGNORECASE
)
_MAKES = re.compile(r"\W*(?:returns?|makes?|creates?|gives?)\b", re.IGNORECASE)
_GIVEN = r"(?:original|initial|input|given|passed|old)"
_NOUNS = r"(?:inputs?|arguments?|originals?|parameters?|operands?)"
_NAME = re.compile(r"\w+")
_COPYING = frozenset({"copy", "deepcopy"})
_CONTAINERS = (ast.List, ast.Dict, ast.Set)
_MOST_BASES = 3


@dataclass(frozen=True, slots=True)
class _Passed:
    """A call that was passed a container of literals.

    Attributes:
        call: source of the call, with a variable in the place of the container; `arrange`: what comes before it.
        source: the container as it was before the call.
    """

    record: TrialRecord
    call: str
    arrange: tuple[str, ...]
    variable: str
    source: str

    @property
    def is_nested(self) -> bool:
        """Whether the container holds others: a copy of the outer one alone shares them."""
        return any(isinstance(one, _CONTAINERS) for one in list(ast.walk(parse_expression(self.source)))[1:])


def unchanged_arguments(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios that call a function and look at the container that they passed to it."""
    found: dict[str, list[_Passed]] = defaultdict(list)
    wanted = {one.qualname: one for one in facts.functions if one.public and not one.is_async and _spares(one)}
    for record in records:
        function = wanted.get(record.trial.subject)
        if function is None or not is_plain_return(record) or record.observation.effects or record.seen.random:
            continue
        passed = _passed(record, function)
        if passed is not None and not count_outside(record.trial, facts):
            found[function.qualname].append(passed)
    for function in wanted.values():
        for one in sorted(found[function.qualname], key=_showing_little)[:_MOST_BASES]:
            arrange = (*one.arrange, one.call)
            trial = scenario_trial(one.record.trial, function.qualname, arrange, one.variable)
            if line := _promised_at(function):
                trial = replace(trial, source="document", wanted=one.source, wanted_line=line)
            yield Scenario(trial, SPARES, Returns(one.source))


def _spares(function: CallableFacts) -> bool:
    """Whether a function says, or shows by a copy that it makes, that it changes no argument."""
    copies = any(name.rpartition(".")[2] in _COPYING for name in function.calls)
    return copies or _HINT.search(function.documentation.text) is not None


def _promised_at(function: CallableFacts) -> int:
    """The line of the docstring that promises it; 0 without one.

    A new container is promised where the function is said to return it, and what stays as it was has to be the
    argument: "the keys whose values did not change" promises nothing.
    """
    documentation = function.documentation
    own = "|".join(re.escape(one.name) for one in function.parameters if one.name not in ("self", "cls"))
    argument = (
        rf"[`'\"*]*\b(?:(?:{_GIVEN}|the|its|any|either)\s+)*(?:{own or '(?!)'}|{_GIVEN}\s+\w+|{_NOUNS})\b[`'\"*]*"
    )
    untold = r"(?:\s+(?!need|did|had|return|pass|yield)\w+){0,3}"
    kept = rf"{argument}{untold}\s+(?:not\s+(?:be\s+)?{_VERBS}\b|{_LEFT})"
    spared = rf"\b(?:not|without)\s+{_VERBS}\s+{argument}|\bnon-?destructive"
    made = f"|{_NEW}" if _MAKES.match(documentation.text) else ""
    found = re.search(f"{kept}|{spared}{made}", documentation.text, re.IGNORECASE)
    return documentation.lines[0] + documentation.text.count("\n", 0, found.end()) if found is not None else 0


def _passed(record: TrialRecord, function: CallableFacts) -> _Passed | None:
    """The first container of the answer's type that a call was passed, where the answer is another one."""
    call, answer = own_call(record, function), shared_expression(returned_source(record.observation))
    if call is None or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    made = assignments_in(record.trial.arrange)
    names = {id(value): parameter.name for parameter, value in bound_arguments(call, function)}
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        given = made.get(value.id) if isinstance(value, ast.Name) else value
        if not isinstance(given, _CONTAINERS) or type(given) is not type(answer) or is_empty_source(ast.unparse(given)):
            continue
        source = ast.unparse(given)
        if normalized(source) == normalized(returned_source(record.observation)):
            return None
        if isinstance(value, ast.Name):
            return _Passed(record, ast.unparse(call), record.trial.arrange, value.id, source)
        taken = {*names_of(call), *made, *_NAME.findall(" ".join(record.trial.imports))}
        variable = unique_name(names.get(id(value), "given"), taken)
        arrange = (*record.trial.arrange, f"{variable} = {source}")
        asked = unparsed_with(call, value, ast.Name(variable, ast.Load()))
        return _Passed(record, asked, arrange, variable, source)
    return None


def _showing_little(one: _Passed) -> tuple[object, ...]:
    """Orders calls: those that a person wrote first, then those of nested containers, then the shortest."""
    trial = one.record.trial
    return trial.source not in RICH_SOURCES, not one.is_nested, len(trial.act), one.record.number
