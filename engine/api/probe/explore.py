"""Explores an application: baselines, proposals, two observations of each.

Bounded by counts, never by time, so that two runs give the same result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ....sandbox.target import PythonTarget
from ....utils.python_names import unique_name
from ..document.application import AppConditions, AppLaunch, open_application
from ..document.auth import Credential, candidate_credentials
from ..model.model import Api, ObservedProposal, Proposal
from ..values.data import SampleValues
from .baselines import BaselineFinder, find_working_credentials
from .bounds import ApiBudget, select_pairs_within, select_within
from .execute import drop_setup, execute_proposals, mark_state_dependent, merge_observations
from .other_values import distinct_request
from .propose import proposals_for, wrong_methods
from .propose_stories import filled_lists, readings_after_change
from .propose_values import invalid_bodies
from .resource_model import BaselineRequest, ResourceModel, is_complete

SHIFTED = AppConditions(hash_seed=1, clock=86_400 * 401 + 5 * 3600 + 17 * 60, zone="TWT-05:45")


@dataclass(frozen=True, slots=True)
class ApiExploration:
    """The result of an exploration.

    Attributes:
        seen: every observed proposal, in the document's order of operations.
        credentials: by their names in the spec's `auth`.
        unreached: (operation, reason) for operations without a successful request.
        cut: (operation, reason) for operations of which some proposals exceed the budget.
    """

    api: Api
    seen: tuple[ObservedProposal, ...]
    credentials: Mapping[str, Credential]
    unreached: tuple[tuple[str, str], ...]
    cut: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    requests: int
    samples: SampleValues


async def explore_api(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    *,
    secrets: Sequence[str] = (),
    budget: ApiBudget | None = None,
    surroundings: AppConditions | None = None,
) -> ApiExploration:
    """Explore an API.

    Args:
        launch: its environment has values for the variables in `secrets`.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    budget = budget or ApiBudget()
    here = surroundings or AppConditions()
    samples = SampleValues(api.components)
    world = ResourceModel(api, samples)
    async with open_application(target, launch, here) as observer:
        found = await find_working_credentials(observer, world, candidate_credentials(api, secrets))
        credentials = {one.name: one for one in found.values()}
        world.auth = {scheme: one.name for scheme, one in found.items()}
        finder = BaselineFinder(observer, world, credentials)
        await finder.find()
        second = await _second_things(finder, world)
        chosen = select_within(_once(_all_proposals(world, credentials, second)), budget)
        later, cut = await _changed_readings(finder, world, budget)
        proposals = _once([*chosen.proposals, *later, *finder.broken.values()])
        seen_here = await drop_setup(observer, await execute_proposals(observer, proposals, credentials), credentials)
        proposals = [one.proposal for one in seen_here]
        sent = observer.sent
    moved = replace(SHIFTED, start_seconds=here.start_seconds, answer_seconds=here.answer_seconds)
    async with open_application(target, launch, moved) as observer:
        seen_there = await execute_proposals(observer, proposals, credentials)
        seen = [merge_observations(one, other) for one, other in zip(seen_here, seen_there, strict=True)]
        seen = await mark_state_dependent(observer, seen, credentials)
        sent += observer.sent
    seen = [observed for observed in seen if not _is_refused_anyway(observed, world)]
    order = {operation.name: at for at, operation in enumerate(api.operations)}
    seen.sort(key=lambda observed: order[observed.proposal.operation.name])
    unreached = tuple(_unreached(world, finder, seen))
    return ApiExploration(api, tuple(seen), credentials, unreached, (*chosen.cut, *cut), api.notes, sent, samples)


async def _second_things(finder: BaselineFinder, world: ResourceModel) -> dict[str, BaselineRequest]:
    """Return, for each creating operation, a second successful request with other values."""
    made: dict[str, BaselineRequest] = {}
    for baseline in list(world.baselines.values()):
        other = distinct_request(baseline, world)
        if other is None:
            continue
        request, saves = other
        answers = await finder.send((*baseline.story, request))
        if len(answers) == len(baseline.story) + 1 and answers[-1].ok:
            second = BaselineRequest(baseline.operation, request, baseline.story, answers[-1], saves)
            made[baseline.operation.name] = second
    return made


def _all_proposals(
    world: ResourceModel, credentials: dict[str, Credential], second: dict[str, BaselineRequest]
) -> Iterable[Proposal]:
    lists = list(filled_lists(world, second))
    filled = {list_.operation.name for list_ in lists}
    for baseline in world.baselines.values():
        for proposal in proposals_for(world, baseline, credentials):
            # A filled list shows what a query leaves out.
            if proposal.group not in ("with_query", "edges_query") or baseline.operation.name not in filled:
                yield proposal
    for one in world.refused.values():
        yield from invalid_bodies(world, one)
    yield from lists
    yield from wrong_methods(world)


def _once(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Deduplicate request sequences and make names unique within an operation."""
    made: list[Proposal] = []
    stories: set[str] = set()
    names: dict[str, set[str]] = {}
    for proposal in proposals:
        story = json.dumps([proposal.setup, proposal.request], sort_keys=True, default=str)
        if story in stories or not is_complete((*proposal.setup, proposal.request)):
            continue
        stories.add(story)
        taken = names.setdefault(proposal.operation.name, set())
        made.append(replace(proposal, name=unique_name(proposal.name, taken)))
        taken.add(made[-1].name)
    return made


async def _changed_readings(
    finder: BaselineFinder, world: ResourceModel, budget: ApiBudget
) -> tuple[list[Proposal], tuple[tuple[str, str], ...]]:
    """Return readings whose answer differs before and after a change; (operation, reason) for those not tried."""
    pairs = [
        (change.operation, reading.operation, (before, after))
        for change, reading, before, after in readings_after_change(world)
        if is_complete((*after.setup, after.request)) and is_complete((*before.setup, before.request))
    ]
    tried, cut = select_pairs_within(pairs, budget.pairs)
    found: list[Proposal] = []
    for before, after in tried:
        one = await finder.send((*before.setup, before.request))
        other = await finder.send((*after.setup, after.request))
        if len(other) != len(after.setup) + 1 or other[-1].failure:
            continue
        if (one[-1].status, one[-1].text) != (other[-1].status, other[-1].text):
            found.append(after)
    return found, cut


def _is_refused_anyway(seen: ObservedProposal, world: ResourceModel) -> bool:
    """Whether an invalid request is refused exactly like a valid one: the reason of the refusal is then unknown."""
    whole = world.refused.get(seen.proposal.operation.name)
    if whole is None or seen.proposal.category != "validation":
        return False
    return (seen.answer.status, seen.answer.text) == (whole.answer.status, whole.answer.text)


def _unreached(
    world: ResourceModel, finder: BaselineFinder, seen: Sequence[ObservedProposal]
) -> Iterable[tuple[str, str]]:
    tested = {one.proposal.operation.name for one in seen}
    for operation in world.api.operations:
        if operation.name in world.baselines:
            continue
        answer = finder.failures.get(operation.name)
        also = "; what it refuses is tested" if operation.name in tested & set(world.refused) else ""
        if answer is None:
            yield operation.label, "no values were found that fit its description"
        elif answer.failure:
            yield operation.label, f"no request was answered: {answer.failure.splitlines()[0][:300]}"
        elif answer.status in (401, 403) and operation.security:
            yield operation.label, f"it answers {answer.status}: credentials are needed that are not known{also}"
        else:
            told = f"{answer.status} {' '.join(answer.text.split())[:200]}".strip()
            yield operation.label, f"no request was found that works; the last answer was {told}{also}"
