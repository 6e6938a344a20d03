"""Renders the page of an assessment: what `assess` prints, for a browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from ..assessment import blocks
from .page import asset, hash_of, template


def assessment_page(report: Mapping[str, Any]) -> str:
    """The text of the page: its numbers first, then each part; nothing is loaded, and no script runs.

    Args:
        report: the content of assess.json.
    """
    *parts, summary = blocks(report)
    style = asset("page.css")
    policy = f"default-src 'none'; style-src 'sha256-{hash_of(style)}'; base-uri 'none'; form-action 'none'"
    return template("assessment.html.j2").render(
        report=report, summary=summary, parts=parts, style=Markup(style), policy=policy
    )
