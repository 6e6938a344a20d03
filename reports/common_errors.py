"""Finds what stopped every target of a run alike, so that it can be said once."""

from __future__ import annotations

from .model import Report

_NOT_BEGUN = "not begun: "


def common_error(report: Report) -> str:
    """The error that several targets share when none ended well; empty otherwise."""
    unfinished = [target.error.removeprefix(_NOT_BEGUN) for target in report.targets]
    return unfinished[0] if len(unfinished) > 1 and len(set(unfinished)) == 1 else ""


def own_error(error: str, common: str) -> str:
    """A target's error for a table: short where the common one is said elsewhere."""
    return "for the reason above" if common and error.removeprefix(_NOT_BEGUN) == common else error
