"""Proposes requests of those who may not: anonymous, with wrong credentials, as another user, in a lesser role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..document import auth as ways
from ..document.auth import Credential
from ..model.model import UNSAFE, Json, Proposal
from ..values.data import NOTHING
from .baselines import BaselineFinder
from .propose_values import copy_request, make_proposal, make_refusal, with_body
from .resource_model import BaselineRequest, ResourceModel, variables_in
from .sign_in.shapes import new_passwords, old_passwords
from .sign_in.tokens import malformed_tokens
from .sign_in.users import ADMIN, OTHER, USER, constant

_LOGIN_REFUSED = (400, 401, 403, 404, 422)
"""Statuses with which a login refuses on purpose, whether the document names them or not."""
FOR_OTHERS = "for_others"
"""The group of readings of a list by a query, by another user than the one who has made its members."""
_RIGHT_PAIRS = ("basic", "basic_email")


async def find_guarded(finder: BaselineFinder, world: ResourceModel) -> None:
    """Note the operations that refuse an anonymous request that holds nothing. Raises SandboxFailure."""
    for baseline in world.baselines.values():
        if world.needs_auth(baseline.operation) and ways.auth_names(baseline.request):
            answers = await finder.send([bare_request(world, baseline)])
            if answers[-1].keeps_out:
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
    yield from _wrong_logins(world, baseline)
    yield from _wrong_own_password(baseline)
    names = ways.auth_names(baseline.request)
    # Without a credential in the request there is none to leave out.
    if not world.needs_auth(baseline.operation) or not names:
        return
    yield from _anonymous(world, baseline)
    yield from _wrong(world, baseline, credentials)
    yield from _in_another_role(world, baseline, credentials)


def _wrong_logins(world: ResourceModel, baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield a login with the right name and a wrong password, and one with a name that nobody has."""
    if baseline.operation.name in world.login_headers:
        yield from _wrong_pair(baseline)
    if baseline.operation.name not in world.logins or not baseline.request.get("body"):
        return
    content = baseline.request["body"]["content"]
    password = f"{{{{{constant(USER, 'password')}}}}}"
    names = [f"{{{{{constant(USER, part)}}}}}" for part in ("name", "email")]
    # A right one with more to it has the length and the characters that a right one needs.
    wrong = replaced(content, {password: f"{password}-wrong"})
    unknown = replaced(content, {name: f"nobody-{name}" for name in names})
    marks = refused_login(baseline)
    for how, other in (("with a wrong password", wrong), ("with an unknown name", unknown)):
        if other != content:
            request = {**copy_request(baseline.request), "body": {**baseline.request["body"], "content": other}}
            yield make_refusal(baseline, f"a call {how}", request, name=how, breaks=how, **marks)


def _wrong_pair(baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield a login in HTTP's basic scheme with the right name and a wrong password."""
    headers: Json = baseline.request.get("headers") or {}
    wrong = {f"{{{{{constant(USER, part)}}}}}": f"{{{{{constant(USER, f'{part}_wrong')}}}}}" for part in _RIGHT_PAIRS}
    sent = str(headers.get("Authorization") or "")
    other = next((sent.replace(right, instead) for right, instead in wrong.items() if right in sent), "")
    if other:
        request = {**copy_request(baseline.request), "headers": {**headers, "Authorization": other}}
        how = "with a wrong password"
        yield make_refusal(baseline, f"a call {how}", request, name=how, breaks=how, **refused_login(baseline))


def _wrong_own_password(baseline: BaselineRequest) -> Iterator[Proposal]:
    """Yield the request of a user who does not know the password that it repeats."""
    content: Any = (baseline.request.get("body") or {}).get("content")
    for name in old_passwords(content):
        if "{{" in str(content[name]):
            request = with_body(baseline.request, {**content, name: f"{content[name]}-wrong"})
            how = f"with a wrong {name}"
            yield make_refusal(baseline, f"a call {how}", request, name=how, breaks=how, **refused_login(baseline))


def logins_after_change(world: ResourceModel) -> Iterator[Proposal]:
    """Yield logins with the new password and with the one before, after each change of a user's own password."""
    password = f"{{{{{constant(USER, 'password')}}}}}"
    for change in world.baselines.values():
        content: Any = (change.request.get("body") or {}).get("content")
        new = new_passwords(content) if old_passwords(content) else []
        if not new or ways.auth_names(change.request) != (USER,):
            continue
        for login in world.baselines.values():
            if login.operation.name not in world.logins or not login.request.get("body"):
                continue
            asked = login.request["body"]["content"]
            changed = replaced(asked, {password: content[new[0]]})
            if changed == asked:
                continue
            marks: Json = {"setup": change.story, "priority": "critical"}
            name, words = f"after_{change.operation.name}", f"after {change.operation.label}"
            request = with_body(login.request, changed)
            yield make_proposal(
                login, f"{name}_with_the_new_password", f"{words} with the new password", "state", request, **marks
            )
            request, marks["statuses"] = copy_request(login.request), refused_login(login)["statuses"]
            yield make_proposal(
                login, f"{name}_with_the_old_password", f"{words} with the old password", "state", request, **marks
            )


def refused_login(baseline: BaselineRequest) -> Json:
    """Return what a proposal is marked with whose login may be refused: category, priority and statuses."""
    # What its code answers on purpose is noted as a gap of the document instead.
    statuses = tuple(status for status in _LOGIN_REFUSED if status not in baseline.operation.deliberate)
    return {"category": "authentication", "priority": "critical", "statuses": statuses}


def replaced(value: Any, instead: Mapping[str, str]) -> Any:
    """Return a body with other texts in place of some."""
    if isinstance(value, dict):
        return {key: replaced(entry, instead) for key, entry in value.items()}
    return instead.get(value, value) if isinstance(value, str) else value


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
    yield from malformed_tokens(baseline, credentials)
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
    if asked_by == (USER,) and ADMIN in credentials and variables_in(baseline.request):
        request = {**copy_request(baseline.request), "auth": ADMIN}
        title, words = "as_an_administrator", "asked by an administrator"
        yield make_proposal(baseline, title, words, "state", request=request, priority="high")
    if asked_by == ("admin",) and "user" in credentials:
        # A request without its body may be refused before the user's role is checked.
        whole = bool(baseline.request.get("body"))
        request = {**copy_request(baseline.request), "auth": "user"} if whole else bare_request(world, baseline, "user")
        group: Json = {} if whole else {"group": "roles", "setup": ()}
        yield make_proposal(baseline, "as_a_plain_user", "asked by a plain user", request=request, **group, **marks)


def admins_list(world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...]) -> Iterator[Proposal]:
    """Yield the reading by an administrator of a list whose members a user has made."""
    if _is_owners(reading, setup) and ADMIN in world.users:
        request = {**copy_request(reading.request), "auth": ADMIN}
        words, marks = "asked by an administrator", {"setup": setup, "priority": "high"}
        yield make_proposal(reading, "as_an_administrator", words, "state", request, **marks)


def filtered_for_others(
    world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...], request: Json, name: str, words: str
) -> Iterator[Proposal]:
    """Yield the reading of a list by a query, by another user than the one who has made what fits it.

    A condition that takes the place of the one on whose a thing is shows what is not theirs.
    """
    if _is_owners(reading, setup) and OTHER in world.users:
        marks = {"setup": setup, "priority": "high", "group": FOR_OTHERS}
        told = f"{words}, asked by another user than the one who made them"
        yield make_proposal(reading, f"{name}_for_another_user", told, "state", {**request, "auth": OTHER}, **marks)


def flagged_for_admins(
    world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...], request: Json, told: tuple[str, str, str]
) -> Iterator[Proposal]:
    """Yield the reading of a list by a flag, by an administrator: who sees everything has things of their own, too.

    Args:
        told: the group, the name and the words of the reading by its user.
    """
    if _is_owners(reading, setup) and ADMIN in world.users:
        group, name, words = told
        marks = {"setup": setup, "priority": "high", "group": group}
        asked = {**request, "auth": ADMIN}
        name, words = f"{name}_as_an_administrator", f"{words}, asked by an administrator"
        yield make_proposal(reading, name, words, "state", asked, **marks)


def _is_owners(reading: BaselineRequest, setup: tuple[Json, ...]) -> bool:
    made = any(step["method"] in UNSAFE and ways.auth_names(step) == (USER,) for step in setup)
    return made and ways.auth_names(reading.request) == (USER,)


def another_users_list(world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...]) -> Iterator[Proposal]:
    """Yield the reading of a list by another user than the one who has made its members."""
    if not _is_owners(reading, setup) or OTHER not in world.users:
        return
    request = {**copy_request(reading.request), "auth": OTHER}
    words, marks = "asked by another user than the one who made them", {"setup": setup, "priority": "critical"}
    yield make_proposal(reading, "made_by_another_user", words, "state", request, **marks)
