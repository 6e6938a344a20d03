"""Mutates a trial that reached new code: guided by its observed comparisons, then by variations of its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....utils.python_names import dotted_name
from ....utils.python_source import parse_expression
from ..inputs.receivers import change_calls
from ..inputs.variations import variations
from ..model.candidates import Candidate
from ..model.model import CallableFacts, ModuleFacts, Observation, Trial
from ..source.literals import literal_places, with_source
from .guided_mutation import guided_mutations
from .initial_trials import ProposalContext, trial_key

_MAXIMUM_GUIDED = 30


def mutations_of(
    trial: Trial,
    observation: Observation,
    facts: ModuleFacts,
    context: ProposalContext,
    lines: frozenset[int] | None = None,
) -> list[Trial]:
    """Returns distinct variations of `trial`, the likeliest to take another branch first.

    Args:
        lines: lines whose comparisons guide the mutation; None for all lines.
    """
    operands = [operand for operand in observation.operands if lines is None or operand[0] in lines]
    guided = guided_mutations(trial, operands)[:_MAXIMUM_GUIDED]
    found = list(_two_to_one(guided, near_mutations(trial, facts, context)))
    own = trial_key(trial)
    kept: dict[tuple[str, ...], Trial] = {}
    for one in found:
        key = trial_key(one)
        if key != own:
            kept.setdefault(key, one)
    return list(kept.values())


def _two_to_one(guided: list[Trial], near: list[Trial]) -> Iterator[Trial]:
    """Generates two guided trials for each near one: some branches depend on no comparison, e.g. on a call's result."""
    for index in range(max((len(guided) + 1) // 2, len(near))):
        yield from guided[2 * index : 2 * index + 2]
        yield from near[index : index + 1]


def near_mutations(trial: Trial, facts: ModuleFacts, context: ProposalContext) -> list[Trial]:
    """Returns mutations that need no observation, in turns: of literals, arguments and the calls before the act."""
    subject = next((callable_ for callable_ in facts.callables() if callable_.qualname == trial.subject), None)
    kinds = [list(_literal_mutations(trial))]
    if subject is not None:
        kinds.append(list(argument_mutations(trial, subject, context)))
        kinds.append(list(constant_mutations(trial, subject)))
        kinds.append(list(sequence_mutations(trial, subject, context)))
        kinds.append(list(construction_mutations(trial, subject, context)))
    longest = max(len(kind) for kind in kinds)
    return [kind[index] for index in range(longest) for kind in kinds if index < len(kind)]


def _literal_mutations(trial: Trial) -> Iterator[Trial]:
    """Replaces each literal by variations of it: the first variations of all literals, then the second ones, …"""
    rows = [(place, variations(place.value)) for place in literal_places(trial)]
    longest = max((len(found) for _, found in rows), default=0)
    for index in range(longest):
        for place, found in rows:
            if index < len(found):
                yield with_source(trial, place, found[index])


def constant_mutations(trial: Trial, subject: CallableFacts) -> Iterator[Trial]:
    """Replaces each literal by constants of the subject's body of the same type."""
    places = [place for place in literal_places(trial) if isinstance(place.value, str | int | float | bytes)]
    for constant in subject.constants[:20]:
        try:
            value = ast.literal_eval(parse_expression(constant))
        except (ValueError, SyntaxError):
            continue
        for place in places:
            if type(place.value) is type(value) and place.value != value and len(constant) < 60:
                yield with_source(trial, place, constant)
                if isinstance(value, str) and isinstance(place.value, str) and len(place.value) < 60:
                    yield with_source(trial, place, repr(place.value + value))
                    yield with_source(trial, place, repr(value + place.value))


def argument_mutations(trial: Trial, subject: CallableFacts, context: ProposalContext) -> Iterator[Trial]:
    """Swaps arguments, drops keyword arguments, passes optional parameters."""
    try:
        tree = parse_expression(trial.act)
    except SyntaxError:
        return
    call = _subject_call(tree, subject)
    if call is None:
        return
    given = {one.arg for one in call.keywords}
    count = len(call.args)
    if count >= 2 and not any(isinstance(arg, ast.Starred) for arg in call.args):
        call.args[0], call.args[1] = call.args[1], call.args[0]
        yield _with_act(trial, ast.unparse(tree))
        call.args[0], call.args[1] = call.args[1], call.args[0]
    for keyword in list(call.keywords):
        call.keywords.remove(keyword)
        yield _with_act(trial, ast.unparse(tree))
        call.keywords.append(keyword)
    positional = [
        parameter.name
        for parameter in subject.parameters
        if parameter.kind in ("positional_only", "positional_or_keyword")
    ]
    taken = {*positional[:count], *(name for name in given if name)}
    optional = [
        parameter for parameter in subject.parameters if parameter.default is not None and parameter.name not in taken
    ]
    pools = {one.name: context.values.for_parameter(subject, one) for one in optional if one.kind != "positional_only"}
    longest = max((len(pool) for pool in pools.values()), default=0)
    for index in range(longest):
        for name, pool in pools.items():
            if index < len(pool):
                yield _with_keyword(trial, tree, call, name, pool[index])


def _subject_call(tree: ast.expr, subject: CallableFacts) -> ast.Call | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted_name(node.func).rpartition(".")[2] == subject.name:
            return node
    return None


def _with_act(trial: Trial, act: str) -> Trial:
    return replace(trial, act=act, source="mutation", wanted=None, wanted_line=0)


def _with_keyword(trial: Trial, tree: ast.expr, call: ast.Call, name: str, value: Candidate) -> Trial:
    call.keywords.append(ast.keyword(arg=name, value=parse_expression(value.source)))
    act = ast.unparse(tree)
    call.keywords.pop()
    return with_needs(_with_act(trial, act), [value])


def with_needs(trial: Trial, values: Iterable[Candidate]) -> Trial:
    """Returns the trial with the imports and statements that the values need."""
    values = list(values)
    arrange = [text for value in values for text in value.arrange if text not in trial.arrange]
    return replace(
        trial,
        arrange=(*dict.fromkeys(arrange), *trial.arrange),
        imports=tuple(sorted({*trial.imports, *(text for value in values for text in value.imports)})),
        fixtures=tuple(sorted({*trial.fixtures, *(text for value in values for text in value.fixtures)})),
    )


def sequence_mutations(trial: Trial, subject: CallableFacts, context: ProposalContext) -> Iterator[Trial]:
    """Inserts calls that change the object before the act, repeats the act, or drops a change."""
    owner = context.owner_of(subject)
    if owner is None or subject.kind not in ("method", "property"):
        return
    receiver = _receiver(trial, owner.name)
    if receiver is None:
        return
    variable, at = receiver
    for change in change_calls(context.values, context.facts, owner, variable):
        for position in dict.fromkeys((len(trial.arrange), at + 1)):
            arrange = (*trial.arrange[:position], *change.arrange, change.source, *trial.arrange[position:])
            yield with_needs(replace(trial, arrange=arrange, source="sequence", wanted=None, wanted_line=0), [change])
    if subject.kind == "method" and trial.mode == "call":
        yield replace(trial, arrange=(*trial.arrange, trial.act), source="sequence", wanted=None, wanted_line=0)
    for index in range(at + 1, len(trial.arrange)):
        arrange = (*trial.arrange[:index], *trial.arrange[index + 1 :])
        yield replace(trial, arrange=arrange, source="sequence", wanted=None, wanted_line=0)


def construction_mutations(trial: Trial, subject: CallableFacts, context: ProposalContext) -> Iterator[Trial]:
    """Constructs the receiver with further options; first those that the subject reads from it."""
    owner = context.owner_of(subject)
    receiver = _receiver(trial, owner.name) if owner is not None else None
    constructor = context.index.constructor(context.facts, owner) if owner is not None else None
    if owner is None or receiver is None or constructor is None:
        return
    at = receiver[1]
    name, _, value = trial.arrange[at].partition(" = ")
    building = replace(trial, act=value, arrange=trial.arrange[:at])
    read = {what for what, _ in subject.uses if what.startswith("self.")}
    stored = {used for used, what in constructor.uses if what.startswith("stored:") and f"self.{what[7:]}" in read}
    named = replace(constructor, qualname=owner.name)
    ranked = replace(named, parameters=tuple(sorted(named.parameters, key=lambda one: one.name not in stored)))
    for one in argument_mutations(building, ranked, context):
        arrange = (*one.arrange, f"{name} = {one.act}", *trial.arrange[at + 1 :])
        yield replace(one, act=trial.act, arrange=arrange, mode=trial.mode, source="sequence")


def _receiver(trial: Trial, class_name: str) -> tuple[str, int] | None:
    """Returns the variable and the index of the statement that constructs an object of a class."""
    for index, text in enumerate(trial.arrange):
        name, separator, value = text.partition(" = ")
        if separator and name.isidentifier() and value.startswith((f"{class_name}(", f"{class_name}.")):
            return name, index
    return None


def result_calls(trial: Trial, observation: Observation) -> list[Trial]:
    """Returns calls of a result that is itself callable: a closure, a partial, a decorated function."""
    value = observation.value
    if observation.outcome != "returned" or trial.mode != "call" or value is None or trial.act.count(")(") > 1:
        return []
    if value.type_name.rpartition(".")[2] not in _CALLABLE_TYPES:
        return []
    inner = f"({trial.act})" if trial.act.startswith("lambda") else trial.act
    return [_with_act(trial, f"{inner}({arguments})") for arguments in _RESULT_ARGUMENTS]


_CALLABLE_TYPES = frozenset({"function", "method", "partial", "builtin_function_or_method", "_lru_cache_wrapper"})
_RESULT_ARGUMENTS = (
    "",
    "3",
    "'abc'",
    "[3, 1, 2]",
    "lambda x: x",
    "3, 4",
    "{'a': 1}",
    "None",
    "('a', 1)",
    "'a', 'b', 'c'",
)
