"""Names the functions of setup requests: what each does, and how it differs from the commonest of its kind."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from ....utils.python_names import unique_name
from ..document.auth import auth_names
from ..document.operations import snake_case
from ..model.json_values import saved_names_in
from ..probe.differences import differences, joined
from ..probe.resource_model import resource_of

Json = Mapping[str, Any]
_WORDS = {"POST": "create", "PUT": "set", "PATCH": "change", "DELETE": "delete", "GET": "read"}
_MOST_DIFFERENCES = 3
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


def setup_requests(cases: Iterable[Json]) -> list[Json]:
    """The requests that the cases of a spec arrange, in its order, as often as they are sent."""
    return [request for case in cases for request in (case.get("arrange") or {}).get("requests") or ()]


def setup_key(request: Json, users: Container[str] = ()) -> str:
    """What tells a setup function from others: what it sends, and where in the answer its results stand.

    Args:
        users: credentials that the caller of the function chooses.
    """
    sent = {name: entry for name, entry in request.items() if name != "save"}
    names = saved_names_in(sent)
    if any(name in users for name in auth_names(request)):
        sent.pop("auth", None)
    made = json.dumps([sent, list((request.get("save") or {}).values())], sort_keys=True)
    # What was saved before is an argument, whatever it is called where the function is.
    return _VARIABLE.sub(lambda found: f"{{{names.index(found[1])}}}" if found[1] in names else found[0], made)


def setup_names(requests: Sequence[Json], users: Container[str] = ()) -> dict[str, str]:
    """Name the functions of a file in snake case, by their keys: `create_cart`, `create_cart_with_customer_x`.

    Args:
        requests: all that the file's tests arrange, as often as they are sent.
        users: see `setup_key`.
    """
    uses = Counter(setup_key(request, users) for request in requests)
    groups: dict[str, dict[str, Json]] = {}
    for key, request in {setup_key(request, users): request for request in reversed(requests)}.items():
        groups.setdefault(setup_name(request, next(iter(request.get("save") or {}), "")), {})[key] = request
    named: dict[str, str] = {}
    for base, members in groups.items():
        # The commonest, of those the first in the file, which the dictionary holds last.
        plain = max(reversed(members), key=lambda key: uses[key])
        named[plain] = unique_name(base, set(named.values()))
        different = {
            key: differences(request, members[plain]) for key, request in reversed(members.items()) if key != plain
        }
        # What differs in one thing is named after it, so that what differs in more is named after the others too.
        for key in sorted(different, key=lambda key: len(different[key])):
            named[key] = _by_difference(base, different[key], set(named.values()))
    return named


def setup_name(request: Json, variable: str) -> str:
    """Name what a setup request does in snake case.

    Args:
        variable: the value that it saves; empty for none.
    """
    word = _WORDS.get(request["method"], request["method"].lower())
    resource = resource_of(request["path"]) or "root"
    tail = request["path"].rstrip("/").rpartition("/")[2]
    if request["method"] == "POST" and "{" in request["path"] and "{" not in tail and not tail.endswith("s"):
        # POST /orders/{id}/cancel acts on what is there.
        return snake_case(f"{tail}_{resource_of(request['path'].rpartition('/')[0])}")
    if request["method"] == "GET" and "{" not in tail and tail.endswith("s"):
        return snake_case(f"list_{tail}")
    other = "other_" if variable.startswith("other_") else ""
    name = re.sub(r"\W", "_", f"{word}_{other}{resource}")
    return name if name.isidentifier() else f"step_{name}"


def _by_difference(base: str, found: Sequence[str], taken: Container[str]) -> str:
    for count in range(1, min(len(found), _MOST_DIFFERENCES) + 1):
        for chosen in combinations(found, count):
            name = f"{base}_{joined(chosen)}"
            if name not in taken:
                return name
    return unique_name(f"{base}_{joined(found[:_MOST_DIFFERENCES])}".rstrip("_"), taken)
