"""Finds trials that call a method for nothing before their act: `url.add("x")`, whose result is thrown away.

Such a step changes no object that can be seen, no trial was seen to end otherwise because of it, and its code only
reads; where that is not known, a second call gave the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from ....utils.python_source import shared_module
from ..facts.reading_methods import Effect, MethodReader
from ..inputs.learning import effects_on
from ..model.model import RICH_SOURCES, ModuleFacts
from ..scenarios.scenario import ShownBehaviour
from ..search.trial_search import TrialRecord
from ..usage.receiver_classes import ReceiverClasses
from .idle_arguments import outcome_of

# A call on a variable whose result is not bound; what spans several lines does more than that.
_STEP = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)\(.*\)")
_ENDED = frozenset({"returned", "raised"})
# A text that comes back as the one that was passed is no object that a call may have changed.
_UNCHANGEABLE = frozenset({"str", "bytes", "int", "float", "complex", "bool", "NoneType"})
_Key = tuple[str, str, tuple[str, ...], str]


class CalledSteps:
    """Finds the statements of trials that only call a method of a variable, by the class that the variable is bound to.

    Args:
        facts: the module whose classes count.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._classes = ReceiverClasses(facts)
        self._bound: dict[tuple[str, ...], Mapping[str, str]] = {}

    def of(self, arrange: tuple[str, ...]) -> Iterator[tuple[int, str]]:
        """Generates the places of such statements with the qualified names of the methods, where the class is known."""
        for at, text in enumerate(arrange):
            if method := self.method(arrange, text):
                yield at, method

    def method(self, arrange: tuple[str, ...], text: str) -> str:
        """The method that a statement among others only calls on a variable; "" for none, and of an unknown class."""
        step = _STEP.fullmatch(text)
        owner = self._classes_in(arrange).get(step[1], "") if step is not None else ""
        return f"{owner}.{step[2]}" if step is not None and owner else ""

    def _classes_in(self, arrange: tuple[str, ...]) -> Mapping[str, str]:
        """The classes of the variables that statements bind; looked up once for statements that many trials have."""
        if arrange not in self._bound:
            tree = shared_module("\n".join(arrange))
            self._bound[arrange] = self._classes.bound_in(tree) if tree is not None else {}
        return self._bound[arrange]


def records_with_idle_steps(records: Sequence[TrialRecord], facts: ModuleFacts) -> frozenset[int]:
    """Numbers of the records that call, before their act, a method that only asks.

    What a person wrote stays, but where the result is nobody's words and another record does the same without the step.
    """
    steps = CalledSteps(facts)
    asking = asking_methods(records, facts, steps)
    found: set[int] = set()
    for record in records:
        idle = {at for at, step in steps.of(record.trial.arrange) if step in asking}
        if not idle or ShownBehaviour in record.notes:
            continue
        if record.trial.source not in RICH_SOURCES or (
            record.trial.wanted is None and _is_done_without(record, idle, records)
        ):
            found.add(record.number)
    return frozenset(found)


def _is_done_without(record: TrialRecord, steps: Set[int], records: Sequence[TrialRecord]) -> bool:
    """Whether another record lacks statements of this one and has the same outcome by the same way."""
    key = _key(record, tuple(text for at, text in enumerate(record.trial.arrange) if at not in steps))
    return any(
        _key(one, one.trial.arrange) == key
        and one.arcs == record.arcs
        and outcome_of(one.observation) == outcome_of(record.observation)
        for one in records
    )


def asking_methods(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    steps: CalledSteps | None = None,
    *,
    leaves_arguments: bool = True,
) -> frozenset[str]:
    """Qualified names of methods that return something and change nothing, as far as records and their code show.

    Args:
        steps: what tells the statements of the module's trials apart, where there is one already.
        leaves_arguments: whether one that changes what it is passed counts as changing something.
    """
    steps = steps or CalledSteps(facts)
    returned: set[str] = set()
    changing: set[str] = set()
    made: dict[str, set[str]] = defaultdict(set)
    for record in records:
        subject, observation = record.trial.subject, record.observation
        called = _STEP.fullmatch(record.trial.act)
        if called is None or called[2] != subject.rpartition(".")[2] or observation.outcome != "returned":
            continue
        if not leaves_arguments and steps.method(record.trial.arrange, record.trial.act) != subject:
            continue  # an object of another class may have a method of this name
        value = observation.value
        gives_held = value is not None and bool(value.held) and value.type_name not in _UNCHANGEABLE
        effects = observation.effects if leaves_arguments else effects_on(called[1], observation)
        if effects or observation.output or observation.errors or (gives_held and leaves_arguments):
            changing.add(subject)
        elif value is not None and value.source != "None":
            returned.add(subject)
            own = value.type_name.rpartition(".")[2] == subject.rpartition(".")[0]
            made[subject].add("own" if value.held and own else "new" if own else "other")
    found = returned - changing
    if not found:
        return frozenset()
    mattering, repeatable = _compared(records, found, steps)
    # What makes another object of its class needs no second call to show that it changes none; it may give back its own
    # where there is nothing to do.
    fresh = ({"new"},) if leaves_arguments else ({"new"}, {"new", "own"})
    repeatable |= {one for one, kinds in made.items() if kinds in fresh}
    code = MethodReader(facts)
    idle: dict[str, Effect] = {one: code.effect(one) for one in found - mattering}
    return frozenset(
        one for one, effect in idle.items() if effect == "reads" or (effect == "unknown" and one in repeatable)
    )


def _compared(records: Sequence[TrialRecord], names: set[str], called: CalledSteps) -> tuple[set[str], set[str]]:
    """Names of methods after whose calls an act ended otherwise, and of those that gave the same when called again.

    Trials are compared that differ in nothing but such calls, however many. What another method gave is no sign that a
    call changed nothing: it may look at something else.
    """
    ended = [record for record in records if record.observation.outcome in _ENDED]
    ends = {_key(record, record.trial.arrange): record for record in reversed(ended)}
    first: dict[tuple[str, _Key], TrialRecord] = {}
    mattering: set[str] = set()
    repeatable: set[str] = set()
    for record in ended:
        steps = [(at, name) for at, name in called.of(record.trial.arrange) if name in names]
        for name in {name for _, name in steps}:
            left_out = {at for at, one in steps if one == name}
            key = _key(record, tuple(text for at, text in enumerate(record.trial.arrange) if at not in left_out))
            other = first.setdefault((name, key), ends.get(key, record))
            if outcome_of(other.observation) != outcome_of(record.observation):
                mattering.add(name)
            elif other is not record and name == record.trial.subject and record.observation.outcome == "returned":
                repeatable.add(name)
    return mattering, repeatable


def _key(record: TrialRecord, arrange: tuple[str, ...]) -> _Key:
    return record.trial.subject, record.trial.mode, arrange, record.trial.act
