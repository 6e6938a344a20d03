"""What was observed becomes a spec: cases that say where their expectations come from, defects, gaps (B-04)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .explore import ApiExploration
from .judge import Verdict, defects_of, judge
from .model import Api, Json, Operation, Proposal, Seen
from .observe import Launch
from .schemas import standalone
from .steady import leaves, saved_values
from .world import json_of, pointed

SCHEMA_VERSION = "2.0.0"
_MOST_BODY = 1500
_MOST_PATH = 1000
_STATUS = re.compile(r"[1-5](\d\d|XX)|default")
_MOST_ERROR = 300
_MOST_SCHEMA = 6000
_MOST_POINTS = 12


def compose_spec(
    exploration: ApiExploration, *, framework: str, target: Json, launch: Launch | None, start: str
) -> Json:
    """The spec of an API's tests.

    Args:
        target: `name` and, where known, `path`, `digest`, `description`, `base_url`.
        launch: how the application is started; None where it runs already.
        start: the same in words, for the lines that repeat a defect.
    """
    api = exploration.api
    cases: list[Json] = []
    verdicts: list[Verdict] = []
    unsteady: list[str] = []
    taken: set[str] = set()
    schema_shown: set[tuple[str, int]] = set()
    for seen in exploration.seen:
        verdict = judge(seen, api, exploration.samples)
        if verdict is not None:
            verdicts.append(verdict)
        elif not seen.steady:
            unsteady.append(f"{seen.proposal.operation.label} ({seen.proposal.name})")
        elif _worth_a_case(seen):
            case = _case(seen, exploration, taken, schema_shown)
            if case is not None:
                cases.append(case)
    told = {name: one.entry() for name, one in sorted(exploration.credentials.items())}
    used = {str(request["auth"]) for case in cases for request in _requests(case) if "auth" in request}
    spec: Json = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "api",
        "title": f"API tests for {api.title}"[:300],
        "language": "python",
        "framework": framework,
        "target": {**target, **_started(launch)},
    }
    auth = {name: entry for name, entry in told.items() if name in used}
    if auth:
        spec["auth"] = auth
    spec["operations"] = list(_described(api))
    spec["cases"] = cases
    spec["suspected_defects"] = defects_of(verdicts, exploration.credentials, start)
    spec["not_reached"] = list(_not_reached(exploration, unsteady))
    return spec


def _described(api: Api) -> Iterator[Json]:
    """Every operation, tested or not, with the statuses that somebody wrote down for it."""
    for one in sorted((*api.operations, *api.others), key=lambda one: (one.path, one.method)):
        if len(one.path) > _MOST_PATH or re.search(r"\s", one.path):
            continue
        statuses = sorted(name for name in one.responses if _STATUS.fullmatch(name)) if api.documented else []
        yield {"method": one.method, "path": one.path, **({"statuses": statuses} if statuses else {})}


def _started(launch: Launch | None) -> Json:
    if launch is None:
        return {}
    application: Json = {}
    if launch.application:
        application["import"] = launch.application
    if launch.command:
        application["command"] = list(launch.command)
    if launch.environment:
        application["environment"] = dict(sorted(launch.environment.items()))
    if launch.folder:
        application["folder"] = launch.folder
    return {"import_roots": list(launch.import_roots), "application": application}


def _requests(case: Mapping[str, Any]) -> Iterator[Json]:
    yield from (case.get("arrange") or {}).get("requests") or ()
    yield case["act"]["request"]


def _worth_a_case(seen: Seen) -> bool:
    proposal, status = seen.proposal, seen.answer.status
    if not seen.complete or seen.answer.failure or status >= 500:
        return False
    if any(not one.ok for one in seen.answers[:-1]):
        return False
    if proposal.category == "not_found" and status < 400:
        return False  # a PUT makes what was not there; that it does is shown elsewhere
    return not (proposal.category in ("validation", "authentication") and status < 400)


def _case(seen: Seen, exploration: ApiExploration, taken: set[str], schema_shown: set[tuple[str, int]]) -> Json | None:
    proposal, operation = seen.proposal, seen.proposal.operation
    expect = list(_expectations(seen, exploration, schema_shown))
    case: Json = {
        "id": _unique(f"tc_{operation.name}_{proposal.name}", taken),
        "title": proposal.title,
        "priority": proposal.priority,
        "preconditions": ["The application has just been started."],
        "steps": [_step(one) for one in (*proposal.setup, proposal.request)],
        "expected": _expected(seen),
        "operation": _operation(operation, proposal),
        "category": _category(seen),
    }
    if proposal.group:
        case["group"] = re.sub(r"\W", "_", proposal.group)
    if proposal.setup:
        case["arrange"] = {"requests": [dict(one) for one in proposal.setup]}
    case["act"] = {"request": {key: one for key, one in proposal.request.items() if key != "save"}}
    case["expect"] = expect
    return case


def _category(seen: Seen) -> str:
    status = seen.answer.status
    if seen.proposal.category == "state" and status >= 400:
        return {404: "not_found", 409: "conflict"}.get(status, "state")
    if seen.proposal.category in ("success", "boundary") and status >= 400:
        return "state"
    return seen.proposal.category


def _operation(operation: Operation, proposal: Proposal) -> Json:
    told: Json = {"method": proposal.request["method"], "path": operation.path}
    if operation.id and proposal.request["method"] == operation.method:
        told["operation_id"] = operation.id[:200]
    return told


def _unique(name: str, taken: set[str]) -> str:
    base = re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]+", "_", name.lower())).strip("_")[:150]
    made, number = base, 2
    while made in taken:
        made, number = f"{base}_{number}", number + 1
    taken.add(made)
    return made


def _step(request: Mapping[str, Any]) -> str:
    path = request["path"]
    for name, value in (request.get("path_parameters") or {}).items():
        path = path.replace("{" + name + "}", str(value))
    words = f"{request['method']} {path}"
    if request.get("query"):
        words += f" with {json.dumps(request['query'])}"
    content = (request.get("body") or {}).get("content")
    if content is not None:
        words += f" and the body {json.dumps(content, ensure_ascii=False)}"
    return words[:900]


def _expected(seen: Seen) -> str:
    answer = seen.answer
    if answer.status == 204 or not answer.text:
        return f"The answer is {answer.status} without a body."
    return f"The answer is {answer.status}."


def _expectations(seen: Seen, exploration: ApiExploration, schema_shown: set[tuple[str, int]]) -> Iterator[Json]:
    operation, answer = seen.proposal.operation, seen.answer
    evidence = {"path": operation.source, "lines": list(operation.lines)}
    documented = exploration.api.documented
    origin = "documented" if documented and _promised(seen) else "observed"
    yield {"kind": "status", "statuses": [answer.status], "origin": origin, "evidence": evidence}
    schema = operation.schema_of(answer.status) if seen.proposal.request["method"] == operation.method else None
    value = json_of(answer)
    if value is None:
        return
    key = (operation.name, answer.status)
    if answer.status < 400 and schema not in (None, True, {}) and documented and key not in schema_shown:
        alone = standalone(schema, exploration.api.components)
        if alone not in (True, {}) and len(json.dumps(alone)) <= _MOST_SCHEMA:
            schema_shown.add(key)
            yield {"kind": "body_schema", "schema": alone, "origin": "documented", "evidence": evidence}
    for one in _body_expectations(seen, value):
        yield {**one, "origin": "observed", "evidence": evidence}


def _promised(seen: Seen) -> bool:
    return bool(seen.proposal.operation.responses) and seen.proposal.operation.documents(seen.answer.status)


def _body_expectations(seen: Seen, value: Any) -> Iterator[Json]:
    """What of the body is pinned: all of it where it is short and steady, else its steady parts."""
    if seen.answer.status >= 400:
        yield from _error_expectations(seen, value)
        return
    if not seen.unstable and len(json.dumps(value)) <= _MOST_BODY:
        yield {"kind": "body_equals", "value": value}
        return
    saved = saved_values(seen.proposal.setup, seen.answers)
    points = 0
    for pointer, leaf in leaves(value):
        if points >= _MOST_POINTS:
            return
        if any(pointer == one or pointer.startswith(f"{one}/") for one in seen.unstable):
            name = next((name for name, known in saved.items() if known == leaf and leaf not in (None, "")), None)
            if name is not None:
                points += 1
                yield {"kind": "body_value", "pointer": pointer, "operator": "equals", "value": f"{{{{{name}}}}}"}
            elif isinstance(leaf, str | int | float) and not isinstance(leaf, bool):
                points += 1
                kind = "string" if isinstance(leaf, str) else "number"
                yield {"kind": "body_value", "pointer": pointer, "operator": "has_type", "value": kind}
        elif not isinstance(leaf, dict | list) and len(str(leaf)) <= 300:
            points += 1
            yield {"kind": "body_value", "pointer": pointer, "operator": "equals", "value": leaf}
    if isinstance(value, list) and not any(one == "" for one in seen.unstable):
        yield {"kind": "body_value", "pointer": "", "operator": "has_length", "value": len(value)}


def _error_expectations(seen: Seen, value: Any) -> Iterator[Json]:
    """Messages of the application's own; of a validator's report only which part is wrong."""
    if seen.proposal.category == "contract":
        return
    plain = isinstance(value, dict) and not any(isinstance(one, dict | list) for one in value.values())
    if plain and not seen.unstable and len(json.dumps(value)) <= _MOST_ERROR:
        yield {"kind": "body_equals", "value": value}
        return
    place = pointed(value, "/detail/0/loc") if isinstance(value, dict) else None
    if isinstance(place, list) and place and not any(one.startswith("/detail/0/loc") for one in seen.unstable):
        yield {"kind": "body_value", "pointer": "/detail/0/loc", "operator": "equals", "value": place}


def _not_reached(exploration: ApiExploration, unsteady: list[str]) -> Iterator[Json]:
    for subject, reason in (*exploration.unreached, *exploration.api.left_out):
        yield {"subject": subject[:300], "reason": reason[:1000], "line": 0}
    for note in exploration.notes:
        yield {"subject": exploration.api.title[:300], "reason": note[:1000], "line": 0}
    if unsteady:
        shown = ", ".join(unsteady[:10]) + (f" and {len(unsteady) - 10} more" if len(unsteady) > 10 else "")
        reason = f"the same requests were answered with another status another day or in another process: {shown}"
        yield {"subject": exploration.api.title[:300], "reason": reason[:1000], "line": 0}
