"""Learns from observations: arguments that work, objects, changes of state, and arrangements that fail."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....utils.python_source import expression_or_none, shared_expression
from ..facts.reading_methods import MethodReader
from ..model.model import Candidate, ModuleFacts, Observation, Trial
from ..usage.harvest import Harvester, matched_arguments
from .calls import variable_for

_MAXIMUM_OBJECTS = 10
_MAXIMUM_CHANGES = 8
_MAXIMUM_REGISTERED = 2
_MAXIMUM_COMMANDS = 4
_MAXIMUM_ARRANGE = 6
_PLAIN = frozenset({"dict", "list", "tuple", "set", "frozenset", "str"})
_MISFITS = frozenset({"TypeError", "AttributeError"})


class LearnedInputs:
    """Inputs learned from observed trials, in order of arrival.

    Attributes:
        objects: expressions that returned an object of a class of the target, by class name.
        changes: statements that changed an object of a class, by class name.
        registered: steps by which something was registered with an object, by class name; also among `changes`.
        commands: steps after which an object looks the same, by class name.
        deriving: methods that gave another object of their class, or a plain collection or text, and left their own
            as it was, as far as is seen from it and from their code.
        rejected: arguments that only ever led to type errors, as (qualified name, parameter, source).
    """

    def __init__(self, facts: ModuleFacts, harvester: Harvester) -> None:
        self.objects: dict[str, list[Candidate]] = {}
        self.changes: dict[str, list[Candidate]] = {}
        self.registered: dict[str, list[Candidate]] = {}
        self.commands: dict[str, list[Candidate]] = {}
        self.deriving: set[str] = set()
        self.rejected: set[tuple[str, str, str]] = set()
        self._facts = facts
        self._harvester = harvester
        self._classes = {owner.name: variable_for(owner.name) for owner in facts.classes}
        self._makers = {owner.name: owner.makers for owner in facts.classes if owner.makers}
        self._changing: set[str] = set()
        self._reader = MethodReader(facts)
        self._accepted: set[tuple[str, str, str]] = set()
        self._dead: set[tuple[str, ...]] = set()
        self._given: dict[tuple[str, str], list[tuple[str, str, str]]] = {}

    def take(self, trial: Trial, observation: Observation, new: bool) -> None:
        """Learns from one observation; `new`: it reached arcs that no earlier trial reached."""
        if observation.outcome == "arrange_failed":
            if trial.arrange:
                self._dead.add(trial.arrange)
            return
        self._judge_arguments(trial, observation)
        if observation.outcome != "returned":
            return
        if new:
            self._harvester.read([trial])
        self._learn_deriving(trial, observation)
        if trial.mode == "call" and len(trial.arrange) <= _MAXIMUM_ARRANGE:
            self._learn_object(trial, observation)
            self._learn_change(trial, observation)

    def is_dead(self, arrange: tuple[str, ...]) -> bool:
        """Whether an arrangement, or its beginning, is known to fail."""
        return any(arrange[:count] in self._dead for count in range(1, len(arrange) + 1))

    def _judge_arguments(self, trial: Trial, observation: Observation) -> None:
        raised = observation.raised
        misfit = observation.outcome == "raised" and raised is not None and raised.type_name in _MISFITS
        key = trial.act, trial.subject
        if key not in self._given:  # the same act comes with many arrangements
            tree = expression_or_none(trial.act)
            self._given[key] = matched_arguments(self._harvester, tree, trial.subject) if tree else []
        given = self._given[key]
        if not misfit:
            self._accepted.update(given)
            self.rejected.difference_update(given)
        elif len([one for one in given if one not in self._accepted]) == 1:
            # All other arguments worked in some call, so this one caused the type error.
            self.rejected.update(one for one in given if one not in self._accepted)

    def _learn_object(self, trial: Trial, observation: Observation) -> None:
        value = observation.value
        if value is None:
            return
        module, _, name = value.type_name.rpartition(".")
        if module != self._facts.module or name not in self._classes:
            return
        if name in self._makers and not _is_call_of(trial.act, self._makers[name]):
            return  # a slice of one: what the documents say to make such objects with makes a plainer one
        candidate = Candidate(trial.act, trial.imports, trial.arrange, trial.fixtures, "sequence")
        _add(self.objects, name, candidate, _MAXIMUM_OBJECTS)

    def _learn_deriving(self, trial: Trial, observation: Observation) -> None:
        """Records a method that changes nothing of its object though its name may say so: it makes another one, or
        changes what it is passed."""
        owner, _, member = trial.subject.rpartition(".")
        call = shared_expression(trial.act) if owner in self._classes and trial.subject not in self._changing else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != member:
            return
        if observation.effects and effects_on(ast.unparse(call.func.value), observation):
            self._changing.add(trial.subject)
            self.deriving.discard(trial.subject)
            return
        value = observation.value
        gave = value.type_name.rpartition(".")[2] if value is not None and not value.unchanged else ""
        if (gave == owner or gave in _PLAIN) and self._reader.effect(trial.subject) != "changes":
            self.deriving.add(trial.subject)

    def _learn_change(self, trial: Trial, observation: Observation) -> None:
        """Records an act that changed an object: its own, or another one that was arranged before it."""
        for name, variable in self._classes.items():
            if not trial.act.startswith((f"{variable}.", f"{variable}[")):
                self._learn_registration(name, variable, trial, observation)
                continue
            if trial.act.startswith(f"{variable}.") and not observation.effects:
                self._learn_command(name, variable, trial, returned_none=_is_none(observation))
            elif any(expression.startswith(variable) for expression, _ in observation.effects):
                # Statements about the object itself belong to the trial; the change needs only the others.
                before = tuple(text for text in trial.arrange if variable not in text)
                candidate = Candidate(trial.act, trial.imports, before, trial.fixtures, "sequence")
                _add(self.changes, name, candidate, _MAXIMUM_CHANGES)

    def _learn_command(self, name: str, variable: str, trial: Trial, *, returned_none: bool) -> None:
        """Records a call with arguments after which the object looks the same: what it did, queries may tell.

        What an object keeps in a database or a file is no part of its own state. A call that returns something is such
        a command only where the object was built on a file.
        """
        call = shared_expression(trial.act)
        made = [text for text in trial.arrange if text.startswith(f"{variable} = {name}(")]
        kept_outside = any("tmp_path" in text or "connection" in text for text in made)
        if not isinstance(call, ast.Call) or not (call.args or call.keywords) or not (returned_none or kept_outside):
            return
        method = trial.act.partition("(")[0]
        pool = self.commands.setdefault(name, [])
        if len(made) == 1 and not any(one.source.startswith(f"{method}(") for one in pool):
            # What was done to the object before is part of it: only what was put in can be taken out.
            steps = tuple(text for text in trial.arrange if text not in made and not text.startswith("request."))
            step = Candidate(trial.act, trial.imports, steps, trial.fixtures, "sequence")
            _add(self.commands, name, step, _MAXIMUM_COMMANDS)

    def _learn_registration(self, name: str, variable: str, trial: Trial, observation: Observation) -> None:
        """Records steps that registered something with an object: `job = scheduler.every()`, `job.do(print)`."""
        if not effects_on(variable, observation):
            return
        made = next((at for at, text in enumerate(trial.arrange) if text.startswith(f"{variable} = {name}(")), None)
        if made is not None:
            # What was done to the object itself before belongs to the trial; queries show whether they need it.
            steps = tuple(text for text in trial.arrange[made + 1 :] if not text.startswith(f"{variable}."))
            step = Candidate(trial.act, trial.imports, steps, trial.fixtures, "sequence")
            _add(self.registered, name, step, _MAXIMUM_REGISTERED)
            _add(self.changes, name, step, _MAXIMUM_CHANGES)


def effects_on(name: str, observation: Observation) -> list[str]:
    """What is told of an object, or of parts of it, that is another than before: `cart.items`, `len(cart)`."""
    reads = re.compile(rf"((len|repr|list|dict)\()?{re.escape(name)}\b")
    return [expression for expression, _ in observation.effects if reads.match(expression)]


def _is_call_of(source: str, makers: Sequence[str]) -> bool:
    """Whether an expression calls a function or a factory of makers: `v(1, 2)`, and not `v(1, 2).set(0, 3)`."""
    call = shared_expression(source)
    return isinstance(call, ast.Call) and (isinstance(call.func, ast.Name) or ast.unparse(call.func) in makers)


def _is_none(observation: Observation) -> bool:
    return observation.value is not None and observation.value.source == "None"


def _add(found: dict[str, list[Candidate]], name: str, candidate: Candidate, limit: int) -> None:
    pool = found.setdefault(name, [])
    if len(pool) < limit and all(one.source != candidate.source for one in pool):
        pool.append(candidate)
