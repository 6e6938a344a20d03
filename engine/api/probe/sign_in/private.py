"""Finds the secrets of users: what no test, report or reason may hold."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.auth import SignIn
from ...model.json_values import resolve_pointer
from ..explore import ApiExploration
from ..resource_model import parse_json


def user_passwords(exploration: ApiExploration) -> list[str]:
    """Return the passwords of users that exist already."""
    return [sign_in.secret for sign_in in _sign_ins(exploration)]


def _sign_ins(exploration: ApiExploration) -> Iterator[SignIn]:
    for credential in exploration.credentials.values():
        if credential.sign_in is not None:
            yield credential.sign_in


def user_tokens(exploration: ApiExploration) -> Iterator[str]:
    """Yield the tokens and cookies that logins answered."""
    for sign_in in _sign_ins(exploration):
        places = {(request["method"], request["path"]) for request in sign_in.requests}
        for seen in exploration.seen:
            requests = (*seen.proposal.setup, seen.proposal.request)
            for request, answer in zip(requests, seen.answers, strict=False):
                if (request["method"], request["path"]) not in places or not answer.ok:
                    continue
                token = resolve_pointer(parse_json(answer), sign_in.pointer) if sign_in.pointer else None
                if isinstance(token, str):
                    yield token
                # Attributes of a cookie, such as its path, follow its value.
                yield answer.headers.get("set-cookie", "").partition(";")[0].partition("=")[2]
