"""Sends the counterexamples of Schemathesis again, each to a fresh state: alone, and after what was sent before it.

A server error that does not come alone may come after changes that were made before: those of the same thing, else the
last ones of any kind. Of these the ones that it does not need are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...document.application import AppObserver
from ...document.auth import Credential, auth_entry
from ...model.model import Api, Json, ObservedProposal, Operation, Proposal
from ...values.unusual import kind_in
from ..execute import execute_proposals

SCHEMATHESIS = "Schemathesis"
_MOST_SEARCHED = 2
"""Of one operation as many server errors are looked for after other requests."""
_MOST_TRIES = 150
"""How often a story is sent in all, whole and in parts."""
_MOST_NAMED = 3
_SERVER_ERROR = "not_a_server_error"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A request of Schemathesis that was answered with a failure, and who asked.

    Attributes:
        who: the name of a user; empty for nobody.
        found: as `run_schemathesis.counterexamples` tells it.
    """

    who: str
    found: Json

    @property
    def is_server_error(self) -> bool:
        return self.found["check"] == _SERVER_ERROR


class FuzzReplay:
    """Replays counterexamples of the operations of an API on a running application."""

    def __init__(self, observer: AppObserver, api: Api, credentials: Mapping[str, Credential]) -> None:
        self._observer = observer
        self._operations = {operation.label: operation for operation in api.operations}
        self._credentials = credentials
        self._fixed = [name for name, known in credentials.items() if known.sign_in is None]
        self._left = _MOST_TRIES

    async def seen(self, found: Sequence[Counterexample]) -> tuple[list[ObservedProposal], int]:
        """Return what the requests are answered, twice each, and how many server errors did not come again.

        Of an operation of which some came again the others are not counted: they are mostly the same. Requests of
        other methods than the API has are left out, which no client sends.

        Raises:
            SandboxFailure: the sandbox broke.
        """
        known = [one for one in found if one.found["label"] in self._operations]
        alone = await self._twice([self._alone(one, number) for number, one in enumerate(known)])
        told = [seen for one, seen in zip(known, alone, strict=True) if not one.is_server_error or _repeats(seen)]
        met: Counter[str] = Counter()
        for number, (one, seen) in enumerate(zip(known, alone, strict=True)):
            if not one.is_server_error or _repeats(seen):
                continue
            met[one.found["label"]] += 1
            searched = met[one.found["label"]] <= _MOST_SEARCHED
            story = await self._after_others(one, number) if searched else None
            told += await self._twice([story]) if story is not None else []
        came_again = {seen.proposal.operation.label for seen in told if _repeats(seen)}
        return told, sum(number for label, number in met.items() if label not in came_again)

    async def _twice(self, proposals: Sequence[Proposal]) -> list[ObservedProposal]:
        """Return what each request is answered on a fresh state, twice: what differs is not steady."""
        first = await execute_proposals(self._observer, proposals, self._credentials)
        again = await execute_proposals(self._observer, proposals, self._credentials)
        pairs = zip(first, again, strict=True)
        return [replace(one, steady=one.answer.status == other.answer.status) for one, other in pairs]

    async def _after_others(self, one: Counterexample, number: int) -> Proposal | None:
        """Return a server error after as few changes as it needs; None where it does not come after them either."""
        for story in one.found.get("stories") or ():
            steps = list(story["before"])
            if not await self._breaks(one, story, steps, number):
                continue
            # What is later is left out first: it may name what the earlier ones save.
            for step in reversed(story["before"]):
                fewer = [other for other in steps if other is not step]
                if await self._breaks(one, story, fewer, number):
                    steps = fewer
            return self._story(one, story, steps, number)
        return None

    async def _breaks(self, one: Counterexample, story: Json, steps: Sequence[Json], number: int) -> bool:
        if not self._left:
            return False
        self._left -= 1
        proposal = self._story(one, story, steps, number)
        [seen] = await execute_proposals(self._observer, [proposal], self._credentials)
        return seen.complete and seen.answer.status >= 500

    def _alone(self, one: Counterexample, number: int) -> Proposal:
        return self._proposal(one, one.found["request"], (), number)

    def _story(self, one: Counterexample, story: Json, steps: Sequence[Json], number: int) -> Proposal:
        return self._proposal(one, story["request"], tuple(self._asked_by(one.who, step) for step in steps), number)

    def _asked_by(self, who: str, request: Json) -> Json:
        asking = [*([who] if who else []), *self._fixed]
        return {**request, **({"auth": auth_entry(asking)} if asking else {})}

    def _proposal(self, one: Counterexample, request: Json, setup: tuple[Json, ...], number: int) -> Proposal:
        operation: Operation = self._operations[str(one.found["label"])]
        values: list[Any] = [request.get(part) for part in ("path_parameters", "query", "headers")]
        values.append((request.get("body") or {}).get("content"))
        return Proposal(
            operation,
            f"fuzzed_{number}",
            f"{operation.label} {_after(setup)}with values that {SCHEMATHESIS} made",
            "boundary",
            self._asked_by(one.who, request),
            setup,
            cause=kind_in(values),
            found_by=SCHEMATHESIS,
        )


def _repeats(seen: ObservedProposal) -> bool:
    return (seen.steady and seen.answer.status >= 500) or bool(seen.answer.failure)


def _after(setup: Sequence[Json]) -> str:
    """Return what was sent before, in words."""
    labels = list(dict.fromkeys(f"{step['method']} {step['path']}" for step in setup))
    more = " and others" if len(labels) > _MOST_NAMED else ""
    return f"after {', '.join(labels[:_MOST_NAMED])}{more}, " if labels else ""
