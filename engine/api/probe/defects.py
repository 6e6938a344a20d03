"""Groups contradictions by their cause into suspected defects, worst first, each with lines that reproduce it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....utils.python_names import unique_name
from ..document.auth import Credential
from ..model.model import Json, ObservedProposal
from ..values.unusual import KINDS
from . import curl
from .execute import saved_values
from .judge import ContractViolation
from .sign_in.reproduce import signed_in_lines

_PATIENCE = 15
_ROOM = 4000
_SHOWN = 300
_OF_VALUES = re.compile(
    r"(?:Overflow|Data|Statement|Interface|Recursion|Unicode\w*|\w*OutOfRange\w*|CharacterNotInRepertoire|Untranslatable"
    r"Character)(?:Error)?|ValueError: .*\b(?:NUL|null (?:byte|character))"
)
"""Exceptions of drivers and of encoding, which a value raises wherever it is passed on."""
_FEW = 2
"""As many violations of one cause are told one by one; more of them are one defect."""
_KINDS = (
    "server_error",
    "not_secured",
    "other_user",
    "no_answer",
    "not_enforced",
    "schema",
    "no_json",
    "media_type",
    "undocumented_status",
)
_CAUSES = {
    "no body at all": "no body at all",
    "a body of the media type text/plain": "a body of the media type text/plain",
    "null": "null where the description does not allow it",
    "type": "a value of another type",
    "missing": "a required value missing",
    "extra": "a property that the description does not have",
    "format": "a text outside its format",
    "pattern": "a text outside its pattern",
    "enum": "a value outside its enumeration",
    "min_length": "a text that is too short",
    "max_length": "a text that is too long",
    "minimum": "a number below its minimum",
    "maximum": "a number above its maximum",
}


def suspected_defects(
    verdicts: Sequence[ContractViolation],
    credentials: Mapping[str, Credential],
    start: str,
    without_secrets: Callable[[str], str] = str,
) -> list[Json]:
    """Group violations into suspected defects, worst first.

    Args:
        start: how to start the application, printed above the requests.
        without_secrets: removes secrets from a text, before it is cut to its length.
    """
    ranks = {name: rank for rank, name in enumerate(_KINDS)}
    kinds: dict[tuple[str, str, str], list[ContractViolation]] = {}
    causes = Counter(_cause(verdict) for verdict in verdicts)
    for verdict in verdicts:
        # A status that is undocumented once is usually undocumented everywhere, and what lets everybody in is one
        # function: they are reported once.
        everywhere = verdict.kind in ("undocumented_status", "not_secured")
        subject = "" if everywhere else verdict.seen.proposal.operation.label
        cause = _cause(verdict)
        shared = cause and causes[cause] > _FEW
        own = cause if verdict.kind == "server_error" and cause else verdict.detail
        key = (verdict.kind, "", cause) if shared else (verdict.kind, subject, own)
        kinds.setdefault(key, []).append(verdict)
    defects: dict[str, Json] = {}
    for (kind, _, detail), same in sorted(kinds.items(), key=lambda item: ranks[item[0][0]]):
        # The shortest reproduction stands for all.
        same.sort(key=lambda violation: len(violation.seen.proposal.setup))
        first, operation = same[0], same[0].seen.proposal.operation
        others = sorted({violation.seen.proposal.operation.label for violation in same} - {operation.label})
        differing = f"{len(others) + 1} operations answer {detail}, which their descriptions do not name"
        if kind == "not_secured":
            differing = f"{len(others) + 1} operations take {detail}, though their descriptions ask for some"
        if kind == "server_error":
            differing = f"{len(others) + 1} operations answer {first.seen.answer.status} for one reason: {detail}"
        if kind == "not_enforced" and len(same) > _FEW:
            others = [f"{one.seen.proposal.operation.label}: {one.seen.proposal.breaks}" for one in same[1:]]
            differing = f"{len(same)} requests are taken with {_CAUSES[detail]}"
        base = f"sd_{operation.name}_{kind}"
        base += f"_{first.seen.proposal.name}" if kind in ("server_error", "not_enforced") else ""
        name = re.sub(r"[^a-z0-9_]+", "_", base.lower())[:150]
        name = unique_name(base[:145], {base[:145], *defects}) if name in defects else name
        observed = without_secrets(first.observed)[:_SHOWN].strip()
        observed += f" (also {', '.join(others[:20])})" if others else ""
        observed += _finders(same)
        defects[name] = {
            "id": name,
            "title": without_secrets(differing if others else first.title)[:_SHOWN],
            "subject": operation.label[:300],
            "documented": without_secrets(first.documented)[:4000],
            "observed": observed[:4000],
            "reproduce": _reproductions(same, credentials, start),
            "evidence": {"path": operation.source, "lines": list(operation.lines)},
        }
    return list(defects.values())[:500]


def _finders(same: Sequence[ContractViolation]) -> str:
    """Return who found a defect, in words; nothing where only we did."""
    finders = {violation.seen.proposal.found_by for violation in same}
    others = " and ".join(sorted(finders - {""}))
    return f" (found by {'testwright and ' * ('' in finders)}{others})" if others else ""


def _cause(violation: ContractViolation) -> str:
    """Return the broken constraint, which is taken for the same reason wherever it is, or where the code broke.

    Empty for another violation.
    """
    proposal = violation.seen.proposal
    if violation.kind == "server_error":
        place, _, exception = violation.seen.answer.crash.partition(": ")
        name = exception.partition(":")[0]
        # A value that breaks one driver breaks it wherever it is sent; what else is raised is the code's own.
        unusual = proposal.cause in KINDS.values() and _OF_VALUES.match(exception) is not None
        where = f"at {proposal.cause}" if unusual else f"in {place}"
        return f"{name} {where}" if place else ""
    cause = (proposal.cause or proposal.breaks) if violation.kind == "not_enforced" else ""
    return cause if cause in _CAUSES else ""


def _reproductions(same: Sequence[ContractViolation], credentials: Mapping[str, Credential], start: str) -> str:
    """Render the reproduction of the first violation, then of the others at other operations, while there is room."""
    text = reproduction_lines(same[0].seen, credentials, start)
    rendered = {same[0].seen.proposal.operation.label}
    for violation in same:
        label = violation.seen.proposal.operation.label
        more = f"\n# the same for {label}:\n{reproduction_lines(violation.seen, credentials, '')}"
        if label not in rendered and len(text) + len(more) <= _ROOM:
            text += more
            rendered.add(label)
    return text[:8000]


def reproduction_lines(seen: ObservedProposal, credentials: Mapping[str, Credential], start: str) -> str:
    """Render shell lines that reproduce an answer; the first says how to start the application."""
    saved: dict[str, Any] = saved_values(seen.proposal.setup, seen.answers)
    requests = [curl.numbers_bare(request, saved) for request in (*seen.proposal.setup, seen.proposal.request)]
    head = f"# {start}\n" if start else ""
    seconds = _PATIENCE if seen.answer.failure else 0
    return head + signed_in_lines(requests, credentials, seconds=seconds)
