"""Makes the tasks of load tests from the requests that were found to work: chains create, read, change and remove."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ....utils.python_names import unique_name
from ...api.model.json_values import literal_text, saved_names_in
from ...api.probe.resource_model import BaselineRequest

Json = dict[str, Any]
MOST_TASKS = 20
THINK_SECONDS = (0.1, 0.5)
_ORDER = ("POST", "GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
_READING, _CHAIN, _CHANGING = 5, 2, 1
_LONGEST_NAME = 60
_OF_USERS = """
abstract client client_pool concurrency connection_timeout context default_headers environment fixed_count fullname
get_task_sequence greenlet group host insecure json max_redirects max_retries max_wait min_wait network_timeout on_start
on_stop proxy_host proxy_port rest rest_ run schedule_task self ssl_context_factory start start_sleep sticky_tag stop
tag task tasks to_dict wait wait_function wait_time weight
"""
_RESERVED = frozenset([*keyword.kwlist, *keyword.softkwlist, *_OF_USERS.split()])
"""What a task cannot be called: words of Python, and what Locust's users have by these names."""


def load_tasks(
    baselines: Mapping[str, BaselineRequest], secrets: Iterable[str] = ()
) -> tuple[list[Json], dict[str, str]]:
    """Return the tasks, and why an operation is in none, by its label.

    Readings are weighted above chains that create something, those above single changes.

    Args:
        baselines: successful requests by operation name.
        secrets: values that no file may hold.
    """
    reasons: dict[str, str] = {}
    chains: dict[str, list[BaselineRequest]] = {}
    values = [one for one in secrets if len(one) > 5]
    removed = _removed_paths(baselines.values())
    for baseline in baselines.values():
        problem = _problem(baseline, values, removed)
        if problem:
            reasons[baseline.operation.label] = problem
            continue
        # What needs no setup stands for itself, but for a creation that others begin with.
        key = json.dumps(baseline.setup or baseline.saving, sort_keys=True, default=str)
        chains.setdefault(key if baseline.setup or baseline.saves else baseline.operation.name, []).append(baseline)
    names = {(one.operation.method, one.operation.path): one.operation.name for one in baselines.values()}
    begun = {_signature(one.setup) for chain in chains.values() for one in chain}
    tasks: list[Json] = []
    taken: set[str] = set()
    for chain in chains.values():
        if len(chain) == 1 and _signature(chain[0].story) in begun:
            continue
        task = _task(chain, names, taken)
        taken.add(task["name"])
        tasks.append(task)
    tasks.sort(key=lambda task: -task["weight"])
    for task in tasks[MOST_TASKS:]:
        reasons.setdefault(task["requests"][-1]["path"], f"{MOST_TASKS} tasks are enough for one file")
    return tasks[:MOST_TASKS], reasons


def request_name(request: Mapping[str, Any]) -> str:
    """The name that a request is counted under: `GET /orders/{number}`."""
    return f"{request['method']} {request['path']}"


def name_of_task(name: str, method: str) -> str:
    """The name as that of a method of a user: `get_tasks` where Locust has `tasks` itself."""
    plain = name.strip("_") or "request"
    return f"{method.lower()}_{plain}" if plain in _RESERVED or not plain.isidentifier() else plain


def _signature(requests: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(list(requests), sort_keys=True, default=str)


def _removed_paths(baselines: Iterable[BaselineRequest]) -> set[str]:
    """Paths of operations that remove something with a fixed name, which all users share."""
    found = [one for one in baselines if one.operation.method == "DELETE"]
    return {one.operation.path for one in found if not saved_names_in(one.request)}


def _problem(baseline: BaselineRequest, secrets: Sequence[str], removed: set[str]) -> str:
    operation = baseline.operation
    if any(value in literal_text(list(baseline.story)) for value in secrets):
        return "its request holds a secret"
    if operation.method == "DELETE" and operation.path in removed:
        return "it removes what other users work with"
    media = str((baseline.request.get("body") or {}).get("media_type") or "")
    if media.startswith("multipart/"):
        return "it sends files, which load tests do not"
    return ""


def _task(chain: Sequence[BaselineRequest], names: Mapping[tuple[str, str], str], taken: set[str]) -> Json:
    ordered = sorted(chain, key=lambda one: _ORDER.index(one.operation.method) if one.operation.method in _ORDER else 9)
    first = ordered[0]
    # A creation comes before what others of its chain do with what it made.
    requests: list[Json] = [dict(step) for step in first.setup]
    requests += [dict(one.saving) for one in ordered if _signature(one.story) != _signature(first.setup)]
    requests = [_without_unused(request, requests[at + 1 :]) for at, request in enumerate(requests)]
    return {
        "name": unique_name(_name(first, ordered, names), taken),
        "weight": _weight(requests),
        "requests": requests,
        "think_seconds": list(THINK_SECONDS),
    }


def _without_unused(request: Json, later: Sequence[Mapping[str, Any]]) -> Json:
    """The request, saving only what later ones use."""
    used = {name for one in later for name in saved_names_in({**one, "save": None})}
    save = {name: pointer for name, pointer in (request.get("save") or {}).items() if name in used}
    plain = {key: value for key, value in request.items() if key != "save"}
    return {**plain, "save": save} if save else plain


def _weight(requests: Sequence[Mapping[str, Any]]) -> int:
    methods = {str(request["method"]) for request in requests}
    if methods <= {"GET", "HEAD", "OPTIONS"}:
        return _READING
    return _CHAIN if len(requests) > 1 and "GET" in methods else _CHANGING


def _name(first: BaselineRequest, chain: Sequence[BaselineRequest], names: Mapping[tuple[str, str], str]) -> str:
    made = [names.get((str(step["method"]), str(step["path"])), "") for step in first.setup]
    words = [*made[-1:], *(one.operation.name for one in chain)]
    name = "_then_".join(dict.fromkeys(word for word in words if word))
    while len(name) > _LONGEST_NAME and "_then_" in name:
        name = name.rpartition("_then_")[0]
    return name_of_task(re.sub(r"\W", "_", name)[:_LONGEST_NAME], first.operation.method)
