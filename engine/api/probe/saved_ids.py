"""Finds the id of what a request creates in its answer, and in which order what needs such ids is tried."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..document.operations import resource_named, snake_case
from ..document.schemas import merge_schema, type_of
from ..model.json_values import escape_key, resolve_pointer
from ..model.model import Api, HttpAnswer, Operation
from .resource_model import ID_NAMES, ResourceModel, parse_json, resource_of

_RANK = {"POST": 0, "PUT": 1, "GET": 2, "HEAD": 3, "PATCH": 4, "DELETE": 5, "OPTIONS": 6, "TRACE": 7}


def makers_first(world: ResourceModel) -> list[Operation]:
    """Return the operations in the order in which requests of them are tried: what creates things, then what uses them.

    What others refer to is made before them: some take an id of nothing as well, and show nothing of it then.
    """
    asks = {known.name: _references(known, world) for known in world.api.operations}
    return sorted(
        world.api.operations,
        key=lambda known: (_RANK[known.method], known.path.count("/"), asks[known.name], known.path),
    )


def _references(operation: Operation, world: ResourceModel) -> int:
    """Return how many fields that a body needs name what another operation creates: `store_id` of `POST /stores`."""
    if operation.body is None:
        return 0
    others = [one for one in world.api.operations if one.method == "POST" and one.path != operation.path]
    made = {resource_of(one.path) for one in others} - {""}
    needed = world.samples.merged(operation.body.schema).get("required") or ()
    return sum(resource_named(str(name)) in made for name in needed)


def find_saved_ids(operation: Operation, api: Api, answer: HttpAnswer, known: Sequence[Any] = ()) -> dict[str, str]:
    """Return which parts of a creating operation's answer to save: variable → JSON pointer.

    Args:
        known: ids of parent resources, which the answer may repeat.
    """
    content = parse_json(answer)
    resource = resource_of(operation.path)
    wanted = [pointer for _, _, parameters in operation.links for pointer in _from_links(parameters)]
    below = _parameters_below(operation, api)
    names = [*dict.fromkeys(below), *ID_NAMES, f"{resource}_id", f"{resource}Id", f"{resource}_uuid"]
    holders = ["", "/data", f"/{resource}", "/result", "/item", *_wrapping(content)]
    candidates = [*wanted, *(f"{holder}/{name}" for holder in holders for name in names)]
    for pointer in candidates:
        part = resolve_pointer(content, pointer)
        if not isinstance(part, int | str) or isinstance(part, bool) or part == "":
            continue
        # The first thing below the first parent has the same number as that; its name may say whose it is.
        named = bool(resource) and snake_case(pointer.rpartition("/")[2]) == f"{resource}_id"
        if part in known and not named and not _is_repeated(content, pointer, part, operation.path):
            continue
        if pointer not in wanted and any(is_number and not str(part).isdigit() for is_number in below.values()):
            continue
        last = snake_case(pointer.rpartition("/")[2])
        name = last if last.startswith(resource) or not resource else f"{resource}_{last}"
        return {name: pointer}
    return {}


def _wrapping(content: Any) -> list[str]:
    """Return where an answer holds the one thing that it is about: in a list, or in what wraps that or the thing."""
    holder = ""
    while isinstance(content, dict | list) and len(content) == 1:
        key, content = (0, content[0]) if isinstance(content, list) else next(iter(content.items()))
        holder += f"/{escape_key(str(key))}"
    return [holder.rpartition("/")[0], holder] if holder else []


def _parameters_below(operation: Operation, api: Api) -> dict[str, bool]:
    """The parameters that come next in the paths below an operation's, each with whether it is a whole number."""
    below = operation.path.rstrip("/") + "/"
    found: dict[str, bool] = {}
    for known in api.operations:
        if known.path.startswith(below + "{"):
            name = known.path.removeprefix(below).split("/")[0].strip("{}")
            same = (one for one in known.parameters if one.where == "path" and one.name == name)
            found[name] = any(type_of(merge_schema(one.schema, api.components)) == "integer" for one in same)
    return found


def _parent_names(path: str) -> set[str]:
    """What an answer may call the id of the parent in a path: as its parameter, or by what it is."""
    parent, _, last = path.rstrip("/").rpartition("/")[0].rpartition("/")
    names = {last.strip("{}"), f"{resource_of(parent)}_id"} if last.startswith("{") else set()
    return {snake_case(name) for name in names}


def _is_repeated(content: Any, pointer: str, value: Any, path: str) -> bool:
    """Whether an answer names its parent beside its own id (`{"id": 1, "cart_id": 1}`): then both have that value."""
    holder, _, own = pointer.rpartition("/")
    beside = resolve_pointer(content, holder) if holder else content
    entries = beside.items() if isinstance(beside, dict) else ()
    parents = _parent_names(path)
    return snake_case(own) in ("id", f"{resource_of(path)}_id") and any(
        name != own and entry == value and snake_case(name) in parents for name, entry in entries
    )


def _from_links(parameters: Mapping[str, str]) -> list[str]:
    found = [re.fullmatch(r"\$response\.body#(/.*)", parameter) for parameter in parameters.values()]
    return [match.group(1) for match in found if match]
