"""Explores an application: baselines, proposals, two observations of each.

Bounded by counts, never by time, so that two runs give the same result.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from ....sandbox.target import PythonTarget
from ....utils.in_turns import in_turns
from ..document.application import AppConditions, AppLaunch, open_application
from ..document.auth import Credential
from ..document.operations import first_part, named_operations
from ..model.model import Api, ObservedProposal, Operation, Proposal
from ..values.data import SampleValues
from .baselines import BaselineFinder
from .differences import distinct_proposals
from .distinct import distinct_request
from .execute import drop_setup, execute_proposals, mark_state_dependent, merge_observations
from .judge import MOST_TEXT
from .propose import filled_lists, proposals_for, readings_after_change, wrong_methods
from .propose_access import find_guarded
from .propose_sequences import refused_otherwise
from .propose_updates import conditional_proposals, update_proposals
from .propose_values import invalid_bodies
from .resource_model import BaselineRequest, ResourceModel, is_complete
from .sign_in.prepare import find_credentials, sign_in_again
from .sign_in.shapes import logins
from .sign_in.try_out import SeededUser

_TIMES_SENT = 4
_LEAST = 20
_RANKS = {"critical": 0, "high": 1, "medium": 2, "low": 3}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ApiBudget:
    """Limits on the number of proposals.

    Attributes:
        operation: proposals for one operation.
        proposals: proposals in all.
        pairs: pairs of a change and a reading.
    """

    operation: int = 60
    proposals: int = 900
    pairs: int = 150

    def within(self, seconds: float, each: float) -> ApiBudget:
        """Return the budget that fits into a time.

        Args:
            each: seconds that one sequence of requests takes.
        """
        sequences = max(seconds, 0.0) / max(each, 0.001)
        # A pair is sent twice before it is a proposal; that is observed twice, and sent again where it is a refusal.
        proposals = max(int(sequences / _TIMES_SENT), _LEAST)
        return ApiBudget(self.operation, min(self.proposals, proposals), min(self.pairs, proposals // 5))


@dataclass(frozen=True, slots=True)
class SelectedProposals:
    """The proposals within the budget.

    Attributes:
        cut: (operation, reason) for operations of which some proposals are left out.
    """

    proposals: tuple[Proposal, ...]
    cut: tuple[tuple[str, str], ...]


def select_within(found: Sequence[Proposal], budget: ApiBudget) -> SelectedProposals:
    """Take proposals in rounds, the most informative of every operation first, until the budget is spent."""
    by_operation: dict[str, list[int]] = {}
    for at, proposal in enumerate(found):
        by_operation.setdefault(proposal.operation.name, []).append(at)
    ranked = {
        name: sorted(places, key=lambda at: (_RANKS[found[at].priority], at)) for name, places in by_operation.items()
    }
    few = {name: places[: budget.operation] for name, places in ranked.items()}
    kept = set(islice(in_turns(few.values()), budget.proposals))
    cut: list[tuple[str, str]] = []
    for name, places in ranked.items():
        label = found[places[0]].operation.label
        beyond = len(places) - len(few[name])
        late = sum(1 for at in few[name] if at not in kept)
        if beyond:
            cut.append((label, _left_out(beyond, f"at most {budget.operation} are tried for one operation")))
        if late:
            cut.append((label, _left_out(late, f"at most {budget.proposals} are tried for the whole API")))
    return SelectedProposals(tuple(proposal for at, proposal in enumerate(found) if at in kept), tuple(cut))


def select_pairs_within(
    found: Sequence[tuple[Operation, Operation, T]], most: int
) -> tuple[list[T], tuple[tuple[str, str], ...]]:
    """Return the pairs of a change and a reading to try, and (operation, reason) for readings that are left out.

    Readings of the changed resource come first, and every reading gets one pair before any gets a second.
    """
    by_reading: dict[str, list[int]] = {}
    for at, (_, reading, _) in sorted(
        enumerate(found), key=lambda item: first_part(item[1][0].path) != first_part(item[1][1].path)
    ):
        by_reading.setdefault(reading.name, []).append(at)
    kept = set(islice(in_turns(by_reading.values()), most))
    cut: list[tuple[str, str]] = []
    for places in by_reading.values():
        left = sum(1 for at in places if at not in kept)
        if left:
            untried = f"what it tells after {left} other change{'s' * (left > 1)} was not tried"
            bound = f"at most {most} pairs of a change and a reading are tried for the whole API"
            cut.append((found[places[0]][1].label, f"{untried}: {bound}"))
    return [proposal for at, (_, _, proposal) in enumerate(found) if at in kept], tuple(cut)


def _left_out(number: int, bound: str) -> str:
    return f"{number} more request{'s were' if number > 1 else ' was'} not tried: {bound}"


SHIFTED = AppConditions(hash_seed=1, clock=86_400 * 401 + 5 * 3600 + 17 * 60, zone="TWT-05:45")


@dataclass(frozen=True, slots=True)
class ApiExploration:
    """The result of an exploration.

    Attributes:
        seen: every observed proposal, in the document's order of operations.
        credentials: by their names in the spec's `auth`.
        unreached: (operation, reason) for operations without a successful request.
        cut: (operation, reason) for operations of which some proposals exceed the budget.
        unfit: why an example of the settings was not used, by its name.
        obstacle: why nobody can sign in, which comes before all other reasons; empty where that is not needed.
    """

    api: Api
    seen: tuple[ObservedProposal, ...]
    credentials: Mapping[str, Credential]
    unreached: tuple[tuple[str, str], ...]
    cut: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    requests: int
    samples: SampleValues
    unfit: Mapping[str, str]
    obstacle: str = ""


async def explore_api(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    *,
    secrets: Sequence[str] = (),
    seeded: Sequence[SeededUser] = (),
    budget: ApiBudget | None = None,
    surroundings: AppConditions | None = None,
    examples: Mapping[str, Any] | None = None,
    wanted: Collection[str] | None = None,
    seconds: float | None = None,
) -> ApiExploration:
    """Explore an API.

    Args:
        launch: its environment has values for the variables in `secrets`.
        seeded: users that the application has already.
        examples: values of parameters and properties by name, which come first where they fit.
        wanted: names of the operations to test, the others only prepare for them; None for all.
        seconds: approximate time limit; the most important requests are tried within it. None for no limit.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    began = time.monotonic()
    budget = budget or ApiBudget()
    here = surroundings or AppConditions()
    samples = SampleValues(api.components, examples)
    world = ResourceModel(api, samples)
    async with open_application(target, launch, here) as observer:
        credentials = await find_credentials(observer, world, secrets, seeded)
        finder = BaselineFinder(observer, world, credentials, until=None if seconds is None else began + seconds / 2)
        await finder.find()
        await find_guarded(finder, world)
        if seconds is not None:
            budget = budget.within(seconds - (time.monotonic() - began), observer.seconds_each)
        second = await _second_things(finder, world)
        every = distinct_proposals(_all_proposals(world, credentials, second))
        chosen = select_within([proposal for proposal in every if _is_wanted(proposal.operation, wanted)], budget)
        later, cut = await _changed_readings(finder, world, budget, wanted)
        more = [*later, *await refused_otherwise(finder, world, second, budget.pairs), *finder.broken.values()]
        proposals = distinct_proposals([*chosen.proposals, *(one for one in more if _is_wanted(one.operation, wanted))])
        seen_here = await drop_setup(observer, await execute_proposals(observer, proposals, credentials), credentials)
        proposals = [observed.proposal for observed in seen_here]
        sent = observer.sent
    moved = replace(SHIFTED, start_seconds=here.start_seconds, answer_seconds=here.answer_seconds)
    async with open_application(target, launch, moved) as observer:
        await sign_in_again(observer, world)
        seen_there = await execute_proposals(observer, proposals, credentials)
        seen = [merge_observations(observed, other) for observed, other in zip(seen_here, seen_there, strict=True)]
        seen = await mark_state_dependent(observer, seen, credentials)
        sent += observer.sent
    seen = [observed for observed in seen if not _is_refused_anyway(observed, world)]
    order = {operation.name: at for at, operation in enumerate(api.operations)}
    seen.sort(key=lambda observed: order[observed.proposal.operation.name])
    tested = replace(api, operations=tuple(one for one in api.operations if _is_wanted(one, wanted)))
    if wanted is not None:
        tested = replace(tested, left_out=(), others=())
    unreached = (*_unreached(tested, world, finder, seen), *_unrefused_logins(tested, world, seen))
    return ApiExploration(
        tested,
        tuple(seen),
        credentials,
        unreached,
        (*chosen.cut, *cut),
        api.notes,
        sent,
        samples,
        samples.unfit(),
        world.obstacle if _is_in_the_way(tested, world, finder) else "",
    )


async def find_baselines(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    *,
    secrets: Sequence[str] = (),
    examples: Mapping[str, Any] | None = None,
    wanted: Sequence[str] = (),
) -> tuple[dict[str, BaselineRequest], dict[str, Credential], dict[str, str]]:
    """Find a successful request of each operation: requests by operation name, credentials, reasons by label.

    Args:
        wanted: names of the operations to return; the others only prepare for them. Empty for all.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    world = ResourceModel(api, SampleValues(api.components, examples))
    async with open_application(target, launch) as observer:
        credentials = await find_credentials(observer, world, secrets, users=False)
        finder = BaselineFinder(observer, world, credentials)
        await finder.find()
    named = named_operations(api, wanted) if wanted else None
    chosen = {name: one for name, one in world.baselines.items() if _is_wanted(one.operation, named)}
    return chosen, credentials, dict(_unreached(api, world, finder, ()))


async def _second_things(finder: BaselineFinder, world: ResourceModel) -> dict[str, BaselineRequest]:
    """Return, for each creating operation, a second successful request with other values."""
    made: dict[str, BaselineRequest] = {}
    for baseline in list(world.baselines.values()):
        other = distinct_request(baseline, world)
        if other is None:
            continue
        request, saves = other
        answers = await finder.send((*baseline.story, request))
        if len(answers) == len(baseline.story) + 1 and answers[-1].failure and not answers[-1].broken_link:
            title = f"{baseline.operation.label} a second time, with other values"
            proposal = Proposal(baseline.operation, "a_second_time", title, "resilience", request, (*baseline.story,))
            finder.broken.setdefault(baseline.operation.name, proposal)
        elif len(answers) == len(baseline.story) + 1 and answers[-1].ok:
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
    for refused in world.refused.values():
        yield from invalid_bodies(world, refused)
    yield from lists
    yield from update_proposals(world)
    yield from conditional_proposals(world)
    yield from wrong_methods(world)


async def _changed_readings(
    finder: BaselineFinder, world: ResourceModel, budget: ApiBudget, wanted: Collection[str] | None
) -> tuple[list[Proposal], tuple[tuple[str, str], ...]]:
    """Return readings whose answer differs before and after a change; (operation, reason) for those not tried."""
    pairs = [
        (change.operation, reading.operation, (before, after))
        for change, reading, before, after in readings_after_change(world)
        if _is_wanted(reading.operation, wanted)
        if is_complete((*after.setup, after.request)) and is_complete((*before.setup, before.request))
    ]
    tried, cut = select_pairs_within(pairs, budget.pairs)
    found: list[Proposal] = []
    for before, after in tried:
        unchanged = await finder.send((*before.setup, before.request))
        changed = await finder.send((*after.setup, after.request))
        if len(changed) != len(after.setup) + 1 or changed[-1].broken_link:
            continue
        # A reading that a change makes hang or die is a proposal, too: it becomes a suspected defect.
        if changed[-1].failure or (unchanged[-1].status, unchanged[-1].text) != (changed[-1].status, changed[-1].text):
            found.append(after)
    return found, cut


def _is_refused_anyway(seen: ObservedProposal, world: ResourceModel) -> bool:
    """Whether an invalid request is refused exactly like a valid one: the reason of the refusal is then unknown."""
    whole = world.refused.get(seen.proposal.operation.name)
    # Only where even a valid request is refused can the two refusals be compared.
    if whole is None or seen.proposal.category != "validation":
        return False
    return (seen.answer.status, seen.answer.text) == (whole.answer.status, whole.answer.text)


def _is_wanted(operation: Operation, wanted: Collection[str] | None) -> bool:
    return wanted is None or operation.name in wanted


def _unreached(
    api: Api, world: ResourceModel, finder: BaselineFinder, seen: Sequence[ObservedProposal]
) -> Iterable[tuple[str, str]]:
    tested = {observed.proposal.operation.name for observed in seen}
    for operation in api.operations:
        if operation.name in world.baselines:
            continue
        answer = finder.failures.get(operation.name)
        also = "; what it refuses is tested" if operation.name in tested & set(world.refused) else ""
        if answer is None:
            yield operation.label, "no values were found that fit its description"
        elif answer.failure:
            yield operation.label, f"no request was answered: {answer.failure.splitlines()[0]}"
        elif answer.status in (401, 403) and world.obstacle:
            yield operation.label, f"it needs a user, and nobody can sign in{also}"
        elif answer.status in (401, 403) and operation.security:
            yield operation.label, f"it answers {answer.status}: credentials are needed that are not known{also}"
        else:
            last = f"{answer.status} {' '.join(answer.text[:MOST_TEXT].split())}".strip()
            yield operation.label, f"no request was found that works{also}; the last answer was {last}"


def _is_in_the_way(api: Api, world: ResourceModel, finder: BaselineFinder) -> bool:
    """Whether an operation was not reached for lack of a user."""
    missed = (finder.failures.get(known.name) for known in api.operations if known.name not in world.baselines)
    return any(answer is not None and answer.status in (401, 403) for answer in missed)


def _unrefused_logins(api: Api, world: ResourceModel, seen: Sequence[ObservedProposal]) -> Iterable[tuple[str, str]]:
    """Yield the statuses that a login answers on purpose and that no request got, such as that of a wrong password."""
    got = {(observed.proposal.operation.name, observed.answer.status) for observed in seen if observed.answers}
    for operation in logins(api, world.samples):
        left = sorted(status for status in operation.deliberate if (operation.name, status) not in got)
        if operation.name in world.baselines and left:
            named = ", ".join(map(str, left))
            yield operation.label, f"its code answers {named} on purpose; no request was found that gets it"
