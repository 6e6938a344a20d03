"""Finds answers that contradict the document: server errors, undocumented statuses and bodies, constraints not
enforced.

None of them becomes a test; each is reported with the requests that reproduce it.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document.auth import Credential
from ..document.schemas import references
from ..model.model import Api, Json, ObservedProposal
from ..values.data import SampleValues
from . import curl
from .resource_model import parse_json
from .stability import saved_values

_SHOWN = 300
_PATIENCE = 15
_ROOM = 4000
_UNTOLD = ("contract",)
_ANY_SERVER = (405, 406, 413, 414, 415, 429, 431)
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
    if not seen.complete and not answer.failure:
        return None
    if answer.failure:
        if answer.broken_link or not seen.steady:
            return None
        title = f"{label} is not answered: {proposal.title.removeprefix(label).strip()}"
        return ContractViolation(seen, "no_answer", "", title, "every request is answered", answer.failure[:_SHOWN])
    if answer.status >= 500:
        title = f"{label} answers {answer.status}: {proposal.title.removeprefix(label).strip()}"
        return ContractViolation(seen, "server_error", str(answer.status), title, _promise(api, seen), _told(seen))
    if not api.documented or not seen.steady:
        return None
    if proposal.wants == "refusal" and answer.status < 400:
        title = f"{label} takes {proposal.breaks}"
        return ContractViolation(seen, "not_enforced", proposal.breaks, title, _constraint(seen), _told(seen))
    if operation.responses and not _named(seen):
        title = f"{label} answers {answer.status}, which its description does not name"
        named = ", ".join(sorted(operation.responses))
        return ContractViolation(
            seen, "undocumented_status", str(answer.status), title, f"statuses {named}", _told(seen)
        )
    return _body_verdict(seen, samples) or _media_verdict(seen)


def _media_verdict(seen: ObservedProposal) -> ContractViolation | None:
    operation, answer = seen.proposal.operation, seen.answer
    promised = operation.media_of(answer.status)
    told = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not promised or not told or not answer.text or seen.proposal.category in _UNTOLD or operation.method == "HEAD":
        return None
    if any(fnmatch.fnmatchcase(told, one) for one in promised):
        return None
    title = f"{operation.label} answers {answer.status} as {told}, which its description does not name"
    named = f"the media type {' or '.join(promised)}"
    return ContractViolation(seen, "media_type", f"{answer.status} {told}", title, named, f"{answer.status} {told}")


def _named(seen: ObservedProposal) -> bool:
    proposal, status = seen.proposal, seen.answer.status
    if proposal.category in _UNTOLD or status in _ANY_SERVER or status in proposal.statuses:
        return True
    return proposal.operation.documents(status)


def _body_verdict(seen: ObservedProposal, samples: SampleValues) -> ContractViolation | None:
    operation, answer = seen.proposal.operation, seen.answer
    schema = operation.schema_of(answer.status)
    if schema is None or schema is True or seen.proposal.category in _UNTOLD or operation.method == "HEAD":
        return None
    if not operation.documents(answer.status):
        return None
    value = parse_json(answer)
    if value is None and answer.text.strip() != "null":
        title = f"{operation.label} answers {answer.status} with a body that is no JSON"
        return ContractViolation(seen, "no_json", str(answer.status), title, "a JSON body", _told(seen))
    problem = samples.problem(value, schema)
    if problem is None:
        return None
    place = _schema_place(schema, problem.partition(":")[0], samples)
    title = f"{operation.label} answers {answer.status} with a body that does not fit its schema ({problem})"[:290]
    return ContractViolation(
        seen, "schema", f"{answer.status} {place}", title, f"the schema of the {answer.status} answer", _told(seen)
    )


def _schema_place(schema: Any, place: str, samples: SampleValues) -> str:
    """Locate a violated constraint: the innermost component on the way to a pointer, and the rest of the way.

    The location is the same at each depth of a component that contains itself.
    """
    component, way = "", list[str]()
    for part in place.split("/"):
        names = references(schema)
        if names:
            component, way = min(names), []
        whole = samples.merged(schema)
        items = part.isdigit()
        way.append("0" if items else part)
        schema = whole.get("items", True) if items else (whole.get("properties") or {}).get(part, True)
    return " ".join((component, "/".join(way))).strip()


def _promise(api: Api, seen: ObservedProposal) -> str:
    named = ", ".join(sorted(seen.proposal.operation.responses))
    return f"statuses {named}" if named and api.documented else "no server error"


def _constraint(seen: ObservedProposal) -> str:
    return f"the description does not allow {seen.proposal.breaks}"


def _told(seen: ObservedProposal) -> str:
    body = " ".join(seen.answer.text.split())
    return f"{seen.answer.status} {body}"[:_SHOWN].strip()


def suspected_defects(
    verdicts: Sequence[ContractViolation], credentials: Mapping[str, Credential], start: str
) -> list[Json]:
    """Group violations into suspected defects, worst first.

    Args:
        start: how to start the application, printed above the requests.
    """
    kinds_in_order = (
        "server_error",
        "no_answer",
        "not_enforced",
        "schema",
        "no_json",
        "media_type",
        "undocumented_status",
    )
    ranks = {name: rank for rank, name in enumerate(kinds_in_order)}
    kinds: dict[tuple[str, str, str], list[ContractViolation]] = {}
    for verdict in verdicts:
        # A status that is undocumented once is usually undocumented everywhere: report it once.
        subject = "" if verdict.kind == "undocumented_status" else verdict.seen.proposal.operation.label
        kinds.setdefault((verdict.kind, subject, verdict.detail), []).append(verdict)
    made: list[Json] = []
    for (kind, _, detail), found in sorted(kinds.items(), key=lambda item: ranks[item[0][0]]):
        made.append(_defect(kind, detail, found, credentials, start, {one["id"] for one in made}))
    return made[:500]


def _defect(
    kind: str,
    detail: str,
    found: Sequence[ContractViolation],
    credentials: Mapping[str, Credential],
    start: str,
    taken: set[str],
) -> Json:
    first = min(found, key=lambda one: len(one.seen.proposal.setup))
    operation = first.seen.proposal.operation
    others = sorted({one.seen.proposal.operation.label for one in found} - {operation.label})
    title = first.title
    if others:
        title = f"{len(others) + 1} operations answer {detail}, which their descriptions do not name"
    base = f"sd_{operation.name}_{kind}" + (
        f"_{first.seen.proposal.name}" if kind in ("server_error", "not_enforced") else ""
    )
    name, number = re.sub(r"[^a-z0-9_]+", "_", base.lower())[:150], 2
    while name in taken:
        name, number = f"{base[:145]}_{number}", number + 1
    observed = first.observed + (f" (also {', '.join(others[:20])})" if others else "")
    return {
        "id": name,
        "title": title[:300],
        "subject": operation.label[:300],
        "documented": first.documented[:4000],
        "observed": observed[:4000],
        "reproduce": _reproductions(first, found, credentials, start),
        "evidence": {"path": operation.source, "lines": list(operation.lines)},
    }


def _reproductions(
    first: ContractViolation, found: Sequence[ContractViolation], credentials: Mapping[str, Credential], start: str
) -> str:
    """Render the reproduction of one answer, then of the same defect at other operations, as far as there is room."""
    text = reproduction_lines(first.seen, credentials, start)
    told = {first.seen.proposal.operation.label}
    for one in sorted(found, key=lambda one: len(one.seen.proposal.setup)):
        label = one.seen.proposal.operation.label
        more = f"\n# the same for {label}:\n{reproduction_lines(one.seen, credentials, '')}"
        if label not in told and len(text) + len(more) <= _ROOM:
            text += more
            told.add(label)
    return text[:8000]


def reproduction_lines(seen: ObservedProposal, credentials: Mapping[str, Credential], start: str) -> str:
    """Render shell lines that reproduce an answer; the first says how to start the application."""
    saved: dict[str, Any] = saved_values(seen.proposal.setup, seen.answers)
    requests = [curl.numbers_bare(one, saved) for one in (*seen.proposal.setup, seen.proposal.request)]
    head = f"# {start}\n" if start else ""
    seconds = _PATIENCE if seen.answer.failure else 0
    return head + curl.curl_lines(requests, credentials, seconds=seconds)
