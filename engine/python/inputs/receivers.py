"""Generates receivers of method calls: a variable, statements that build it, calls that change its state first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts
from .calls import NOT_CALLED, argument_rows, member_form, rendered_arguments, variable_for
from .learning import LearnedInputs
from .values import Values, interleaved

_CHANGING = re.compile(
    r"(add|set|put|push|insert|append|extend|register|update|enqueue|store|save|remember|load|feed|write|record|create|"
    r"open|start|connect|enable|assign|attach|include|mark|deposit|buy|book|schedule|do|every|at|__setitem__)(_.*)?"
)
_ENDING = re.compile(r"(remove|delete|pop|discard|clear|cancel|close|stop|reset|withdraw|disable|expire|flush)(_.*)?")
_MUTATING = re.compile(
    r"(assigned|method:(append|add|extend|insert|update|setdefault|remove|pop|discard|clear|push|__setitem__))"
)
_MAXIMUM_CHANGES = 5
_ENOUGH_CONTENT = 2


@dataclass(frozen=True, slots=True)
class Receiver:
    """An object in a variable, ready for a call.

    Attributes:
        changes: how many calls after the constructor brought it into its state.
    """

    variable: str
    arrange: tuple[str, ...]
    imports: tuple[str, ...]
    fixtures: tuple[str, ...] = ()
    changes: int = 0


def filled_first(found: Sequence[Receiver]) -> list[Receiver]:
    """Puts objects that calls have added to before new ones: what only reads or removes shows most on them."""
    filled = [it for it in found if it.changes and _is_filled(it)]
    filled.sort(key=lambda it: it.changes != _ENOUGH_CONTENT)
    return [*filled, *(it for it in found if it not in filled)]


def _is_filled(one: Receiver) -> bool:
    """Whether the calls that changed an object are all of one method, which does not remove from it."""
    name = re.escape(one.variable)
    called = {match[1] for text in one.arrange if (match := re.match(rf"{name}(\[|\.\w+)", text)) is not None}
    return len(called) == 1 and not _ENDING.fullmatch(next(iter(called)).lstrip("."))


def adds_content(member: CallableFacts) -> bool:
    """Whether a member puts something into its object, by its name."""
    return _CHANGING.fullmatch(member.name) is not None


def receivers(
    values: Values, where: ModuleFacts, owner: ClassFacts, limit: int, learned: LearnedInputs | None = None
) -> list[Receiver]:
    """Objects of a class: new ones alternating with ones that one or two calls have changed, at most `limit`.

    Expressions and calls that were observed to build or change such an object come first.
    """
    variable = variable_for(owner.name)
    seen = learned.objects.get(owner.name, []) if learned is not None else []
    made = values.of_class(where, owner)
    if seen:
        made = [*interleaved([seen[:2], made[:1]]), *interleaved([seen[2:], made[1:]])]
    fresh = [Receiver(variable, (*it.arrange, f"{variable} = {it.source}"), it.imports, it.fixtures) for it in made]
    if not fresh:
        return []
    changes = learned.changes.get(owner.name, []) if learned is not None else []
    changes = changes or change_calls(values, where, owner, variable)
    changed = [_changed(fresh[0], combination) for combination in _combinations(changes)]
    changed.extend(_changed(one, changes[:2]) for one in fresh[1:3] if changes)
    return alternating(fresh, changed)[:limit]


def _combinations(changes: list[Candidate]) -> list[list[Candidate]]:
    """Combines changes into sequences: each alone, neighbouring pairs, the first three, then the first four."""
    found = [[change] for change in changes[:1]]
    found.extend([first, second] for first, second in pairwise(changes[:3]))
    found.extend([changes[:3]] if len(changes) > 3 else [])
    found.extend([change] for change in changes[1:])
    found.extend([first, second] for first, second in pairwise(changes[2:]))
    return [*found, changes[:4]] if len(changes) > 2 else found


def alternating(left: list[Receiver], right: list[Receiver]) -> list[Receiver]:
    """Takes one of each in turns, then the rest of the longer list."""
    shorter = min(len(left), len(right))
    mixed = [item for pair in zip(left, right, strict=False) for item in pair]
    return [*mixed, *left[shorter:], *right[shorter:]]


def _changed(base: Receiver, changes: list[Candidate]) -> Receiver:
    arrange = [*base.arrange]
    for change in changes:
        arrange.extend(text for text in change.arrange if text not in arrange)
        arrange.append(change.source)
    imports = {*base.imports, *(text for change in changes for text in change.imports)}
    fixtures = {*base.fixtures, *(text for change in changes for text in change.fixtures)}
    count = base.changes + len(changes)
    return Receiver(base.variable, tuple(arrange), tuple(sorted(imports)), tuple(sorted(fixtures)), count)


def change_calls(values: Values, where: ModuleFacts, owner: ClassFacts, variable: str) -> list[Candidate]:
    """Statements that change an object of the class; those that add to it before those that remove from it."""
    found: list[Candidate] = []
    members = [(place, member) for place, one in values.index.lineage(where, owner) for member in one.members]
    seen: set[str] = set()
    ranked = sorted(members, key=lambda it: (bool(_ENDING.fullmatch(it[1].name)), not _CHANGING.fullmatch(it[1].name)))
    for place, member in ranked:
        if member.name in seen or not changes_state(member) or values.derives(member) or len(found) >= _MAXIMUM_CHANGES:
            continue
        seen.add(member.name)
        pools = {parameter.name: values.for_parameter(member, parameter, place) for parameter in member.parameters}
        # The first changing method is called twice, so that the object holds two things that differ in everything.
        others = {name: pool[1:] or pool for name, pool in pools.items()}
        for row in chain.from_iterable(
            argument_rows(member, one, limit=1) for one in [pools, others][: 2 - bool(found)]
        ):
            inner = rendered_arguments(row)
            text = _statement(member, variable, inner, [value for _, value in row])
            if text is not None:
                found.append(Candidate(text, inner.imports, inner.arrange, inner.fixtures))
    return found


def changes_state(member: CallableFacts) -> bool:
    """Whether the member probably changes its object, by its name and the uses of `self` in its body."""
    if not member.public or member.is_async or member.is_generator or member.kind not in ("method", "property"):
        return False
    if member.kind == "property":
        return member.has_setter
    if member.name in NOT_CALLED:
        return False
    if member.name.startswith("__"):
        return member.name == "__setitem__"
    writes = any(name.startswith("self") and _MUTATING.fullmatch(what) for name, what in member.uses)
    return writes or _CHANGING.fullmatch(member.name) is not None


def _statement(member: CallableFacts, variable: str, inner: Candidate, row: list[Candidate]) -> str | None:
    if member.kind == "property":
        return f"{variable}.{member.name} = {inner.source}" if row else None
    if member.name == "__setitem__":
        return f"{variable}[{row[0].source}] = {row[1].source}" if len(row) == 2 else None
    form = member_form(member, variable, ())
    return f"{variable}.{member.name}({inner.source})" if form is not None else None
