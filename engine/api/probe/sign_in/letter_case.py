"""Proposes sign-ups and logins under a name or an e-mail address whose first letter is a capital, or is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.json_values import leaves
from ...model.model import Json, Proposal
from ..propose_access import refused_login, replaced
from ..propose_values import copy_request, make_proposal, with_body
from ..resource_model import BaselineRequest, ResourceModel, fields_of
from .shapes import part_of, sign_ups
from .users import USER, constant

SPELT = "with_a_name_in_another_case"
"""The name of a sign-up under a name whose first letter is of the other case."""
SPELT_AFTER = "with_a_name_that_differs_in_case_only"
"""The name of such a sign-up while the usual name is there."""
LOGIN_SPELT = "with_the_name_in_another_case"
LOGIN_SPELT_BACK = f"{LOGIN_SPELT}_the_other_way_round"
"""The names of logins under another spelling than that of the sign-up."""


def letter_case_proposals(world: ResourceModel) -> Iterator[Proposal]:
    """Yield sign-ups with the other first letter, alone and after the usual one, and logins with another than that had.

    Names are one whatever their letters, or they are two: what holds at the sign-up has to hold at the login.
    """
    for operation in sign_ups(world.api, world.samples):
        sign_up = world.baselines.get(operation.name)
        content = fields_of(sign_up.request) if sign_up is not None else None
        if sign_up is None or operation.body is None or content is None:
            continue
        parts = _parts(content)
        names = [value for part, value in parts.items() if part != "password"]
        other = replaced(content, {value: value[:1].swapcase() + value[1:] for value in names})
        if other == content or "password" not in parts or world.samples.problem(other, operation.body.schema):
            continue
        request, marks = with_body(sign_up.request, other), {"priority": "high"}
        yield make_proposal(sign_up, SPELT, "with a name in another case", "success", request, **marks)
        again = {**marks, "setup": (*sign_up.setup, copy_request(sign_up.request))}
        words = "with a name that differs from another one's in its case only"
        yield make_proposal(sign_up, SPELT_AFTER, words, "state", request, **again)
        yield from _logins(world, sign_up, parts, request)


def _logins(world: ResourceModel, sign_up: BaselineRequest, parts: dict[str, str], other: Json) -> Iterator[Proposal]:
    """Yield logins with the other first letter after the usual sign-up, and the other way round.

    Args:
        other: the sign-up with the other letter.
    """
    usual, others = copy_request(sign_up.request), _parts(other["body"]["content"])
    # Of a name with a capital letter and an address with a small one, the address says which is which.
    is_capital = (parts.get("email") or parts.get("name", ""))[:1].isupper()
    kinds = ("small", "capital") if is_capital else ("capital", "small")
    ways = ((LOGIN_SPELT, kinds[0], usual, others), (LOGIN_SPELT_BACK, kinds[1], other, parts))
    for login in world.baselines.values():
        if login.operation.name not in world.logins or not login.request.get("body"):
            continue
        for name, kind, before, known in ways:
            known = {"name": known.get("email", ""), "email": known.get("name", ""), **known}
            instead = {f"{{{{{constant(USER, part)}}}}}": value for part, value in known.items() if value}
            content = replaced(login.request["body"]["content"], instead)
            if "{{" in str(content):
                continue
            marks: Json = {"setup": (*sign_up.setup, before), "priority": "high"}
            # Whether it is refused or not, it is no contradiction of the document.
            marks["statuses"] = refused_login(login)["statuses"]
            words = f"with a {kind} letter where the name was signed up with another"
            yield make_proposal(login, name, words, "state", with_body(login.request, content), **marks)


def _parts(content: Any) -> dict[str, str]:
    """Return the name, e-mail address and password that a body has, as far as they stand in it."""
    found: dict[str, str] = {}
    for pointer, value in leaves(content):
        part = part_of(pointer.rpartition("/")[2])
        if part and isinstance(value, str) and "{{" not in value:
            found.setdefault(part, value)
    return found
