"""Finds the secrets of users: what no test, report or reason may hold."""

from __future__ import annotations

from collections.abc import Iterator

from ..explore import ApiExploration
from ..resource_model import parse_json, resolve_pointer


def user_secrets(exploration: ApiExploration) -> tuple[str, ...]:
    """Return the passwords of users that exist already, and the tokens and cookies that logins answered."""
    return tuple(dict.fromkeys(_secrets(exploration)))


def _secrets(exploration: ApiExploration) -> Iterator[str]:
    for credential in exploration.credentials.values():
        sign_in = credential.sign_in
        if sign_in is None:
            continue
        yield sign_in.secret
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
