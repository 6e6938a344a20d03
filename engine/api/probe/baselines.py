"""Finds, for each operation, a request that succeeds and the shortest setup it needs.

Operations that create things are tried first. A failed operation is tried again once more is known: with all optional
properties, with other values of an enumeration, after everything that worked. The setup is then minimised as long as
the operation still succeeds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from ..document.application import AppObserver
from ..document.auth import Credential, auth_names, with_credentials
from ..document.schemas import type_of
from ..model.model import UNSAFE, HttpAnswer, Json, Operation, Proposal
from ..values.data import NOTHING
from .distinct import alike_pair, other_value, told_apart
from .execute import all_worked, saved_values
from .resource_model import (
    SAVED_TAG,
    BaselineRequest,
    ResourceModel,
    build_request,
    fields_of,
    holds_id,
    is_complete,
    merge_setups,
    put_parameter,
    saving_tag,
    with_header,
)
from .saved_ids import find_saved_ids, makers_first
from .sign_in.issued import further_logins, with_issued_tokens
from .sign_in.shapes import ends_session, part_of
from .sign_in.users import constant

_ROUNDS = 3
_MOST_VALUES = 6
_MOST_COMBINATIONS = 24
_MOST_ASKED = 8
_MOST_NAMED = 2
_PRECONDITION_REQUIRED = 428


class BaselineFinder:
    """Finds baseline requests.

    `failures` holds the last answer of each operation that has no baseline, `broken` the first valid request of an
    operation that was answered with a server error or not at all. `is_cut_short` tells that `until` came first.

    Args:
        budget: maximum number of request sequences tried for one operation.
        until: when to stop, by the monotonic clock; None for never.
    """

    def __init__(
        self,
        observer: AppObserver,
        world: ResourceModel,
        credentials: Mapping[str, Credential],
        *,
        budget: int = 24,
        until: float | None = None,
    ) -> None:
        self._observer = observer
        self._world = world
        self._credentials = credentials
        self._budget = budget
        self._until = until
        self._together: dict[str, list[Json]] = {}
        self.is_cut_short = False
        self.failures: dict[str, HttpAnswer] = {}
        self.broken: dict[str, Proposal] = {}

    async def find(self) -> None:
        """Fill the resource model with baselines. Raises SandboxFailure."""
        ranked = makers_first(self._world)
        for number in range(_ROUNDS):
            before = len(self._world.baselines)
            for operation in ranked:
                if self._until is not None and time.monotonic() > self._until:
                    self.is_cut_short = True
                    return
                if operation.name not in self._world.baselines:
                    await self._try(operation, number)
            # Another round can only help where the last one found something new.
            if len(self._world.baselines) == before and number:
                return

    async def _try(self, operation: Operation, number: int) -> None:
        left = self._budget
        everything = await self.everything(operation) if number else []
        for request, setup in self._stories(operation, number, everything):
            if left <= 0:
                return
            left -= 1
            answers = await self.send((*setup, request))
            if answers[-1].keeps_out and len(answers) == len(setup) + 1:
                request, answers = await self._as_another(operation, request, setup, answers)
            if answers[-1].status == _PRECONDITION_REQUIRED and len(answers) == len(setup) + 1:
                request, setup, answers = await self._with_tag(operation, request, setup, answers)
            answer = answers[-1]
            if len(answers) == len(setup) + 1 and answer.ok:
                # Setups of the first round are minimal already; later rounds try everything that worked before.
                if number:
                    setup = await self._shortened(setup, request)
                known = [value for value in saved_values(setup, answers).values() if "{" in operation.path]
                saves = find_saved_ids(operation, self._world.api, answer, known) if operation.method == "POST" else {}
                self._world.baselines[operation.name] = BaselineRequest(operation, request, setup, answer, saves)
                self.failures.pop(operation.name, None)
                self._world.refused.pop(operation.name, None)
                return
            # What an application answers tells more than that a setup did not get so far.
            if not answer.broken_link or operation.name not in self.failures:
                self.failures[operation.name] = answer
            if 400 <= answer.status < 500 and answer.status != 405 and len(answers) == len(setup) + 1:
                refused = BaselineRequest(operation, request, tuple(setup), answer)
                self._world.refused.setdefault(operation.name, refused)
            # A server error on valid values is a suspected defect, not a reason to try other values only.
            if answer.status >= 500 or (answer.failure and not answer.broken_link):
                title = f"{operation.label} with valid values"
                proposal = Proposal(operation, "valid_values", title, "resilience", request, tuple(setup))
                self.broken.setdefault(operation.name, proposal)
            if answer.failure and not answer.broken_link:
                return  # it hangs or kills the application: do not send it again

    async def _as_another(
        self, operation: Operation, request: Json, setup: tuple[Json, ...], answers: tuple[HttpAnswer, ...]
    ) -> tuple[Json, tuple[HttpAnswer, ...]]:
        """Ask again as each user who may be let through, and note who is; the request as it was where nobody is."""
        asked_by = auth_names(request)
        for name in self._world.users:
            # What needs no credential by the document may need one all the same.
            if name in asked_by or name == "other_user":
                continue
            asked = {**request, "auth": name}
            again = await self.send((*setup, asked))
            if len(again) == len(setup) + 1 and not again[-1].keeps_out:
                self._world.roles[operation.name] = name
                return asked, again
        return request, answers

    async def _with_tag(
        self, operation: Operation, request: Json, setup: tuple[Json, ...], answers: tuple[HttpAnswer, ...]
    ) -> tuple[Json, tuple[Json, ...], tuple[HttpAnswer, ...]]:
        """Ask again with the entity tag of what is changed, where a reading tells it; as it was where none does."""
        for reading in self._world.baselines.values():
            same = reading.operation.path == operation.path and reading.operation.method == "GET"
            if not same or "etag" not in reading.answer.headers:
                continue
            whole = tuple(merge_setups(setup, (*reading.setup, saving_tag(reading.request))))
            asked = with_header(request, "If-Match", SAVED_TAG)
            again = await self.send((*whole, asked))
            if len(again) == len(whole) + 1 and again[-1].status != _PRECONDITION_REQUIRED:
                return asked, whole, again
        return request, setup, answers

    def _stories(
        self, operation: Operation, number: int, everything: Sequence[Json]
    ) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield request sequences, the plainest first; later rounds try more, also after everything that worked."""
        plain = build_request(self._world, operation)
        if plain is None:
            return
        if operation.method == "PATCH" and (plain[0].get("body") or {}).get("content") == {}:
            yield from self._one_change(operation, plain[1])
        # Taking away a mark that was never set does nothing: it is set first, by a PUT only where it has to be.
        yield from self._undoing(operation, plain[0], "POST")
        # Whom somebody follows is another one: of oneself nobody could tell who follows whom.
        yield from self._of_users(operation, others=True)
        yield from further_logins(self._world, operation)
        yield from with_issued_tokens(self._world, operation)
        yield plain
        yield from self._undoing(operation, plain[0], "PUT")
        full = build_request(self._world, operation, full=True)
        if full is not None and full != plain:
            yield full
        for body in self._other_bodies(operation, (plain[0].get("body") or {}).get("content")):
            made = build_request(self._world, operation, body=body)
            if made is not None:
                yield made
        yield from self._of_users(operation)
        if not number:
            return
        choices = [plain, *([full] if full is not None and full != plain else []), *self._other_values(operation)]
        for request, setup in choices:
            whole = tuple(merge_setups(everything, setup))
            if is_complete((*whole, request)) and whole != setup:
                yield request, whole
        for request, setup in choices[1:]:
            yield request, setup
        yield from self._referring(operation, plain)

    def _undoing(self, operation: Operation, plain: Json, method: str) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield a removal after what it undoes, by the same user: `DELETE /people/{name}/follow` after its POST."""
        for known in self._world.baselines.values():
            made = known.operation.method == method and known.operation.path == operation.path
            if operation.method == "DELETE" and made:
                same = {key: known.request[key] for key in ("path_parameters", "auth") if key in known.request}
                asked = {**plain, **same}
                yield asked, tuple(known.story)

    def _other_bodies(self, operation: Operation, content: Any) -> Iterator[Json]:
        """Yield the body with its lists empty, and with other values where two properties have the same."""
        if not isinstance(content, dict) or operation.body is None:
            return
        # A resource that a list names may not exist yet.
        bare = {name: [] if isinstance(entry, list) else entry for name, entry in content.items()}
        if bare != content and self._world.samples.problem(bare, operation.body.schema) is None:
            yield bare
        yield from told_apart(content, operation.body.schema, self._world.samples)

    def _referring(
        self, operation: Operation, plain: tuple[Json, tuple[Json, ...]]
    ) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield the request with ids of resources in fields whose names do not tell what they refer to."""
        content = fields_of(plain[0])
        if operation.body is None or content is None:
            return
        properties = self._world.samples.properties(operation.body.schema)
        for producer in list(self._world.baselines.values()):
            pair = alike_pair(producer, self._world)
            if pair is None or producer.operation.path == operation.path:
                continue
            first, other = (next(iter(request["save"])) for request in pair)
            fields = [
                name
                for name, value in content.items()
                if "{{" not in str(value) and not isinstance(value, bool | list | dict)
                if "enum" not in self._world.samples.merged(properties.get(name, True))
                if holds_id(producer, self._world.samples.merged(properties.get(name, True)))
            ]
            made = [(*producer.setup, pair[0], pair[1])] * 2
            for names, setup in zip((fields[:2], fields[1::-1]), made, strict=True):
                ids = dict(zip(names, (f"{{{{{first}}}}}", f"{{{{{other}}}}}"), strict=False))
                body = {**content, **ids}
                if ids:
                    request = {**plain[0], "body": {**plain[0]["body"], "content": body}}
                    yield request, tuple(merge_setups(plain[1], setup))

    def _one_change(self, operation: Operation, setup: tuple[Json, ...]) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield an update of the first property that can be another than its setup has made it, where all may lack."""
        assert operation.body is not None
        samples = self._world.samples
        given = {name: entry for step in setup for name, entry in (fields_of(step) or {}).items()}
        for name, inner in samples.properties(operation.body.schema).items():
            value = given.get(name, samples.value(inner, name))
            # A changed password ends what signs in with it.
            if "{{" in str(value) or "password" in name.lower():
                continue
            other = other_value(inner, value, samples)
            if other is not NOTHING:
                changed = build_request(self._world, operation, body={name: other})
                if changed is not None:
                    yield changed
                return

    def _of_users(self, operation: Operation, *, others: bool = False) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield the request with the name or address of a user who exists, where its path or query asks for one.

        Args:
            others: only with those of the second user, and only where its path asks and something is changed.
        """
        users = [name for name, known in self._world.users.items() if known.sign_in is not None][:_MOST_NAMED]
        places = ("path",) if others else ("path", "query")
        if others and (operation.method not in UNSAFE or operation.body is not None):
            return
        for user in users[1:] if others else users:
            # Who may ask is known by now: others may have been refused before. Nobody may befriend themselves.
            made = build_request(self._world, operation)
            parts = [(known, part_of(known.name)) for known in operation.parameters if known.where in places]
            named = [(known, part) for known, part in parts if part in ("name", "email")]
            if made is None or not named:
                return
            request = {key: dict(entry) if isinstance(entry, dict) else entry for key, entry in made[0].items()}
            for known, part in named:
                put_parameter(request, known, f"{{{{{constant(user, part)}}}}}")
            yield request, made[1]

    async def everything(self, operation: Operation) -> list[Json]:
        """Return all requests that changed state successfully and do so one after the other, except removals."""
        story: list[Json] = []
        for baseline in self._world.baselines.values():
            changes = baseline.operation.method in ("POST", "PUT") and not ends_session(baseline.operation)
            if changes and baseline.operation.name != operation.name:
                story = merge_setups(story, baseline.story)
        for baseline in self._world.baselines.values():
            if baseline.operation.method == "PATCH" and baseline.operation.path != operation.path:
                story = merge_setups(story, baseline.story)
        key = json.dumps(story)
        if key not in self._together:
            self._together[key] = await self._that_work(story)
        return self._together[key]

    async def _that_work(self, story: list[Json]) -> list[Json]:
        """Return the requests of a sequence without those that others before them make fail, and what needs these."""
        while story:
            answers = await self.send(story)
            failed = next((at for at, answer in enumerate(answers) if not answer.ok), None)
            if failed is None:
                break
            rest, story = [*story[:failed], *story[failed + 1 :]], []
            for step in rest:
                story += [step] if is_complete([*story, step]) else []
        return story

    def _other_values(self, operation: Operation) -> Iterator[tuple[Json, tuple[Json, ...]]]:
        """Yield the plain request with each other value of an enumeration or flag in its body."""
        if operation.body is None:
            return
        samples = self._world.samples
        body = samples.value(operation.body.schema, "body")
        if not isinstance(body, dict):
            return
        for name, inner in samples.properties(operation.body.schema).items():
            whole = samples.merged(inner)
            values: Sequence[Any] = whole.get("enum") or ((False, True) if type_of(whole) == "boolean" else ())
            for value in values[:_MOST_VALUES]:
                # The plain request has this value and was tried first.
                if name in body and body[name] == value:
                    continue
                made = build_request(self._world, operation, body={**body, name: value})
                if made is not None:
                    yield made

    async def _shortened(self, setup: tuple[Json, ...], request: Json) -> tuple[Json, ...]:
        """Minimise the setup: remove requests one by one, last first."""
        kept = list(setup)
        for step in reversed(setup):
            shorter = [other for other in kept if other is not step]
            if not is_complete((*shorter, request)):
                continue
            answers = await self.send((*shorter, request))
            if all_worked(answers, (*shorter, request)):
                kept = shorter
        return tuple(kept)

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        """Return the answers to a request sequence on a fresh state.

        Args:
            again: whether it is sent although it was sent before.

        Raises:
            SandboxFailure: the sandbox broke.
        """
        sent = [with_credentials(request, self._credentials) for request in requests]
        answers = await self._observer.answers(sent, again=again)
        return answers or (HttpAnswer(failure="it was not sent"),)


async def find_working_credentials(
    observer: AppObserver, world: ResourceModel, offered: Mapping[str, Sequence[Credential]]
) -> dict[str, Credential]:
    """Return, for each security scheme, the first offered credential that is accepted.

    A credential is accepted where an answer lets in who has it. Schemes that are needed together are tried together.
    """
    found: dict[str, Credential] = {}
    declared = [schemes for operation in world.api.operations for schemes in operation.security]
    alternatives = dict.fromkeys(filter(None, declared))
    # Schemes used alone first: fewer combinations are left to try where several are needed together.
    for alternative in sorted(alternatives, key=len):
        if all(scheme in found for scheme in alternative) or not all(offered.get(scheme) for scheme in alternative):
            continue
        request = await _closed_request(observer, world, alternative)
        if request is None:
            continue
        options = [[found[scheme]] if scheme in found else offered[scheme] for scheme in alternative]
        for chosen in islice(product(*options), _MOST_COMBINATIONS):
            tried = {**request, "auth": [credential.name for credential in chosen]}
            by_name = {credential.name: credential for credential in chosen}
            answers = await observer.answers([with_credentials(tried, by_name)])
            if answers and answers[0].lets_in:
                found |= dict(zip(alternative, chosen, strict=True))
                break
    return found


async def _closed_request(observer: AppObserver, world: ResourceModel, alternative: tuple[str, ...]) -> Json | None:
    """Return a request that is refused without credentials; None where everybody is let through.

    An application may ask for credentials by its document and do without them: what it then answers says nothing of
    the credentials that were sent.
    """
    refused: Json | None = None
    named = [operation for operation in world.api.operations if alternative in operation.security]
    for operation in named[:_MOST_ASKED]:
        made = build_request(world, operation, linked=False, body=_some_body(world, operation))
        if made is None:
            continue
        request = {key: entry for key, entry in made[0].items() if key != "auth"}
        answers = await observer.answers([request])
        if not answers or answers[0].ok or answers[0].failure:
            continue
        if answers[0].keeps_out:
            return request
        # It may be refused for its values; one that is refused for who asks is surer.
        refused = refused or request
    return refused


def _some_body(world: ResourceModel, operation: Operation) -> Any:
    if operation.body is None:
        return NOTHING
    return world.samples.value(operation.body.schema, "body")
