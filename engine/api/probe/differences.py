"""Says in words what a request does differently from another one, so that names and titles tell them apart."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....utils.python_names import unique_name
from ..document.auth import auth_names
from ..document.operations import snake_case
from ..model.json_values import saved_names_in
from ..model.model import Proposal
from .resource_model import is_complete

Json = Mapping[str, Any]
_MOST_LETTERS = 20
"""Letters of a text that stands in a name."""
_LONG = 30
"""A text with more letters is called long."""
_MOST_DIFFERENCES = 3
_ABSENT = object()


def differences(request: Json, usual: Json) -> list[str]:
    """What a request has, or lacks, beside the usual one, in snake case: `with_customer_grace`, `as_other_user`.

    Path parameters come first, then the body, the query, headers and who asks; texts that are no words do not appear.
    """
    ours, theirs = dict(_facts(request)), dict(_facts(usual))
    found: dict[str, None] = {}
    for place in {**ours, **theirs}:
        value, other = ours.get(place, _ABSENT), theirs.get(place, _ABSENT)
        if value != other or type(value) is not type(other):
            found[_words(place[0], snake_case(place[-1]) or place[0], value, other)] = None
    return list(found)


def joined(found: Sequence[str]) -> str:
    """Differences as one name, with one `with` for all that follow each other."""
    parts, before = [], ""
    for words in found:
        kind, _, rest = words.partition("_")
        parts.append(f"and_{rest}" if kind == before == "with" else words)
        before = kind
    return "_".join(parts)


def distinct_proposals(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Deduplicate request sequences; those of one name within an operation say what differs."""
    made: list[Proposal] = []
    stories: set[str] = set()
    names: dict[str, dict[str, Proposal]] = {}
    for proposal in proposals:
        story = json.dumps([proposal.setup, proposal.request], sort_keys=True, default=str)
        if story in stories or not is_complete((*proposal.setup, proposal.request)):
            continue
        stories.add(story)
        taken = names.setdefault(proposal.operation.name, {})
        if proposal.name in taken:
            proposal = _disambiguated(proposal, taken[proposal.name], taken)
        made.append(proposal)
        taken[proposal.name] = proposal
    return made


def _disambiguated(proposal: Proposal, other: Proposal, taken: Container[str]) -> Proposal:
    """A proposal whose name and title say what it does otherwise than another one."""
    found = differences(proposal.request, other.request)
    for step, usual in zip(proposal.setup, other.setup, strict=False):
        found += [f"after_{step['method']}_{one}".lower() for one in differences(step, usual)]
    if len(proposal.setup) > len(other.setup):
        found += [f"after_{step['method']}".lower() for step in proposal.setup[len(other.setup) :]]
    # Two steps of one method are one thing to say.
    words = joined(list(dict.fromkeys(found))[:_MOST_DIFFERENCES])
    name = unique_name(f"{proposal.name}_{words}".rstrip("_"), taken)
    return replace(proposal, name=name, title=f"{proposal.title} {words.replace('_', ' ')}".strip())


def _facts(request: Json) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The parts of a request by their places."""
    yield from ((("path", name), value) for name, value in (request.get("path_parameters") or {}).items())
    yield ("path", "path"), request["path"]
    body = request.get("body")
    yield from _leaves(("body", "body"), body.get("content", _ABSENT)) if body is not None else ()
    for part in ("query", "headers", "cookies"):
        yield from (((part, str(name)), value) for name, value in (request.get(part) or {}).items())
    yield from ((("auth", name), True) for name in auth_names(request))
    yield from ((("save", name), True) for name in request.get("save") or ())


def _leaves(place: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping) and value:
        for name, entry in value.items():
            yield from _leaves((*place, str(name)), entry)
    elif not isinstance(value, Mapping):
        yield place, value


def _words(part: str, name: str, value: Any, usual: Any) -> str:
    if part == "auth":
        return f"as_{name}" if value is not _ABSENT else f"without_{name}"
    if part == "save":
        return f"for_{name}" if value is not _ABSENT else "alone"
    if value is _ABSENT:
        return f"without_{name}"
    if value is None or isinstance(value, bool):
        return f"with_{name}_{'null' if value is None else str(value).lower()}"
    if value in ("", []):
        return f"with_empty_{name}"
    if isinstance(value, int | float):
        return f"with_{name}_{'minus_' if value < 0 else ''}{snake_case(str(abs(value)))}"
    saved = saved_names_in(value)
    if isinstance(value, str) and not saved and len(value) > _LONG:
        return f"with_long_{name}"
    said = isinstance(value, str) and len(value) <= _MOST_LETTERS
    shown = saved[0] if saved else snake_case(str(value)) if said else ""
    # Dates and codes are no words.
    if shown and not any(letter.isdigit() for letter in shown):
        # "other title" says that it is a title.
        return f"with_{shown}" if name in shown.split("_") and not saved else f"with_{name}_{shown}"
    if isinstance(value, list) and len(value) > 1:
        return f"with_several_{name}"
    return f"with_{name}" if usual is _ABSENT else f"with_other_{name}"
