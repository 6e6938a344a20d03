"""Proposes requests of those who may not: anonymous, with wrong credentials, as another user, in a lesser role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..document import auth as ways
from ..document.auth import Credential
from ..model.model import Json, Proposal
from ..values.data import NOTHING
from .baselines import BaselineFinder
from .propose_values import copy_request, make_proposal, make_refusal
from .resource_model import BaselineRequest, ResourceModel, variables_in

_REFUSED = (401, 403)


async def find_guarded(finder: BaselineFinder, world: ResourceModel) -> None:
    """Note the operations that refuse an anonymous request that holds nothing. Raises SandboxFailure."""
    for baseline in world.baselines.values():
        if world.needs_auth(baseline.operation) and ways.auth_names(baseline.request):
            answers = await finder.send([bare_request(world, baseline)])
            if answers[-1].status in _REFUSED:
                world.guarded.add(baseline.operation.name)


def bare_request(world: ResourceModel, baseline: BaselineRequest, user: str = "") -> Json:
    """Return a request of an operation with its path only, whose ids name nothing."""
    request: Json = {"method": baseline.operation.method, "path": baseline.operation.path}
    values: Json = {}
    for parameter in baseline.operation.path_parameters:
        value = world.samples.value(parameter.schema, parameter.name)
        values[parameter.name] = value if value is not NOTHING and not isinstance(value, dict | list) else 1
    if values:
        request["path_parameters"] = values
    return {**request, "auth": user} if user else request


def access_proposals(
    world: ResourceModel, baseline: BaselineRequest, credentials: Mapping[str, Credential]
) -> Iterator[Proposal]:
    """Yield requests of an operation that others than the right ones make."""
    names = ways.auth_names(baseline.request)
    # Without a credential in the request there is none to leave out.
    if not world.needs_auth(baseline.operation) or not names:
        return
    yield from _anonymous(world, baseline)
    yield from _wrong(world, baseline, credentials)
    yield from _in_another_role(world, baseline, credentials)


def _anonymous(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    how, marks = "without credentials", {"category": "authentication", "priority": "critical"}
    if baseline.operation.name in world.guarded:
        request = bare_request(world, baseline)
        yield make_refusal(
            baseline, f"a call {how}", request, name=how, breaks=how, group="anonymous", setup=(), **marks
        )
        return
    anonymous = {key: entry for key, entry in baseline.request.items() if key != "auth"}
    yield make_refusal(baseline, f"a call {how}", anonymous, name=how, breaks=how, group="credentials", **marks)


def _wrong(
    world: ResourceModel, baseline: BaselineRequest, credentials: Mapping[str, Credential]
) -> Iterator[Proposal]:
    """Yield wrong credentials; what checks them is shared, so of each kind one operation is asked."""
    names = ways.auth_names(baseline.request)
    alike = [known for known in world.baselines.values() if ways.auth_names(known.request) == names]
    closed = [known for known in alike if known.operation.name in world.guarded]
    readings = [known for known in closed or alike if known.operation.method == "GET"]
    if baseline.operation.name != (readings or closed or alike)[0].operation.name:
        return
    marks = {"category": "authentication", "group": "credentials", "priority": "critical"}
    wrong = ways.with_wrong_credentials(baseline.request, [credentials[name] for name in names])
    how = "with wrong credentials"
    yield make_refusal(baseline, f"a call {how}", wrong, name=how, breaks=how, **marks)
    for name in names if len(names) > 1 else ():
        others = [other for other in names if other != name]
        request = {**{key: entry for key, entry in baseline.request.items() if key != "auth"}}
        request["auth"] = ways.auth_entry(others)
        how = f"without {name}"
        yield make_refusal(baseline, f"a call {how}", request, name=how, breaks=how, **marks)


def _in_another_role(
    world: ResourceModel, baseline: BaselineRequest, credentials: Mapping[str, Credential]
) -> Iterator[Proposal]:
    """Yield what another user asks of a resource that is not theirs, and what a plain user asks of an admin's."""
    asked_by = ways.auth_names(baseline.request)
    marks = {"category": "authorization", "priority": "critical"}
    if asked_by == ("user",) and "other_user" in credentials and variables_in(baseline.request):
        request = {**copy_request(baseline.request), "auth": "other_user"}
        yield make_proposal(baseline, "as_another_user", "asked by another user", request=request, **marks)
    if asked_by == ("admin",) and "user" in credentials:
        request = bare_request(world, baseline, "user")
        group = {"group": "roles", "setup": ()}
        yield make_proposal(baseline, "as_a_plain_user", "asked by a plain user", request=request, **group, **marks)
