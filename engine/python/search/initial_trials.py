"""Generates trials from a module's source alone: documented and real usage first, then values by signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from ....utils.in_turns import in_turns
from ....utils.python_names import names_of
from ....utils.python_source import expression_or_none
from ..domain.inference import infer_domains, project_classes
from ..facts.analyse import subjects
from ..facts.lineage import members_that_run
from ..inputs.calls import (
    NOT_CALLED,
    CallForm,
    Pools,
    Row,
    argument_rows,
    function_form,
    is_option,
    member_form,
    rendered_arguments,
    variable_for,
)
from ..inputs.given_examples import GivenExamples, add_given_values, given_trials
from ..inputs.learning import LearnedInputs
from ..inputs.prepared_arguments import prepared_rows, with_new_file
from ..inputs.receivers import Receiver, adds_content, filled_first, receivers
from ..inputs.seeds import example_trials
from ..inputs.shared_keys import keys_in, takes_key
from ..inputs.values import Values
from ..model.candidate_parts import distinct
from ..model.domain import CallableDomains
from ..model.model import MOST_PARAMETERS, CallableFacts, Candidate, ClassFacts, ModuleFacts, Trial
from ..project.layout import Layout
from ..usage.delegated_examples import add_delegated_values
from ..usage.harvest import Harvester
from ..usage.inherited_examples import add_inherited_values
from ..usage.joint_examples import JointArguments, joint_examples, rows_of_calls
from ..usage.json_examples import add_json_texts
from ..usage.project_index import ProjectIndex
from ..usage.scoping import definitions
from ..usage.usage import ProjectUsage, find_usage
from .format_trials import with_format_trials

_ROWS_PLAIN = 8
_ROWS_BRANCHING = 24
_RECEIVERS = 8
_TURNS_OF_OPTIONS = 6


@dataclass(slots=True)
class ProposalContext:
    """What the generators of trials share about a module and its project.

    Attributes:
        seeds: trials from documents and usage, documented examples first.
        learned: knowledge gained from observations.
        domains: the domains of the module's parameters, from documents, real calls and the code.
        examples: values that a person gave in the settings.
        calls: calls of the project that say what some arguments are, and do not run on their own.
        joint: what documented calls of the module's functions pass together.
    """

    facts: ModuleFacts
    index: ProjectIndex
    seeds: tuple[Trial, ...]
    values: Values
    learned: LearnedInputs
    domains: tuple[CallableDomains, ...] = ()
    owners: dict[str, ClassFacts] = field(default_factory=dict)
    examples: GivenExamples = field(default_factory=dict)
    calls: tuple[Trial, ...] = ()
    joint: tuple[JointArguments, ...] = ()

    def owner_of(self, one: CallableFacts) -> ClassFacts | None:
        """Returns the target's class that a callable belongs to."""
        return self.owners.get(one.owner or "")


def proposal_context(
    root: Path,
    layout: Layout,
    facts: ModuleFacts,
    usage: ProjectUsage | None = None,
    examples: GivenExamples | None = None,
) -> ProposalContext:
    """Reads the project for a target: builds its index and collects its uses of the target."""
    index = ProjectIndex(root, layout, (facts,))
    used = usage if usage is not None else find_usage(root, layout, facts, index)
    given = examples or {}
    seeds = distinct_trials([*given_trials(given, facts, index), *example_trials(facts, index), *used.trials])
    return context_from_index(facts, index, tuple(seeds), given, used.calls)


def context_from_index(
    facts: ModuleFacts,
    index: ProjectIndex,
    seeds: tuple[Trial, ...],
    examples: GivenExamples | None = None,
    calls: tuple[Trial, ...] = (),
) -> ProposalContext:
    """Returns the context of a project that was already read, with nothing learned yet."""
    harvester = Harvester(facts)
    harvest = harvester.read((*sorted(seeds, key=lambda trial: _is_told_elsewhere(trial, facts)), *calls))
    add_inherited_values(harvest.arguments, facts)
    add_delegated_values(harvest.arguments, facts)
    add_json_texts(harvest.arguments, seeds, facts)
    add_given_values(harvest.arguments, examples or {}, facts, index)
    domains = infer_domains(facts, project_classes(facts, index), harvest.arguments, source=index.source_of(facts))
    learned = LearnedInputs(facts, harvester)
    values = Values(facts, index, harvest.arguments, harvest.objects, learned, domains)
    owners = {class_.name: class_ for class_ in facts.classes}
    joint = joint_examples(seeds, facts)
    return ProposalContext(facts, index, seeds, values, learned, domains, owners, examples or {}, calls, joint)


def _is_told_elsewhere(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether an example stands in the documentation of another callable than the one that it calls."""
    if trial.source != "doctest" or trial.wanted_path or not trial.wanted_line:
        return False
    told = [one for one in facts.callables() if one.lines[0] <= trial.wanted_line <= one.lines[1]]
    return bool(told) and all(one.qualname != trial.subject for one in told)


def initial_trials(facts: ModuleFacts, context: ProposalContext) -> Iterator[Trial]:
    """Generates the distinct trials that need no observation, in a fixed order.

    The seeds come first; then the callables take turns, one trial each, until all are exhausted.
    """
    seen: set[tuple[str, ...]] = set()
    yield from unseen_trials(context.seeds, seen)
    each = [
        with_format_trials(callable_trials(one, context, 0), one, facts) for one in testable_callables(facts, context)
    ]
    for trial in in_turns(each):
        yield from unseen_trials([trial], seen)


def is_public_name(name: str) -> bool:
    """Whether callers outside the class may call a member of this name."""
    return not name.startswith("_") or (name.endswith("__") and name not in NOT_CALLED)


def testable_callables(facts: ModuleFacts, context: ProposalContext) -> list[CallableFacts]:
    """Returns the module's subjects, and what its public classes inherit from private or abstract ones of it, or from
    another module where that runs code of theirs.

    A member of an abstract class is tested where it is inherited, and only there.
    """
    inherited: set[str] = set()
    found = list(subjects(facts))
    own = {one.qualname for one in found}
    for owner in facts.classes:
        if owner.name.startswith("_") or owner.kind in ("abstract", "protocol"):
            continue
        if facts.exported is not None and owner.name not in facts.exported:
            continue
        names = {member.name for member in owner.members}
        lineage = context.index.lineage(facts, owner)
        completed = members_that_run(owner, [base for where, base in lineage[1:]])
        for where, base in lineage[1:]:
            for member in base.members:
                known = f"{base.name}.{member.name}" in own and base.kind not in ("abstract", "protocol")
                tested_here = where is facts or member.name in completed
                if tested_here and member.name not in names and not known and is_public_name(member.name):
                    if where is facts:
                        inherited.add(f"{base.name}.{member.name}")
                    found.append(replace(member, qualname=f"{owner.name}.{member.name}", owner=owner.name))
                names.add(member.name)  # what a nearer base defines hides that of a further one
    return [one for one in found if one.qualname not in inherited]


def unseen_trials(trials: Iterable[Trial], seen: set[tuple[str, ...]]) -> Iterator[Trial]:
    """Generates the trials not in `seen` and adds them to it."""
    for trial in trials:
        key = trial_key(trial)
        if key not in seen:
            seen.add(key)
            yield trial


def trial_key(trial: Trial) -> tuple[str, ...]:
    """Returns the identity of a trial."""
    return (trial.act, trial.mode, *trial.arrange)


def distinct_trials(trials: list[Trial]) -> list[Trial]:
    """Returns the trials without repetitions, the first of each kept."""
    return list(unseen_trials(trials, set()))


def callable_trials(one: CallableFacts, context: ProposalContext, wave: int) -> Iterator[Trial]:
    """Generates trials for a callable, the plainest first; later waves give more and use learned values."""
    if len(one.parameters) > MOST_PARAMETERS:
        return
    owner = context.owner_of(one)
    limit = (_ROWS_BRANCHING if one.branch_lines else _ROWS_PLAIN) * (1 + wave)
    pools = {item.name: context.values.for_parameter(one, item) for item in one.parameters}
    pools = with_new_file(one, pools, context.facts)
    # Each member of an enumeration is tried with the data that documents show, each moment in several zones.
    values = [value for item in one.parameters for value in pools[item.name] if not item.required or one.owner]
    limit += _TURNS_OF_OPTIONS * sum(is_option(value) or "tzinfo=" in value.source for value in values)
    if one.kind == "constructor" and owner is not None:
        yield from _constructions(one, owner, context, limit)
    elif owner is None or one.kind in ("classmethod", "staticmethod"):
        prefix = f"{owner.name}." if owner is not None else ""
        name = owner.name if owner is not None else one.name
        ready = list(prepared_rows(one, pools, context.values, context.facts, context.learned)) if not wave else []
        rows = argument_rows(one, pools, limit)
        for row in (*islice(rows, 1), *ready, *rows):
            yield call_trial(context, one, function_form(one, row, prefix), row, needs=(name,))
    else:
        yield from _member_trials(one, owner, pools, context, limit)


def _constructions(one: CallableFacts, owner: ClassFacts, context: ProposalContext, limit: int) -> Iterator[Trial]:
    if owner.kind in ("abstract", "protocol", "typeddict"):
        return
    if context.values.is_made_elsewhere(context.facts, owner):
        return
    pools = {item.name: context.values.for_parameter(one, item) for item in one.parameters}
    for row in argument_rows(one, pools, limit):
        form = CallForm(f"{owner.name}({rendered_arguments(row).source})")
        yield call_trial(context, one, form, row, needs=(owner.name,))


def _member_trials(
    one: CallableFacts, owner: ClassFacts, pools: Pools, context: ProposalContext, limit: int
) -> Iterator[Trial]:
    """Combines receivers with argument rows, plain ones first."""
    objects = receivers(context.values, context.facts, owner, _RECEIVERS, context.learned)
    if not adds_content(one):
        objects = filled_first(objects)
    if owner.kind == "enum":
        # Members of an enumeration stand as they are: nothing is constructed.
        members = context.values.of_class(context.facts, owner)
        objects = [Receiver(item.source, (), item.imports) for item in members]
    rows: list[Row] = list(islice(argument_rows(one, pools, limit), limit)) if one.parameters else [()]
    rows[1:1] = prepared_rows(one, pools, context.values, context.facts, context.learned)
    if one.kind == "property":
        rows = [(), *(row for row in rows if row)] if one.has_setter else [()]
    if one.name in _SAME_KIND:
        rows = [*_same_kind_rows(one, owner, context), *rows][:limit]
    together = list(_shown_together(one, owner, context))
    # What examples pass together is asked of an object that nothing was done with: they say nothing of steps.
    plain = next((receiver for receiver in objects if not receiver.changes), None)
    together += [(plain, row) for row in rows_of_calls(one, context.calls) if plain is not None]
    others = islice(chain(_rows_with_known_keys(one, objects, rows), _diagonal(objects, rows)), limit)
    for receiver, row in (*together, *others):
        form = member_form(one, receiver.variable, row)
        if form is None:
            return
        yield receiver_trial(context, one, receiver, form, row)


def _shown_together(one: CallableFacts, owner: ClassFacts, context: ProposalContext) -> Iterator[tuple[Receiver, Row]]:
    """Generates calls on objects where a documented call of a function passes what the object and the method need."""
    constructor = context.index.constructor(context.facts, owner)
    if constructor is None or not constructor.needed or not one.needed or one.kind != "method":
        return
    variable = variable_for(owner.name)
    needed = {item.name for item in (*constructor.needed, *one.needed)}
    for given in [given for given in context.joint if needed <= given.keys()][:_TOGETHER]:
        inner = rendered_arguments(tuple((item, given[item.name]) for item in constructor.needed))
        made = (*inner.arrange, f"{variable} = {owner.name}({inner.source})")
        row = tuple((item, given[item.name]) for item in one.needed)
        yield Receiver(variable, made, (*inner.imports, f"from {context.facts.module} import {owner.name}")), row


def _rows_with_known_keys(
    one: CallableFacts, objects: Sequence[Receiver], rows: Sequence[Row]
) -> Iterator[tuple[Receiver, Row]]:
    """Generates calls that ask an object for the keys that it was built with."""
    for receiver in objects[:_KNOWING]:
        for row in rows[:_KNOWING]:
            if row and row[0][0].required and takes_key(row[0][0]):
                for key in keys_in(receiver.arrange)[:1]:
                    yield receiver, ((row[0][0], Candidate(key)), *row[1:])


def _diagonal(objects: list[Receiver], rows: list[Row]) -> Iterator[tuple[Receiver, Row]]:
    """Generates all pairs diagonally: early objects and early rows first."""
    for total in range(len(objects) + len(rows)):
        for index in range(min(total + 1, len(objects))):
            if total - index < len(rows):
                yield objects[index], rows[total - index]


_KNOWING = 2
_TOGETHER = 4
_SAME_KIND = frozenset(
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __radd__ __sub__ __rsub__ __and__ __or__ __xor__ __mul__ "
    "__iadd__ __ior__ __iand__ __isub__ __rand__ __ror__ __rxor__ __truediv__".split()
)


def _same_kind_rows(one: CallableFacts, owner: ClassFacts, context: ProposalContext) -> list[Row]:
    """Returns rows whose only argument is another object of the same class; one as the first receiver comes last.

    Two equal objects show what equality is, and little of any other operator.
    """
    if len(one.parameters) != 1:
        return []
    made = context.values.of_class(context.facts, owner)[:3]
    if made and one.name not in ("__eq__", "__ne__"):
        # Plain content has something in common with that of a receiver.
        plain = context.values.natural.with_content(context.facts, owner, 0)[:2]
        made = [*distinct([item for item in (*plain, *made[1:]) if item.source != made[0].source], 3), *made[:1]]
    return [((one.parameters[0], item),) for item in made]


def call_trial(context: ProposalContext, one: CallableFacts, form: CallForm, row: Row, needs: tuple[str, ...]) -> Trial:
    """Builds the trial of a call form and its arguments; `needs`: names of the target that it uses."""
    inner = rendered_arguments(row)
    return Trial(
        subject=one.qualname,
        act=form.act,
        imports=_imports(context, inner.imports, needs, inner.source),
        arrange=inner.arrange,
        mode=form.mode,
        source=_origin(row),
        fixtures=inner.fixtures,
    )


def receiver_trial(context: ProposalContext, one: CallableFacts, receiver: Receiver, form: CallForm, row: Row) -> Trial:
    """Builds the trial of a call form on a receiver."""
    inner = rendered_arguments(row)
    arrange = [*receiver.arrange, *(text for text in inner.arrange if text not in receiver.arrange)]
    act = form.act
    if one.name == "__hash__" and receiver.arrange and (made := _made_by(receiver)):
        act = f"hash({receiver.variable}) == hash({made})"  # an equal object, for each is equal to itself
    return Trial(
        subject=one.qualname,
        act=act,
        imports=_imports(context, (*receiver.imports, *inner.imports), (), " ".join((inner.source, *receiver.arrange))),
        arrange=tuple(arrange),
        mode=form.mode,
        source="sequence" if receiver.changes else _origin(row),
        fixtures=tuple(sorted({*receiver.fixtures, *inner.fixtures})),
    )


def _made_by(receiver: Receiver) -> str:
    """Returns the expression that builds the receiver, where nothing is done with it afterwards; else nothing."""
    prefix = f"{receiver.variable} = "
    last = receiver.arrange[-1]
    return last.removeprefix(prefix) if last.startswith(prefix) else ""


def _imports(context: ProposalContext, given: tuple[str, ...], needs: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Returns the given imports, those for `needs`, and those for names of the target used as values in the text."""
    own = definitions(context.facts)
    names = {*needs, *(name for name in _names_in(text) if name in own)}
    return tuple(sorted({*given, *(f"from {context.facts.module} import {name}" for name in names)}))


@lru_cache(maxsize=4096)
def _names_in(text: str) -> frozenset[str]:
    tree = expression_or_none(f"f({text})")
    return frozenset(names_of(tree)) if tree else frozenset()


def _origin(row: Row) -> str:
    origins = [value.origin for _, value in row]
    return next((origin for origin in origins if origin != "signature"), "signature")
