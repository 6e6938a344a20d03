"""Has Schemathesis fuzz an application, and sends its counterexamples again, each to a fresh state.

What repeats there is judged as our own requests are, so that a cause that both found is one finding. What does not
hangs on what was sent before, which nobody could show with one request: it is counted, and told nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .....sandbox.target import PythonTarget
from .....utils.names.counted import counted
from ...document.application import AppConditions, AppLaunch, AppObserver, open_application
from ...document.auth import Credential, auth_entry, secret_location
from ...document.fuzz_program import SchemathesisProgram
from ...model.model import Api, Json, ObservedProposal, Operation, Proposal
from ...values.unusual import kind_in
from ..execute import execute_proposals
from ..sign_in.users import ADMIN, USER, sign_in_users

SCHEMATHESIS = "Schemathesis"
_LONGEST_ROUND = 100.0
"""Seconds with one state and one sign-in: tokens may end, and what is fuzzed may end its sign-in."""


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """What Schemathesis is started with; `seconds` is how long it sends requests, in all rounds together."""

    program: SchemathesisProgram
    seed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Fuzzing:
    """What came of fuzzing: observations that repeat or not, and notes for the report."""

    seen: tuple[ObservedProposal, ...] = ()
    notes: tuple[str, ...] = ()


async def fuzz_api(
    target: PythonTarget,
    api: Api,
    launch: AppLaunch,
    document: Json,
    credentials: Mapping[str, Credential],
    options: FuzzOptions,
    *,
    wanted: Collection[str] | None = None,
    conditions: AppConditions | None = None,
) -> Fuzzing:
    """Fuzz an application as each of those who may sign in, on states of its own.

    Args:
        document: describes the API, with paths at which the application answers.
        wanted: names of the operations to fuzz; None for all.

    Raises:
        EnvironmentFault: the application does not start. SandboxFailure: the sandbox broke.
    """
    users = {name: known for name, known in credentials.items() if known.sign_in is not None}
    only = [one.label for one in api.operations if wanted is not None and one.name in wanted]
    described = {key: value for key, value in document.items() if key != "servers"}
    order = {"command": list(options.program.command), "document": described, "only": only}
    found: list[tuple[str, Json]] = []
    notes: list[str] = []
    sent = 0
    async with open_application(target, launch, conditions, readable=options.program.readable) as observer:
        if users:
            await sign_in_users(observer, users)
        for number, (who, seconds) in enumerate(_rounds(users, options.seconds)):
            told = await observer.fuzz(
                order
                | {"user": who, "headers": _headers(credentials), "seconds": seconds, "seed": options.seed + number},
                seconds,
            )
            notes += [f"Fuzzing: {told['failure']}"] if "failure" in told else []
            found += [(who, one) for one in told.get("counterexamples") or ()]
            sent += int(told.get("cases") or 0)
        seen = await _replayed(observer, _proposals(api, found, credentials), credentials)
    repeated = [one for one in seen if (one.steady and one.answer.status >= 500) or one.answer.failure]
    lost = sum(one["check"] == "not_a_server_error" for _, one in found) - len(repeated)
    notes.append(f"Schemathesis sent {counted(sent, 'request')} with the seed {options.seed}.")
    if lost > 0:
        notes.append(
            f"{counted(lost, 'server error')} that Schemathesis met did not repeat on a fresh state, and are left out."
        )
    return Fuzzing(tuple(seen), tuple(dict.fromkeys(notes)))


def _rounds(users: Mapping[str, Credential], seconds: float) -> Iterator[tuple[str, float]]:
    """Yield who asks for how long: a plain user and an administrator by turns, or nobody."""
    asking = [name for name in (USER, ADMIN) if name in users] or [""]
    number = max(len(asking), int(-(-seconds // _LONGEST_ROUND)))
    for at in range(number):
        yield asking[at % len(asking)], seconds / number


def _headers(credentials: Mapping[str, Credential]) -> dict[str, str]:
    """Return the headers of keys that every request has."""
    fixed = [secret_location(known, known.value) for known in credentials.values() if known.sign_in is None]
    return {name: value for where, name, value in fixed if where == "headers"}


def _proposals(api: Api, found: Sequence[tuple[str, Json]], credentials: Mapping[str, Credential]) -> list[Proposal]:
    """Return the requests of counterexamples of known operations; of other methods none, which no client sends."""
    operations = {operation.label: operation for operation in api.operations}
    fixed = [name for name, known in credentials.items() if known.sign_in is None]
    made: list[Proposal] = []
    for who, one in found:
        operation = operations.get(str(one["label"]))
        if operation is not None:
            asking = [*([who] if who else []), *fixed]
            request = {**one["request"], **({"auth": auth_entry(asking)} if asking else {})}
            made.append(_proposal(operation, request, len(made)))
    return made


def _proposal(operation: Operation, request: Json, number: int) -> Proposal:
    values: list[Any] = [request.get(part) for part in ("path_parameters", "query", "headers")]
    values.append((request.get("body") or {}).get("content"))
    return Proposal(
        operation,
        f"fuzzed_{number}",
        f"{operation.label} with values that {SCHEMATHESIS} made",
        "boundary",
        request,
        cause=kind_in(values),
        found_by=SCHEMATHESIS,
    )


async def _replayed(
    observer: AppObserver, proposals: Sequence[Proposal], credentials: Mapping[str, Credential]
) -> list[ObservedProposal]:
    """Return what each request is answered on a fresh state, twice: what differs is not steady."""
    first = await execute_proposals(observer, proposals, credentials)
    again = await execute_proposals(observer, proposals, credentials)
    return [
        replace(one, steady=one.answer.status == other.answer.status) for one, other in zip(first, again, strict=True)
    ]
