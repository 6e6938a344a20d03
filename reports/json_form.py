"""report.json: the model as canonical, readable JSON, and its JSON Schema."""

from __future__ import annotations

from typing import Any

from ..utils.canonical import pretty_json
from .model import Report

SCHEMA_ID = "urn:testwright:schema:report:1.0.0"


def json_form(report: Report) -> str:
    """The text of report.json: sorted keys, so that equal reports are equal bytes."""
    return pretty_json(report.model_dump(mode="json", by_alias=True))


def from_json(text: str) -> Report:
    """The report of a report.json. Raises pydantic.ValidationError (a ValueError)."""
    return Report.model_validate_json(text)


def without_run(report: Report) -> dict[str, Any]:
    """What two runs of one request on one tree have in common, as JSON values."""
    return report.model_dump(mode="json", by_alias=True, exclude={"run"})


def report_schema() -> dict[str, Any]:
    """The JSON Schema that ships as `schemas/report_schema_v1.json`."""
    schema = Report.model_json_schema(mode="serialization", by_alias=True)
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Report",
        "description": "What a run did and found. Outside `run` it is the same for two runs on one tree.",
    }
    return {**about, **{name: value for name, value in schema.items() if name not in about}}
