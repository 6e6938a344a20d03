"""Drops the setup of negative cases: a validation or authentication error does not depend on server state.

Such a case is shorter and faster, and can share a table with similar ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..document.application import AppObserver
from ..document.auth import Credential, with_credentials
from ..model.model import Json, ObservedProposal
from .resource_model import variables_in
from .stability import saved_values

_CATEGORIES = ("validation", "authentication", "contract")
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


async def drop_setup(
    observer: AppObserver, seen: Sequence[ObservedProposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Remove the setup of refused proposals whose answer is identical without it.

    Saved ids are replaced by their recorded values: nothing has these ids then, and an identical answer proves that the
    application did not look them up.

    Raises:
        SandboxFailure: the worker ended.
    """
    found: list[ObservedProposal] = []
    for one in seen:
        proposal = one.proposal
        if proposal.category not in _CATEGORIES or not proposal.setup or not _is_refused(one):
            found.append(one)
            continue
        request = with_values(proposal.request, saved_values(proposal.setup, one.answers))
        answers = await observer.answers([with_credentials(request, credentials)]) if request is not None else ()
        if len(answers) == 1 and (answers[0].status, answers[0].text) == (one.answer.status, one.answer.text):
            one = replace(one, proposal=replace(proposal, request=request, setup=()), answers=answers)
        found.append(one)
    return found


def _is_refused(seen: ObservedProposal) -> bool:
    return seen.complete and not seen.answer.failure and 400 <= seen.answer.status < 500


def with_values(request: Json, values: Mapping[str, Any]) -> Json | None:
    """Replace saved names in a request by their values; None where one is unknown or not a scalar."""
    names = variables_in(request)
    if any(not isinstance(values.get(name), str | int | float) for name in names):
        return None
    return {key: _filled(one, values) for key, one in request.items()}


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(one, values) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    if not isinstance(value, str):
        return value
    whole = _VARIABLE.fullmatch(value)
    return values[whole[1]] if whole else _VARIABLE.sub(lambda found: str(values[found[1]]), value)
