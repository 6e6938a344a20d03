"""Explores an application: baselines, proposals, two observations of each.

Bounded by counts, never by time, so that two runs give the same result.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....core.errors import EnvironmentFault
from ....sandbox.target import PythonTarget
from ..document.application import AppConditions, AppLaunch, AppObserver, open_application
from ..document.auth import Credential
from ..document.operations import named_operations
from ..model.model import Api, HttpAnswer, ObservedProposal, Proposal
from ..values.data import SampleValues
from .baselines import BaselineFinder
from .budget import ApiBudget, is_wanted, select_pairs_within, select_within
from .differences import distinct_proposals
from .distinct import Others
from .effects.breaking import breaking_proposals
from .effects.conditions import conditional_proposals
from .effects.limits import limit_proposals
from .effects.makers import maker_proposals
from .effects.moments import mark_unordered
from .effects.other_ids import other_id_proposals
from .effects.parts import part_proposals
from .effects.sets import mark_sets, runs_elsewhere
from .effects.shared_flags import shared_flags
from .effects.together import together_proposals
from .effects.totals import total_proposals
from .execute import differs_from, drop_setup, execute_proposals
from .judge import MOST_TEXT
from .lists.columns import picked_fields
from .lists.feeds import feed_proposals
from .lists.filled import FILLED, filled_lists
from .lists.query_effects import with_effect
from .lists.stored import queries_varied, stored_lists
from .observe_again import first_observations, observe_again
from .propose import proposals_for, readings_after_change, wrong_methods
from .propose_access import find_guarded, logins_after_change
from .propose_relations import relation_proposals, untouched_readings
from .propose_sequences import state_dependent_proposals
from .propose_updates import update_proposals
from .propose_values import invalid_bodies
from .resource_model import BaselineRequest, ResourceModel, is_complete
from .second_values import second_creations, second_things, third_things, varied_stories
from .sign_in.failure import MissingCredential, SignInFailure
from .sign_in.letter_case import letter_case_proposals
from .sign_in.prepare import CredentialSources, find_credentials
from .sign_in.shapes import logins
from .sign_in.tokens import second_sessions

_LEAST_SECONDS = 5.0
"""How long working requests are looked for at least, whatever is left of a limit: without them there are no tests."""
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
        sign_in_failure: why nobody can sign in, or which credential is missing, which comes before all other reasons;
            None where nobody has to.
        fuzzed: what another program made; contradictions in it are told, and nothing of it becomes a test.
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
    sign_in_failure: SignInFailure | MissingCredential | None = None
    fuzzed: tuple[ObservedProposal, ...] = ()


async def explore_api(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    *,
    sources: CredentialSources | None = None,
    budget: ApiBudget | None = None,
    surroundings: AppConditions | None = None,
    examples: Mapping[str, Any] | None = None,
    wanted: Collection[str] | None = None,
    seconds: float | None = None,
    early: Callable[[ApiExploration], None] | None = None,
) -> ApiExploration:
    """Explore an API.

    Args:
        launch: its environment has values for the variables that `sources` name as secrets.
        examples: values of parameters and properties by name, which come first where they fit.
        wanted: names of the operations to test, the others only prepare for them; None for all.
        seconds: approximate time limit; the most important requests are tried within it. None for no limit.
        early: called with an exploration of a few requests of each operation, as soon as each has one that works; not
            called under a limit on time.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    began = time.monotonic()
    budget = budget or ApiBudget()
    here = surroundings or AppConditions()
    samples = SampleValues(api.components, examples)
    world = ResourceModel(api, samples)
    async with open_application(target, launch, here) as observer:
        until = None if seconds is None else began + max(seconds / 2, _LEAST_SECONDS)
        credentials, finder = await _reached(observer, world, sources, until=until)
        api = world.api
        await find_guarded(finder, world)
        # Under a limit, all of the time is for the tests that stay.
        if early is not None and seconds is None:
            first = await first_observations(observer, world, credentials, wanted)
            early(_first(_tested(api, wanted), first, credentials, samples))
        if seconds is not None:
            budget = budget.within(seconds - (time.monotonic() - began), observer.seconds_each)
        proposals, cut = await _proposed(finder, world, credentials, budget, wanted)
        seen_here = await _seen_first(observer, proposals, credentials, _left(began, seconds))
        sent = observer.sent
    moved = replace(SHIFTED, start_seconds=here.start_seconds, answer_seconds=here.answer_seconds)
    again, sent_again = await observe_again(target, launch, moved, world, seen_here, credentials)
    seen = _in_order(again, world)
    if _left(began, seconds) > 0 and not runs_elsewhere(launch):
        seen = await mark_sets(target, launch, moved, world, seen, credentials, _left(began, seconds))
    tested = _tested(api, wanted)
    unreached = (*_unreached(tested, world, finder, seen), *_unrefused_logins(tested, world, seen))
    failure = (world.sign_in_failure or world.missing) if _blocks_operations(tested, world, finder) else None
    unfit, sent = samples.unfit(), sent + sent_again
    return ApiExploration(
        tested, tuple(seen), credentials, unreached, cut, api.notes, sent, samples, unfit, sign_in_failure=failure
    )


async def _reached(
    observer: AppObserver,
    world: ResourceModel,
    sources: CredentialSources | None,
    *,
    users: bool = True,
    until: float | None = None,
) -> tuple[dict[str, Credential], BaselineFinder]:
    """Sign in and find a request that succeeds of each operation; see `find_credentials` and `BaselineFinder`."""
    credentials = await find_credentials(observer, world, sources or CredentialSources(), users=users, until=until)
    finder = BaselineFinder(observer, world, credentials, until=until)
    await finder.find()
    return credentials, finder


def _first(
    api: Api, seen: Sequence[ObservedProposal], credentials: Mapping[str, Credential], samples: SampleValues
) -> ApiExploration:
    """Return an exploration of a few requests, which changes no more when exploring goes on."""
    return ApiExploration(api, tuple(seen), dict(credentials), (), (), (), 0, samples, {})


def _left(began: float, seconds: float | None) -> float:
    """Return how many seconds are left; infinitely many without a limit."""
    return math.inf if seconds is None else seconds - (time.monotonic() - began)


async def _seen_first(
    observer: AppObserver, proposals: Sequence[Proposal], credentials: dict[str, Credential], seconds: float
) -> list[ObservedProposal]:
    """Return what proposals are answered with, each after the requests that it needs, with lists of no order marked.

    Args:
        seconds: how long it may take; lists are read again in what is left of them.
    """
    began = time.monotonic()
    seen = await execute_proposals(observer, proposals, credentials)
    seen = await drop_setup(observer, seen, credentials)
    return await mark_unordered(observer, seen, credentials, _left(began, seconds))


def _in_order(seen: Iterable[ObservedProposal], world: ResourceModel) -> list[ObservedProposal]:
    """Return observations in the order of the operations, without refusals of which the reason is unknown."""
    order = {operation.name: at for at, operation in enumerate(world.api.operations)}
    kept = [observed for observed in seen if not _is_refused_anyway(observed, world)]
    return sorted(kept, key=lambda observed: order[observed.proposal.operation.name])


def _tested(api: Api, wanted: Collection[str] | None) -> Api:
    """Return the part of an API that is to be tested."""
    if wanted is None:
        return api
    operations = tuple(one for one in api.operations if is_wanted(one, wanted))
    return replace(api, operations=operations, left_out=(), others=())


async def _proposed(
    finder: BaselineFinder,
    world: ResourceModel,
    credentials: dict[str, Credential],
    budget: ApiBudget,
    wanted: Collection[str] | None,
) -> tuple[list[Proposal], tuple[tuple[str, str], ...]]:
    """Return what is observed, within the budget; (operation, reason) for operations of which some is left out."""
    second = await second_things(finder, world)
    third = await third_things(finder, world, second)
    varied = await varied_stories(finder, world, second, budget.pairs)
    every = distinct_proposals(_all_proposals(world, credentials, second, varied, third))
    tried = [proposal for proposal in every if is_wanted(proposal.operation, wanted)]
    # What picks out nothing takes no other request's place in the budget.
    chosen = select_within(await with_effect(finder, world, tried, budget.pairs), budget)
    readings, untried = await _changed_readings(finder, world, second, varied, budget, wanted)
    readings += await untouched_readings(finder, world, readings, budget.pairs)
    filled = [proposal for proposal in chosen.proposals if proposal.name == FILLED]
    together = await together_proposals(finder, world, [*readings, *filled], second, budget.pairs, wanted)
    # That a change touches a list does not say that it fills it: a logout closes each.
    shown = {proposal.operation.name for proposal in (*filled, *together)}
    readings += [*together, *await feed_proposals(finder, world, second, third, budget.pairs, wanted, shown)]
    sequences, left_out = await state_dependent_proposals(finder, world, second, budget.pairs, wanted)
    related = await relation_proposals(finder, world, second, budget.pairs, wanted)
    related += await _effects(finder, world, second, third, budget.pairs, wanted)
    broken = [proposal for proposal in finder.broken.values() if is_wanted(proposal.operation, wanted)]
    proposals = distinct_proposals([*chosen.proposals, *readings, *sequences, *related, *broken])
    return proposals, (*chosen.cut, *untried, *left_out)


async def _effects(
    finder: BaselineFinder,
    world: ResourceModel,
    second: Others,
    third: Others,
    most: int,
    wanted: Collection[str] | None,
) -> list[Proposal]:
    """Return what is told of who did something, of several things and parts, of limits, and of a second session."""
    found = [
        *await maker_proposals(finder, world, most, wanted),
        *await shared_flags(finder, world, most, wanted),
        *await total_proposals(finder, world, second, third, most, wanted),
        *await limit_proposals(finder, world, second, most, wanted),
        *await part_proposals(finder, world, most, wanted),
        *await other_id_proposals(finder, world, second, most, wanted),
        *await second_sessions(finder, world, most, wanted),
        *await breaking_proposals(finder, world, 3 * most, wanted),
    ]
    letters = (proposal for proposal in letter_case_proposals(world) if is_wanted(proposal.operation, wanted))
    return [*found, *letters]


async def count_reached(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    *,
    sources: CredentialSources,
    examples: Mapping[str, Any] | None = None,
) -> int:
    """Count the operations that a request succeeds of, by users as `explore_api` has them; 0 if it does not start.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    world = ResourceModel(api, SampleValues(api.components, examples))
    try:
        async with open_application(target, launch) as observer:
            await _reached(observer, world, sources)
    except EnvironmentFault:
        return 0
    return len(world.baselines)


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
        credentials, finder = await _reached(observer, world, CredentialSources(secrets), users=False)
        api = world.api
    named = named_operations(api, wanted) if wanted else None
    chosen = {name: one for name, one in world.baselines.items() if is_wanted(one.operation, named)}
    return chosen, credentials, dict(_unreached(api, world, finder, ()))


def _all_proposals(
    world: ResourceModel, credentials: dict[str, Credential], second: Others, varied: Others, third: Others
) -> Iterable[Proposal]:
    lists = [*filled_lists(world, second, varied, third)]
    filled = {list_.operation.name for list_ in lists}
    stored = [proposal for proposal in stored_lists(world) if proposal.operation.name not in filled]
    shown = {(operation, f"with_{name}") for operation, name in queries_varied(world, stored)}
    for baseline in world.baselines.values():
        for proposal in proposals_for(world, baseline, credentials):
            # A filled list shows what a query leaves out.
            of_query = proposal.group in ("with_query", "edges_query") and baseline.operation.name in filled
            if not of_query and (proposal.operation.name, proposal.name) not in shown:
                yield proposal
    for refused in world.refused.values():
        yield from invalid_bodies(world, refused)
    yield from (*lists, *stored)
    yield from picked_fields(world, (proposal for proposal in lists if proposal.name == FILLED))
    yield from second_creations(world, second)
    yield from logins_after_change(world)
    yield from update_proposals(world, varied)
    yield from conditional_proposals(world, second)
    yield from wrong_methods(world)


async def _changed_readings(
    finder: BaselineFinder,
    world: ResourceModel,
    second: Others,
    varied: Others,
    budget: ApiBudget,
    wanted: Collection[str] | None,
) -> tuple[list[Proposal], tuple[tuple[str, str], ...]]:
    """Return readings whose answer differs before and after a change; (operation, reason) for those not tried."""
    pairs = [
        (change.operation, reading.operation, (before, after))
        for change, reading, before, after in readings_after_change(world, varied, second)
        if is_wanted(reading.operation, wanted)
        if is_complete((*after.setup, after.request)) and is_complete((*before.setup, before.request))
    ]
    tried, cut = select_pairs_within(pairs, budget.pairs)
    found: list[Proposal] = []
    # Two answers of the same requests, kept together: the finder remembers only the last one.
    repeated: dict[str, tuple[HttpAnswer, HttpAnswer]] = {}
    for before, after in tried:
        usual = (*before.setup, before.request)
        unchanged = await finder.send(usual)
        changed = await finder.send((*after.setup, after.request))
        if len(changed) != len(after.setup) + 1 or changed[-1].broken_link:
            continue
        # A reading that a change makes hang or die is a proposal, too: it becomes a suspected defect.
        if changed[-1].failure or changed[-1].status != unchanged[-1].status:
            found.append(after)
        elif changed[-1].text != unchanged[-1].text:
            key = json.dumps(usual)
            if key not in repeated:
                repeated[key] = (unchanged[-1], (await finder.send(usual, again=True))[-1])
            # New ids and times differ after a change and without one.
            if differs_from(changed[-1], *repeated[key]):
                found.append(after)
    return found, cut


def _is_refused_anyway(seen: ObservedProposal, world: ResourceModel) -> bool:
    """Whether an invalid request is refused exactly like a valid one: the reason of the refusal is then unknown."""
    whole = world.refused.get(seen.proposal.operation.name)
    # Only where even a valid request is refused can the two refusals be compared.
    if whole is None or seen.proposal.category != "validation":
        return False
    return (seen.answer.status, seen.answer.text) == (whole.answer.status, whole.answer.text)


def _unreached(
    api: Api, world: ResourceModel, finder: BaselineFinder, seen: Sequence[ObservedProposal]
) -> Iterable[tuple[str, str]]:
    tested = {observed.proposal.operation.name for observed in seen}
    without = world.missing.labels if world.missing is not None else ()
    for operation in api.operations:
        if operation.name in world.baselines:
            continue
        answer = finder.failures.get(operation.name)
        also = "; what it refuses is tested" if operation.name in tested & set(world.refused) else ""
        if answer is None and finder.is_cut_short:
            yield operation.label, "the limit on time came before a request was tried"
        elif answer is None:
            yield operation.label, "no values were found that fit its description"
        elif answer.failure:
            yield operation.label, f"no request was answered: {answer.failure.splitlines()[0]}"
        elif answer.keeps_out and world.sign_in_failure:
            yield operation.label, f"it needs a user, and nobody can sign in{also}"
        elif answer.keeps_out and (operation.security or operation.label in without):
            yield operation.label, f"it answers {answer.status}: credentials are needed that are not known{also}"
        else:
            last = f"{answer.status} {' '.join(answer.text[:MOST_TEXT].split())}".strip()
            yield operation.label, f"no request was found that works{also}; the last answer was {last}"


def _blocks_operations(api: Api, world: ResourceModel, finder: BaselineFinder) -> bool:
    """Whether an operation was not reached for lack of a user."""
    missed = (finder.failures.get(known.name) for known in api.operations if known.name not in world.baselines)
    return any(answer is not None and answer.keeps_out for answer in missed)


def _unrefused_logins(api: Api, world: ResourceModel, seen: Sequence[ObservedProposal]) -> Iterable[tuple[str, str]]:
    """Yield the statuses that a login answers on purpose and that no request got, such as that of a wrong password."""
    got = {(observed.proposal.operation.name, observed.answer.status) for observed in seen if observed.answers}
    for operation in logins(api, world.samples):
        left = sorted(status for status in operation.deliberate if (operation.name, status) not in got)
        if operation.name in world.baselines and left:
            named = ", ".join(map(str, left))
            yield operation.label, f"its code answers {named} on purpose; no request was found that gets it"
