"""Proposes requests whose answer depends on whose a resource is, what it is below, and what was there before it.

Each is sent first, and proposed where its answer is not that of a plainer test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from ....utils.in_turns import in_turns
from ..document import auth as ways
from ..document.operations import snake_case
from ..model.model import HttpAnswer, Json, Proposal
from .baselines import BaselineFinder
from .budget import is_wanted
from .differences import differences, joined
from .distinct import Others, producers_with_another, renamed
from .execute import all_worked, saved_values
from .propose_values import copy_request, make_proposal, with_body
from .resource_model import (
    BaselineRequest,
    ResourceModel,
    fields_of,
    is_complete,
    merge_setups,
    resource_of,
    variables_in,
)
from .second_values import varied_stories, with_other_choices
from .sign_in.users import OTHER, USER, by_other

_NOT_HERE = (403, 404, 409, 410)


async def relation_proposals(
    finder: BaselineFinder,
    world: ResourceModel,
    second: Others,
    most: int,
    wanted: Collection[str] | None = None,
) -> list[Proposal]:
    """Return the proposals whose answers tell something that plainer ones do not.

    Args:
        second: second requests by the name of their operation; see `second_things`.
        most: how many baselines are looked at, those of every kind in turns.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    asked = [one for one in world.baselines.values() if is_wanted(one.operation, wanted)]
    chosen = await varied_stories(finder, world, with_other_choices(world, second), most, alone=False)
    kinds = (
        partial(_in_roles, finder, world, chosen=chosen),
        partial(_below_another, finder, world, second=second),
        partial(_across_parents, finder, world, second=second),
        partial(_made_again, finder, world),
    )
    found: list[Proposal] = []
    for kind, baseline in islice(in_turns([(kind, one) for one in asked] for kind in kinds), most):
        found += await kind(baseline)
    return found


async def _last(finder: BaselineFinder, steps: Sequence[Json]) -> HttpAnswer | None:
    """Return the answer to the last of some requests; None where it was not sent or broke."""
    if not is_complete(steps):
        return None
    answers = await finder.send(steps)
    whole = len(answers) == len(steps) and all(answer.ok for answer in answers[:-1])
    return answers[-1] if whole and not answers[-1].failure else None


async def _in_roles(
    finder: BaselineFinder, world: ResourceModel, baseline: BaselineRequest, chosen: Others
) -> list[Proposal]:
    """Return what another user asks of what is nobody's, of what is shared, and what the first one asks of theirs."""
    if ways.auth_names(baseline.request) != (USER,) or OTHER not in world.users:
        return []
    asked: Json = {**copy_request(baseline.request), "auth": OTHER}
    answer = await _last(finder, (*baseline.setup, asked))
    if answer is None:
        return []
    marks: Json = {"priority": "critical"}
    if not variables_in(baseline.request):
        kept_out = answer.keeps_out and baseline.operation.name in world.guarded
        words = "asked by another user"
        made = make_proposal(baseline, "as_another_user", words, "authorization", asked, **marks)
        return [made] if kept_out else []
    found: list[Proposal] = []
    shared = chosen.get(baseline.operation.name)
    if shared is not None:
        request = {**copy_request(shared.request), "auth": OTHER}
        theirs = await _last(finder, (*shared.setup, request))
        read = theirs is not None and theirs.ok and baseline.operation.method == "GET"
        if theirs is not None and theirs.status != answer.status and (read or theirs.status in _NOT_HERE):
            pairs = zip(shared.setup, baseline.setup, strict=True)
            how = joined([what for step, usual in pairs for what in differences(step, usual)])
            name, words = f"as_another_user_{how}", f"asked by another user, of one {how.replace('_', ' ')}"
            category = "success" if read else "authorization"
            found.append(make_proposal(shared, name, words, category, request, setup=shared.setup, **marks))
    if answer.status in _NOT_HERE:
        setup = tuple(map(by_other, baseline.setup))
        mine = await _last(finder, (*setup, baseline.request))
        if mine is not None and mine.ok and setup != baseline.setup:
            name, words = "of_another_user", "of what another user has made"
            request = copy_request(baseline.request)
            found.append(make_proposal(baseline, name, words, "state", request, setup=setup, **marks))
    return found


async def untouched_readings(
    finder: BaselineFinder, world: ResourceModel, changed: Iterable[Proposal], most: int
) -> list[Proposal]:
    """Return readings of a user's own that a change by another user leaves alone, one for each operation.

    Args:
        changed: readings that the user's own change touches; those of lists are asked for by another user elsewhere.
        most: how many of them are tried.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: dict[str, Proposal] = {}
    filled = {one.operation.path for one in world.baselines.values() if one.operation.method == "POST"}
    tried = 0
    for after in changed if OTHER in world.users else ():
        operation, baseline = after.operation, world.baselines.get(after.operation.name)
        own = "{" not in operation.path and operation.path not in filled and operation.name not in found
        setup = tuple(map(by_other, after.setup))
        if baseline is None or not own or setup == after.setup or ways.auth_names(after.request) != (USER,):
            continue
        tried += 1
        if tried > most:
            break
        usual = await _last(finder, (*baseline.setup, after.request))
        theirs = await _last(finder, (*setup, after.request))
        if (
            usual is not None
            and theirs is not None
            and usual.ok
            and (usual.status, usual.text) == (theirs.status, theirs.text)
        ):
            name, words = (
                f"{after.name}_of_another_user",
                f"{after.title.removeprefix(operation.label).strip()} of another user",
            )
            marks: Json = {"setup": setup, "priority": "critical"}
            found[operation.name] = make_proposal(baseline, name, words, "state", after.request, **marks)
    return list(found.values())


async def _below_another(
    finder: BaselineFinder, world: ResourceModel, baseline: BaselineRequest, second: Others
) -> list[Proposal]:
    """Return the request for what exists, below a parent that it does not belong to."""
    operation = baseline.operation
    if len(operation.path_parameters) < 2:
        return []
    for producer, other, names in producers_with_another(world, operation, second):
        inner = [step for step in baseline.setup if variables_in(step) & set(names)]
        if not inner or producer.saving not in baseline.setup:
            continue
        request = renamed([copy_request(baseline.request)], names)[0]
        setup = tuple(merge_setups(baseline.setup, [other.saving]))
        answer = await _last(finder, (*setup, request))
        if answer is not None and answer.status in _NOT_HERE:
            words = "below another parent than its own"
            marks: Json = {"setup": setup, "priority": "critical"}
            return [make_proposal(baseline, "below_another_parent", words, "state", request, **marks)]
    return []


async def _across_parents(
    finder: BaselineFinder, world: ResourceModel, baseline: BaselineRequest, second: Others
) -> list[Proposal]:
    """Return the request for two things that belong to different parents, where it is answered otherwise.

    An item and a tag of one shop go together; that the shop is looked at shows only with a tag of another one.
    """
    named = baseline.request.get("path_parameters") or {}
    # What was never put together is taken apart nowhere, whosever it is.
    if baseline.operation.method not in ("POST", "PUT", "PATCH"):
        return []
    for value in reversed(named.values()) if len(named) > 1 else ():
        made = _saving(baseline.setup, variables_in({"of": value}))
        for variable in variables_in(made) if made is not None else ():
            parent = _saving(baseline.setup, {variable})
            sharing = [step for step in baseline.setup if variable in variables_in(step)]
            other = next((one for one in second.values() if parent is not None and one.is_like(parent)), None)
            if made is None or parent is None or other is None or len(sharing) < 2:
                continue
            own = {name: f"other_{name}" for name in made["save"]}
            theirs = renamed([made], {**{name: f"other_{name}" for name in parent["save"]}, **own})[0]
            needed = [
                step for step in baseline.setup if step is not made and not variables_in(step) & set(made["save"])
            ]
            setup = tuple(merge_setups(needed, [*other.story, theirs]))
            request = renamed([copy_request(baseline.request)], own)[0]
            answer = await _last(finder, (*setup, request))
            if answer is not None and answer.status != baseline.answer.status:
                words = f"with a {_made_by(made)} of another {_made_by(parent)}"
                marks: Json = {"setup": setup, "priority": "critical"}
                return [make_proposal(baseline, words, words, "state", request, **marks)]
    return []


def _saving(steps: Iterable[Json], names: Collection[str]) -> Json | None:
    """Return the request whose answer a name is saved from; None for none."""
    return next((step for step in steps if set(names) & set(step.get("save") or ())), None)


def _made_by(step: Json) -> str:
    """Return what a request makes, in words: `tag` for `/store/{store_id}/tag`."""
    return resource_of(step["path"]).replace("_", " ")


async def _made_again(finder: BaselineFinder, world: ResourceModel, baseline: BaselineRequest) -> list[Proposal]:
    """Return the reading of a list below a resource that was removed and made again under the same id."""
    operation = baseline.operation
    if operation.method != "GET" or operation.path.endswith("}") or not operation.path_parameters:
        return []
    producer = world.producer_of(operation, operation.path_parameters[-1])
    item = f"{operation.path.rpartition('}')[0]}}}"
    known = world.baselines.values()
    removal = next((one for one in known if (one.operation.method, one.operation.path) == ("DELETE", item)), None)
    filling = (one for one in known if (one.operation.method, one.operation.path) == ("POST", operation.path))
    maker = next(filling, None)
    if producer is None or removal is None or maker is None or not producer.saves:
        return []
    filled = merge_setups(baseline.setup, maker.story)
    if producer.saving not in filled:
        return []
    # What holds something may not be removed: what was put in is taken out before it.
    opposite = _opposite(world, maker)
    for emptied in ((), (opposite,)) if opposite is not None else ((),):
        steps = (*filled, *emptied, copy_request(removal.request), producer.saving)
        story = (*steps, baseline.request)
        if not is_complete(story):
            return []
        answers = await finder.send(story)
        if not all_worked(answers, story):
            continue
        before = filled.index(producer.saving) + 1
        ids = [saved_values(steps[:end], answers[:end]) for end in (before, len(steps))]
        # Under another id it is another thing, of which nothing tells that it holds nothing of the first.
        if any(ids[0].get(name) != ids[1].get(name) for name in producer.saves):
            return []
        words = f"after the {resource_of(item)} was removed and made again"
        marks: Json = {"setup": steps, "priority": "high"}
        name = f"after_the_{resource_of(item)}_was_made_again"
        return [make_proposal(baseline, name, words, "state", copy_request(baseline.request), **marks)]
    return []


def _opposite(world: ResourceModel, maker: BaselineRequest) -> Json | None:
    """Return the request with its amounts below zero; None where it has none, or may not have them."""
    body, content = maker.operation.body, fields_of(maker.request)
    if body is None or content is None:
        return None
    amounts = {name: -value for name, value in content.items() if _is_amount(name, value)}
    other = {**content, **amounts}
    return with_body(maker.request, other) if amounts and world.samples.problem(other, body.schema) is None else None


def _is_amount(name: str, value: Any) -> bool:
    """Whether a value is a number above or below zero that names no other thing, and no year."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and value != 0
    return number and snake_case(name).rpartition("_")[2] not in ("id", "year")
