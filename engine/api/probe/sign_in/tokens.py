"""Proposes requests with tokens of their own: malformed ones, and those of a second session of the same user."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ...document.auth import Credential, auth_names
from ...model.model import UNSAFE, Json, Proposal
from ..baselines import BaselineFinder
from ..execute import all_worked, saved_values
from ..propose_values import copy_request, make_proposal, make_refusal
from ..resource_model import ISSUED, BaselineRequest, ResourceModel, with_header
from .users import USER, with_constants

FIRST_TOKEN = "with_its_first_token_after_a_second_login"
"""The name of a reading by a user who has logged in once more."""
_ISSUED = f"{ISSUED}token"
_TOKEN = f"{{{{{_ISSUED}}}}}"
_OTHER_SCHEMES = {"bearer": "Token", "token": "Bearer"}
"""Another word that may stand before a token; `Basic` would ask for its contents to be decoded."""
_LOGINS = 3
"""Of so many in a row two are in the same second, also where another one begins between them."""
_TIMES = ("iat", "exp", "nbf", "auth_time")


def malformed_tokens(baseline: BaselineRequest, credentials: Mapping[str, Credential]) -> Iterator[Proposal]:
    """Yield calls with a token that was issued and is sent wrongly.

    With another end an unchecked signature lets it through; without the word of its scheme, or after another one, a
    header that is not parsed does.
    """
    credential = credentials.get(USER)
    login = _login(credential)
    if credential is None or login is None or auth_names(baseline.request) != (USER,):
        return
    word = credential.parameter or "Bearer"
    # More at the end always changes a signature; another last character may stand for the same bytes.
    yield _refused(baseline, login, f"{word} {_TOKEN}x", "with a token whose end was changed")
    # Some take a bare token on purpose, which no document forbids.
    bare = _refused(baseline, login, _TOKEN, f"with a token without {word} before it")
    other = _OTHER_SCHEMES.get(word.lower(), "Bearer")
    another = _refused(baseline, login, f"{other} {_TOKEN}", f"with {other} before its token")
    yield from (replace(one, wants="any") for one in (bare, another))


def _login(credential: Credential | None) -> Json | None:
    """Return the login of a user that saves its token; None where one cannot be had a second time."""
    sign_in = credential.sign_in if credential is not None else None
    if credential is None or sign_in is None or credential.kind != "bearer" or not sign_in.pointer:
        return None
    requests = list(sign_in.requests)
    # A token that only a sign-up gives cannot be had a second time under the same name.
    if not requests or (len(requests) < 2 and not sign_in.identity):
        return None
    return {**with_constants(requests[-1], USER), "save": {_ISSUED: sign_in.pointer}}


def _with_token(request: Json, header: str) -> Json:
    made = {key: entry for key, entry in copy_request(request).items() if key != "auth"}
    return with_header(made, "Authorization", header)


def _refused(baseline: BaselineRequest, login: Json, header: str, how: str) -> Proposal:
    marks: Json = {"category": "authentication", "priority": "critical", "setup": (*baseline.setup, login)}
    return make_refusal(baseline, f"a call {how}", _with_token(baseline.request, header), name=how, breaks=how, **marks)


async def second_sessions(
    finder: BaselineFinder, world: ResourceModel, most: int, wanted: Collection[str] | None = None
) -> list[Proposal]:
    """Return readings that tell what a second session of a user is worth: at its login, and when the first has ended.

    What ends a session is found by asking with its token afterwards.

    Args:
        most: how many requests are tried as the end of a session.
        wanted: names of the operations that they are proposed for; None for all.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    login = _login(world.users.get(USER))
    reading = next((known for known in world.baselines.values() if _asks_alone(known, world)), None)
    if login is None or reading is None or (wanted is not None and reading.operation.name not in wanted):
        return []
    request = copy_request(reading.request)
    later = _with_token(request, f"{world.users[USER].parameter or 'Bearer'} {_TOKEN}")
    marks: Json = {"priority": "critical", "setup": (login,)}
    found = [
        make_proposal(reading, FIRST_TOKEN, "with its first token after a second login", "state", request, **marks)
    ]
    # With a token that may be the first one's, the answer would depend on when the second login is.
    endings = _endings(world) if await _gives_another_token(finder, request, login) else ()
    for change in islice(endings, most):
        step = copy_request(change.request)
        answers = await finder.send((*change.setup, step, request))
        if len(answers) != len(change.setup) + 2 or not answers[-2].ok or not answers[-1].keeps_out:
            continue
        name = f"with_another_token_after_{change.operation.name}"
        words = f"with the token of a second login after {change.operation.label}"
        marks["setup"] = (*change.setup, login, step)
        found.append(make_proposal(reading, name, words, "state", later, **marks))
    return found


def _endings(world: ResourceModel) -> Iterator[BaselineRequest]:
    """Yield the requests that may end a session: changes by the user that are about nothing else."""
    for change in world.baselines.values():
        own = change.operation.method in UNSAFE and auth_names(change.request) == (USER,)
        if own and not change.operation.path_parameters:
            yield change


async def _gives_another_token(finder: BaselineFinder, request: Json, login: Json) -> bool:
    """Whether each login gives a token of its own, also in the same second as the one before.

    Args:
        request: one by the user, who has signed up then.
    """
    steps = (request, *(login,) * _LOGINS)
    answers = await finder.send(steps)
    if not all_worked(answers, steps):
        return False
    tokens = {_without_times(saved_values([login], [answer]).get(_ISSUED)) for answer in answers[1:]}
    return len(tokens) == _LOGINS


def _without_times(token: object) -> str:
    """Return what a token that can be read holds besides times in whole seconds; the token itself for any other."""
    parts = str(token).split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(f"{parts[1]}==")) if len(parts) == 3 else None
    except ValueError:
        claims = None
    if not isinstance(claims, dict):
        return str(token)
    return json.dumps({name: one for name, one in claims.items() if name not in _TIMES or not isinstance(one, int)})


def _asks_alone(known: BaselineRequest, world: ResourceModel) -> bool:
    """Whether a reading needs a user and nothing else."""
    guarded = known.operation.name in world.guarded
    return known.operation.method == "GET" and guarded and not known.setup and auth_names(known.request) == (USER,)
