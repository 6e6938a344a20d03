"""Mutates a trial that reached new code: guided by its observed comparisons, then by variations of its source."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ....utils.in_turns import in_turns
from ....utils.python_names import dotted_name
from ....utils.python_source import expression_or_none, literal_or, parse_expression, parse_python
from ..inputs.receivers import change_calls
from ..inputs.variations import ORDER_PROMISED, in_order, variations
from ..model.model import CallableFacts, Candidate, ModuleFacts, Observation, Trial
from ..source.literals import LiteralSpan, literal_places, plain, with_source
from .initial_trials import ProposalContext, trial_key, unseen_trials

_MAXIMUM_GUIDED = 30
_NOTHING = object()
_MAXIMUM_ELEMENTS = 5
_LONGEST_TEXT = 200
_MAXIMUM_PLACED = 4
_LONGEST_LIST = 40
_LARGEST_NUMBER = 10**15
_NEEDS_INTEGER = re.compile(r"'float' object cannot be interpreted|indices must be integers|non-int of type 'float'")


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
    return list(unseen_trials(_two_to_one(guided, near_mutations(trial, facts, context)), {trial_key(trial)}))


def _two_to_one(guided: list[Trial], near: list[Trial]) -> Iterator[Trial]:
    """Generates two guided trials for each near one: some branches depend on no comparison, e.g. on a call's result."""
    for index in range(max((len(guided) + 1) // 2, len(near))):
        yield from guided[2 * index : 2 * index + 2]
        yield from near[index : index + 1]


def with_whole_numbers(trial: Trial, observation: Observation) -> list[Trial]:
    """Returns the trial with whole numbers for its fractions, where the code refused a fraction as no integer."""
    raised = observation.raised
    if raised is None or raised.type_name != "TypeError" or not _NEEDS_INTEGER.search(raised.message):
        return []
    lines = [_Whole().visit(parse_python(text)) for text in (*trial.arrange, trial.act)]
    sources = [ast.unparse(line) for line in lines]
    plain = replace(trial, source="mutation", wanted=None, wanted_line=0)
    return [replace(plain, arrange=tuple(sources[:-1]), act=sources[-1])]


class _Whole(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, float) and math.isfinite(node.value):
            return ast.Constant(round(node.value) or 1)
        return node


def near_mutations(trial: Trial, facts: ModuleFacts, context: ProposalContext) -> list[Trial]:
    """Returns mutations that need no observation, in turns: of literals, arguments and the calls before the act."""
    subject = next((callable_ for callable_ in facts.callables() if callable_.qualname == trial.subject), None)
    # The first variations of all literals, then the second ones, and so on.
    varied = [[with_source(trial, at, text) for text in variations(at.value)] for at in literal_places(trial)]
    kinds = [list(in_turns(varied))]
    if ORDER_PROMISED.search("\n".join((trial.act, *trial.arrange))):
        places = [(at, in_order(at.value)) for at in literal_places(trial)]
        kinds.insert(0, [with_source(trial, at, text) for at, text in places if text])
    if subject is not None:
        kinds.append(list(argument_mutations(trial, subject, context)))
        kinds.append(list(constant_mutations(trial, subject)))
        kinds.append(list(sequence_mutations(trial, subject, context)))
        kinds.append(list(construction_mutations(trial, subject, context)))
    return list(in_turns(kinds))


def constant_mutations(trial: Trial, subject: CallableFacts) -> Iterator[Trial]:
    """Replaces each literal by constants of the subject's body of the same type."""
    places = [place for place in literal_places(trial) if isinstance(place.value, str | int | float | bytes)]
    for constant in subject.read_constants[:20]:
        value = literal_or(constant, _NOTHING)
        for place in places:
            if type(place.value) is type(value) and place.value != value and len(constant) < 60:
                yield with_source(trial, place, constant)
                if isinstance(value, str) and isinstance(place.value, str) and len(place.value) < 60:
                    yield with_source(trial, place, repr(place.value + value))
                    yield with_source(trial, place, repr(value + place.value))


def argument_mutations(trial: Trial, subject: CallableFacts, context: ProposalContext) -> Iterator[Trial]:
    """Swaps arguments, drops keyword arguments, passes optional parameters."""
    tree = expression_or_none(trial.act)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    call = next((node for node in calls if dotted_name(node.func).rpartition(".")[2] == subject.name), None)
    if tree is None or call is None:
        return
    given = {one.arg for one in call.keywords}
    count = len(call.args)
    if count >= 2 and not any(isinstance(arg, ast.Starred) for arg in call.args):
        call.args[0], call.args[1] = call.args[1], call.args[0]
        yield with_act(trial, ast.unparse(tree))
        call.args[0], call.args[1] = call.args[1], call.args[0]
    for keyword in list(call.keywords):
        call.keywords.remove(keyword)
        yield with_act(trial, ast.unparse(tree))
        call.keywords.append(keyword)
    positional = [parameter.name for parameter in subject.parameters if parameter.is_positional]
    taken = {*positional[:count], *(name for name in given if name)}
    optional = [item for item in subject.parameters if item.default is not None and item.name not in taken]
    pools = {one.name: context.values.for_parameter(subject, one) for one in optional if one.kind != "positional_only"}
    for name, value in in_turns([(name, value) for value in pool] for name, pool in pools.items()):
        yield _with_keyword(trial, tree, call, name, value)


def with_act(trial: Trial, act: str) -> Trial:
    return replace(trial, act=act, source="mutation", wanted=None, wanted_line=0)


def _with_keyword(trial: Trial, tree: ast.expr, call: ast.Call, name: str, value: Candidate) -> Trial:
    call.keywords.append(ast.keyword(arg=name, value=parse_expression(value.source)))
    act = ast.unparse(tree)
    call.keywords.pop()
    return with_needs(with_act(trial, act), [value])


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


def shown_result(trial: Trial, observation: Observation, facts: ModuleFacts | None = None) -> list[Trial]:
    """Returns the trial with the `repr` of its result as its value, where the result's class has one of its own.

    An object that no source builds is compared as a whole by it, and by a few attributes otherwise. So is a list of
    objects that compare nothing and show themselves.

    Args:
        facts: the target module, whose classes' objects may stand in a list.
    """
    value = observation.value
    if observation.outcome != "returned" or trial.mode != "call" or value is None or value.source is not None:
        return []
    text = value.text
    plain = text and len(text) <= _LONGEST_SHOWN and not text.startswith("<") and not _UNSHOWN.search(text)
    telling = _has_own_text(value.type_name) or (value.type_name == "list" and _shows_objects(text, facts))
    if not plain or not telling or trial.act.startswith(("repr(", "lambda", "setattr(")):
        return []
    return [with_act(replace(trial, looks=(), asks=()), f"repr({trial.act})")]


def _shows_objects(text: str, facts: ModuleFacts | None) -> bool:
    """Whether a text shows objects of a class of the module that has a `repr` of its own and no equality."""
    for owner in facts.classes if facts is not None else ():
        names = {member.name for member in owner.members}
        if "__repr__" in names and "__eq__" not in names and f"{owner.name}(" in text:
            return True
    return False


def _has_own_text(type_name: str) -> bool:
    # What an iterator of the standard library shows is where it stands, not what it yields.
    return "." in type_name and not type_name.startswith(("collections.abc.", "itertools."))


_LONGEST_SHOWN = 100
# Addresses, sets, whose order changes, and functions.
_UNSHOWN = re.compile(r"\b0x[0-9a-f]+|\bat 0x|\{(?!\})(?![^{}]*:)|<function|<bound|…|\.\.\.$")


def guided_mutations(trial: Trial, operands: Iterable[tuple[int, str, str]]) -> list[Trial]:
    """Returns trials in which a literal that took part in a comparison has the other side's value or a neighbour of it.

    Args:
        operands: line and the reprs of both sides, as observed; sides that are no literals are skipped.
    """
    places = literal_places(trial)
    found: dict[tuple[str, ...], Trial] = {}
    turns = [_for_comparison(trial, places, left, right) for _, left, right in operands]
    for changed in in_turns(turns):  # a single comparison of texts would otherwise fill the list
        found.setdefault((changed.act, *changed.arrange), changed)
    return list(found.values())


def _for_comparison(trial: Trial, places: list[LiteralSpan], left: str, right: str) -> Iterator[Trial]:
    sides = _value(left), _value(right)
    for mine, other in (sides, sides[::-1]):
        if mine is _NOTHING or other is _NOTHING:
            continue
        for place in places:
            for source in _replacements(place, mine, other):
                yield with_source(trial, place, source)


@lru_cache(maxsize=4096)
def _value(text: str) -> Any:
    """Returns the value of a recorded operand. Cached: the same few recur, and callers never change them."""
    return literal_or(text, _NOTHING)


def _replacements(place: LiteralSpan, mine: Any, other: Any) -> Iterator[str]:
    """Generates sources for a place so that `mine` becomes `other` or a neighbour of it."""
    value = place.value
    for target in _targets(other):
        for changed in _transfers(value, mine, target):
            source = plain(changed, max(160, len(place.source) + 60))
            if source is not None and changed is not _NOTHING:
                yield source


def _targets(other: Any) -> list[Any]:
    """Returns values to reach: the other side, a number's neighbours, or a container's first elements."""
    if isinstance(other, bool):
        return [other]
    if isinstance(other, int | float):
        return [other, other + 1, other - 1]
    if isinstance(other, list | tuple | set | frozenset | dict):
        items = sorted(other, key=repr) if isinstance(other, set | frozenset) else list(other)
        return [other, *items[:_MAXIMUM_ELEMENTS]]
    return [other]


def _transfers(value: Any, mine: Any, target: Any) -> list[Any]:
    """Returns changed values whose derived `mine` becomes `target`; empty where `mine` was not derived from `value`."""
    if type(value) is type(mine) and value == mine:
        return [target]
    if isinstance(value, str):
        return _text_transfers(value, mine, target)
    if not _is_number(mine) or not _is_number(target):
        return []
    if isinstance(value, list | tuple):
        return _resized(value, target) if len(value) == mine else []
    return _scaled(value, mine, target) if _is_number(value) and value and mine else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text_transfers(value: str, mine: Any, target: Any) -> list[Any]:
    if isinstance(mine, str) and isinstance(target, str):
        if mine in value:
            return _placed(value, mine, target)
        return [target] if mine.lower() == value.lower() else []
    if isinstance(mine, int) and isinstance(target, int) and _is_number(mine):
        # The compared number is the text's length, or stands in the text as digits.
        if len(value) == mine and 0 <= target <= _LONGEST_TEXT:
            return [((value or "a") * (target // max(1, len(value)) + 1))[:target]]
        if str(mine) in value and mine != target:
            return [value.replace(str(mine), str(target), 1)]
    return []


def _placed(value: str, mine: str, target: str) -> list[Any]:
    """Returns the text with the target in place of `mine`, at the end and before `mine`; an empty `mine` is the end."""
    if not mine:
        return [value + target]
    at = [match.start() for match in re.finditer(re.escape(mine), value)]
    found = [value[:one] + target + value[one + len(mine) :] for one in at[:1]]
    found.append(value + target)
    found.extend(value[:one] + target + value[one + len(mine) :] for one in at[:-_MAXIMUM_PLACED:-1])
    found.extend(value[:one] + target + value[one:] for one in at[:-_MAXIMUM_PLACED:-1])
    return list(dict.fromkeys(found))


def _resized(value: list[Any] | tuple[Any, ...], size: Any) -> list[Any]:
    if not isinstance(size, int) or not 0 <= size <= _LONGEST_LIST:
        return []
    items = list(value) or [1]
    return [type(value)((items * (size // len(items) + 1))[:size])]


def _scaled(value: Any, mine: Any, target: Any) -> list[Any]:
    """Returns the number that becomes `target` if `value` became `mine` by a sign change or a factor."""
    if abs(mine) == abs(value):
        return [-target if mine == -value else target]
    if not isinstance(value, int) or mine != mine or target != target:  # NaN differs from itself
        return []
    scaled = target * value / mine
    return [int(scaled)] if abs(scaled) < _LARGEST_NUMBER else []
