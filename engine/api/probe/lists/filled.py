"""Proposes readings of lists that are filled: by each filter, sorted, cut, by others, and below another parent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...document.operations import singular, snake_case
from ...document.schemas import type_of
from ...model.model import UNSAFE, ApiParameter, Json, Operation, Proposal
from ...values import paging
from ...values.data import NOTHING
from ...values.negative_requests import edge_values
from ..distinct import NO_OTHERS, Others, producers_with_another, renamed, unwrapped
from ..propose_access import admins_list, another_users_list, filtered_for_others, flagged_for_admins
from ..propose_values import copy_request, make_proposal
from ..resource_model import BaselineRequest, ResourceModel, merge_setups, put_parameter, resource_of, variables_in
from ..sign_in.users import OTHER, USER, by_other, constant
from .columns import sorted_by_answers

_MOST_DONE = 3
_MOST_EXAMPLES = 3


def filled_lists(
    world: ResourceModel, other: Others, varied: Others = NO_OTHERS, third: Others = NO_OTHERS
) -> Iterator[Proposal]:
    """Yield readings of a collection with two different members, plain and with each parameter.

    Args:
        other: operation name → the request for a second, different member.
        varied: baselines with other values than the plainest; see `varied_stories`.
        third: operation name → the request for a third member, which is there where a list is read as it is, sorted or
            cut: it is like the first but for its texts.
    """
    for reading in world.baselines.values():
        operation = reading.operation
        # Only collections list members; a path that ends in an id reads one.
        if operation.method != "GET" or reading.operation.path.endswith("}"):
            continue
        makers = [baseline for baseline in world.baselines.values() if _fills(baseline, operation)]
        story: list[Json] = []
        for maker in makers:
            story = merge_setups(story, maker.story)
            second = other.get(maker.operation.name)
            if second is not None:
                story = merge_setups(story, second.story)
        if not story:
            continue
        setup = tuple(merge_setups(reading.setup, story))
        lasts = [third[maker.operation.name].saving for maker in makers if maker.operation.name in third]
        three = tuple(merge_setups(setup, lasts))
        words, marks = "lists what was made", {"wants": "success", "setup": three, "priority": "high"}
        yield make_proposal(reading, FILLED, words, "success", reading.request, **marks)
        yield from another_users_list(world, reading, setup)
        yield from admins_list(world, reading, setup)
        yield from _lists_of_another_parent(world, reading, setup, other)
        yield from _second_page(reading, three)
        apart = _told_apart_by_flags(world, reading, makers, setup, other, varied)
        for parameter in operation.parameters:
            if parameter.where == "query":
                yield from _filtered(world, reading, parameter, story, (setup, three), apart)
                yield from _filtered_by_users(world, reading, parameter, apart)
        seconds = [other[maker.operation.name] for maker in makers if maker.operation.name in other]
        yield from sorted_by_answers(world, reading, [*makers, *seconds], three)


def _filtered(
    world: ResourceModel,
    reading: BaselineRequest,
    parameter: ApiParameter,
    story: list[Json],
    setups: tuple[tuple[Json, ...], tuple[Json, ...]],
    apart: list[tuple[str, tuple[Json, ...]]],
) -> Iterator[Proposal]:
    """Yield readings of a list by each value of a query.

    Args:
        story: the requests that fill the list.
        setups: with two members, and with three where there are: what sorts or cuts a list takes those.
        apart: see `_told_apart_by_flags`.
    """
    ordered = paging.sorts(parameter.name) or paging.cuts(parameter.name)
    setup = setups[ordered]
    for value in _separating_values(world, parameter, story):
        request = copy_request(reading.request)
        put_parameter(request, parameter, value)
        name, words = f"filled_by_{parameter.name}_{str(value)[:30]}", f"lists by {parameter.name} {value}"
        group = PAGES if paging.cuts(parameter.name) else FILTERS
        marks = {"setup": setup, "group": group, "priority": "high"}
        yield make_proposal(reading, name, words, "success", request, **marks)
        if not ordered:
            yield from filtered_for_others(world, reading, setup, request, name, words)
        if _is_flag(value):
            for how, more in apart:
                marks = {"setup": more, "group": f"{FLAGS}{how}", "priority": "high"}
                told = f"{words} {how.replace('_', ' ')}"
                yield make_proposal(reading, f"{name}_{how}", told, "success", request, **marks)
            yield from flagged_for_admins(world, reading, setup, request, (f"{FLAGS}for_administrators", name, words))


def _filtered_by_users(
    world: ResourceModel, reading: BaselineRequest, parameter: ApiParameter, apart: list[tuple[str, tuple[Json, ...]]]
) -> Iterator[Proposal]:
    """Yield readings of a list by the name of each user, where that may be what a text of a query is: an author.

    They are tests where that picks out some; see `with_effect`.
    """
    whole, name = world.samples.merged(parameter.schema), parameter.name
    free = type_of(whole) == "string" and not whole.keys() & {"enum", "pattern"}
    if not free or paging.sorts(name) or paging.cuts(name):
        return
    part = "email" if whole.get("format") == "email" or "mail" in name.lower() else "name"
    users = [user for user in (USER, OTHER) if user in world.users and world.users[user].sign_in is not None]
    for how, setup in apart if "format" not in whole or part == "email" else ():
        for user in users:
            request = copy_request(reading.request)
            put_parameter(request, parameter, f"{{{{{constant(user, part)}}}}}")
            who = "one user" if user == USER else "another user"
            # That there are two of them is what the test is about.
            after = "" if how == OF_TWO_USERS else f" {how.replace('_', ' ')}"
            words = f"by {name} lists what is of {who}{after}"
            title = words.replace(" ", "_")
            marks = {"setup": setup, "group": BY_USERS, "priority": "high"}
            yield make_proposal(reading, title, words, "success", request, **marks)


FILLED = "lists_what_was_made"
"""The name of the reading of a list of what was put into it."""
OF_TWO_USERS = "of_two_users"
"""How a list is filled of which each of two users has made a member."""
BY_USERS = "by_users"
"""The group of readings of a list by the name of a user."""
FILTERS = "filters"
"""The group of readings of a filled list by a query."""
PAGES = "pages"
"""The group of readings of a filled list by what counts, pages or passes over its members."""
FLAGS = "filters_"
"""The beginning of the groups of such readings by a flag, of a list that is filled for it."""


def _is_flag(value: Any) -> bool:
    """Whether a value of a query sets a flag: what is only mine, what is low, what is done."""
    return isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false", "yes", "no"))


def _told_apart_by_flags(
    world: ResourceModel,
    reading: BaselineRequest,
    makers: list[BaselineRequest],
    setup: tuple[Json, ...],
    other: Others,
    varied: Others,
) -> list[tuple[str, tuple[Json, ...]]]:
    """Return how else a list may be filled, in words, with the setup: what a flag picks out need not be in a body.

    One member is another user's; or one has had something done to it that the other has not.
    """
    found: list[tuple[str, tuple[Json, ...]]] = []
    seconds = [other[maker.operation.name].request for maker in makers if maker.operation.name in other]
    if OTHER in world.users and seconds:
        theirs = tuple(by_other(step) if step in seconds else step for step in setup)
        found += [(OF_TWO_USERS, theirs)] if theirs != setup else []
    below = f"{reading.operation.path.rstrip('/')}/{{"
    inner = [one for one in world.baselines.values() if one.operation.path.startswith(below)]
    done = [one for one in inner if one.operation.method == "POST" and one.operation.path[-1] != "}"]
    for one in done[:_MOST_DONE]:
        # The plain parent is in the list already; what is done has amounts that matter.
        step = varied.get(one.operation.name, one).saving
        found.append((f"after_{one.operation.name}", tuple(merge_setups(merge_setups(setup, one.setup), [step]))))
    return found


def _lists_of_another_parent(
    world: ResourceModel, reading: BaselineRequest, setup: tuple[Json, ...], other: Others
) -> Iterator[Proposal]:
    """Yield the reading of a list below one parent while another parent has a member, too."""
    several = len(reading.operation.path_parameters) > 1
    for producer, second, names in producers_with_another(world, reading.operation, other):
        members = [step for step in setup if variables_in(step) & set(names) and step["method"] in UNSAFE]
        steps = [copy_request(step) for step in renamed(members, names)]
        if steps:
            more = tuple(merge_setups((*setup, *second.story), steps))
            where = f" beside another {resource_of(producer.operation.path)}" if several else ""
            words, marks = f"lists only its own{where}", {"wants": "success", "setup": more, "priority": "critical"}
            name = words.replace(" ", "_")
            yield make_proposal(reading, name, words, "success", reading.request, **marks)


def _second_page(reading: BaselineRequest, setup: tuple[Json, ...]) -> Iterator[Proposal]:
    """Yield the reading of the second of two members by what counts and what pages, together."""
    named = [known.name for known in reading.operation.parameters if known.where == "query"]
    sizes = [name for name in named if paging.counts(name)]
    for size in sizes[:1]:
        for name in named:
            if paging.pages(name) or paging.skips(name):
                number = 2 if paging.pages(name) else 1
                request = copy_request(reading.request)
                request["query"] = {**(request.get("query") or {}), name: number, size: 1}
                title, words = f"filled_by_{name}_and_{size}", f"lists by {name} {number} and {size} 1"
                marks = {"setup": setup, "group": PAGES, "priority": "high"}
                yield make_proposal(reading, title, words, "success", request, **marks)


def _fills(maker: BaselineRequest, collection: Operation) -> bool:
    path = collection.path.rstrip("/")
    if maker.operation.method == "POST":
        return maker.operation.path.rstrip("/") == path
    own = re.fullmatch(re.escape(path) + r"/\{[^/]+\}/?", maker.operation.path) is not None
    # What another request has made before is changed by it, and no second member.
    made = any(step["method"] == "POST" and step["path"].rstrip("/") == path for step in maker.setup)
    return maker.operation.method == "PUT" and own and not made


def _separating_values(world: ResourceModel, parameter: ApiParameter, story: list[Json]) -> list[Any]:
    """Return filter values that separate the members: their own values, and the boundaries."""
    values: list[Any] = list(_paging_values(parameter, story))
    # What counts or pages is no property of a member.
    if paging.cuts(parameter.name) and not _is_property(world.samples.merged(parameter.schema)):
        values.append(world.samples.value(parameter.schema, parameter.name))
    else:
        values += _member_values(world, parameter, story)
    values += [value.value for value in edge_values(parameter.schema, world.samples, parameter.name)]
    in_words = type_of(world.samples.merged(parameter.schema)) == "string" and paging.cuts(parameter.name)
    made = [str(value) if in_words else value for value in values if value is not NOTHING]
    good = [value for value in made if world.samples.problem(value, parameter.schema) is None]
    return list({repr(value): value for value in good}.values())[:8]


def _member_values(world: ResourceModel, parameter: ApiParameter, story: list[Json]) -> list[Any]:
    """Return values that the members have, or that tell one of them from another."""
    values: list[Any] = []
    named = parameter.name.lower()
    whole = world.samples.merged(parameter.schema)
    for request in story:
        for content in (unwrapped(request), request.get("path_parameters") or {}):
            # Templates are filled in later: their text is no value.
            values += [entry for key, entry in content.items() if key.lower() == named and "{{" not in str(entry)]
            lists = [entry for key, entry in content.items() if isinstance(entry, list) and _is_list_of(key, named)]
            values += [one for entry in lists for one in entry if isinstance(one, str | int) and "{{" not in str(one)]
    if isinstance(whole.get("examples"), list):
        values += whole["examples"][:_MOST_EXAMPLES]
    if isinstance(whole.get("enum"), list):
        values += [option for option in whole["enum"] if option is not None]
    elif type_of(whole) in ("integer", "number") or whole.get("format") in ("date", "date-time"):
        numbers = [scalar for request in story for scalar in _scalars(unwrapped(request), whole)]
        values += numbers
        # Just above a member's value, where a filter with < and one with <= differ.
        values += [number + 1 for number in numbers if isinstance(number, int)]
        values.append(world.samples.value(parameter.schema, parameter.name))
    elif type_of(whole) == "boolean":
        values += [True, False]
    else:
        free = not whole.keys() & {"format", "pattern", "enum"}
        texts = [text for request in story for text in _texts(request)]
        # In other letters it finds them, too, or it does not.
        words = [text for text in (*values, *texts) if isinstance(text, str) and text.upper() != text]
        values += ["unknown", *(text.upper() for text in words[:1])] if free else []
        # A search for the first word of a text finds some members and not others; what is one word it finds in several.
        several = [text.partition(" ")[0] for text in texts if " " in text]
        values += [*several[:1], *texts[:1]] if free else [text[:2] for text in texts[:3]]
    return values


def _is_property(whole: Any) -> bool:
    """Whether values of a schema are those of a property, whatever it is called: `size` of S, M and L."""
    return "enum" in whole or whole.get("format") in ("date", "date-time")


def _paging_values(parameter: ApiParameter, story: list[Json]) -> Iterator[Any]:
    """Yield values of a parameter that pages or sorts a list of two: a default shows them all, in their usual order."""
    if paging.counts(parameter.name) or paging.skips(parameter.name):
        yield 1
    elif paging.pages(parameter.name):
        yield 2
    elif paging.sorts(parameter.name):
        for field in next((list(body)[:2] for body in map(unwrapped, story) if body), []):
            yield from (field, f"-{field}")


def _is_list_of(key: str, named: str) -> bool:
    """Whether a list holds what a query names one of: `tags` or `tagList` for `tag`."""
    name = snake_case(key)
    return singular(name) == named or name in (f"{named}_list", f"{singular(named)}_list")


def _scalars(content: Json, whole: Any) -> list[Any]:
    found = content.values()
    if type_of(whole) in ("integer", "number"):
        return [scalar for scalar in found if isinstance(scalar, int | float) and not isinstance(scalar, bool)]
    return [scalar for scalar in found if isinstance(scalar, str) and re.match(r"\d{4}-\d\d-\d\d", scalar)]


def _texts(request: Json) -> list[str]:
    values = [*(request.get("path_parameters") or {}).values(), *unwrapped(request).values()]
    return [text for text in values if isinstance(text, str) and "{{" not in text and len(text) > 1]
