"""The JSON Schema of reports, made from the model: what `schemas/report_schema_v1.json` must be."""

from __future__ import annotations

import re
from typing import Any

from testwright.reports.model import Report

SCHEMA_ID = "urn:testwright:schema:report:1.0.0"


def without_run(report: Report) -> dict[str, Any]:
    """What two runs of one request on one tree have in common, as JSON values."""
    return report.model_dump(mode="json", by_alias=True, exclude={"run"})


def report_schema() -> dict[str, Any]:
    """The JSON Schema that ships as `schemas/report_schema_v1.json`."""
    schema = _with_published_names(Report.model_json_schema(mode="serialization", by_alias=True))
    schema["$defs"] = dict(sorted(schema["$defs"].items()))
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Report",
        "description": "What a run did and found. Outside `run` it is the same for two runs on one tree.",
    }
    return {**about, **{name: value for name, value in schema.items() if name not in about}}


def _with_published_names(value: Any) -> Any:
    """Drop the prefix `Report` of model classes from titles, definition names and references.

    The schema was published before the classes got their prefix, and its names must not change.
    """
    if isinstance(value, dict):
        return {_published(str(name)): _with_published_names(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_published_names(part) for part in value]
    return _published(value) if isinstance(value, str) else value


def _published(text: str) -> str:
    found = re.fullmatch(r"(#/\$defs/)?Report([A-Z]\w+)", text)
    return f"{found[1] or ''}{found[2]}" if found else text
