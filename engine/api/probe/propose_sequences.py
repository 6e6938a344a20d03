"""Proposes requests whose answer depends on what was done before: conflicts, used names, references, and their limits.

Each of them succeeds on another state, so it is worth a test where it is answered with another status there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ....utils.in_turns import in_turns
from ..document.operations import first_part, singular
from ..document.schemas import type_of
from ..model.model import UNSAFE, Json, Proposal
from ..values.data import bounds
from .baselines import BaselineFinder
from .budget import is_wanted
from .distinct import Others, producers_with_another, renamed, unwrapped
from .propose_updates import content_of, content_schema, wrapped
from .propose_values import copy_request, make_proposal, with_body
from .resource_model import BaselineRequest, ResourceModel, fields_of, is_complete, merge_setups, variables_in

_UNKNOWN = 999999
_LARGE = 1_000_000
_MOST_FIELDS = 3
_WHOLE = re.compile(r"\{\{(\w+)\}\}")
Tried = tuple[Proposal, int]
"""A proposal and the status that its request has otherwise."""


async def state_dependent_proposals(
    finder: BaselineFinder, world: ResourceModel, others: Others, most: int, wanted: Collection[str] | None = None
) -> tuple[list[Proposal], tuple[tuple[str, str], ...]]:
    """Return the proposals that are answered with another status than their requests otherwise.

    Every kind of sequence and every operation gets one before any gets a second.

    Returns:
        The proposals; (operation, reason) for operations of which some were not tried.

    Args:
        most: how many are tried.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    changes = [change for change in _changes(world) if is_wanted(change.operation, wanted)]
    found: list[Proposal] = []
    # Made one at a time: a setup is put together only when its turn comes.
    kinds = [[_complete(kind(world, change, others)) for change in changes] for kind in _KINDS]
    for proposal, usual in islice(in_turns(in_turns(of_one_kind) for of_one_kind in kinds), most):
        answers = await finder.send((*proposal.setup, proposal.request))
        last = answers[-1]
        if len(answers) != len(proposal.setup) + 1 or last.broken_link:
            continue
        # That nothing is found after a removal is shown by an unknown id, too.
        if last.failure or last.status not in (usual, 404) or (last.status == 404 and proposal.category == "not_found"):
            found.append(proposal)
    reason = (
        f"not everything was tried that may change its answer: at most {most} sequences are tried for the whole API"
    )
    cut = [
        (change.operation.label, reason)
        for change, of_one in zip(changes, zip(*kinds, strict=True), strict=True)
        if any(next(left, None) is not None for left in of_one)
    ]
    return found, tuple(cut)


def _complete(tried: Iterator[Tried]) -> Iterator[Tried]:
    return (one for one in tried if is_complete((*one[0].setup, one[0].request)))


def _state(
    baseline: BaselineRequest, name: str, words: str, request: Json, setup: Iterable[Json], **more: Any
) -> Tried:
    marks: Json = {"setup": tuple(setup), "priority": "high", **more}
    category = marks.pop("category", "state")
    return make_proposal(baseline, name, words, category, request, **marks), baseline.answer.status


def _changes(world: ResourceModel) -> list[BaselineRequest]:
    return [known for known in world.baselines.values() if known.operation.method in UNSAFE]


def _after_another_change(world: ResourceModel, then: BaselineRequest, _: Others) -> Iterator[Tried]:
    """Yield a change of a resource after each other change of it: a closed ticket may not be changed any more.

    A removal comes after each change that refers to what is removed, wherever that is: a tag in use may have to stay.
    """
    item = _item(then.operation.path)
    for first in _changes(world):
        same = _item(first.operation.path)
        its_own = bool(same) and (item == same or item.startswith(f"{same}/"))
        if first is then or not (its_own or _removes_what(then, first)):
            continue
        setup = merge_setups(merge_setups(then.setup, first.setup), [first.saving])
        name, words = f"after_{first.operation.name}", f"after {first.operation.label}"
        yield _state(then, name, words, copy_request(then.request), setup)


def _removes_what(then: BaselineRequest, first: BaselineRequest) -> bool:
    """Whether a removal is of a thing that another change names."""
    named = then.request.get("path_parameters") or {}
    of = [named.get(parameter.name) for parameter in then.operation.path_parameters[-1:]]
    return then.operation.method == "DELETE" and bool(variables_in({"of": of}) & variables_in(first.request))


def _item(path: str) -> str:
    """Return the path of the resource that an operation is about; empty for a collection."""
    head, brace, _ = path.rpartition("}")
    return f"{head}{brace}"


def _with_taken_values(world: ResourceModel, baseline: BaselineRequest, others: Others) -> Iterator[Tried]:
    """Yield updates and creations that take the name or address of another resource, and nothing else of it."""
    content = content_of(baseline)
    if baseline.operation.method == "POST" and content is not None and baseline.operation.name in others:
        yield from _created_with_taken_values(world, baseline, others[baseline.operation.name])
    if baseline.operation.method not in ("PUT", "PATCH") or content is None:
        return
    schema = content_schema(world, baseline)
    properties, required = world.samples.properties(schema), world.samples.merged(schema).get("required") or ()
    # Only the one that is taken is changed where the others may lack: a conflict is then its own.
    needed = {name: value for name, value in content.items() if name in required}
    for other in others.values():
        # One's own is often told apart by the number of the word: `PUT /user` and `POST /users`.
        parts = {singular(first_part(one.operation.path)) for one in (other, baseline)}
        if len(parts) > 1:
            continue
        made = unwrapped(other.request)
        for name in list(_taken(properties, made, world))[:_MOST_FIELDS]:
            request = with_body(baseline.request, wrapped(baseline, {**needed, name: made[name]}))
            setup = merge_setups(baseline.setup, other.story)
            yield _state(baseline, f"with_a_taken_{name}", f"with the {name} of another", request, setup)


def _created_with_taken_values(
    world: ResourceModel, first: BaselineRequest, second: BaselineRequest
) -> Iterator[Tried]:
    content, made = unwrapped(first.request), unwrapped(second.request)
    names = list(_taken(world.samples.properties(content_schema(world, first)), content, world))
    # The only field that there is is taken by the same request, sent twice.
    for name in names[:_MOST_FIELDS] if len(made) > 1 else ():
        if made.get(name) != content[name]:
            request = with_body(second.request, wrapped(first, {**made, name: content[name]}))
            yield _state(first, f"with_a_taken_{name}", f"with the {name} of another", request, first.story)


def _taken(properties: Mapping[str, Any], made: Json, world: ResourceModel) -> Iterator[str]:
    for name, inner in properties.items():
        value = made.get(name)
        free = isinstance(value, str) and "{{" not in value and "password" not in name.lower()
        if free and "enum" not in world.samples.merged(inner):
            yield name


def _with_other_references(world: ResourceModel, baseline: BaselineRequest, others: Others) -> Iterator[Tried]:
    """Yield bodies whose references name nothing, another resource, or twice the same."""
    content = fields_of(baseline.request) or {}
    named = {name: match[1] for name, value in content.items() if (match := _WHOLE.fullmatch(str(value)))}
    references = {name: variable for name, variable in named.items() if not variable.isupper()}
    for name, variable in list(references.items())[:_MOST_FIELDS]:
        if _is_number(world, baseline, name):
            request = with_body(baseline.request, {**content, name: _UNKNOWN})
            words = f"knows no {name} {_UNKNOWN}"
            yield _state(baseline, f"unknown_{name}", words, request, baseline.setup, category="not_found")
        for twin in (other for other in references if other > name):
            request = with_body(baseline.request, {**content, twin: content[name]})
            words = f"with the same {name} and {twin}"
            yield _state(baseline, f"same_{name}_and_{twin}", words, request, baseline.setup)
        for other in others.values():
            # The variables of a second resource are called like those of the first.
            instead = next((saved for saved in other.saves if saved.removeprefix("other_") == _plain(variable)), "")
            if not instead:
                continue
            # Its own name: the body may use one of that name already.
            own = f"{instead}_2"
            request = with_body(baseline.request, {**content, name: f"{{{{{own}}}}}"})
            setup = merge_setups(baseline.setup, renamed(other.story, {instead: own}))
            yield _state(baseline, f"another_{name}", f"with another {name}", request, setup)


def _plain(variable: str) -> str:
    return variable.removeprefix("other_").removesuffix("_2")


def _is_number(world: ResourceModel, baseline: BaselineRequest, name: str) -> bool:
    assert baseline.operation.body is not None
    schema = world.samples.properties(baseline.operation.body.schema).get(name, True)
    return type_of(world.samples.merged(schema)) == "integer"


def _on_another_resource(world: ResourceModel, baseline: BaselineRequest, others: Others) -> Iterator[Tried]:
    """Yield changes of a resource that was made with other values: what holds something may not be removed."""
    for producer, other, instead in producers_with_another(world, baseline.operation, others):
        before = [step for step in baseline.setup if step not in producer.story]
        setup = merge_setups(other.story, renamed(before, instead))
        request = renamed([copy_request(baseline.request)], instead)[0]
        words = "of one that was made with other values"
        yield _state(baseline, "of_one_with_other_values", words, request, setup)


def _with_large_numbers(world: ResourceModel, baseline: BaselineRequest, _: Others) -> Iterator[Tried]:
    """Yield bodies with a number that has no bound in the document, up or down: there may be one in the code."""
    content = fields_of(baseline.request) or {}
    properties = world.samples.properties(baseline.operation.body.schema) if baseline.operation.body else {}
    for name, value in list(content.items())[:10]:
        whole = world.samples.merged(properties.get(name, True))
        counted = isinstance(value, int) and not isinstance(value, bool) and "enum" not in whole
        if not counted or type_of(whole) not in ("integer", "number"):
            continue
        low, high = bounds(whole)
        for bound, how, number in ((high, "large", _LARGE), (low, "large_negative", -_LARGE)):
            if bound is None:
                request = with_body(baseline.request, {**content, name: number})
                yield _state(baseline, f"with_a_{how}_{name}", f"with {name} {number}", request, baseline.setup)


_KINDS = (
    _after_another_change,
    _with_taken_values,
    _with_other_references,
    _on_another_resource,
    _with_large_numbers,
)
