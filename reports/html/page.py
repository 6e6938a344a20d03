"""Renders report.html from its template, its style sheet and its script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from ...utils.outgoing_text import visible_text
from ..headings import common_error, heading
from ..not_reached import places_not_reached, places_not_taken
from . import shares
from .comparison import compare
from .inputs import PageInputs
from .overview import cause_portions, module_rows, phase_portions, total_mutants
from .page_data import script_json


def html_form(inputs: PageInputs) -> str:
    """The text of report.html: whatever a project put into a text is shown as text, and nothing is loaded."""
    report = inputs.report
    return template("page.html.j2").render(
        report=report,
        title=heading(report),
        modules=module_rows(report),
        common_error=common_error(report),
        statements=shares.statements(report.totals.coverage),
        branches=shares.branches(report.totals.coverage),
        mutants=total_mutants(report.targets),
        not_reached=places_not_reached(report.targets),
        not_taken=places_not_taken(report.targets),
        phases=phase_portions(report),
        causes=cause_portions(report),
        comparison=compare(report, inputs.earlier) if inputs.earlier else None,
        sources=inputs.sources,
        policy=_policy(),
        style=Markup(asset("page.css")),
        script=Markup(asset("page.js")),
        data=Markup(script_json(inputs)),
    )


@cache
def template(name: str) -> Template:
    """One of the pages' templates, which write text with its controls visible."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_visible, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(asset(name))


def _visible(value: Any) -> Any:
    """What the template writes: text with its controls as visible escapes; the page's own parts as they are."""
    return visible_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _policy() -> str:
    """The page's content security policy: its own script and style by their hashes, and nothing else."""
    script, style = (hash_of(asset(name)) for name in ("page.js", "page.css"))
    allowed = f"script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def hash_of(text: str) -> str:
    """A text's digest as a content security policy gives it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """The text of one of the page's parts."""
    return (resources.files(__package__ or __name__) / "assets" / name).read_text("utf-8")
