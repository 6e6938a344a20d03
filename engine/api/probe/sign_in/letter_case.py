"""Proposes sign-ups and logins under a name or an e-mail address in other letters: capital ones or small ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.json_values import leaves
from ...model.model import Json, Proposal
from ..propose_access import refused_login, replaced
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel
from .shapes import part_of, sign_ups
from .users import USER, constant


def letter_case_proposals(world: ResourceModel) -> Iterator[Proposal]:
    """Yield sign-ups in other letters, alone and after the usual one, and logins in the others than the sign-up had.

    Names are one whatever their letters, or they are two: what holds at the sign-up has to hold at the login.
    """
    for operation in sign_ups(world.api, world.samples):
        sign_up = world.baselines.get(operation.name)
        content = (sign_up.request.get("body") or {}).get("content") if sign_up is not None else None
        if sign_up is None or operation.body is None or not isinstance(content, dict):
            continue
        parts = _parts(content)
        capitals = {value: value[:1].upper() + value[1:] for part, value in parts.items() if part != "password"}
        other = replaced(content, capitals)
        if other == content or "password" not in parts or world.samples.problem(other, operation.body.schema):
            continue
        request, marks = with_body(sign_up.request, other), {"priority": "high"}
        yield make_proposal(sign_up, "in_capitals", "in capital letters", "success", request, **marks)
        again = {**marks, "setup": (*sign_up.setup, copy_request(sign_up.request))}
        yield make_proposal(
            sign_up, "in_capitals_after_small_letters", "in capital letters after small ones", "state", request, **again
        )
        yield from _logins(world, sign_up, parts, request)


def _logins(
    world: ResourceModel, sign_up: BaselineRequest, parts: dict[str, str], in_capitals: Json
) -> Iterator[Proposal]:
    """Yield logins in capitals after a sign-up in small letters, and the other way round."""
    small = copy_request(sign_up.request)
    capitals = _parts(in_capitals["body"]["content"])
    for login in world.baselines.values():
        if login.operation.name not in world.logins or not login.request.get("body"):
            continue
        for how, before, known in (("in_capitals", small, capitals), ("in_small_letters", in_capitals, parts)):
            known = {"name": known.get("email", ""), "email": known.get("name", ""), **known}
            instead = {f"{{{{{constant(USER, part)}}}}}": value for part, value in known.items() if value}
            content = replaced(login.request["body"]["content"], instead)
            if "{{" in str(content):
                continue
            marks: Json = {"setup": (*sign_up.setup, before), "priority": "high"}
            # Whether it is refused or not, it is no contradiction of the document.
            marks["statuses"] = refused_login(login)["statuses"]
            words = f"{how.replace('_', ' ')} after a sign-up in others"
            name = f"{how}_after_a_sign_up_in_others"
            yield make_proposal(login, name, words, "state", with_body(login.request, content), **marks)


def _parts(content: Any) -> dict[str, str]:
    """Return the name, e-mail address and password that a body has, as far as they stand in it."""
    found: dict[str, str] = {}
    for pointer, value in leaves(content):
        part = part_of(pointer.rpartition("/")[2])
        if part and isinstance(value, str) and "{{" not in value:
            found.setdefault(part, value)
    return found
