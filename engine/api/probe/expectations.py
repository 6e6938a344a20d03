"""Derives the expectations of a case from its answer, with their origin: the document or an observation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..document.schemas import standalone_schema
from ..model.model import Api, Json, ObservedProposal
from ..model.pointers import leaves, lists, parts
from ..values.private import SecretFilter
from .resource_model import parse_json, resolve_pointer
from .stability import saved_values

_MOST_BODY = 1500
_MOST_ERROR = 300
_MOST_SCHEMA = 6000
_MOST_POINTS = 12
_MOST_LISTS = 3
_JSON_TYPES = {str: "string", dict: "object", list: "array", bool: "boolean", int: "number", float: "number"}


def select_informative(found: Sequence[ObservedProposal]) -> frozenset[int]:
    """Select, for each operation and status, the index of the answer with the most content.

    Only that answer is validated against its schema: an empty list satisfies any schema of items. Where the richest
        answer is a row of a table, all rows of the table are selected, because they share one assertion.
    """
    best: dict[tuple[str, int], tuple[tuple[int, bool], int]] = {}
    for at, one in enumerate(found):
        if one.proposal.category == "contract":
            continue
        value = parse_json(one.answer)
        rank = (-1 if value is None else _richness(value), not one.proposal.group)
        key = (one.proposal.operation.name, one.answer.status)
        if key not in best or rank > best[key][0]:
            best[key] = (rank, at)
    chosen = {at for _, at in best.values()}
    tables = {_table(found[at]) for at in chosen if found[at].proposal.group}
    return frozenset(chosen | {at for at, one in enumerate(found) if one.proposal.group and _table(one) in tables})


def _richness(value: Any) -> int:
    return sum(1 for _, leaf in leaves(value) if leaf not in ({}, []))


def _table(seen: ObservedProposal) -> tuple[str, str, int]:
    return seen.proposal.operation.name, seen.proposal.group, seen.answer.status


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
        for one in (*_content_type(seen, api), *_schema(seen, api, value)):
            yield {**one, "evidence": evidence}
    if value is not None:
        for one in _body(seen, value, privacy):
            yield {**one, "origin": "observed", "evidence": evidence}


def _content_type(seen: ObservedProposal, api: Api) -> Iterator[Json]:
    told = seen.answer.headers.get("content-type", "")
    if not told or not seen.answer.text or "boundary=" in told:
        return
    operation = seen.proposal.operation
    promised = api.documented and bool(operation.media_of(seen.answer.status)) and operation.method != "HEAD"
    yield {
        "kind": "header",
        "name": "content-type",
        "value": told,
        "origin": "documented" if promised else "observed",
    }


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
    elif not seen.unstable and not secret and len(json.dumps(value)) <= _MOST_BODY:
        yield {"kind": "body_equals", "value": value}
    else:
        for place, found in list(_within(lists(value, seen.unstable | secret), _MOST_LISTS)):
            yield _part(place, "has_length", len(found))
        yield from _within(_parts(seen, value, secret), _MOST_POINTS)


def _parts(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[Json]:
    saved = saved_values(seen.proposal.setup, seen.answers)
    for pointer, leaf, hidden in parts(value, seen.unstable | secret):
        if not hidden:
            if not isinstance(leaf, dict | list) and len(str(leaf)) <= 300:
                yield _part(pointer, "equals", leaf)
            continue
        name = next((name for name, known in saved.items() if known == leaf and leaf not in (None, "")), None)
        if name is not None:
            yield _part(pointer, "equals", f"{{{{{name}}}}}")
        elif leaf is not None and (pointer in secret or not isinstance(leaf, bool)):
            yield _part(pointer, "has_type", _JSON_TYPES[type(leaf)])


def _error(seen: ObservedProposal, value: Any, secret: frozenset[str]) -> Iterator[Json]:
    """Pin error messages of the application itself; of a validator's report only the invalid location."""
    if seen.proposal.category == "contract":
        return
    plain = isinstance(value, dict) and not any(isinstance(one, dict | list) for one in value.values())
    if plain and not seen.unstable and len(json.dumps(value)) <= _MOST_ERROR:
        if secret:
            yield from _parts(seen, value, secret)
        else:
            yield {"kind": "body_equals", "value": value}
        return
    place = resolve_pointer(value, "/detail/0/loc") if isinstance(value, dict) else None
    hidden = seen.unstable | secret
    if isinstance(place, list) and place and not any(one.startswith("/detail/0/loc") for one in hidden):
        yield _part("/detail/0/loc", "equals", place)


def _part(pointer: str, operator: str, value: Any) -> Json:
    return {"kind": "body_value", "pointer": pointer, "operator": operator, "value": value}


def _within(found: Iterable[Any], most: int) -> Iterator[Any]:
    for number, one in enumerate(found):
        if number >= most:
            return
        yield one
