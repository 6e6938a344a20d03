"""Proposes updates that change something and are read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model.json_values import resolve_pointer
from ..model.model import Json, Proposal
from ..values.data import NOTHING
from .distinct import NO_OTHERS, Others, other_value, unwrapped, with_optional, wrapper_in
from .propose_values import MOST_NAME, copy_request, make_proposal, with_body
from .resource_model import (
    BaselineRequest,
    ResourceModel,
    fields_of,
    merge_setups,
    parse_json,
    put_parameter,
    readings_of,
)

_MOST_FIELDS = 3
_SCALARS = (str, int, float)
UPDATES = ("PUT", "PATCH")
BY_NEW = "_by_its_new_"
"""What stands in the names of readings by the id that an update answers with."""


def update_proposals(world: ResourceModel, varied: Others = NO_OTHERS) -> Iterator[Proposal]:
    """Yield updates with values other than those before, and what is read after them.

    An update with the values of the creation passes in a server that updates nothing; one that sets a single field
    shows that the others stay, also those that are no defaults.

    Args:
        varied: baselines with other values than the plainest; see `varied_stories`.
    """
    for usual in list(world.baselines.values()):
        reading = next(readings_of(world, usual.operation), None)
        read_so = reading is None or reading.operation.name in varied
        baseline = varied.get(usual.operation.name, usual) if read_so else usual
        if reading is not None and baseline is not usual:
            reading = varied[reading.operation.name]
        content = content_of(baseline)
        if baseline.operation.method not in UPDATES or content is None:
            continue
        changed = _changed(world, baseline, content, _given(usual))
        for name, words, fields in _updates(world, baseline, content, changed):
            request = with_body(baseline.request, wrapped(baseline, fields))
            # A case begins with its operation.
            own = name.removeprefix(f"{baseline.operation.name}_")
            yield make_proposal(
                baseline, own, words, "success", request, wants="success", group="updates", priority="critical"
            )
            if reading is not None:
                setup = tuple(merge_setups(reading.setup, (*baseline.setup, request)))
                told = f"after {baseline.operation.label} {words}"
                marks: Json = {"setup": setup, "priority": "critical"}
                yield make_proposal(reading, f"after_{name}", told, "state", reading.request, **marks)
                yield from _by_new_id(world, baseline, reading, request, (f"after_{name}", told))


def _by_new_id(
    world: ResourceModel, update: BaselineRequest, reading: BaselineRequest, request: Json, told: tuple[str, str]
) -> Iterator[Proposal]:
    """Yield the reading of a thing by the id that an update answers with: a title may make another one.

    Args:
        request: the update.
        told: the name and the words of the reading by the id of before.
    """
    for named in reading.operation.path_parameters[-1:]:
        producer = world.producer_of(reading.operation, named)
        pointer = next(iter(producer.saves.values()), "") if producer is not None else ""
        given = resolve_pointer(parse_json(update.answer), pointer) if pointer.startswith("/") else None
        # A number or a random id is the thing's for ever; what is made of its title is not.
        sent = [text.partition(" ")[0].lower() for text in _given(update).values() if isinstance(text, str)]
        is_made = isinstance(given, str) and any(word and word in given.lower() for word in sent)
        name, variable = f"{told[0]}{BY_NEW}{named.name}", f"new_{named.name}"
        # Of a longer name nothing would tell which id it is about.
        if is_made and len(name) <= MOST_NAME:
            asked = copy_request(reading.request)
            put_parameter(asked, named, f"{{{{{variable}}}}}")
            setup = tuple(merge_setups(reading.setup, (*update.setup, {**request, "save": {variable: pointer}})))
            words = f"{told[1]} by its new {named.name}"
            yield make_proposal(reading, name, words, "state", asked, setup=setup, priority="high")


def _updates(
    world: ResourceModel, baseline: BaselineRequest, content: Json, changed: Json
) -> Iterator[tuple[str, str, Json]]:
    """Yield name, words and body of each update: everything at once, then single fields."""
    name = baseline.operation.name
    # Names that nothing was made with may be none that it takes: they are sent alone.
    given, named = _given(baseline), world.samples.properties(content_schema(world, baseline))
    taken = {
        field: value
        for field, value in changed.items()
        if not isinstance(value, dict) or given.get(field) or world.samples.properties(named.get(field, True))
    }
    if taken:
        yield f"{name}_with_other_values", "with other values", {**content, **taken}
    inside = _inside(world, baseline, content, changed) if baseline.operation.method == "PATCH" else ()
    single = _single(world, baseline, content, changed) if len(changed) > 1 or not taken else ()
    for field, fields in list(single)[:_MOST_FIELDS]:
        yield f"{name}_with_another_{field}", f"with another {field}", fields
    for member, field, fields in inside:
        yield f"{name}_with_another_{member}_in_{field}", f"with another {member} in {field}", fields


def _inside(
    world: ResourceModel, baseline: BaselineRequest, content: Json, changed: Json
) -> Iterator[tuple[str, str, Json]]:
    """Yield the first member of each object that a body holds, the object's name, and the body that changes only it."""
    schema = content_schema(world, baseline)
    for field, fields in _single(world, baseline, content, changed):
        other = fields[field]
        if not isinstance(other, dict) or len(other) < 2:
            continue
        needed = set(world.samples.merged(world.samples.properties(schema).get(field, True)).get("required") or ())
        first = next((name for name, entry in other.items() if isinstance(entry, _SCALARS)), None)
        if first is not None:
            members = {name: entry for name, entry in other.items() if name in needed or name == first}
            yield first, field, {**fields, field: members}


def single_updates(world: ResourceModel, baseline: BaselineRequest) -> Iterator[tuple[str, Json]]:
    """Yield the name of each scalar field that an update takes, with a body in which it has another value than before.

    The body has what is required besides. Nothing is yielded for a body that is no object.
    """
    content = content_of(baseline)
    if content is not None:
        changed = _changed(world, baseline, content, _given(baseline))
        for field, fields in _single(world, baseline, content, changed):
            if isinstance(changed[field], _SCALARS):
                yield field, wrapped(baseline, fields)


def content_of(baseline: BaselineRequest) -> Json | None:
    """Return what a request holds by name, inside of the one field that wraps it; None for no object."""
    is_object = baseline.operation.body is not None and fields_of(baseline.request) is not None
    return unwrapped(baseline.request) if is_object else None


def wrapped(baseline: BaselineRequest, fields: Json) -> Json:
    """Return fields as the body of a request holds them: inside of the one field that wraps them, if there is one."""
    wrapper = wrapper_in(fields_of(baseline.request) or {})
    return {wrapper: fields} if wrapper else fields


def content_schema(world: ResourceModel, baseline: BaselineRequest) -> Any:
    """Return the schema of what a request holds by name; it must have a body."""
    assert baseline.operation.body is not None
    schema, wrapper = baseline.operation.body.schema, wrapper_in(fields_of(baseline.request) or {})
    return world.samples.properties(schema).get(wrapper, True) if wrapper else schema


def _single(
    world: ResourceModel, baseline: BaselineRequest, content: Json, changed: Json
) -> Iterator[tuple[str, Json]]:
    required = set(world.samples.merged(content_schema(world, baseline)).get("required") or ())
    kept = {key: entry for key, entry in content.items() if key in required}
    for field, value in changed.items():
        yield field, {**kept, field: value}


def _given(baseline: BaselineRequest) -> Json:
    """Return the values that a setup gives its resources."""
    given: Json = {}
    for step in baseline.setup:
        given |= unwrapped(step)
    return given


def _changed_inside(world: ResourceModel, name: str, schema: Any, current: Json) -> Json:
    """Return an object of a body with other values, but for passwords and what the update does not take."""
    taken = world.samples.properties(schema)
    open_ = not taken and world.samples.merged(schema).get("additionalProperties", False) is not False
    kept = {key: entry for key, entry in current.items() if (open_ or key in taken) and "password" not in key.lower()}
    other = other_value(schema, kept, world.samples)
    return {} if other is NOTHING else {name: other}


def _changed(world: ResourceModel, baseline: BaselineRequest, content: Json, plain: Json) -> Json:
    """Return other values of the scalar fields of an update than those that its setup has given them.

    Of objects that it holds those of their scalar members.

    Args:
        plain: the plainest values, which are taken where the setup gives others.
    """
    schema, given = content_schema(world, baseline), _given(baseline)
    full = world.samples.value(schema, "body", full=True)
    whole: Json = with_optional(content, full)
    found: Json = {}
    for name, inner in world.samples.properties(schema).items():
        current: Any = given.get(name, whole.get(name))
        if isinstance(current, dict) and isinstance(whole.get(name), dict):
            optional = full.get(name) if isinstance(full, dict) else None
            more = optional if isinstance(optional, dict) else {}
            found |= _changed_inside(world, name, inner, {**more, **whole[name], **current})
        # Templates are ids of other resources; a password is read back by nobody.
        if current is None or "{{" in str(current) or "password" in name.lower() or isinstance(current, dict | list):
            continue
        other = plain.get(name, current)
        if other == current or world.samples.problem(other, inner) is not None:
            other = other_value(inner, current, world.samples)
        if other is not NOTHING:
            found[name] = other
    return found
