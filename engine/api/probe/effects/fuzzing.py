"""Has Schemathesis fuzz an application, and sends its counterexamples again, each to a fresh state.

What repeats there, alone or after changes that were made before, is judged as our own requests are, so that a cause
that both found is one finding. What does not is counted, and told nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from .....sandbox.target import PythonTarget
from .....utils.names.counted import counted
from ...document.application import AppConditions, AppLaunch, open_application
from ...document.auth import Credential, secret_location
from ...document.fuzz_program import SchemathesisProgram
from ...model.model import Api, Json, ObservedProposal
from ..sign_in.users import ADMIN, USER, sign_in_users
from .fuzz_replay import Counterexample, FuzzReplay

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
    found: list[Counterexample] = []
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
            found += [Counterexample(who, one) for one in told.get("counterexamples") or ()]
            sent += int(told.get("cases") or 0)
        seen, lost = await FuzzReplay(observer, api, credentials).seen(found)
    notes.append(f"Schemathesis sent {counted(sent, 'request')} with the seed {options.seed}.")
    if lost:
        notes.append(
            f"{counted(lost, 'server error')} that Schemathesis met did not repeat on a fresh state, nor after "
            "what was changed before, and are left out."
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
