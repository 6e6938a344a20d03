"""Runs trials in two workers at once, to use more than one processor.

A trial's position alone decides which worker runs it, so that two explorations give the same result. Literal arguments
that a call changed are bound to variables and run again; trials that depend on the date are found by a later clock.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import keyword
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from ....sandbox.target import PythonTarget
from ....utils.python_names import assigned_names, last_name, unique_name
from ....utils.python_source import parse_expression
from ..judge.comparison import stable_part
from ..model.model import Arc, CallableFacts, ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from ..source.titles import positional_names
from ..usage.slicing import names_in
from .background_context import background_context
from .observer import EXPLORING, AnswerCallback, Conditions, Observer, open_observer
from .trial_search import TrialRecord, TrialSearch, has_assertable_outcome

_MINIMUM_SHARED = 16
# Seconds from the start of the ticking clock (2024-01-01) to the last second of the following year.
YEARS_END = 731 * 86400 - 1
_PLAIN: dict[type[ast.expr], str] = {ast.List: "items", ast.Dict: "mapping", ast.Set: "members"}


class ObserverPair:
    """Runs trials like an `Observer`, half of them in each of two workers. Created by `open_observer_pair`."""

    def __init__(self, first: Observer, second: Observer) -> None:
        self._first = first
        self._second = second

    @property
    def import_arcs(self) -> frozenset[Arc]:
        """Arcs of the target file that importing it ran."""
        return self._first.import_arcs

    @property
    def conditions(self) -> Conditions:
        """The conditions of both workers."""
        return self._first.conditions

    async def watch(
        self,
        trials: Sequence[Trial],
        *,
        seed: int | None = None,
        later: int = 0,
        on_answer: AnswerCallback | None = None,
    ) -> list[ObservedTrial]:
        """Runs trials like `Observer.watch`. A trial that changed a literal argument is run again with the literal
        bound to a name (`ObservedTrial.named`); `on_answer` receives it without that. Answers of the two workers
        interleave.

        Raises:
            SandboxFailure: the sandbox breaks.
        """
        seen = await self._shared(trials, seed, later, on_answer)
        if seed is not None or later:
            return seen
        found = {
            at: named
            for at, (trial, item) in enumerate(zip(trials, seen, strict=True))
            if item.changed and (named := name_changed_arguments(trial, item.changed, self._first.facts)) is not None
        }
        for at, other in zip(found, await self._shared(list(found.values()), None, 0), strict=True):
            if other.observation.outcome == seen[at].observation.outcome and other.observation.effects:
                seen[at] = replace(seen[at], named=(found[at], other))
        return seen

    async def _shared(
        self, trials: Sequence[Trial], seed: int | None, later: int, on_answer: AnswerCallback | None = None
    ) -> list[ObservedTrial]:
        if len(trials) < _MINIMUM_SHARED:
            return await self._first.watch(trials, seed=seed, later=later, on_answer=on_answer)
        middle = (len(trials) + 1) // 2

        def shifted(index: int, seen: ObservedTrial) -> None:
            if on_answer is not None:
                on_answer(middle + index, seen)

        first, second = await asyncio.gather(
            self._first.watch(trials[:middle], seed=seed, later=later, on_answer=on_answer),
            self._second.watch(trials[middle:], seed=seed, later=later, on_answer=shifted),
        )
        return [*first, *second]


class OrderedDelivery:
    """Delivers answers in the order of their trials while workers still run, up to the first that needs further runs.

    Args:
        deliver: receives each answer as soon as all before it were delivered.

    Attributes:
        delivered: number of answers delivered.
    """

    def __init__(self, deliver: Callable[[ObservedTrial], None]) -> None:
        self.delivered = 0
        self._deliver = deliver
        self._waiting: dict[int, ObservedTrial] = {}

    def take(self, index: int, seen: ObservedTrial) -> None:
        """Accepts the answer to the trial at `index`; they may come in any order."""
        self._waiting[index] = seen
        # A dated answer waits for the check of time dependence, a changed one for the run with named literals.
        while (item := self._waiting.get(self.delivered)) is not None and not (item.dated or item.changed):
            self.delivered += 1
            self._deliver(item)


Watcher = Observer | ObserverPair


@asynccontextmanager
async def open_observer_pair(
    target: PythonTarget, facts: ModuleFacts, conditions: Conditions = EXPLORING
) -> AsyncGenerator[ObserverPair]:
    """Opens two workers on fresh workspaces, in parallel. Raises like `open_observer`."""
    async with background_context(lambda: open_observer(target, facts, conditions)) as other:
        other.start()
        async with open_observer(target, facts, conditions) as first, other.use() as second:
            yield ObserverPair(first, second)


async def run_trials(trials: Sequence[Trial], search: TrialSearch, observer: Watcher) -> dict[Trial, TrialRecord]:
    """Runs trials that a search did not choose itself, and has it learn from them.

    Returns:
        The last record of each trial that returned or raised.
    """
    answers = await observer.watch(trials)
    moving = await time_dependent_trials(trials, answers, observer)
    found: dict[Trial, TrialRecord] = {}
    for index, (trial, seen) in enumerate(zip(trials, answers, strict=True)):
        before = len(search.records)
        search.learn(trial, seen, time_dependent=index in moving)
        if len(search.records) > before:
            found[trial] = search.records[-1]
    return found


async def time_dependent_trials(
    batch: Sequence[Trial], answers: Sequence[ObservedTrial], observer: Watcher
) -> set[int]:
    """Returns indexes of trials that read a clock and keep no assertable outcome when a year ends between two reads."""
    if observer.conditions.clock is None:
        return set()
    dated = [index for index, seen in enumerate(answers) if seen.dated]
    later = await observer.watch([batch[index] for index in dated], later=YEARS_END) if dated else []
    found: set[int] = set()
    for index, again in zip(dated, later, strict=True):
        before = answers[index].observation
        if again.observation.outcome == "not_run":
            continue
        same = stable_part(before, [again.observation])
        lost = same is None or (same.unstable and not has_assertable_outcome(same.observation))
        if lost and (same is None or has_assertable_outcome(before)):
            found.add(index)
    return found


def name_changed_arguments(trial: Trial, changed: tuple[tuple[int, int], ...], facts: ModuleFacts) -> Trial | None:
    """Returns the trial with literals of its act assigned to variables named after their parameters.

    Args:
        changed: line and column of the literals.

    Returns:
        None if the act has no literal at these positions.
    """
    try:
        act = parse_expression(trial.act)
        taken = {*names_in(trial.act), *assigned_names(trial.arrange), *trial.fixtures}
    except SyntaxError:
        return None
    for statement in trial.imports:
        taken |= set(statement.replace(",", " ").replace(".", " ").split())
    callables = {item.name: item for item in facts.callables() if item.kind in ("function", "constructor")}
    subject = next((callable_ for callable_ in facts.callables() if callable_.qualname == trial.subject), None)
    if subject is not None:
        callables[subject.name] = subject
    methods = {callable_.name: callable_ for callable_ in facts.callables() if callable_.name not in callables}
    arrange: list[str] = []
    for call, name, node in _arguments(act, {**methods, **callables}):
        if (node.lineno, node.col_offset) not in changed:
            continue
        variable = _unused_name(name or _PLAIN.get(type(node), "given"), taken)
        taken.add(variable)
        arrange.append(f"{variable} = {ast.unparse(node)}")
        replacement = ast.Name(variable, ast.Load())
        call.args = [replacement if argument is node else argument for argument in call.args]
        for given in call.keywords:
            if given.value is node:
                given.value = replacement
    if not arrange:
        return None
    return replace(trial, act=ast.unparse(act), arrange=(*trial.arrange, *arrange))


def _arguments(act: ast.expr, callables: dict[str, CallableFacts]) -> Iterator[tuple[ast.Call, str, ast.expr]]:
    """Generates each argument of each call with the parameter it is passed to; empty where that is unknown."""
    for call in [node for node in ast.walk(act) if isinstance(node, ast.Call)]:
        called = last_name(call.func)
        names = positional_names(callables.get(called))
        for at, argument in enumerate(list(call.args)):
            yield call, names[at] if at < len(names) else "", argument
        for given in list(call.keywords):
            yield call, given.arg or "", given.value


def _unused_name(name: str, taken: set[str]) -> str:
    name = name.strip("_") or "given"
    if keyword.iskeyword(name) or hasattr(builtins, name):
        name = f"given_{name}"
    return unique_name(name, taken | {"result"})
