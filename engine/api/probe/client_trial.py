"""Finds whether tests of an API can ask the application by the test client of its framework, without a server.

The worker (`http/try_client.py`) sends the requests of all cases through that client, each on copies of the objects
that requests change, in another order than before. Where the answers are those that the started application gave, the
tests use the client; where they are not, they start the application.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....sandbox.protocol import Limits
from ....sandbox.target import PythonTarget
from ....sandbox.worker_files import worker_arguments
from ....utils.untrusted_files import read_json
from ..document.application import AppLaunch
from ..document.auth import Credential, with_credentials
from ..model.model import Json
from .sign_in.users import constants_of, worker_users

_SECONDS = 180.0
_ALLOWED = 0.02
"""The share of cases whose answers may differ, which are left to the gate: it drops what does not hold."""


@dataclass(frozen=True, slots=True)
class ClientTrial:
    """What trying the test client gave.

    Attributes:
        client: the spec's form of the client; None where the tests start the application.
        reason: why they start it; empty where they do not.
    """

    client: Json | None = None
    reason: str = ""


async def try_test_client(
    target: PythonTarget, launch: AppLaunch, spec: Json, credentials: Mapping[str, Credential]
) -> ClientTrial:
    """Try the test client on the cases of a spec.

    Args:
        spec: as composed, in the form for a started application.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    if not launch.application or launch.command or launch.folder:
        return ClientTrial(reason="a command starts it" if launch.command else "it runs in a folder of the project")
    cases = list(_cases(spec, credentials))
    if not cases:
        return ClientTrial(reason="no test asks it")
    reasons: list[str] = []
    # Plainest first. Variables that a fixture sets come too late for modules that read them while they are imported;
    # a module that opens a database while it is imported needs a folder of its own before.
    for when in ("late", *["early"] * bool(launch.environment), "anew"):
        facts = await _tried(target, launch, cases, credentials, when=when)
        if facts.get("works", 0) >= len(cases) * (1 - _ALLOWED):
            return ClientTrial(_form(facts, when))
        number = f"more than {int(len(cases) * _ALLOWED)} of {len(cases)} requests"
        works = f"{number} are answered otherwise than by the started application"
        reasons.append(str(facts.get("reason") or works))
    return ClientTrial(reason=reasons[0])


def _form(facts: Mapping[str, Any], when: str) -> Json:
    form: Json = {"kind": str(facts["kind"])}
    if facts.get("state"):
        form["state"] = [[str(place) for place in group] for group in facts["state"]]
    if facts.get("own_folder"):
        form["own_folder"] = True
    if facts.get("signed_in_once"):
        form["signed_in_once"] = True
    if facts.get("unset"):
        form["unset"] = [str(name) for name in facts["unset"]]
    if facts.get("settings"):
        form |= {"settings": str(facts["settings"])} | {
            name: True for name in ("transactions", "plugin", "superuser") if facts.get(name)
        }
    if when == "early":
        form["early_environment"] = True
    if when == "anew":
        form |= {"database": str(facts["database"]), "packages": [str(name) for name in facts["packages"]]}
    return form


def _cases(spec: Json, credentials: Mapping[str, Credential]) -> Iterator[Json]:
    for case in spec["cases"]:
        requests = [*((case.get("arrange") or {}).get("requests") or ()), case["act"]["request"]]
        statuses = [status for one in case["expect"] if one["kind"] == "status" for status in one["statuses"]]
        if not statuses:
            continue
        sent: Json = {
            "requests": [with_credentials(request, credentials) for request in requests],
            "status": statuses[0],
        }
        bodies = [one["value"] for one in case["expect"] if one["kind"] == "body_equals"]
        yield {**sent, "body": bodies[0]} if bodies and "{{" not in json.dumps(bodies[0]) else sent


async def _tried(
    target: PythonTarget, launch: AppLaunch, cases: list[Json], credentials: Mapping[str, Credential], *, when: str
) -> Mapping[str, Any]:
    async with target.workspace() as workspace:
        folder = workspace.scratch / "tmp" / "client"
        folder.mkdir(parents=True)
        result = workspace.scratch / "client.json"
        config = {
            "application": launch.application,
            "import_roots": [str(workspace.project / root) for root in launch.import_roots],
            "root": str(workspace.project),
            "environment": {**launch.environment, **target.variables},
            "when": when,
            "folder": str(folder),
            "users": worker_users(credentials),
            "names": constants_of(credentials),
            "cases": cases,
            "allowed": int(len(cases) * _ALLOWED),
            "result": str(result),
        }
        program = workspace.program(
            worker_arguments("http.try_client"),
            network="loopback",
            limits=Limits(wall_seconds=_SECONDS, memory_mib=4096),
            stdin=json.dumps(config).encode(),
        )
        completed = await target.sandbox.run(program)
        try:
            found = read_json(workspace.folder, result.relative_to(workspace.folder).as_posix())
        except (OSError, ValueError):
            return {"reason": completed.reason or f"it ended with {completed.exit_code}"}
    return found if isinstance(found, dict) else {"reason": "the worker told nothing usable"}
