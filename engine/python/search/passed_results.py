"""Proposes calls that take what another call returned: a writer gets what the reader made of a text.

What a callable makes of a good argument is the best argument of the one that undoes it: `from_data` is given what
`to_data` returned, as a person would who writes the first test of it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cached_property

from ....utils.python_source import expression_or_none
from ..facts.inverse_names import tells_direction, undoes
from ..inputs.calls import Row, function_form, variable_for
from ..judge.value_checks import is_empty_source
from ..model.model import CHANGED_SOURCES, CallableFacts, Candidate, Observation, Parameter, Trial, Value
from .initial_trials import ProposalContext, call_trial, testable_callables

_MOST_PASSED = 4
_LONGEST = 160
_LEAST_DIFFERENT = 3


@dataclass(frozen=True, slots=True)
class _Taker:
    """A function's required parameter that takes objects of a class."""

    function: CallableFacts
    parameter: Parameter
    type_name: str


class PassedResults:
    """Passes objects that calls returned to the functions that take them; each parameter gets a few different ones."""

    def __init__(self, context: ProposalContext) -> None:
        self._context = context
        self._passed: dict[tuple[str, str], int] = {}
        self._takers: list[_Taker] | None = None

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the calls that take what a trial returned: an object that has content."""
        value = observation.value
        if observation.outcome != "returned" or value is None or trial.mode != "call":
            return []
        if value.source is not None:
            return self._given_back(trial, value)
        name = value.type_name.rpartition(".")[2]
        if not any(item.source for _, item in value.attributes) and not value.length:
            return []
        found: list[Trial] = []
        for taker in self._known_takers():
            key = (taker.function.qualname, taker.parameter.name)
            itself = taker.function.qualname == trial.subject
            if taker.type_name == name and not itself and self._passed.get(key, 0) < _MOST_PASSED:
                self._passed[key] = self._passed.get(key, 0) + 1
                variable = variable_for(taker.type_name)
                arrange = (*trial.arrange, f"{variable} = {trial.act}")
                found += self._call(taker, Candidate(variable, trial.imports, arrange, trial.fixtures, "domain"))
        return found

    def _given_back(self, trial: Trial, value: Value) -> list[Trial]:
        """Returns the calls of what undoes a callable with the value that this made of a good argument."""
        source = value.source or ""
        inverses = self._inverses.get(trial.subject)
        # What comes of a call that was made by changing another one is no good argument.
        if not inverses or trial.source in CHANGED_SOURCES or len(source) > _LONGEST:
            return []
        if value.approximate or value.unordered:
            return []
        if is_empty_source(source) or source in trial.act or len(set(source)) < _LEAST_DIFFERENT:
            return []
        found: list[Trial] = []
        for other in inverses:
            key = (other.qualname, "")
            if self._passed.get(key, 0) >= _MOST_PASSED:
                continue
            self._passed[key] = self._passed.get(key, 0) + 1
            passed = Candidate(source, value.imports, origin="domain")
            if other.kind == "method":
                found += _on_same_object(other, trial, passed)
            else:
                found += self._call(_Taker(other, other.needed[0], ""), passed)
        return found

    @cached_property
    def _inverses(self) -> dict[str, list[CallableFacts]]:
        """The callables that undo another one of the same owner, or are undone by it, by the other one's name.

        Callables whose names tell of nothing that could be undone are left out.
        """
        context = self._context
        functions = {
            one.qualname: one
            for one in testable_callables(context.facts, context)
            if one.kind in ("function", "classmethod", "staticmethod", "method") and not one.is_async
            if tells_direction(one.name)
        }
        of_owner: dict[str | None, list[CallableFacts]] = {}
        for one in functions.values():
            of_owner.setdefault(one.owner, []).append(one)
        return {
            one.qualname: [
                other
                for other in of_owner[one.owner]
                if other is not one and other.needed and (undoes(other.name, one.name) or undoes(one.name, other.name))
            ]
            for one in functions.values()
        }

    def _known_takers(self) -> list[_Taker]:
        if self._takers is None:
            context = self._context
            natural, facts = context.values.natural, context.facts
            self._takers = [
                _Taker(one, item, domain.type_name)
                for one in testable_callables(facts, context)
                for item in one.parameters
                if one.owner is None
                and item.required
                and (domain := natural.domain(one, item.name, facts)).kind == "object"
            ]
        return self._takers

    def _call(self, taker: _Taker, passed: Candidate) -> list[Trial]:
        row: list[tuple[Parameter, Candidate]] = []
        for item in taker.function.parameters:
            if item is taker.parameter:
                row.append((item, passed))
            elif item.required:
                values = self._context.values.for_parameter(taker.function, item)
                if not values:
                    return []
                row.append((item, values[0]))
        given: Row = tuple(row)
        owner = taker.function.owner
        form = function_form(taker.function, given, f"{owner}." if owner else "")
        return [call_trial(self._context, taker.function, form, given, needs=(owner or taker.function.name,))]


def _on_same_object(one: CallableFacts, trial: Trial, passed: Candidate) -> list[Trial]:
    """The call of a method with one argument on the object of another call; none where that is on no variable."""
    call = expression_or_none(trial.act)
    receiver = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    if not isinstance(receiver, ast.Name) or len(one.needed) != 1:
        return []
    act = f"{receiver.id}.{one.name}({passed.source})"
    imports = tuple(sorted({*trial.imports, *passed.imports}))
    return [replace(trial, subject=one.qualname, act=act, imports=imports, source="domain", wanted=None, wanted_line=0)]
