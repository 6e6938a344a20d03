"""Shows caching, retrying and laziness by counting the calls of a function that the test gives.

What a decorator or a loader does with a function shows in how often it calls it: once for two equal calls where results
are remembered, again after a failure, again after the result was forgotten.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....utils.python_names import assigned_variable, last_name, names_of
from ....utils.python_source import expression_or_none, literal_or, parse_or_none
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Parameter, Trial
from ..search.story_steps import flags_of, with_switched
from ..search.trial_search import TrialRecord
from .scenario import CALLS, Scenario, is_plain_return, noted_calls, returned_source, scenario_trial

_MOST_DECORATORS = 4
_MOST_OBJECTS = 3
_START = f"{CALLS} = []"
_DOUBLE = f"def double(number):\n    {CALLS}.append(number)\n    return 2 * number"
_FETCH = (
    "def fetch(name):\n    calls.append(name)\n    if len(calls) < 2:\n"
    "        raise {error}('try again')\n    return name.upper()"
)
_FAILURES = ("ConnectionError", "ValueError")
_DOUBLED = "[double(4), double(4), double(5)]"
REMEMBERS = "remembers"


def counted_calls(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates scenarios of decorators and of objects that are built with a function, from calls that returned."""
    yield from _of_decorators(records)
    for owner in facts.classes:
        if owner.name.startswith("_"):
            continue
        if any(member.name == "__get__" for member in owner.members):
            yield from _of_descriptor(owner, facts)
        yield from _of_objects(records, owner)


def _of_decorators(records: Sequence[TrialRecord]) -> Iterator[Scenario]:
    """Scenarios of what is known to decorate functions: a sample decorated with it could be called."""
    known: dict[str, dict[str, Trial]] = {}
    for record in records:
        statement = next((text for text in record.trial.arrange if text.startswith("@")), "")
        decorator, _, definition = statement.removeprefix("@").partition("\n")
        if is_plain_return(record) and definition.startswith("def ") and _names_only_imports(decorator, record.trial):
            known.setdefault(record.trial.subject, {}).setdefault(decorator, record.trial)
    for subject, found in known.items():
        for decorator, base in sorted(found.items(), key=lambda item: (len(item[0]), item[0]))[:_MOST_DECORATORS]:
            cached = scenario_trial(base, subject, (_START, f"@{decorator}\n{_DOUBLE}"), _DOUBLED)
            yield Scenario(cached, REMEMBERS, _Having("[8, 8, 10]", "[4, 5]"))
            for error in _FAILURES:
                failing = f"@{decorator}\n{_FETCH.format(error=error)}"
                retried = scenario_trial(base, subject, (_START, failing), "fetch('apple')")
                yield Scenario(retried, "tries again", _Having("'APPLE'", "['apple', 'apple']"))


def _names_only_imports(decorator: str, trial: Trial) -> bool:
    """Whether a decorator reads nothing but what is imported: it can be used without what else a trial arranges."""
    node = expression_or_none(decorator)
    imported = {text.split()[-1].partition(".")[0] for text in trial.imports}
    return node is not None and all(name in imported or hasattr(builtins, name) for name in names_of(node))


@dataclass(frozen=True, slots=True)
class _Having:
    """The condition that an act returned one thing and had a function of the test called with another."""

    result: str
    calls: str

    def __call__(self, observation: Observation) -> bool:
        return returned_source(observation) == self.result and noted_calls(observation) == self.calls


def _of_descriptor(owner: ClassFacts, facts: ModuleFacts) -> Iterator[Scenario]:
    """The scenario of a class that decorates methods, as a property does: read twice, computed once."""
    constructor = owner.constructor
    if constructor is None or len(constructor.needed) != 1:
        return
    definition = (
        f"class Report:\n    @{owner.name}\n    def total(self):\n        {CALLS}.append('total')\n        return 42"
    )
    base = Trial(owner.name, "", imports=(f"from {facts.module} import {owner.name}",))
    arrange = (_START, definition, "report = Report()")
    subject = constructor.qualname
    trial = scenario_trial(base, subject, arrange, "[report.total, report.total]")
    yield Scenario(trial, REMEMBERS, _Having("[42, 42]", "['total']"))


def _of_objects(records: Sequence[TrialRecord], owner: ClassFacts) -> Iterator[Scenario]:
    """Scenarios of objects that are built with a function: asked twice, asked with an option, asked after a reset."""
    members = {f"{owner.name}.{one.name}": one for one in owner.members}
    seen: dict[str, int] = {}
    for record in records:
        member = members.get(record.trial.subject)
        if member is None or not is_plain_return(record) or seen.get(member.name, 0) >= _MOST_OBJECTS:
            continue
        built = _built_with_function(record.trial, owner)
        result = returned_source(record.observation)
        if built is None or not _is_telling(result) or member.name.startswith("__"):
            continue
        seen[member.name] = seen.get(member.name, 0) + 1
        yield from _of_object(record.trial, member, owner, built, result)


def _is_telling(source: str) -> bool:
    """Whether a result is a literal with something in it."""
    return literal_or(source, None) not in (None, "", [], {}, ())


@dataclass(frozen=True, slots=True)
class _Built:
    """An object that is built with a function.

    Attributes:
        statements: what binds the function's notes, the function, and the object.
    """

    variable: str
    statements: tuple[str, ...]


def _built_with_function(trial: Trial, owner: ClassFacts) -> _Built | None:
    """The construction in a trial that does nothing else beforehand, its function replaced by one that notes calls."""
    if len(trial.arrange) != 1:
        return None
    tree = parse_or_none(trial.arrange[0])
    bound = assigned_variable(tree.body[0]) if tree is not None and len(tree.body) == 1 else None
    if bound is None or not isinstance(bound[1], ast.Call) or last_name(bound[1].func) != owner.name:
        return None
    call = bound[1]
    names = [one.name for one in owner.constructor.parameters if one.name != "self"] if owner.constructor else []
    for at, argument in enumerate(call.args):
        noting = _noting(argument, names[at] if at < len(names) else "compute")
        if noting is not None:
            name, definition = noting
            call.args[at] = ast.Name(name, ast.Load())
            return _Built(bound[0], (_START, definition, f"{bound[0]} = {ast.unparse(call)}"))
    return None


def _noting(argument: ast.expr, parameter: str) -> tuple[str, str] | None:
    """A function that notes its calls and else does what an argument does: name and definition; None for no function.

    The argument is a lambda without defaults, or a function of the builtins that takes one value.
    """
    name = parameter.strip("_")
    if not name or hasattr(builtins, name):
        name = "compute"
    if isinstance(argument, ast.Lambda):
        taken = argument.args
        if taken.vararg or taken.kwarg or taken.kwonlyargs or taken.defaults or len(taken.args) > 1:
            return None
        given = taken.args[0].arg if taken.args else ""
        body = ast.unparse(argument.body)
    elif isinstance(argument, ast.Attribute | ast.Name) and hasattr(builtins, ast.unparse(argument).partition(".")[0]):
        given, body = "key", f"{ast.unparse(argument)}(key)"
    else:
        return None
    return name, f"def {name}({given}):\n    {CALLS}.append({given or repr(name)})\n    return {body}"


def _of_object(
    trial: Trial, member: CallableFacts, owner: ClassFacts, built: _Built, result: str
) -> Iterator[Scenario]:
    act, subject = trial.act, trial.subject
    twice = scenario_trial(trial, subject, built.statements, f"[{act}, {act}]")
    yield Scenario(twice, REMEMBERS, _Often(f"[{result}, {result}]", 1))
    for option in flags_of(member):
        other = _with_option(act, option)
        if other is not None:
            made = scenario_trial(trial, subject, built.statements, f"[{other}, {other}]")
            yield Scenario(made, f"asks again with {option.name}", _Often(f"[{result}, {result}]", 2), REMEMBERS)
    for option in flags_of(owner.constructor) if owner.constructor is not None else ():
        statements = _built_with_option(built, option)
        if statements:
            made = scenario_trial(trial, subject, statements, f"[{act}, {act}]")
            yield Scenario(made, f"asks again with {option.name}", _Often(f"[{result}, {result}]", 2), REMEMBERS)
    for name, step in _steps_between(trial, member, owner, built.variable):
        made = scenario_trial(trial, subject, (*built.statements, act, step), act)
        yield Scenario(made, f"asks again after {name}", _Often(result, 2), REMEMBERS)


def _built_with_option(built: _Built, option: Parameter) -> tuple[str, ...]:
    """The statements with one more option for the object; none where it has that option."""
    *before, made = built.statements
    call = _with_option(made.partition(" = ")[2], option)
    return (*before, f"{built.variable} = {call}") if call is not None else ()


def _with_option(act: str, option: Parameter) -> str | None:
    """A call with one more option; None where it has that option, or is no call."""
    call = expression_or_none(act)
    if not isinstance(call, ast.Call) or any(keyword.arg == option.name for keyword in call.keywords):
        return None
    return with_switched(call, option)


@dataclass(frozen=True, slots=True)
class _Often:
    """The condition that an act returned something and the function of the test was called so often by then."""

    result: str
    times: int

    def __call__(self, observation: Observation) -> bool:
        noted = expression_or_none(noted_calls(observation))
        called = len(noted.elts) if isinstance(noted, ast.List) else 0
        return returned_source(observation) == self.result and called == self.times


def _steps_between(trial: Trial, member: CallableFacts, owner: ClassFacts, variable: str) -> Iterator[tuple[str, str]]:
    """Names and calls of other members that may have an object forget: without arguments, or with the act's own."""
    act = expression_or_none(trial.act)
    given = [ast.unparse(one) for one in act.args] if isinstance(act, ast.Call) else []
    for other in owner.members:
        if other is member or other.kind != "method" or other.name.startswith("_") or other.is_async:
            continue
        if not other.needed:
            yield other.name, f"{variable}.{other.name}()"
        elif len(other.needed) == len(given) == 1:
            yield other.name, f"{variable}.{other.name}({given[0]})"
