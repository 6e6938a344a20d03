"""Composes a spec from observations: cases with the origin of their expectations, defects, gaps."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....utils.names.counted import counted
from ....utils.python_names import unique_name
from ..document.application import AppLaunch
from ..document.auth import auth_names
from ..model.json_values import leaves
from ..model.model import Api, Json, ObservedProposal, Operation, Proposal, needs_fresh_state
from ..probe.defects import suspected_defects
from ..probe.effects.conditions import CONDITIONAL, heeding_conditions
from ..probe.explore import ApiExploration
from ..probe.judge import (
    INVALID,
    ContractViolation,
    expectations,
    find_violation,
    is_deliberate,
    lacks_refusal,
    open_to_everybody,
    select_informative,
)
from ..probe.propose import PUT_UNKNOWN
from ..probe.resource_model import parse_json
from ..probe.sign_in.others import (
    SHARED_FLAG,
    changed_by_another,
    changed_by_the_first,
    hides_from_others,
    marks_of,
    read_by_others,
    refused_to_anonymous,
    shown_to_others,
    taken_by_others,
)
from ..probe.sign_in.private import user_passwords, user_tokens
from ..values.data import SecretFilter, looks_secret
from .outcome_names import named_by_outcome
from .render_groups import with_tables_in_ids
from .render_names import group_name
from .superseded import without_superseded

SCHEMA_VERSION = "2.0.0"
_LANGUAGES = {"jest": "javascript", "playwright": "typescript"}
_MOST_PATH = 1000
_MOST_LABELS = 10
_MOST_REASON = 400
_STATUS = re.compile(r"[1-5](\d\d|XX)|default")


def compose_spec(
    exploration: ApiExploration, *, framework: str, target: Json, launch: AppLaunch | None, start: str
) -> Json:
    """Compose the spec of an API's tests.

    Args:
        target: `name` and, where known, `path`, `digest`, `description`, `base_url`.
        launch: how the application is started; None where it is already running.
        start: the same in words, for the lines that reproduce a defect.
    """
    api = exploration.api
    privacy = secrets_of(exploration, launch)
    sorted_out = _sorted_out(exploration, privacy)
    working = {(seen.proposal.operation.name, seen.proposal.name) for seen in sorted_out.worth if seen.answer.ok}
    worth = [named_by_outcome(seen, working) for seen in without_superseded(sorted_out.worth)]
    cases = list(_cases(worth, api, privacy))
    credentials = {name: credential.entry() for name, credential in sorted(exploration.credentials.items())}
    used = {name for case in cases for request in _requests(case) for name in auth_names(request)}
    spec: Json = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "api",
        "title": privacy.text(f"API tests for {api.title}")[:300],
        "language": _LANGUAGES.get(framework, "python"),
        "framework": framework,
        "target": {**target, **started(launch)},
    }
    # Users sign in together: what the application holds depends on all of them.
    auth = {name: entry for name, entry in credentials.items() if name in used or "sign_in" in entry}
    if auth:
        spec["auth"] = auth
    spec["operations"] = list(_described(api))
    spec["cases"] = with_tables_in_ids(cases)
    spec["suspected_defects"] = suspected_defects(sorted_out.verdicts, exploration.credentials, start, privacy.text)
    spec["not_reached"] = list(_not_reached(exploration, sorted_out, privacy))
    return spec


def secrets_of(exploration: ApiExploration, launch: AppLaunch | None) -> SecretFilter:
    """The filter for whatever is shown or written of an exploration: secrets of the application and of its users."""
    given = launch or AppLaunch()
    secrets = (*user_passwords(exploration), *given.private)
    return SecretFilter(given.environment, secrets, user_tokens(exploration))


@dataclass(slots=True)
class _SortedOut:
    """The observations, sorted by what becomes of them.

    Attributes:
        worth: become cases.
        unsteady, asked_with_secrets: requests, in words, that become no case.
        secrets: locations of secrets in answers, in words.
    """

    worth: list[ObservedProposal] = field(default_factory=list)
    verdicts: list[ContractViolation] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    asked_with_secrets: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)


def _sorted_out(exploration: ApiExploration, privacy: SecretFilter) -> _SortedOut:
    found = _SortedOut()
    secrets: dict[str, None] = {}
    guarded, heeding = refused_to_anonymous(exploration.seen), heeding_conditions(exploration.seen)
    shown, marks = shown_to_others(exploration.seen), marks_of(exploration.seen)
    for seen in exploration.seen:
        what = f"{seen.proposal.operation.label} ({seen.proposal.name})"
        # A test must not hold the secret, and without it the request is another one.
        if privacy.asked_with_one(seen.proposal):
            found.asked_with_secrets.append(what)
            continue
        verdict = find_violation(seen, exploration.api, exploration.samples)
        verdict = verdict or changed_by_another(seen, guarded, shown, marks)
        unsecured = open_to_everybody(seen, exploration.api) if verdict is None else None
        if unsecured is not None:
            # Whether the code or the document is wrong, what a call without credentials gets is tested.
            found.verdicts.append(unsecured)
        if verdict is not None:
            found.verdicts.append(verdict)
        elif not seen.steady:
            found.unsteady.append(what)
        elif _worth_a_case(seen, heeding):
            found.worth.append(seen)
            places = sorted(privacy.places(parse_json(seen.answer)))
            label = seen.proposal.operation.label
            secrets |= {f"{label} {re.sub(r'/[0-9]+', '/0', place)}".strip(): None for place in places}
    for seen in exploration.fuzzed:
        verdict = find_violation(seen, exploration.api, exploration.samples)
        if verdict is not None and not privacy.asked_with_one(seen.proposal):
            found.verdicts.append(verdict)
    found.secrets = list(secrets)
    return found


def undeclared_notes(exploration: ApiExploration) -> list[str]:
    """Notes about statuses that handlers answer on purpose and the document does not declare, one for each status."""
    api = exploration.api
    found: dict[int, dict[str, None]] = {}
    for seen in exploration.seen if api.documented else ():
        if seen.steady and seen.proposal.operation.responses and is_deliberate(seen):
            found.setdefault(seen.answer.status, {})[seen.proposal.operation.label] = None
    lacking: dict[tuple[int, str], dict[str, None]] = {}
    for seen in exploration.seen if api.documented else ():
        if seen.steady and seen.proposal.operation.responses and lacks_refusal(seen) and not is_deliberate(seen):
            refused = seen.answer.keeps_out or seen.proposal.category in ("authentication", "authorization")
            invalid = "for invalid values" if seen.answer.status in INVALID else "for ids that name nothing"
            why = "for those who may not" if refused else invalid
            lacking.setdefault((seen.answer.status, why), {})[seen.proposal.operation.label] = None
    return [
        *(
            f"The OpenAPI document does not declare the {status} {why} of {counted(len(labels), 'operation')}: "
            f"{', '.join(list(labels)[:_MOST_LABELS])}{' and more' * (len(labels) > _MOST_LABELS)}."
            for (status, why), labels in sorted(lacking.items())
        ),
        *(
            f"The OpenAPI document does not declare the {status} that the code answers on purpose: "
            f"{', '.join(labels)}. Tests pin it as it is today."
            for status, labels in sorted(found.items())
        ),
    ]


def _cases(worth: Sequence[ObservedProposal], api: Api, privacy: SecretFilter) -> Iterator[Json]:
    taken: set[str] = set()
    shown = select_informative(worth)
    companions = Counter(_table(seen.proposal) for seen in worth)
    for at, seen in enumerate(worth):
        expect = list(expectations(seen, api, privacy, shows=at in shown))
        yield _case(
            seen,
            _without_implied(expect, parse_json(seen.answer)),
            taken,
            privacy,
            in_table=companions[_table(seen.proposal)] > 1,
        )


def _table(proposal: Proposal) -> tuple[str, str]:
    """Return what is equal for proposals that may share a table."""
    of_one = group_name(proposal.operation.name, proposal.group).startswith(proposal.operation.name)
    return proposal.operation.name if of_one else "", proposal.group


def _without_implied(expect: list[Json], body: Any) -> list[Json]:
    """Leave out schemas that the other expectations imply, or that describe the framework's own reports.

    A body that is pinned fitted its schema when it was observed; how FastAPI words refusals is its own matter.
    """
    whole = any(one["kind"] == "body_equals" for one in expect)
    # A type alone does not say what a schema says of it, such as a format or a bound.
    places = {one["pointer"] for one in expect if one["kind"] == "body_value" and one["operator"] == "equals"}
    parts = bool(places) and all(pointer in places for pointer, _ in leaves(body))

    def implied(schema: Any) -> bool:
        # The values of known places do not say that there are no others.
        return whole or (parts and not _is_closed(schema)) or _is_framework_report(schema)

    return [one for one in expect if one["kind"] != "body_schema" or not implied(one.get("schema"))]


def _is_closed(schema: Any) -> bool:
    """Whether a schema forbids further properties somewhere."""
    if isinstance(schema, list):
        return any(map(_is_closed, schema))
    if not isinstance(schema, dict):
        return False
    closed = any(schema.get(name) is False for name in ("additionalProperties", "unevaluatedProperties"))
    return closed or any(map(_is_closed, schema.values()))


def _is_framework_report(schema: Any) -> bool:
    return isinstance(schema, dict) and str(schema.get("$ref")).endswith("/HTTPValidationError")


def _described(api: Api) -> Iterator[Json]:
    """Yield every operation, tested or not, with its documented statuses."""
    for operation in sorted((*api.operations, *api.others), key=lambda operation: (operation.path, operation.method)):
        # The schema of specs does not take such a path.
        if len(operation.path) > _MOST_PATH or re.search(r"\s", operation.path):
            continue
        statuses = sorted(name for name in operation.responses if _STATUS.fullmatch(name)) if api.documented else []
        yield {"method": operation.method, "path": operation.path, **({"statuses": statuses} if statuses else {})}


def started(launch: AppLaunch | None) -> Json:
    """The part of a target that says how its application is started; empty for one that runs already."""
    if launch is None:
        return {}
    application: Json = {}
    if launch.application:
        application["import"] = launch.application
    if launch.command:
        application["command"] = list(launch.command)
    if launch.ready and launch.command:
        application["ready_path"] = launch.ready
    if launch.environment:
        # What looks real is not repeated; whoever runs the tests sets the variable.
        safe = {name: "" if looks_secret(value) else value for name, value in launch.environment.items()}
        application["environment"] = dict(sorted(safe.items()))
    if launch.taken:
        application["taken"] = dict(sorted(launch.taken.items()))
    if launch.folder:
        application["folder"] = launch.folder
    if launch.emptied:
        application["emptied_databases"] = list(launch.emptied)
    return {"import_roots": list(launch.import_roots), "application": application}


def _requests(case: Mapping[str, Any]) -> Iterator[Json]:
    yield from (case.get("arrange") or {}).get("requests") or ()
    yield case["act"]["request"]


def _worth_a_case(seen: ObservedProposal, heeding: Collection[str]) -> bool:
    proposal, status = seen.proposal, seen.answer.status
    if not seen.complete or seen.answer.failure or status >= 500:
        return False
    # A server that heeds no conditions answers as without them.
    if proposal.group == CONDITIONAL and (status not in proposal.statuses or proposal.operation.name not in heeding):
        return False
    # The case would arrange something that already fails.
    if any(not answer.ok for answer in seen.answers[:-1]):
        return False
    if proposal.group == SHARED_FLAG:
        return False  # it shows what a suspected defect is about
    if proposal.category == "contract" and seen.answer.keeps_out:
        return False  # who asks was looked at before what is asked
    if proposal.category == "not_found" and status < 400:
        # A PUT makes what was not there, where it tells so; one that makes all its things shows that elsewhere.
        tells = status == 201 or isinstance(parse_json(seen.answer), dict)
        return proposal.group == PUT_UNKNOWN and tells
    if proposal.category == "authorization" and proposal.request.get("auth") == "user" and not seen.answer.keeps_out:
        return False  # what is asked for was looked at before who asks
    if proposal.category == "state" and proposal.request.get("auth") == "other_user" and status < 400:
        return hides_from_others(seen)  # that a list is shared may be a fault, which is asked about and not pinned
    return not (
        proposal.category in ("validation", "authentication", "authorization")
        and status < 400
        and not seen.answer.keeps_out
    )


def _case(
    seen: ObservedProposal, expect: list[Json], taken: set[str], privacy: SecretFilter, *, in_table: bool
) -> Json:
    proposal, operation = seen.proposal, seen.proposal.operation
    group = re.sub(r"\W", "_", proposal.group)
    about = group_name(operation.name, group) if group and in_table else operation.name
    name = proposal.name if about.startswith(operation.name) else f"{operation.name}_{proposal.name}"
    case: Json = {
        "id": _unique(f"tc_{about}_{name}", taken),
        "title": privacy.text(proposal.title),
        "priority": proposal.priority,
        "preconditions": [],
        "steps": [_step(step) for step in (*proposal.setup, proposal.request)],
        "expected": _expected(seen),
        "operation": _operation(operation, proposal),
        "category": _category(seen),
    }
    if group:
        case["group"] = group
    if proposal.setup:
        case["arrange"] = {"requests": [dict(step) for step in proposal.setup]}
    case["act"] = {"request": {key: entry for key, entry in proposal.request.items() if key != "save"}}
    case["expect"] = expect
    if seen.fresh:
        case["fresh"] = True
    started = "has just been started" if needs_fresh_state(case) else "runs; what it holds does not matter"
    case["preconditions"] = [f"The application {started}."]
    return case


def _category(seen: ObservedProposal) -> str:
    status = seen.answer.status
    if seen.proposal.category == "state" and status >= 400:
        return {404: "not_found", 409: "conflict"}.get(status, "state")
    if seen.proposal.category in ("success", "boundary") and status >= 400:
        return "state"
    return seen.proposal.category


def _operation(operation: Operation, proposal: Proposal) -> Json:
    described: Json = {"method": proposal.request["method"], "path": operation.path}
    if operation.id and proposal.request["method"] == operation.method:
        described["operation_id"] = operation.id[:200]
    return described


def _unique(name: str, taken: set[str]) -> str:
    base = re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]+", "_", name.lower())).strip("_")[:150]
    made = unique_name(base, taken)
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


def _expected(seen: ObservedProposal) -> str:
    answer = seen.answer
    if answer.status == 204 or not answer.text:
        return f"The answer is {answer.status} without a body."
    return f"The answer is {answer.status}."


def _not_reached(exploration: ApiExploration, sorted_out: _SortedOut, privacy: SecretFilter) -> Iterator[Json]:
    # Secrets are taken out before a text is cut: half of one is not recognised.
    if exploration.sign_in_failure is not None:
        reason = exploration.sign_in_failure.note(privacy.text)[:1000]
        yield {"subject": exploration.api.title[:300], "reason": reason, "line": 0}
    for subject, reason in exploration.unreached:
        yield {"subject": subject[:300], "reason": privacy.text(reason)[:_MOST_REASON], "line": 0}
    for subject, reason in (*exploration.cut, *exploration.api.left_out, *exploration.api.problems):
        yield {"subject": subject[:300], "reason": privacy.text(reason)[:1000], "line": 0}
    questions = (read_by_others, taken_by_others, changed_by_the_first)
    notes = [*(note for asked in questions for note in asked(exploration.seen)), *exploration.notes]
    left_out = (
        (sorted_out.unsteady, "the same requests were answered with another status another day or in another process"),
        (sorted_out.asked_with_secrets, "requests hold what looks like a secret, which no test may hold"),
        (sorted_out.secrets, "answers hold what looks like a secret; tests expect its type only"),
    )
    for found, words in left_out:
        if found:
            shown = ", ".join(found[:10]) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
            notes.append(f"{words}: {shown}")
    for note in notes:
        yield {"subject": exploration.api.title[:300], "reason": privacy.text(note)[:1000], "line": 0}
