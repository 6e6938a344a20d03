"""Unusual values that a document allows are sent, and only what breaks the application is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.model.model import ApiParameter, HttpAnswer, Json, ObservedProposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.defects import suspected_defects
from testwright.engine.api.probe.effects.breaking import breaking_proposals
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.values.unusual import unusual_parts, unusual_values
from testwright.tests.support.engine.parts_store import Counted, by_name

pytestmark = pytest.mark.feature("T-20")


class BreaksAt:
    """An application that answers with a server error to what is chosen."""

    def __init__(self, finder: BaselineFinder, chosen: Callable[[Json], bool], answer: HttpAnswer) -> None:
        self._finder, self._chosen, self._answer = finder, chosen, answer

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        answers: list[HttpAnswer] = []
        for request in requests:
            content = (request.get("body") or {}).get("content", {})
            if self._chosen(request):
                answers.append(self._answer)
                if self._answer.failure:
                    break
            elif not isinstance(content, dict) or any(not isinstance(part, str | int) for part in content.values()):
                answers.append(HttpAnswer(422))
            else:
                answers.append(HttpAnswer(200))
        return tuple(answers)


def _content(request: Json) -> Any:
    return (request.get("body") or {}).get("content")


def _price(request: Json) -> Any:
    content = _content(request)
    return content.get("price") if isinstance(content, dict) else None


CRASH = HttpAnswer(500, {}, "oops", crash="src/parts.py:7: OverflowError: too large")


async def test_the_one_field_that_breaks_an_application_is_told(finder: BaselineFinder, world: ResourceModel) -> None:
    breaking = BreaksAt(finder, lambda request: (_price(request) or 0) > 2**60, CRASH)
    found = by_name(await breaking_proposals(cast(Any, breaking), world, 999))
    assert set(found) == {
        "add with_a_number_beyond_64_bits_for_price",
        "change with_a_number_beyond_64_bits_for_price",
    }
    content = _content(found["add with_a_number_beyond_64_bits_for_price"].request)
    assert (content["price"], content["title"]) == (2**63, "title")


async def test_a_reading_that_breaks_after_an_unusual_value_is_told(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    stored: list[Json] = []

    def chosen(request: Json) -> bool:
        if request["path"] == "/parts" and request["method"] == "POST":
            stored[:] = [_content(request)]
        listed = request["path"] == "/parts" and request["method"] == "GET" and bool(stored)
        return listed and isinstance(stored[0], dict) and stored[0].get("title") == ""

    found = by_name(await breaking_proposals(cast(Any, BreaksAt(finder, chosen, CRASH)), world, 999))
    [(name, proposal)] = found.items()
    assert name.startswith("list after_post_parts_with_nothing_in_it")
    assert _content(proposal.setup[-1])["title"] == ""


async def test_a_reading_that_stays_broken_after_a_server_error_is_told_as_well(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    stored: list[Json] = []

    def chosen(request: Json) -> bool:
        if request["method"] == "POST":
            stored[:] = [request] if isinstance(_content(request), dict) and not _content(request)["title"] else []
        return bool(stored) and request["path"] == "/parts"

    found = by_name(await breaking_proposals(cast(Any, BreaksAt(finder, chosen, CRASH)), world, 999, wanted=("add",)))
    assert [name.partition("_with_")[0] for name in found] == [
        "add with_nothing_in_it_for_title",
        "list after_post_parts",
    ]


async def test_what_is_made_at_one_path_is_read_in_the_list_at_another(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    adding = world.baselines["add"]
    elsewhere = replace(adding, operation=replace(adding.operation, path="/private/parts"))
    world.baselines["add"] = replace(elsewhere, request={**adding.request, "path": "/private/parts"})
    lists = BreaksAt(finder, lambda request: request["method"] == "GET" and request["path"] == "/parts", CRASH)
    found = await breaking_proposals(cast(Any, lists), world, 999, wanted=("add",))
    assert {one.operation.name for one in found} == {"list"}


async def test_nothing_is_told_of_an_application_that_takes_or_refuses_them(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    sound = BreaksAt(finder, lambda request: False, CRASH)
    assert await breaking_proposals(cast(Any, sound), world, 999) == []


async def test_no_more_is_sent_than_there_is_room_for(finder: BaselineFinder, world: ResourceModel) -> None:
    sent = Counted(cast(Any, BreaksAt(finder, lambda request: False, CRASH)))
    await breaking_proposals(cast(Any, sent), world, 20)
    assert 0 < sent.times <= 20


async def test_an_operation_that_hangs_is_asked_twice_and_no_more(finder: BaselineFinder, world: ResourceModel) -> None:
    hanging = BreaksAt(finder, lambda request: request["path"] == "/parts", HttpAnswer(failure="no answer"))
    sent = Counted(cast(Any, hanging))
    await breaking_proposals(cast(Any, sent), world, 999, wanted=("add",))
    assert sent.times == 2


async def test_what_one_value_breaks_in_several_places_is_one_defect(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    breaking = BreaksAt(finder, lambda request: (_price(request) or 0) > 2**60, CRASH)
    found = await breaking_proposals(cast(Any, breaking), world, 999)
    answers = [replace(CRASH, crash=f"src/parts.py:{line}: OverflowError: too large") for line in (7, 8, 9)]
    seen = [ObservedProposal(replace(found[0], setup=()), (answer,)) for answer in answers]
    verdicts = [verdict for one in seen if (verdict := find_violation(one, world.api, world.samples)) is not None]
    assert len(verdicts) == 3
    assert len(suspected_defects(verdicts, {}, "")) == 1


def test_what_a_document_excludes_is_no_unusual_value_of_it() -> None:
    samples = SampleValues({})
    plain = {one.kind for one in unusual_values({"type": "string"}, samples)}
    assert plain == {"empty", "nul", "long", "signs"}
    assert {one.kind for one in unusual_values({"type": "string", "minLength": 1, "maxLength": 9}, samples)} == {
        "nul"
    }  # the signs are longer
    assert not list(unusual_values({"type": "string", "enum": ["a"]}, samples))
    assert not list(unusual_values({"type": "string", "pattern": "^[a-z]+$"}, samples))
    assert not list(unusual_values({"type": "integer", "minimum": 0, "maximum": 9}, samples))
    maybe = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]}
    assert {one.value for one in unusual_values(maybe, samples)} == {None, 2**63}
    assert {one.value for one in unusual_values(maybe, samples, in_text=True)} == {2**63}


def test_numbers_of_a_format_with_bounds_stay_within_them() -> None:
    samples = SampleValues({})
    assert {one.value for one in unusual_values({"type": "integer", "format": "int32"}, samples)} == {-1}
    assert {one.value for one in unusual_values({"type": "integer", "format": "int64"}, samples)} == {-1}
    assert not list(unusual_values({"type": "integer", "format": "uint32"}, samples))
    assert 2**63 in {one.value for one in unusual_values({"type": "number", "format": "double"}, samples)}


def test_members_of_any_name_and_first_items_have_the_values_of_their_own_schema() -> None:
    labels = {"type": "object", "additionalProperties": {"type": "string"}}
    pair = {"type": "array", "prefixItems": [{"type": "string"}]}
    samples = SampleValues({})
    below = [one for one in unusual_parts(labels, {"name": "Ada"}, samples) if one.place == ("name",)]
    assert {one.kind for one in below} == {"empty", "nul", "long", "signs"}
    assert {one.kind for one in unusual_parts(pair, ["a"], samples) if one.place == (0,)} == {
        "empty",
        "nul",
        "long",
        "signs",
    }


async def test_no_body_is_sent_with_a_value_that_the_whole_does_not_allow(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    adding = world.baselines["add"]
    assert adding.operation.body is not None
    cheap = {"if": {"properties": {"price": {"minimum": 100}}}, "then": {"properties": {"title": {"const": "gold"}}}}
    body = replace(adding.operation.body, schema={"allOf": [adding.operation.body.schema], **cheap})
    world.baselines["add"] = replace(adding, operation=replace(adding.operation, body=body))
    breaking = BreaksAt(finder, lambda request: (_price(request) or 0) > 2**60, CRASH)
    assert await breaking_proposals(cast(Any, breaking), world, 999, wanted=("add",)) == []


def test_a_text_with_more_than_its_pattern_names_is_unusual_where_the_pattern_has_no_anchors() -> None:
    header = {"type": "string", "pattern": r'^"([0-9]+)"$|\*'}
    assert [(one.kind, one.value) for one in unusual_values(header, SampleValues({}), in_text=True)] == [
        ("around", "*0"),
        ("signs", "*}0"),
    ]


def test_a_text_that_another_choice_of_the_pattern_names_is_not_more_than_it_names() -> None:
    sizes = {"type": "string", "pattern": "1|10|100"}
    assert [one.value for one in unusual_values(sizes, SampleValues({})) if one.kind == "around"] == ["01"]


async def test_a_header_that_breaks_an_application_is_told(finder: BaselineFinder, world: ResourceModel) -> None:
    listing = world.baselines["list"]
    condition = ApiParameter("If-Match", "header", required=False, schema={"type": "string", "pattern": r"^\d+$|\*"})
    operation = replace(listing.operation, parameters=(*listing.operation.parameters, condition))
    world.baselines["list"] = replace(listing, operation=operation)
    breaking = BreaksAt(finder, lambda request: (request.get("headers") or {}).get("If-Match") == "*0", CRASH)
    [proposal] = await breaking_proposals(cast(Any, breaking), world, 999, wanted=("list",))
    assert proposal.title.endswith("with more than its pattern names for If-Match")


async def test_a_list_for_a_body_is_sent_before_what_the_number_of_requests_cuts_off(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    breaking = BreaksAt(finder, lambda request: _content(request) == [], CRASH)
    [proposal] = await breaking_proposals(cast(Any, breaking), world, 2, wanted=("add",))
    assert proposal.title == "POST /parts with a list for a body"
