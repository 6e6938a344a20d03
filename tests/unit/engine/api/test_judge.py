"""Answers that contradict the document, by hand; nothing is run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, ObservedProposal, Proposal
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.values.data import SampleValues

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-02")]


def found(content: dict[str, Any], content_type: str, text: str = "[]") -> str | None:
    responses = {"200": {"description": "", "content": content}}
    api = api_from_document(
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": responses}}}}, path="openapi.json"
    )
    proposal = Proposal(api.operations[0], "succeeds", "it succeeds", "success", {"method": "GET", "path": "/a"})
    seen = ObservedProposal(proposal, (HttpAnswer(200, {"content-type": content_type}, text),))
    verdict = find_violation(seen, api, SampleValues({}))
    return verdict.kind if verdict else None


@pytest.mark.parametrize("told", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_the_media_type_that_is_documented_is_right_whatever_its_parameters(told: str) -> None:
    assert found({"application/json": {}}, told) is None


def test_another_media_type_is_suspected() -> None:
    assert found({"application/json": {}}, "text/html", "[]") == "media_type"


def test_a_schema_that_allows_anything_promises_no_media_type() -> None:
    assert found({"application/json": {"schema": {}}}, "text/csv", "a,b") is None


def test_a_refusal_of_a_handler_that_answers_texts_may_be_an_object() -> None:
    responses = {"404": {"description": "", "content": {"text/plain": {}}}}
    api = api_from_document(
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": responses}}}}, path="openapi.json"
    )
    proposal = Proposal(api.operations[0], "unknown", "it knows nothing", "success", {"method": "GET", "path": "/a"})
    seen = ObservedProposal(proposal, (HttpAnswer(404, {"content-type": "application/json"}, '{"error": "none"}'),))
    assert find_violation(seen, api, SampleValues({})) is None


def test_ranges_and_silence_of_the_document_allow_what_comes() -> None:
    assert found({"text/*": {}}, "text/csv", "a,b") is None
    assert found({}, "text/csv", "a,b") is None


def test_a_refusal_that_the_code_means_is_no_defect_though_the_document_does_not_declare_it() -> None:
    api = api_from_document(
        {"openapi": "3.1.0", "paths": {"/a/{id}": {"get": {"responses": {"200": {"description": ""}}}}}},
        path="openapi.json",
    )

    def verdict(deliberate: frozenset[int]) -> str | None:
        operation = replace(api.operations[0], deliberate=deliberate)
        request = {"method": "GET", "path": "/a/{id}"}
        proposal = Proposal(operation, "unknown_id", "it knows no id", "success", request)
        seen = ObservedProposal(proposal, (HttpAnswer(404, {}, ""),))
        found = find_violation(seen, api, SampleValues({}))
        return found.kind if found else None

    assert verdict(frozenset()) == "undocumented_status"
    assert verdict(frozenset({404})) is None
