"""Writes and reads report.json: the model as canonical, readable JSON."""

from __future__ import annotations

from ..utils.canonical import pretty_json
from .model import Report


def json_form(report: Report) -> str:
    """The text of report.json: sorted keys, so that equal reports are equal bytes."""
    return pretty_json(report.model_dump(mode="json", by_alias=True))


def from_json(text: str) -> Report:
    """The report of a report.json. Raises pydantic.ValidationError (a ValueError)."""
    return Report.model_validate_json(text)
