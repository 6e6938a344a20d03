"""Proposes calls that take what another call returned: a writer gets what the reader made of a text."""

from __future__ import annotations

from dataclasses import dataclass

from ..inputs.calls import Row, function_form, variable_for
from ..model.model import CallableFacts, Candidate, Observation, Parameter, Trial
from .initial_trials import ProposalContext, call_trial, testable_callables

_MOST_PASSED = 4


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
        if observation.outcome != "returned" or value is None or value.source is not None or trial.mode != "call":
            return []
        name = value.type_name.rpartition(".")[2]
        if not any(item.source for _, item in value.attributes) and not value.length:
            return []
        found: list[Trial] = []
        for taker in self._known_takers():
            key = (taker.function.qualname, taker.parameter.name)
            itself = taker.function.qualname == trial.subject
            if taker.type_name == name and not itself and self._passed.get(key, 0) < _MOST_PASSED:
                self._passed[key] = self._passed.get(key, 0) + 1
                found += self._call(taker, trial)
        return found

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

    def _call(self, taker: _Taker, trial: Trial) -> list[Trial]:
        variable = variable_for(taker.type_name)
        arrange = (*trial.arrange, f"{variable} = {trial.act}")
        passed = Candidate(variable, trial.imports, arrange, trial.fixtures, "domain")
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
        form = function_form(taker.function, given)
        return [call_trial(self._context, taker.function, form, given, needs=(taker.function.name,))]
