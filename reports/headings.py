"""What several forms of a report say alike: the first line, and the error that stopped every target."""

from __future__ import annotations

from ..utils.names.counted import counted
from .model import Report

_HEADINGS = {
    "completed": "Done",
    "nothing_to_do": "Nothing to do",
    "partial": "Done in part",
    "nothing_kept": "No test was kept",
    "product_defect": "Suspected defects",
    "budget_exhausted": "Stopped by a ceiling",
    "interrupted": "Interrupted",
    "environment": "The environment stands in the way",
    "not_understood": "The request was not understood",
    "model_quota": "The model's account is used up",
    "model_rate_limit": "The model's endpoint limits the rate",
    "model_refused": "The model refuses",
}


def heading(report: Report) -> str:
    """How the run ended, and how many tests it kept."""
    ended = _HEADINGS.get(report.exit_reason, report.exit_reason.replace("_", " ").capitalize())
    return f"{ended}: {counted(report.totals.kept, 'test')} {kept_word(report)}"


def kept_word(report: Report) -> str:
    """`kept`, or `written` where nothing was executed."""
    return "kept" if report.execution == "executed" or not report.totals.kept else "written"


_NOT_BEGUN = "not begun: "


def common_error(report: Report) -> str:
    """The error that several targets share when none ended well; empty otherwise."""
    unfinished = [target.error.removeprefix(_NOT_BEGUN) for target in report.targets]
    return unfinished[0] if len(unfinished) > 1 and len(set(unfinished)) == 1 else ""


def own_error(error: str, common: str) -> str:
    """A target's error for a table: short where the common one is said elsewhere."""
    return "for the reason above" if common and error.removeprefix(_NOT_BEGUN) == common else error
