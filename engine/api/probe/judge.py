"""Derives the expectations of a case from its answer, and finds answers that contradict the document.

A contradiction (server error, undocumented status or body, constraint not enforced) becomes no test; it is reported
with the requests that reproduce it.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..document.schemas import merge_schema, references, standalone_schema
from ..model.json_values import HEADERS, TELLING_HEADERS, leaves, lists, parts, resolve_pointer
from ..model.model import ACROSS, MALFORMED, Api, HttpAnswer, Json, ObservedProposal, Proposal
from ..values.data import SampleValues, SecretFilter
from .effects.moments import MOST_TOLD, told_of_members
from .execute import saved_values
from .lists.columns import PICKED, thing_in
from .resource_model import parse_json

_MOST_ERROR = 300
_MOST_SCHEMA = 6000
_MOST_POINTS = 12
_MOST_LISTS = 3
_MOST_HEADER = 200
_JSON_TYPES = {str: "string", dict: "object", list: "array", bool: "boolean", int: "number", float: "number"}


def select_informative(found: Sequence[ObservedProposal]) -> frozenset[int]:
    """Select, for each operation and status, the index of the answer with the most content.

    Only that answer is validated against its schema: an empty list satisfies any schema of items. Where the richest
        answer is a row of a table, all rows of the table are selected, because they share one assertion.
    """
    best: dict[tuple[str, int], tuple[tuple[int, bool], int]] = {}
    for at, observed in enumerate(found):
        if observed.proposal.category == "contract":
            continue
        value = parse_json(observed.answer)
        rank = (-1 if value is None else _richness(value), not observed.proposal.group)
        key = (observed.proposal.operation.name, observed.answer.status)
        if key not in best or rank > best[key][0]:
            best[key] = (rank, at)
    chosen = {at for _, at in best.values()}
    tables = {_table(found[at]) for at in chosen if found[at].proposal.group}
    rows = {at for at, observed in enumerate(found) if observed.proposal.group and _table(observed) in tables}
    return frozenset(chosen | rows)


def _richness(value: Any) -> int:
    return sum(1 for _, leaf in leaves(value) if leaf not in ({}, []))


def _table(seen: ObservedProposal) -> tuple[str, str, int]:
    group = seen.proposal.group
    return "" if group in ACROSS else seen.proposal.operation.name, group, seen.answer.status


def expectations(seen: ObservedProposal, api: Api, privacy: SecretFilter, *, shows: bool) -> Iterator[Json]:
    """Yield the expectations of a case, the status first.

    Args:
        shows: also assert schema and content type.
    """
    operation, answer = seen.proposal.operation, seen.answer
    evidence = {"path": operation.source, "lines": list(operation.lines)}
    promised = api.documented and bool(operation.responses) and operation.documents(answer.status)
    origin = "documented" if promised else "observed"
    yield {"kind": "status", "statuses": [answer.status], "origin": origin, "evidence": evidence}
    value = parse_json(answer)
    if shows:
        for expectation in (*_content_type(seen, api), *_schema(seen, api, value)):
            yield {**expectation, "evidence": evidence}
    for expectation in _headers(seen, privacy, shows=shows):
        yield {**expectation, "origin": "observed", "evidence": evidence}
    if value is not None:
        for pinned in _body(seen, value, privacy):
            yield {**pinned, "origin": "observed", "evidence": evidence}


def _content_type(seen: ObservedProposal, api: Api) -> Iterator[Json]:
    media_type = seen.answer.headers.get("content-type", "")
    if not media_type or not seen.answer.text or "boundary=" in media_type:
        return
    operation = seen.proposal.operation
    promised = api.documented and bool(operation.media_of(seen.answer.status)) and operation.method != "HEAD"
    origin = "documented" if promised else "observed"
    yield {"kind": "header", "name": "content-type", "value": media_type, "origin": origin}


def _headers(seen: ObservedProposal, privacy: SecretFilter, *, shows: bool) -> Iterator[Json]:
    """Yield what the headers of an answer tell: where to go on, how many there are; an entity tag only has to be there.

    A tag may depend on the versions of libraries; that it changes and is heeded is shown by conditional requests. What
    holds a secret, such as a link with a token, only has to be there, too.
    """
    if seen.answer.status >= 400:
        return
    for name, text in sorted(seen.answer.headers.items()):
        telling = TELLING_HEADERS.search(name) is not None
        same = f"{HEADERS}{name}" not in seen.unstable and privacy.text(text) == text
        if telling and same and len(text) <= _MOST_HEADER:
            yield {"kind": "header", "name": name, "value": text}
        elif telling or (shows and name.lower() == "etag"):
            # A link to the next page with a token of its own is there, or it is not.
            yield {"kind": "header", "name": name}


def _schema(seen: ObservedProposal, api: Api, value: Any) -> Iterator[Json]:
    operation = seen.proposal.operation
    schema = operation.schema_of(seen.answer.status) if seen.proposal.request["method"] == operation.method else None
    if value is None or schema in (None, True, {}) or not api.documented:
        return
    alone = standalone_schema(schema, api.components)
    # A schema that only names a type adds nothing to the pinned body.
    if alone not in (True, {}) and set(alone) != {"type"} and len(json.dumps(alone)) <= _MOST_SCHEMA:
        yield {"kind": "body_schema", "schema": alone, "origin": "documented"}


def _body(seen: ObservedProposal, value: Any, privacy: SecretFilter) -> Iterator[Json]:
    """Yield the pinned parts of the body: all of it where it is short and stable, else its stable parts."""
    secret = privacy.places(value)
    if seen.answer.status >= 400:
        yield from _error(seen, value, secret)
    elif not seen.unstable_body and not seen.unordered and not secret and len(json.dumps(value)) <= MOST_TOLD:
        yield {"kind": "body_equals", "value": value}
    else:
        if seen.proposal.group == PICKED:
            yield from _alone(seen, value, secret)
        for place, found in _told_lists(seen, value, secret):
            yield _part(place, "has_length", len(found))
            told = told_of_members(seen, place, found, secret) if place in seen.unordered else []
            if told:
                yield _part(place, "in_any_order", told)
        # What is sent goes before all else that is told: an update shows nothing without it.
        sent = {str(name) for body in _bodies(seen) for name, held in body.items() if not isinstance(held, dict)}
        told = list(_parts(seen, value, secret))
        chosen = sorted(told, key=lambda part: sent.isdisjoint(part["pointer"].split("/")))[:_MOST_POINTS]
        # The order of the answer lets the rows of a table have the same conditions.
        yield from (part for part in told if part in chosen)


def _bodies(seen: ObservedProposal) -> Iterator[Json]:
    """Yield the objects in what a request sends, and in what the one before it sent."""
    for request in (*seen.proposal.setup[-1:], seen.proposal.request):
        content = (request.get("body") or {}).get("content")
        inner = content.values() if isinstance(content, dict) else ()
        yield from (one for one in (content, *inner) if isinstance(one, dict))


def _alone(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[Json]:
    """Yield how many fields things have that were asked for some: what is there does not tell that nothing else is.

    Nothing of what is another each time, nor of a list in any order whose members have several numbers of them.
    """
    place, thing = thing_in(value)
    within = place.rpartition("/")[0]
    listed = resolve_pointer(value, within) if place.endswith("/0") else None
    things = {f"{place[:-1]}{number}": one for number, one in enumerate(listed or ())} if listed else {place: thing}
    told = {one: held for one, held in things.items() if isinstance(held, dict) and held and one not in secret}
    if listed and within in seen.unordered and len({len(held) if isinstance(held, dict) else 0 for held in listed}) > 1:
        return
    for pointer, held in _within(told.items(), _MOST_LISTS):
        if not any(pointer == one or pointer.startswith(f"{one}/") for one in seen.unstable_body):
            yield _part(pointer, "has_length", len(held))


def _told_lists(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the visible lists that are in no other list, and those within members that stand in any order."""
    hidden = seen.unstable_body | secret
    outer = list(_within(lists(value, hidden), _MOST_LISTS))
    yield from outer
    known = {place for place, _ in outer} | hidden
    inner = (
        place for place in sorted(seen.unordered - known) if not any(place.startswith(f"{one}/") for one in hidden)
    )
    yield from _within(((place, resolve_pointer(value, place)) for place in inner), _MOST_LISTS)


def _parts(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[Json]:
    saved = {**seen.constants, **saved_values(seen.proposal.setup, seen.answers)}
    counted = {place for place, _ in _told_lists(seen, value, secret)}
    for pointer, leaf, hidden in parts(value, seen.unstable_body | secret | seen.unordered):
        if pointer in seen.unordered:
            continue
        if not hidden:
            if not isinstance(leaf, dict | list) and len(str(leaf)) <= 300:
                yield _part(pointer, "equals", leaf)
            continue
        name = next((name for name, known in saved.items() if known == leaf and leaf not in (None, "")), None)
        if name is not None:
            yield _part(pointer, "equals", f"{{{{{name}}}}}")
        elif (other := _id_of_first(seen, pointer, leaf)) and pointer not in secret:
            yield _part(pointer, "not_equals", f"{{{{{other}}}}}")
        elif isinstance(leaf, dict) and pointer.rpartition("/")[0] in counted:
            # Which members of a list are shown is not known, only how many.
            continue
        elif leaf is not None and (pointer in secret or not isinstance(leaf, bool)):
            yield _part(pointer, "has_type", _JSON_TYPES[type(leaf)])


def _id_of_first(seen: ObservedProposal, pointer: str, leaf: Any) -> str:
    """Return the name under which the setup saves what stands at this place in the answer to a request like the one
    under test; empty where it has made no such thing, or where it is the same one.
    """
    request = seen.proposal.request
    for step, answer in zip(seen.proposal.setup, seen.answers, strict=False):
        if request["method"] == "POST" and (step["method"], step["path"]) == (request["method"], request["path"]):
            name = next((name for name, place in (step.get("save") or {}).items() if place == pointer), "")
            if name and saved_values([step], [answer]).get(name) not in (None, leaf):
                return name
    return ""


def _error(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[Json]:
    """Pin error messages of the application itself; of a validator's report only the invalid location."""
    # The framework words these refusals, and words them differently from version to version.
    if seen.proposal.category == "contract" or seen.proposal.group == MALFORMED:
        return
    nested = isinstance(value, dict) and any(isinstance(item, dict | list) for item in value.values())
    # Of what is invalid a library tells field by field, in its own words; of a conflict the application itself does.
    is_own = seen.proposal.category == "state" and seen.answer.status not in INVALID
    plain = isinstance(value, dict) and (not nested or is_own)
    if plain and not _is_report(value) and not seen.unstable_body and len(json.dumps(value)) <= _MOST_ERROR:
        if secret:
            yield from _parts(seen, value, secret)
        else:
            yield {"kind": "body_equals", "value": value}
        return
    place = resolve_pointer(value, "/detail/0/loc") if isinstance(value, dict) else None
    hidden = seen.unstable_body | secret
    if isinstance(place, list) and place and not any(pointer.startswith("/detail/0/loc") for pointer in hidden):
        yield _part("/detail/0/loc", "equals", place)


def _is_report(value: Any) -> bool:
    """Whether an answer is a validator's report: the places of what is invalid."""
    return isinstance(resolve_pointer(value, "/detail/0/loc"), list)


def _part(pointer: str, operator: str, value: Any) -> Json:
    return {"kind": "body_value", "pointer": pointer, "operator": operator, "value": value}


def _within(found: Iterable[Any], most: int) -> Iterator[Any]:
    for number, element in enumerate(found):
        if number >= most:
            return
        yield element


MOST_TEXT = 20_000
"""More than is ever shown: secrets are taken out first, and one that is cut in half is not recognised."""
_UNTOLD = ("contract",)
_WITHOUT_BODY = (204, 304)
_BROKEN_PARAMETERS = tuple(f"broken_{where}" for where in ("path", "query", "header", "cookie"))
INVALID = (400, 422)
"""What invalid values are answered with."""
_ANY_SERVER = (304, 405, 406, 412, 413, 414, 415, 429, 431)
"""Statuses of HTTP itself; a document that does not name them for every operation is no defect."""


@dataclass(frozen=True, slots=True)
class ContractViolation:
    """A contradiction; `kind` and `detail` are equal for violations that are the same defect."""

    seen: ObservedProposal
    kind: str
    detail: str
    title: str
    documented: str
    observed: str


def find_violation(seen: ObservedProposal, api: Api, samples: SampleValues) -> ContractViolation | None:
    """Return the contradiction in an answer, or None."""
    operation, answer, proposal = seen.proposal.operation, seen.answer, seen.proposal
    label = operation.label
    # Nothing of it was sent, or a step of the setup failed: the request under test was not sent.
    if not seen.answers:
        return None
    if not seen.complete and not answer.failure:
        return None
    if answer.failure:
        # An id that the setup should save was missing, or the application answers at other times.
        if answer.broken_link or not seen.steady:
            return None
        title = f"{label} is not answered: {proposal.title.removeprefix(label).strip()}"
        return ContractViolation(seen, "no_answer", "", title, "every request is answered", answer.failure[:MOST_TEXT])
    named = ", ".join(sorted(operation.responses))
    if answer.status >= 500:
        title = f"{label} answers {answer.status}: {proposal.title.removeprefix(label).strip()}"
        documented = f"statuses {named}" if named and api.documented else "no server error"
        observed = f"{_shown(answer)}{f' ({answer.crash})' if answer.crash else ''}"
        return ContractViolation(seen, "server_error", str(answer.status), title, documented, observed)
    # A document built from routes promises nothing, and an unstable answer proves nothing.
    if not api.documented or not seen.steady:
        return None
    if proposal.wants == "refusal" and answer.ok and proposal.category == "authentication":
        return _not_secured(seen, f"a call {proposal.breaks}")
    if proposal.wants == "refusal" and answer.ok and not _breaks_what_was_read(proposal):
        title, documented = f"{label} takes {proposal.breaks}", f"the description does not allow {proposal.breaks}"
        return ContractViolation(seen, "not_enforced", proposal.breaks, title, documented, _shown(answer))
    if operation.responses and not _is_declared(seen) and not is_deliberate(seen) and not lacks_refusal(seen):
        title = f"{label} answers {answer.status}, which its description does not name"
        documented, observed = f"statuses {named}", _shown(answer)
        return ContractViolation(seen, "undocumented_status", str(answer.status), title, documented, observed)
    return _body_verdict(seen, samples) or _media_verdict(seen)


def _breaks_what_was_read(proposal: Proposal) -> bool:
    """Whether what is wrong is in a body of which only the code tells what it takes."""
    body = proposal.operation.body
    of_values = proposal.category == "validation" and proposal.group not in _BROKEN_PARAMETERS
    return body is not None and body.read and of_values


def open_to_everybody(seen: ObservedProposal, api: Api) -> ContractViolation | None:
    """Return the violation where an operation that is secured by its document works without any credentials."""
    proposal = seen.proposal
    security = proposal.operation.security
    promised = api.documented and bool(security) and () not in security
    own = "Authorization" in (proposal.request.get("headers") or {})
    asked = proposal.category == "success" and not own and not proposal.request.get("auth") and not seen.answer.failure
    if not (promised and asked and seen.steady and seen.complete and seen.answer.ok):
        return None
    return _not_secured(seen, "a call without credentials")


def _not_secured(seen: ObservedProposal, taken: str) -> ContractViolation:
    schemes = " or ".join(dict.fromkeys(" and ".join(way) for way in seen.proposal.operation.security if way))
    title = f"{seen.proposal.operation.label} takes {taken}"
    documented = f"the description asks for {schemes or 'credentials'}"
    return ContractViolation(seen, "not_secured", taken, title, documented, _shown(seen.answer))


def _media_verdict(seen: ObservedProposal) -> ContractViolation | None:
    operation, answer = seen.proposal.operation, seen.answer
    promised = operation.media_of(answer.status)
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if (
        not promised
        or not media_type
        or not answer.text
        or seen.proposal.category in _UNTOLD
        or operation.method == "HEAD"
        # A schema that allows anything is what frameworks write for a handler that makes its answer itself.
        or operation.schema_of(answer.status) in (True, {})
        # The answer of a handler may be a text, and a refusal an object all the same.
        or (answer.status >= 400 and media_type in ("application/json", "application/problem+json"))
    ):
        return None
    if any(fnmatch.fnmatchcase(media_type, pattern) for pattern in promised):
        return None
    title = f"{operation.label} answers {answer.status} as {media_type}, which its description does not name"
    named = f"the media type {' or '.join(promised)}"
    observed = f"{answer.status} {media_type}"
    return ContractViolation(seen, "media_type", observed, title, named, observed)


def _is_declared(seen: ObservedProposal) -> bool:
    proposal, status = seen.proposal, seen.answer.status
    if proposal.category in _UNTOLD or status in _ANY_SERVER or status in proposal.statuses:
        return True
    return proposal.operation.documents(status)


def is_deliberate(seen: ObservedProposal) -> bool:
    """Whether the handler's own code answers with this status on purpose, though the document does not declare it.

    The document is incomplete then, and the behaviour is worth a test.
    """
    return seen.answer.status in seen.proposal.operation.deliberate and not _is_declared(seen)


def lacks_refusal(seen: ObservedProposal) -> bool:
    """Whether the document lacks the status of a refusal that every user of HTTP expects.

    Those who may not get through, ids that name nothing, and values that the document does not allow: the document is
    incomplete then, and the code is right.
    """
    # What another program made may be anything that the document does not allow, and be refused for that.
    if seen.proposal.found_by:
        return 400 <= seen.answer.status < 500 and not _is_declared(seen)
    expected = {"authentication": (401, 403), "authorization": (401, 403, 404), "not_found": (404, 410)}
    allowed = expected.get(seen.proposal.category, ())
    # What the document does not allow may be refused.
    if seen.proposal.category == "validation" and seen.proposal.wants == "refusal":
        allowed = INVALID
    # What was removed is not found either, nor is what no id can be.
    if seen.proposal.category in ("state", "validation") and seen.proposal.operation.path_parameters:
        allowed = (*allowed, 404, 410)
    # Credentials may be refused whatever else is asked, and so may a lack of those that the document asks for.
    security = seen.proposal.operation.security
    if seen.proposal.request.get("auth") or (security and () not in security):
        allowed = (*allowed, 401, 403)
    return (seen.answer.status in allowed or (403 in allowed and seen.answer.keeps_out)) and not _is_declared(seen)


def _body_verdict(seen: ObservedProposal, samples: SampleValues) -> ContractViolation | None:
    operation, answer = seen.proposal.operation, seen.answer
    schema = operation.schema_of(answer.status)
    # HEAD has no body, and a wrong method is not answered by the operation.
    if schema in (None, True, {}) or seen.proposal.category in _UNTOLD or operation.method == "HEAD":
        return None
    if not operation.documents(answer.status) or answer.status in _WITHOUT_BODY:
        return None
    value = parse_json(answer)
    if value is None and answer.text.strip() != "null":
        title = f"{operation.label} answers {answer.status} with a body that is no JSON"
        return ContractViolation(seen, "no_json", str(answer.status), title, "a JSON body", _shown(answer))
    problem = samples.answer_problem(value, schema)
    if problem is None:
        return None
    place = _schema_place(schema, problem.partition(":")[0], samples)
    title = f"{operation.label} answers {answer.status} with a body that does not fit its schema ({problem})"
    documented = f"the schema of the {answer.status} answer"
    return ContractViolation(seen, "schema", f"{answer.status} {place}", title, documented, _shown(answer))


def _schema_place(schema: Any, place: str, samples: SampleValues) -> str:
    """Locate a violated constraint: the innermost component on the way to a pointer, and the rest of the way.

    The location is the same at each depth of a component that contains itself.
    """
    component, way = "", list[str]()
    for part in place.split("/"):
        names = references(schema)
        if names:
            component, way = min(names), []
        whole = merge_schema(schema, samples.components)
        items = part.isdigit()
        way.append("0" if items else part)
        schema = whole.get("items", True) if items else (whole.get("properties") or {}).get(part, True)
    return " ".join((component, "/".join(way))).strip()


def _shown(answer: HttpAnswer) -> str:
    return f"{answer.status} {' '.join(answer.text.split())}"[:MOST_TEXT].strip()
